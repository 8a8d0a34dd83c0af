// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// heap is a kernel in whose threads %d1 is the place of 64 bytes of the output, %r1 the thread and
// %r2 the thread block. "MALLOC to, n" and "FREE p" are calls.
func heap(t testing.TB, functions, body string) run {
	t.Helper()
	var text strings.Builder
	for _, line := range strings.SplitAfter(functions+`.visible .entry heap(.param .u64 out)
{
	.reg .b64 %d<12>; .reg .b32 %r<12>; .reg .pred %p<6>;
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r3, %r2, %r3, %r1;
	ld.param.u64 %d1, [out]; mad.wide.u32 %d1, %r3, 64, %d1;
`+body+"\n}\n", "\n") {
		if guard, call, ok := strings.Cut(line, "MALLOC "); ok {
			to, n, _ := strings.Cut(strings.TrimSpace(call), ", ")
			line = "{ .param .b64 n; .param .b64 p; st.param.b64 [n], " + n + "; " + guard + "call.uni (p), malloc, (n); ld.param.b64 " + to + ", [p]; }\n"
		} else if guard, call, ok := strings.Cut(line, "FREE "); ok {
			line = "{ .param .b64 p; st.param.b64 [p], " + strings.TrimSpace(call) + "; " + guard + "call.uni free, (p); }\n"
		}
		text.WriteString(line)
	}
	m, err := ptx.Parse("heap.ptx", []byte(".version 7.0\n.target sm_70\n.address_size 64\n.extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n"+text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	return run{module: m, kernel: "heap", grid: trace.Dim3{X: 3, Y: 1, Z: 1}, block: trace.Dim3{X: 40, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 3*40*64)}}
}

var heaps = map[string]struct{ functions, body string }{
	"pieces of all sizes, none and too much": {"", `mul.wide.u32 %d2, %r1, 37;
	setp.eq.u32 %p1, %r1, 7; selp.b64 %d2, 0x1000000000, %d2, %p1; setp.eq.u32 %p1, %r1, 9; selp.b64 %d2, 8388609, %d2, %p1;
MALLOC %d3, %d2
	st.global.u64 [%d1], %d3; setp.eq.u64 %p2, %d3, 0; @%p2 bra NONE;
	st.global.u8 [%d3], %r1; ld.global.u8 %r4, [%d3+5]; st.u8 [%d3+36], %r4;
NONE: ret;`},
	"a heap that is full": {"", `mov.u64 %d2, 300000; mov.u32 %r5, 0;
MALLOC %d3, %d2
	st.global.u64 [%d1], %d3; setp.eq.u64 %p2, %d3, 0; and.b32 %r4, %r1, 3; setp.eq.u32 %p3, %r4, 1; @!%p3 bra KEEP;
FREE %d3
	mov.u64 %d2, 1000;
MALLOC %d3, %d2
	st.global.u64 [%d1+8], %d3;
KEEP: bar.sync 0; mov.u64 %d2, 200000;
MALLOC %d4, %d2
	st.global.u64 [%d1+16], %d4; ret;`},
	"lists, built and freed": {"", `mov.u64 %d4, 0; and.b32 %r5, %r1, 3; add.u32 %r5, %r5, 1; mov.u64 %d2, 16;
MORE: @%p5 bra MORE;
MALLOC %d3, %d2
	st.global.v2.u64 [%d3], {%d4, %d1}; mov.b64 %d4, %d3; sub.u32 %r5, %r5, 1; setp.gt.s32 %p1, %r5, 0; @%p1 bra MORE;
	mov.u32 %r6, 0;
WALK: ld.global.u64 %d5, [%d4]; ld.global.u64 %d6, [%d4+8];
	setp.lt.u32 %p2, %r1, 30;
FREE %d4
	mov.b64 %d4, %d5; add.u32 %r6, %r6, 1; setp.ne.u64 %p3, %d4, 0; @%p3 bra WALK;
	st.global.u32 [%d6+24], %r6; ret;`},
	"behind a pause of some warps": {"", `setp.lt.u32 %p1, %r1, 32; mov.u64 %d2, 16; @%p1 nanosleep.u32 20;
MALLOC %d3, %d2
	st.global.u64 [%d1], %d3; @!%p1 nanosleep.u32 20;
FREE %d3
	mov.u64 %d2, 32;
MALLOC %d3, %d2
	st.global.u64 [%d1+8], %d3; ret;`},
	"beside an array in local memory": {"", `.local .align 32 .b8 array[32]; st.local.u32 [array+28], %r1; mul.wide.u32 %d2, %r1, 4;
MALLOC %d3, %d2
	ld.local.u32 %r4, [array+28]; st.global.u32 [%d1], %r4; st.global.u64 [%d1+8], %d3; ret;`},
	"with functions in a table": {`.func (.param .b32 r) one(.param .b32 k) { .reg .b32 %r<2>; ld.param.b32 %r1, [k]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) two(.param .b32 k) { .reg .b32 %r<2>; ld.param.b32 %r1, [k]; add.u32 %r1, %r1, 2; st.param.b32 [r], %r1; ret; }
.extern .func (.param .b64 r) malloc (.param .b64 n); .func (.param .b64 r) unused(.param .b64 k) { .reg .b64 %d<2>; ld.param.b64 %d1, [k];
MALLOC %d1, %d1
	st.param.b64 [r], %d1; ret; }
.global .align 8 .u64 table[2] = {one, two};
`, `and.b32 %r4, %r1, 1; mov.u64 %d3, table; mad.wide.u32 %d3, %r4, 8, %d3; ld.global.u64 %d4, [%d3];
	{ .param .b32 k; .param .b32 r; st.param.b32 [k], %r1; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %d4, (k), P; ld.param.b32 %r5, [r]; }
	mul.wide.u32 %d2, %r5, 4;
MALLOC %d3, %d2
	st.global.u64 [%d1], %d3; st.global.u64 [%d1+8], %d4; ret;`},
	"in functions": {`.func (.param .b64 r) make(.param .b32 k)
{
	.reg .b64 %d<4>; .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.b32 %r1, [k]; mul.wide.u32 %d2, %r1, 8;
MALLOC %d1, %d2
	setp.eq.u64 %p1, %d1, 0; @%p1 bra NONE; st.u32 [%d1], %r1;
NONE: st.param.b64 [r], %d1; ret;
}
`, `and.b32 %r4, %r1, 7;
	{ .param .b32 k; .param .b64 r; st.param.b32 [k], %r4; call (r), make, (k); ld.param.b64 %d3, [r]; }
	st.global.u64 [%d1], %d3; setp.ne.u64 %p2, %d3, 0; @%p2 ld.global.u32 %r5, [%d3]; @%p2 st.global.u32 [%d1+8], %r5;
FREE %d3
	ret;`},
}

// Memory that kernels take from the heap has the addresses that a recording has, straight
// through, by segments, and where thread blocks run again.
func TestMemoryOfKernelsIsRecordedAlike(t *testing.T) {
	repeated := uint64(0)
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(heaps)), tracetest.Fewer(1, 3)) {
		c := heaps[name]
		t.Run(name, func(t *testing.T) {
			r := heap(t, c.functions, c.body)
			r.compare(t, open(t, nativecoexecutor.Options{}))
			if !strings.Contains(c.functions, "table") { // whose addresses another device would give
				r.compare(t, open(t, nativecoexecutor.Options{Foreign: true}))
			}
			for _, n := range []uint64{1200, 1500} {
				small := open(t, nativecoexecutor.Options{LogBytes: n})
				r.compare(t, small)
				repeated += small.Counts.Repeated
			}
			r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
		})
	}
	if tracetest.Whole() && repeated < 4 {
		t.Errorf("thread blocks ran again %d times", repeated)
	}
}

