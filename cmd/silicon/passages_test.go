// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// Lanes that part go their own ways: what lies between two visits of a lane is another's.
func TestPassagesAreThoseOfEachLane(t *testing.T) {
	counts := map[passage]uint64{}
	follow(trace.Warp{Blocks: []uint32{0, 1, 2, 3, 3}, Masks: []uint32{0b1111, 0b0011, 0b1100, 0b1101, 0b0010}}, counts)
	want := map[passage]uint64{{0, 1}: 2, {0, 2}: 2, {1, 3}: 2, {2, 3}: 2}
	if !maps.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
}

// A loop over 600 corners goes back 599 times: the branch at its end is taken by those
// lanes, which the card counts, and by no others. Branches of a division lead around its
// subroutine, and are not taken.
func TestABranchCountsLanesThatTakeIt(t *testing.T) {
	tracetest.Nightly(t)
	s := &compiledSpaces(t)[1]
	s.Sample = "sms=1/68,fraction=0.0001,waves=1"
	row := &s.Rows[12] // 14 points a thread: one edge a round
	ways := passages{}
	o, err := s.evaluate(t.Context(), s.machine(lowered, row), row.Set, ways)
	if err != nil {
		t.Fatal(err)
	}
	m, err := arch.Load(s.machine(lowered, row))
	if err != nil {
		t.Fatal(err)
	}
	back := 0
	for i := range o.Kernels {
		k := &o.Kernels[i]
		if k.Name != o.Launches[0].Kernel {
			continue
		}
		made, err := lowering.For(m, k, int(o.Launches[0].Block.Count()), true)
		if err != nil {
			t.Fatal(err)
		}
		for n := range made.Kernel.Instructions {
			got := taken(made, k, n, ways[k.Name])
			if in := &made.Kernel.Instructions[n]; in.Class != trace.ClassBranch {
				want := 1.0
				if in.Opcode == "BRA" || in.Class == trace.ClassMove && in.Guard.Present { // around the subroutine of a division, which all lanes call, or for numbers alone
					want = 0
				}
				if got != want {
					t.Errorf("%s: %g, want %g", in.Opcode, got, want)
				}
			} else if math.Abs(got-599.0/600) < 1e-9 {
				back++
			}
		}
	}
	if back != 1 {
		t.Errorf("%d branches are taken in 599 rounds of 600, want one", back)
	}
}

// A copy of a register by the multiplier is one of integers, as the card counts it.
func TestClassesAreThoseOfCodes(t *testing.T) {
	for code, want := range map[string]string{"IMAD.MOV.U32": "integer", "MOV": "misc", "SEL": "integer", "LOP3": "integer", "SHF": "integer", "MUFU": "", "FCHK": "", "PLOP3": "", "P2R": "", "BSSY": "control", "FSETP.GT": "fp32"} {
		class := classOfCode(code)
		if got := strings.Join(Classes[max(class, 0):max(class, 0)+min(class+1, 1)], ""); got != want {
			t.Errorf("%s is %q, want %q", code, got, want)
		}
	}
}
