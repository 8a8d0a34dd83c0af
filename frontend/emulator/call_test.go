// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// The kernels of testdata/calls ran on the host, compiled from the same source.
func TestCallsComputeWhatTheHostComputes(t *testing.T) {
	files, err := filepath.Glob("testdata/calls/*.ptx")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want := expectedWords(t, strings.TrimSuffix(strings.TrimSuffix(file, ".O0.ptx"), ".O2.ptx")+".expected")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d := NewDevice(Options{})
			m, err := ptx.Parse(file, text)
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := d.LoadModule(m)
			if err != nil {
				t.Fatal(err)
			}
			k, err := loaded.Kernel("calls")
			if err != nil {
				t.Fatal(err)
			}
			out := upload(t, d, "out", make([]uint32, len(want)))
			if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: trace.Dim3{X: uint32(len(want)), Y: 1, Z: 1}, Arguments: pack(out)}); err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 4*len(want))
			if err := d.Read(out, b); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if got := binary.LittleEndian.Uint32(b[4*i:]); got != want[i] {
					t.Fatalf("thread %d: %d, on the host %d", i, got, want[i])
				}
			}
		})
	}
}

func expectedWords(t *testing.T, file string) []uint32 {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var words []uint32
	for _, line := range strings.Fields(string(text)) {
		v, err := strconv.ParseUint(line, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, uint32(v))
	}
	return words
}

// launchText runs kernel k of a text with one argument, a buffer of 64 words.
func launchText(t *testing.T, o Options, text string, threads uint32) ([]uint32, error) {
	t.Helper()
	d := NewDevice(o)
	k := kernelOf(t, d, "k.ptx", ptxHeader+text, "k")
	out := upload(t, d, "out", make([]uint32, 64))
	_, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: trace.Dim3{X: threads, Y: 1, Z: 1}, Arguments: pack(out)})
	return download(t, d, out, 64), err
}

func wantFault(t *testing.T, err error, kind coexecution.FaultKind, detail string) {
	t.Helper()
	var f *coexecution.Fault
	if !errors.As(err, &f) || f.Kind != kind || !strings.Contains(f.Error(), detail) {
		t.Errorf("%v, want a %s fault with %q", err, kind, detail)
	}
}

func TestEndlessRecursionIsAStackFaultThatNamesTheFunction(t *testing.T) {
	_, err := launchText(t, Options{}, `.func (.param .b32 r) down(.param .b32 n) {
	.reg .b32 %r<4>;
	ld.param.b32 %r1, [n];
	add.u32 %r1, %r1, 1;
	{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call.uni (b), down, (a); ld.param.b32 %r2, [b]; }
	st.param.b32 [r], %r2;
	ret;
}
.entry k(.param .u64 out) {
	{ .param .b32 a; st.param.b32 [a], 0; .param .b32 b; call.uni (b), down, (a); }
	ret;
}`, 32)
	wantFault(t, err, coexecution.FaultStack, "k.ptx:8: stack-overflow by thread (0,0,0) of block (0,0,0) in kernel k, function down: function down needs 16 bytes of stack")
}

func TestFaultsInFunctionsNameThemWithTheirLines(t *testing.T) {
	const text = `.file 1 "kernel.cu"
.file 2 "helper.cuh"
.func (.param .b32 r) peek(.param .b64 p) {
.reg .b32 %r1; .reg .b64 %d1;
.loc 2 17 3
ld.param.b64 %d1, [p];
ld.global.u32 %r1, [%d1+4096];
st.param.b32 [r], %r1; ret; }
.visible .entry k(.param .u64 out) {
.reg .b32 %r1; .reg .b64 %d1; .param .b64 p; .param .b32 r;
.loc 1 5 1
ld.param.u64 %d1, [out]; st.param.b64 [p], %d1; call.uni (r), peek, (p); ld.param.b32 %r1, [r]; ret; }`
	_, err := launchText(t, Options{}, text, 1)
	var f *coexecution.Fault
	if !errors.As(err, &f) {
		t.Fatalf("%v, want a fault", err)
	}
	line := strings.Count(ptxHeader, "\n") + 7
	if f.Kernel != "k" || f.Function != "peek" || f.Line != line || f.SourceFile != "helper.cuh" || f.SourceLine != 17 {
		t.Errorf("the fault stands in %s, function %s, line %d, source %s:%d", f.Kernel, f.Function, f.Line, f.SourceFile, f.SourceLine)
	}
	if want := "in kernel k, function peek: "; !strings.Contains(f.Error(), want) {
		t.Errorf("%q has no %q", f.Error(), want)
	}
}

