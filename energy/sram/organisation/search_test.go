// SPDX-License-Identifier: Apache-2.0

package organisation

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// What CACTI does not organise is refused with its reason.
func TestWhatCannotBeOrganisedIsRefused(t *testing.T) {
	good := Array{Bytes: 4096, Ways: 2, LineBytes: 32, OutBytes: 32, Banks: 1, Tagged: true, NodeNM: 32, Rows: 16}
	if _, err := Search(good); err != nil {
		t.Fatal(err)
	}
	for word, change := range map[string]func(*Array){
		"ways":      func(a *Array) { a.Ways = 3 },
		"banks":     func(a *Array) { a.Banks = 6 },
		"node":      func(a *Array) { a.NodeNM = 40 },
		"read":      func(a *Array) { a.OutBytes = 64 },
		"too small": func(a *Array) { a.Bytes = 32 },
		"more than": func(a *Array) { a.LineBytes, a.OutBytes = 1<<20, 1<<20 },
		"rows":      func(a *Array) { a.Bytes, a.Rows = 256, 16 },
	} {
		a := good
		change(&a)
		if _, err := Search(a); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %+v: %v", word, a, err)
		}
	}
	for _, n := range []int{0, -1, -1 << 62, 1 << 62} {
		for _, a := range []Array{{Bytes: n, Ways: 1, LineBytes: 8, OutBytes: 8, Banks: 1, NodeNM: 32, Rows: 16}, {Bytes: 4096, Ways: 1, LineBytes: n, OutBytes: n, Banks: 1, NodeNM: 32, Rows: 16}, {Bytes: 4096, Ways: n, LineBytes: 8, OutBytes: 8, Banks: n, NodeNM: 32, Rows: 16}} {
			if _, err := Search(a); err == nil {
				t.Errorf("%+v is organised", a)
			}
		}
	}
}

// The area holds the cells, of 146 feature sizes squared each, and the choice is the same again.
func TestTheAreaHoldsTheCells(t *testing.T) {
	for _, node := range []int{65, 45, 32, 22} {
		a := Array{Bytes: 32768, Ways: 4, LineBytes: 128, OutBytes: 32, Banks: 1, Tagged: true, NodeNM: node, Rows: 16}
		r, err := Search(a)
		if err != nil {
			t.Fatal(err)
		}
		f := float64(node) * 1e-6
		if cells := float64(8*a.Bytes) * cellArea * f * f; r.AreaMM2 < cells || r.AreaMM2 > 10*cells {
			t.Errorf("%d nm: %g mm2 for cells of %g mm2", node, r.AreaMM2, cells)
		}
		if again, _ := Search(a); again != r {
			t.Errorf("%+v, and then %+v", r, again)
		}
	}
}

// Of all organisations none has less energy times squared delay than the one that is taken, but for
// those that CACTI leaves out; tags that are quicker take a longer access.
func TestTheChoiceIsTheBest(t *testing.T) {
	a := Array{Bytes: 8192, Ways: 1, LineBytes: 16, OutBytes: 16, Banks: 1, NodeNM: 45, Rows: 16}
	r, err := Search(a)
	if err != nil {
		t.Fatal(err)
	}
	list := newWorkshop(&a, processOf(45, false), false).all()
	if len(list) < 50 {
		t.Fatalf("%d organisations", len(list))
	}
	cost := r.ReadPJ * r.AccessNS * r.AccessNS
	time, energy := math.Inf(1), math.Inf(1)
	for _, b := range list {
		time, energy = min(time, b.access), min(energy, b.read)
	}
	for _, b := range list {
		if b.access > 1.5*time && b.read > 1.5*energy {
			continue
		}
		if other := b.read * 1e12 * b.access * 1e9 * b.access * 1e9; other < cost*(1-1e-12) {
			t.Errorf("%+v costs %g, the choice %+v %g", b.Partition, other, r.Data, cost)
		}
	}
}

