// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"strings"
	"testing"
)

// raceScript runs a body on two warps with 256 bytes of shared memory; %r1 is
// the thread's word in it, %r2 that of thread tid^1, %r3 that of thread tid^32.
func raceScript(body string) *script {
	return &script{block: dims(64, 1), options: Options{CheckRaces: true}, body: `.shared .align 4 .b8 s[256];
		shl.b32 %r1, %r0, 2; xor.b32 %r2, %r1, 4; xor.b32 %r3, %r1, 128; mov.u32 %r4, s; add.u32 %r1, %r1, %r4; add.u32 %r2, %r2, %r4; add.u32 %r3, %r3, %r4;
` + body}
}

func TestRacesAreWhatNoBarrierOrders(t *testing.T) {
	for _, c := range []struct {
		name, body string
		races      int
	}{
		{"store, barrier, load", "st.shared.u32 [%r1], %r0; bar.sync 0; ld.shared.u32 %r5, [%r3]; ret;", 0},
		{"store, load of the other warp", "st.shared.u32 [%r1], %r0;\n ld.shared.u32 %r5, [%r3]; ret;", 1},
		{"load, store of the other warp", "ld.shared.u32 %r5, [%r1];\n st.shared.u32 [%r3], %r0; ret;", 1},
		{"load, barrier, store", "ld.shared.u32 %r5, [%r1]; bar.sync 0; st.shared.u32 [%r3], %r0; ret;", 0},
		{"two stores", "st.shared.u32 [%r1], %r0;\n st.shared.u32 [%r3], %r0; ret;", 1},
		{"own words", "st.shared.u32 [%r1], %r0; ld.shared.u32 %r5, [%r1]; st.shared.u32 [%r1], %r5; ret;", 0},
		{"one instruction, one word", "st.shared.u32 [s], %r0; ret;", 1},
		{"loads only", "ld.shared.u32 %r5, [s]; ld.shared.u32 %r6, [%r3]; ret;", 0},
		{"neighbouring lanes", "st.shared.u32 [%r1], %r0;\n ld.shared.u32 %r5, [%r2]; ret;", 1},
		{"neighbouring lanes, synchronised", "st.shared.u32 [%r1], %r0; bar.warp.sync -1; ld.shared.u32 %r5, [%r2]; ret;", 0},
		{"neighbouring lanes, shuffled between", "st.shared.u32 [%r1], %r0; shfl.sync.idx.b32 %r6, %r0, 0, 31, -1; ld.shared.u32 %r5, [%r2]; ret;", 0},
		{"warp synchronised, other warp", "st.shared.u32 [%r1], %r0; bar.warp.sync -1; ld.shared.u32 %r5, [%r3]; ret;", 1},
		{"atomics", "atom.shared.add.u32 %r5, [s], 1; atom.shared.add.u32 %r5, [s+4], 1; red.shared.add.u32 [s], 2; ret;", 0},
		{"atomic and load", "red.shared.add.u32 [s], 1;\n ld.shared.u32 %r5, [s]; ret;", 1},
		{"atomics of both warps, barrier, load", "red.shared.add.u32 [s], 1; bar.sync 0; ld.shared.u32 %r5, [s]; ret;", 0},
		{"another barrier", "setp.lt.u32 %p1, %r0, 32; st.shared.u32 [%r1], %r0; @%p1 bar.sync 1, 32; @!%p1 bar.sync 2, 32; ld.shared.u32 %r5, [%r3]; ret;", 1},
		{"generic addresses", "cvt.u64.u32 %d3, %r1; cvta.shared.u64 %d3, %d3; st.u32 [%d3], 1;\n ld.shared.u32 %r5, [%r3]; ret;", 1},
		{"neighbouring bytes", "st.shared.u8 [%r1], %r0; add.u32 %r6, %r3, 1; ld.shared.u8 %r5, [%r6]; ret;", 0},
		{"vectors overlap", "and.b32 %r6, %r1, 0xf8; st.shared.v2.u32 [%r6], {%r0, %r0};\n ld.shared.u32 %r5, [%r3]; ret;", 1},
		{"a loop without its second barrier", "mov.u32 %r7, 0; L: st.shared.u32 [%r1], %r0; bar.sync 0;\n ld.shared.u32 %r5, [%r3]; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 3; @%p1 bra L; ret;", 1},
		{"a loop", "mov.u32 %r7, 0; L: st.shared.u32 [%r1], %r0; bar.sync 0; ld.shared.u32 %r5, [%r3]; bar.sync 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 3; @%p1 bra L; ret;", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := raceScript(c.body).launch(t)
			n := 0
			if err != nil {
				n = strings.Count(err.Error(), " race: ")
			}
			if n != c.races {
				t.Errorf("%d races, want %d: %v", n, c.races, err)
			}
		})
	}
}

