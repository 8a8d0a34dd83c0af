// SPDX-License-Identifier: Apache-2.0

package cae

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
)

// TestShapesAreWhatTheLanesHave: brute force over all small thread blocks. A warp of
// one or two lanes may be known less well.
func TestShapesAreWhatTheLanesHave(t *testing.T) {
	for x := uint32(1); x <= 70; x++ {
		for _, yz := range [][2]uint32{{1, 1}, {2, 1}, {3, 2}, {8, 1}, {16, 3}, {1, 5}, {40, 1}, {1, 64}, {64, 2}} {
			y, z := yz[0], yz[1]
			for w := range int(x*y*z+lanes-1) / lanes {
				s := shapeOf(x, y, z, w)
				var indices [3][]int64
				for l := range uint32(lanes) {
					i := uint32(w)*lanes + l
					if exists := i < x*y*z; exists != (s.lanes>>l&1 != 0) {
						t.Fatalf("%dx%dx%d, warp %d: lane %d exists: %v", x, y, z, w, l, exists)
					} else if exists {
						for k, v := range []uint32{i % x, i / x % y, i / x / y} {
							indices[k] = append(indices[k], int64(v))
						}
					}
				}
				for k, got := range []tag{s.x, s.y, s.z} {
					if want := tagOf(indices[k]); got != want && (got > want || len(indices[k]) > 2) {
						t.Fatalf("%dx%dx%d, warp %d: index %d is %v, tag %d, want %d", x, y, z, w, k, indices[k], got, want)
					}
				}
			}
		}
	}
	if s := shapeOf(32, 1, 1, 1); s.lanes != 0 {
		t.Errorf("a warp without threads has lanes %#x", s.lanes)
	}
}

// tagOf is what values of all lanes are.
func tagOf(values []int64) tag {
	same, even := true, true
	for i := 1; i < len(values); i++ {
		same = same && values[i] == values[0]
		even = even && values[i]-values[i-1] == values[1]-values[0]
	}
	switch {
	case same:
		return scalar
	case even:
		return affine
	}
	return vector
}

// ---- a small machine that computes values, as the oracle of tags ----

const (
	general    = 12 // registers of random programs
	predicates = 4
)

// values holds what 32 lanes have in each register, and which are known to be alike.
type values struct {
	general    [general][lanes]uint32
	predicates [predicates][lanes]bool
}

func registerOperand(n int) trace.Operand {
	return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: uint16(n), Words: 1}}
}

func predicateOperand(n int) trace.Operand {
	return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate, Number: uint16(n), Words: 1}}
}

func immediate(v int64) trace.Operand { return trace.Operand{Kind: trace.OperandImmediate, Value: v} }

// step is an instruction of a random program with what it computes in a lane.
type step struct {
	in      trace.Instruction
	compute func(v *values, lane int) uint32
	to      int // register, or predicate
	isTruth bool
}

