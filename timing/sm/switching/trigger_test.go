// SPDX-License-Identifier: Apache-2.0

package switching

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// The words of an architecture's warp_switch are met by what they name: every instruction, a branch, an access that
// leaves the SM, any access.
func TestInstructionsAreTheTriggersOfTheirWords(t *testing.T) {
	for _, c := range []struct {
		class                       trace.OpClass
		space                       trace.Space
		branch, memory, everyMemory bool
	}{
		{trace.ClassIntAdd, trace.SpaceNone, false, false, false},
		{trace.ClassBranch, trace.SpaceNone, true, false, false},
		{trace.ClassCall, trace.SpaceNone, true, false, false},
		{trace.ClassLoad, trace.SpaceGlobal, false, true, true},
		{trace.ClassLoad, trace.SpaceLocal, false, true, true},
		{trace.ClassAtomic, trace.SpaceGlobal, false, true, true},
		{trace.ClassTexture, trace.SpaceTexture, false, true, true},
		{trace.ClassLoad, trace.SpaceShared, false, false, true},
		{trace.ClassLoad, trace.SpaceConst, false, false, true},
		{trace.ClassLoad, trace.SpaceParam, false, false, true},
		{trace.ClassAtomic, trace.SpaceShared, false, false, true},
		{trace.ClassStore, trace.SpaceGlobal, false, false, true}, // nothing waits for it
		{trace.ClassBulk, trace.SpaceGlobal, false, false, true},
	} {
		got := Of(&trace.Instruction{Class: c.class, Space: c.space})
		if got&Any == 0 || got&Branch != 0 != c.branch || got&Memory != 0 != c.memory || got&EveryMemory != 0 != c.everyMemory {
			t.Errorf("class %v of space %v: triggers %b", c.class, c.space, got)
		}
	}
}

// Words name events, and those of two names both.
func TestWordsNameEvents(t *testing.T) {
	for word, want := range map[string]Trigger{"non": 0, "mem": On("mem"), "mbr": On("mem") | On("bra"), "mbr-every": On("mem-every") | On("bra"), "mbr-miss": On("mem-miss") | On("bra")} {
		if got := On(word); got != want {
			t.Errorf("%s: triggers %b, want %b", word, got, want)
		}
	}
	seen := map[Trigger]string{}
	for word, trigger := range words {
		if other, ok := seen[trigger]; ok {
			t.Errorf("%s and %s are the same", word, other)
		}
		seen[trigger] = word
	}
}