func TestRacesInGlobalMemoryAreFoundInsideABlock(t *testing.T) {
	for body, races := range map[string]bool{
		"st.global.u32 [%d0], %r0; xor.b32 %r1, %r0, 32; mad.wide.u32 %d3, %r1, 4, %d1;\n ld.global.u32 %r2, [%d3]; ret;":           true,
		"st.global.u32 [%d0], %r0; bar.sync 0; xor.b32 %r1, %r0, 32; mad.wide.u32 %d3, %r1, 4, %d1; ld.global.u32 %r2, [%d3]; ret;": false,
		"ld.global.u32 %r1, [%d1];\n @%p1 st.global.u32 [%d1], %r0; ret;":                                                           false,
	} {
		for _, check := range []bool{false, true} {
			s := script{block: dims(64, 1), options: Options{CheckRaces: !check, CheckGlobalRaces: check}, body: body}
			if _, err := s.launch(t); (err != nil) != (races && check) {
				t.Errorf("%s: %v", body, err)
			}
		}
	}
}

// A producer that arrives and a consumer that waits: only one side hears of the
// other.
func TestArrivingOrdersOneSideOnly(t *testing.T) {
	const head = "setp.lt.u32 %p1, %r0, 32; @%p1 bra PRODUCER; "
	good := raceScript(head + "bar.sync 1, 64; ld.shared.u32 %r5, [%r3]; ret; PRODUCER: st.shared.u32 [%r1], %r0; bar.arrive 1, 64; ret;")
	if _, err := good.launch(t); err != nil {
		t.Error(err)
	}
	late := raceScript(head + "bar.sync 1, 64; ld.shared.u32 %r5, [%r3]; ret;\n PRODUCER: bar.arrive 1, 64; st.shared.u32 [%r1], %r0; ret;")
	if _, err := late.launch(t); err == nil {
		t.Error("a store behind the arrival is not ordered")
	}
}

func TestLockstepTargetsOrderTheLanesOfAWarp(t *testing.T) {
	const kernel = ".version 6.0\n.target sm_%s\n.address_size 64\n.visible .entry k() { .reg .b32 %%r<4>; .shared .align 4 .b8 s[256]; mov.u32 %%r0, %%tid.x; shl.b32 %%r1, %%r0, 2; xor.b32 %%r2, %%r1, 4; st.shared.u32 [%%r1], %%r0;\n ld.shared.u32 %%r3, [%%r2]; ret; }"
	for target, races := range map[string]bool{"35": false, "61": false, "70": true, "90a": true} {
		d := NewDevice(Options{CheckRaces: true})
		_, err := d.Launch(LaunchRequest{Kernel: kernelOf(t, d, "k.ptx", fmt.Sprintf(kernel, target), "k"), Grid: dims(1, 1), Block: dims(32, 1)})
		if (err != nil) != races {
			t.Errorf("sm_%s: %v", target, err)
		}
	}
}

func TestARaceNamesBothAccesses(t *testing.T) {
	s := raceScript("\n.loc 1 30 0\n st.shared.u32 [%r1], %r0;\n.loc 1 31 0\nld.shared.u32 %r5, [%r3]; ret;")
	s.declarations = `.file 1 "k.cu"`
	_, err := s.launch(t)
	store := scriptLine + 4 // warp 1's, after all of warp 0's
	want := fmt.Sprintf("script.ptx:%d: race: shared store of 4 bytes at 0x80 by thread (32,0,0) of block (0,0,0) in kernel kernel: "+
		"no barrier is between it and the load by thread (0,0,0) at script.ptx:%d (source k.cu:31) (source k.cu:30)", store, store+2)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error\n%v, want\n%v", err, want)
	}
}
