// SPDX-License-Identifier: Apache-2.0

package kernels

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/traces"
)

func compilerOr(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	compiler, err := clang.FindPreferring(traces.Compiler)
	if errors.Is(err, clang.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if compiler.Release != traces.Compiler {
		t.Skipf("clang %d is here, and not %d", compiler.Release, traces.Compiler)
	}
}

// The committed PTX of workloads with variants is what compiling their source gives.
func TestCommittedVariantsAreWhatTheCompilerMakes(t *testing.T) {
	compilerOr(t)
	for _, name := range tracetest.Draw(t, []string{"point-in-polygon", "convolution-variants"}, 1) {
		w, err := traces.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		source, err := fs.ReadFile(w.Files, name+".cu")
		if err != nil {
			t.Fatal(err)
		}
		want, err := fs.ReadFile(w.Files, name+".ptx")
		if err != nil {
			t.Fatal(err)
		}
		for _, attempt := range []string{"compiled", "from the cache"} {
			made, err := Compile(context.Background(), &host.KernelSource{File: name + ".cu", Text: source})
			if err != nil {
				t.Fatal(err)
			}
			if string(made.PTX) != string(want) {
				t.Errorf("%s, %s: not the committed PTX", name, attempt)
			}
		}
	}
}

// Variants that differ from the committed one in every parameter give right results.
func TestVariantsGiveTheReferenceResult(t *testing.T) {
	compilerOr(t)
	for _, c := range tracetest.Draw(t, []struct {
		workload string
		set      map[string]string
	}{
		{"point-in-polygon", map[string]string{"block_size_x": "96", "tile_size": "3", "between_method": "1", "use_method": "1"}},
		{"point-in-polygon", map[string]string{"block_size_x": "32", "tile_size": "1", "between_method": "2", "use_method": "2", "vertices": "5"}},
		{"point-in-polygon", map[string]string{"between_method": "3"}},
		{"convolution-variants", map[string]string{"block_size_x": "48", "block_size_y": "2", "tile_size_x": "2", "tile_size_y": "1", "read_only": "1"}},
		{"convolution-variants", map[string]string{"block_size_x": "25", "block_size_y": "3", "tile_size_x": "3", "tile_size_y": "7", "radius": "2"}},
	}, 1) {
		w, err := traces.Find(c.workload)
		if err != nil {
			t.Fatal(err)
		}
		program, err := host.Load(w.Files, w.Program)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := program.Run(context.Background(), host.Options{Size: "tiny", Set: c.set, Seed: 3, Compile: Compile}); err != nil {
			t.Errorf("%s %v: %v", c.workload, c.set, err)
		}
	}
}

func TestWhatTheCompilerSaysIsTheError(t *testing.T) {
	compilerOr(t)
	_, err := Compile(context.Background(), &host.KernelSource{File: "k.cu", Text: []byte("int f() { return N; }"), Macros: []host.Macro{{Name: "M", Value: 1}}})
	if err == nil || !strings.Contains(err.Error(), "k.cu:1:18: error: use of undeclared identifier 'N'") {
		t.Errorf("got %v", err)
	}
}
