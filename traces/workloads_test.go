// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/traces"
)

func TestEveryWorkloadGivesTheReferenceResult(t *testing.T) {
	for _, w := range tracetest.Draw(t, traces.List(), tracetest.Fewer(3, 10)) {
		t.Run(w.Name, func(t *testing.T) {
			p, err := host.Load(w.Files, w.Program)
			if err != nil {
				t.Fatal(err)
			}
			for _, seed := range tracetest.Draw(t, []uint64{0, 1}, 1) {
				result, err := p.Run(context.Background(), host.Options{Size: "tiny", Seed: seed})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if result.Checks == 0 || result.WarpInstructions == 0 {
					t.Errorf("seed %d: %d checks, %d warp instructions", seed, result.Checks, result.WarpInstructions)
				}
			}
		})
	}
}

func TestEveryWorkloadHasTheCommonSizesAndADescription(t *testing.T) {
	for _, w := range traces.List() {
		p, err := host.Load(w.Files, w.Program)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, s := range p.Sizes() {
			names[s.Name] = true
		}
		for _, want := range []string{"tiny", "small", "paper"} {
			if !names[want] {
				t.Errorf("%s has no size %q", w.Name, want)
			}
		}
		if !strings.HasPrefix(p.Doc(), w.Description) || len(w.Description) < 20 {
			t.Errorf("%s: description %q, program's text %q", w.Name, w.Description, p.Doc())
		}
	}
}

// corrupting wraps a host program's reads: of results that are read back one
// element is changed.
const corrupting = `
def corrupted(buffer):
    result = gpu.read(buffer)
    if buffer.name not in ("changed", "again"):
        last = len(result) - 1
        result = result.flatten()
        result[last] = result[last] * 1.5 + 1.0 if result.dtype in (f32, f64) else result[last] ^ 1
        result = result.reshape(*buffer.shape)
    return result
`

func TestOneWrongElementFailsTheCheck(t *testing.T) {
	for _, w := range tracetest.Draw(t, traces.List(), tracetest.Fewer(3, 10)) {
		t.Run(w.Name, func(t *testing.T) {
			p, err := host.Load(edited(t, w, w.Program, "gpu.read(", "corrupted(", corrupting), w.Program)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Run(context.Background(), host.Options{Size: "tiny"})
			if err == nil || !strings.Contains(err.Error(), "check of ") || !strings.Contains(err.Error(), ": 1 of ") {
				t.Errorf("got %v, want a failed check of one element", err)
			}
		})
	}
}

// wrongKernels has, for some workloads, an edit of its PTX that keeps the kernel
// running but makes it compute something else.
var wrongKernels = map[string][2]string{
	"bfs":                  {"add.s32 \t%r3, %r7, 1;", "add.s32 \t%r3, %r7, 2;"},
	"hotspot":              {"sub.f32", "add.f32"},
	"convolution-variants": {"[filter+4]", "[filter+8]"},
	"point-in-polygon":     {"fma.rn.f32", "fma.rn.sat.f32"},
	"reduction":            {"16, 31, -1;", "8, 31, -1;"},
	"saxpy":                {"fma.rn.f32", "fma.rz.f32"},
	"sgemm":                {"[%rd7+960]", "[%rd7+896]"},
	"transpose":            {"mad.lo.s32 \t%r12, %r1, %r3, %r2;", "mad.lo.s32 \t%r12, %r2, %r3, %r1;"},
}

func TestAWrongKernelFailsTheCheck(t *testing.T) {
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(wrongKernels)), tracetest.Fewer(1, 2)) {
		edit := wrongKernels[name]
		t.Run(name, func(t *testing.T) {
			w, err := traces.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := host.Load(edited(t, w, w.Name+".ptx", edit[0], edit[1], ""), w.Program)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = p.Run(context.Background(), host.Options{Size: "tiny"}); err == nil {
				t.Error("the checks held")
			}
		})
	}
}

// edited is the workload's folder with one file changed.
func edited(t *testing.T, w traces.Workload, file, old, new, appended string) fs.FS {
	t.Helper()
	folder := fstest.MapFS{}
	names, err := fs.Glob(w.Files, "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(w.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if name == file {
			if !strings.Contains(string(text), old) {
				t.Fatalf("%s has no %q to edit", file, old)
			}
			text = []byte(strings.ReplaceAll(string(text), old, new) + appended)
		}
		folder[name] = &fstest.MapFile{Data: text}
	}
	return folder
}

func TestUnknownWorkloadNamesTheKnown(t *testing.T) {
	_, err := traces.Find("saxpi")
	if err == nil || !strings.Contains(err.Error(), "saxpy") {
		t.Errorf("got %v", err)
	}
}

// BenchmarkSmall runs whole host programs at their default size without
// recording: inputs, emulation, reference and check.
func BenchmarkSmall(b *testing.B) {
	for _, w := range tracetest.Some(b, traces.List(), 8) {
		b.Run(w.Name, func(b *testing.B) {
			p, err := host.Load(w.Files, w.Program)
			if err != nil {
				b.Fatal(err)
			}
			instructions := uint64(0)
			for b.Loop() {
				result, err := p.Run(context.Background(), host.Options{Size: "small"})
				if err != nil {
					b.Fatal(err)
				}
				instructions += result.WarpInstructions
			}
			b.ReportMetric(float64(instructions)/float64(b.N), "warp-instructions/op")
			b.ReportMetric(float64(instructions)/b.Elapsed().Seconds(), "warp-instructions/s")
		})
	}
}