// The search makes few of the organisations, and none twice. It takes what one takes that makes each of all
// partitions anew, and compares them in CACTI's order.
func TestTheSearchIsItsSlowTwin(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 60, tracetest.Fewer(1, 3)) {
		a := randomArray(rand.New(rand.NewPCG(seed, 8)))
		got, err := Search(a)
		want, ok := slowSearch(&a)
		if (err == nil) != ok || got != want {
			t.Errorf("seed %d: %+v: %+v (%v), the slow twin has %+v", seed, a, got, err, want)
		}
	}
}

func randomArray(r *rand.Rand) Array {
	a := Array{
		Ways: 1 << r.IntN(5), LineBytes: 4 << r.IntN(6), Banks: 1 << r.IntN(4), Tagged: r.IntN(2) == 0, Sequential: r.IntN(3) == 0,
		ReadWritePorts: r.IntN(3) == 0, LowPower: r.IntN(2) == 0, NodeNM: []int{65, 45, 32, 22}[r.IntN(4)], Rows: []int{16, 2, 1}[r.IntN(3)],
	}
	a.Bytes = a.Banks * a.Ways * a.LineBytes * (1 + r.IntN(4096))
	a.OutBytes = max(a.LineBytes>>r.IntN(3), 1)
	return a
}

// all makes the organisations of all partitions, with nothing kept from one for the next.
func (w *workshop) all() []built {
	var list []built
	for _, part := range w.partitions() {
		l, ok := w.lay(w.tags, part)
		if !ok {
			continue
		}
		fresh := newWorkshop(w.Array, w.p, w.tags)
		if m, ok := fresh.mat(&l); ok {
			list = append(list, fresh.build(&m))
		}
	}
	return list
}

// partitions lists those of CACTI in its order, whether they can be built or not.
func (w *workshop) partitions() (list []Partition) {
	sets := 0.125
	if !w.tags {
		sets = float64(w.OutBytes) / float64(w.LineBytes)
	}
	powers := func(from, to int) (all []int) {
		for n := from; n <= to; n *= 2 {
			all = append(all, n)
		}
		return all
	}
	for ; sets <= mostSets; sets *= 2 {
		for _, word := range powers(2, mostCuts) {
			for _, bit := range powers(2, mostCuts) {
				l, ok := w.subarray(w.tags, Partition{WordCuts: word, BitCuts: bit, SetsPerRow: sets})
				if !ok {
					continue
				}
				for _, columns := range powers(1, min(mostColumns, l.columns)) {
					for _, first := range powers(1, min(mostColumns, l.columns/columns)) {
						for _, second := range powers(1, min(mostColumns, l.columns/columns/first)) {
							list = append(list, Partition{word, bit, sets, columns, first, second})
						}
					}
				}
			}
		}
	}
	return list
}

func slowSearch(a *Array) (Result, bool) {
	p := processOf(a.NodeNM, a.LowPower)
	if a.check() != nil {
		return Result{}, false
	}
	w := newWorkshop(a, p, false)
	list, tags := w.all(), built{}
	if a.Tagged {
		list := newWorkshop(a, p, true).all()
		if len(list) == 0 {
			return Result{}, false
		}
		least := math.Inf(1)
		for _, b := range list {
			least = min(least, b.access)
		}
		tags.cycle = math.Inf(1)
		for _, b := range slices.Backward(list) {
			if (b.access-least)/least <= 0.2 && b.cycle < tags.cycle {
				tags = b
			}
		}
	}
	if len(list) == 0 {
		return Result{}, false
	}
	time, energy := math.Inf(1), math.Inf(1)
	for _, b := range list {
		time, energy = min(time, b.access), min(energy, b.read)
	}
	best, least := built{}, math.Inf(1)
	for _, b := range list {
		if (b.access-time)/time > 0.5 && (b.read-energy)/energy > 0.5 {
			continue
		}
		t := a.accessTime(&b, &tags)
		if cost := t * t * (b.read + tags.read); cost < least {
			best, least = b, cost
		}
	}
	return a.result(&best, &tags), true
}

