// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"strings"
	"testing"
)

func TestWhatIsAbsentIsNamed(t *testing.T) {
	for message, want := range map[string]string{
		"./common.h:4:10: fatal error: 'cublas.h' file not found":                                              "cuBLAS but for the interface of cublas_v2.h is no part",
		"a.cu:1:10: fatal error: 'mpi.h' file not found":                                                       "MPI is no part of Warptape's toolkit: it is a package",
		"a.cu:1:10: fatal error: 'cublasLt.h' file not found":                                                  "cuBLAS but for the interface of cublas_v2.h is no part",
		"/usr/bin/ld: cannot find -lcublasLt: No such file or directory":                                       "cuBLAS but for the interface of cublas_v2.h is no part",
		"a.cu:9:3: error: use of undeclared identifier 'cublasStrsm'; did you mean":                            "cublasStrsm is not among the functions",
		"main.c:(.text+0x1): undefined reference to `cublasStrsm_v2'":                                          "cublasStrsm_v2 is not among the functions",
		"a.cu:1:10: fatal error: 'curand.h' file not found":                                                    "cuRAND's host side is no part",
		"a.cu:1:10: fatal error: 'nppi_filtering.h' file not found":                                            "NPP is no part",
		"a.cu:1:10: fatal error: 'thrust/sort.h' file not found":                                               "Thrust with CUB is no part",
		"a.cu:1:10: fatal error: 'cuda/barrier' file not found":                                                "libcu++ is no part",
		"a.cu:1:10: fatal error: 'cufftw.h' file not found":                                                    "cuFFT but for the interface of cufft.h is no part",
		"/usr/bin/ld: cannot find -lcufftw: No such file or directory":                                         "cuFFT but for the interface of cufft.h is no part",
		"a.cu:9:3: error: use of undeclared identifier 'cufftXtSetGPUs'":                                       "cufftXtSetGPUs is not among the functions of cuFFT",
		"ld.lld: error: unable to find library -lcurand":                                                       "cuRAND's host side is no part",
		"a.cu:1:10: fatal error: 'omp.h' file not found":                                                       "OpenMP is no part",
		"/usr/bin/ld: cannot find -lomp: No such file or directory":                                            "OpenMP is no part",
		"a.cu:1:10: fatal error: 'mine.h' file not found":                                                      "",
		"a.cu:1:10: fatal error: 'sub/cublas.h' file not found":                                                "",
		"a.cu:1:23: error: reference to __global__ function 'child' in __device__ function":                    "kernels that launch kernels",
		"a.cu:1:36: note: candidate function not viable: call to __global__ function from __global__ function": "kernels that launch kernels",
		"a.cu:1:36: note: candidate function not viable: call to __global__ function from __host__ function":   "",
		"a.cu:1:10: error: expected ';'":                                                                       "",
	} {
		got := aboutAbsent([]byte(message))
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", message, got)
		}
	}
}