func TestCallThroughNoFunctionIsAFault(t *testing.T) {
	_, err := launchText(t, Options{}, `.func f(.param .b32 n) { ret; }
.global .u64 table[2] = {f, 0};
.entry k(.param .u64 out) {
	.reg .b32 %r<4>; .reg .b64 %rd<4>;
	mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 2; mul.wide.u32 %rd1, %r1, 8;
	mov.u64 %rd2, table; add.u64 %rd2, %rd2, %rd1; ld.global.u64 %rd3, [%rd2];
	P: .callprototype _ (.param .b32 _);
	{ .param .b32 a; st.param.b32 [a], 0; call %rd3, (a), P; }
	ret;
}`, 8)
	wantFault(t, err, coexecution.FaultCall, "k.ptx:11: call by thread (4,0,0) of block (0,0,0) in kernel k: call through 0x0,")
}

// PTX 1.x passes in registers; a guard keeps lanes from a call, others return at
// different places of a loop, and meet again behind it.
func TestRegisterParametersGuardsAndDivergentReturns(t *testing.T) {
	got, err := launchText(t, Options{}, `.func (.reg .u32 %out) triangle (.reg .u32 %n, .reg .pred %double) {
	.reg .u32 %i; .reg .pred %p;
	mov.u32 %out, 0; mov.u32 %i, 0;
L:	setp.ge.u32 %p, %i, %n;
	@%p bra DONE;
	add.u32 %i, %i, 1; add.u32 %out, %out, %i;
	bra L;
DONE: @!%double ret;
	add.u32 %out, %out, %out;
	ret;
}
.entry k(.param .u64 out) {
	.reg .u32 %r<9>; .reg .u64 %rd<4>; .reg .pred %p<4>;
	mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1;
	setp.gt.u32 %p2, %r1, 9;
	mov.u32 %r3, 77;
	@!%p2 call (%r3), triangle, (%r1, %p1);
	activemask.b32 %r4;
	xor.b32 %r4, %r4, -1;
	add.u32 %r3, %r3, %r4;
	ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r1, 4, %rd1; st.global.u32 [%rd1], %r3;
	ret;
}`, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 32 {
		want := uint32(i * (i + 1) / 2 << (i & 1))
		if i > 9 {
			want = 77
		}
		if got[i] != want {
			t.Errorf("thread %d: %d, want %d", i, got[i], want)
		}
	}
}

const printfKernel = `.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 format[40] = {37, 100, 32, 37, 53, 46, 50, 102, 124, 37, 45, 52, 117, 124, 37, 115, 32, 37, 108, 108, 120, 32, 37, 99, 37, 37, 10};
.global .align 1 .b8 word[4] = {97, 98, 99};
.entry k(.param .u64 out) {
	.local .align 8 .b8 depot[48];
	.reg .b32 %r<4>; .reg .b64 %rd<9>; .reg .pred %p;
	mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1;
	mov.u32 %r1, %tid.x; neg.s32 %r2, %r1;
	st.local.u32 [depot], %r2; mov.b64 %rd3, 0d400921FB54442D18; st.local.u64 [depot+8], %rd3;
	st.local.u32 [depot+16], %r1; mov.u64 %rd4, word; st.local.u64 [depot+24], %rd4; st.local.u64 [depot+32], 0xdeadbeef1; st.local.u32 [depot+40], 90;
	mov.u64 %rd5, format;
	setp.eq.u32 %p, %r1, 1;
	{ .param .b64 a; st.param.b64 [a], %rd5; .param .b64 b; st.param.b64 [b], %rd2; .param .b32 c; @!%p call.uni (c), vprintf, (a, b); ld.param.b32 %r3, [c]; }
	ld.param.u64 %rd6, [out]; mad.wide.u32 %rd6, %r1, 4, %rd6; st.global.u32 [%rd6], %r3;
	ret;
}`

func TestPrintfWritesInOrderOfLanes(t *testing.T) {
	var b strings.Builder
	got, err := launchText(t, Options{Output: &b}, printfKernel, 3)
	if err != nil {
		t.Fatal(err)
	}
	// What C's printf gives for "%d %5.2f|%-4u|%s %llx %c%%\n".
	if want := "0  3.14|0   |abc deadbeef1 Z%\n-2  3.14|2   |abc deadbeef1 Z%\n"; b.String() != want {
		t.Errorf("printed %q, want %q", b.String(), want)
	}
	if got[0] != 6 || got[1] != 0 || got[2] != 6 {
		t.Errorf("printf gave %v", got[:3])
	}
}

// The same of OpenCL C's printf: format and strings are in constant memory, vectors lie at
// their own alignment.
func TestPrintfOfOpenCLPrintsVectors(t *testing.T) {
	const text = `.extern .func (.param .b32 r) printf (.param .b64 f, .param .b64 a);
.const .align 1 .b8 format[%d] = {%s};
.const .align 1 .b8 word[4] = {%s};
.entry k(.param .u64 out) {
	.local .align 16 .b8 depot[64];
	.reg .b32 %%r<4>; .reg .b64 %%rd<9>;
	mov.u64 %%rd1, depot; cvta.local.u64 %%rd2, %%rd1;
	st.local.v2.u32 [depot], {7, -1}; st.local.u32 [depot+8], 0xff0280ab;
	mov.b64 %%rd3, 0d3FF8000000000000; mov.b64 %%rd4, 0dC000000000000000;
	st.local.u32 [depot+16], 0x3fc00000; st.local.u32 [depot+20], 0x40200000;
	st.local.v2.u64 [depot+32], {%%rd3, %%rd4};
	mov.u64 %%rd4, word; st.local.u64 [depot+48], %%rd4;
	mov.u64 %%rd5, format;
	{ .param .b64 a; st.param.b64 [a], %%rd5; .param .b64 b; st.param.b64 [b], %%rd2; .param .b32 c; call.uni (c), printf, (a, b); ld.param.b32 %%r3, [c]; }
	ld.param.u64 %%rd6, [out]; st.global.u32 [%%rd6], %%r3;
	ret;
}`
	const format = "%v2hld %v3hhx %-7.1v2hlf %v2lf %s\n"
	letters := func(s string) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint([]byte(s)), " ", ", "), "[]") + ", 0"
	}
	var b strings.Builder
	got, err := launchText(t, Options{Output: &b}, fmt.Sprintf(text, len(format)+1, letters(format), letters("str")), 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := "7,-1 ab,80,2 1.5    ,2.5     1.500000,-2.000000 str\n"; b.String() != want {
		t.Errorf("printed %q, want %q", b.String(), want)
	}
	if got[0] != 0 {
		t.Errorf("printf gave %v", got[:1])
	}
}

