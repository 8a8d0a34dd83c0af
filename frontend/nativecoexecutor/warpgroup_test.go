// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// groups is a kernel of two warpgroups, each with factors of small numbers in 4 KiB of shared
// memory from %r5 on: a descriptor of A is in %d4, one of B, 2 KiB behind it, in %d5. The body runs
// three times, in %r10, and writes the sums in %f0 to %f3 at the end.
func groups(t testing.TB, body string, functions ...string) run {
	text := `.version 8.6
.target sm_90a
.address_size 64
` + strings.Join(functions, "") + `.entry groups(.param .u64 out)
{
	.shared .align 128 .b8 tile[8192]; .reg .b64 %d<10>; .reg .b32 %r<32>; .reg .f32 %f<8>; .reg .pred %p<8>;
	mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 7; and.b32 %r3, %r1, 127; mov.u32 %r4, tile; mad.lo.u32 %r5, %r2, 4096, %r4;
	mov.u32 %r6, 0;
FILL: mad.lo.u32 %r7, %r6, 128, %r3; mad.lo.u32 %r8, %r7, 0x9e3779b1, %r2; shr.u32 %r8, %r8, 3; and.b32 %r8, %r8, 0x03ff03ff; or.b32 %r8, %r8, 0x3c003c00;
	mad.lo.u32 %r9, %r7, 4, %r5; st.shared.b32 [%r9], %r8; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 8; @%p1 bra FILL;
	fence.proxy.async; bar.sync 0;
	mov.u32 %r10, 0; mov.f32 %f0, 0f3f800000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
	shr.u32 %r11, %r5, 4; cvt.u64.u32 %d4, %r11; mov.b64 %d6, 0x800400000; or.b64 %d4, %d4, %d6;
	add.u32 %r11, %r11, 128; cvt.u64.u32 %d5, %r11; mov.b64 %d6, 0x800080000; or.b64 %d5, %d5, %d6;
	and.b32 %r12, %r3, 63; mad.lo.u32 %r12, %r12, 4, %r5;
AGAIN:
	setp.ne.u32 %p2, %r10, 1;
` + body + `
	add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra AGAIN;
	ld.param.u64 %d1, [out]; mad.wide.u32 %d1, %r1, 16, %d1; st.global.v4.f32 [%d1], {%f0, %f1, %f2, %f3};
	ret;
}
`
	m, err := ptx.Parse("groups.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return run{module: m, kernel: "groups", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 256, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 256*16)}}
}

const (
	product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%f0, %%f1, %%f2, %%f3}, %s, %s, %s, 1, 1, 0, 0;\n"
	waits   = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
	// changes writes B anew, as the first warp does that has waited.
	changes = "ld.shared.b32 %r13, [%r12+2048]; xor.b32 %r13, %r13, 0x00110021; st.shared.b32 [%r12+2048], %r13;\n"
)

// Products of warpgroups by segments, where each warp has a turn of its own.
func TestProductsOfWarpgroupsAreRecordedAlike(t *testing.T) {
	shared := fmt.Sprintf(product, "%d4", "%d5", "%p2")
	bodies := map[string]string{
		"one":                     "wgmma.fence.sync.aligned;\n" + shared + waits + changes,
		"in several segments":     "wgmma.fence.sync.aligned; bra NEXT; NEXT:\n" + shared + "@%p2 bra JOIN;" + shared + "JOIN:\n" + waits + changes,
		"two of the same":         shared + shared + waits + changes,
		"what lies between":       shared + waits + changes + "fence.proxy.async; add.u64 %d4, %d4, 1;\n" + shared + waits + changes,
		"A in registers":          "mov.b32 %r20, 0x3c003c01; shl.b32 %r21, %r1, 2; add.u32 %r21, %r21, %r20;\n" + strings.Replace(fmt.Sprintf(product, "{%r20, %r21, %r20, %r21}", "%d5", "0"), "0, 0;", "0;", 1) + waits + changes,
		"with a guard":            "@!%p2 " + shared + waits + changes,
		"with a guard alone":      "@%p2 " + fmt.Sprintf(product, "%d4", "%d5", "1") + waits + changes, // no factor is the guard
		"sparse":                  "mov.u32 %r20, 0x44444444;\n" + "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d4, %d5, %r20, 0, 1, 1, 1, 0, 0;\n" + waits + changes,
		"between copies":          "cp.async.wait_all;\n" + shared + waits + "ld.param.u64 %d2, [out]; cp.async.ca.shared.global [%r12+1024], [%d2], 4;\n" + shared + waits + changes,
		"more than a warp's lead": strings.Repeat(shared+changes, 9),
	}
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(bodies)), tracetest.Fewer(1, 3)) {
		body := bodies[name]
		t.Run(name, func(t *testing.T) {
			r := groups(t, body)
			r.compare(t, open(t, nativecoexecutor.Options{}))
			r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
		})
	}
}

