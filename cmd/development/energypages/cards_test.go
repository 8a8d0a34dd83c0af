// SPDX-License-Identifier: Apache-2.0

package energypages

import (
	"math"
	"testing"

	"github.com/warptape/warptape/cmd/silicon"
	"github.com/warptape/warptape/energy"
)

// No kernel that keeps a level of memory busy draws more than the board may, with a tenth for peaks, and the
// busiest draws more than an idle card.
func TestBusyCardsDrawWhatTheirBoardsMay(t *testing.T) {
	list, err := powerOfCards()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.die.BoardW == 0 {
			t.Errorf("%s has no die", p.card)
		}
		for i, w := range p.kernels {
			if !(w > p.die.IdleW && w > p.idleW && w <= 1.1*p.die.BoardW) {
				t.Errorf("%s: %s draws %.0f W; the idle card draws %.0f, here %.0f, and the board may %.0f", p.card, cardKernels[i], w, p.die.IdleW, p.idleW, p.die.BoardW)
			}
		}
	}
}

// The dies come to within three tenths of the published ones. Those are no input.
func TestDiesHaveTheSizeOfTheirCards(t *testing.T) {
	for _, card := range cards {
		m, model, err := cardModel(card)
		if err != nil {
			t.Fatal(err)
		}
		die, ok := energy.DieOf(m)
		if !ok {
			t.Errorf("%s has no die", card)
			continue
		}
		sum := 0.0
		for i := range model.Components {
			sum += model.Components[i].AreaMM2
		}
		if off := sum/die.MM2 - 1; math.Abs(off) > 0.3 {
			t.Errorf("%s: %.0f mm2 for %.0f, %+.0f %%", card, sum, die.MM2, 100*off)
		}
	}
	if _, err := areaRows(); err != nil {
		t.Error(err)
	}
}

// The kernels that were measured on a V100 draw within a quarter of what was measured.
func TestKernelsOnAV100DrawWhatWasMeasured(t *testing.T) {
	found, err := silicon.Last()
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Kernels) == 0 {
		t.Fatal("no kernels")
	}
	for i := range found.Kernels {
		if k := &found.Kernels[i]; math.Abs(k.WattsOff()) > 25 {
			t.Errorf("%s: %.0f W for %.0f", k.Kernel, k.Watts, k.MeasuredWatts)
		}
	}
}
