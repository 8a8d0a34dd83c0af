// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"testing"

	"github.com/warptape/warptape/timing/lowering/loweringtest"
)

// A predicate of an inner branch takes the outer one in wherever its comparison stands, also
// as a block's first operation, where an earlier block has made the outer one.
func TestABlocksFirstComparisonTakesInTheOuterPredicate(t *testing.T) {
	k := loweringtest.Blocks(t, "1 3/3: setp.s32 p2, r2, 7; bra 3\n2 3/3: add.s32 r9, r9, 3; bra2 3\n3: add.s32 r9, r1, 1\n: st.global.u32 [d1], r9; exit")
	f := grouped(t, k, "0 1? 2? 3")
	const want = "ISETP p2 r2 7 !p1; @!p1 ~IADD3 r9 r9 3; @!p2 ~IADD3 r9 r1 1; STG r9 [d1+0]"
	if got := written(f, f.Blocks[0].Ops); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// An inner predicate that stands in front of the outer one does not take it in: it would read what
// the outer one's register held before.
func TestAComparisonInFrontOfTheOuterOneDoesNotTakeItIn(t *testing.T) {
	k := loweringtest.Blocks(t, "1 3/3: setp.s32 p2, r2, 7; setp.s32 p1, r1, 5; bra 3\n2 3/3: add.s32 r9, r9, 3; bra2 3\n3: add.s32 r9, r1, 1\n: st.global.u32 [d1], r9; exit")
	f := grouped(t, k, "0 1? 2? 3")
	const want = "ISETP p2 r2 7; ISETP p1 r1 5; @!p1 ~IADD3 r9 r9 3; @!p2 ~IADD3 r9 r1 1; STG r9 [d1+0]"
	if got := written(f, f.Blocks[0].Ops); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
