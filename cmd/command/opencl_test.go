// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
	openclruntime "github.com/warptape/warptape/frontend/opencl/runtime"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

const openclPrograms = "../../frontend/opencl/programs/testdata"

// Headers, a loader, and another OpenCL, as Debian has them.
const (
	openclHeader = "/usr/include/CL/cl.h"
	poclVendor   = "/etc/OpenCL/vendors/pocl.icd"
)

func systemLoader(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/*/libOpenCL.so.1")
	if len(found) == 0 {
		t.Skip("no ICD loader is here (apt install ocl-icd-libopencl1)")
	}
	return found[0]
}

// openclProgram builds a program of the tests, once with the same options. It links our
// library, unless the options name another.
func openclProgram(t *testing.T, source string, options ...string) string {
	t.Helper()
	compiler, err := clang.Find()
	if err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat(openclHeader); err != nil {
		t.Skip("no headers of OpenCL are here (apt install opencl-headers)")
	}
	cache, err := cudaCache()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("XDG_CACHE_HOME") != cache {
		t.Setenv("XDG_CACHE_HOME", cache)
	}
	folders, err := openclruntime.Load(compiler)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(cache, "opencl-"+strings.ReplaceAll(strings.Join(append(options, source), ""), "/", "_"))
	if _, err := os.Stat(program); err == nil {
		return program
	}
	args := append([]string{"-Werror", "-Wall", "-Wno-deprecated-declarations"}, options...)
	args = append(args, filepath.Join(openclPrograms, source), "-o", program)
	if !strings.Contains(strings.Join(options, " "), "libOpenCL") {
		args = append(args, "-L"+folders.Library, "-lOpenCL")
	}
	if out, err := exec.Command(compiler.Path, append(args, "-lm", "-lpthread")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// Programs that use what the library offers check their own results, without optimisation
// and with it; each is recorded in the same bytes again.
func TestOpenCLProgramsRunAsTheyAre(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	type build struct{ source, level string }
	var builds []build
	for _, source := range []string{"memory.c", "queues.c", "programs.c", "builtins.c"} {
		builds = append(builds, build{source, "-O0"}, build{source, "-O3"})
	}
	for _, b := range tracetest.Draw(t, builds, 1) {
		t.Run(b.source+b.level, func(t *testing.T) {
			program := openclProgram(t, b.source, b.level)
			code, stdout, stderr, first := runIt(t, program)
			if code != 0 || !strings.HasSuffix(stdout, "ok\n") {
				t.Fatalf("exit code %d, it says %q and %q", code, stdout, stderr)
			}
			if b.source == "queues.c" && !strings.Contains(stdout, "7 words 1.75 7,2,3,4 x%\n") {
				t.Errorf("the kernel printed %q", stdout)
			}
			good(t, "trace", "verify", first)
			_, _, _, second := runIt(t, program)
			a, b := contents(t, first), contents(t, second)
			if !bytes.Equal(a, b) {
				t.Errorf("two runs were recorded in different bytes (%d and %d):\n%s", len(a), len(b), warptape(t, "trace", "diff", first, second).stdout)
			}
		})
	}
}

// The library serves a loader, too, which finds it by the environment.
func TestALoaderFindsTheOpenCLLibrary(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	loader := systemLoader(t)
	program := openclProgram(t, "memory.c", "-O1", loader, "-Wl,--disable-new-dtags", "-Wl,-rpath,"+filepath.Dir(loader))
	code, stdout, stderr, output := runIt(t, program)
	if code != 0 || stdout != "ok\n" {
		t.Fatalf("exit code %d, it says %q and %q", code, stdout, stderr)
	}
	good(t, "trace", "verify", output)
}

// Another OpenCL finds the programs' checks right.
func TestOpenCLProgramsPassOnPoCL(t *testing.T) {
	notUnderTheRaceDetector(t)
	tracetest.Nightly(t)
	if _, err := os.Stat(poclVendor); err != nil {
		t.Skip("PoCL is not here (apt install pocl-opencl-icd)")
	}
	loader := systemLoader(t)
	for _, source := range tracetest.Draw(t, []string{"memory.c", "queues.c", "programs.c", "builtins.c"}, 1) {
		cmd := exec.Command(openclProgram(t, source, "-O1", loader, "-Wl,--disable-new-dtags", "-Wl,-rpath,"+filepath.Dir(loader)))
		cmd.Env = append(os.Environ(), "POCL_CACHE_DIR="+filepath.Join(t.TempDir(), "pocl"))
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasSuffix(string(out), "ok\n") {
			t.Errorf("%s: %v\n%s", source, err, out)
		}
		if source == "queues.c" && !strings.Contains(string(out), "7 words 1.75 7,2,3,4 x%\n") {
			t.Errorf("the kernel printed %q", out)
		}
	}
}

// Commands of a queue out of order lie on streams of their own, and wait for what they are
// told; one queue in order is one stream.
func TestOpenCLQueuesAreStreams(t *testing.T) {
	notUnderTheRaceDetector(t)
	tracetest.Nightly(t)
	_, _, _, output := runIt(t, openclProgram(t, "queues.c", "-O3"))
	r, err := wtape.Open(output)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var streams []uint32
	var after [][]int
	for _, e := range r.Timeline() {
		if e.Kind == trace.EventLaunch && len(streams) < 5 {
			stream := r.Launches()[e.Launch].Stream
			streams, after = append(streams, stream), append(after, e.After)
		}
	}
	// m += 1; n += 10; m += 2 behind the first; n += 20 behind the second; the other queue behind both.
	if streams[0] == streams[1] || streams[2] != streams[0] || streams[3] != streams[1] || streams[4] == streams[0] || streams[4] == streams[1] {
		t.Errorf("launches on streams %v", streams)
	}
	if len(after[0])+len(after[1])+len(after[2])+len(after[3]) != 0 || len(after[4]) != 2 {
		t.Errorf("launches wait for %v", after)
	}
}

// However a program ends, its trace has what had finished.
func TestTracesOfOpenCLProgramsThatEndBadly(t *testing.T) {
	notUnderTheRaceDetector(t)
	tracetest.Nightly(t)
	program := openclProgram(t, "endings.c", "-O3")
	for _, c := range []struct {
		how, stdout, stderr, sampling string
		code, launches                int
	}{
		{how: "fault", stdout: "ok\n", stderr: "out-of-bounds store of 4 bytes", sampling: "after 2 of 4 thread blocks", code: 1, launches: 2},
		{how: "abort", code: 128 + 6, launches: 1},
		{how: "exit", code: 3, launches: 1},
		{how: "missing", stdout: "ok\n", stderr: "clCreateFromGLBuffer is not supported", launches: 1},
	} {
		t.Run(c.how, func(t *testing.T) {
			code, stdout, stderr, output := runIt(t, program, c.how)
			if code != c.code || stdout != c.stdout || !strings.Contains(stderr, c.stderr) || strings.Count(stderr, "is not supported") > 1 {
				t.Errorf("exit code %d, it says %q and %q", code, stdout, stderr)
			}
			r, err := wtape.Open(output)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if n, s := len(r.Launches()), r.Header().Sampling; n != c.launches || !strings.Contains(s, c.sampling) || c.sampling == "" && s != "" {
				t.Errorf("the trace has %d launches, and says %q", n, s)
			}
		})
	}
}

// Without libclc the error says what to install, and the program learns that there is no
// compiler.
func TestOpenCLWithoutLibclcSaysWhatToInstall(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	program := openclProgram(t, "endings.c", "-O3")
	t.Setenv("WARPTAPE_LIBCLC", filepath.Join(t.TempDir(), "none.bc"))
	code, stdout, stderr, _ := runIt(t, program)
	if code != 1 || !strings.Contains(stderr, "WARPTAPE_LIBCLC") {
		t.Errorf("exit code %d, it says %q and %q", code, stdout, stderr)
	}
}

// The numbers and the order of functions in the library are those of Khronos' headers.
func TestOpenCLNumbersAreThoseOfTheHeaders(t *testing.T) {
	notUnderTheRaceDetector(t)
	compiler, err := clang.Find()
	if err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat(openclHeader); err != nil {
		t.Skip("no headers of OpenCL are here (apt install opencl-headers)")
	}
	var text strings.Builder
	text.WriteString("#define CL_TARGET_OPENCL_VERSION 300\n#include <CL/cl.h>\n#include <CL/cl_ext.h>\n#include <CL/cl_icd.h>\n#include <stddef.h>\n")
	source := openclruntime.Source()
	read := func(name string) string {
		f, err := source.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var b bytes.Buffer
		b.ReadFrom(f)
		return b.String()
	}
	numbers := regexp.MustCompile(`(?m)^  (CL_\w+) = ([-\w]+),$`).FindAllStringSubmatch(read("opencl.h"), -1)
	for _, m := range numbers {
		fmt.Fprintf(&text, "_Static_assert((int)%s == (int)%s, \"%s\");\n", m[1], m[2], m[1])
	}
	functions := regexp.MustCompile(`(?m)^[A-Z]+\((\w+)`).FindAllStringSubmatch(read("functions.inc"), -1)
	for i, m := range functions {
		fmt.Fprintf(&text, "_Static_assert(offsetof(cl_icd_dispatch, %s) == %d * sizeof(void *), \"%s\");\n", m[1], i, m[1])
	}
	if len(numbers) < 300 || len(functions) < 140 {
		t.Fatalf("%d numbers and %d functions", len(numbers), len(functions))
	}
	cmd := exec.CommandContext(context.Background(), compiler.Path, "-fsyntax-only", "-w", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The kernels of a program with images run on a device as they do in the interpreter, straight
// through and by segments: the contaminated text has OpenCL's image functions.
func TestOpenCLProgramsRunOnADevice(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	program := openclProgram(t, "memory.c")
	code, stdout, stderr, plain := runIt(t, program)
	if code != 0 {
		t.Fatalf("exit code %d, it says %q", code, stderr)
	}
	for _, mode := range []string{"straight", "segments"} {
		output := filepath.Join(t.TempDir(), "device.wtape")
		got := warptape(t, "run", "--on", "emulated", "--gpu-mode", mode, "-o", output, "--", program)
		if got.code != code || !strings.HasSuffix(stdout, got.stdout) || !strings.Contains(got.stderr, "launches of contaminated kernels") {
			t.Errorf("%s: %+v, want exit code %d and %q", mode, got, code, stdout)
		}
		if !bytes.Equal(contents(t, output), contents(t, plain)) {
			t.Errorf("%s: the trace differs from the interpreter's:\n%s", mode, warptape(t, "trace", "diff", plain, output).stdout)
		}
	}
}
