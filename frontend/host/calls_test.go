// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
)

func TestKernelComputesWhatTheProgramChecks(t *testing.T) {
	p := load(t, inMain(`x = f32([1.0, 2.0, 3.0, 4.0])
b = gpu.buffer("x", x)
gpu.launch(m.scale, grid=2, block=2, args=[b, 2.5, 4])
check.equal(gpu.read(b), x * 2.5)
check.equal(gpu.read(b, start=1, count=2), f32([5.0, 7.5]))
check.equal(gpu.read(b, start=3), f32([10.0]))
gpu.write(b, f32([9.0]), start=2)
check.equal(gpu.read(b), f32([2.5, 5.0, 9.0, 10.0]))
gpu.fill(b, 0)
check.equal(gpu.read(b), array.zeros(f32, 4))
counter = gpu.symbol(m, "counter", u32)
check.equal(gpu.read(counter), u32([7]))
gpu.free(b)`))
	result, err := p.Run(context.Background(), host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Checks != 6 || result.Launches != 1 || result.ThreadBlocks != 2 || result.Warps != 2 || result.WarpInstructions != 24 {
		t.Errorf("got %+v", result)
	}
}

// launchSink takes the launches down.
type launchSink struct {
	log
	launched []trace.Launch
}

func (s *launchSink) BeginLaunch(l trace.Launch, after ...int) (int, error) {
	s.launched = append(s.launched, l)
	return s.log.BeginLaunch(l, after...)
}

// A trace has the clusters of a launch, and none where they have one thread block.
func TestTheTraceHasTheClustersOfALaunch(t *testing.T) {
	p := load(t, inMain(`b = gpu.buffer("x", array.zeros(f32, 16))
gpu.launch(m.scale, grid=(4, 2), block=2, args=[b, 2.5, 4], cluster=(2, 2))
gpu.launch(m.scale, grid=4, block=2, args=[b, 2.5, 4], cluster=1)
gpu.launch(m.scale, grid=4, block=2, args=[b, 2.5, 4])`))
	sink := new(launchSink)
	if _, err := p.Run(context.Background(), host.Options{Sink: sink}); err != nil {
		t.Fatal(err)
	}
	var got []trace.Dim3
	for _, l := range sink.launched {
		got = append(got, l.Cluster)
	}
	if diff := cmp.Diff([]trace.Dim3{{X: 2, Y: 2, Z: 1}, {}, {}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWrongArgumentsNameTheParameter(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"[b, 1.0]", "kernel scale: it takes 3 arguments (.u64 data, .f32 factor, .u32 n), got 2"},
		{"[1.5, 1.0, 4]", "argument 0 (.u64 data): 1.5 is a float"},
		{"[b, 1, 4]", "argument 1 (.f32 factor): 1 is an int: write 1.0"},
		{"[b, f64(1.0), 4]", "argument 1 (.f32 factor): f64[](1.0) has 8 bytes, the parameter has 4"},
		{"[b, u32(1), 4]", "argument 1 (.f32 factor): u32[](1) is no .f32"},
		{"[b, b, 4]", "argument 1 (.f32 factor): buffer x: f32[4] has an address"},
		{"[b, 1.0, 1 << 32]", "argument 2 (.u32 n): 4294967296 does not fit into 32 bits"},
		{"[b, 1.0, -1 << 40]", "does not fit into 32 bits"},
		{"[b, 1.0, 'x']", "argument 2 (.u32 n): a string cannot be an argument"},
		{"[b, 1.0, b'x']", "1 bytes for a parameter of 4"},
	} {
		p := load(t, inMain(`b = gpu.buffer("x", array.zeros(f32, 4))`+"\ngpu.launch(m.scale, grid=1, block=4, args="+c.args+")"))
		_, err := p.Run(context.Background(), host.Options{})
		wantError(t, err, "dir/p.star:4:15: in main: gpu.launch: ", c.want)
	}
}

func TestWrongCallsSayWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ statement, want string }{
		{"m.saxpy", `no kernel "saxpy"; it has scale`},
		{`gpu.module("none.ptx")`, "dir/none.ptx"},
		{`gpu.module("../../etc/passwd")`, "outside the host program's folder"},
		{`gpu.module("p.star")`, "dir/p.star:1:"},
		{`gpu.launch(m.scale, grid=0, block=1, args=[b, 1.0, 4])`, "grid (0,1,1)"},
		{`gpu.launch(m.scale, grid=1, block=2000, args=[b, 1.0, 4])`, "thread block (2000,1,1)"},
		{`gpu.launch(m.scale, grid=(1, 1, 1, 1), block=1, args=[b, 1.0, 4])`, "grid: want one to three numbers"},
		{`gpu.launch(m.scale, grid=-1, block=1, args=[b, 1.0, 4])`, "grid: "},
		{`gpu.launch(m, grid=1, block=1)`, "for parameter kernel: got module, want kernel"},
		{`gpu.buffer("y", f32([]))`, "at least one byte"},
		{`gpu.write(b, i32([1]))`, "an array of i32 does not go into buffer x: f32[4]"},
		{`gpu.write(b, f32([1.0]), start=4)`, "elements 4 to 5 are outside buffer x: f32[4]"},
		{`gpu.read(b, start=-1)`, "outside buffer"},
		{`gpu.read(b, count=5)`, "elements 0 to 5 are outside buffer x"},
		{`gpu.fill(b, 256)`, "byte"},
		{`gpu.symbol(m, "none", u32)`, `no .global or .const variable "none"`},
		{`gpu.symbol(m, "counter", u64)`, "variable counter has 4 bytes, which is no number of u64"},
		{`gpu.free(b) and gpu.free(b)`, "buffer x was freed"},
		{`host.compute("x", operations=1, after=[1])`, "after[0] is a int, not an event"},
		{`host.compute("x", operations=1, writes=[1])`, "writes[0]: is a int: want a buffer"},
		{`host.compute("x", operations=1, reads=[(1, 2)])`, "want (buffer, start, count)"},
		{`host.compute("x", operations=1, reads=[(gpu.alloc("b", f32, 4), 2, 3)])`, "3 elements from 2 on: buffer \"b\" has 4"},
		{`gpu.blocks(1, 0)`, "per_block must be positive"},
		{`random.uniform(i32, 3)`, "use random.integers"},
		{`random.integers(f32, 3, 0, 1)`, "use random.uniform"},
		{`random.integers(u8, 3, 0, 300)`, "does not fit into u8"},
		{`random.integers(u8, 3, 5, 5)`, "low must be below high"},
		{`random.graph_rmat(3, 1)`, "power of two"},
		{`random.graph_uniform(1 << 20, 1 << 20)`, "2^30 edges"},
		{`check.that(1 > 2, "one is too small")`, "one is too small"},
		{`check.equal(f32([1.0]), f64([1.0]))`, "got f32, want f64"},
		{`check.close(f32([1.0]), f32([1.0, 2.0]))`, "got shape [1], want [2]"},
		{`check.close(f32([1.0]), f32([1.0]), rel=-1.0)`, "must not be negative"},
	} {
		p := load(t, inMain(`b = gpu.buffer("x", array.zeros(f32, 4))`+"\n"+c.statement))
		_, err := p.Run(context.Background(), host.Options{})
		wantError(t, err, "dir/p.star:4:", c.want)
	}
}

