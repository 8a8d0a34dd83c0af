// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// tinyTraces are those of one worker, which many tests look at.
var tinyTraces sync.Map // traceKey to *tinyTrace

type traceKey struct {
	workload string
	seed     uint64
}

type tinyTrace struct {
	once sync.Once
	file []byte
}

// recorded is the trace of a workload at its tiny size, recorded once.
func recorded(t *testing.T, w traces.Workload, seed uint64) []byte {
	t.Helper()
	found, _ := tinyTraces.LoadOrStore(traceKey{w.Name, seed}, new(tinyTrace))
	r := found.(*tinyTrace)
	r.once.Do(func() { r.file, _ = record(t, w, 1, seed) })
	if r.file == nil {
		t.Fatal("its recording has failed in another test")
	}
	return r.file
}

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
	for _, w := range tracetest.Draw(t, traces.List(), tracetest.Fewer(1, 2)) {
		t.Run(w.Name, func(t *testing.T) {
			one := recorded(t, w, 7)
			for _, workers := range tracetest.Draw(t, []int{1, 2, 5}, 1) {
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
	for _, w := range tracetest.Draw(t, traces.List(), tracetest.Fewer(1, 2)) {
		p, err := host.Load(w.Files, w.Program)
		if err != nil {
			t.Fatal(err)
		}
		silent, err := p.Run(context.Background(), host.Options{Size: "tiny", Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		file := recorded(t, w, 7)
		r, err := wtape.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Totals(); n.WarpInstructions != silent.WarpInstructions || n.Visits != silent.Visits {
			t.Errorf("%s: recorded %+v, without a trace %+v", w.Name, n, silent)
		}
	}
}
