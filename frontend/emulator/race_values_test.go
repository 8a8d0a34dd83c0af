// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"strings"
	"testing"
)

// Which lane's value stays is undefined where lanes of one store write different ones.
func TestLanesThatStoreDifferentValuesToOnePlaceAreWarnedOf(t *testing.T) {
	for _, c := range []struct {
		name, body string
		warnings   int
	}{
		{"one word", "st.shared.u32 [s], %r0; ret;", 1},
		{"one word, the same value", "st.shared.u32 [s], 7; ret;", 0},
		{"own words", "st.shared.u32 [%r1], %r0; ret;", 0},
		{"two lanes share a word", "and.b32 %r6, %r1, 0xf8; st.shared.u32 [%r6], %r0; ret;", 1},
		{"two lanes share a word and the value", "and.b32 %r6, %r1, 0xf8; shr.u32 %r7, %r0, 1; st.shared.u32 [%r6], %r7; ret;", 0},
		{"two stores, a warning for each", "st.shared.u32 [s], %r0; st.shared.u32 [s+4], %r0; ret;", 2},
		{"a loop is one store", "mov.u32 %r7, 0; L: st.shared.u32 [s], %r0; bar.warp.sync -1; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 3; @%p1 bra L; ret;", 1},
		{"one lane alone", "setp.eq.u32 %p1, %r0, 5; @%p1 st.shared.u32 [s], %r0; ret;", 0},
		{"lanes in turn", "setp.eq.u32 %p1, %r0, 5; @%p1 st.shared.u32 [s], %r0; bar.warp.sync -1; setp.eq.u32 %p2, %r0, 6; @%p2 st.shared.u32 [s], %r0; ret;", 0},
		{"bytes of one word", "add.u32 %r6, %r4, %r0; st.shared.u8 [%r6], %r0; ret;", 0},
		{"one byte, values that differ above it", "shl.b32 %r6, %r0, 8; st.shared.u8 [s], %r6; ret;", 0},
		{"a vector", "and.b32 %r6, %r1, 0xf0; st.shared.v2.u32 [%r6], {1, %r0}; ret;", 1},
		{"a vector, the same values", "and.b32 %r6, %r1, 0xf0; st.shared.v2.u32 [%r6], {1, 2}; ret;", 0},
		{"generic addresses", "mov.u64 %d3, s; cvta.shared.u64 %d3, %d3; st.u32 [%d3], %r0; ret;", 1},
		{"global memory", "st.global.u32 [%d1], %r0; ret;", 1},
		{"global memory, own words", "st.global.u32 [%d0], %r0; ret;", 0},
		{"local memory", "st.local.u32 [l], %r0; ret;", 0},
		{"atomics", "atom.shared.exch.b32 %r5, [s], %r0; red.global.add.u32 [%d1], %r0; ret;", 0},
		{"loads", "ld.shared.u32 %r5, [s]; ret;", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, warnings := raceScript(".local .align 4 .b8 l[4]; "+c.body), 0
			s.block, s.options.Warn = dims(32, 1), func(error) { warnings++ }
			if _, err := s.launch(t); err != nil || warnings != c.warnings {
				t.Errorf("%d warnings, want %d; %v", warnings, c.warnings, err)
			}
			s.options.CheckRaces = false
			if _, err := s.launch(t); err != nil || warnings != c.warnings {
				t.Errorf("%d warnings without the check; %v", warnings-c.warnings, err)
			}
		})
	}
}

func TestAWarningOfDifferingStoresNamesLanesAndValues(t *testing.T) {
	s, got := raceScript("add.u32 %r6, %r0, 0x100; and.b32 %r7, %r1, 0xf8;\n.loc 1 30 0\n st.shared.v2.u32 [%r7], {%r6, 9}; ret;"), ""
	s.block, s.declarations = dims(8, 1), `.file 1 "k.cu"`
	s.options.Warn = func(w error) { got += w.Error() + "\n" }
	if _, err := s.launch(t); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("script.ptx:%d: differing stores: shared store of 8 bytes at 0x0 by thread (0,0,0) of block (0,0,0) in kernel kernel: "+
		"the same instruction stores {0x100, 0x9} by this thread and {0x101, 0x9} by thread (1,0,0); which one stays is undefined (source k.cu:30)\n", scriptLine+4)
	if got != want {
		t.Errorf("warning\n%s, want\n%s", got, want)
	}
}

// Thread blocks of a cooperative launch have checkers of their own, and a launch one warning.
func TestThreadBlocksThatRunTogetherHaveOneWarning(t *testing.T) {
	const kernel = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { .reg .b32 %r<4>; .shared .align 4 .b8 s[4]; mov.u32 %r0, %tid.x;\n st.shared.u32 [s], %r0; ret; }"
	var warnings []string
	d := NewDevice(Options{CheckRaces: true, Warn: func(w error) { warnings = append(warnings, w.Error()) }})
	_, err := d.Launch(LaunchRequest{Kernel: kernelOf(t, d, "k.ptx", kernel, "k"), Grid: dims(3, 1), Block: dims(32, 1), Cooperative: true})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "block (0,0,0)") {
		t.Errorf("%q, %v", warnings, err)
	}
}
