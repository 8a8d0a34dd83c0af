// SPDX-License-Identifier: Apache-2.0

// Package allocate gives virtual registers a place: one of the machine's registers, or
// local memory where there are too few.
package allocate

import (
	"math/bits"

	"github.com/warptape/warptape/timing/lowering/ir"
)

// set is a set of registers.
type set []uint64

func (s set) has(r ir.Register) bool { return s[r/64]>>(r%64)&1 != 0 }
func (s set) add(r ir.Register)      { s[r/64] |= 1 << (r % 64) }

// Liveness says which registers are live behind each block.
type Liveness struct {
	in, out []set // by block; nil for blocks that are part of another
}

// NewLiveness finds it (an iterative data-flow analysis, backwards).
func NewLiveness(f *ir.Function) *Liveness {
	n := len(f.Blocks)
	l := &Liveness{in: make([]set, n), out: make([]set, n)}
	size := (len(f.Registers) + 63) / 64
	kills := make([]set, n)
	before := make([][]int, n)
	work := make([]int, 0, n)
	queued := make([]bool, n)
	sets := ir.Lists[uint64]{}
	for b, block := range f.Blocks {
		if block == nil {
			continue
		}
		l.in[b], l.out[b], kills[b] = sets.Make(size)[:size], sets.Make(size)[:size], sets.Make(size)[:size]
		exposed(block, l.in[b], kills[b])
		for _, s := range block.Successors {
			if int(s) < n {
				before[s] = append(before[s], b)
			}
		}
		work = append(work, b)
		queued[b] = true
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		queued[b] = false
		changed := false
		for _, s := range f.Blocks[b].Successors {
			if int(s) >= n || l.in[s] == nil {
				continue
			}
			for w, bits := range l.in[s] {
				if more := bits &^ l.out[b][w]; more != 0 {
					l.out[b][w] |= more
					if in := more &^ kills[b][w] &^ l.in[b][w]; in != 0 {
						l.in[b][w] |= in
						changed = true
					}
				}
			}
		}
		if changed {
			for _, p := range before[b] {
				if !queued[p] {
					queued[p] = true
					work = append(work, p)
				}
			}
		}
	}
	return l
}

// exposed finds the registers that a block reads before it writes them, and those that it
// writes for all lanes.
func exposed(block *ir.Block, in, kills set) {
	var list []ir.Register
	for i := range block.Ops {
		op := &block.Ops[i]
		if list = op.AppendReads(list[:0]); op.Partial {
			list = append(list, op.Dst...)
		}
		for _, r := range list {
			if !kills.has(r) {
				in.add(r)
			}
		}
		if !op.Partial {
			for _, r := range op.Dst {
				kills.add(r)
			}
		}
	}
}

// Out lists the registers that are live behind a block, appended to dst.
func (l *Liveness) Out(block int, dst []ir.Register) []ir.Register {
	for w, word := range l.out[block] {
		for ; word != 0; word &= word - 1 {
			dst = append(dst, ir.Register(64*w+bits.TrailingZeros64(word)))
		}
	}
	return dst
}
