// SPDX-License-Identifier: Apache-2.0

package allocate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/lowering/allocate"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// Registers are live behind a block, and at each position, where brute force says so. A span ends
// where the next one begins no earlier than one position behind it.
func TestSpansAreWhereRegistersAreLive(t *testing.T) {
	for seed := range uint64(60) {
		f := function(rand.New(rand.NewPCG(seed, 28)), false)
		in, l := live(f), allocate.NewLiveness(f)
		taken := make([][]bool, len(f.Registers)) // by register and position
		for r := range taken {
			taken[r] = make([]bool, 2*operations(f))
		}
		base := 0
		for b, block := range f.Blocks {
			var behind []ir.Register
			for r := range in[at{b, len(block.Ops)}] {
				behind = append(behind, r)
			}
			slices.Sort(behind)
			if diff := cmp.Diff(behind, l.Out(b, nil)); diff != "" {
				t.Fatalf("seed %d: behind block %d (-want +got):\n%s", seed, b, diff)
			}
			for o := range block.Ops {
				for r := range in[at{b, o}] {
					taken[r][base] = true
				}
				for r := range in[at{b, o + 1}] {
					taken[r][base+1] = true
				}
				for _, r := range block.Ops[o].Dst { // also where it is not read
					taken[r][base+1] = true
				}
				base += 2
			}
		}
		for r, got := range allocate.Spans(f) {
			var want [][2]int
			for p, is := range taken[r] {
				switch n := len(want); {
				case is && n > 0 && want[n-1][1] == p:
					want[n-1][1]++
				case is:
					want = append(want, [2]int{p, p + 1})
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: register %d (-want +got):\n%s", seed, r, diff)
			}
		}
	}
}

// A successor that is no block of the function, or part of another, has nothing live, and the others
// have what they read.
func TestSuccessorsThatAreNoBlocksReadNothing(t *testing.T) {
	f := &ir.Function{}
	r := f.NewRegister(trace.FileGeneral, 1)
	f.Blocks = []*ir.Block{{Successors: []uint32{3, 9, 1, 2}}, nil, {Ops: []ir.Op{{Code: ir.STL, Src: []ir.Operand{ir.RegOperand(r)}, Effect: ir.Stores}}}}
	if diff := cmp.Diff([]ir.Register{r}, allocate.NewLiveness(f).Out(0, nil)); diff != "" {
		t.Errorf("behind the block (-want +got):\n%s", diff)
	}
}

// In a block that writes each register once, as many are taken as are live at a time: spans are
// an interval graph, whose chromatic number is its largest clique.
func TestIntervalsTakeAsManyRegistersAsTheirLargestClique(t *testing.T) {
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 29))
		f, b := &ir.Function{}, &ir.Block{}
		for n := range 60 {
			file := []trace.RegisterFile{trace.FileGeneral, trace.FilePredicate}[draw.IntN(5)/4]
			op := ir.Op{Code: []*ir.Code{ir.IADD3, ir.MOV}[draw.IntN(2)], Dst: []ir.Register{f.NewRegister(file, 1)}}
			if n > 0 {
				op.Src = []ir.Operand{ir.RegOperand(ir.Register(draw.IntN(n)))}
			}
			b.Ops = append(b.Ops, op)
		}
		f.Blocks = []*ir.Block{b}
		var most [2]int
		in := live(f)
		for o := range b.Ops {
			var here [2]int
			behind := in[at{0, o + 1}]
			for r := range behind {
				here[f.Registers[r].File]++
			}
			if d := b.Ops[o].Dst[0]; !behind[d] {
				here[f.Registers[d].File]++
			}
			most = [2]int{max(most[0], here[0]), max(most[1], here[1])}
		}
		placed, ok := allocate.Allocate(f, nil, 100, 100)
		if got := [2]int{placed.General, placed.Predicates}; !ok || got != most || placed.SpillBytes != 0 {
			t.Errorf("seed %d: %v, %v registers and predicates and %d bytes, want %v and none", seed, ok, got, placed.SpillBytes, most)
		}
		if placed, ok := allocate.Allocate(f, nil, most[0], most[1]); !ok || placed.SpillBytes != 0 {
			t.Errorf("seed %d: with as many as are live %v, %d bytes are spilled", seed, ok, placed.SpillBytes)
		}
	}
}

