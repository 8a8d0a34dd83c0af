package trace

import (
	"bytes"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
)

// Diff describes the first difference of what two traces say happened: kernels,
// host timeline, then launch by launch, thread block by thread block, warp by
// warp, visit by visit, and the CPU threads. It is empty when there is none. Provenance, chunking and
// compression are not compared.
func Diff(a, b *Reader) (string, error) {
	if d, err := diffStatic(a, b); d != "" || err != nil {
		return d, err
	}
	ca, cb := newBlockCursor(a), newBlockCursor(b)
	for {
		moreA, err := ca.step()
		if err != nil {
			return "", err
		}
		moreB, err := cb.step()
		if err != nil {
			return "", err
		}
		if !moreA && !moreB {
			return diffCPU(a, b)
		}
		if !moreA || !moreB {
			return diffEnds(ca, cb, moreA), nil
		}
		if ca.launch() != cb.launch() || ca.block() != cb.block() {
			return fmt.Sprintf("the first has launch %d, thread block %d where the second has launch %d, thread block %d",
				ca.launch(), ca.block(), cb.launch(), cb.block()), nil
		}
		if d := diffBlocks(ca, cb); d != "" {
			return fmt.Sprintf("launch %d (%s), thread block %d, %s", ca.launch(), ca.plan().kernel.Name, ca.block(), d), nil
		}
	}
}

func diffEnds(a, b *blockCursor, moreA bool) string {
	if moreA {
		return fmt.Sprintf("the second ends before launch %d, thread block %d", a.launch(), a.block())
	}
	return fmt.Sprintf("the first ends before launch %d, thread block %d", b.launch(), b.block())
}

// diffStatic compares kernels and timeline.
func diffStatic(a, b *Reader) (string, error) {
	if len(a.kernels) != len(b.kernels) {
		return fmt.Sprintf("%d kernels and %d", len(a.kernels), len(b.kernels)), nil
	}
	for i := range a.kernels {
		if a.kernels[i].Name != b.kernels[i].Name {
			return fmt.Sprintf("kernel %d is %s and %s", i, a.kernels[i].Name, b.kernels[i].Name), nil
		}
		if d, err := diffKernels(&a.kernels[i], &b.kernels[i]); d != "" || err != nil {
			return fmt.Sprintf("kernel %d (%s): %s", i, a.kernels[i].Name, d), err
		}
	}
	if len(a.timeline) != len(b.timeline) {
		return fmt.Sprintf("%d host events and %d", len(a.timeline), len(b.timeline)), nil
	}
	for i := range a.timeline {
		ea, eb := eventToProto(&a.timeline[i], a.launches), eventToProto(&b.timeline[i], b.launches)
		if same, err := sameMessage(ea, eb); err != nil || !same {
			return fmt.Sprintf("host event %d: %s and %s", i, a.describeEvent(i), b.describeEvent(i)), err
		}
	}
	return "", nil
}

// describeEvent is the content of a host event.
func (r *Reader) describeEvent(i int) string {
	e := r.timeline[i]
	if e.Kind == EventLaunch {
		return fmt.Sprintf("launch %+v", r.launches[e.Launch])
	}
	return fmt.Sprintf("%v %+v", e.Kind, e)
}

// diffKernels names the first instruction that differs, if it is one.
func diffKernels(a, b *Kernel) (string, error) {
	ma, mb := kernelToProto(a), kernelToProto(b)
	if same, err := sameMessage(ma, mb); same || err != nil {
		return "", err
	}
	for i := range min(len(ma.Instructions), len(mb.Instructions)) {
		if !proto.Equal(ma.Instructions[i], mb.Instructions[i]) {
			return fmt.Sprintf("instruction %d: %s and %s", i, describeInstruction(&a.Instructions[i]), describeInstruction(&b.Instructions[i])), nil
		}
	}
	if len(ma.Instructions) != len(mb.Instructions) {
		return fmt.Sprintf("%d instructions and %d", len(ma.Instructions), len(mb.Instructions)), nil
	}
	if !slices.EqualFunc(ma.Blocks, mb.Blocks, func(x, y *wtapepb.BasicBlock) bool { return proto.Equal(x, y) }) {
		return "basic blocks differ", nil
	}
	return "registers, memory, parameters, or source differ", nil
}

func sameMessage(a, b proto.Message) (bool, error) {
	o := proto.MarshalOptions{Deterministic: true}
	ra, err := o.Marshal(a)
	if err != nil {
		return false, err
	}
	rb, err := o.Marshal(b)
	return bytes.Equal(ra, rb), err
}

func diffBlocks(a, b *blockCursor) string {
	for warp := range a.chunk.warps {
		if d := diffWarps(a, b, warp); d != "" {
			return fmt.Sprintf("warp %d, %s", warp, d)
		}
	}
	return ""
}

func diffWarps(a, b *blockCursor, warp int) string {
	wa, wb := a.warp(warp), b.warp(warp)
	p := a.plan()
	guard, access := 0, 0
	var la, lb [WarpSize]uint64
	for v := range min(len(wa.Blocks), len(wb.Blocks)) {
		if wa.Blocks[v] != wb.Blocks[v] {
			return fmt.Sprintf("visit %d: basic block %d and %d", v, wa.Blocks[v], wb.Blocks[v])
		}
		if wa.Masks[v] != wb.Masks[v] {
			return fmt.Sprintf("visit %d (basic block %d): lanes %08x and %08x", v, wa.Blocks[v], wa.Masks[v], wb.Masks[v])
		}
		block := &p.blocks[wa.Blocks[v]]
		ga, gb := wa.Guards[guard:guard+int(block.guards)], wb.Guards[guard:guard+int(block.guards)]
		for i := range ga {
			if ga[i] != gb[i] {
				return fmt.Sprintf("visit %d (basic block %d), guard %d: lanes %08x and %08x", v, wa.Blocks[v], i, ga[i], gb[i])
			}
		}
		for i, at := range block.accesses {
			mask := at.mask(wa.Masks[v], ga)
			aa, ab := wa.Accesses[access+i], wb.Accesses[access+i]
			a.chunk.Addresses(aa, mask, &la)
			b.chunk.Addresses(ab, mask, &lb)
			if la != lb {
				in := &p.kernel.Instructions[p.memory[at.memory]]
				return fmt.Sprintf("visit %d (basic block %d), %s:%s and%s", v, wa.Blocks[v], describeInstruction(in),
					describeAccess(a.chunk, aa, mask), describeAccess(b.chunk, ab, mask))
			}
		}
		guard, access = guard+int(block.guards), access+len(block.accesses)
	}
	if len(wa.Blocks) != len(wb.Blocks) {
		return fmt.Sprintf("%d visits and %d", len(wa.Blocks), len(wb.Blocks))
	}
	return ""
}