// The driver's registers have what the launch gives them.
func TestDriverRegistersAreOfTheLaunch(t *testing.T) {
	d := NewDevice(Options{})
	m, err := d.LoadModule(parse(t, "envreg.ptx", ".version 6.3\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out) { .reg .b32 %r<3>; .reg .b64 %a; ld.param.u64 %a, [out]; mov.u32 %r1, %envreg0; mov.u32 %r2, %envreg31; st.global.u32 [%a], %r1; st.global.u32 [%a+4], %r2; ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	out := upload(t, d, "out", make([]uint32, 2))
	for n := uint32(0); n < 6; n += 3 {
		l := LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Arguments: pack(out)}
		l.Environment[0], l.Environment[31] = n, n+1
		if _, err := d.Launch(l); err != nil {
			t.Fatal(err)
		}
		if got := download(t, d, out, 2); got[0] != n || got[1] != n+1 {
			t.Errorf("the kernel read %v, want %d and %d", got, n, n+1)
		}
	}
}

func TestMallocAndFree(t *testing.T) {
	const text = `.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.entry k(.param .u64 out) {
	.reg .b32 %r<4>; .reg .b64 %rd<9>;
	mov.u32 %r1, %tid.x; ld.param.u64 %rd6, [out]; mad.wide.u32 %rd6, %r1, 4, %rd6;
	{ .param .b64 a; st.param.b64 [a], 16; .param .b64 c; call.uni (c), malloc, (a); ld.param.b64 %rd1, [c]; }
	st.u32 [%rd1+12], %r1; ld.global.u32 %r2, [%rd1+12]; st.global.u32 [%rd6], %r2;
	{ .param .b64 a; st.param.b64 [a], %rd1; call.uni free, (a); }
	{ .param .b64 a; st.param.b64 [a], 99999999; .param .b64 c; call.uni (c), malloc, (a); ld.param.b64 %rd2, [c]; }
	cvt.u32.u64 %r3, %rd2; st.global.u32 [%rd6+128], %r3;
	TWICE
	ret;
}`
	got, err := launchText(t, Options{}, strings.Replace(text, "TWICE", "", 1), 16)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(16) {
		if got[i] != i || got[32+i] != 0 {
			t.Errorf("thread %d: %d, and %d for too much", i, got[i], got[32+i])
		}
	}
	_, err = launchText(t, Options{}, strings.Replace(text, "TWICE", "{ .param .b64 a; st.param.b64 [a], %rd1; call.uni free, (a); }", 1), 16)
	wantFault(t, err, coexecution.FaultUseAfterFree, "it was freed before")
}

func TestFailedAssertTellsWhatAndWhere(t *testing.T) {
	_, err := launchText(t, Options{}, `.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);
.const .align 1 .b8 message[6] = {120, 32, 62, 32, 48};
.global .align 1 .b8 file[5] = {97, 46, 99, 117};
.entry k(.param .u64 out) {
	.reg .b64 %rd<4>;
	mov.u64 %rd1, message; cvta.const.u64 %rd1, %rd1; mov.u64 %rd2, file;
	{ .param .b64 a; st.param.b64 [a], %rd1; .param .b64 b; st.param.b64 [b], %rd2; .param .b32 c; st.param.b32 [c], 42; .param .b64 d; st.param.b64 [d], %rd2; .param .b64 e; st.param.b64 [e], 1;
	call.uni __assertfail, (a, b, c, d, e); }
	ret;
}`, 1)
	wantFault(t, err, coexecution.FaultAssert, `a.cu:42: a.cu: assertion "x > 0" failed`)
}

func TestUnknownExternalFunctionIsRefusedAtLoad(t *testing.T) {
	_, err := NewDevice(Options{}).LoadModule(parse(t, "k.ptx", ptxHeader+`.extern .func mystery (.param .b64 p);
.entry k(.param .u64 out) {
	{ .param .b64 a; call.uni mystery, (a); }
	ret;
}`))
	if err == nil || !strings.Contains(err.Error(), "k.ptx:6:19: call.uni: function mystery is defined nowhere in this module") {
		t.Errorf("%v", err)
	}
}

func TestMathFunctionsThatCompilersLeaveExternal(t *testing.T) {
	cases := []struct {
		name, bits string
		arguments  []string
		want       float64
	}{
		{"__nv_sinf", "32", []string{"0f3F800000"}, 0.8414709848078965}, {"__nv_powf", "32", []string{"0f40000000", "0f40400000"}, 8},
		{"expf", "32", []string{"0f3F800000"}, math.E}, {"__nv_fast_logf", "32", []string{"0f40490FDB"}, 1.1447298858494002},
		{"__nv_atan2", "64", []string{"0d3FF0000000000000", "0dBFF0000000000000"}, 2.356194490192345}, {"__nv_cospi", "64", []string{"0d3FE0000000000000"}, 0},
		{"__nv_sinpi", "64", []string{"0dBFE0000000000000"}, -1}, {"__nv_sinpi", "64", []string{"0dBFFC000000000000"}, math.Sqrt2 / 2}, {"__nv_sinpi", "64", []string{"0d3FFC000000000000"}, -math.Sqrt2 / 2},
		{"__nv_sinpi", "64", []string{"0dBFF4000000000000"}, math.Sqrt2 / 2}, {"__nv_sinpi", "64", []string{"0d3FF4000000000000"}, -math.Sqrt2 / 2}, {"erf", "64", []string{"0d3FF0000000000000"}, 0.8427007929497149},
		{"__nv_fma", "64", []string{"0d4000000000000000", "0d4008000000000000", "0d3FF0000000000000"}, 7},
		{"__nv_dadd_ru", "64", []string{"0d3FF0000000000000", "0d3970000000000000"}, 1.0000000000000002},
		{"__nv_fsqrt_rd", "32", []string{"0f40000000"}, 1.41421354},
	}
	for _, c := range cases {
		var formals, actuals, body []string
		for i, a := range c.arguments {
			formals = append(formals, fmt.Sprintf(".param .b%s p%d", c.bits, i))
			actuals = append(actuals, fmt.Sprintf("a%d", i))
			body = append(body, fmt.Sprintf(".param .b%s a%d; mov.f%s %%f%s, %s; st.param.f%s [a%d], %%f%s;", c.bits, i, c.bits, c.bits, a, c.bits, i, c.bits))
		}
		got, err := launchText(t, Options{}, fmt.Sprintf(`.extern .func (.param .b%[1]s r) %[2]s (%[3]s);
.entry k(.param .u64 out) {
	.reg .f32 %%f32; .reg .f64 %%f64; .reg .b64 %%rd1;
	ld.param.u64 %%rd1, [out];
	{ %[4]s .param .b%[1]s r; call.uni (r), %[2]s, (%[5]s); ld.param.f%[1]s %%f%[1]s, [r]; }
	st.global.f%[1]s [%%rd1], %%f%[1]s;
	ret;
}`, c.bits, c.name, strings.Join(formals, ", "), strings.Join(body, " "), strings.Join(actuals, ", ")), 1)
		if err != nil {
			t.Fatal(err)
		}
		value := math.Float64frombits(uint64(got[0]) | uint64(got[1])<<32)
		if c.bits == "32" {
			value = float64(math.Float32frombits(got[0]))
		}
		if math.Abs(value-c.want) > 1e-7*math.Abs(c.want) {
			t.Errorf("%s of %v is %v, want %v", c.name, c.arguments, value, c.want)
		}
	}
}

// The trace of a kernel with calls follows its own control-flow graph, which
// Verify checks lane by lane.
func TestTraceOfCallsVerifies(t *testing.T) {
	for _, file := range []string{"recursion.O2", "pointers.O2", "flow.O0"} {
		text, err := os.ReadFile("testdata/calls/" + file + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		d := NewDevice(Options{})
		k := kernelOf(t, d, file, string(text), "calls")
		var b bytes.Buffer
		w, err := wtape.NewWriter(&b, "memory", trace.Header{}, wtape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		number, err := w.AddKernel(k.Static())
		if err != nil {
			t.Fatal(err)
		}
		block := trace.Dim3{X: 64, Y: 1, Z: 1}
		if _, err := w.BeginLaunch(trace.Launch{Kernel: number, Grid: dims(1, 1), Block: block}); err != nil {
			t.Fatal(err)
		}
		out := upload(t, d, "out", make([]uint32, 64))
		if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: block, Arguments: pack(out), Recorder: w}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.EndLaunch(), w.Finish()); err != nil {
			t.Fatal(err)
		}
		r, err := wtape.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if err := verification.Verify(r); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if r.Totals().ByClass[trace.ClassCall] == 0 {
			t.Errorf("%s: no calls in %+v", file, r.Totals())
		}
	}
}

// PTX 1.4 with 32-bit addresses: registers as parameters, banks of constants,
// addresses byte by byte.
func TestOldStyleRunsWith32BitAddresses(t *testing.T) {
	text, err := os.ReadFile("../ptx/testdata/nvcc-style/old.ptx")
	if err != nil {
		t.Fatal(err)
	}
	d := NewDevice(Options{})
	m, err := d.LoadModule(parse(t, "old.ptx", string(text)))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("old")
	if err != nil {
		t.Fatal(err)
	}
	out := upload(t, d, "out", make([]uint32, 8))
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: trace.Dim3{X: 8, Y: 1, Z: 1}, DynamicShared: 32, Arguments: pack(uint32(out), float32(2.5))}); err != nil {
		t.Fatal(err)
	}
	want := []uint32{4, 25, 49, 100, 4, 25, 50, 101} // trunc(2.5 * {1,2,3,4})^2, and 1 from thread 6 on
	for i, v := range download(t, d, out, 8) {
		if v != want[i] {
			t.Errorf("thread %d: %d, want %d", i, v, want[i])
		}
	}
	bytes, _, err := m.Symbol("address")
	if err != nil {
		t.Fatal(err)
	}
	counter, _, err := m.Symbol("counter")
	if err != nil {
		t.Fatal(err)
	}
	if got := download(t, d, bytes, 1)[0]; uint64(got) != counter {
		t.Errorf("the address put together is %#x, it is %#x", got, counter)
	}
}

