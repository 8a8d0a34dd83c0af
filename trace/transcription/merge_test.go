// SPDX-License-Identifier: Apache-2.0

package transcription

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// recorded writes a trace of the small program with a header of its own, and what else the test records.
func recorded(t *testing.T, h trace.Header, more func(w *wtape.Writer)) *wtape.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, h.Program, h, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := testtraces.RecordSmall(w); err != nil {
		t.Fatal(err)
	}
	if more != nil {
		more(w)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return fileOfTrace(t, t.TempDir(), h.Program, out.Bytes())
}

// threads records CPU threads, of one process where they synchronise.
func threads(n int, synchronise bool) func(w *wtape.Writer) {
	return func(w *wtape.Writer) {
		for range n {
			w.BeginCPUThread()
			if synchronise {
				w.AddCPUSync(trace.CPUSync{Kind: trace.CPULock, Object: 8})
				w.AddCPUSync(trace.CPUSync{Kind: trace.CPUUnlock, Object: 8})
			}
			w.AddCPU(&trace.CPUInstruction{IP: 4}, false, nil)
		}
	}
}

// A merged trace has the launches of each in turn, with the host's wait for all streams between them. Equal kernels are
// stored once, and counts add up.
func TestAMergedTraceHasOneProgramBehindTheOther(t *testing.T) {
	one := recorded(t, trace.Header{Program: "one", Seed: 1, Arguments: map[string]string{"n": "5"}}, nil)
	two := recorded(t, trace.Header{Program: "two", Seed: 2}, threads(2, false))
	path := filepath.Join(t.TempDir(), "merged")
	if err := Merge([]*wtape.Reader{one, two}, path, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	r := mustOpen(t, path)
	got, err := testtraces.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	want, err := testtraces.Read(one)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Kernels) != len(want.Kernels) {
		t.Errorf("%d kernels, want the %d of one trace", len(got.Kernels), len(want.Kernels))
	}
	n := len(want.Launches)
	if len(got.Launches) != 2*n {
		t.Fatalf("%d launches, want %d twice", len(got.Launches), n)
	}
	for half := range 2 {
		part := *want
		part.Header, part.Kernels, part.Launches = got.Header, got.Kernels, slices.Clone(got.Launches[half*n:(half+1)*n])
		whole := *want
		whole.Header, whole.Kernels = got.Header, got.Kernels
		if d := testtraces.Diff(&whole, &part); d != "" {
			t.Errorf("the launches of program %d are others:\n%s", half, d)
		}
	}
	events, own := r.Timeline(), len(one.Timeline())
	if len(events) != 2*own+1 || events[own].Kind != trace.EventSynchronize || !events[own].AllStreams {
		t.Fatalf("%d events, that between the programs is %+v", len(events), events[min(own, len(events)-1)])
	}
	for i, e := range events[own+1:] {
		for _, after := range e.After {
			if after <= own {
				t.Errorf("event %d of the second program waits for event %d of the first", i, after)
			}
		}
	}
	sum := one.Totals()
	other := two.Totals()
	sum.Add(&other)
	if r.Totals() != sum || r.CPUThreads() != 2 {
		t.Errorf("totals are %+v with %d threads, want %+v", r.Totals(), r.CPUThreads(), sum)
	}
	h := r.Header()
	if h.Program != "one + two" || h.Seed != 0 || h.Arguments["0.n"] != "5" || h.Arguments["0.seed"] != "1" || h.Arguments["1.seed"] != "2" || h.Arguments["1.trace"] != two.Digest() {
		t.Errorf("header %+v", h)
	}
}

// Of one program that has run twice the header keeps what both have.
func TestAMergedTraceOfOneProgramKeepsItsName(t *testing.T) {
	r := recorded(t, trace.Header{Program: "one", ProgramDigest: "digest", Seed: 7}, nil)
	path := filepath.Join(t.TempDir(), "merged")
	if err := Merge([]*wtape.Reader{r, r}, path, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	if h := mustOpen(t, path).Header(); h.Program != "one" || h.ProgramDigest != "digest" || h.Seed != 7 || h.Arguments["1.seed"] != "" {
		t.Errorf("header %+v", h)
	}
}

// Threads of a process that synchronise stay the only ones, whatever the order; threads that do not may be merged.
func TestProcessesAreNotMerged(t *testing.T) {
	process := recorded(t, trace.Header{Program: "process"}, threads(2, true))
	again := recorded(t, trace.Header{Program: "again"}, threads(1, true))
	apart := recorded(t, trace.Header{Program: "apart"}, threads(1, false))
	without := recorded(t, trace.Header{Program: "without"}, nil)
	for _, c := range []struct {
		traces  []*wtape.Reader
		refused bool
	}{
		{[]*wtape.Reader{process, apart}, true}, {[]*wtape.Reader{apart, process}, true}, {[]*wtape.Reader{process, again}, true},
		{[]*wtape.Reader{process, without}, false}, {[]*wtape.Reader{without, process}, false}, {[]*wtape.Reader{apart, apart}, false}, {[]*wtape.Reader{process}, false},
	} {
		err := Merge(c.traces, filepath.Join(t.TempDir(), "merged"), wtape.Options{})
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "they cannot be merged") {
			t.Errorf("%s and %d more: %v", c.traces[0].Name(), len(c.traces)-1, err)
		}
	}
	if err := Merge(nil, filepath.Join(t.TempDir(), "none"), wtape.Options{}); err == nil {
		t.Error("no trace is merged")
	}
}
