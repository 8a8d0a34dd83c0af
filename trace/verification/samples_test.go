// SPDX-License-Identifier: Apache-2.0

package verification

import (
	"bytes"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// A sample has the thread blocks that its runs name, and no others, though as many.
func TestASampleHasTheThreadBlocksOfItsRuns(t *testing.T) {
	for _, c := range []struct {
		runs []trace.Run
		want string
	}{
		{[]trace.Run{{First: 0, Blocks: 1}, {First: 2, Blocks: 1}}, ""},
		{[]trace.Run{{First: 0, Blocks: 2}}, "thread block 2 of launch 0 is in no run of the sampling"},
		{[]trace.Run{{First: 1, Blocks: 2}}, "thread block 0 of launch 0 is in no run of the sampling"},
	} {
		var out bytes.Buffer
		w, err := wtape.NewWriter(&out, "sample", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.AddKernel(testtraces.SmallKernel()); err != nil {
			t.Fatal(err)
		}
		l := trace.Launch{Grid: trace.Dim3{X: 3, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}, Arguments: make([]byte, 8)}
		if _, err := w.BeginLaunch(l); err != nil {
			t.Fatal(err)
		}
		var line [trace.WarpSize]uint64
		for _, block := range []uint64{0, 2} {
			w.BeginBlock(block)
			w.Visit(0, 0, testtraces.AllLanes)
			w.Guard(0, 1)
			w.Access(0, 1, &line)
			w.Access(0, testtraces.AllLanes, &line)
			w.Visit(0, 1, testtraces.AllLanes)
			w.Access(0, testtraces.AllLanes, &line)
			if err := w.EndBlock(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.EndLaunch(); err != nil {
			t.Fatal(err)
		}
		n := w.Totals()
		w.SetSampling(&trace.Sampling{
			Policy:   "some",
			Launches: []trace.LaunchSample{{WarpInstructions: n.WarpInstructions, ThreadInstructions: n.ThreadInstructions, MemoryInstructions: n.MemoryInstructions}},
			Strata:   []trace.Stratum{{Blocks: 3, WarpInstructions: n.WarpInstructions}}, Runs: c.runs,
		})
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		err = Verify(testtraces.Open(t, out.Bytes()))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("runs %v: %v, want %q", c.runs, err, c.want)
		}
	}
}

// What CPU threads synchronise by is counted with their chunks.
func TestSynchronisationOfCPUThreadsIsVerified(t *testing.T) {
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "cpu", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	load := trace.CPUInstruction{IP: 0x400, Destinations: [trace.CPUOperands]uint8{1}, LoadSlots: 1}
	for range 2 {
		if _, err := w.BeginCPUThread(); err != nil {
			t.Fatal(err)
		}
		for i := range uint64(6) {
			if err := w.AddCPUSync(trace.CPUSync{Kind: trace.CPUBarrier, Object: 64 * (1 + i), Threads: 2}); err != nil {
				t.Fatal(err)
			}
			if err := w.AddCPU(&load, false, []uint64{4096 * i}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r := testtraces.Open(t, out.Bytes())
	if err := Verify(r); err != nil || r.Totals().CPU.Syncs != 12 {
		t.Errorf("%v: %+v", err, r.Totals().CPU)
	}
}