// made makes count values of some words, stores each at once, and then all of them in order.
func made(count int, words uint8, make func(n int) ir.Op) (*ir.Function, *ir.Block) {
	f, b := &ir.Function{}, &ir.Block{}
	for n := range count {
		op := make(n)
		op.Dst = []ir.Register{f.NewRegister(trace.FileGeneral, words)}
		b.Ops = append(b.Ops, op, stored(n))
	}
	for n := range count {
		b.Ops = append(b.Ops, stored(n))
	}
	f.Blocks = []*ir.Block{b}
	return f, b
}

func stored(n int) ir.Op {
	return ir.Op{Code: ir.STL, Src: []ir.Operand{ir.RegOperand(ir.Register(n))}, Effect: ir.Stores}
}

// spills counts the stores and loads of spilled registers.
func spills(b *ir.Block) (stores, loads int) {
	for i := range b.Ops {
		switch op := &b.Ops[i]; {
		case op.Spill == 0:
		case len(op.Dst) > 0:
			loads++
		default:
			stores++
		}
	}
	return stores, loads
}

// Of values that are all live at a time, as many are spilled as do not fit, those whose next use is
// farthest; the last one is read at once. Each is stored once and loaded once, into memory of its own.
// It is read from its register before it goes. What is live behind stays.
func TestAsManyAreSpilledAsDoNotFit(t *testing.T) {
	for _, c := range []struct {
		words         uint8
		count, budget int
	}{{1, 20, 20}, {1, 20, 19}, {1, 20, 12}, {2, 20, 40}, {2, 20, 38}, {2, 20, 20}, {4, 9, 36}, {4, 9, 24}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			f, b := made(c.count, c.words, func(int) ir.Op { return ir.Op{Code: ir.S2R} })
			fits := c.budget / int(c.words)
			more := c.count - fits
			for n := range 2 * fits { // as many as fit, and then as many again
				op := ir.Op{Code: ir.S2R, Dst: []ir.Register{f.NewRegister(trace.FileGeneral, c.words)}}
				b.Ops = append(b.Ops, op)
				for k := range fits {
					if n%fits == fits-1 {
						b.Ops = append(b.Ops, stored(c.count+n/fits*fits+k))
					}
				}
			}
			placed, ok := allocate.Allocate(f, nil, c.budget, 7)
			stores, loads := spills(b)
			if !ok || stores != more || loads != more || placed.General > c.budget {
				t.Errorf("%v: %d registers, %d stores, %d loads; %d values have to be spilled", ok, placed.General, stores, loads, more)
			}
			if bytes := stores * 4 * int(c.words); placed.SpillBytes < bytes || placed.SpillBytes > bytes+12 { // each round begins at a multiple of 16
				t.Errorf("%d values take %d bytes", stores, placed.SpillBytes)
			}
			for i := range b.Ops {
				if op := &b.Ops[i]; op.Spill > 0 && op.Bytes != 4*c.words {
					t.Errorf("%s has %d bytes of a value of %d words", op.Code.Name, op.Bytes, c.words)
				}
				if op := &b.Ops[i]; op.Spill > 0 && len(op.Src) > 0 && (int(op.Src[0].Register) < c.count-1-more || int(op.Src[0].Register) >= c.count) {
					t.Errorf("value %d of %d is spilled, of %d that have to be", op.Src[0].Register, c.count, more)
				}
			}
		})
	}
}

