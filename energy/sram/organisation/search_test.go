// SPDX-License-Identifier: Apache-2.0

package organisation

import (
	"strings"
	"testing"
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
	list := a.all(processOf(45, false), false)
	if len(list) < 50 {
		t.Fatalf("%d organisations", len(list))
	}
	cost := r.ReadPJ * r.AccessNS * r.AccessNS
	for _, b := range promising(list) {
		if other := b.read * 1e12 * b.access * 1e9 * b.access * 1e9; other < cost*(1-1e-12) {
			t.Errorf("%+v costs %g, the choice %+v %g", b.Partition, other, r.Data, cost)
		}
	}
}
