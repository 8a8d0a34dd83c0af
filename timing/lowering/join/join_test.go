// SPDX-License-Identifier: Apache-2.0

package join_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/timing/lowering/join"
	"github.com/warptape/warptape/trace"
)

var load = ir.MemoryCode("LDS", trace.ClassLoad)
var store = ir.MemoryCode("STS", trace.ClassStore)

// access is an access of shared memory of four bytes; instruction is its number.
func access(instruction int, opcode string, value ir.Register, base ir.Operand, offset int64, aligned uint8) ir.Op {
	op := ir.Op{
		Code: load, Effect: ir.Loads, Memory: true, Space: trace.SpaceShared, Bytes: 4, Base: base, Offset: offset, Aligned: aligned,
		Covers: []uint32{uint32(instruction)}, Accesses: []ir.Access{{Ordinal: uint16(instruction)}},
		Keep: &trace.Instruction{Opcode: opcode, Modifiers: []string{"shared"}}, Dst: []ir.Register{value},
	}
	if opcode == "st" {
		op.Code, op.Effect, op.Dst, op.Src = store, ir.Stores, nil, []ir.Operand{ir.RegOperand(value)}
	}
	return op
}

// state is what a thread has computed.
type state struct {
	Registers map[ir.Register]int64
	Memory    map[int64]int64
	// Accessed is how often each instruction has accessed memory.
	Accessed map[uint16]int
}

// execute runs operations; those that compute add up what they read.
func execute(t *testing.T, ops []ir.Op, s *state) {
	for i := range ops {
		op := &ops[i]
		if !op.Memory {
			sum := 16 * int64(op.Origin)
			for _, o := range op.Src {
				sum = 31*sum + s.Registers[o.Register]
			}
			if op.Offset != 0 {
				sum = op.Offset // an address
			}
			for _, r := range op.Dst {
				s.Registers[r] = sum
			}
			continue
		}
		if op.Guard.Kind == ir.Reg && s.Registers[op.Guard.Register]&1 == 0 {
			continue
		}
		at := s.Registers[op.Base.Register] + op.Offset
		if at%int64(op.Bytes) != 0 {
			t.Errorf("%d bytes at address %d", op.Bytes, at)
		}
		var loaded []int64
		for n := range int64(len(op.Accesses)) {
			if op.Effect == ir.Loads {
				loaded = append(loaded, s.Memory[at+4*n])
			} else {
				s.Memory[at+4*n] = s.Registers[op.Src[n].Register]
			}
			s.Accessed[op.Accesses[n].Ordinal]++
		}
		for n, v := range loaded {
			s.Registers[op.Dst[n]] = v
		}
	}
}

