// SPDX-License-Identifier: Apache-2.0

// Package join makes one access, of 64 or 128 bits, of neighbouring accesses to shared
// memory. Compilers do so where they know that the address is aligned to that size. Accesses
// of 8 and 16 bytes are one instruction if their address is a multiple of their size (CUDA
// C++ programming guide, "Device Memory Accesses").
package join

import (
	"slices"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// window is among how many operations of a block neighbours are looked for. It is an
// assumption: it holds the loads of a dozen unrolled rounds.
const window = 64

// widest is the most bytes of an access.
const widest = 16

// Join joins accesses of a function; it gives how many are gone.
func Join(f *ir.Function) int {
	gone := 0
	j := joiner{f: f, written: make([]int32, len(f.Registers)), read: make([]int32, len(f.Registers))}
	for _, b := range f.Blocks {
		if b == nil {
			continue
		}
		j.begin(b.Ops)
		for n := range j.accesses {
			j.from(n, 1)
		}
		for n := len(j.accesses) - 1; n >= 0; n-- {
			j.from(n, -1)
		}
		if j.gone > 0 {
			b.Ops = slices.DeleteFunc(b.Ops, func(op ir.Op) bool { return op.Code == nil })
			gone += j.gone
		}
	}
	return gone
}

// joiner joins accesses of a block. Those that are gone have no code.
type joiner struct {
	f    *ir.Function
	ops  []ir.Op
	gone int
	// accesses are those that could be joined, in their order.
	accesses []int
	// written and read are, by register, the search in which an operation was passed that
	// writes or reads it; memory is what was passed that may access shared memory.
	written, read []int32
	search        int32
	memory        []int
	reads         []ir.Register
}

// begin begins with a block.
func (j *joiner) begin(ops []ir.Op) {
	j.ops, j.gone, j.accesses = ops, 0, j.accesses[:0]
	for i := range ops {
		if j.joinable(&ops[i]) {
			j.accesses = append(j.accesses, i)
		}
	}
}

// from joins what lies ahead of an access with it. Loads go up, from ahead of it in the
// block's order (step 1). Stores go down, from ahead of it against that order (step -1).
func (j *joiner) from(n, step int) {
	i := j.accesses[n]
	first := &j.ops[i]
	wanted := ir.Loads
	if step < 0 {
		wanted = ir.Stores
	}
	if first.Effect != wanted || !j.joinable(first) {
		return
	}
	last := j.last(n, step)
	if last == i || j.changes(first, first) { // a load of its own base: behind it lies another address
		return
	}
	near := j.near(i, last, step)
	for _, bytes := range []int64{widest, widest / 2} {
		if chunk := j.chunk(first, near, bytes); chunk != nil {
			j.join(i, chunk, bytes)
			return
		}
	}
}

// last is the place of the farthest access in the window that could be one with that of a
// number, or its own.
func (j *joiner) last(n, step int) int {
	i := j.accesses[n]
	first, last := &j.ops[i], i
	for n += step; n >= 0 && n < len(j.accesses); n += step {
		at := j.accesses[n]
		if (at-i)*step > window {
			break
		}
		if j.wanted(&j.ops[at], first) {
			last = at
		}
	}
	return last
}

// wanted reports whether an access could be one with another, as far as both alone say. Then
// it lies within the widest access.
func (j *joiner) wanted(op, first *ir.Op) bool {
	apart := op.Offset - first.Offset
	return op.Effect == first.Effect && apart > -widest && apart < widest && j.joinable(op) && alike(first, op)
}

// joinable reports whether an operation is a plain access of whole registers.
func (j *joiner) joinable(op *ir.Op) bool {
	if op.Code == nil || !op.Memory || op.Spill > 0 || op.Space != trace.SpaceShared || op.Keep == nil || op.Keep.Opcode != "ld" && op.Keep.Opcode != "st" {
		return false
	}
	if op.Base.Kind != ir.Reg && 1<<op.Aligned < int(op.Bytes) { // a variable whose place is not known
		return false
	}
	if len(op.Accesses) != 1 || len(op.Covers) != 1 || op.Bytes != 4 && op.Bytes != 8 || slices.Contains(op.Keep.Modifiers, "volatile") {
		return false
	}
	if op.Effect == ir.Loads {
		return len(op.Dst) == 1 && int(op.Bytes) == 4*int(j.f.Registers[op.Dst[0]].Words)
	}
	return len(op.Src) == 1 && op.Src[0].Kind == ir.Reg && op.Src[0].Part == ir.Whole && int(op.Bytes) == 4*int(j.f.Registers[op.Src[0].Register].Words)
}

// alike reports whether two accesses may be one: they have the same size, base and lanes.
func alike(a, b *ir.Op) bool {
	return a.Bytes == b.Bytes && a.Base == b.Base && a.Part == b.Part && a.Guard == b.Guard && (a.Mask > 0) == (b.Mask > 0) && a.Partial == b.Partial && a.Unmasked == b.Unmasked
}

// near lists the accesses up to the last that can come to operation i, itself the first.
func (j *joiner) near(i, last, step int) []int {
	first := &j.ops[i]
	list := []int{i}
	j.search++
	j.memory = j.memory[:0]
	for at := i + step; ; at += step {
		op := &j.ops[at]
		if op.Code != nil {
			if j.wanted(op, first) && j.passes(op) {
				list = append(list, at)
			}
			if op.Effect == ir.Ordered || op.Effect == ir.Ends || j.changes(op, first) {
				break
			}
			j.pass(op, at)
		}
		if at == last {
			break
		}
	}
	return list
}

// pass notes an operation that lies between those that may be joined.
func (j *joiner) pass(op *ir.Op, at int) {
	for _, r := range op.Dst {
		j.written[r] = j.search
	}
	j.reads = op.AppendReads(j.reads[:0])
	for _, r := range j.reads {
		j.read[r] = j.search
	}
	if op.Effect == ir.Loads || op.Effect == ir.Stores {
		j.memory = append(j.memory, at)
	}
}

// changes reports whether an operation writes the base or the guard of an access.
func (j *joiner) changes(op, access *ir.Op) bool {
	for _, r := range op.Dst {
		if access.Base.Kind == ir.Reg && access.Base.Register == r || access.Guard.Kind == ir.Reg && access.Guard.Register == r {
			return true
		}
	}
	return false
}

// passes reports whether an access can pass the operations between: none of them needs or
// changes its registers, nor may access the same memory so that the order matters.
func (j *joiner) passes(op *ir.Op) bool {
	for _, r := range op.Dst {
		if j.written[r] == j.search || j.read[r] == j.search {
			return false
		}
	}
	j.reads = op.AppendReads(j.reads[:0])
	for _, r := range j.reads {
		if j.written[r] == j.search {
			return false
		}
	}
	for _, at := range j.memory {
		if m := &j.ops[at]; (m.Effect == ir.Stores || op.Effect == ir.Stores) && !apart(m, op) {
			return false
		}
	}
	return true
}

// apart reports whether two accesses are sure not to meet. Base registers have not been
// written in between.
func apart(a, b *ir.Op) bool {
	if a.Space != b.Space {
		return a.Space == trace.SpaceGlobal || a.Space == trace.SpaceLocal
	}
	return a.Base == b.Base && a.Base.Kind == ir.Reg && (a.Offset+int64(a.Bytes) <= b.Offset || b.Offset+int64(b.Bytes) <= a.Offset)
}

// chunk finds accesses that lie one behind the other and are so many bytes together, at an
// address that is a multiple of that; the first one is among them. They come by ascending
// address; nil: there are none.
func (j *joiner) chunk(first *ir.Op, near []int, bytes int64) []int {
	if int64(first.Bytes) >= bytes {
		return nil
	}
	for _, lowest := range near {
		low := &j.ops[lowest]
		if int64(1)<<low.Aligned < bytes || low.Offset > first.Offset || low.Offset+bytes <= first.Offset {
			continue
		}
		chunk := []int{}
		for offset := low.Offset; offset < low.Offset+bytes; offset += int64(low.Bytes) {
			// Of several accesses of a place the one that lies nearest.
			at := slices.IndexFunc(near, func(n int) bool { return j.ops[n].Offset == offset })
			if at < 0 {
				break
			}
			chunk = append(chunk, near[at])
		}
		if int64(len(chunk))*int64(low.Bytes) == bytes && slices.Contains(chunk, near[0]) && j.distinct(chunk) {
			return chunk
		}
	}
	return nil
}

// distinct reports whether no register is written twice.
func (j *joiner) distinct(chunk []int) bool {
	written := map[ir.Register]bool{}
	for _, at := range chunk {
		for _, r := range j.ops[at].Dst {
			if written[r] {
				return false
			}
			written[r] = true
		}
	}
	return true
}

// join puts one access in the place of operation i, which is among those of the chunk.
func (j *joiner) join(i int, chunk []int, bytes int64) {
	low := &j.ops[chunk[0]]
	op := j.ops[i]
	op.Base, op.Offset, op.Aligned, op.Bytes = low.Base, low.Offset, low.Aligned, uint8(bytes)
	op.Dst, op.Src, op.Covers, op.Reads, op.Accesses = nil, nil, nil, nil, nil
	kept := *op.Keep
	kept.Modifiers = append(slices.Clone(kept.Modifiers), map[int]string{2: "v2", 4: "v4"}[len(chunk)])
	op.Keep = &kept
	for _, at := range chunk {
		x := &j.ops[at]
		op.Dst, op.Src = append(op.Dst, x.Dst...), append(op.Src, x.Src...)
		op.Covers, op.Reads, op.Accesses = append(op.Covers, x.Covers...), append(op.Reads, x.Reads...), append(op.Accesses, x.Accesses...)
		x.Code = nil
	}
	j.ops[i] = op
	j.gone += len(chunk) - 1
}
