// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// sourceFile writes a source into a folder of its own.
func sourceFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Make reads the list of the last build: a file in it that has gone ends the next build.
func TestDependenciesAreFilesThatStay(t *testing.T) {
	tracetest.Nightly(t)
	withCUDA(t)
	source := sourceFile(t, "a.cu", "#include \"b.h\"\nint main() { return N; }\n")
	folder := filepath.Dir(source)
	if err := os.WriteFile(filepath.Join(folder, "b.h"), []byte("#define N 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	object, list := filepath.Join(folder, "a.o"), filepath.Join(folder, "listed")
	good(t, "cc", "-c", "-O1", "-DM=1", "-MD", "-o", object, source)
	good(t, "cc", "-c", "-O1", "-DM=1", "-MMD", "-MF", list, "-o", filepath.Join(folder, "b.o"), source)
	texts := []string{string(contents(t, filepath.Join(folder, "a.d"))), string(contents(t, list)), good(t, "cc", "-M", source), good(t, "cc", "-MM", source)}
	for i, text := range texts {
		rule := strings.ReplaceAll(text, "\\\n", " ")
		target, needs, _ := strings.Cut(rule, ":")
		if !strings.HasSuffix(target, ".o") || !strings.Contains(needs, "a.cu") || !strings.Contains(needs, "b.h") {
			t.Errorf("list %d: %s", i, text)
		}
		for _, need := range strings.Fields(needs) {
			if _, err := os.Stat(need); err != nil {
				t.Errorf("list %d: %v", i, err)
			}
		}
	}
}

func TestOutputsGoToTheFolderOfTheOption(t *testing.T) {
	tracetest.Nightly(t)
	withCUDA(t)
	source := sourceFile(t, "one.cu", "__global__ void k() {}\n")
	folder := t.TempDir()
	good(t, "cc", "-c", "-odir", folder, source)
	good(t, "cc", "-ptx", "--output-directory", folder, source)
	for _, name := range []string{"one.o", "one.ptx"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
}

// The instructions of PTX that nvcc's options for precision stand for (CUDA Compiler Driver
// NVCC, "--ftz", "--prec-div" and "--prec-sqrt").
func TestPrecisionIsThatOfTheOptions(t *testing.T) {
	tracetest.Nightly(t)
	withCUDA(t)
	source := sourceFile(t, "k.cu", "__global__ void k(float *a) { a[0] = a[1] / a[2]; a[3] = sqrtf(a[4]); }\n")
	cases := []struct{ options, divide, root string }{
		{"", "div.rn.f32", "sqrt.rn.f32"},
		{"-prec-div=false", "div.full.f32", "sqrt.rn.f32"},
		{"-prec-sqrt=false", "div.rn.f32", "sqrt.approx.f32"},
		{"-ftz=true -prec-sqrt=false", "div.rn.ftz.f32", "sqrt.approx.ftz.f32"},
		{"--use_fast_math", "div.approx.ftz.f32", "sqrt.approx.ftz.f32"},
	}
	for _, c := range tracetest.Draw(t, cases, 2) {
		output := filepath.Join(t.TempDir(), "k.ptx")
		good(t, append(append([]string{"cc", "-ptx", "-O3"}, strings.Fields(c.options)...), "-o", output, source)...)
		if text := string(contents(t, output)); !strings.Contains(text, c.divide) || !strings.Contains(text, c.root) {
			t.Errorf("%s: neither %s nor %s in %s", c.options, c.divide, c.root, text)
		}
	}
}

// Thrust and CUB name what kernels call to launch kernels, for the host's compiler to read,
// and a file of the toolkit that they use nothing of.
func TestHeadersHaveWhatThrustNames(t *testing.T) {
	tracetest.Nightly(t)
	withCUDA(t)
	source := sourceFile(t, "k.cu", `#include <cuda_occupancy.h>
struct launch {
  __host__ __device__ cudaError_t operator()(void *f, cudaStream_t s) const {
    cudaError_t e = cudaErrorUnknown;
    if (s) e = __cudaDeviceSynchronizeDeprecationAvoidance();
    void *p = cudaGetParameterBuffer(64, 16);
    return e ? e : cudaLaunchDevice(f, p, dim3(1), dim3(1), 0, s);
  }
};
__global__ void k(int *x) { *x = __CUDA_ARCH_LIST__; }
int main() { return 0; }
`)
	good(t, "cc", "-c", "-o", filepath.Join(t.TempDir(), "k.o"), source)
}

// nvcc hands on a percent sign that is no escape of inline PTX, where clang's manual asks for
// two. It takes shared memory of a kernel that is __device__, too.
func TestSourcesThatClangRefuses(t *testing.T) {
	tracetest.Nightly(t)
	withCUDA(t)
	folder := t.TempDir()
	source := sourceFile(t, "a.cu", `#include "lane.h"
__global__ void k(unsigned *p) {
  unsigned lane, size, warp, chosen, next;
  LANE(lane);
  asm("mov.u32 %0, %laneid;" : "=r"(next));
  asm("mov.u32 %0, %ntid.x;" : "=r"(size));
  asm("mov.u32 %0, %%ctaid.x; // no %more" : "=r"(warp));
  asm volatile("{ .reg .pred %p; setp.ne.u32 %p, %1, 0;\n\t"
               "selp.u32 %0, 1, 2, %p; }" : "=r"(chosen) : "r"(lane));
  __device__ __shared__ unsigned same[32];
  same[31 - threadIdx.x] = lane;
  __syncthreads();
  lane = 31 - same[threadIdx.x];
  p[threadIdx.x] = lane == threadIdx.x && next == lane && warp == 0 && size == 32 ? chosen : 3;
}
int main() {
  unsigned *p;
  if (cudaMallocManaged(&p, 128)) return 1;
  k<<<1, 32>>>(p);
  if (cudaDeviceSynchronize()) return 2;
  for (int i = 0; i < 32; i++)
    if (p[i] != (i ? 1 : 2)) return 3;
}
`)
	header := "#define LANE(r) asm(\"mov.u32 %0, %laneid;\" : \"=r\"(r))\n"
	if err := os.WriteFile(filepath.Join(folder, "lane.h"), []byte(header), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "a")
	good(t, "cc", "-I", folder, source, "-o", program)
	good(t, "run", "-q", "-o", filepath.Join(folder, "a.wtape"), "--", program)
}

// What -cuda writes is a source that any compiler of the host makes a program of.
func TestHostSources(t *testing.T) {
	tracetest.Nightly(t)
	withCUDA(t)
	gcc, err := exec.LookPath("g++")
	if err != nil {
		t.Skip(err)
	}
	source := sourceFile(t, "a.cu", `#include <cstdio>
__constant__ int seven = 7;
template <class T> __global__ void k(T *p) { p[threadIdx.x] = seven * threadIdx.x; }
int main() {
  const char *odd = "a \"quoted\" back\\slash\tand 100%s";
  float *p;
  if (cudaMallocManaged(&p, 128)) return 1;
  k<<<1, 32>>>(p);
  if (cudaDeviceSynchronize()) return 2;
  puts(odd);
  return p[31] == 217 ? 0 : 3;
}
`)
	folder := t.TempDir()
	good(t, "cc", "-cuda", "-O2", "-odir", folder, source)
	object, program := filepath.Join(folder, "a.o"), filepath.Join(folder, "a")
	if out, err := exec.Command(gcc, "-c", "-O2", "-g", "-o", object, filepath.Join(folder, "a.cu.cpp.ii")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	good(t, "cc", object, "-o", program)
	if got, want := good(t, "run", "-q", "-o", filepath.Join(folder, "a.wtape"), "--", program), "a \"quoted\" back\\slash\tand 100%s\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
