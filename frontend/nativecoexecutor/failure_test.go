// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/frontend/cuda/emulated"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// session records a program of several kernels, and ends its trace as a command does when the
// device fails.
func session(t testing.TB, runs []run, o emulator.Options) (*wtape.Reader, error) {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "test", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	d := emulator.NewDevice(o)
	var failed error
	for i := range runs {
		p, refused := runs[i].prepare(d)
		if failed = refused; failed == nil {
			failed = runs[i].launch(t, d, &p, w)
		}
		if failed != nil {
			w.UpdateHeader(func(h *trace.Header) { h.Sampling = "cut off: " + failed.Error() })
			break
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r, failed
}

// contents lists the thread blocks of a trace with what their warps did.
func contents(t testing.TB, r *wtape.Reader) (list []string) {
	t.Helper()
	chunk := wtape.NewChunk()
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, chunk); err != nil {
			t.Fatal(err)
		}
		for _, b := range chunk.Blocks() {
			text := fmt.Sprintf("launch %d, thread block %d", chunk.Launch(), b)
			for warp := range chunk.WarpsPerBlock() {
				w := chunk.Warp(b, warp)
				text += fmt.Sprint(" ", w.Blocks, w.Masks, w.Guards)
				for _, a := range w.Accesses {
					var lanes [trace.WarpSize]uint64
					chunk.Lanes(a, &lanes)
					text += fmt.Sprint(lanes)
				}
			}
			list = append(list, text)
		}
	}
	return list
}

// several are kernels of one session: all spaces, a texture and a surface, and calls.
func several(t testing.TB) []run {
	random := rand.New(rand.NewPCG(21, 22))
	x := memory.Texture{Width: 16, Height: 8, Channels: 1, Element: ptx.U32}
	y := x
	y.Address = 1024
	// Each texture is accessed in all views: what is not accessed may lack.
	sampling := sampled(t, random, "tex.2d.v4.u32.s32 {%r10, %r11, %r12, %r13}, [%0, {%r4, %r5}];\nshl.b32 %r8, %r4, 2; suld.b.2d.b32.zero %r10, [%0, {%r8, %r5}];\ntex.2d.v4.u32.s32 {%r10, %r11, %r12, %r13}, [picture, {%r4, %r5}];\nand.b32 %r4, %r4, 60; and.b32 %r5, %r5, 7; sust.b.2d.b32.clamp [picture, {%r4, %r5}], %r7;",
		func() uint32 { return uint32(random.IntN(16)) }, x, y)
	first, last := spaces(t), spaces(t)
	first.grid.X, last.grid.X = 3, 4
	calls := callsByHand(t, "calls", 7, 0, 0, 0)
	calls.block.X = 4
	return []run{first, sampling, calls, last}
}

// Whatever call of the driver fails in a session of several kernels, and however it does, the
// error says so and the trace is valid: it has what had finished, and nothing else.
func TestAnyCallOfTheDriverMayFail(t *testing.T) {
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	runs := several(t)
	const outOfMemory, ecc, invalidPTX, illegalAddress, launchFailed, noDevice = 2, 214, 218, 700, 719, 46
	for _, mode := range tracetest.Draw(t, []contamination.Mode{contamination.Straight, contamination.Segments}, tracetest.Fewer(1, 2)) {
		if mode == contamination.Segments {
			runs = []run{runs[2], runs[1]}
			runs[0].grid.X, runs[1].grid.X, runs[0].block.X, runs[1].block.X = 2, 2, 2, 3
		}
		good, err := session(t, runs, emulator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := contents(t, good)
		// try records with the n-th call failing; nth tells how many there were.
		try := func(n int, code int32) (got []string, calls int, name string, failed error) {
			d, err := emulated.Open(emulated.Options{Say: new(bytes.Buffer), MaxInstructions: 1 << 24})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			broken := false
			d.Fail(func(call string) int32 {
				if calls++; calls == n {
					broken, name = true, call
				} else if code == outOfMemory || code == invalidPTX { // such errors pass
					broken = false
				}
				if broken {
					return code
				}
				return 0
			})
			c, err := nativecoexecutor.New(d.Device, nativecoexecutor.Options{Mode: mode, MemoryBytes: 1 << 20, LogBytes: 24 << 10})
			if err != nil {
				return nil, calls, name, err
			}
			r, failed := session(t, runs, emulator.Options{Coexecutor: c})
			if failed == nil == (r.Header().Sampling != "") {
				t.Errorf("%s, call %d (%s): the header says %q", mode, n, name, r.Header().Sampling)
			}
			return contents(t, r), calls, name, failed
		}
		got, calls, _, err := try(0, 0)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s, without a failure: %d of %d thread blocks, %v", mode, len(got), len(want), err)
		}
		codes, names := []int32{outOfMemory, ecc, invalidPTX, illegalAddress, launchFailed, noDevice, driver.Hangs}, map[string]bool{}
		step := max(calls/14, 1)
		if os.Getenv("WARPTAPE_ALL_SEGMENTS") != "" {
			step = max(calls/400, 1)
		}
		for _, i := range tracetest.Seeds(t, (calls+step-1)/step, tracetest.Fewer(1, 2)) {
			n := 1 + int(i)*step
			code := codes[n/step%len(codes)]
			got, _, name, err := try(n, code)
			names[name] = true
			switch {
			case err == nil:
				t.Errorf("%s, call %d of %d (%s) gives %d, and there is no error", mode, n, calls, name, code)
			case !strings.Contains(err.Error(), name) && !driver.Lost(err):
				t.Errorf("%s, call %d (%s) gives %d: %v", mode, n, name, code, err)
			case code == driver.Hangs && !errors.Is(err, driver.ErrHangs):
				t.Errorf("%s, call %d (%s) hangs: %v", mode, n, name, err)
			case len(got) > len(want) || !slices.Equal(got, want[:len(got)]):
				t.Errorf("%s, call %d (%s) gives %d: the trace's %d thread blocks are not the first ones", mode, n, name, code, len(got))
			}
		}
		t.Logf("%s: %d calls, these failed: %v", mode, calls, names)
	}
}
