// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/cuda/emulated"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// nativeDevice is a coexecutor on the project's own CUDA device.
func nativeDevice(t *testing.T, o nativecoexecutor.Options) *nativecoexecutor.Coexecutor {
	t.Helper()
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	d, err := emulated.Open(emulated.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	c, err := nativecoexecutor.New(d.Device, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// recordNatively gives the trace of a workload whose kernels ran, contaminated, through
// the project's own driver library.
func recordNatively(t *testing.T, w traces.Workload, c *nativecoexecutor.Coexecutor) ([]byte, error) {
	t.Helper()
	p, err := host.Load(w.Files, w.Program)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	writer, err := wtape.NewWriter(&file, w.Name, trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Abort()
	if _, err := p.Run(context.Background(), host.Options{Size: "tiny", Seed: 7, Sink: writer, Coexecutor: c}); err != nil {
		return nil, err
	}
	err = writer.Finish()
	return file.Bytes(), err
}

// notContaminated are the workloads that are refused, with a word of the reason.
var notContaminated = map[contamination.Mode]map[string]string{}

func TestDeviceRecordsWhatTheInterpreterDoes(t *testing.T) {
	compareAll(t, contamination.Straight, tracetest.Draw(t, traces.List(), tracetest.Fewer(1, 3)))
}

// quick are workloads that take little time by segments, where each visit is a launch.
var quick = []string{"bfs", "reduction", "image-histogram", "tensor-gemm", "compare"}

// All of the catalogue takes minutes by segments: with WARPTAPE_ALL_SEGMENTS it is done.
func TestDeviceRecordsBySegments(t *testing.T) {
	list := traces.List()
	if os.Getenv("WARPTAPE_ALL_SEGMENTS") == "" {
		tracetest.Nightly(t)
		list = tracetest.Draw(t, slices.DeleteFunc(list, func(w traces.Workload) bool { return !slices.Contains(quick, w.Name) }), 1)
	}
	compareAll(t, contamination.Segments, list)
}

func compareAll(t *testing.T, mode contamination.Mode, list []traces.Workload) {
	c := nativeDevice(t, nativecoexecutor.Options{Mode: mode})
	for _, w := range list {
		t.Run(w.Name, func(t *testing.T) {
			got, err := recordNatively(t, w, c)
			if why := notContaminated[mode][w.Name]; why != "" || err != nil {
				if err == nil || why == "" || !strings.Contains(err.Error(), why) {
					t.Errorf("%v, want a refusal because of %q", err, why)
				}
				return
			}
			if want := recorded(t, w, 7); !bytes.Equal(got, want) {
				t.Error("the trace differs from the interpreter's")
			}
		})
	}
}