// Reads in a block behind others count, whatever lies between: those that come last go.
func TestReadsInOtherBlocksSayWhichAreFarthest(t *testing.T) {
	f, b := made(20, 1, func(int) ir.Op { return ir.Op{Code: ir.S2R} })
	reader := &ir.Block{Ops: slices.Clone(b.Ops[40:])}
	b.Ops, b.Successors = b.Ops[:40:40], []uint32{2}
	f.Blocks = []*ir.Block{b, nil, reader}
	if _, ok := allocate.Allocate(f, nil, 12, 7); !ok {
		t.Fatal("it does not fit")
	}
	for i := range b.Ops {
		if op := &b.Ops[i]; op.Spill > 0 && op.Src[0].Register < 11 {
			t.Errorf("value %d of 20 is spilled, which is read before the ones behind it", op.Src[0].Register)
		}
	}
}

// What is a constant is made again where it is read, and takes no memory. It belongs to the part of
// the block that reads it, whatever part made it.
func TestConstantsAreMadeAgainWhereTheyAreRead(t *testing.T) {
	f, b := made(20, 1, func(n int) ir.Op {
		return ir.Op{Code: ir.MOV, Src: []ir.Operand{{Kind: ir.Immediate, Value: int64(n)}}, Part: 1, Mask: 1, Unmasked: true, Covers: []uint32{uint32(n)}}
	})
	b.Parts = []ir.Part16{{}, {Block: 1, Optional: true}}
	reader := &ir.Block{Parts: []ir.Part16{{Block: 2}}, Ops: slices.Clone(b.Ops[40:])}
	b.Ops = slices.DeleteFunc(b.Ops[:40:40], func(op ir.Op) bool { return op.Code == ir.STL })
	b.Successors = []uint32{2}
	f.Blocks = []*ir.Block{b, nil, reader}
	placed, ok := allocate.Allocate(f, nil, 8, 7)
	if !ok || placed.SpillBytes != 0 || placed.General > 8 {
		t.Fatalf("%v: %d registers, %d bytes", ok, placed.General, placed.SpillBytes)
	}
	again := 0
	for i := range reader.Ops {
		op := &reader.Ops[i]
		if op.Code != ir.MOV {
			continue
		}
		again++
		if op.Part != 0 || op.Mask != 0 || op.Guard.Kind != ir.None || !op.Unmasked || len(op.Covers) != 0 {
			t.Errorf("%+v is made again of another part, for some lanes, or as the work of an instruction", *op)
		}
	}
	if again < 12 || len(b.Ops) != 20-again {
		t.Errorf("%d constants are made again, of 20 in 8 registers, and %d where they were", again, len(b.Ops))
	}
}