// What kernels do wrong with the heap is said.
func TestWrongUsesOfTheHeapAreSaid(t *testing.T) {
	wrong := map[string]struct{ body, want string }{
		"freed twice":    {"mov.u64 %d2, 16;\nMALLOC %d3, %d2\nFREE %d3\nFREE %d3\nret;", "was freed before"},
		"never given":    {"add.u64 %d3, %d1, 0;\nFREE %d3\nret;", "no malloc of a kernel gave"},
		"inside a piece": {"mov.u64 %d2, 1600;\nMALLOC %d3, %d2\nadd.u64 %d3, %d3, 256;\nFREE %d3\nret;", "no malloc of a kernel gave"},
		"elsewhere":      {"mov.u64 %d3, 64;\nFREE %d3\nret;", "no malloc of a kernel gave"},
		"behind a piece": {"mov.u64 %d2, 16;\nMALLOC %d3, %d2\nst.global.u32 [%d3+16], %r1;\nret;", "past the end of buffer malloc in heap"},
	}
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(wrong)), tracetest.Fewer(1, 3)) {
		c := wrong[name]
		for _, mode := range []contamination.Mode{contamination.Straight, contamination.Segments} {
			r := heap(t, "", c.body)
			r.block.X, r.grid.X = 1, 1
			d := open(t, nativecoexecutor.Options{Mode: mode})
			if _, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor}); !errors.Is(err, nativecoexecutor.ErrDevice) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "heap.ptx:") {
				t.Errorf("%s, %s: %v", name, mode, err)
			}
			if _, _, err := r.record(t, emulator.Options{}); err == nil {
				t.Errorf("%s: the interpreter finds nothing", name)
			}
		}
	}
	r := heap(t, "", heaps["a heap that is full"].body)
	d := open(t, nativecoexecutor.Options{MemoryBytes: 4 << 20})
	if _, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor}); err == nil || !strings.Contains(err.Error(), "give it more (--gpu-memory)") {
		t.Error(err)
	}
}

