// SPDX-License-Identifier: Apache-2.0

package organisation

import (
	"math"
	"testing"
)

// Each path through a mat is the longest in turn: what an access takes is the time of that one, by hand.
func TestTheLongestPathDecides(t *testing.T) {
	base := func() access {
		return access{row: decoded{delay: 1}, column: decoded{delay: 1}, first: decoded{delay: 1}, second: decoded{delay: 1},
			rowGate: 1, columnGate: 1, firstGate: 1, secondGate: 1, bitLine: 1, sense: 1, out: 1, wordReset: 1, bitRestore: 1}
	}
	for _, c := range []struct {
		name                       string
		change                     func(*access)
		selected, beforeOut, cycle float64
	}{
		{"rows", func(x *access) { x.row.delay = 20 }, 12, 10 + 20 + 3, 20},
		{"word lines", func(x *access) { x.rowGate = 20 }, 12, 10 + 1 + 22, 24},
		{"bit lines", func(x *access) { x.bitLine = 20 }, 12, 10 + 1 + 22, 24},
		{"columns", func(x *access) { x.column.delay = 20 }, 12, 10 + 20 + 2, 20},
		{"columns' gates", func(x *access) { x.columnGate = 20 }, 12, 10 + 1 + 21, 5},
		{"the first multiplexer", func(x *access) { x.first.delay = 20 }, 10 + 21, 10 + 21, 20},
		{"the first multiplexer's gate", func(x *access) { x.firstGate = 20 }, 10 + 21, 10 + 21, 5},
		{"the second multiplexer", func(x *access) { x.second.delay = 20 }, 10 + 21, 10 + 21, 20},
		{"the second multiplexer's gate", func(x *access) { x.secondGate = 20 }, 10 + 21, 10 + 21, 5},
		{"resets", func(x *access) { x.wordReset, x.bitRestore = 20, 30 }, 12, 10 + 1 + 3, 53},
	} {
		x, b := base(), built{}
		c.change(&x)
		b.time(&x, 10, 100)
		if b.selected != c.selected || b.beforeOut != c.beforeOut || b.out != 101 || b.access != c.beforeOut+101 || b.cycle != c.cycle {
			t.Errorf("%s: %+v", c.name, b)
		}
	}
}

// A gate takes the area of its transistors, and none where it has none of one kind. Wider ones take more.
func TestAreaOfGates(t *testing.T) {
	p := newProcess(32, false)
	if a, b := p.gateArea(1, 0, 1, 10), p.gateArea(2, 1, 0, 10); a != 0 || b != 0 {
		t.Errorf("gates without transistors take %g and %g", a, b)
	}
	narrow, wide, folded := p.gateArea(1, 0.2, 0.1, 10), p.gateArea(1, 0.4, 0.2, 10), p.gateArea(1, 40, 20, 10)
	if narrow <= 0 || wide <= narrow || folded <= 10*wide {
		t.Errorf("gates take %g, %g and %g", narrow, wide, folded)
	}
}

// A folded drain has the gaps between the gates of each fold, and a contact between each two. They are as wide as the fold, with two
// sides, the edges along the gates and the metal over them; an odd number of folds ends at an open edge.
func TestFoldsOfADrainHaveTheirContactsAndGaps(t *testing.T) {
	p := newProcess(32, false)
	const fold = 0.4
	for stack := 1; stack <= 4; stack++ {
		gaps := float64(stack - 1)
		for folds := 2.0; folds <= 5; folds++ {
			across := (folds-1)*(p.feature+2*p.contact) + folds*gaps*p.polyGap
			want := p.junctionF*across*fold + p.sidewallF*(2*across+fold*float64(int(folds)%2)) + p.drainEdgeF*folds*(fold+2*fold*gaps) + p.local.farad*across
			if got := p.foldedDrain(fold*(folds-0.5), stack, fold); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%d in series, %g folds: %g F, want %g", stack, folds, got, want)
			}
		}
	}
}
