// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// record gives the trace of a workload at its tiny size.
func record(t *testing.T, w traces.Workload, workers int, seed uint64) ([]byte, host.Result) {
	t.Helper()
	p, err := host.Load(w.Files, w.Program)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	writer, err := wtape.NewWriter(&file, w.Name, trace.Header{Tool: "test"}, wtape.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Abort()
	result, err := p.Run(context.Background(), host.Options{Size: "tiny", Seed: seed, Sink: writer, Workers: workers, MinTogether: 1 << 13})
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Finish(); err != nil {
		t.Fatal(err)
	}
	totals := writer.Totals()
	if totals.WarpInstructions != result.WarpInstructions || totals.Visits != result.Visits || totals.Launches != uint64(result.Launches) ||
		totals.ThreadBlocks != result.ThreadBlocks || totals.Warps != result.Warps {
		t.Errorf("the run did %+v, the trace has %+v", result, totals)
	}
	return file.Bytes(), result
}

func TestRecordingsAreTheSameAtAnyWorkerCount(t *testing.T) {
	for _, w := range traces.List() {
		t.Run(w.Name, func(t *testing.T) {
			one, _ := record(t, w, 1, 7)
			for _, workers := range []int{1, 2, 5} {
				again, _ := record(t, w, workers, 7)
				if !bytes.Equal(one, again) {
					t.Errorf("with %d workers the trace differs", workers)
				}
			}
			other, _ := record(t, w, 1, 8)
			if bytes.Equal(one, other) {
				t.Error("another seed gives the same trace")
			}
		})
	}
}

func TestRecordingTakesTheSamePathAsRunning(t *testing.T) {
	for _, w := range traces.List() {
		p, err := host.Load(w.Files, w.Program)
		if err != nil {
			t.Fatal(err)
		}
		silent, err := p.Run(context.Background(), host.Options{Size: "tiny", Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		if _, recorded := record(t, w, 1, 7); recorded.WarpInstructions != silent.WarpInstructions || recorded.Visits != silent.Visits {
			t.Errorf("%s: recorded %+v, without a trace %+v", w.Name, recorded, silent)
		}
	}
}