// Moves go where both registers are never needed at a time, and where they do nothing but move.
func TestMovesGoWhereOneRegisterIsEnough(t *testing.T) {
	f := &ir.Function{}
	general := func() ir.Register { return f.NewRegister(trace.FileGeneral, 1) }
	a, b, c := general(), general(), general()
	wide, wider := f.NewRegister(trace.FileGeneral, 2), f.NewRegister(trace.FileGeneral, 2)
	p, q := f.NewRegister(trace.FilePredicate, 1), f.NewRegister(trace.FilePredicate, 1)
	operation := func(code *ir.Code, dst ir.Register, src ...ir.Operand) ir.Op {
		return ir.Op{Code: code, Dst: []ir.Register{dst}, Src: src}
	}
	reg := ir.RegOperand
	store := func(r ir.Register) ir.Op {
		return ir.Op{Code: ir.STL, Src: []ir.Operand{reg(r)}, Effect: ir.Stores}
	}
	low, not, guarded := reg(wide), reg(p), operation(ir.MOV, b, reg(a))
	low.Part, not.Negated, guarded.Guard, guarded.Partial = ir.Low, true, reg(p), true
	for _, x := range []struct {
		why  string
		ops  []ir.Op
		gone int
	}{
		{"a move", []ir.Op{operation(ir.S2R, a), operation(ir.MOV, b, reg(a)), store(b)}, 1},
		{"a chain of moves", []ir.Op{operation(ir.S2R, a), operation(ir.MOV, b, reg(a)), operation(ir.MOV, c, reg(b)), store(c)}, 2},
		{"two moves of one", []ir.Op{operation(ir.S2R, a), operation(ir.MOV, b, reg(a)), store(b), operation(ir.S2R, a), operation(ir.MOV, b, reg(a)), store(b)}, 2},
		{"a source that is read later", []ir.Op{operation(ir.S2R, a), operation(ir.MOV, b, reg(a)), store(b), store(a)}, 0},
		{"a source that is written while the copy is live", []ir.Op{operation(ir.S2R, a), operation(ir.MOV, b, reg(a)), operation(ir.S2R, a), store(b), store(a)}, 0},
		{"a source that is made of the copy", []ir.Op{operation(ir.S2R, a), operation(ir.MOV, b, reg(a)), operation(ir.IADD3, a, reg(b)), store(a)}, 1},
		{"a copy of what is one already, and a chain", []ir.Op{
			operation(ir.S2R, a), operation(ir.MOV, b, reg(a)), store(b), operation(ir.S2R, a), operation(ir.MOV, b, reg(a)), operation(ir.MOV, c, reg(b)), store(c),
		}, 3},
		{"a copy to itself", []ir.Op{operation(ir.S2R, a), operation(ir.MOV, a, reg(a)), store(a)}, 1},
		{"two words", []ir.Op{operation(ir.S2R, wide), operation(ir.MOV64, wider, reg(wide)), store(wider)}, 1},
		{"a word of two", []ir.Op{operation(ir.S2R, wide), operation(ir.MOV, b, low), store(b)}, 0},
		{"a word for two", []ir.Op{operation(ir.S2R, a), operation(ir.MOV64, wide, reg(a)), store(wide)}, 0},
		{"a predicate", []ir.Op{operation(ir.ISETP, p), operation(ir.PLOP3, q, reg(p)), store(q)}, 1},
		{"a predicate's opposite", []ir.Op{operation(ir.ISETP, p), operation(ir.PLOP3, q, not), store(q)}, 0},
		{"two predicates", []ir.Op{operation(ir.ISETP, p), operation(ir.PLOP3, q, reg(p), reg(p)), store(q)}, 0},
		{"of some lanes", []ir.Op{operation(ir.ISETP, p), operation(ir.S2R, a), operation(ir.S2R, b), guarded, store(b)}, 0},
		{"a sum", []ir.Op{operation(ir.S2R, a), operation(ir.IADD3, b, reg(a)), store(b)}, 0},
		{"a constant", []ir.Op{operation(ir.MOV, b, ir.Operand{Kind: ir.Immediate}), store(b)}, 0},
		{"of another file", []ir.Op{operation(ir.S2R, a), operation(ir.MOV, q, reg(a)), store(q)}, 0},
	} {
		f.Blocks = []*ir.Block{nil, {Ops: slices.Clone(x.ops)}}
		for i := range f.Blocks[1].Ops { // coalescing changes these in their places
			f.Blocks[1].Ops[i].Dst, f.Blocks[1].Ops[i].Src = slices.Clone(x.ops[i].Dst), slices.Clone(x.ops[i].Src)
		}
		allocate.Coalesce(f, nil)
		if got := len(x.ops) - len(f.Blocks[1].Ops); got != x.gone {
			t.Errorf("%s: %d moves are gone, want %d", x.why, got, x.gone)
		}
	}
}

// A result that is not read takes its register at the operation that writes it, whether it is spilled or
// not: what goes is another.
func TestResultsThatAreNotReadAreNotSpilled(t *testing.T) {
	for _, file := range []trace.RegisterFile{trace.FileGeneral, trace.FilePredicate} {
		f, b := &ir.Function{}, &ir.Block{}
		for range 6 {
			b.Ops = append(b.Ops, ir.Op{Code: ir.ISETP, Dst: []ir.Register{f.NewRegister(file, 1)}})
		}
		unread, read := f.NewRegister(file, 1), f.NewRegister(file, 1)
		b.Ops = append(b.Ops, ir.Op{Code: ir.ISETP, Dst: []ir.Register{unread, read}})
		for n := range 6 {
			b.Ops = append(b.Ops, stored(n))
		}
		b.Ops = append(b.Ops, stored(int(read)))
		f.Blocks = []*ir.Block{b}
		if placed, ok := allocate.Allocate(f, nil, 7, 7); !ok || placed.General > 7 || placed.Predicates > 7 {
			t.Errorf("file %d: %v, %d registers, %d predicates", file, ok, placed.General, placed.Predicates)
		}
	}
}

