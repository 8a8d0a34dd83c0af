// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

func TestMoreThreadBlocksAllocateNothingMore(t *testing.T) {
	const n = 64
	d := NewDevice(Options{})
	k := reference(t, d, "sgemm.sm70.ptx", "sgemm")
	c, a, b := upload(t, d, "C", make([]uint32, n*n)), upload(t, d, "A", floats(1, n*n)), upload(t, d, "B", floats(2, n*n))
	allocations := func(grid uint32) float64 {
		return testing.AllocsPerRun(5, func() {
			_, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(grid, grid), Block: dims(16, 16), Arguments: pack(c, a, b, uint32(n)), Recorder: &discard{}})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(1), allocations(4); many > few {
		t.Errorf("1 thread block takes %v allocations, 16 take %v", few, many)
	}
}

// Nor does a kernel that reads places without a stride, others in each round of a loop.
func TestMoreRoundsOfGathersAllocateNothingMore(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "gather.ptx", ptxHeader+`.entry k(.param .u64 in, .param .u32 rounds) { .reg .b64 %d<5>; .reg .b32 %r<9>; .reg .pred %p;
		ld.param.u64 %d1, [in]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, %tid.x; mov.u32 %r4, 0;
		L: mul.lo.u32 %r5, %r2, %r2; mad.lo.u32 %r5, %r5, %r1, %r2; and.b32 %r5, %r5, 255; mad.wide.u32 %d2, %r5, 4, %d1; ld.global.u32 %r6, [%d2]; add.u32 %r4, %r4, %r6;
		sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L;
		mad.wide.u32 %d2, %r2, 4, %d1; st.global.u32 [%d2+1024], %r4; ret; }`, "k")
	in := upload(t, d, "in", make([]uint32, 512))
	allocations := func(rounds uint32) float64 {
		return testing.AllocsPerRun(5, func() {
			if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(in, rounds), Recorder: &discard{}}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(20), allocations(200); many > few {
		t.Errorf("20 rounds take %v allocations, 200 take %v", few, many)
	}
}

// A product's matrices belong to the warp, not to the instruction.
func TestMoreProductsOfMatricesAllocateNothingMore(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "products.ptx", ptxHeader+`.entry k(.param .u32 count) { .reg .pred %p; .reg .b32 %r<7>; .reg .f32 %f<4>;
		ld.param.u32 %r0, [count]; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u32 %r6, 0;
		mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000;
		L: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f0,%f1,%f2,%f3};
		sub.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, 0; @%p bra L; ret; }`, "k")
	allocations := func(count uint32) float64 {
		return testing.AllocsPerRun(5, func() {
			if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(32, 1), Arguments: pack(count), Recorder: &discard{}}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(1), allocations(100); many > few {
		t.Errorf("1 product takes %v allocations, 100 take %v", few, many)
	}
}

func TestTwoRecordingsAreTheSame(t *testing.T) {
	record := func() []string {
		const n = 32
		d := NewDevice(Options{})
		k := reference(t, d, "sgemm.sm30.ptx", "sgemm")
		c, a, b := upload(t, d, "C", make([]uint32, n*n)), upload(t, d, "A", floats(1, n*n)), upload(t, d, "B", floats(2, n*n))
		r := &accessRecorder{}
		for range 2 {
			if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(2, 2), Block: dims(16, 16), Arguments: pack(c, a, b, uint32(n)), Recorder: r}); err != nil {
				t.Fatal(err)
			}
		}
		return r.lines
	}
	first := record()
	if half := len(first) / 2; half == 0 || cmp.Diff(first[:half], first[half:]) != "" {
		t.Error("the second launch of a kernel recorded something else than the first")
	}
	if diff := cmp.Diff(first, record()); diff != "" {
		t.Errorf("the second run recorded something else (-first +second):\n%s", diff)
	}
}

func TestWildAddressesFaultInsteadOfWrapping(t *testing.T) {
	// Strides at which the first and the last lane lie in the buffer and those
	// between do not.
	for _, body := range []string{
		`mul.lo.u64 %d3, %d4, 0x0842108421084210; `,
		`mul.lo.u64 %d3, %d4, 0x8000000000000000; `,
		`shl.b64 %d3, %d4, 60; `,
		`mul.lo.u64 %d3, %d4, 0xfffffffffffffffc; `,
	} {
		s := script{body: `cvt.u64.u32 %d4, %r0; ` + body + `add.u64 %d3, %d3, %d1; ld.global.u32 %r1, [%d3]; st.global.u32 [%d3], %r1; ret;`}
		if f := s.fault(t); f.Kind != coexecution.FaultOutOfBounds {
			t.Errorf("%s: %v, want an access out of bounds", body, f)
		}
	}
}

// FuzzKernelNeverPanics runs whatever the parser accepts: it ends with a
// result, a fault, or an exhausted budget.
func FuzzKernelNeverPanics(f *testing.F) {
	files, err := filepath.Glob("../ptx/testdata/*/*.ptx")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(ptxHeader+printfKernel, uint32(3), uint32(0))
	for _, name := range []string{"pointers", "structs", "flow"} {
		files = append(files, "testdata/calls/"+name+".O2.ptx")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 20000 {
			f.Add(string(text), uint32(33), uint32(64))
		}
	}
	f.Fuzz(func(t *testing.T, text string, threads, dynamic uint32) {
		m, err := ptx.Parse("fuzz.ptx", []byte(text))
		if err != nil {
			return
		}
		d := NewDevice(Options{MaxInstructions: 2000, GlobalBytes: 1 << 20, CheckShared: dynamic%2 == 1, CheckRaces: dynamic%4 >= 2, CheckGlobalRaces: dynamic%8 >= 4,
			Watch: &coexecution.Watch{Thread: uint64(threads / 2), Out: io.Discard}})
		loaded, err := d.LoadModule(m)
		if err != nil {
			return
		}
		buffer, err := d.Allocate("buffer", 4096)
		if err != nil {
			return
		}
		picture, err := d.CreateTexture(memory.Texture{Name: "picture", Address: buffer, Width: 5, Height: int(dynamic % 3), Channels: 2, Element: ptx.F32, Linear: threads%2 == 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range m.Variables {
			if v.Space == ptx.SpaceTexture {
				if err := loaded.BindTexture(v.Name, picture); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, k := range m.Kernels {
			kernel, err := loaded.Kernel(k.Name)
			if err != nil {
				t.Fatal(err)
			}
			arguments := make([]byte, kernel.ParamBytes())
			for i := range arguments {
				arguments[i] = byte(buffer >> (8 * (i % 8)))
			}
			// An error is as good as a result here; a panic is what must not be.
			_, _ = d.Launch(LaunchRequest{Kernel: kernel, Grid: dims(2, 1), Block: trace.Dim3{X: threads, Y: 1, Z: 1}, DynamicShared: dynamic % 4096, Arguments: arguments, Recorder: &discard{}})
		}
	})
}
