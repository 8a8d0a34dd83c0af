// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/trace/tracetest"
)

// What kernels compute stays within the errors that the CUDA C++ Programming Guide states.
func TestDeviceMathematicsIsWithinTheDocumentedErrors(t *testing.T) {
	notUnderTheRaceDetector(t)
	tracetest.Nightly(t)
	program := cudaProgram(t, "mathematics.cu", "-O3")
	code, stdout, stderr, _ := runIt(t, program)
	if code != 0 || stdout != "ok\n" {
		t.Fatalf("exit code %d, it says %q and %q", code, stdout, stderr)
	}
}

// Fast mathematics is nvcc's, which leaves infinities and the order of sums.
func TestFastMathematicsLeavesInfinities(t *testing.T) {
	notUnderTheRaceDetector(t)
	tracetest.Nightly(t)
	program := cudaProgram(t, "fast.cu", "-O3", "--use_fast_math")
	if code, stdout, stderr, _ := runIt(t, program); code != 0 || stdout != "ok\n" {
		t.Errorf("exit code %d, it says %q and %q", code, stdout, stderr)
	}
}

// The functions are C++ of both sides: the host's compiler lets many more points be tried.
func TestDeviceMathematicsOnTheHost(t *testing.T) {
	notUnderTheRaceDetector(t)
	tracetest.Nightly(t)
	clang, err := clang.Find()
	if err != nil {
		t.Skip(err)
	}
	program := filepath.Join(t.TempDir(), "mathematics")
	args := []string{"-O2", "-std=c++17", "-ffp-contract=off", "-I../../frontend/cuda/headers/include"}
	if runtime.GOARCH == "amd64" {
		if info, err := os.ReadFile("/proc/cpuinfo"); err != nil || !bytes.Contains(info, []byte(" fma ")) {
			t.Skip("without fused products in the processor this takes minutes")
		}
		args = append(args, "-mfma")
	}
	args = append(args, filepath.Join(cudaPrograms, "mathematics.cpp"), "-o", program, "-lm")
	if out, err := exec.Command(clang.CXX, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(program, "30000").CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// Mathematics is instructions in the PTX, or calls when that is asked for.
func TestMathematicsAsInstructionsOrCalls(t *testing.T) {
	notUnderTheRaceDetector(t)
	tracetest.Nightly(t)
	withCUDA(t)
	source := filepath.Join(t.TempDir(), "sine.cu")
	if err := os.WriteFile(source, []byte("__global__ void k(float *x) { *x = sinf(*x); }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	output := strings.TrimSuffix(source, ".cu") + ".ptx"
	for _, c := range []struct {
		option string
		calls  bool
	}{{"--mathematics=instructions", false}, {"--mathematics=calls", true}} {
		good(t, "cc", c.option, "-ptx", source, "-o", output)
		text, err := os.ReadFile(output)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("__nv_sinf")) != c.calls || bytes.Contains(text, []byte("fma.rn.f32")) == c.calls {
			t.Errorf("%s:\n%s", c.option, text)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"warptape", "cc", "--mathematics=exact", source}, &stdout, &stderr); code == 0 || !strings.Contains(stderr.String(), "instructions and calls") {
		t.Errorf("exit code %d, it says %q", code, stderr.String())
	}
}
