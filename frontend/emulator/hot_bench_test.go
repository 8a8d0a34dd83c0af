// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"strings"
	"testing"
)

// benchmarkBody runs a loop of 64 copies of one line in 8 full warps, so that
// the line is all that matters; the result is warp instructions per second.
func benchmarkBody(b *testing.B, setup, line string) {
	b.Helper()
	body := scriptPrologue + `
		and.b32 %r1, %r0, 31; add.u32 %r2, %r1, 3; cvt.rn.f32.u32 %r3, %r1; mov.u32 %r4, 0; cvt.u64.u32 %d3, %r1; setp.lt.u32 %p1, %r1, 13;
		` + setup + "\nLOOP:\n" + strings.Repeat(line+"\n", 64) + `
		add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 64; @%p2 bra LOOP; ret;
	}`
	d := NewDevice(Options{})
	k := kernelOf(b, d, "bench.ptx", ptxHeader+body, "kernel")
	out := upload(b, d, "out", make([]uint32, 1<<14))
	benchmarkLaunch(b, d, LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(256, 1), Arguments: pack(out, out), Recorder: &discard{}})
}

// Each benchmark isolates one kind of lane loop: its cost per warp instruction
// is the reciprocal of the rate.

func BenchmarkIntegerAdd(b *testing.B)  { benchmarkBody(b, "", "add.u32 %r5, %r1, %r2;") }
func BenchmarkWideMad(b *testing.B)     { benchmarkBody(b, "", "mad.wide.u32 %d5, %r1, %r2, %d3;") }
func BenchmarkFusedMad(b *testing.B)    { benchmarkBody(b, "", "fma.rn.f32 %r5, %r3, %r3, %r3;") }
func BenchmarkFusedMadFtz(b *testing.B) { benchmarkBody(b, "", "fma.rn.ftz.f32 %r5, %r3, %r3, %r3;") }
func BenchmarkCompare(b *testing.B)     { benchmarkBody(b, "", "setp.lt.s32 %p3, %r1, %r2;") }
func BenchmarkSelect(b *testing.B)      { benchmarkBody(b, "", "selp.b32 %r5, %r1, %r2, %p1;") }
func BenchmarkConvert(b *testing.B)     { benchmarkBody(b, "", "cvt.rzi.s32.f32 %r5, %r3;") }
func BenchmarkShuffle(b *testing.B)     { benchmarkBody(b, "", "shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;") }

// BenchmarkGuardedAdd isolates the path of a partly active warp: all lanes
// are computed, the active ones kept.
func BenchmarkGuardedAdd(b *testing.B) { benchmarkBody(b, "", "@%p1 add.u32 %r5, %r1, %r2;") }

// The loads isolate, in turn, whole-warp copies, broadcasts, offset tables of
// strided lanes, irregular lanes, and partly active warps.

func BenchmarkLoadContiguous(b *testing.B) { benchmarkBody(b, "", "ld.global.u32 %r5, [%d0];") }
func BenchmarkLoadBroadcast(b *testing.B)  { benchmarkBody(b, "", "ld.global.u32 %r5, [%d1];") }

func BenchmarkLoadStrided(b *testing.B) {
	benchmarkBody(b, "mad.wide.u32 %d4, %r1, 64, %d1;", "ld.global.u32 %r5, [%d4];")
}

func BenchmarkLoadIrregular(b *testing.B) {
	benchmarkBody(b, "mul.lo.u32 %r6, %r1, %r1; mad.wide.u32 %d4, %r6, 4, %d1;", "ld.global.u32 %r5, [%d4];")
}

func BenchmarkLoadGuarded(b *testing.B) { benchmarkBody(b, "", "@%p1 ld.global.u32 %r5, [%d0];") }

// BenchmarkAtomicAdd isolates 32 lanes that are served one after the other.
func BenchmarkAtomicAdd(b *testing.B) { benchmarkBody(b, "", "red.global.add.u32 [%d0], %r1;") }

// BenchmarkWatchedBlocks isolates what it costs to watch memory. The same blocks,
// with nothing but loads and stores of global memory, run in order and on one
// core, and then together, with claims of what they touch.
func BenchmarkWatchedBlocks(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run([]string{"", "InOrder", "Together"}[workers], func(b *testing.B) {
			body := scriptPrologue + `mov.u32 %r1, %ctaid.x; mad.lo.u32 %r0, %r1, 256, %r0; mad.wide.u32 %d0, %r0, 4, %d1; mov.u32 %r4, 0;
			LOOP: ` + strings.Repeat("ld.global.u32 %r5, [%d0]; add.u32 %r5, %r5, 1; st.global.u32 [%d0], %r5;\n", 8) + `
			add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 8; @%p2 bra LOOP; ret;
			}`
			d := NewDevice(Options{Workers: workers, MinTogether: fewTogether})
			k := kernelOf(b, d, "bench.ptx", ptxHeader+body, "kernel")
			out := upload(b, d, "out", make([]uint32, 64*256))
			benchmarkLaunch(b, d, LaunchRequest{Kernel: k, Grid: dims(64, 1), Block: dims(256, 1), Arguments: pack(out, out), Recorder: &discard{}})
		})
	}
}
