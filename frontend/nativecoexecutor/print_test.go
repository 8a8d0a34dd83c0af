// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64) && !static

package nativecoexecutor_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// printing is a kernel whose first thread of each warp writes a line behind a loop that logs
// about two KiB.
func printing(t testing.TB) run {
	m, err := ptx.Parse("printing.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[14] = {98,108,111,99,107,32,37,100,44,37,100,10,0,0};
.visible .entry printing(.param .u64 out)
{
	.local .align 8 .b8 arguments[8];
	.reg .b64 %d<8>; .reg .b32 %r<8>; .reg .pred %p<2>;
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; st.local.u32 [arguments], %r1; st.local.u32 [arguments+4], %r2;
	mov.u32 %r4, 0;
AGAIN:	add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 250; @%p1 bra AGAIN;
	mov.u64 %d1, arguments; cvta.local.u64 %d1, %d1; mov.u64 %d2, format; cvta.global.u64 %d2, %d2;
	and.b32 %r3, %r2, 31; setp.eq.u32 %p1, %r3, 0; @!%p1 bra END;
	{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d2; st.param.b64 [b], %d1; call.uni (r), vprintf, (a, b); ld.param.b32 %r5, [r]; }
	ld.param.u64 %d3, [out]; mad.wide.u32 %d3, %r1, 8, %d3; shr.u32 %r2, %r2, 5; mad.wide.u32 %d3, %r2, 4, %d3; atom.global.add.u32 %r6, [%d3], %r5;
END:	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	return run{module: m, kernel: "printing", grid: trace.Dim3{X: 4, Y: 1, Z: 1}, block: trace.Dim3{X: 64, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 64)}}
}

// standardOutput gives what the process writes to its standard output, as the driver's
// library does.
func standardOutput(t testing.TB, f func()) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "out")
	to, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	before, err := syscall.Dup(1)
	if err == nil {
		err = syscall.Dup3(int(to.Fd()), 1, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	f()
	address, err := purego.Dlsym(purego.RTLD_DEFAULT, "fflush")
	if err != nil {
		t.Fatal(err)
	}
	var flush func(stream uintptr) int32
	purego.RegisterFunc(&flush, address)
	flush(0)
	if err := syscall.Dup3(before, 1, 0); err != nil {
		t.Fatal(err)
	}
	syscall.Close(before)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Thread blocks that run again, or go on by segments, print what they print once.
func TestThreadBlocksThatRunAgainPrintOnce(t *testing.T) {
	r := printing(t)
	want := "block 0,0\nblock 0,32\nblock 1,0\nblock 1,32\nblock 2,0\nblock 2,32\nblock 3,0\nblock 3,32\n"
	first, _, err := r.record(t, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		log                uint64
		repeated, segments bool
		mode               contamination.Mode
	}{{0, true, false, contamination.Straight}, {10 << 10, true, false, contamination.Straight}, {1 << 10, true, true, contamination.Straight}, {1 << 10, false, false, contamination.Segments}} {
		if c.mode == contamination.Segments || c.segments {
			r.grid.X = 1 // each visit is a launch
			if first, _, err = r.record(t, emulator.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		d := open(t, nativecoexecutor.Options{LogBytes: c.log, Mode: c.mode})
		var file []byte
		text := standardOutput(t, func() { file, _, err = r.record(t, emulator.Options{Coexecutor: d.Coexecutor}) })
		if err != nil || !bytes.Equal(file, first) {
			t.Errorf("a log of %d bytes: the trace differs (%v)", c.log, err)
		}
		lines := strings.SplitAfter(want, "\n")
		if expected := strings.Join(lines[:2*r.grid.X], ""); text != expected {
			t.Errorf("a log of %d bytes, %s: it prints %q, want %q", c.log, c.mode, text, expected)
		}
		if (d.Counts.Repeated > 0) != c.repeated || (d.Counts.Divided > 0) != c.segments {
			t.Errorf("a log of %d bytes: %+v", c.log, d.Counts)
		}
	}
}

// A warp's cursor does not come round when it logs more than cursors can count: what looks
// like the log of a shorter run is none.
func TestACursorDoesNotComeRound(t *testing.T) {
	m, err := ptx.Parse("long.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry long(.param .u64 out)
{
	.reg .b32 %r<4>; .reg .pred %p<2>; .reg .b64 %d<3>;
AGAIN:	ld.param.u64 %d1, [out]; atom.global.add.u32 %r1, [%d1], 1; setp.lt.u32 %p1, %r1, 398; @%p1 bra AGAIN;
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := run{module: m, kernel: "long", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 1, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 64)}}
	// Straight through, 16 visits count as all that a cursor can count.
	counts := 0
	d := open(t, nativecoexecutor.Options{Change: func(text []byte) []byte {
		if counts++; counts > 1 {
			return text // by segments
		}
		return bytes.ReplaceAll(text, []byte("[%wt_cursor], 8;"), []byte("[%wt_cursor], 0x10000000;"))
	}})
	if r.compare(t, d); d.Counts.Divided != 1 {
		t.Errorf("%+v", d.Counts)
	}
}
