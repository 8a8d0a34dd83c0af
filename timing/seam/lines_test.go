// SPDX-License-Identifier: Apache-2.0

package seam

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// A range holds the lines from its first to its last, whatever lies in the bits that its mask leaves out.
func TestRangesOfLines(t *testing.T) {
	l := Lines{Mask: ^TagMask, First: 0x1000, Last: 0x1f80}
	for _, tag := range []uint64{0, 1 << TagShift, TagMask} {
		for line, want := range map[uint64]bool{0: false, 0xf80: false, 0x1000: true, 0x1080: true, 0x1f80: true, 0x2000: false, 1<<49 | 0x1000: false, 1<<60 | 0x1000: false} {
			if got := l.Holds(line | tag); got != want {
				t.Errorf("line %#x with tag %#x: %v", line, tag, got)
			}
		}
	}
	for _, line := range []uint64{0, 128, 1 << 40, 1 << 63, ^uint64(127)} {
		if !AllLines.Holds(line) || NoLines.Holds(line) {
			t.Errorf("line %#x is not among all lines, or is among none", line)
		}
	}
}

// Windows and tags lie apart from each other and from what a space's addresses can be: 49 bits, as those of CUDA's
// unified memory have (CUDA C++ programming guide, unified virtual address space).
func TestWindowsLieApart(t *testing.T) {
	const addresses = uint64(1)<<49 - 1
	spaces := map[trace.Space]uint64{trace.SpaceConst: Window(trace.SpaceConst), trace.SpaceParam: Window(trace.SpaceParam)}
	for s, w := range spaces {
		if w == 0 || w&(addresses|TagMask) != 0 {
			t.Errorf("the window of %v is %#x", s, w)
		}
	}
	if spaces[trace.SpaceConst] == spaces[trace.SpaceParam] || Window(trace.SpaceGlobal) != 0 || Window(trace.SpaceShared) != 0 {
		t.Errorf("windows are %#x, and %#x of global memory", spaces, Window(trace.SpaceGlobal))
	}
	if TagMask&addresses != 0 || TagMask>>TagShift&1 == 0 {
		t.Errorf("tags have the bits %#x, the first is bit %d", TagMask, TagShift)
	}
}