// A copy has the place of what it copies where that is free, whatever other blocks there are.
func TestCopiesHaveThePlaceOfWhatTheyCopy(t *testing.T) {
	f := &ir.Function{}
	a, b, c := f.NewRegister(trace.FileGeneral, 1), f.NewRegister(trace.FileGeneral, 1), f.NewRegister(trace.FileGeneral, 1)
	last := &ir.Block{Ops: []ir.Op{{Code: ir.S2R, Dst: []ir.Register{c}}, {Code: ir.S2R, Dst: []ir.Register{a}}, stored(int(c)), {Code: ir.MOV, Dst: []ir.Register{b}, Src: []ir.Operand{ir.RegOperand(a)}}, stored(int(b))}}
	f.Blocks = []*ir.Block{{}, nil, last}
	if placed, ok := allocate.Allocate(f, nil, 64, 7); !ok || placed.Place[a] != 1 || placed.Place[b] != 1 || placed.Place[c] != 0 {
		t.Errorf("%v: places %v", ok, placed.Place)
	}
}

// A comparison is made again where it is read if that takes no register, and computes what it did.
// Otherwise its predicate is packed.
func TestComparisonsAreMadeAgainWhereNothingChanges(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(f *ir.Function, first, second *ir.Block, compare *ir.Op, sum *ir.Op)
		packed bool
		sums   bool // whether the sum that it compares is made again, too
	}{
		{"with a sum", func(*ir.Function, *ir.Block, *ir.Block, *ir.Op, *ir.Op) {}, false, true},
		{"with a shift", func(_ *ir.Function, _, _ *ir.Block, _, sum *ir.Op) { sum.Code = ir.LEA }, false, true},
		{"with logic", func(_ *ir.Function, _, _ *ir.Block, _, sum *ir.Op) { sum.Code = ir.LOP3 }, false, true},
		{"with a product", func(_ *ir.Function, _, _ *ir.Block, _, sum *ir.Op) { sum.Code = ir.IMAD }, false, false},
		{"with a sum of what changes", func(_ *ir.Function, first, _ *ir.Block, _, _ *ir.Op) { first.Ops = append(first.Ops, first.Ops[0]) }, false, false},
		{"read in a loop", func(_ *ir.Function, _, second *ir.Block, _, _ *ir.Op) { second.Successors = []uint32{1} }, false, false},
		{"of floating point", func(_ *ir.Function, _, _ *ir.Block, compare, _ *ir.Op) { compare.Code = ir.FSETP }, false, true},
		{"of double precision", func(_ *ir.Function, _, _ *ir.Block, compare, _ *ir.Op) { compare.Code = ir.DSETP }, true, false},
		{"that takes a predicate in", func(_ *ir.Function, _, _ *ir.Block, compare, _ *ir.Op) { compare.Combine = ir.And }, true, false},
		{"of some lanes", func(_ *ir.Function, _, _ *ir.Block, compare, _ *ir.Op) {
			compare.Guard, compare.Partial = ir.RegOperand(compare.Dst[0]), true
		}, true, false},
		{"in an optional part", func(_ *ir.Function, first, _ *ir.Block, compare, _ *ir.Op) {
			first.Parts, compare.Part = []ir.Part16{{}, {Optional: true}}, 1
		}, true, false},
		{"in an optional part, of all lanes", func(_ *ir.Function, first, _ *ir.Block, compare, _ *ir.Op) {
			first.Parts, compare.Part, compare.Unmasked = []ir.Part16{{}, {Optional: true}}, 1, true
		}, false, true},
		{"in a loop", func(_ *ir.Function, first, _ *ir.Block, _, _ *ir.Op) { first.Successors = []uint32{0, 1} }, true, false},
		{"with a number in front", func(_ *ir.Function, _, _ *ir.Block, compare, _ *ir.Op) {
			compare.Src = []ir.Operand{{Kind: ir.Immediate, Value: 3}, compare.Src[0]}
		}, false, true},
		{"in a kernel without functions", func(f *ir.Function, _, _ *ir.Block, _, _ *ir.Op) { f.Kernel = &trace.Kernel{} }, false, true},
		{"in a kernel that calls functions", func(f *ir.Function, _, _ *ir.Block, _, _ *ir.Op) {
			f.Kernel = &trace.Kernel{Functions: make([]trace.Function, 1)}
		}, true, false},
		{"read in a loop, of two registers", func(_ *ir.Function, _, second *ir.Block, compare, sum *ir.Op) {
			second.Successors = []uint32{1}
			compare.Src = append(compare.Src, sum.Src[0])
		}, true, false},
		{"read in a loop, of two registers that are no sums", func(_ *ir.Function, _, second *ir.Block, compare, sum *ir.Op) {
			second.Successors, sum.Code = []uint32{1}, ir.IMAD
			compare.Src = append(compare.Src, sum.Src[0])
		}, false, false},
		{"with a sum that changes", func(_ *ir.Function, first, _ *ir.Block, _, sum *ir.Op) { first.Ops = append(first.Ops, *sum) }, true, false},
	} {
		f := &ir.Function{}
		first, second := &ir.Block{Parts: make([]ir.Part16, 1), Successors: []uint32{1}}, &ir.Block{Parts: make([]ir.Part16, 1)}
		f.NewRegister(trace.FileGeneral, 1) // nothing needs it
		base := f.NewRegister(trace.FileGeneral, 1)
		first.Ops = append(first.Ops, ir.Op{Code: ir.S2R, Dst: []ir.Register{base}, Src: []ir.Operand{{Kind: ir.Special, Symbol: "tid.x"}}})
		for range 9 {
			sum, p := f.NewRegister(trace.FileGeneral, 1), f.NewRegister(trace.FilePredicate, 1)
			first.Ops = append(first.Ops,
				ir.Op{Code: ir.IADD3, Dst: []ir.Register{sum}, Src: []ir.Operand{ir.RegOperand(base)}},
				ir.Op{Code: ir.ISETP, Dst: []ir.Register{p}, Src: []ir.Operand{ir.RegOperand(sum)}, Reads: []ir.Read{{Variable: sum, Operand: ir.RegOperand(sum)}}})
			second.Ops = append(second.Ops, ir.Op{Code: ir.STL, Src: []ir.Operand{ir.RegOperand(base)}, Guard: ir.RegOperand(p), Effect: ir.Stores})
		}
		for n := range 9 {
			c.change(f, first, second, &first.Ops[2+2*n], &first.Ops[1+2*n])
		}
		f.Blocks = []*ir.Block{first, second}
		placed, ok := allocate.Allocate(f, nil, 64, 7)
		sums := slices.ContainsFunc(second.Ops, func(op ir.Op) bool { return op.Code == first.Ops[1].Code })
		if !ok || placed.Predicates > 7 || packs(f) != c.packed || sums != c.sums {
			t.Errorf("%s: %v, %d predicates, packed %v, sums made again %v; want %v and %v", c.why, ok, placed.Predicates, packs(f), sums, c.packed, c.sums)
		}
		for i := range first.Ops {
			if op := &first.Ops[i]; len(op.Reads) > 0 && op.Reads[0].Operand.Register != op.Reads[0].Variable {
				t.Errorf("%s: the comparison reads register %d where it was made, not %d", c.why, op.Reads[0].Operand.Register, op.Reads[0].Variable)
			}
		}
		made := map[ir.Register]bool{}
		for i := range second.Ops {
			op := &second.Ops[i]
			op.EachRead(func(r ir.Register) {
				if sums && op.Code == ir.ISETP && !made[r] || r == 0 {
					t.Errorf("%s: %s reads register %d, which is not made again", c.why, op.Code.Name, r)
				}
			})
			for _, r := range op.Dst {
				made[r] = true
			}
		}
	}
}