// On devices that run thread blocks in any order, the addresses are labelled.
func TestTheOrderOfTheHeapIsLabelled(t *testing.T) {
	r := heap(t, "", heaps["in functions"].body[:0]+"mov.u64 %d2, 16;\nMALLOC %d3, %d2\nret;")
	k, err := contaminator.Contaminate(r.module.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, nativecoexecutor.Options{Unordered: true}).Load(k); err != nil || len(k.Static.TimingDependent) != 1 || !strings.Contains(k.Static.TimingDependent[0], "malloc at line") {
		t.Errorf("%v, %q", err, k.Static.TimingDependent)
	}
}

// A kernel that stays as it is cannot call the allocator whose declarations are gone.
func TestKernelsWithTheHeapAreContaminatedTogether(t *testing.T) {
	r := heap(t, "", "mov.u64 %d2, 16;\nMALLOC %d3, %d2\nret;\n}\n.visible .entry other()\n{\n\t.reg .b64 %d<4>; mov.u64 %d2, 16;\nMALLOC %d3, %d2\nret;")
	var both []*contaminator.Kernel
	for _, k := range r.module.Kernels {
		c, err := contaminator.Contaminate(k)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, c)
	}
	for _, mode := range []contamination.Mode{contamination.Straight, contamination.Segments} {
		if _, err := contamination.Rewrite(both[:1], contamination.Options{Mode: mode}); err == nil || !strings.Contains(err.Error(), "call of kernel other cannot stay as it is") && !strings.Contains(err.Error(), "call.uni of kernel other cannot stay as it is") {
			t.Errorf("%s: %v", mode, err)
		}
		for _, list := range [][]*contaminator.Kernel{both, both[:1]} {
			out, err := contamination.Rewrite(list, contamination.Options{Mode: mode, Alone: len(list) == 1})
			if err == nil {
				_, err = ptx.Parse("again.ptx", out.Text)
			}
			if err != nil {
				t.Errorf("%s: %v", mode, err)
			}
		}
	}
}
