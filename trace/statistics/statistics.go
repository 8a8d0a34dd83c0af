// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"context"
	"math/bits"
	"slices"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/cursor"
	"github.com/warptape/warptape/trace/wtape"
)

// Report is what a trace's stored thread blocks did, free of any architecture.
// Lanes are counted as Totals.ThreadInstructions counts them.
type Report struct {
	Digest             string            `json:"digest"`
	WarpInstructions   uint64            `json:"warp_instructions"`
	ThreadInstructions uint64            `json:"thread_instructions"`
	ByClass            trace.ClassCounts `json:"by_class"` // warp instructions
	// ActiveLanes counts warp instructions by the number of lanes that took part.
	ActiveLanes [trace.WarpSize + 1]uint64 `json:"active_lanes"`
	// BySpace counts the warp instructions with at least one lane in each space.
	BySpace  map[string]uint64 `json:"by_space"`
	Global   Global            `json:"global"`
	PerLines []Line            `json:"lines"` // by kernel, then PTX line
	// CPU is about the CPU threads, if there are any.
	CPU *CPU `json:"cpu,omitempty"`
}

// Global is about global memory in lines of LineBytes.
type Global struct {
	Accesses       uint64 `json:"accesses"`        // warp instructions with a lane in global memory
	RequestedBytes uint64 `json:"requested_bytes"` // of all lanes
	Segments       uint64 `json:"segments"`        // distinct lines per access, summed
	// SegmentsPerAccess counts accesses by their segments; the last place is for
	// more than that.
	SegmentsPerAccess [trace.WarpSize + 2]uint64 `json:"segments_per_access"`
	FootprintLines    uint64                     `json:"footprint_lines"` // distinct lines
	// ReuseDistance counts line touches by how many other lines were touched since
	// the line was touched before. Warps are taken one after the other in the
	// order of the trace. Place 0 is none, place n is 2^(n-1) to 2^n-1.
	ReuseDistance [ReuseBuckets]uint64 `json:"reuse_distance"`
	FirstTouches  uint64               `json:"first_touches"`
	// Bounded is set when lines that had not been touched for the last 4 Mi lines
	// were forgotten; their next touch counts as a first one.
	Bounded bool `json:"bounded"`
}

// Line is what one line of PTX did.
type Line struct {
	Kernel             string `json:"kernel"`
	Function           string `json:"function,omitempty"` // that the kernel calls; empty for its own lines
	Line               uint32 `json:"line"`
	SourceFile         string `json:"source_file,omitempty"`
	SourceLine         uint32 `json:"source_line,omitempty"`
	Opcode             string `json:"opcode"` // of its first instruction
	WarpInstructions   uint64 `json:"warp_instructions"`
	ThreadInstructions uint64 `json:"thread_instructions"`
	GlobalAccesses     uint64 `json:"global_accesses"`
	Segments           uint64 `json:"segments"`
}

// Of reads every chunk and counts. It checks the digest that it reports.
func Of(r *wtape.Reader) (*Report, error) {
	if err := r.CheckDigest(context.Background()); err != nil {
		return nil, err
	}
	s := &counting{
		report: &Report{Digest: r.Digest(), BySpace: map[string]uint64{}},
		reuse:  newReuseStack(maxReuseLines),
	}
	for i := range r.Kernels() {
		s.perInstruction = append(s.perInstruction, make([]instructionCount, len(r.Kernels()[i].Instructions)))
	}
	cursor := cursor.NewBlocks(r)
	for {
		more, err := cursor.Step()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		s.addBlock(cursor)
	}
	s.finish(r)
	var err error
	s.report.CPU, err = countCPU(r)
	return s.report, err
}

type instructionCount struct{ executions, threads, accesses, segments uint64 }

type counting struct {
	report         *Report
	perInstruction [][]instructionCount // by kernel and instruction
	spaces         [trace.SpaceCount]uint64
	reuse          *reuseStack
	segments       []uint64 // of one access
	lanes          [trace.WarpSize]uint64
	bulk           trace.BulkCopy
}

func (s *counting) addBlock(c *cursor.Blocks) {
	kernel, k := c.Kernel()
	for w := range c.Chunk.WarpsPerBlock() {
		s.addWarp(c.Chunk, k, s.perInstruction[kernel], c.Warp(w))
	}
}

