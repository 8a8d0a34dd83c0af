// SPDX-License-Identifier: Apache-2.0

package warpset

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// twin is a set as a list of what is in it.
type twin [Max]bool

func (t *twin) members() []int {
	var list []int
	for w, in := range t {
		if in {
			list = append(list, w)
		}
	}
	return list
}

func members(s Set) []int {
	var list []int
	for ; !s.Empty(); s = s.Rest() {
		list = append(list, s.Lowest())
	}
	return list
}

// random is a set and its twin, dense, sparse, or with one half empty.
func random(r *rand.Rand) (s Set, t twin) {
	from, to := []int{0, 0, 64, 60}[r.IntN(4)], []int{64, Max, Max, 70}[r.IntN(4)]
	share := []int{1, 2, 20}[r.IntN(3)]
	for w := from; w < to; w++ {
		if r.IntN(share) == 0 {
			s, t[w] = s.With(w), true
		}
	}
	return s, t
}

// Every operation is what it is on lists of members.
func TestSetsAreAsListsOfTheirMembers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	is := func(what string, got Set, want func(w int) bool) {
		t.Helper()
		var list twin
		for w := range list {
			list[w] = want(w)
		}
		if !slices.Equal(members(got), list.members()) {
			t.Fatalf("%s: %v, want %v", what, got, list.members())
		}
	}
	for range 3000 {
		a, x := random(r)
		b, y := random(r)
		w, n := r.IntN(Max), r.IntN(64)
		is("and", a.And(b), func(i int) bool { return x[i] && y[i] })
		is("or", a.Or(b), func(i int) bool { return x[i] || y[i] })
		is("and not", a.AndNot(b), func(i int) bool { return x[i] && !y[i] })
		added, removed := a, a
		added.Add(w)
		removed.Remove(w)
		is("add", added, func(i int) bool { return x[i] || i == w })
		is("remove", removed, func(i int) bool { return x[i] && i != w })
		is("with", a.With(w), func(i int) bool { return x[i] || i == w })
		is("without", a.Without(w), func(i int) bool { return x[i] && i != w })
		is("before", a.Before(w), func(i int) bool { return x[i] && i < w })
		is("of", Of(w), func(i int) bool { return i == w })
		is("first", First(w), func(i int) bool { return i < w })
		is("up", a.Up(n), func(i int) bool { return i >= n && x[i-n] })
		is("down", a.Down(n), func(i int) bool { return i+n < Max && x[i+n] })
		is("rest", a.Rest(), func(i int) bool { return x[i] && slices.Index(x.members(), i) > 0 })
		meets := false
		for i := range x {
			meets = meets || x[i] && y[i]
		}
		if a.Meets(b) != meets || a.Has(w) != x[w] || a.Count() != len(x.members()) || a.Empty() != (len(x.members()) == 0) {
			t.Fatalf("%v: meets %v: %v; has %d: %v; %d members, empty %v", a, b, a.Meets(b), w, a.Has(w), a.Count(), a.Empty())
		}
		if a.Empty() {
			continue
		}
		var keys [Max]uint64
		for i := range keys {
			keys[i] = r.Uint64N(300)
		}
		least := slices.MinFunc(x.members(), func(i, j int) int { return cmp.Compare(keys[i], keys[j]) })
		if got := a.Least(&keys); got != least {
			t.Fatalf("%v: the least key of %v has %d, want %d", a, keys, got, least)
		}
		want := w
		for {
			if want = (want + 1) % Max; x[want] {
				break
			}
		}
		if got := a.After(w); got != want {
			t.Fatalf("%v: after %d comes %d, want %d", a, w, got, want)
		}
	}
	if First(Max) != All() || All().Count() != Max || All().After(Max-1) != 0 {
		t.Error("the first Max slots are not all slots")
	}
}
