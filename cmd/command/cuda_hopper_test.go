// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/cluster"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
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
			if b.source == "clusters.cu" {
				replaysInClusters(t, output)
			}
		})
	}
}

// replaysInClusters checks that a trace has the clusters of its launches, and a replay what their
// thread blocks do with each other. A machine without clusters refuses it.
func replaysInClusters(t *testing.T, file string) {
	t.Helper()
	r, err := wtape.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sizes := map[uint64]bool{}
	for i := range r.Launches() {
		sizes[r.Launches()[i].Cluster.Count()] = true
	}
	for _, size := range []uint64{2, 4, 8, 16} {
		if !sizes[size] {
			t.Errorf("no launch of the trace has clusters of %d thread blocks: %v", size, sizes)
		}
	}
	if got := good(t, "replay", file, "--arch", "h100", "--json", "-"); !regexp.MustCompile(`"remote_shared_accesses": [1-9]`).MatchString(got) {
		t.Error("the replay has no access to the shared memory of another SM")
	}
	if got := good(t, "trace", "info", file); !strings.Contains(got, "4x4x3 (clusters of 2x2)") {
		t.Errorf("trace info names no clusters:\n%s", got)
	}
	if got := warptape(t, "replay", file, "--arch", "a100"); got.code == 0 || !strings.Contains(got.stderr, "it runs in clusters of 2 thread blocks, which the machine lacks (sm.lacks.clusters)") {
		t.Errorf("a100: exit code %d: %s", got.code, got.stderr)
	}
}

// A program is told as many clusters as a replay has at a time.
func TestProgramsAreToldHowManyClustersFit(t *testing.T) {
	tracetest.Nightly(t)
	program := cudaProgram(t, "clusters.cu", "-O3", "-arch=sm_90")
	m, err := arch.Load("h100")
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, n := range []int{1, 2, 3, 4, 8, 16} {
		want += fmt.Sprint(cluster.Active(cluster.Groups(m.GPU.SMs, m.GPU.Clusters.GPCs), 1, n), " ")
	}
	if got := warptape(t, "run", "-q", "-o", filepath.Join(t.TempDir(), "run.wtape"), "--arch", "h100", "--", program, "active"); got.code != 0 || got.stdout != want+"\n" {
		t.Errorf("exit code %d, it says %q and %q, want %q", got.code, got.stdout, got.stderr, want)
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