// An operation reads two registers of one word and writes one. Whatever the order, four registers are enough, and nothing is spilled that
// is not needed: a function that fits has no spill.
func TestOperationsOfTwoSourcesFitFourRegisters(t *testing.T) {
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 31))
		f, b := &ir.Function{}, &ir.Block{}
		var all []ir.Register
		for range 3 {
			all = append(all, f.NewRegister(trace.FileGeneral, 1))
			b.Ops = append(b.Ops, ir.Op{Code: ir.S2R, Dst: all[len(all)-1:]})
		}
		for range 5 + draw.IntN(20) {
			x, y := all[draw.IntN(len(all))], all[draw.IntN(len(all))]
			all = append(all, f.NewRegister(trace.FileGeneral, 1))
			b.Ops = append(b.Ops, ir.Op{Code: ir.IADD3, Dst: all[len(all)-1:], Src: []ir.Operand{ir.RegOperand(x), ir.RegOperand(y)}})
		}
		b.Ops = append(b.Ops, stored(int(all[len(all)-1])))
		for i := range b.Ops {
			b.Ops[i].Dst = slices.Clone(b.Ops[i].Dst)
		}
		f.Blocks = []*ir.Block{b}
		if placed, ok := allocate.Allocate(f, nil, 4, 7); !ok || placed.General > 4 {
			t.Errorf("seed %d: %v, %d registers", seed, ok, placed.General)
		}
	}
}

