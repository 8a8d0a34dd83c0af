// SPDX-License-Identifier: Apache-2.0

package allocate_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/lowering/allocate"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// function draws a function of a few blocks, whose operations read and write registers of
// one, two and four words, some under a predicate. Every register is written in the first
// block.
func function(draw *rand.Rand) *ir.Function {
	f := &ir.Function{}
	for range 8 + draw.IntN(24) {
		f.NewRegister(trace.FileGeneral, []uint8{1, 1, 1, 2, 2, 4}[draw.IntN(6)])
	}
	guard := f.NewRegister(trace.FilePredicate, 1)
	some := func() ir.Register { return ir.Register(draw.IntN(int(guard))) }
	blocks := 1 + draw.IntN(5)
	for b := range blocks {
		block := &ir.Block{}
		if b == 0 {
			for r := range guard {
				block.Ops = append(block.Ops, ir.Op{Code: ir.IADD3, Dst: []ir.Register{r}})
			}
			block.Ops = append(block.Ops, ir.Op{Code: ir.ISETP, Dst: []ir.Register{guard}, Src: []ir.Operand{ir.RegOperand(some())}})
		}
		for range 4 + draw.IntN(16) {
			op := ir.Op{Code: ir.IADD3, Dst: []ir.Register{some()}, Src: []ir.Operand{ir.RegOperand(some()), ir.RegOperand(some())}}
			switch draw.IntN(8) {
			case 0:
				op.Guard, op.Partial = ir.RegOperand(guard), true
			case 1: // a move, which coalescing may take away
				op.Code, op.Src = ir.MOV, op.Src[:1]
			case 2:
				op.Dst, op.Effect = nil, ir.Stores
			}
			block.Ops = append(block.Ops, op)
		}
		for range draw.IntN(3) {
			block.Successors = append(block.Successors, uint32(draw.IntN(blocks)))
		}
		f.Blocks = append(f.Blocks, block)
	}
	return f
}

// at is a place in a function: in front of an operation of a block.
type at struct{ block, op int }

// live gives, by brute force, the registers that hold something in front of each operation
// that is read on a way from there.
func live(f *ir.Function) map[at]map[ir.Register]bool {
	in := map[at]map[ir.Register]bool{}
	next := func(p at) (list []at) {
		if p.op < len(f.Blocks[p.block].Ops) {
			return []at{{p.block, p.op + 1}}
		}
		for _, s := range f.Blocks[p.block].Successors {
			list = append(list, at{int(s), 0})
		}
		return list
	}
	for again := true; again; {
		again = false
		for b := range f.Blocks {
			for o := len(f.Blocks[b].Ops); o >= 0; o-- {
				p := at{b, o}
				now := map[ir.Register]bool{}
				for _, n := range next(p) {
					for r := range in[n] {
						now[r] = true
					}
				}
				if o < len(f.Blocks[b].Ops) {
					op := &f.Blocks[b].Ops[o]
					if !op.Partial {
						for _, r := range op.Dst {
							delete(now, r)
						}
					}
					op.EachRead(func(r ir.Register) { now[r] = true })
				}
				if len(now) != len(in[p]) {
					in[p], again = now, true
				}
			}
		}
	}
	return in
}

// machineWords gives the machine's registers that a register takes.
func machineWords(f *ir.Function, place []int, r ir.Register) (list []int) {
	for w := range int(f.Registers[r].Words) {
		list = append(list, place[r]+w)
	}
	return list
}

// No two registers that are live at a place, or written while another is live behind, have a
// word in common. Registers of several words lie at a multiple of their number.
func TestRegistersThatAreLiveTogetherHavePlacesOfTheirOwn(t *testing.T) {
	for seed := range uint64(150) {
		f := function(rand.New(rand.NewPCG(seed, 26)))
		placed, ok := allocate.Allocate(f, 1<<12)
		if !ok {
			t.Fatalf("seed %d: there is no room in 4096 registers", seed)
		}
		in := live(f)
		for p, set := range in {
			taken := map[int]ir.Register{}
			take := func(r ir.Register, own bool) {
				if f.Registers[r].File != trace.FileGeneral {
					return
				}
				if words := int(f.Registers[r].Words); placed.Place[r]%words != 0 {
					t.Fatalf("seed %d: register %d of %d words lies at %d", seed, r, words, placed.Place[r])
				}
				for _, w := range machineWords(f, placed.Place, r) {
					if w >= placed.General {
						t.Fatalf("seed %d: register %d lies at %d, of %d", seed, r, w, placed.General)
					}
					if other, there := taken[w]; there && other != r && !own {
						t.Fatalf("seed %d: registers %d and %d are live at %v and share %d", seed, r, other, p, w)
					}
					taken[w] = r
				}
			}
			for r := range set {
				take(r, false)
			}
			// What an operation writes may not meet what is live behind it.
			if p.op > 0 {
				for _, d := range f.Blocks[p.block].Ops[p.op-1].Dst {
					if !set[d] {
						take(d, false)
					}
				}
			}
		}
	}
}