// What a warpgroup cannot do together is told, as the interpreter tells it.
func TestProductsWithoutTheirWarpgroupAreSaid(t *testing.T) {
	shared := fmt.Sprintf(product, "%d4", "%d5", "%p2")
	d := open(t, nativecoexecutor.Options{Mode: contamination.Segments})
	for name, c := range map[string]struct{ body, want string }{
		"some lanes":        {"and.b32 %r14, %r1, 1; setp.eq.u32 %p3, %r14, 0; @%p3 bra ODD; bra JOIN; ODD:\n" + shared + "JOIN:\n", "takes all 32 lanes of the warp, only those of 0x55555555 of warp "},
		"other descriptors": {"shr.u32 %r14, %r1, 5; cvt.u64.u32 %d7, %r14; add.u64 %d5, %d5, %d7;\n" + shared, "with the matrix descriptors"},
		"one warp":          {"setp.lt.u32 %p3, %r1, 32; @!%p3 bra JOIN;\n" + shared + "JOIN:\n", "only 1 of the four warps of warpgroup 0 executed this wgmma.mma_async"},
	} {
		r := groups(t, c.body)
		if _, _, err := r.record(t, emulator.Options{}); err == nil {
			t.Errorf("%s: the interpreter finds nothing", name)
		}
		if _, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := groups(t, fmt.Sprintf(product, "%d4", "%d5", "%p2"))
	r.block.X = 224
	if _, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor}); err == nil || !strings.Contains(err.Error(), "warpgroup 1 of thread block 0 has fewer than four full warps") {
		t.Error(err)
	}
}

// Products of warpgroups in functions, which call each other, before and behind products of the
// kernel's own.
func TestProductsInFunctionsAreRecordedAlike(t *testing.T) {
	tracetest.Nightly(t)
	shared := fmt.Sprintf(product, "%d4", "%d5", "%p2")
	own := strings.NewReplacer("%d4", "%d1", "%d5", "%d2", "%p2", "%p1").Replace(shared)
	functions := map[string]string{
		// The sums are passed and come back.
		"sums": `.func (.param .align 16 .b8 sums[16]) multiply(.param .b64 a, .param .b64 b, .param .align 16 .b8 before[16], .param .b32 k)
{
	.reg .b64 %d<4>; .reg .f32 %f<4>; .reg .pred %p<4>; .reg .b32 %r<4>;
	ld.param.b64 %d1, [a]; ld.param.b64 %d2, [b]; ld.param.v4.f32 {%f0, %f1, %f2, %f3}, [before]; ld.param.b32 %r1, [k]; setp.ne.u32 %p1, %r1, 1; @!%p1 bra ONCE;
	wgmma.fence.sync.aligned;
` + own + waits + `ONCE:
` + own + waits + `	st.param.v4.f32 [sums], {%f0, %f1, %f2, %f3}; ret;
}
`,
		// Two functions, each with a variable in shared memory.
		"nested": `.func (.param .align 16 .b8 sums[16]) inner(.param .b64 a, .param .b64 b, .param .align 16 .b8 before[16], .param .b32 k)
{
	.shared .align 16 .b8 mine[16]; .reg .b64 %d<4>; .reg .f32 %f<4>; .reg .pred %p<4>; .reg .b32 %r<4>;
	ld.param.b64 %d1, [a]; ld.param.b64 %d2, [b]; ld.param.v4.f32 {%f0, %f1, %f2, %f3}, [before]; ld.param.b32 %r1, [k]; st.shared.b32 [mine], %r1; setp.ne.u32 %p1, %r1, 2;
` + own + waits + `	ld.shared.b32 %r1, [mine]; setp.lt.u32 %p1, %r1, 7;
` + own + waits + `	st.param.v4.f32 [sums], {%f0, %f1, %f2, %f3}; ret;
}
.func (.param .align 16 .b8 sums[16]) multiply(.param .b64 a, .param .b64 b, .param .align 16 .b8 before[16], .param .b32 k)
{
	.reg .b64 %d<4>; .reg .f32 %f<4>; .reg .pred %p<4>; .reg .b32 %r<4>;
	ld.param.b64 %d1, [a]; ld.param.b64 %d2, [b]; ld.param.v4.f32 {%f0, %f1, %f2, %f3}, [before]; ld.param.b32 %r1, [k]; setp.ne.u32 %p1, %r1, 0;
	{ .param .b64 a1; .param .b64 b1; .param .align 16 .b8 f1[16]; .param .b32 k1; .param .align 16 .b8 s1[16]; st.param.b64 [a1], %d1; st.param.b64 [b1], %d2; st.param.v4.f32 [f1], {%f0, %f1, %f2, %f3}; st.param.b32 [k1], %r1;
	call.uni (s1), inner, (a1, b1, f1, k1); ld.param.v4.f32 {%f0, %f1, %f2, %f3}, [s1]; }
` + own + waits + `	st.param.v4.f32 [sums], {%f0, %f1, %f2, %f3}; ret;
}
`}
	call := `{ .param .b64 a; .param .b64 b; .param .align 16 .b8 f[16]; .param .b32 k; .param .align 16 .b8 s[16]; st.param.b64 [a], %d4; st.param.b64 [b], %d5; st.param.v4.f32 [f], {%f0, %f1, %f2, %f3}; st.param.b32 [k], %r10;
	call.uni (s), multiply, (a, b, f, k); ld.param.v4.f32 {%f0, %f1, %f2, %f3}, [s]; }
`
	for name, text := range functions {
		for kind, body := range map[string]string{"alone": call + changes, "beside others": shared + waits + changes + call + changes + shared + waits + changes} {
			t.Run(name+" "+kind, func(t *testing.T) {
				r := groups(t, body, text)
				r.compare(t, open(t, nativecoexecutor.Options{}))
				r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
			})
		}
	}
}
