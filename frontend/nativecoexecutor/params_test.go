// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// structures is a kernel of a structure by value, behind the address of its output, which is at
// %d2; %r0 is the thread.
func structures(t testing.TB, body string) run {
	m, err := ptx.Parse("structures.ptx", []byte(`.version 8.0
.target sm_70
.address_size 64
.func (.param .b32 r) field(.param .b64 at) {
	.reg .b64 %d<2>; .reg .b32 %r<2>;
	ld.param.b64 %d1, [at]; ld.b32 %r1, [%d1+4]; st.param.b32 [r], %r1; ret;
}
.entry structures(.param .u64 out, .param .align 8 .b8 fields[64], .param .u32 n)
{
	.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<8>; .shared .align 4 .b8 tile[64];
	ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d2, %r0, 4, %d1; mul.lo.u32 %r1, %r0, 5; and.b32 %r1, %r1, 7; mul.wide.u32 %d3, %r1, 4;
	mov.u32 %r2, 0; setp.lt.u32 %p1, %r1, 5;
`+body+`
END: st.global.u32 [%d2], %r2; ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	numbers := make([]byte, 64+4)
	for i := range numbers {
		numbers[i] = byte(17 * i)
	}
	return run{module: m, kernel: "structures", grid: trace.Dim3{X: 2, Y: 1, Z: 1}, block: trace.Dim3{X: 48, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 48*4)}, numbers: numbers}
}

// Parameters whose addresses are computed, as clang has them of structures by value.
func TestParametersByAddressAreRecordedAlike(t *testing.T) {
	for name, body := range map[string]string{
		"through a register":   "mov.b64 %d4, fields; add.s64 %d4, %d4, %d3; ld.param.u32 %r2, [%d4];",
		"with an offset":       "mov.b64 %d4, fields+8; and.b64 %d3, %d3, -8; add.s64 %d4, %d4, %d3; @%p1 ld.param.v2.u32 {%r2, %r3}, [%d4+8]; add.u32 %r2, %r2, %r0;",
		"a narrow register":    "mov.b64 %d4, fields; cvt.u32.u64 %r4, %d4; mad.lo.u32 %r4, %r1, 4, %r4; ld.param.u32 %r2, [%r4];",
		"of the last one":      "mov.b64 %d4, n; mov.b64 %d5, fields; add.s64 %d5, %d5, %d3; @%p1 mov.b64 %d4, %d5; ld.param.u32 %r2, [%d4];",
		"by generic addresses": "mov.b64 %d4, fields; cvta.param.u64 %d4, %d4; add.s64 %d4, %d4, %d3; ld.u32 %r2, [%d4]; cvta.to.param.u64 %d5, %d4; ld.param.u32 %r3, [%d5+4]; add.u32 %r2, %r2, %r3;",
		"one of two spaces":    "mov.b64 %d4, fields; cvta.param.u64 %d4, %d4; @%p1 bra ON; mov.u64 %d4, tile; cvta.shared.u64 %d4, %d4; add.s64 %d5, %d4, %d3; st.u32 [%d5], %r1;\nON: add.s64 %d4, %d4, %d3; ld.u32 %r2, [%d4];",
		"in a function":        "mov.b64 %d4, fields; cvta.param.u64 %d4, %d4; add.s64 %d4, %d4, %d3; call (%r2), field, (%d4);",
		"in a loop":            "mov.b64 %d4, fields; mov.u32 %r3, 0;\nAGAIN: ld.param.u32 %r4, [%d4]; xor.b32 %r2, %r2, %r4; add.s64 %d4, %d4, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra AGAIN;",
	} {
		t.Run(name, func(t *testing.T) {
			r := structures(t, body)
			r.compare(t, open(t, nativecoexecutor.Options{}))
			r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
		})
	}
}

// Functions with variables in shared memory, also two that call each other's and an array of
// the launch's size.
func TestSharedMemoryOfFunctionsIsRecordedAlike(t *testing.T) {
	m, err := ptx.Parse("owned.ptx", []byte(`.version 8.0
.target sm_70
.address_size 64
.shared .align 4 .b8 tile[8];
.func (.reg .b32 r) inner(.reg .b32 a) {
	.reg .b32 %r<6>; .reg .b64 %d<3>;
	.shared .align 2 .b8 odd[6]; .shared .align 8 .b64 tile[64], other; /* the module's tile is another */
	mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 8, %r2; st.shared.u32 [%r2], a; st.shared.u32 [other+4], 5;
	bar.sync 0; xor.b32 %r3, %r1, 1; mov.u64 %d1, tile; cvta.shared.u64 %d1, %d1; mad.wide.u32 %d1, %r3, 8, %d1; ld.u32 r, [%d1];
	st.shared.u8 [odd+1], 7; ld.shared.u32 %r4, [other+4]; add.u32 r, r, %r4; bar.sync 0; ret;
}
.func (.reg .b32 r) outer(.reg .b32 a) {
	.reg .b32 %r<4>; .shared .align 4 .b32 kept[64];
	mov.u32 %r1, %tid.x; mov.u32 %r2, kept; mad.lo.u32 %r2, %r1, 4, %r2; st.shared.u32 [%r2], a;
	call (r), inner, (a); ld.shared.u32 %r3, [%r2]; mad.lo.u32 r, r, 10, %r3; ret;
}
.entry owned(.param .u64 out)
{
	.reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p;
	ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d2, %r0, 4, %d1; st.shared.u32 [tile], 3; mul.lo.u32 %r1, %r0, 3;
	call (%r2), outer, (%r1); call (%r3), inner, (%r2); ld.shared.u32 %r4, [tile]; add.u32 %r3, %r3, %r4; st.global.u32 [%d2], %r3;
	ret;
}
.entry other(.param .u64 out)
{
	.reg .b32 %r<3>; .reg .b64 %d<3>;
	ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; call (%r2), inner, (%r1); mad.wide.u32 %d2, %r1, 4, %d1; st.global.u32 [%d2], %r2; ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range m.Kernels {
		r := run{module: m, kernel: k.Name, grid: trace.Dim3{X: 2, Y: 1, Z: 1}, block: trace.Dim3{X: 64, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 256)}}
		r.compare(t, open(t, nativecoexecutor.Options{}))
		r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
	}
}

// What lives between segments and is no register by itself: carries, and elements of vectors.
func TestCarriesAndVectorsLiveBetweenSegments(t *testing.T) {
	for name, body := range map[string]string{
		"a carry behind a join": "add.cc.u32 %r3, %r1, 0xfffffffe; @%p1 bra N; add.cc.u32 %r3, %r0, 0xfffffff0;\nN: addc.u32 %r2, %r2, 7;",
		"a borrow with a guard": "sub.cc.u32 %r3, %r1, 3; bra N;\nN: @%p1 sub.cc.u32 %r4, %r0, 20; subc.cc.u32 %r2, %r2, 7; bra O;\nO: subc.u32 %r3, %r3, 0; xor.b32 %r2, %r2, %r3;",
		"through a segment":     "add.cc.u32 %r3, %r1, 0xfffffffd; @%p1 bra N; add.u32 %r2, %r2, 5;\nN: st.global.u32 [%d2], %r2; bra O;\nO: addc.cc.u32 %r2, %r2, 7;",
		"where lanes meet":      "@%p1 bra N; add.cc.u32 %r3, %r0, 0xfffffff0; shfl.sync.bfly.b32 %r4, %r0, 1, 31, -1; addc.u32 %r2, %r4, 7; bra END;\nN: sub.cc.u32 %r3, %r0, 9; shfl.sync.bfly.b32 %r4, %r0, 1, 31, -1; addc.u32 %r2, %r4, 70;",
		"elements of vectors": ".reg .v4 .b32 v; .reg .v2 .b64 w; .reg .v2 .b16 h; mov.u32 v.x, %r0; mov.u32 v.w, %r1; mov.b64 w.y, %d3; mov.b16 h.y, 5; @%p1 bra N; add.u32 v.x, v.x, 100; add.s64 w.y, w.y, 4; mov.b16 h.y, 6;\n" +
			"N: mad.lo.u32 %r2, v.x, 10, v.w; cvt.u32.u64 %r3, w.y; add.u32 %r2, %r2, %r3; cvt.u32.u16 %r3, h.y; add.u32 %r2, %r2, %r3;",
	} {
		t.Run(name, func(t *testing.T) {
			r := structures(t, body)
			r.block.X = 32
			r.compare(t, open(t, nativecoexecutor.Options{}))
			r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
		})
	}
	r := structures(t, "add.cc.u32 %r3, %r1, 0xfffffffe; mov.b64 %d4, %d1; call (%r2), field, (%d4); addc.u32 %r2, %r2, 7;")
	k, err := contaminator.Contaminate(r.module.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := contamination.Check(contamination.Segments, k); err == nil || !strings.Contains(err.Error(), "structures.ptx:13:78: addc.u32 cannot be contaminated: the carry that it reads is from before a call") {
		t.Error(err)
	}
}

// An indexed branch with a guard, one of whose targets is what follows it.
func TestGuardedIndexedBranchesAreRecordedAlike(t *testing.T) {
	r := structures(t, `and.b32 %r4, %r1, 3; min.u32 %r4, %r4, 2; ON: .branchtargets A, B, C;
	@%p1 brx.idx %r4, ON;
A: add.u32 %r2, %r2, 1; st.global.u32 [%d2], %r2;
B: add.u32 %r2, %r2, 10; ld.global.u32 %r3, [%d2]; bra END;
C: @!%p1 brx.idx %r4, ON; add.u32 %r2, %r2, 100;`)
	binary.LittleEndian.PutUint32(r.numbers, 1)
	r.compare(t, open(t, nativecoexecutor.Options{}))
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
}

// A device that nothing but the rewritten text tells of gives the same bytes.
func TestAForeignDeviceRecordsAlike(t *testing.T) {
	d := open(t, nativecoexecutor.Options{Foreign: true})
	r := spaces(t)
	r.compare(t, d)
	r = structures(t, "mov.b64 %d4, fields; cvta.param.u64 %d4, %d4; @%p1 bra ON; mov.u64 %d4, tile; cvta.shared.u64 %d4, %d4; add.s64 %d5, %d4, %d3; st.u32 [%d5], %r1;\nON: add.s64 %d4, %d4, %d3; ld.u32 %r2, [%d4]; mov.b64 %d5, fields; ld.param.u32 %r3, [%d5+8];")
	r.compare(t, d)
	for _, name := range []string{"memory of a cluster", "generic addresses in a cluster", "mapped without a cluster", "asynchronous stores and reductions", "a copy for several thread blocks"} {
		c := together90[name]
		r := together(t, c.body, c.cluster)
		r.compare(t, d)
	}
	// No driver has __nv_powf, so that the text has it, as linked with libdevice.
	r = callsByHand(t, "calls", 7, 0, 0, 0)
	declared := ".extern .func (.param .f32 power) __nv_powf(.param .f32 x, .param .f32 y);"
	linked := strings.Replace(string(r.module.Text), declared, strings.TrimSuffix(strings.TrimPrefix(declared, ".extern "), ";")+
		" { .reg .f32 %f; ld.param.f32 %f, [x]; mul.rn.f32 %f, %f, %f; st.param.f32 [power], %f; ret; }", 1)
	var err error
	if r.module, err = ptx.Parse("linked.ptx", []byte(linked)); err != nil {
		t.Fatal(err)
	}
	r.grid.X, r.block.X = 1, 3
	r.compare(t, d)
	if d.Counts.Segmented == 0 {
		t.Errorf("functions with local variables do not run by segments: %+v", d.Counts)
	}
	if _, err := d.Load(contaminatedOf(t, together(t, together90["memory of a cluster"].body, together2by3))); err != nil {
		t.Error(err)
	}
	segments := open(t, nativecoexecutor.Options{Foreign: true, Mode: contamination.Segments})
	for name, want := range map[string]string{"memory of a cluster": "mapa.shared::cluster.u32 cannot be contaminated: an address of another thread block is that of one launch", "bulk copies of several lanes": "an mbarrier is opaque"} {
		c := together90[name]
		if _, err := segments.Load(contaminatedOf(t, together(t, c.body, c.cluster))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func contaminatedOf(t testing.TB, r run) *contaminator.Kernel {
	t.Helper()
	k, err := contaminator.Contaminate(r.module.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A call that can reach no function, since none has its prototype: no lane comes to it.
func TestACallOfNoFunctionIsRecordedAlike(t *testing.T) {
	r := structures(t, `setp.gt.u32 %p1, %r1, 1000; @!%p1 bra ON; mov.u64 %d4, 64;
	{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (b), %d4, (a), P; ld.param.b32 %r2, [b]; }
ON: add.u32 %r2, %r1, 10; st.global.u32 [%d2], %r2;`)
	r.compare(t, open(t, nativecoexecutor.Options{}))
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
}

// Vectors of registers as parameters and results, and registers of the module.
func TestVectorsOfRegistersArePassedAlike(t *testing.T) {
	text := `.version 7.0
.target sm_70
.address_size 64
.reg .b32 %kept;
.func (.reg .v2 .b32 out) turned(.reg .v4 .u16 in, .reg .b32 more)
{ .reg .b32 %t<4>; .reg .pred %q; cvt.u32.u16 %t0, in.w; setp.gt.u32 %q, %t0, 5; @%q bra ON; add.u16 in.x, in.x, 9;
ON: cvt.u32.u16 %t1, in.z; mad.lo.u32 out.x, %t1, 256, %t0; cvt.u32.u16 %t0, in.y; cvt.u32.u16 %t1, in.x; mad.lo.u32 %t0, %t1, 256, %t0; add.u32 out.y, %t0, more; ret; }
.entry vectors(.param .u64 out)
{
	.reg .v4 .u16 v; .reg .v2 .b32 w; .reg .b64 %d<4>; .reg .b32 %r<4>; .reg .pred %p;
	ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %d1, %r1, 8, %d1; mul.lo.u32 %kept, %r1, 3;
	cvt.u16.u32 v.x, %r1; add.u16 v.y, v.x, 1; add.u16 v.z, v.x, 2; add.u16 v.w, v.x, 3;
	call (w), turned, (v, %r1); setp.lt.u32 %p, w.x, 2000; @%p bra END; add.u32 w.y, w.y, %kept;
END: st.global.v2.b32 [%d1], w; ret;
}
`
	m, err := ptx.Parse("vectors.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := run{module: m, kernel: "vectors", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 40, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 320)}}
	r.compare(t, open(t, nativecoexecutor.Options{}))
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
}

// Addresses of constant memory in the initial values of constant variables are the device's own, beside
// values that the host gives.
func TestAddressesInConstantsAreRecordedAlike(t *testing.T) {
	text := `.version 7.0
.target sm_70
.address_size 64
.const .align 4 .b32 first[4] = {1, 2, 3, 4};
.const .align 4 .b32 second[4] = {10, 20, 30, 40};
.const .align 8 .u64 places[5] = {7, second+4, 9, generic(first), 11};
.global .align 8 .u64 kept = 5;
.entry pointers(.param .u64 out)
{
	.reg .b64 %d<8>; .reg .b32 %r<8>;
	ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %d1, %r1, 8, %d1; and.b32 %r2, %r1, 1;
	ld.const.u64 %d2, [places+8]; mad.wide.u32 %d2, %r2, 4, %d2; ld.const.b32 %r3, [%d2];
	ld.const.u64 %d3, [places+24]; mad.wide.u32 %d3, %r2, 8, %d3; ld.b32 %r4, [%d3];
	add.u32 %r3, %r3, %r4; ld.const.u64 %d4, [places]; ld.const.u64 %d5, [places+32]; mad.lo.u64 %d4, %d4, 1000, %d5; cvt.u32.u64 %r5, %d4;
	ld.global.u64 %d6, [kept]; cvt.u32.u64 %r6, %d6; add.u32 %r5, %r5, %r6; st.global.v2.b32 [%d1], {%r3, %r5}; ret;
}
`
	parsed := func(text string) run {
		m, err := ptx.Parse("pointers.ptx", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return run{module: m, kernel: "pointers", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 40, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 320)}}
	}
	r := parsed(text)
	for _, mode := range []contamination.Mode{contamination.Straight, contamination.Segments} {
		for _, foreign := range []bool{false, true} {
			d := open(t, nativecoexecutor.Options{Mode: mode, Foreign: foreign})
			r.compare(t, d)
			_, after, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
			if err != nil {
				t.Fatal(err)
			}
			for i := range uint32(40) {
				a, b := binary.LittleEndian.Uint32(after[0][8*i:]), binary.LittleEndian.Uint32(after[0][8*i+4:])
				if a != 20+10*(i&1)+1+2*(i&1) || b != 7011+5 {
					t.Fatalf("thread %d: %d and %d", i, a, b)
				}
			}
		}
	}
}

// Addresses of constants in the initial values of variables in global memory, on a device that puts
// constants elsewhere: also where a kernel changes one, and where thread blocks run again.
func TestAddressesOfConstantsInGlobalMemoryAreRecordedAlike(t *testing.T) {
	m, err := ptx.Parse("kept.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.const .align 4 .b32 first[4] = {1, 2, 3, 4};
.const .align 4 .b32 second[4] = {10, 20, 30, 40};
.global .align 8 .u64 kept[5] = {generic(first), second+4, 9, generic(second), generic(first)};
.entry pointers(.param .u64 out)
{
	.reg .b64 %d<8>; .reg .b32 %r<8>; .reg .pred %p<2>;
	ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r6, %ctaid.x; mad.lo.u32 %r1, %r6, 40, %r1; mad.wide.u32 %d1, %r1, 4, %d1; and.b32 %r2, %r1, 1;
	ld.global.u64 %d2, [kept]; mad.wide.u32 %d2, %r2, 4, %d2; ld.b32 %r3, [%d2];
	ld.global.u64 %d3, [kept+8]; mad.wide.u32 %d3, %r2, 4, %d3; ld.const.b32 %r4, [%d3];
	ld.global.u64 %d4, [kept+24]; ld.b32 %r5, [%d4+12];
	add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; st.global.b32 [%d1], %r3;
	setp.eq.u32 %p1, %r6, 2; mov.u64 %d5, 77; @%p1 st.global.u64 [kept+32], %d5; ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := run{module: m, kernel: "pointers", grid: trace.Dim3{X: 3, Y: 1, Z: 1}, block: trace.Dim3{X: 40, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 480)}}
	moved := func(text []byte) []byte {
		return bytes.Replace(text, []byte(".const .align 4"), []byte(".const .align 8 .b64 elsewhere[9]; .const .align 4"), 1)
	}
	for _, o := range []nativecoexecutor.Options{{}, {Foreign: true, Change: moved}, {Foreign: true, Change: moved, LogBytes: 1200}, {Foreign: true, Change: moved, Mode: contamination.Segments}} {
		d := open(t, o)
		r.compare(t, d)
		_, after, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint32(120) {
			if v := binary.LittleEndian.Uint32(after[0][4*i:]); v != 1+i&1+20+10*(i&1)+40 {
				t.Fatalf("%s: thread %d: %d", o.Mode, i, v)
			}
		}
	}
}