// A function that calls itself keeps registers that only vectors name.
func TestRecursionKeepsRegistersOfVectors(t *testing.T) {
	got, err := launchText(t, Options{}, `.func down(.param .b32 n, .param .b64 at) {
	.reg .b32 %r<7>; .reg .b64 %a<3>; .reg .pred %p;
	ld.param.u32 %r1, [n]; ld.param.u64 %a1, [at];
	setp.eq.u32 %p, %r1, 0;
	@%p ret;
	mad.wide.u32 %a2, %r1, 8, %a1;
	ld.global.v2.u32 {%r5, %r6}, [%a2];
	sub.u32 %r2, %r1, 1;
	{ .param .b32 m; st.param.b32 [m], %r2; .param .b64 b; st.param.b64 [b], %a1; call.uni down, (m, b); }
	st.global.v2.u32 [%a2+128], {%r6, %r5};
	ret;
}
.entry k(.param .u64 out) {
	.reg .b32 %r<3>; .reg .b64 %a<3>; .reg .pred %p;
	ld.param.u64 %a1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %a2, %r1, 4, %a1; mad.lo.u32 %r2, %r1, %r1, 7; st.global.u32 [%a2], %r2;
	bar.warp.sync -1;
	setp.ne.u32 %p, %r1, 0;
	@%p ret;
	{ .param .b32 m; st.param.b32 [m], 9; .param .b64 b; st.param.b64 [b], %a1; call.uni down, (m, b); }
	ret;
}`, 32)
	if err != nil {
		t.Fatal(err)
	}
	square := func(i int) uint32 { return uint32(i*i + 7) }
	for n := 1; n <= 9; n++ {
		if got[32+2*n] != square(2*n+1) || got[33+2*n] != square(2*n) {
			t.Errorf("depth %d stored %d and %d, want %d and %d", n, got[32+2*n], got[33+2*n], square(2*n+1), square(2*n))
		}
	}
}

