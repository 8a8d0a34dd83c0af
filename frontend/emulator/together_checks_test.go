// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/trace/tracetest"
)

// sharedRace has warps read what other warps wrote without a barrier, in all
// blocks from one on, and threads of a block write to one word of global memory.
const sharedRace = ".shared .align 4 .b8 s[256]; mov.u32 %r8, s; mov.u32 %r9, %tid.x; shl.b32 %r9, %r9, 2; add.u32 %r10, %r8, %r9; " +
	"st.shared.u32 [%r10], %r0; setp.lt.u32 %p1, %r1, 7; @%p1 bar.sync 0; xor.b32 %r9, %r9, 128; add.u32 %r10, %r8, %r9; ld.shared.u32 %r5, [%r10]; " +
	"mul.lo.u32 %r11, %r1, 256; cvt.u64.u32 %d5, %r11; add.u64 %d5, %d5, %d1; st.global.u32 [%d5], %r5;"

// unwritten reads a word of shared memory that no thread has written, in a late block.
const unwritten = ".shared .align 4 .b8 s[256]; mov.u32 %r8, s; st.global.u32 [%d0], %r0; setp.ge.u32 %p1, %r1, 30; @%p1 ld.shared.u32 %r5, [%r8+128];"

func TestChecksTellTheSameOnAllCores(t *testing.T) {
	for _, c := range []struct {
		name, body, want string
		options          Options
	}{
		{"races", sharedRace, "shared store of 4 bytes at 0x80", Options{CheckRaces: true}},
		{"global races", sharedRace, "store of 4 bytes", Options{CheckGlobalRaces: true}},
		{"unwritten", unwritten, "no thread of the block has written byte 128", Options{CheckShared: true}},
		{"all", unwritten, "no thread of the block has written byte 128", Options{CheckShared: true, CheckRaces: true, CheckGlobalRaces: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sameAsAlone(t, c.body, c.options, false, 0)
			if got := together(t, 4, c.body, c.options, 0); !strings.Contains(got.fault, c.want) {
				t.Errorf("%q, want %q", got.fault, c.want)
			}
		})
	}
}

func TestTheWatchedThreadIsTheSameOnAllCores(t *testing.T) {
	watch := func(workers int) string {
		var out strings.Builder
		together(t, workers, "add.u32 %r5, %r0, 1; st.global.u32 [%d0], %r5;", Options{Watch: &coexecution.Watch{Block: 50, Thread: 35, Registers: []string{"%r5"}, Out: &out}}, 0)
		return out.String()
	}
	alone := watch(1)
	if got := watch(4); got != alone || !strings.Contains(got, "%r5 = 0xca4 (3236)") {
		t.Errorf("on four cores\n%s\non one\n%s", got, alone)
	}
}

func TestEndlessLoopsTellTheSameOnAllCores(t *testing.T) {
	const store = "st.global.u32 [%d0], %r0; "
	loops := map[string]string{
		"first block":            store + "L: bra L;",
		"a late block":           store + "setp.eq.u32 %p1, %r1, 50; L: @%p1 bra L;",
		"all but the first":      store + "setp.ne.u32 %p1, %r1, 0; L: @%p1 bra L;",
		"a flag of no block":     store + "setp.ne.u32 %p1, %r1, 40; @%p1 bra E; L: ld.volatile.global.u32 %r5, [%d2]; setp.eq.u32 %p1, %r5, 0; @%p1 bra L; E:",
		"a flag of a late block": store + "setp.ne.u32 %p1, %r1, 20; @%p1 bra E; L: ld.volatile.global.u32 %r5, [%d1+23040]; setp.eq.u32 %p1, %r5, 0; @%p1 bra L; E:",
	}
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(loops)), tracetest.Fewer(1, 3)) {
		body := loops[name]
		t.Run(name, func(t *testing.T) {
			sameAsAlone(t, body, Options{}, false, 0)
			if got := together(t, 4, body, Options{}, 0); !strings.Contains(got.fault, "never ends") {
				t.Errorf("%q is no endless loop", got.fault)
			}
		})
	}
}

// A loop that counts in memory has the same registers in each round.
func TestLoopsThatCountInMemoryEndOnAllCores(t *testing.T) {
	tracetest.Nightly(t)
	body := "st.global.u32 [%d0], %r0; setp.ne.u32 %p1, %r1, 50; @%p1 bra E; st.global.u32 [%d0], 0; " +
		"L: ld.volatile.global.u32 %r5, [%d0]; add.u32 %r5, %r5, 1; st.volatile.global.u32 [%d0], %r5; setp.lt.u32 %p1, %r5, 70000; mov.u32 %r5, 0; @%p1 bra L; E:"
	sameAsAlone(t, body, Options{}, false, 0)
	if got := together(t, 4, body, Options{}, 0); got.fault != "" {
		t.Error(got.fault)
	}
}

// While blocks run together, the state of a block's memory is what it has written.
func TestABlocksMemoryStateIsWhatItWrote(t *testing.T) {
	a := &memory.Allocation{Base: 4096, Bytes: 16, Data: make([]byte, 16), Claims: make([]atomic.Uint32, 4)}
	f := &coexecution.Footprint{Shift: 2, Written: []*memory.Allocation{a}}
	hash := func() uint64 {
		var h maphash.Hash
		h.SetSeed(memorySeed)
		f.HashWritten(&h, coexecution.Claimant(5))
		return h.Sum64()
	}
	coexecution.ClaimWrite(&a.Claims[1], coexecution.Claimant(5))
	coexecution.ClaimWrite(&a.Claims[2], coexecution.Claimant(6))
	coexecution.ClaimRead(&a.Claims[3], coexecution.Claimant(5))
	var hashes []uint64
	for _, at := range []int{0, 8, 15, 4, 7} {
		a.Data[at]++
		hashes = append(hashes, hash())
	}
	if same := slices.Compact(slices.Clone(hashes)); len(same) != 3 || hashes[2] == hashes[3] {
		t.Errorf("hashes %x: only bytes 4 to 7 are the block's own", hashes)
	}
}