// randomStep is an integer instruction over random registers and constants.
func randomStep(r *rand.Rand, index func(lane int) [3]uint32) step {
	type operand struct {
		as    trace.Operand
		value func(v *values, lane int) uint32
	}
	pick := func() operand {
		switch r.IntN(6) {
		case 0:
			c := uint32(r.IntN(9)) - 2
			return operand{immediate(int64(int32(c))), func(*values, int) uint32 { return c }}
		case 1:
			k := r.IntN(3)
			return operand{trace.Operand{Kind: trace.OperandSpecial, Symbol: []string{"tid.x", "tid.y", "tid.z"}[k]}, func(_ *values, lane int) uint32 { return index(lane)[k] }}
		}
		n := r.IntN(general)
		return operand{registerOperand(n), func(v *values, lane int) uint32 { return v.general[n][lane] }}
	}
	a, b, c, p := pick(), pick(), pick(), r.IntN(predicates)
	s := step{to: r.IntN(general)}
	make := func(class trace.OpClass, opcode string, modifiers []string, compute func(v *values, lane int) uint32, sources ...trace.Operand) step {
		s.in = trace.Instruction{Opcode: opcode, Modifiers: modifiers, Types: []string{"u32"}, Class: class, Destinations: 1}
		to := registerOperand(s.to)
		if s.isTruth {
			to = predicateOperand(s.to)
		}
		s.in.Operands = append([]trace.Operand{to}, sources...)
		s.compute = compute
		return s
	}
	bit := func(x bool) uint32 {
		if x {
			return 1
		}
		return 0
	}
	switch r.IntN(14) {
	case 0:
		return make(trace.ClassMove, "mov", nil, a.value, a.as)
	case 1:
		return make(trace.ClassIntAdd, "add", nil, func(v *values, l int) uint32 { return a.value(v, l) + b.value(v, l) }, a.as, b.as)
	case 2:
		return make(trace.ClassIntAdd, "sub", nil, func(v *values, l int) uint32 { return a.value(v, l) - b.value(v, l) }, a.as, b.as)
	case 3:
		return make(trace.ClassIntMul, "mul", []string{"lo"}, func(v *values, l int) uint32 { return a.value(v, l) * b.value(v, l) }, a.as, b.as)
	case 4:
		return make(trace.ClassIntMul, "mul", []string{"hi"}, func(v *values, l int) uint32 { return uint32(uint64(a.value(v, l)) * uint64(b.value(v, l)) >> 32) }, a.as, b.as)
	case 5:
		return make(trace.ClassIntMad, "mad", []string{"lo"}, func(v *values, l int) uint32 { return a.value(v, l)*b.value(v, l) + c.value(v, l) }, a.as, b.as, c.as)
	case 6:
		return make(trace.ClassIntAdd, "shl", nil, func(v *values, l int) uint32 { return a.value(v, l) << min(b.value(v, l), 32) }, a.as, b.as)
	case 7:
		return make(trace.ClassIntAdd, "xor", nil, func(v *values, l int) uint32 { return a.value(v, l) ^ b.value(v, l) }, a.as, b.as)
	case 8:
		return make(trace.ClassIntMinMax, "max", nil, func(v *values, l int) uint32 { return max(a.value(v, l), b.value(v, l)) }, a.as, b.as)
	case 9:
		return make(trace.ClassIntAdd, "neg", nil, func(v *values, l int) uint32 { return -a.value(v, l) }, a.as)
	case 10:
		s.isTruth, s.to = true, p
		return make(trace.ClassIntAdd, "setp", []string{"lt"}, func(v *values, l int) uint32 { return bit(a.value(v, l) < b.value(v, l)) }, a.as, b.as)
	case 11:
		return make(trace.ClassIntAdd, "selp", nil, func(v *values, l int) uint32 {
			if v.predicates[p][l] {
				return a.value(v, l)
			}
			return b.value(v, l)
		}, a.as, b.as, predicateOperand(p))
	case 12: // no carry passes from the lower half
		packed := make(trace.ClassIntAdd, "add", nil, func(v *values, l int) uint32 {
			x, y := a.value(v, l), b.value(v, l)
			return (x+y)&0xffff | (x>>16+y>>16)<<16
		}, a.as, b.as)
		packed.in.Types = []string{"u16x2"}
		return packed
	default:
		return make(trace.ClassF32Add, "add", nil, func(v *values, l int) uint32 { return a.value(v, l)*3 ^ b.value(v, l)>>1 }, a.as, b.as)
	}
}

