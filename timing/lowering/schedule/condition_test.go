// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// selections is a block with divisions. In front of each are conditions; behind it, each of them and the
// quotient make a predicate, which selects a value.
type selections struct {
	f *ir.Function
	// conditions, combined and values are the operations of each division, by their places.
	conditions, combined, values [][]int
	ops                          []ir.Op
}

func newSelections(divisions, conditions int) *selections {
	s := &selections{f: new(ir.Function)}
	general := func() ir.Register { return s.f.NewRegister(trace.FileGeneral, 1) }
	predicate := func() ir.Register { return s.f.NewRegister(trace.FilePredicate, 1) }
	a, b := general(), general()
	for d := range divisions {
		of, quotient := uint32(100*d+1), general()
		var made, combined, values []int
		for range conditions {
			made = append(made, s.add(ir.ISETP, 0, predicate(), a, b))
		}
		s.ops = append(s.ops, ir.Op{Code: ir.CALL, Origin: of}, ir.Op{Code: ir.RET, Origin: of})
		s.ops[s.add(ir.IMADMov, of, quotient)].Covers = []uint32{of}
		for _, c := range made {
			combined = append(combined, s.add(ir.FSETP, 0, predicate(), quotient, s.ops[c].Dst[0]))
			values = append(values, s.add(ir.SEL, 0, general(), a, s.ops[len(s.ops)-1].Dst[0]))
		}
		s.conditions, s.combined, s.values = append(s.conditions, made), append(s.combined, combined), append(s.values, values)
	}
	return s
}

// add adds an operation, and gives its place.
func (s *selections) add(code *ir.Code, origin uint32, to ir.Register, from ...ir.Register) int {
	op := ir.Op{Code: code, Dst: []ir.Register{to}, Origin: origin}
	for _, r := range from {
		op.Src = append(op.Src, ir.RegOperand(r))
	}
	s.ops = append(s.ops, op)
	return len(s.ops) - 1
}

// kept are the conditions of each division that KeepConditions makes values of in a block, by their places among the
// division's. It fails where the rest of the block is not as it was.
func (s *selections) kept(t *testing.T, others ...*ir.Block) (kept [][]int) {
	t.Helper()
	before := slices.Clone(s.ops)
	for i := range before {
		before[i].Src = slices.Clone(before[i].Src)
	}
	block := &ir.Block{Ops: s.ops}
	s.f.Blocks = append(append(s.f.Blocks, others...), block)
	KeepConditions(s.f)
	homes, at := map[ir.Register]ir.Register{}, 0
	for i := range block.Ops {
		op := block.Ops[i]
		if op.Code == ir.Valued {
			made := block.Ops[i-1].Dst[0]
			if s.f.Registers[op.Dst[0]].File != trace.FileGeneral || op.Src[0].Register != made {
				t.Errorf("operation %d makes register %d of the condition %d behind %d", i, op.Dst[0], op.Src[0].Register, made)
			}
			homes[made] = op.Dst[0]
			continue
		}
		if op.Code != before[at].Code || !slices.Equal(op.Dst, before[at].Dst) || len(op.Src) != len(before[at].Src) {
			t.Fatalf("operation %d is no more %s", i, before[at].Code.Name)
		}
		combines := slices.ContainsFunc(s.combined, func(list []int) bool { return slices.Contains(list, at) })
		for k, o := range op.Src {
			want := before[at].Src[k].Register
			if home, ok := homes[want]; ok && combines {
				want = home
			}
			if o.Register != want {
				t.Errorf("source %d of %s, operation %d, is register %d, want %d", k, op.Code.Name, at, o.Register, want)
			}
		}
		at++
	}
	if at != len(before) {
		t.Errorf("%d operations of %d", at, len(before))
	}
	for d := range s.conditions {
		list := []int{}
		for n, c := range s.conditions[d] {
			if _, ok := homes[before[c].Dst[0]]; ok {
				list = append(list, n)
			}
		}
		kept = append(kept, list)
	}
	return kept
}

// Of one division all conditions become values. Of several the first five behind each call stay predicates.
func TestConditionsBecomeValues(t *testing.T) {
	for divisions, want := range [][][]int{{}, {{0, 1, 2, 3, 4, 5, 6}}, {{5, 6}, {5, 6}}, {{5, 6}, {5, 6}, {5, 6}}} {
		if got := newSelections(divisions, 7).kept(t); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d divisions: conditions %v become values, want %v", divisions, got, want)
		}
	}
}

// A condition becomes a value only where nothing else may need the predicate as it is.
func TestConditionsThatStayPredicates(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(s *selections) []*ir.Block
		becomes bool
	}{
		"read twice": {func(s *selections) []*ir.Block {
			s.ops[s.combined[0][0]].Src = append(s.ops[s.combined[0][0]].Src, ir.RegOperand(s.ops[s.conditions[0][0]].Dst[0]))
			return nil
		}, true},
		"beside a block": {func(*selections) []*ir.Block { return []*ir.Block{nil, {}} }, true},
		"read in another block": {func(s *selections) []*ir.Block {
			return []*ir.Block{{Ops: []ir.Op{{Code: ir.SEL, Src: []ir.Operand{ir.RegOperand(s.ops[s.conditions[0][0]].Dst[0])}}}}}
		}, false},
		"written in another block": {func(s *selections) []*ir.Block {
			return []*ir.Block{{Ops: []ir.Op{{Code: ir.ISETP, Dst: s.ops[s.conditions[0][0]].Dst}}}}
		}, false},
		"a number": {func(s *selections) []*ir.Block {
			s.f.Registers[s.ops[s.conditions[0][0]].Dst[0]].File = trace.FileGeneral
			return nil
		}, false},
		"two results": {func(s *selections) []*ir.Block {
			op := &s.ops[s.conditions[0][0]]
			op.Dst = append(op.Dst, s.f.NewRegister(trace.FilePredicate, 1))
			return nil
		}, false},
		"of the quotient": {func(s *selections) []*ir.Block {
			op := &s.ops[s.conditions[0][0]]
			op.Origin, op.Covers = 1, []uint32{1}
			return nil
		}, false},
		"selects in some lanes": {func(s *selections) []*ir.Block {
			s.ops[s.values[0][0]].Guard = ir.RegOperand(s.ops[s.combined[0][0]].Dst[0])
			return nil
		}, false},
		"makes a predicate": {func(s *selections) []*ir.Block {
			s.f.Registers[s.ops[s.values[0][0]].Dst[0]].File = trace.FilePredicate
			return nil
		}, false},
	} {
		s, want := newSelections(1, 1), [][]int{{}}
		if c.becomes {
			want = [][]int{{0}}
		}
		if got := s.kept(t, c.change(s)...); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: conditions %v become values, want %v", name, got, want)
		}
	}
}
