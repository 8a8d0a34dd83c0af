// SPDX-License-Identifier: Apache-2.0

package gputest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Full is the mask of all lanes.
const Full = ^uint32(0)

// Launch is a launch to record.
type Launch struct {
	Kernel *Kernel
	Blocks int // thread blocks
	// Grid is that of the thread blocks; zeros: all in a row. Cluster is the size of clusters.
	Grid, Cluster trace.Dim3
	Threads       int // per thread block
	DynamicBytes  uint32
	Stream        uint32
	After         []int // earlier events, here launches, that it waits for
	// Before and Behind are what the host does before and behind the launch.
	Before, Behind []trace.HostEvent
	// Stored says which thread blocks are stored; nil: all.
	Stored func(block int) bool
	// Record records what warp does in a thread block; nil means StraightLine.
	Record func(w *Warp)
}

// Warp records one warp of one thread block.
type Warp struct {
	Block, Warp int
	Lanes       uint32 // that exist
	// Before is how often basic block 5 is visited before others, by their numbers; Word changes
	// the words at mbarriers, and Copy what bulk copies say. All are for pipelines.
	Before map[uint32]int
	Word   func(word uint64) uint64
	Copy   func(b *trace.BulkCopy)

	launch *Launch
	writer *wtape.Writer
}

// Visit records a visit of a basic block under which every guard holds, with
// unit-stride addresses.
func (w *Warp) Visit(block, mask uint32) { w.VisitGuarded(block, mask, mask) }

// VisitGuarded is Visit with the given mask for all guarded instructions.
func (w *Warp) VisitGuarded(block, mask, guard uint32) {
	w.visit(block, mask, guard, func(instruction uint32) (uint64, int64) {
		return uint64(0xC000_0000) + uint64(instruction)<<20 + uint64(w.Block*64+w.Warp)*128, 4
	})
}

// VisitAt is Visit with lane l at base + l*stride in every memory instruction.
func (w *Warp) VisitAt(block uint32, base uint64, stride int64) {
	w.visit(block, w.Lanes, w.Lanes, func(uint32) (uint64, int64) { return base, stride })
}

func (w *Warp) visit(block, mask, guard uint32, at func(instruction uint32) (base uint64, stride int64)) {
	w.writer.Visit(w.Warp, block, mask)
	k := &w.launch.Kernel.Kernel
	b := k.Blocks[block]
	for i := b.First; i < b.First+b.Count; i++ {
		in, m := &k.Instructions[i], mask
		if in.Guarded() {
			m = guard
			w.writer.Guard(w.Warp, m)
		}
		w.values(in, m)
		if in.Class.IsMemory() {
			base, stride := at(i)
			w.writer.AccessStrided(w.Warp, m, base, stride)
		}
	}
}

// Raw records a visit of a basic block under which every guard holds. The i-th memory
// instruction of it accesses what address gives, with unit stride.
func (w *Warp) Raw(block, mask uint32, address func(i int) uint64) {
	w.writer.Visit(w.Warp, block, mask)
	k := &w.launch.Kernel.Kernel
	b := k.Blocks[block]
	n := 0
	for i := b.First; i < b.First+b.Count; i++ {
		in := &k.Instructions[i]
		if in.Guarded() {
			w.writer.Guard(w.Warp, mask)
		}
		w.values(in, mask)
		if in.Class.IsMemory() {
			w.writer.AccessStrided(w.Warp, mask, address(n), 4)
			n++
		}
	}
}

// StraightLine visits every basic block once, in order.
func StraightLine(w *Warp) {
	for b := range w.launch.Kernel.Blocks {
		w.Visit(uint32(b), w.Lanes)
	}
}

// Encode records launches into the bytes of a trace.
func Encode(launches ...Launch) ([]byte, error) {
	var out bytes.Buffer
	header := trace.Header{Tool: "test"}
	if slices.ContainsFunc(launches, func(l Launch) bool { return l.Stored != nil }) {
		header.Sampling = "some thread blocks"
	}
	w, err := wtape.NewWriter(&out, "test", header, wtape.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	numbers := map[*Kernel]int{}
	for i := range launches {
		l := &launches[i]
		k, ok := numbers[l.Kernel]
		if !ok {
			trimmed := l.Kernel.Kernel
			if n := len(trimmed.Blocks) - 1; trimmed.Blocks[n].Count == 0 {
				trimmed.Blocks = trimmed.Blocks[:n]
				l.Kernel.Kernel = trimmed
			}
			if k, err = w.AddKernel(&l.Kernel.Kernel); err != nil {
				return nil, err
			}
			numbers[l.Kernel] = k
		}
		if err := events(w, l.Before); err != nil {
			return nil, err
		}
		if err := record(w, l, k); err != nil {
			return nil, err
		}
		if err := events(w, l.Behind); err != nil {
			return nil, err
		}
	}
	if err := w.Finish(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func events(w *wtape.Writer, list []trace.HostEvent) error {
	for _, e := range list {
		if _, err := w.AddEvent(e); err != nil {
			return err
		}
	}
	return nil
}

func record(w *wtape.Writer, l *Launch, kernel int) error {
	launch := trace.Launch{
		Kernel: kernel, Grid: trace.Dim3{X: uint32(l.Blocks), Y: 1, Z: 1}, Block: trace.Dim3{X: uint32(l.Threads), Y: 1, Z: 1},
		DynamicSharedBytes: l.DynamicBytes, Stream: l.Stream, Cluster: l.Cluster,
	}
	if l.Grid != (trace.Dim3{}) {
		launch.Grid = l.Grid
	}
	if _, err := w.BeginLaunch(launch, l.After...); err != nil {
		return err
	}
	each := l.Record
	if each == nil {
		each = StraightLine
	}
	for b := range l.Blocks {
		if l.Stored != nil && !l.Stored(b) {
			continue
		}
		w.BeginBlock(uint64(b))
		for i := range launch.Warps() {
			lanes := Full
			if left := l.Threads - i*trace.WarpSize; left < trace.WarpSize {
				lanes = 1<<left - 1
			}
			each(&Warp{Block: b, Warp: i, Lanes: lanes, launch: l, writer: w})
		}
		if err := w.EndBlock(); err != nil {
			return fmt.Errorf("thread block %d: %w", b, err)
		}
	}
	return w.EndLaunch()
}

// Trace records launches and opens the trace.
func Trace(t testing.TB, launches ...Launch) *wtape.Reader {
	t.Helper()
	data, err := Encode(launches...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// VisitWith is Visit with addresses of the block's n-th memory instruction: a base
// and a stride, or those of all lanes.
func (w *Warp) VisitWith(block, mask uint32, addresses func(n int) (base uint64, stride int64, lanes *[32]uint64)) {
	w.writer.Visit(w.Warp, block, mask)
	k := &w.launch.Kernel.Kernel
	b := k.Blocks[block]
	n := 0
	for i := b.First; i < b.First+b.Count; i++ {
		in := &k.Instructions[i]
		if in.Guarded() {
			w.writer.Guard(w.Warp, mask)
		}
		w.values(in, mask)
		if !in.Class.IsMemory() {
			continue
		}
		base, stride, lanes := addresses(n)
		n++
		if lanes == nil {
			w.writer.AccessStrided(w.Warp, mask, base, stride)
			continue
		}
		for lane := range lanes {
			if mask>>lane&1 == 0 {
				lanes[lane] = 0
			}
		}
		w.writer.Access(w.Warp, mask, lanes)
	}
}