// An address in a function's frame is a variable's address and an offset, by name and by pointer.
func TestAVariableOfAFrameHasItsBytesInOrder(t *testing.T) {
	out, err := launchText(t, Options{}, `.func (.param .b32 r) sum(.param .b32 n) {
	.local .align 8 .b8 a[16]; .local .align 8 .b8 b[16]; .reg .b32 %n<4>; .reg .b64 %a<4>;
	ld.param.u32 %n0, [n]; mov.u64 %a0, a; mov.u64 %a1, b+4; mov.u64 %a2, b;
	st.local.u32 [%a0+12], %n0; st.local.u32 [%a1], %n0; add.u32 %n1, %n0, 100; st.local.u32 [%a2+8], %n1; st.local.u32 [%a2], %n1;
	ld.local.u32 %n2, [b+4]; ld.local.u32 %n3, [%a2+4]; sub.u32 %n2, %n2, %n3; ld.local.u32 %n3, [b+8]; sub.u32 %n3, %n3, %n1; or.b32 %n2, %n2, %n3;
	ld.local.u32 %n3, [a+12]; shl.b32 %n2, %n2, 16; add.u32 %n2, %n2, %n3;
	st.param.b32 [r], %n2; ret;
}
.entry k(.param .u64 out) {
	.reg .b32 %r<4>; .reg .b64 %d<4>;
	ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d1, %r0, 4, %d0;
	{ .param .b32 n; st.param.b32 [n], %r0; .param .b32 r; call.uni (r), sum, (n); ld.param.b32 %r1, [r]; }
	st.global.u32 [%d1], %r1; ret;
}`, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 32 {
		if out[i] != uint32(i) {
			t.Errorf("thread %d: %#x, want %#x", i, out[i], i)
		}
	}
}