// TestTagsAreTrueOfEveryValue runs random programs with divergence on warps of random
// thread blocks, and computes the values of their lanes as well. A register that is tagged
// a scalar is the same in all lanes, one that is tagged affine has equal steps. What
// issues to an affine unit has results of that kind.
func TestTagsAreTrueOfEveryValue(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	able := map[string]int{}
	for range 300 {
		x, y, z := uint32(1+r.IntN(70)), uint32(1+r.IntN(3)), uint32(1+r.IntN(2))
		w := r.IntN(int(x*y*z+lanes-1) / lanes)
		index := func(lane int) [3]uint32 {
			i := uint32(w*lanes + lane)
			return [3]uint32{i % x, i / x % y, i / x / y}
		}
		var steps []step
		k := trace.Kernel{Name: "random"}
		for range 60 {
			s := randomStep(r, index)
			steps = append(steps, s)
			k.Instructions = append(k.Instructions, s.in)
		}
		tr := &tracker{set: testSet(), rules: newRules(&k), warps: make([]tracked, 1)}
		p := &tr.warps[0]
		p.shape = shapeOf(x, y, z, w)
		p.tags = make([]tag, tr.rules.registers)
		var v values
		for n := range general {
			for l := range lanes {
				v.general[n][l] = r.Uint32()
			}
		}
		for i := range steps {
			p.instruction, p.lanes = uint32(i), p.shape.lanes
			if r.IntN(6) == 0 {
				p.lanes &= r.Uint32()
			}
			execute(&v, &steps[i], p.lanes)
			if tr.look(p) {
				able[steps[i].in.Opcode]++
				tr.toAffineUnit(0)
			} else {
				tr.onLanes(0)
			}
			if err := compare(tr.rules, p, &v); err != nil {
				t.Fatalf("thread block %dx%dx%d, warp %d, step %d (%v, lanes %#x): %v", x, y, z, w, i, steps[i].in.Opcode, p.lanes, err)
			}
		}
	}
	for _, opcode := range []string{"mov", "add", "sub", "mul", "mad", "shl", "xor", "max", "neg", "setp", "selp"} {
		if able[opcode] == 0 {
			t.Errorf("no %s was executed by an affine unit", opcode)
		}
	}
}

func execute(v *values, s *step, mask uint32) {
	var results [lanes]uint32
	for l := range lanes {
		results[l] = s.compute(v, l)
	}
	for l := range lanes {
		if mask>>l&1 == 0 {
			continue
		}
		if s.isTruth {
			v.predicates[s.to][l] = results[l] != 0
		} else {
			v.general[s.to][l] = results[l]
		}
	}
}

// compare checks the tags of a warp against its values.
func compare(r *rules, p *tracked, v *values) error {
	for n, got := range p.tags {
		var have []int64
		for l := range lanes {
			switch {
			case p.shape.lanes>>l&1 == 0:
			case n < r.general:
				// Steps of 32-bit registers wrap around.
				have = append(have, int64(int32(v.general[n][l]-v.general[n][0])))
			default:
				have = append(have, 0)
				if v.predicates[n-r.general][l] {
					have[len(have)-1] = 1
				}
			}
		}
		if got == scalar && tagOf(have) != scalar || got == affine && !evenSteps(have) {
			return fmt.Errorf("register %d of %d is tagged %d and holds %v (from the first lane on)", n, r.general, got, have)
		}
	}
	return nil
}

func evenSteps(v []int64) bool {
	for i := 2; i < len(v); i++ {
		if int32(v[i]-v[i-1]) != int32(v[1]-v[0]) {
			return false
		}
	}
	return true
}

func TestLoadsOfOneAddressGiveScalars(t *testing.T) {
	address := trace.Operand{Kind: trace.OperandAddress, Symbol: "parameter"}
	for _, c := range []struct {
		space     trace.Space
		modifiers []string
		want      tag
	}{
		{trace.SpaceParam, nil, scalar}, {trace.SpaceConst, nil, scalar}, {trace.SpaceGlobal, nil, scalar}, {trace.SpaceShared, nil, scalar},
		{trace.SpaceLocal, nil, vector}, {trace.SpaceGeneric, nil, vector}, {trace.SpaceGlobal, []string{"volatile"}, vector},
	} {
		k := trace.Kernel{Instructions: []trace.Instruction{{Opcode: "ld", Modifiers: c.modifiers, Class: trace.ClassLoad, Space: c.space, LaneBytes: 4, Destinations: 1, Operands: []trace.Operand{registerOperand(1), address}}}}
		tr := &tracker{set: testSet(), rules: newRules(&k), warps: make([]tracked, 1)}
		p := &tr.warps[0]
		p.shape, p.tags = shapeOf(32, 1, 1, 0), make([]tag, tr.rules.registers)
		p.lanes = p.shape.lanes
		if tr.look(p) {
			t.Errorf("%v: an affine unit loads", c.space)
		}
		tr.onLanes(0)
		if p.tags[1] != c.want {
			t.Errorf("%v %v: tag %d, want %d", c.space, c.modifiers, p.tags[1], c.want)
		}
	}
}
