// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math"
	"testing"
)

func TestReferenceSaxpyComputesAXPlusY(t *testing.T) {
	for _, file := range []string{"saxpy.sm30.ptx", "saxpy.sm70.ptx"} {
		t.Run(file, func(t *testing.T) {
			const n = 1000 // the last thread block is partly idle
			d := NewDevice(Options{})
			k := reference(t, d, file, "saxpy")
			xs, ys := floats(1, n), floats(2, n)
			y, x := upload(t, d, "y", ys), upload(t, d, "x", xs)
			_, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(4, 1), Block: dims(256, 1), Arguments: pack(y, x, float32(2.5), uint32(n))})
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range download(t, d, y, n) {
				// Small numbers: the result is exact, however it is rounded.
				if want := 2.5*value(xs[i]) + value(ys[i]); value(got) != want {
					t.Fatalf("y[%d] = %v, want %v", i, value(got), want)
				}
			}
		})
	}
}

func TestReferenceTransposeSwapsRowsAndColumns(t *testing.T) {
	for _, file := range []string{"transpose.sm30.ptx", "transpose.sm70.ptx"} {
		t.Run(file, func(t *testing.T) {
			const w, h = 40, 50 // neither is a multiple of the block
			d := NewDevice(Options{})
			k := reference(t, d, file, "transpose")
			in := floats(3, w*h)
			out, src := upload(t, d, "out", make([]uint32, w*h)), upload(t, d, "in", in)
			_, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(3, 4), Block: dims(16, 16), Arguments: pack(out, src, uint32(w), uint32(h))})
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range download(t, d, out, w*h) {
				if want := in[i%h*w+i/h]; got != want {
					t.Fatalf("out[%d] = %v, want %v", i, value(got), value(want))
				}
			}
		})
	}
}

func TestReferenceSgemmMultipliesMatrices(t *testing.T) {
	for _, file := range []string{"sgemm.sm30.ptx", "sgemm.sm70.ptx"} {
		t.Run(file, func(t *testing.T) {
			const n = 48
			d := NewDevice(Options{CheckShared: true})
			k := reference(t, d, file, "sgemm")
			as, bs := floats(4, n*n), floats(5, n*n)
			c, a, b := upload(t, d, "C", make([]uint32, n*n)), upload(t, d, "A", as), upload(t, d, "B", bs)
			_, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(n/16, n/16), Block: dims(16, 16), Arguments: pack(c, a, b, uint32(n))})
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range download(t, d, c, n*n) {
				var want float64 // exact: eighths below 2^12
				for j := range n {
					want += float64(value(as[i/n*n+j])) * float64(value(bs[j*n+i%n]))
				}
				if math.Abs(float64(value(got))-want) != 0 {
					t.Fatalf("C[%d] = %v, want %v", i, value(got), want)
				}
			}
		})
	}
}

// discard counts what it is given and keeps nothing.
type discard struct{ visits, guards, accesses, blocks uint64 }

func (d *discard) BeginBlock(uint64)                        { d.blocks++ }
func (d *discard) Visit(int, uint32, uint32)                { d.visits++ }
func (d *discard) Guard(int, uint32)                        { d.guards++ }
func (d *discard) Access(int, uint32, *[32]uint64)          { d.accesses++ }
func (d *discard) AccessStrided(int, uint32, uint64, int64) { d.accesses++ }
func (d *discard) EndBlock() error                          { return nil }

// benchmarkLaunch runs a launch again and again and reports warp instructions
// per second.
func benchmarkLaunch(b *testing.B, d *Device, l LaunchRequest) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	var instructions uint64
	for b.Loop() {
		r, err := d.Launch(l)
		if err != nil {
			b.Fatal(err)
		}
		instructions += r.WarpInstructions
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds(), "warp-insn/s")
}

// BenchmarkRecordSaxpy isolates short thread blocks: half of the time goes to
// starting them, the rest to contiguous accesses and 64-bit addresses.
func BenchmarkRecordSaxpy(b *testing.B) {
	const n = 1 << 18
	d := NewDevice(Options{})
	k := reference(b, d, "saxpy.sm70.ptx", "saxpy")
	y, x := upload(b, d, "y", floats(1, n)), upload(b, d, "x", floats(2, n))
	benchmarkLaunch(b, d, LaunchRequest{Kernel: k, Grid: dims(n/256, 1), Block: dims(256, 1),
		Arguments: pack(y, x, float32(1e-3), uint32(n)), Recorder: &discard{}})
}

// BenchmarkRecordTranspose isolates strided stores.
func BenchmarkRecordTranspose(b *testing.B) {
	const n = 512
	d := NewDevice(Options{})
	k := reference(b, d, "transpose.sm70.ptx", "transpose")
	out, in := upload(b, d, "out", make([]uint32, n*n)), upload(b, d, "in", floats(2, n*n))
	benchmarkLaunch(b, d, LaunchRequest{Kernel: k, Grid: dims(n/16, n/16), Block: dims(16, 16),
		Arguments: pack(out, in, uint32(n), uint32(n)), Recorder: &discard{}})
}

// BenchmarkRecordSgemm isolates shared memory, fma and barriers.
func BenchmarkRecordSgemm(b *testing.B) {
	const n = 128
	d := NewDevice(Options{})
	k := reference(b, d, "sgemm.sm70.ptx", "sgemm")
	c, a, m := upload(b, d, "C", make([]uint32, n*n)), upload(b, d, "A", floats(1, n*n)), upload(b, d, "B", floats(2, n*n))
	benchmarkLaunch(b, d, LaunchRequest{Kernel: k, Grid: dims(n/16, n/16), Block: dims(16, 16),
		Arguments: pack(c, a, m, uint32(n)), Recorder: &discard{}})
}
