// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// Clusters, tensor maps and sums of vectors of Hopper in CUDA C++, and texture references built for it:
// each program checks what it finds, and its trace replays on the machine that has them.
func TestProgramsForHopper(t *testing.T) {
	tracetest.Nightly(t)
	type build struct{ source, level string }
	var builds []build
	for _, source := range []string{"clusters.cu", "tensors.cu", "textures.cu", "vectors.cu"} {
		builds = append(builds, build{source, "-O0"}, build{source, "-O3"})
	}
	for _, b := range tracetest.Draw(t, builds, 2) {
		t.Run(b.source+b.level, func(t *testing.T) {
			program, output := cudaProgram(t, b.source, b.level, "-arch=sm_90"), filepath.Join(t.TempDir(), "run.wtape")
			// Standard error has what the runtime refuses.
			if got := warptape(t, "run", "-q", "-o", output, "--arch", "h100", "--", program); got.code != 0 || got.stdout != "ok\n" {
				t.Fatalf("exit code %d, it says %q and %q", got.code, got.stdout, got.stderr)
			}
			good(t, "trace", "verify", output)
			good(t, "replay", output, "--arch", "h100", "--energy")
		})
	}
}

// A device without clusters says so to the program, and to the user.
func TestClustersOnADeviceWithoutThem(t *testing.T) {
	tracetest.Nightly(t)
	program := cudaProgram(t, "clusters.cu", "-O3", "-arch=sm_90")
	code, stdout, stderr, _ := runIt(t, program, "old")
	if code != 0 || stdout != "ok\n" || !strings.Contains(stderr, "clusters need compute capability 9.0") {
		t.Errorf("exit code %d, it says %q and %q", code, stdout, stderr)
	}
}

// A size of clusters in a source for an older architecture is an error that names the kernel, and
// leaves no PTX.
func TestClustersInASourceForAnOlderArchitecture(t *testing.T) {
	tracetest.Nightly(t)
	folder := t.TempDir()
	source, output := filepath.Join(folder, "old.cu"), filepath.Join(folder, "old.ptx")
	if err := os.WriteFile(source, []byte("__global__ void __cluster_dims__(2) k(int *p) { *p = 1; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got := warptape(t, "cc", "-ptx", "-arch=sm_80", source, "-o", output)
	if got.code == 0 || !strings.Contains(got.stderr, "kernel _Z1kPi has __cluster_dims__, which needs compute capability 9.0") {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
	if _, err := os.Stat(output); err == nil {
		t.Error("the PTX is there")
	}
}

// The program sees the compute capability of the machine, unless it is told another one.
func TestProgramsSeeTheMachinesComputeCapability(t *testing.T) {
	tracetest.Nightly(t)
	program := cudaProgram(t, "capability.cu", "-O0")
	for machine, want := range map[string]string{"v100": "7.0\n", "rtx2080ti": "7.5\n", "rtx3090": "8.6\n", "a100": "8.0\n", "h100": "9.0\n", "gtx480": "7.0\n"} {
		output := filepath.Join(t.TempDir(), "run.wtape")
		if got := good(t, "run", "-q", "-o", output, "--arch", machine, "--", program); got != want {
			t.Errorf("%s: %q", machine, got)
		}
	}
	if got := good(t, "run", "-q", "-o", filepath.Join(t.TempDir(), "run.wtape"), "--arch", "h100", "--capability", "6.1", "--", program); got != "6.1\n" {
		t.Errorf("it is told 6.1, and sees %q", got)
	}
}
