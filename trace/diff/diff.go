// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/dump"
	"github.com/warptape/warptape/trace/internal/cursor"
	"github.com/warptape/warptape/trace/wtape"
)

// Traces describes the first difference of what two traces say happened. It compares
// kernels and host timeline, then launch by launch, thread block by thread block, warp by
// warp, visit by visit, the CPU threads, and why the rest is missing. The description is empty
// when there is none. Provenance, chunking and compression are not compared.
func Traces(a, b *wtape.Reader) (string, error) {
	if d := diffStatic(a, b); d != "" {
		return d, nil
	}
	ca, cb := cursor.NewBlocks(a), cursor.NewBlocks(b)
	for {
		moreA, err := ca.Step()
		if err != nil {
			return "", err
		}
		moreB, err := cb.Step()
		if err != nil {
			return "", err
		}
		if !moreA && !moreB {
			if d := diffLabels(a, b); d != "" {
				return d, nil
			}
			if d, err := diffCPU(a, b); d != "" || err != nil {
				return d, err
			}
			return diffMissing(a, b), nil
		}
		if !moreA || !moreB {
			return diffEnds(ca, cb, moreA), nil
		}
		if ca.Launch() != cb.Launch() || ca.Block() != cb.Block() {
			return fmt.Sprintf("the first has launch %d, thread block %d where the second has launch %d, thread block %d",
				ca.Launch(), ca.Block(), cb.Launch(), cb.Block()), nil
		}
		if d := diffBlocks(ca, cb); d != "" {
			_, k := ca.Kernel()
			return fmt.Sprintf("launch %d (%s), thread block %d, %s%s", ca.Launch(), k.Name, ca.Block(), d, order(k)), nil
		}
	}
}

// order says why two recordings of a kernel may differ.
func order(k *trace.Kernel) string {
	if len(k.TimingDependent) == 0 {
		return ""
	}
	return fmt.Sprintf(". The kernel depends on timing, so that recordings of it may differ: %s", strings.Join(k.TimingDependent, "; "))
}

// diffLabels names the first kernel that one trace says depends on timing for other reasons.
func diffLabels(a, b *wtape.Reader) string {
	for i := range a.Kernels() {
		if x, y := &a.Kernels()[i], &b.Kernels()[i]; !slices.Equal(x.TimingDependent, y.TimingDependent) {
			return fmt.Sprintf("kernel %d (%s) did the same; what is said to depend on timing is %q and %q", i, x.Name, x.TimingDependent, y.TimingDependent)
		}
	}
	return ""
}

// diffMissing compares what the headers say of thread blocks that are not there: why a recording was
// cut off, or what was left out.
func diffMissing(a, b *wtape.Reader) string {
	x, y := a.Header().Sampling, b.Header().Sampling
	if x == y {
		return ""
	}
	says := func(reason string) string {
		if reason == "" {
			return "that nothing is missing"
		}
		return fmt.Sprintf("%q", reason)
	}
	return fmt.Sprintf("the same is recorded; of what is missing the first header says %s, the second %s", says(x), says(y))
}

func diffEnds(a, b *cursor.Blocks, moreA bool) string {
	if moreA {
		return fmt.Sprintf("the second ends before launch %d, thread block %d", a.Launch(), a.Block())
	}
	return fmt.Sprintf("the first ends before launch %d, thread block %d", b.Launch(), b.Block())
}

// diffStatic compares kernels and timeline.
func diffStatic(a, b *wtape.Reader) string {
	if len(a.Kernels()) != len(b.Kernels()) {
		return fmt.Sprintf("%d kernels and %d", len(a.Kernels()), len(b.Kernels()))
	}
	for i := range a.Kernels() {
		if a.Kernels()[i].Name != b.Kernels()[i].Name {
			return fmt.Sprintf("kernel %d is %s and %s", i, a.Kernels()[i].Name, b.Kernels()[i].Name)
		}
		if d := diffKernels(&a.Kernels()[i], &b.Kernels()[i]); d != "" {
			return fmt.Sprintf("kernel %d (%s): %s", i, a.Kernels()[i].Name, d)
		}
	}
	if len(a.Timeline()) != len(b.Timeline()) {
		return fmt.Sprintf("%d host events and %d", len(a.Timeline()), len(b.Timeline()))
	}
	for i := range a.Timeline() {
		if !reflect.DeepEqual(eventOf(a, i), eventOf(b, i)) {
			return fmt.Sprintf("host event %d: %s and %s", i, describeEvent(a, i), describeEvent(b, i))
		}
	}
	return ""
}

// eventOf is a host event as it can be compared: launches by what they are.
func eventOf(r *wtape.Reader, i int) any {
	e := r.Timeline()[i]
	if e.Kind == trace.EventLaunch {
		return struct {
			trace.HostEvent
			Of trace.Launch
		}{e, r.Launches()[e.Launch]}
	}
	return e
}