func TestFailedCheckNamesTheFirstElement(t *testing.T) {
	p := load(t, "def main(p):\n    want = array.zeros(f32, (2, 3))\n    got = want.copy()\n    got[1, 0] = 0.5\n    got[1, 2] = 1e-9\n    check.close(got, want, abs=1e-6, name='y')\n")
	_, err := p.Run(context.Background(), host.Options{})
	wantError(t, err, "dir/p.star:6:16: in main: check.close: check of y failed: 1 of 6 elements differ from the reference; first y[1, 0] is 0.5, want 0.0 within a relative 0 or an absolute 1e-06")
	var check *host.CheckError
	if !errors.As(err, &check) || check.Index != 3 || check.Different != 1 || check.Total != 6 {
		t.Errorf("got %+v", check)
	}
}

func TestNaNIsCloseToNothing(t *testing.T) {
	p := load(t, "def main(p):\n    inf = f64([float('inf')])\n    check.close(inf, inf)\n    check.close(inf - inf, inf - inf, abs=1.0)\n")
	result, err := p.Run(context.Background(), host.Options{})
	wantError(t, err, "dir/p.star:4:16: ")
	if result.Checks != 1 {
		t.Errorf("%d checks held", result.Checks)
	}
}

func TestKernelFaultNamesTheLaunch(t *testing.T) {
	p := load(t, inMain("b = gpu.buffer('x', array.zeros(f32, 4))\ngpu.launch(m.scale, grid=1, block=512, args=[b, 1.0, 4])"))
	_, err := p.Run(context.Background(), host.Options{})
	wantError(t, err, "dir/p.star:4:15: in main: gpu.launch: dir/scale.ptx:17: out-of-bounds")
	var fault *coexecution.Fault
	if !errors.As(err, &fault) || fault.Kernel != "scale" {
		t.Errorf("got %v", fault)
	}
}

func TestErrorInAFunctionHasABacktrace(t *testing.T) {
	p := load(t, "def f():\n    fail('no', 'luck')\n\ndef main(p):\n    f()\n")
	_, err := p.Run(context.Background(), host.Options{})
	wantError(t, err, "dir/p.star:2:9: in f: fail: no luck")
	var located *host.Error
	if !errors.As(err, &located) || !strings.Contains(located.Backtrace, "p.star:5:6: in main") {
		t.Errorf("got %+v", located)
	}
}