// The families have all organisations that can be built, each once.
func TestFamiliesHaveAllOrganisations(t *testing.T) {
	a := Array{Bytes: 4096, Ways: 2, LineBytes: 64, OutBytes: 16, Banks: 1, Tagged: true, NodeNM: 32, Rows: 16}
	for _, tags := range []bool{false, true} {
		w := newWorkshop(&a, processOf(a.NodeNM, a.LowPower), tags)
		missing := map[Partition]int{}
		for _, b := range w.all() {
			missing[b.Partition]++
		}
		if len(missing) < 10 {
			t.Errorf("tags %v: %d organisations can be built", tags, len(missing))
		}
		w.families = w.list()
		for i := range w.families {
			w.make(&w.families[i])
			for k := range w.families[i].members {
				missing[w.families[i].members[k].Partition]--
			}
		}
		for part, n := range missing {
			if n != 0 {
				t.Errorf("tags %v: %+v is %d times more in the list than in the families", tags, part, n)
			}
		}
	}
}

// The search leaves out whole families by their bounds, so no member may cost less than they say, with its
// trees and without.
func TestNoMemberCostsLessThanItsBounds(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 40, tracetest.Fewer(1, 3)) {
		a := randomArray(rand.New(rand.NewPCG(seed, 9)))
		if a.check() != nil {
			continue
		}
		w := newWorkshop(&a, processOf(a.NodeNM, a.LowPower), a.Tagged)
		w.families = w.list()
		for i := range w.families {
			f := &w.families[i]
			w.make(f)
			for k := range f.members {
				c := &f.members[k]
				without := c.costs
				if what, ok := holds(&f.bound, &without); !ok {
					t.Fatalf("seed %d: %+v: the %s of %+v is below its family's", seed, a, what, c.Partition)
				}
				if what, ok := holds(&without, w.built(c)); !ok {
					t.Fatalf("seed %d: %+v: the %s of %+v is less with its trees", seed, a, what, c.Partition)
				}
			}
		}
	}
}

// holds tells which cost of an organisation is below its bound.
func holds(bound, costs *built) (string, bool) {
	for _, c := range []struct {
		what       string
		bound, has float64
	}{
		{"access", bound.access, costs.access}, {"cycle", bound.cycle, costs.cycle}, {"read", bound.read, costs.read}, {"output", bound.out, costs.out},
		{"time to the output", bound.beforeOut, costs.beforeOut}, {"time to select", bound.selected, costs.selected},
	} {
		if c.has < atLeast(c.bound) {
			return c.what, false
		}
	}
	return "", true
}

// Of a large cache the search makes the members of few families, and the trees of few members.
func TestTheSearchMakesFewOrganisations(t *testing.T) {
	a := Array{Bytes: 8 << 20, Ways: 32, LineBytes: 128, OutBytes: 128, Banks: 1, Tagged: true, Sequential: true, LowPower: true, NodeNM: 32, Rows: 16}
	w := newWorkshop(&a, processOf(a.NodeNM, a.LowPower), false)
	w.cheapest(&built{})
	made, whole := 0, 0
	for i := range w.families {
		f := &w.families[i]
		if f.made {
			made++
		}
		for k := range f.members {
			if f.members[k].whole {
				whole++
			}
		}
	}
	t.Logf("%d of %d families are made, %d members whole", made, len(w.families), whole)
	if all := len(w.partitions()); made > len(w.families)/3 || whole > all/20 {
		t.Errorf("%d of %d families are made, and the trees of %d of %d partitions", made, len(w.families), whole, all)
	}
}

// Search takes each array that a machine has, once a process.
func BenchmarkSearch(b *testing.B) {
	a := Array{Bytes: 65536, Ways: 16, LineBytes: 128, OutBytes: 64, Banks: 1, Tagged: true, NodeNM: 32, Rows: 16}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Search(a); err != nil {
			b.Fatal(err)
		}
	}
}
