// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Header is the provenance of a trace. It holds nothing that would differ
// between two recordings of the same program: no date, no host name.
type Header struct {
	// Tool is name and version of the program that wrote the trace.
	Tool string `json:"tool"`
	// Program is the host program's name; ProgramDigest and the PTX digests are
	// lower-case hex SHA-256.
	Program       string            `json:"program"`
	ProgramDigest string            `json:"program_digest"`
	Seed          uint64            `json:"seed"` // of the generated inputs
	Arguments     map[string]string `json:"arguments"`
	PTX           []SourceDigest    `json:"ptx"`
	// Sampling is empty when every thread block is stored.
	Sampling string `json:"sampling"`
	// Data are the data files that the host program read, in the order of first reading.
	Data []SourceDigest `json:"data,omitempty"`
}

// Clone returns a copy that shares nothing mutable with h.
func (h Header) Clone() Header {
	h.Arguments = maps.Clone(h.Arguments)
	h.PTX, h.Data = slices.Clone(h.PTX), slices.Clone(h.Data)
	return h
}

// SourceDigest names one input file.
type SourceDigest struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// Launch is one kernel launch of the host timeline.
type Launch struct {
	Kernel      int // index into the trace's kernels
	Grid, Block Dim3
	// DynamicSharedBytes is added to the kernel's static shared memory.
	DynamicSharedBytes uint32
	Stream             uint32
	// Arguments is the packed parameter space (see Kernel.Params).
	Arguments []byte
	// Cluster is the size of the launch's clusters in thread blocks, by which each side of
	// the grid is divided; zeros without clusters. A trace that was recorded before there
	// was this field has zeros.
	Cluster Dim3
}

// InClusters reports whether the launch has clusters of several thread blocks.
func (l *Launch) InClusters() bool { return l.Cluster.Count() > 1 }

// ClusterOf gives the cluster of a thread block, numbered like thread blocks, and the block's
// rank in it (PTX ISA 9.2: %cluster_ctarank).
func (l *Launch) ClusterOf(block uint64) (number uint64, rank int) {
	at := l.Grid.place(block)
	c := l.Cluster
	in := Dim3{X: at.X / c.X, Y: at.Y / c.Y, Z: at.Z / c.Z}
	rank = int((at.Z%c.Z*c.Y+at.Y%c.Y)*c.X + at.X%c.X)
	return (uint64(in.Z)*uint64(l.Grid.Y/c.Y)+uint64(in.Y))*uint64(l.Grid.X/c.X) + uint64(in.X), rank
}

// ClusterEnd is the highest number of a thread block of a cluster.
func (l *Launch) ClusterEnd(number uint64) uint64 {
	c := l.Cluster
	at := Dim3{X: l.Grid.X / c.X, Y: l.Grid.Y / c.Y}.place(number)
	x, y, z := uint64(at.X+1)*uint64(c.X)-1, uint64(at.Y+1)*uint64(c.Y)-1, uint64(at.Z+1)*uint64(c.Z)-1
	return (z*uint64(l.Grid.Y)+y)*uint64(l.Grid.X) + x
}

// Warps is the number of warps of one thread block of the launch.
func (l *Launch) Warps() int { return int((l.Block.Count() + WarpSize - 1) / WarpSize) }

// FullMask has the lanes of the given warp of a thread block.
func (l *Launch) FullMask(warp int) uint32 {
	threads := l.Block.Count() - uint64(warp)*WarpSize
	if threads >= WarpSize {
		return math.MaxUint32
	}
	return 1<<threads - 1
}

// EventKind says what a HostEvent is.
type EventKind uint8

// The host events. Part of the file format: only ever appended.
const (
	EventInvalid      EventKind = iota
	EventAllocate               // Address, Bytes, Name
	EventFree                   // Address
	EventCopyToDevice           // Address (device), HostAddress, Bytes
	EventCopyToHost             // Address (device), HostAddress, Bytes
	EventFill                   // Address, Bytes: device memset
	EventLaunch                 // Launch
	EventCompute                // host computation: Name, Operations, Accesses
	EventSynchronize            // the host waits for Stream (or all, if AllStreams)
	EventHostAllocate           // HostAddress, Bytes, Name
	eventEnd
)

var eventNames = [eventEnd]string{"invalid", "allocate", "free", "copy-to-device", "copy-to-host", "fill", "launch", "compute", "synchronize", "host-allocate"}

func (k EventKind) String() string {
	if k < eventEnd {
		return eventNames[k]
	}
	return "unknown"
}

// Known reports whether the format has the kind.
func (k EventKind) Known() bool { return k > EventInvalid && k < eventEnd }

// HostEvent is one step of the host timeline, in program order.
type HostEvent struct {
	Kind                        EventKind
	Name                        string
	Address, HostAddress, Bytes uint64
	Launch                      int // index into the trace's launches
	Stream                      uint32
	AllStreams                  bool
	Operations                  uint64
	// After lists earlier events (indexes in the timeline) that this one must
	// wait for beyond the order of its own stream.
	After []int
	// Accesses are what a computation reads and writes, in its order.
	Accesses []HostAccess
}

// HostAccess is memory of the host that a computation goes through, from the first
// byte to the last.
type HostAccess struct {
	HostAddress, Bytes uint64
	Writes             bool
}

// Totals are exact counts of the whole run, also when only a sample is stored.
type Totals struct {
	Launches     uint64 `json:"launches"`
	ThreadBlocks uint64 `json:"thread_blocks"`
	Warps        uint64 `json:"warps"`
	Threads      uint64 `json:"threads"`
	// WarpInstructions counts executed warp instructions; one with a guard that is
	// false in all lanes counts. ThreadInstructions counts active lanes in which
	// the guard held. Of a predicated branch or exit, whose outcome is in the
	// path, it counts all active lanes.
	WarpInstructions   uint64      `json:"warp_instructions"`
	ThreadInstructions uint64      `json:"thread_instructions"`
	Visits             uint64      `json:"visits"`              // basic-block visits of warps
	MemoryInstructions uint64      `json:"memory_instructions"` // warp instructions with lane addresses
	ByClass            ClassCounts `json:"by_class"`            // warp instructions
	BytesToDevice      uint64      `json:"bytes_to_device"`
	BytesToHost        uint64      `json:"bytes_to_host"`
	// CPU counts the CPU threads, which some traces have.
	CPU CPUTotals `json:"cpu,omitzero"`
}

// ClassCounts holds a count per OpClass. In JSON it is an object of the classes
// that occur, by name.
type ClassCounts [ClassCount]uint64

// MarshalJSON writes the counts that are not zero, in the order of the classes.
func (c ClassCounts) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for class, n := range c {
		if n == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:%d", OpClass(class), n)
	}
	return append(out, '}'), nil
}

// Add adds the counts of b to t.
func (t *Totals) Add(b *Totals) {
	t.Launches += b.Launches
	t.ThreadBlocks += b.ThreadBlocks
	t.Warps += b.Warps
	t.Threads += b.Threads
	t.WarpInstructions += b.WarpInstructions
	t.ThreadInstructions += b.ThreadInstructions
	t.Visits += b.Visits
	t.MemoryInstructions += b.MemoryInstructions
	for i, n := range b.ByClass {
		t.ByClass[i] += n
	}
	t.BytesToDevice += b.BytesToDevice
	t.BytesToHost += b.BytesToHost
	t.CPU.Add(&b.CPU)
}
