// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/recorder"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// additions is a kernel with two loads, one of them guarded, and n additions in a row.
func additions(name string, n int) *trace.Kernel {
	load := trace.Instruction{Opcode: "ld", Types: []string{"u32"}, Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4}
	guarded := load
	guarded.Guard = trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1}}
	k := &trace.Kernel{Name: name, Instructions: []trace.Instruction{load, guarded}}
	for range n {
		k.Instructions = append(k.Instructions, trace.Instruction{Opcode: "add", Types: []string{"u32"}, Class: trace.ClassIntAdd})
	}
	k.Instructions = append(k.Instructions, trace.Instruction{Opcode: "ret", Class: trace.ClassExit})
	k.Blocks = []trace.BasicBlock{{Count: uint32(n) + 3, PostDominator: trace.NoBlock}}
	return k
}

// launched begins a launch of two thread blocks, and leaves its end to the caller.
func launched(t *testing.T, to recorder.Sink, kernel int) {
	t.Helper()
	if _, err := to.BeginLaunch(trace.Launch{Kernel: kernel, Grid: trace.Dim3{X: 2, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	for block := range uint64(2) {
		to.BeginBlock(block)
		to.Visit(0, 0, ^uint32(0))
		to.AccessStrided(0, ^uint32(0), 1<<20+4096*block, 4)
		const some = 0x00ff00f1
		to.Guard(0, some)
		var apart [32]uint64
		for lane := range uint64(32) {
			apart[lane] = 1<<21 + lane*lane*512
		}
		to.Access(0, some, &apart)
		if err := to.EndBlock(); err != nil {
			t.Fatal(err)
		}
	}
}

// A launch's time is that of a trace with this launch alone, whatever number its kernel has. The trace
// of all launches is what it is without times.
func TestTimesOfLaunchesAreThoseOfEachAlone(t *testing.T) {
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	kernels := []*trace.Kernel{additions("short", 4), additions("long", 400)}
	record := func(numbers []int, times func(recorder.Sink) recorder.Sink, after func(int)) []byte {
		var out bytes.Buffer
		w, err := wtape.NewWriter(&out, "times", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		sink := times(w)
		for _, k := range kernels {
			if _, err := sink.AddKernel(k); err != nil {
				t.Fatal(err)
			}
		}
		for i, n := range numbers {
			launched(t, sink, n)
			after(i)
			if err := sink.EndLaunch(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	plain := func(s recorder.Sink) recorder.Sink { return s }
	nothing := func(int) {}
	var want [2]float64
	for n := range kernels {
		file := record([]int{n}, plain, nothing)
		r, err := wtape.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		results, err := replay.Run(t.Context(), r, []*arch.Machine{m}, replay.Options{Workers: 1, WatchdogCycles: gpu.DefaultWatchdogCycles})
		if err != nil {
			t.Fatal(err)
		}
		want[n] = results[0].Launches[0].Nanoseconds
	}
	if want[1] < 2*want[0] {
		t.Fatalf("the launches take %v", want)
	}
	var times *replayedTimes
	order := []int{1, 0, 0, 1}
	file := record(order, func(s recorder.Sink) recorder.Sink {
		if times, err = newReplayedTimes(t.Context(), s, m); err != nil {
			t.Fatal(err)
		}
		return times
	}, func(i int) {
		if i == 2 { // the program asks for no time of this launch
			return
		}
		if got, err := times.launchTime(); err != nil || got != want[order[i]] {
			t.Errorf("launch %d of kernel %d takes %g ns, alone %g: %v", i, order[i], got, want[order[i]], err)
		}
	})
	if !bytes.Equal(file, record(order, plain, nothing)) {
		t.Error("the trace is another one with times")
	}
	times.close()
	if _, err := os.Stat(times.folder); err == nil {
		t.Error("the folder of the launches' traces is left")
	}
	w, err := wtape.NewWriter(new(bytes.Buffer), "lost", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	times.Sink = w
	if _, err := times.AddKernel(kernels[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := times.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 1, Y: 1, Z: 1}}); err == nil || !strings.Contains(err.Error(), times.folder) {
		t.Errorf("a launch has no folder for its trace: %v", err)
	}
}
