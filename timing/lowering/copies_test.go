// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/allocate"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
)

// drawnLoop is a loop around another one. It copies numbers and computes the next ones in
// front of the inner loop and behind it.
func drawnLoop(draw *rand.Rand) string {
	begin := "1: ld.global.u64 d1, [d8]"
	for r := 1; r <= 6; r++ {
		begin += fmt.Sprintf("; ld.global.u32 r%d, [d1+%d]", r, 4*r)
	}
	return begin + "\n2: " + drawnBody(draw) + "\n2 3/3: ld.global.u32 r7, [d1+96]; setp.lt.s32 p1, r7, 9; bra 2\n1 4/4: " +
		drawnBody(draw) + fmt.Sprintf("; setp.lt.s32 p1, r%d, 30; bra 1\n", 1+draw.IntN(6)) + "/: exit"
}

func drawnBody(draw *rand.Rand) string {
	some := func() int { return 1 + draw.IntN(6) }
	var body []string
	for range 4 + draw.IntN(8) {
		switch draw.IntN(4) {
		case 0:
			body = append(body, fmt.Sprintf("mov.u32 r%d, r%d", some(), some()))
		case 1:
			body = append(body, fmt.Sprintf("ld.global.u32 r%d, [d1+%d]", some(), 4*draw.IntN(8)))
		case 2:
			body = append(body, fmt.Sprintf("st.global.u32 [d1+%d], r%d", 4*draw.IntN(8), some()))
		default:
			body = append(body, fmt.Sprintf("xor.b32 r%d, r%d, r%d", some(), some(), some()))
		}
	}
	return strings.Join(body, "; ")
}

// In the order of a kernel's operations no move is left whose two registers could be one.
func TestTheOrderLeavesNoMoveWithoutNeed(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 30))
	for range 200 {
		text := drawnLoop(draw)
		l := lowered(t, loweringtest.Blocks(t, text), lowering.Budget{})
		if allocate.Coalesce(l.Function, nil) {
			t.Fatalf("a move can be dropped of\n%s", text)
		}
	}
}