func (s *counting) addWarp(c *wtape.Chunk, k *trace.Kernel, counts []instructionCount, warp trace.Warp) {
	for e := range warp.Executed(k) {
		lanes, count := bits.OnesCount32(e.Mask), &counts[e.Index]
		count.executions++
		count.threads += uint64(lanes)
		s.report.ActiveLanes[lanes]++
		if e.In.Class.IsMemory() && e.Mask != 0 {
			if e.In.Class == trace.ClassBulk {
				c.Bulk(*e.Access, &s.bulk)
				s.addBulk(e.In, count)
				continue
			}
			c.Addresses(*e.Access, e.Mask, &s.lanes)
			s.addAccess(e.In, e.Mask, count)
		}
	}
}

// addAccess counts one access, whose lane addresses are in s.lanes.
func (s *counting) addAccess(in *trace.Instruction, mask uint32, count *instructionCount) {
	var spaces [trace.SpaceCount]bool
	s.segments = s.segments[:0]
	for m := mask; m != 0; m &= m - 1 {
		address, space := s.lanes[bits.TrailingZeros32(m)], in.Space
		if space == trace.SpaceGeneric {
			space, _ = trace.ResolveGeneric(address)
		}
		spaces[space] = true
		if space == trace.SpaceGlobal {
			s.addSegments(address, uint64(in.LaneBytes))
		}
	}
	for space, there := range spaces {
		if there {
			s.spaces[space]++
		}
	}
	s.countSegments(count)
}

// addBulk counts a bulk copy.
func (s *counting) addBulk(in *trace.Instruction, count *instructionCount) {
	s.segments = s.segments[:0]
	s.spaces[in.Space]++
	if in.Space == trace.SpaceGlobal {
		for address, bytes := range s.bulk.Pieces {
			s.addSegments(address, bytes)
		}
	}
	s.countSegments(count)
}

// countSegments counts the lines that were collected.
func (s *counting) countSegments(count *instructionCount) {
	if n := len(s.segments); n > 0 {
		g := &s.report.Global
		g.Accesses++
		g.Segments += uint64(n)
		g.SegmentsPerAccess[min(n, trace.WarpSize+1)]++
		count.accesses++
		count.segments += uint64(n)
		s.touchSegments()
	}
}

// addSegments collects the distinct lines that a lane touches.
func (s *counting) addSegments(address, bytes uint64) {
	bytes = max(bytes, 1)
	s.report.Global.RequestedBytes += bytes
	first, last := address/trace.LineBytes, (address+bytes-1)/trace.LineBytes
	for line := first; ; line++ {
		if n := len(s.segments); n == 0 || s.segments[n-1] != line && !slices.Contains(s.segments, line) {
			s.segments = append(s.segments, line)
		}
		if line >= last { // also when the access wraps around 2^64
			return
		}
	}
}

func (s *counting) touchSegments() {
	g := &s.report.Global
	for _, line := range s.segments {
		if distance, again := s.reuse.touch(line); again {
			g.ReuseDistance[reuseBucket(distance)]++
		} else {
			g.FirstTouches++
		}
	}
}

// finish adds up what was counted per instruction.
func (s *counting) finish(r *wtape.Reader) {
	for space, n := range s.spaces {
		if n > 0 {
			s.report.BySpace[trace.Space(space).String()] = n
		}
	}
	g := &s.report.Global
	g.FootprintLines, g.Bounded = uint64(len(s.reuse.last)), s.reuse.forgotten
	if g.Bounded {
		g.FootprintLines = g.FirstTouches
	}
	for k := range r.Kernels() {
		s.finishKernel(&r.Kernels()[k], s.perInstruction[k])
	}
}

func (s *counting) finishKernel(k *trace.Kernel, counts []instructionCount) {
	start := len(s.report.PerLines)
	place := map[uint32]int{}
	for i := range k.Instructions {
		in, n := &k.Instructions[i], &counts[i]
		s.report.WarpInstructions += n.executions
		s.report.ThreadInstructions += n.threads
		s.report.ByClass[in.Class] += n.executions
		at, ok := place[in.Line]
		if !ok {
			at = len(s.report.PerLines)
			place[in.Line] = at
			s.report.PerLines = append(s.report.PerLines, Line{
				Kernel: k.Name, Function: k.FunctionName(i), Line: in.Line, Opcode: in.Name(), SourceFile: k.SourceFiles[in.SourceFile], SourceLine: in.SourceLine})
		}
		l := &s.report.PerLines[at]
		l.WarpInstructions += n.executions
		l.ThreadInstructions += n.threads
		l.GlobalAccesses += n.accesses
		l.Segments += n.segments
	}
	slices.SortStableFunc(s.report.PerLines[start:], func(a, b Line) int { return int(int64(a.Line) - int64(b.Line)) })
}