// The n-th of values that are all live looks at the places of the others and at its own. With their operations that is all that is looked at.
func TestStepsAreThePlacesAndOperationsLookedAt(t *testing.T) {
	for _, n := range []int{1, 5, 20} {
		f, b := made(n, 1, func(int) ir.Op { return ir.Op{Code: ir.S2R} })
		if placed, ok := allocate.Allocate(f, nil, n, 7); !ok || placed.Steps != uint64(n*(n+1)/2+len(b.Ops)) {
			t.Errorf("%d values: %v, %d steps, want %d", n, ok, placed.Steps, n*(n+1)/2+len(b.Ops))
		}
	}
}

// A predicate comes from the block in front and is written there for some lanes only. It is packed further behind; what reads it before that
// reads what those lanes have written.
func TestAPackedPredicateIsReadAsItWasWrittenLast(t *testing.T) {
	f := &ir.Function{}
	first, second := &ir.Block{Successors: []uint32{1}}, &ir.Block{}
	var p []ir.Register
	write := func(b *ir.Block) {
		p = append(p, f.NewRegister(trace.FilePredicate, 1))
		b.Ops = append(b.Ops, ir.Op{Code: ir.ISETP, Dst: p[len(p)-1:], Combine: ir.And}) // not to be made again
	}
	read := func(r ir.Register) {
		second.Ops = append(second.Ops, ir.Op{Code: ir.STL, Guard: ir.RegOperand(r), Effect: ir.Stores})
	}
	for range 6 {
		write(first)
	}
	second.Ops = append(second.Ops, ir.Op{Code: ir.ISETP, Dst: []ir.Register{p[0]}, Guard: ir.RegOperand(p[1]), Partial: true})
	read(p[0])
	for range 6 {
		write(second)
	}
	for n := len(p) - 1; n >= 0; n-- {
		read(p[n])
	}
	f.Blocks = []*ir.Block{first, second}
	if placed, ok := allocate.Allocate(f, nil, 64, 7); !ok || placed.Predicates > 7 || !packs(f) {
		t.Fatalf("%v: %d predicates, packed %v", ok, placed.Predicates, packs(f))
	}
	written := -1
	for i := range second.Ops {
		switch op := &second.Ops[i]; {
		case op.Partial:
			written = int(op.Dst[0])
		case op.Code == ir.STL && written >= 0:
			if op.Guard.Register == p[0] && written != int(p[0]) {
				t.Errorf("predicate %d is read, the lanes have written %d", p[0], written)
			}
			return
		}
	}
	t.Error("nothing is read behind the write for some lanes")
}
