// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// Functions for dynamic programming and complex numbers agree with wider arithmetic, on the device and on the
// host. The program has constructs that nvcc takes and clang refuses by default.
func TestDynamicProgrammingAndComplexNumbers(t *testing.T) {
	tracetest.Nightly(t)
	for _, level := range tracetest.Draw(t, []string{"-O0", "-O3"}, 1) {
		code, stdout, stderr, _ := runIt(t, cudaProgram(t, "numbers.cu", level))
		if code != 0 || stdout != "ok\n" {
			t.Errorf("%s: exit code %d, it says %q and %q", level, code, stdout, stderr)
		}
	}
}

// Headers of libraries that are device code: programs check them against published
// numbers, closed forms and plain loops.
func TestDeviceHeadersOfCUDA(t *testing.T) {
	tracetest.Nightly(t)
	for _, c := range tracetest.Draw(t, []struct{ source, arch string }{{"random.cu", "sm_70"}, {"matrices.cu", "sm_80"}}, 1) {
		t.Run(c.source, func(t *testing.T) {
			code, stdout, stderr, _ := runIt(t, cudaProgram(t, c.source, "-O3", "-arch="+c.arch))
			if code != 0 || !strings.HasSuffix(stdout, "ok\n") {
				t.Fatalf("exit code %d, it says %q and %q", code, stdout, stderr)
			}
		})
	}
}