// Blocks of loads and stores with two bases, one aligned to 16 bytes and one to 8, between
// operations that compute. All values are multiples of 16, so that a load may give a base. After accesses have been joined, registers and memory hold the same
// at the end. Each recorded access happens once, and wide ones are aligned.
func TestJoinedAccessesDoWhatTheyDidApart(t *testing.T) {
	gone, wide := 0, map[uint8]int{}
	for seed := range uint64(400) {
		draw := rand.New(rand.NewPCG(seed, 26))
		f := &ir.Function{}
		for range 12 {
			f.NewRegister(trace.FileGeneral, 1)
		}
		guard := f.NewRegister(trace.FilePredicate, 1)
		bases := []int64{160, 8 + 32*int64(draw.IntN(8))}
		value := func() ir.Register { return ir.Register(2 + draw.IntN(10)) }
		var ops []ir.Op
		for n := range 10 + draw.IntN(60) {
			base := draw.IntN(2)
			offset := 4 * int64(draw.IntN(8))
			aligned := min(uint8(2+trailing(offset/4)), uint8(4-base))
			switch k := draw.IntN(21); {
			case k == 20: // as of a list's next element
				ops = append(ops, access(n, "ld", ir.Register(base), ir.RegOperand(ir.Register(base)), offset, aligned))
			case k < 8:
				ops = append(ops, access(n, "ld", value(), ir.RegOperand(ir.Register(base)), offset, aligned))
			case k < 15:
				ops = append(ops, access(n, "st", value(), ir.RegOperand(ir.Register(base)), offset, aligned))
			case k < 17: // a row, in some order
				for _, at := range draw.Perm(4) {
					m := 100*(n+1) + at
					ops = append(ops, access(m, []string{"ld", "st"}[k-15], ir.Register(2+2*at+draw.IntN(2)), ir.RegOperand(0), int64(16+4*at), uint8(2+trailing(int64(at)))))
				}
			case k < 18: // the base is written again
				ops = append(ops, ir.Op{Code: ir.MOV, Dst: []ir.Register{ir.Register(base)}, Offset: bases[base]})
			default:
				ops = append(ops, ir.Op{Code: ir.IADD3, Origin: uint32(n), Dst: []ir.Register{value()}, Src: []ir.Operand{ir.RegOperand(value()), ir.RegOperand(value())}})
			}
			if op := &ops[len(ops)-1]; op.Memory && draw.IntN(4) == 0 && op.Covers[0] < 100 {
				op.Guard, op.Mask = ir.RegOperand(guard), uint16(n+1)
				op.Partial = len(op.Dst) > 0
			}
		}
		begin := func() *state {
			s := &state{map[ir.Register]int64{}, map[int64]int64{}, map[uint16]int{}}
			for r := range f.Registers {
				s.Registers[ir.Register(r)] = int64(16 * (1000 + r))
			}
			s.Registers[0], s.Registers[1], s.Registers[guard] = bases[0], bases[1], int64(seed&1)
			for at := int64(0); at < 600; at += 4 {
				s.Memory[at] = 4 * at * 7919
			}
			return s
		}
		want, got := begin(), begin()
		before := slices.Clone(ops)
		execute(t, before, want)
		f.Blocks = []*ir.Block{{Ops: ops}}
		gone += join.Join(f)
		execute(t, f.Blocks[0].Ops, got)
		for i := range f.Blocks[0].Ops {
			wide[f.Blocks[0].Ops[i].Bytes]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-apart +joined):\n%s", seed, diff)
		}
		for n, times := range got.Accessed {
			if times != 1 {
				t.Fatalf("seed %d: access %d happens %d times", seed, n, times)
			}
		}
	}
	if gone == 0 || wide[8] == 0 || wide[16] == 0 {
		t.Errorf("%d accesses are gone, %v", gone, maps.Collect(maps.All(wide)))
	}
}

func trailing(n int64) int {
	k := 0
	for ; n > 0 && n%2 == 0; n /= 2 {
		k++
	}
	if n == 0 {
		return 4
	}
	return k
}

// pair is a register of two words.
const pair = ir.Register(8)

// What is not known to be aligned, is volatile, in another memory, or behind a barrier stays
// apart.
func TestAccessesThatHaveToStayApart(t *testing.T) {
	for name, change := range map[string]func(ops []ir.Op) []ir.Op{
		"aligned to four bytes": func(ops []ir.Op) []ir.Op { ops[0].Aligned = 2; return ops },
		"volatile": func(ops []ir.Op) []ir.Op {
			ops[0].Keep = &trace.Instruction{Opcode: "ld", Modifiers: []string{"volatile", "shared"}}
			return ops
		},
		"global": func(ops []ir.Op) []ir.Op {
			ops[0].Space, ops[1].Space = trace.SpaceGlobal, trace.SpaceGlobal
			return ops
		},
		"a barrier": func(ops []ir.Op) []ir.Op {
			return []ir.Op{ops[0], {Code: ir.MemoryCode("BAR", trace.ClassBarrier), Effect: ir.Ordered}, ops[1]}
		},
		"a gap":        func(ops []ir.Op) []ir.Op { ops[1].Offset = 8; return ops },
		"another base": func(ops []ir.Op) []ir.Op { ops[1].Base = ir.RegOperand(1); return ops },
		"a store that may be there": func(ops []ir.Op) []ir.Op {
			return []ir.Op{ops[0], access(2, "st", 5, ir.RegOperand(1), 4, 2), ops[1]}
		},
		"two accesses already": func(ops []ir.Op) []ir.Op {
			ops[0].Accesses = append(ops[0].Accesses, ir.Access{Ordinal: 7})
			return ops
		},
		"of two instructions": func(ops []ir.Op) []ir.Op { ops[0].Covers = append(ops[0].Covers, 7); return ops },
		"too far": func(ops []ir.Op) []ir.Op {
			far := ops[:1:1]
			for range 64 {
				far = append(far, addition(5))
			}
			return append(far, ops[1])
		},
		"another guard":      func(ops []ir.Op) []ir.Op { ops[1].Guard = ir.RegOperand(6); return ops },
		"a spill":            func(ops []ir.Op) []ir.Op { ops[0].Spill = 1; return ops },
		"of no instruction":  func(ops []ir.Op) []ir.Op { ops[0].Keep = nil; return ops },
		"into two registers": func(ops []ir.Op) []ir.Op { ops[1].Dst = []ir.Register{pair}; return ops },
		"a variable whose place is not known": func(ops []ir.Op) []ir.Op {
			ops[0].Base, ops[1].Base, ops[1].Aligned = ir.Operand{}, ir.Operand{}, 1
			return ops
		},
	} {
		f := &ir.Function{}
		for range pair {
			f.NewRegister(trace.FileGeneral, 1)
		}
		f.NewRegister(trace.FileGeneral, 2)
		ops := []ir.Op{access(0, "ld", 2, ir.RegOperand(0), 0, 4), access(1, "ld", 3, ir.RegOperand(0), 4, 2)}
		f.Blocks = []*ir.Block{{Ops: slices.Clone(ops)}}
		if join.Join(f) != 1 || f.Blocks[0].Ops[0].Bytes != 8 {
			t.Fatal("the two are not joined as they stand")
		}
		f.Blocks = []*ir.Block{{Ops: change(slices.Clone(ops))}}
		if join.Join(f) != 0 {
			t.Errorf("%s: joined", name)
		}
	}
}

