// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// recordLaunches records one launch of three thread blocks of each kernel. The kernels differ by their names only.
func recordLaunches(t *testing.T, w *wtape.Writer, kernels ...string) {
	t.Helper()
	for _, name := range kernels {
		k := testtraces.SmallKernel()
		k.Name = name
		if _, err := w.AddKernel(k); err != nil {
			t.Fatal(err)
		}
	}
	for kernel := range kernels {
		l := trace.Launch{Kernel: kernel, Grid: trace.Dim3{X: 3, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}, Arguments: make([]byte, 8)}
		if _, err := w.BeginLaunch(l); err != nil {
			t.Fatal(err)
		}
		var line [trace.WarpSize]uint64
		for block := range l.Grid.Count() {
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
	}
}

// sampledTrace is of one launch, with a description that makes a sample of it.
func sampledTrace(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "sampled", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	recordLaunches(t, w, "sampled")
	n := w.Totals()
	w.SetSampling(&trace.Sampling{
		Policy:   "every=1",
		Launches: []trace.LaunchSample{{WarpInstructions: n.WarpInstructions, ThreadInstructions: n.ThreadInstructions, MemoryInstructions: n.MemoryInstructions}},
		Strata:   []trace.Stratum{{Blocks: 3, WarpInstructions: n.WarpInstructions}}, Runs: []trace.Run{{Blocks: 3}},
	})
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A sample without its end is still one: it would be taken for the whole run otherwise. The report has the totals of the new trace.
func TestARecoveredSampleStandsForWhatItStoodFor(t *testing.T) {
	data := sampledTrace(t)
	whole := testtraces.Open(t, data)
	r, report, err := recoverBytes(t, data[:len(data)-frames.FooterBytes-1])
	if err != nil {
		t.Fatal(err)
	}
	if !report.Complete || r.Digest() != whole.Digest() {
		t.Errorf("%+v, digest %s of %s", report, r.Digest(), whole.Digest())
	}
	if diff := cmp.Diff(whole.Sampling(), r.Sampling()); diff != "" || whole.Sampling() == nil {
		t.Errorf("sampling (-recorded +recovered):\n%s", diff)
	}
	if diff := cmp.Diff(r.Totals(), report.Totals); diff != "" {
		t.Errorf("totals (-trace +report):\n%s", diff)
	}
}

// What a CPU chunk held that is lost is known by the index: its thread and instructions.
func TestALostCPUChunkIsToldByItsInstructions(t *testing.T) {
	data := cpuTrace(t)
	for i, c := range testtraces.Open(t, data).CPUChunks() {
		damaged := bytes.Clone(data)
		damaged[c.Offset+frames.HeaderBytes] ^= 4
		_, report, err := recoverBytes(t, damaged)
		if err != nil || len(report.Losses) != 1 {
			t.Fatalf("chunk %d: %+v, %v", i, report, err)
		}
		n := uint64(c.Instructions)
		l := report.Losses[0]
		want := Loss{Offset: c.Offset, Bytes: c.Length, Kind: "CPU chunk", Cause: l.Cause, Known: true, Launch: c.Thread, FirstBlock: c.First, LastBlock: c.First + n - 1, Blocks: n}
		if l != want || !strings.Contains(l.String(), "CPU chunk (thread ") {
			t.Errorf("chunk %d: lost is %+v, want %+v", i, l, want)
		}
	}
}

// Which kernel one is cannot be told behind bytes that may have been another. No launch gets the kernel of another one, also where that
// would go with its chunks.
func TestALaunchGetsNoOtherKernelForALostOne(t *testing.T) {
	names := []string{"first", "second", "third"}
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "kernels", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	recordLaunches(t, w, names...)
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	c := contentsOf(t, out.Bytes())
	index := len(c.data) - frames.FooterBytes - int(c.r.Content().File.Footer.IndexLength)
	for lost, k := range c.kernels {
		damaged := bytes.Clone(c.data[:index])
		clear(damaged[k.Offset : k.Offset+k.Length])
		r, report, err := recoverBytes(t, damaged)
		if err != nil {
			if lost > 0 {
				t.Errorf("without the %s kernel: %v", names[lost], err)
			}
			continue
		}
		if !report.AtLeast || report.Complete || len(r.Launches()) != lost {
			t.Errorf("without the %s kernel: %d launches, want the %d before it: %+v", names[lost], len(r.Launches()), lost, report)
		}
		for i, l := range r.Launches() {
			if name := r.Kernels()[l.Kernel].Name; name != names[i] {
				t.Errorf("without the %s kernel: launch %d is of the %s one", names[lost], i, name)
			}
		}
	}
}

// A CPU chunk that is there twice is saved once, and one of an earlier thread behind a later one's is not saved.
func TestCPUChunksAreSavedOnceAndInOrder(t *testing.T) {
	data := cpuTrace(t)
	whole := testtraces.Open(t, data)
	index := len(data) - frames.FooterBytes - int(whole.Content().File.Footer.IndexLength)
	chunks := whole.CPUChunks()
	first, last := chunks[0], chunks[len(chunks)-1]
	copied := data[first.Offset : first.Offset+first.Length]
	for name, at := range map[string]int64{"behind itself": first.Offset + first.Length, "behind the last": last.Offset + last.Length} {
		damaged := bytes.Clone(data[:at])
		damaged = append(append(damaged, copied...), data[at:index]...)
		r, report, err := recoverBytes(t, damaged)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(whole.Totals(), r.Totals()); diff != "" || len(r.CPUChunks()) != len(chunks) {
			t.Errorf("%s: %d chunks of %d, totals (-recorded +recovered):\n%s", name, len(r.CPUChunks()), len(chunks), diff)
		}
		if n := len(report.Losses); n != 1 || report.Losses[0].Offset != at || report.Losses[0].Cause != errMisplaced.Error() {
			t.Errorf("%s: %+v", name, report.Losses)
		}
	}
}
