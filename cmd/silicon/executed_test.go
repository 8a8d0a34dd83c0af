// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/traces"
)

// compiledSpaces are the spaces, where the compiler is here that their rows need.
func compiledSpaces(t *testing.T) []Space {
	t.Helper()
	compiler, err := clang.FindPreferring(traces.Compiler)
	if errors.Is(err, clang.ErrNone) || err == nil && compiler.Release != traces.Compiler {
		t.Skip("the rows need another clang")
	}
	spaces, err := Spaces()
	if err != nil {
		t.Fatal(err)
	}
	return spaces
}

// The card's counters say how many instructions its warps executed, in all and by class: some
// rows of each kind of loop, so that a change of the programs or of the lowering that loses an
// agreement is noticed. A small sample is enough, as thread blocks do the same.
func TestWarpInstructionsAreThoseOfTheCard(t *testing.T) {
	spaces := compiledSpaces(t)
	for _, c := range tracetest.Draw(t, []struct {
		space, row int
		most       float64 // off the card's
	}{
		// Rounds by four, rounds that are left over, checks of bounds. The last row lacks moves that
		// the card makes.
		{0, 29, 0.01}, {0, 63, 0.04}, {0, 85, 0.055},
		{1, 32, 0.05}, {1, 51, 0.05}, {1, 58, 0.05}, {1, 27, 0.05}, // edges two, four and one at a time
	}, 1) {
		s := spaces[c.space]
		s.Sample = "sms=1/68,fraction=0.0001,waves=1"
		row := &s.Rows[c.row]
		ways := passages{}
		o, err := s.evaluate(context.Background(), s.machine(lowered, row), row.Set, ways)
		if err != nil {
			t.Fatal(err)
		}
		in := inModel(&o)
		if err := in.count(s.machine(lowered, row), &o, ways); err != nil {
			t.Fatal(err)
		}
		if off := in.Counts.WarpInstructions/row.Counts.WarpInstructions - 1; math.Abs(off) > c.most {
			t.Errorf("%s row %d: %+.2f %% warp instructions, at most %g are known", s.Workload, c.row, 100*off, 100*c.most)
		}
		for class, most := range map[string]float64{"fp32": 0.002, "integer": 0.05} {
			n := slices.Index(Classes[:], class)
			if off := in.Counts.Lanes[n]/row.Counts.Lanes[n] - 1; c.space == 1 && math.Abs(off) > most {
				t.Errorf("%s row %d: %+.1f %% of class %s", s.Workload, c.row, 100*off, class)
			}
		}
	}
}

// A sample of less than two fills gives the middle of two bounds: rtx3090 had times that were
// a quarter too short of such ones. A comparison takes none.
func TestAGuessIsNoResult(t *testing.T) {
	s := compiledSpaces(t)[2]
	s.Sample = "sms=1/82,fraction=0.0001,waves=1"
	c := Comparison{Models: []string{lowered}}
	if _, err := c.row(t.Context(), &s, 49, nil); err == nil || !strings.Contains(err.Error(), "less than two fills") {
		t.Errorf("got %v", err)
	}
}
