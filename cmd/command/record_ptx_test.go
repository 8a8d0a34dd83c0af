// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/binary"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/traces"
)

// launchFolder has the kernel of saxpy, a launch file, and what y must be in the end.
func launchFolder(t *testing.T, want func(i int) float32) string {
	t.Helper()
	w, err := traces.Find("saxpy")
	if err != nil {
		t.Fatal(err)
	}
	kernel := teslaFile(t, "saxpy.ptx", readAll(t, w.Files, "saxpy.ptx"))
	folder := filepath.Dir(kernel)
	var result []byte
	for i := range 300 {
		result = binary.LittleEndian.AppendUint32(result, math.Float32bits(want(i)))
	}
	for name, text := range map[string]string{"y.raw": string(result), "launch.yaml": `grid: 2
block: 256
arguments:
  - buffer: {name: x, type: f32, elements: 300, fill: ramp}
  - buffer: {name: y, type: f32, bytes: 1200, fill: ones}
  - value: 2
  - value: 300
expect:
  - {buffer: y, file: y.raw}
`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestAKernelIsLaunchedWithoutAHostProgram(t *testing.T) {
	folder := launchFolder(t, func(i int) float32 { return 2*float32(i) + 1 })
	kernel, launch, tape := filepath.Join(folder, "saxpy.ptx"), filepath.Join(folder, "launch.yaml"), filepath.Join(folder, "k.wtape")
	if out := good(t, "record", kernel, "--launch", launch, "-o", tape); !strings.Contains(out, "results checked: 1") {
		t.Error(out)
	}
	if out := good(t, "trace", "info", tape); !strings.Contains(out, "y.raw (SHA-256") || !strings.Contains(out, "saxpy.ptx (SHA-256") {
		t.Error(out)
	}
	good(t, "replay", tape, "--arch", "gtx480", "-q")
	// The program that it means gives the same trace but for the program's name.
	program := filepath.Join(folder, "saxpy.star")
	if err := os.WriteFile(program, []byte(good(t, "ptx", "launch", kernel, "--launch", launch)), 0o666); err != nil {
		t.Fatal(err)
	}
	good(t, "record", program, "-o", filepath.Join(folder, "p.wtape"))
	good(t, "trace", "diff", tape, filepath.Join(folder, "p.wtape"))
	// A template is a launch file.
	template := filepath.Join(folder, "template.yaml")
	if err := os.WriteFile(template, []byte(good(t, "ptx", "launch", kernel)), 0o666); err != nil {
		t.Fatal(err)
	}
	good(t, "record", kernel, "--launch", template, "-o", tape, "--force")
}

func TestAFolderOfTritonsCacheStandsForItsKernel(t *testing.T) {
	folder := launchFolder(t, func(i int) float32 { return 2*float32(i) + 1 })
	for name, text := range map[string]string{
		"saxpy.json": `{"name": "saxpy", "num_warps": 8, "shared": 0, "target": {"backend": "cuda"}}`,
		"t.yaml":     "grid: 2\narguments: [{buffer: {elements: 300, type: f32}}, {buffer: {elements: 300, type: f32}}, {value: 1}, {value: 300}]\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := good(t, "record", folder, "--launch", filepath.Join(folder, "t.yaml"), "-o", filepath.Join(folder, "k.wtape"))
	if !strings.Contains(out, "2 thread blocks") {
		t.Error(out)
	}
}

func TestLaunchesThatAreRefused(t *testing.T) {
	folder := launchFolder(t, func(i int) float32 { return 0 })
	kernel, launch := filepath.Join(folder, "saxpy.ptx"), filepath.Join(folder, "launch.yaml")
	tape := filepath.Join(folder, "k.wtape")
	bad(t, commandline.ExitFailed, "check of y failed", "record", kernel, "--launch", launch, "-o", tape)
	bad(t, commandline.ExitFailed, launch+": ", "record", kernel, "--launch", launch, "-o", tape)
	if _, err := os.Stat(tape); err == nil {
		t.Error("a run whose check failed leaves a trace")
	}
	bad(t, commandline.ExitUsage, "say how to launch the kernel: --launch FILE.yaml", "record", kernel)
	bad(t, commandline.ExitUsage, "--launch goes with a PTX file", "record", "saxpy", "--launch", launch)
	bad(t, commandline.ExitFailed, "no such file", "record", kernel, "--launch", filepath.Join(folder, "none.yaml"))
	bad(t, commandline.ExitFailed, "the folder has no PTX file", "record", t.TempDir(), "--launch", launch)
	if err := os.WriteFile(filepath.Join(folder, "two.ptx"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	bad(t, commandline.ExitFailed, "name one of saxpy.ptx, two.ptx", "record", folder, "--launch", launch)
}

// A template is of one kernel.
func TestTemplatesAskForAKernel(t *testing.T) {
	const kernel = ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry one() { ret; }\n"
	file := write(t, filepath.Join(t.TempDir(), "k.ptx"), kernel)
	bad(t, commandline.ExitFailed, "warptape: "+file+" has no kernel two: it has one", "ptx", "launch", file, "--kernel", "two")
	write(t, file, kernel+".visible .entry two() { ret; }\n")
	bad(t, commandline.ExitUsage, "warptape: "+file+" has several kernels; choose one with --kernel: one, two", "ptx", "launch", file)
	if got := good(t, "ptx", "launch", file, "--kernel", "two"); !strings.Contains(got, `kernel: "two"`) {
		t.Error(got)
	}
}

func readAll(t *testing.T, files fs.FS, name string) string {
	t.Helper()
	text, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
