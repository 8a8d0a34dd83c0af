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

// cmakeProject is a program of two executables: one whose device code is in a static library,
// with a function of another file, and one in C++ that finds the runtime as a package.
var cmakeProject = map[string]string{
	"CMakeLists.txt": `cmake_minimum_required(VERSION 3.18)
project(sums LANGUAGES CUDA CXX)
find_package(CUDAToolkit REQUIRED)
add_library(device STATIC kernel.cu function.cu)
set_target_properties(device PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_include_directories(device SYSTEM PUBLIC headers)
add_executable(sum main.cu)
target_link_libraries(sum device)
add_executable(lister lister.cpp)
target_link_libraries(lister CUDA::cudart)
add_executable(static_lister lister.cpp)
target_link_libraries(static_lister CUDA::cudart_static)
`,
	"headers/sum.h": "int sum(int n);\n",
	"function.cu":   "__device__ int twice(int i) { return 2 * i; }\n",
	"kernel.cu": `#include "sum.h"
extern __device__ int twice(int);
__global__ void fill(int *p) { p[threadIdx.x] = twice(threadIdx.x); }
int sum(int n) {
  int *p, s = 0;
  if (cudaMallocManaged(&p, n * sizeof *p)) return -1;
  fill<<<1, n>>>(p);
  if (cudaDeviceSynchronize()) return -1;
  for (int i = 0; i < n; i++) s += p[i];
  return s;
}
`,
	"main.cu": `#include <stdio.h>
#include "sum.h"
int main() { printf("sum %d\n", sum(64)); }
`,
	"lister.cpp": `#include <cstdio>
#include <cuda_runtime.h>
int main() {
  int n = 0;
  cudaGetDeviceCount(&n);
  std::printf("devices %d\n", n);
}
`,
}

// CMake takes the compiler for nvcc, finds the toolkit, and builds what then runs.
func TestCMakeBuildsAProject(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	withCUDA(t)
	cmake, err := exec.LookPath("cmake")
	if err != nil {
		t.Skip("cmake is not installed")
	}
	folder := t.TempDir()
	for name, text := range cmakeProject {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := filepath.Join(folder, "build")
	nvcc := filepath.Join(strings.TrimSpace(good(t, "cc", "--print-toolkit-folder")), "bin", "nvcc")
	t.Setenv(childVariable, "1") // the scripts call this binary
	for _, arguments := range [][]string{{"-S", folder, "-B", build, "-DCMAKE_CUDA_COMPILER=" + nvcc, "-DCMAKE_BUILD_TYPE=Release"}, {"--build", build}} {
		if out, err := exec.Command(cmake, arguments...).CombinedOutput(); err != nil {
			t.Fatalf("cmake %v: %v\n%s", arguments, err, out)
		}
	}
	t.Setenv(childVariable, "")
	for program, want := range map[string]string{"sum": "sum 4032", "lister": "devices 1", "static_lister": "devices 1"} {
		if code, stdout, stderr, _ := runIt(t, filepath.Join(build, program)); code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit code %d, it prints %q and says %q", program, code, stdout, stderr)
		}
	}
}