// addition writes a register, and reads one that no access has.
func addition(to ir.Register) ir.Op {
	return ir.Op{Code: ir.IADD3, Dst: []ir.Register{to}, Src: []ir.Operand{ir.RegOperand(6), ir.RegOperand(6)}}
}

// A wide load stands where the first of its loads stood, so that its values are there early. A wide store
// stands where the last stood. What lies between stays, and the opcode says how wide they are.
func TestLoadsGoUpAndStoresGoDown(t *testing.T) {
	for _, c := range []struct {
		opcode   string
		accesses int
		modifier string
	}{{"ld", 2, "v2"}, {"ld", 4, "v4"}, {"st", 2, "v2"}, {"st", 4, "v4"}} {
		f := &ir.Function{}
		for range 12 {
			f.NewRegister(trace.FileGeneral, 1)
		}
		var ops []ir.Op
		for n := range c.accesses {
			if n > 0 {
				ops = append(ops, addition(0)) // register 0 is neither base nor guard
			}
			ops = append(ops, access(n, c.opcode, ir.Register(7+n), ir.RegOperand(1), int64(4*n), uint8(min(4, 2+trailing(int64(n))))))
		}
		f.Blocks = []*ir.Block{{Ops: ops}}
		if gone := join.Join(f); gone != c.accesses-1 {
			t.Fatalf("%d %s: %d are gone", c.accesses, c.opcode, gone)
		}
		left := f.Blocks[0].Ops
		at := 0
		if c.opcode == "st" {
			at = len(left) - 1
		}
		wide := &left[at]
		if len(left) != c.accesses || !wide.Memory || int(wide.Bytes) != 4*c.accesses || len(wide.Accesses) != c.accesses {
			t.Errorf("%d %s: operation %d of %d has %d bytes of %d accesses", c.accesses, c.opcode, at, len(left), wide.Bytes, len(wide.Accesses))
		}
		if want := []string{"shared", c.modifier}; !slices.Equal(wide.Keep.Modifiers, want) {
			t.Errorf("%d %s: modifiers %v, want %v", c.accesses, c.opcode, wide.Keep.Modifiers, want)
		}
	}
}

// A variable whose place is known has no base register, and its accesses join as others do.
func TestAccessesOfAVariableAreJoined(t *testing.T) {
	f := &ir.Function{}
	for range 8 {
		f.NewRegister(trace.FileGeneral, 1)
	}
	f.Blocks = []*ir.Block{{Ops: []ir.Op{access(0, "ld", 2, ir.Operand{}, 16, 4), access(1, "ld", 3, ir.Operand{}, 20, 2)}}}
	if gone := join.Join(f); gone != 1 || f.Blocks[0].Ops[0].Bytes != 8 {
		t.Errorf("%d are gone, and the first has %d bytes", gone, f.Blocks[0].Ops[0].Bytes)
	}
}

// A load of its own base, as of a list's next element, is the last of that base: the next load has another address.
func TestALoadThatWritesItsBaseTakesNoOtherWithIt(t *testing.T) {
	for _, c := range []struct {
		name string
		dst  [2]ir.Register
		gone int
	}{{"the first", [2]ir.Register{0, 2}, 0}, {"the second", [2]ir.Register{2, 0}, 1}} {
		f := &ir.Function{}
		for range 4 {
			f.NewRegister(trace.FileGeneral, 1)
		}
		f.Blocks = []*ir.Block{{Ops: []ir.Op{access(0, "ld", c.dst[0], ir.RegOperand(0), 0, 4), access(1, "ld", c.dst[1], ir.RegOperand(0), 4, 2)}}}
		if gone := join.Join(f); gone != c.gone {
			t.Errorf("%s load writes the base: %d are gone, want %d", c.name, gone, c.gone)
		}
	}
}

