// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// iteratedLiveness is the slow twin of liveness: the registers that are live at each
// segment's end, by passes over all segments until nothing changes.
func iteratedLiveness(k *Kernel) []map[*ptx.Register]bool {
	in, out := make([]map[*ptx.Register]bool, len(k.Segments)), make([]map[*ptx.Register]bool, len(k.Segments))
	for i := range k.Segments {
		in[i], out[i] = map[*ptx.Register]bool{}, map[*ptx.Register]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i := range k.Segments {
			s, live := &k.Segments[i], map[*ptx.Register]bool{}
			for _, next := range s.Successors {
				for r := range in[next] {
					live[r], out[i][r] = true, true
				}
			}
			for j := s.First + s.Count - 1; j >= s.First; j-- {
				instruction := &k.PTX.Body[j]
				if instruction.Guard.Register == nil {
					Writes(instruction, func(r *ptx.Register) { delete(live, r) })
				}
				Reads(instruction, func(r *ptx.Register) { live[r] = true })
			}
			changed = changed || len(live) != len(in[i])
			in[i] = live
		}
	}
	return out
}

// iteratedDivergence is the slow twin of markDivergent: passes over all instructions and
// all branches until nothing changes.
func iteratedDivergence(k *Kernel) (divergent []bool) {
	varying := map[*ptx.Register]bool{}
	for _, u := range k.PTX.Units {
		for _, f := range u.Params {
			if f.Register != nil {
				varying[f.Register] = true
			}
		}
	}
	divergent = make([]bool, len(k.Segments))
	for before := -1; before != len(varying); {
		before = len(varying)
		for i := range k.Segments {
			s := &k.Segments[i]
			for j := s.First; j < s.First+s.Count; j++ {
				in := &k.PTX.Body[j]
				varies := sourceVaries(in)
				Reads(in, func(r *ptx.Register) { varies = varies || varying[r] })
				if varies {
					Writes(in, func(r *ptx.Register) { varying[r] = true })
				}
			}
			Reads(k.terminator(s), func(r *ptx.Register) { divergent[i] = divergent[i] || varying[r] })
			ways := len(s.Successors)
			if endsKernel(k, s) {
				ways++
			}
			divergent[i] = divergent[i] && ways > 1
			if divergent[i] && k.terminator(s).Class() == trace.ClassBranch {
				joins := s.Joins
				varyInRegion(k, i, joins, varying)
				if len(joins) > 1 {
					varyInRegion(k, i, joins[:1], varying)
				}
			}
		}
	}
	return divergent
}

// varyInRegion adds the registers that are written between a branch and its
// joins, and read or written elsewhere.
func varyInRegion(k *Kernel, branch int, joins []int, varying map[*ptx.Register]bool) {
	region := map[int]bool{}
	var enter func(i int)
	enter = func(i int) {
		if !slices.Contains(joins, i) && !region[i] {
			region[i] = true
			for _, next := range k.Segments[i].Successors {
				enter(next)
			}
		}
	}
	for _, next := range k.Segments[branch].Successors {
		enter(next)
	}
	inside, elsewhere := map[*ptx.Register]bool{}, map[*ptx.Register]bool{}
	for i := range k.Segments {
		s := &k.Segments[i]
		for j := s.First; j < s.First+s.Count; j++ {
			in := &k.PTX.Body[j]
			if !region[i] {
				Reads(in, func(r *ptx.Register) { elsewhere[r] = true })
				Writes(in, func(r *ptx.Register) { elsewhere[r] = true })
				continue
			}
			Writes(in, func(r *ptx.Register) { inside[r] = true })
		}
	}
	for r := range inside {
		if elsewhere[r] {
			varying[r] = true
		}
	}
}

// analysed lists random kernels: of few registers and any control flow, and of a
// register and a branch a label, in the shapes of large kernels.
func analysed(t *testing.T, part int) (kernels []*ptx.Kernel) {
	for seed := range uint64(200) {
		kernels = append(kernels, randomKernel(t, seed, 1+int(seed%24)))
	}
	r := rand.New(rand.NewPCG(8, 9))
	for range 12 {
		n := 2 + r.IntN(80)
		for _, target := range largeShapes(n) {
			kernels = append(kernels, largeKernel(t, n, r.IntN(2) == 0, target))
		}
	}
	return tracetest.Draw(t, kernels, len(kernels)/part)
}

func TestLivenessAgreesWithTheIteration(t *testing.T) {
	for n, p := range analysed(t, tracetest.Fewer(14, 6)) {
		k, err := Contaminate(p)
		if err != nil {
			t.Fatal(err)
		}
		want, l := iteratedLiveness(k), newLiveness(k)
		if n%2 == 0 { // in groups of one column
			l.columns, l.group = l.columns[:1], 64
		}
		got := make([]map[*ptx.Register]bool, len(k.Segments))
		for first := 0; first == 0 || first < len(l.global); first += l.group {
			if err := l.solve(first); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if got[i] == nil {
					got[i] = map[*ptx.Register]bool{}
				}
				l.eachOut(i, func(r *ptx.Register) { got[i][r] = true })
			}
		}
		for i := range got {
			if !maps.Equal(want[i], got[i]) {
				t.Fatalf("kernel %d, segment %d: got %v, want %v", n, i, got[i], want[i])
			}
		}
	}
}

func TestDivergenceAgreesWithTheIteration(t *testing.T) {
	for n, p := range analysed(t, tracetest.Fewer(14, 6)) {
		k, err := Contaminate(p)
		if err != nil {
			t.Fatal(err)
		}
		var got []bool
		for i := range k.Segments {
			got = append(got, k.Segments[i].Divergent)
		}
		if want := iteratedDivergence(k); !slices.Equal(want, got) {
			t.Fatalf("kernel %d: divergent segments %v, want %v", n, got, want)
		}
	}
}
