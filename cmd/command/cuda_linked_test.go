// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// Files whose device code is compiled for linking find each other's functions and
// variables, in the steps that builds for nvcc have.
func TestDeviceCodeOfSeveralFiles(t *testing.T) {
	notUnderTheRaceDetector(t)
	tracetest.Nightly(t)
	withCUDA(t)
	for _, level := range tracetest.Draw(t, []string{"-O0", "-O3"}, 1) {
		folder := t.TempDir()
		in := func(name string) string { return filepath.Join(folder, name) }
		good(t, "cc", level, "-lineinfo", "-dc", filepath.Join(cudaPrograms, "linked_kernel.cu"), "-o", in("kernel.o"))
		good(t, "cc", level, "-lineinfo", "-rdc=true", "-c", filepath.Join(cudaPrograms, "linked_functions.cu"), "-o", in("functions.o"))
		good(t, "cc", level, "-dc", filepath.Join(cudaPrograms, "linked_plain.cu"), "-o", in("plain.o"))
		good(t, "cc", "-dlink", in("kernel.o"), in("functions.o"), in("plain.o"), "-o", in("device.o"))
		good(t, "cc", in("kernel.o"), in("functions.o"), in("plain.o"), in("device.o"), "-o", in("program"), "-lcudadevrt")
		if level == "-O3" { // as a library; the host's linker needs nothing of it
			good(t, "cc", "-lib", in("functions.o"), in("plain.o"), "-o", in("functions.a"))
			good(t, "cc", in("kernel.o"), in("functions.a"), "-o", in("program"))
		}
		code, stdout, stderr, _ := runIt(t, in("program"))
		if code != 0 || stdout != "ok\n" {
			t.Errorf("%s: exit code %d, it says %q and %q", level, code, stdout, stderr)
		}
	}
}