// Stores of what is no whole register stay apart.
func TestStoresOfWhatIsNoWholeRegisterStayApart(t *testing.T) {
	for name, c := range map[string]struct {
		value ir.Operand
		gone  int
	}{
		"a register":         {ir.RegOperand(3), 1},
		"an immediate":       {ir.Operand{Kind: ir.Immediate, Value: 7}, 0},
		"a half of a pair":   {ir.Operand{Kind: ir.Reg, Register: pair, Part: ir.Low}, 0},
		"a part of register": {ir.Operand{Kind: ir.Reg, Register: 3, Part: ir.Low}, 0},
		"a pair":             {ir.RegOperand(pair), 0}, // its lower four bytes are stored
	} {
		f := &ir.Function{}
		for range pair {
			f.NewRegister(trace.FileGeneral, 1)
		}
		f.NewRegister(trace.FileGeneral, 2)
		ops := []ir.Op{access(0, "st", 2, ir.RegOperand(0), 0, 4), access(1, "st", 3, ir.RegOperand(0), 4, 2)}
		ops[1].Src[0] = c.value
		f.Blocks = []*ir.Block{{Ops: ops}}
		if gone := join.Join(f); gone != c.gone {
			t.Errorf("%s: %d are gone, want %d", name, gone, c.gone)
		}
	}
}

// Accesses of 64 bits become one of 128, where they are aligned to it. What is not stays as it was.
func TestAccessesOf64BitsAreJoined(t *testing.T) {
	for _, opcode := range []string{"ld", "st"} {
		for aligned, want := range map[uint8]int{4: 1, 3: 0} {
			f := &ir.Function{}
			for range 4 {
				f.NewRegister(trace.FileGeneral, 2)
			}
			ops := []ir.Op{access(0, opcode, 2, ir.RegOperand(0), 0, aligned), access(1, opcode, 3, ir.RegOperand(0), 8, 3)}
			ops[0].Bytes, ops[1].Bytes = 8, 8
			f.Blocks = []*ir.Block{{Ops: ops}}
			gone := join.Join(f)
			op := f.Blocks[0].Ops[0]
			if gone != want || int(op.Bytes) != 8+8*want || len(op.Keep.Modifiers) != 1+want {
				t.Errorf("%s aligned to %d bytes: %d are gone, the first has %d bytes and modifiers %q", opcode, 1<<aligned, gone, op.Bytes, op.Keep.Modifiers)
			}
		}
	}
}

// Of five loads in a row four become one. What is stored to global or local memory between them is elsewhere; a generic store may be there.
func TestRowsOfLoadsAreJoinedPastOtherMemories(t *testing.T) {
	for space, want := range map[trace.Space]int{trace.SpaceGlobal: 3, trace.SpaceLocal: 3, trace.SpaceGeneric: 0} {
		f := &ir.Function{}
		for range 10 {
			f.NewRegister(trace.FileGeneral, 1)
		}
		var ops []ir.Op
		for n := range 5 {
			ops = append(ops, access(n, "ld", ir.Register(2+n), ir.RegOperand(0), int64(4*n), uint8(2+trailing(int64(n)))))
			elsewhere := access(10+n, "st", 9, ir.RegOperand(1), 0, 2)
			elsewhere.Space = space
			ops = append(ops, elsewhere)
		}
		f.Blocks = []*ir.Block{{Ops: ops}}
		if gone := join.Join(f); gone != want {
			t.Errorf("past stores to %v memory: %d are gone, want %d", space, gone, want)
		}
	}
}

// The second of two loads goes up past a store to any place but its own. Numbers without a block are passed over.
func TestLoadsAreJoinedPastStoresBesideThem(t *testing.T) {
	for offset, want := range map[int64]int{-4: 1, 0: 1, 4: 0, 8: 1} {
		f := &ir.Function{}
		for range 5 {
			f.NewRegister(trace.FileGeneral, 1)
		}
		ops := []ir.Op{access(0, "ld", 2, ir.RegOperand(0), 0, 4), access(1, "st", 4, ir.RegOperand(0), offset, 2), access(2, "ld", 3, ir.RegOperand(0), 4, 2)}
		f.Blocks = []*ir.Block{nil, {Ops: ops}}
		if gone := join.Join(f); gone != want {
			t.Errorf("past a store at %d: %d are gone, want %d", offset, gone, want)
		}
	}
}