// values executes a function along a way through its blocks, and gives what it stores. Slots
// of spills are memory.
func values(f *ir.Function, way []int, of func(ir.Register) []int) []uint64 {
	registers, local := map[int]uint64{}, map[uint32]uint64{}
	get := func(r ir.Register) (v uint64) {
		for _, w := range of(r) {
			v = v*31 + registers[w]
		}
		return v
	}
	set := func(r ir.Register, v uint64) {
		for n, w := range of(r) {
			registers[w] = v + uint64(n)
		}
	}
	var stored []uint64
	for step, b := range way {
		for i := range f.Blocks[b].Ops {
			op := &f.Blocks[b].Ops[i]
			switch {
			case op.Spill > 0 && len(op.Dst) == 0:
				for n, w := range of(op.Src[0].Register) {
					local[op.Spill+uint32(n)] = registers[w]
				}
				continue
			case op.Spill > 0:
				for n, w := range of(op.Dst[0]) {
					registers[w] = local[op.Spill+uint32(n)]
				}
				continue
			case op.Partial && step%2 == 0:
				continue // the guard is false
			}
			v := uint64(op.Origin) + 7
			for _, s := range op.Src {
				v = v*1000003 + get(s.Register)
			}
			if op.Code == ir.MOV {
				v = get(op.Src[0].Register)
			}
			for _, d := range op.Dst {
				if op.Code == ir.MOV && f.Registers[d].Words == f.Registers[op.Src[0].Register].Words {
					from, to := of(op.Src[0].Register), of(d)
					copied := make([]uint64, len(from))
					for n, w := range from {
						copied[n] = registers[w]
					}
					for n, w := range to {
						registers[w] = copied[n]
					}
					continue
				}
				set(d, v)
			}
			if op.Effect == ir.Stores {
				stored = append(stored, v)
			}
		}
	}
	return stored
}

// With few registers, spills and coalesced moves a function stores what it stores with a
// register for each of its own.
func TestSpillsAndCoalescedMovesChangeNoValue(t *testing.T) {
	spilled, dropped := 0, 0
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 27))
		f := function(draw)
		for b := range f.Blocks {
			for i := range f.Blocks[b].Ops {
				f.Blocks[b].Ops[i].Origin = uint32(100*b + i)
			}
		}
		way := []int{0}
		for len(way) < 12 {
			next := f.Blocks[way[len(way)-1]].Successors
			if len(next) == 0 {
				break
			}
			way = append(way, int(next[draw.IntN(len(next))]))
		}
		apart := func(r ir.Register) (list []int) {
			for w := range int(f.Registers[r].Words) {
				list = append(list, 8*int(r)+w)
			}
			return list
		}
		want, before := values(f, way, apart), operations(f)
		allocate.Coalesce(f)
		dropped += before - operations(f)
		if diff := cmp.Diff(want, values(f, way, apart)); diff != "" {
			t.Fatalf("seed %d: coalesced (-want +got):\n%s", seed, diff)
		}
		budget := 16 + draw.IntN(24)
		placed, ok := allocate.Allocate(f, budget)
		if !ok {
			continue // a single operation needs more
		}
		if placed.General > budget {
			t.Fatalf("seed %d: %d registers of %d", seed, placed.General, budget)
		}
		if placed.SpillBytes > 0 {
			spilled++
		}
		got := values(f, way, func(r ir.Register) []int {
			if f.Registers[r].File == trace.FilePredicate {
				return []int{1 << 20}
			}
			return machineWords(f, placed.Place, r)
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: %d registers (-want +got):\n%s", seed, budget, diff)
		}
	}
	if spilled < 20 || dropped == 0 {
		t.Errorf("%d functions spill, %d moves are gone", spilled, dropped)
	}
}

func operations(f *ir.Function) (n int) {
	for _, b := range f.Blocks {
		n += len(b.Ops)
	}
	return n
}
