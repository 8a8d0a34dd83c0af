// SPDX-License-Identifier: Apache-2.0

package teslamatch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
)

// There are no reference runs with warps of 64, but the rules of docs/tesla.md say what
// such machines take. The first issue comes behind 2 + 8 + 64 cycles and the warp's own.
// Then each instruction of a warp that is alone takes 64/processors + 4 cycles.
func TestWideWarpsTakeWhatTheRulesSay(t *testing.T) {
	const lane = "LDS r0, TID\nMVI r1, 10\nSHR r0, r0, r1\n"
	for _, c := range []struct {
		text                string
		processors, threads int
		issues              int // of the warp, replays included
	}{
		{"EXIT", 64, 64, 1},
		{"EXIT", 16, 64, 1},
		{"NOP\nNOP\nEXIT", 64, 64, 3},
		{"NOP\nEXIT", 64, 40, 2}, // a warp of 40 threads
		{lane + "LD r2, r0\nEXIT", 64, 64, 5},
		{lane + "MVI r3, 8\nMUL r0, r0, r3\nLD r2, r0\nEXIT", 64, 64, 6 + 8},            // gcd(8, 64)
		{lane + "MVI r3, 1\nSHR r0, r0, r3\nLD r2, r0\nEXIT", 64, 64, 7},                // words shared by two lanes
		{lane + "MVI r3, 64\nMUL r0, r0, r3\nLD r2, r0\nEXIT", 64, 64, 6 + 16},          // 16 words of the 1024 in one bank
		{lane + "MVI r3, 8\nMUL r0, r0, r3\nST r0, r1\nEXIT", 32, 64, 6 + 8},            // gcd(8, 32)
		{lane + "MVI r3, 5\nSHR r3, r0, r3\nSSY e\nBNE r3, e\nNOP\ne: EXIT", 64, 64, 9}, // halves part
	} {
		k, err := language.Assemble("k", fmt.Sprintf(".block %d\n%s", c.threads, c.text))
		if err != nil {
			t.Fatal(err)
		}
		here := machine.Reference(1, c.processors)
		here.WarpWidth = 64
		rows := 64 / c.processors
		want := uint64(11 + c.threads + c.issues*(rows+4))
		for _, width := range []int{32, 64} { // in which it is recorded
			there := machine.Reference(1, 8)
			there.WarpWidth = width
			r, _, err := Record(k, there)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Replay(r, here)
			if err != nil {
				t.Fatalf("%s: %v", c.text, err)
			}
			if got.Cycles != want || got.Issues != uint64(c.issues) {
				t.Errorf("%d processors, recorded in warps of %d: %d cycles of %d issues, want %d of %d\n%s", c.processors, width, got.Cycles, got.Issues, want, c.issues, c.text)
			}
		}
	}
}

// What threads do that are in one warp of one machine and in two of another may be
// something else there, and is refused.
func TestWidthsThatWouldDoSomethingElseAreRefused(t *testing.T) {
	const lane = ".block 64\nLDS r0, TID\nMVI r1, 10\nSHR r0, r0, r1\nMVI r1, 5\nSHR r3, r0, r1\nMVI r9, 0\n.registers 10\n"
	for name, c := range map[string]struct {
		text        string
		there, here int // widths
		processors  int
		want        string
	}{
		"parting without SSY":      {lane + "BNE r3, e\nNOP\ne: EXIT", 32, 64, 32, "unsafe stack: in warps of 64, lanes ffffffff00000000 take the branch and lanes ffffffff do not"},
		"one EXIT of two":          {lane + "SSY e\nBNE r3, e\nEXIT\ne: EXIT", 32, 64, 32, "EXIT: thread block 0, warp 0 (multiprocessor 0, cycle"},
		"barriers apart":           {lane + "SSY e\nBNE r3, o\nBAR\nBEQ r9, e\no: BAR\nNOP\ne: EXIT", 32, 64, 32, "BAR: thread block 0, warp 0"},
		"constants of a wide row":  {".const 1 2\n" + lane + "LDC r4, r3\nEXIT", 32, 64, 64, "lanes 0 and 32 of a row of 64 ask for different constants"},
		"constants of rows":        {".const 1 2\n" + lane + "LDC r4, r3\nEXIT", 32, 64, 32, ""},
		"stores of two warps":      {lane + "ST r9, r3\nEXIT", 32, 64, 32, "depends on timing"},
		"stores of a warp":         {lane + "ST r9, r3\nEXIT", 64, 32, 32, "depends on rows"},
		"lanes that tell lanes":    {lane + "ST r0, r3\nMVI r1, 32\nXOR r0, r0, r1\nLD r4, r0\nEXIT", 64, 32, 32, "depends on the lanes of a warp: k:12: LD r4, r0: lane 0 of warp 0 of thread block 0 uses word 32"},
		"in warps as wide":         {lane + "ST r0, r3\nMVI r1, 16\nXOR r0, r0, r1\nLD r4, r0\nEXIT", 32, 64, 32, ""},
		"a barrier of half a warp": {lane + "SSY e\nBNE r3, e\nBAR\ne: EXIT", 64, 32, 32, "depends on the width of warps"},
		"an SSY that parts only a wide warp": {lane + "MVI r1, 1\nAND r4, r0, r1\nSSY e\nBNE r4, e\nSSY i\nBNE r3, i\nNOP\ni: NOP\ne: EXIT", 64, 32, 32,
			"unsafe stack: behind it, lanes aaaaaaaa of warps of 32 wait to meet"},
		"lanes that an EXIT ended": {lane + "SSY e\nBNE r3, o\nNOP\nBEQ r9, e\no: EXIT\ne: EXIT", 64, 32, 32, "ends without EXIT"},
	} {
		there, here := machine.Reference(1, 8), machine.Reference(1, c.processors)
		there.WarpWidth, here.WarpWidth = c.there, c.here
		there.RegisterAddressBits++
		here.RegisterAddressBits += 2
		got := refusal(t, recorded(t, c.text, there), Spec(here))
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