// describeEvent is the content of a host event.
func describeEvent(r *wtape.Reader, i int) string {
	e := r.Timeline()[i]
	if e.Kind == trace.EventLaunch {
		return fmt.Sprintf("launch %+v", r.Launches()[e.Launch])
	}
	return fmt.Sprintf("%v %+v", e.Kind, e)
}

// diffKernels names the first instruction that differs, if it is one. What depends on timing
// is compared later.
func diffKernels(a, b *trace.Kernel) string {
	x, y := *a, *b
	x.TimingDependent, y.TimingDependent = nil, nil
	if reflect.DeepEqual(&x, &y) {
		return ""
	}
	for i := range min(len(a.Instructions), len(b.Instructions)) {
		if !reflect.DeepEqual(&a.Instructions[i], &b.Instructions[i]) {
			return fmt.Sprintf("instruction %d: %s and %s", i, dump.DescribeInstruction(&a.Instructions[i]), dump.DescribeInstruction(&b.Instructions[i]))
		}
	}
	if len(a.Instructions) != len(b.Instructions) {
		return fmt.Sprintf("%d instructions and %d", len(a.Instructions), len(b.Instructions))
	}
	if !reflect.DeepEqual(a.Blocks, b.Blocks) {
		return "basic blocks differ"
	}
	return "registers, memory, parameters, or source differ"
}

func diffBlocks(a, b *cursor.Blocks) string {
	for warp := range a.Chunk.WarpsPerBlock() {
		if d := diffWarps(a, b, warp); d != "" {
			return fmt.Sprintf("warp %d, %s", warp, d)
		}
	}
	return ""
}

func diffWarps(a, b *cursor.Blocks, warp int) string {
	wa, wb := a.Warp(warp), b.Warp(warp)
	_, k := a.Kernel()
	guard, access := 0, 0
	var masks []uint32 // of the instructions of a visit
	var d string
	for v := range min(len(wa.Blocks), len(wb.Blocks)) {
		if wa.Blocks[v] != wb.Blocks[v] {
			return fmt.Sprintf("visit %d: basic block %d and %d", v, wa.Blocks[v], wb.Blocks[v])
		}
		if wa.Masks[v] != wb.Masks[v] {
			return fmt.Sprintf("visit %d (basic block %d): lanes %08x and %08x", v, wa.Blocks[v], wa.Masks[v], wb.Masks[v])
		}
		block := &k.Blocks[wa.Blocks[v]]
		instructions := k.Instructions[block.First : block.First+block.Count]
		masks, d = diffGuards(masks[:0], instructions, wa.Masks[v], wa.Guards[guard:], wb.Guards[guard:])
		if d == "" {
			d = diffAccesses(a.Chunk, b.Chunk, instructions, masks, wa.Accesses[access:], wb.Accesses[access:])
		}
		if d != "" {
			return fmt.Sprintf("visit %d (basic block %d), %s", v, wa.Blocks[v], d)
		}
		for i := range instructions {
			if instructions[i].Guarded() {
				guard++
			}
			if instructions[i].HasAccess() {
				access++
			}
		}
	}
	if len(wa.Blocks) != len(wb.Blocks) {
		return fmt.Sprintf("%d visits and %d", len(wa.Blocks), len(wb.Blocks))
	}
	return ""
}

// diffGuards compares the guard masks of a visit, and appends the mask of each instruction.
func diffGuards(masks []uint32, instructions []trace.Instruction, mask uint32, a, b []uint32) ([]uint32, string) {
	guard := 0
	for i := range instructions {
		masks = append(masks, mask)
		if !instructions[i].Guarded() {
			continue
		}
		if a[guard] != b[guard] {
			return masks, fmt.Sprintf("guard %d: lanes %08x and %08x", guard, a[guard], b[guard])
		}
		masks[i] = a[guard]
		guard++
	}
	return masks, ""
}

// diffAccesses compares the accesses of a visit whose instructions have these masks.
func diffAccesses(ca, cb *wtape.Chunk, instructions []trace.Instruction, masks []uint32, a, b []trace.Access) string {
	var la, lb [trace.WarpSize]uint64
	access := 0
	for i := range instructions {
		in, mask := &instructions[i], masks[i]
		if !in.HasAccess() {
			continue
		}
		if in.Class == trace.ClassBulk && mask != 0 { // its words take all lanes
			mask = ^uint32(0)
		}
		ca.Addresses(a[access], mask, &la)
		cb.Addresses(b[access], mask, &lb)
		if la != lb {
			if in.Values {
				first := bits.TrailingZeros32(mask)
				return fmt.Sprintf("%s: %v and %v", dump.DescribeInstruction(in), trace.BarrierOf(la[first]), trace.BarrierOf(lb[first]))
			}
			return fmt.Sprintf("%s:%s and%s", dump.DescribeInstruction(in), dump.DescribeAccess(ca, a[access], mask), dump.DescribeAccess(cb, b[access], mask))
		}
		access++
	}
	return ""
}
