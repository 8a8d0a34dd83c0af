// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"fmt"
	"regexp"
)

// A program may need libraries of NVIDIA's toolkit that are no part of this one. The compiler and the
// linker name a file then; what it is of, and what can be done, is said behind their messages.
type absentLibrary struct {
	name   string
	header func() *regexp.Regexp // what #include names
	remedy string
}

var absentLibraries = []absentLibrary{
	machineCode("cuBLAS but for the interface of cublas_v2.h", `cublas(?:\w*)\.h`),
	machineCode("cuFFT but for the interface of cufft.h", `cufft\w*\.h`), machineCode("cuSPARSE", `cusparse\w*\.h`), machineCode("cuSOLVER", `cusolver\w*\.h`),
	machineCode("cuDNN", `cudnn\w*\.h`), machineCode("NCCL", `nccl\w*\.h`), machineCode("cuRAND's host side", `curand\.h`), machineCode("NPP", `npp\w*\.h`), machineCode("nvJPEG", `nvjpeg\w*\.h`),
	machineCode("NVRTC", `nvrtc\w*\.h`), machineCode("NVML", `nvml\.h`), machineCode("TensorRT", `NvInfer\w*\.h`),
	{"Thrust with CUB", lazily(`^(thrust|cub)/`), "it is headers alone: give the folder of its sources (-I); release 1.17 is known to build"},
	{"OpenMP", lazily(`^omp\.h$`), "it is a package of the compiler (apt install libomp-19-dev, by clang's release)"},
	{"MPI", lazily(`^mpi\.h$`), "it is a package (apt install libopenmpi-dev): give what mpicxx --showme:compile and --showme:link print; a program is recorded with one process"},
	{"libcu++", lazily(`^(cuda|nv)/`), "it is headers alone: give the folder of its sources (-I)"},
}

// machineCode is a library without sources.
func machineCode(name, header string) absentLibrary {
	return absentLibrary{name, lazily(`^` + header + `$`), "it is machine code alone, so it cannot run here; leave out the parts of the program that call it, or give kernels in their place"}
}

var (
	missingHeader = lazily(`fatal error: '([^']+)' file not found`)
	// kernelsInKernels is what clang says of dynamic parallelism.
	kernelsInKernels = lazily(`(?:reference to __global__ function '\w+' in|call to __global__ function from) __(?:global|device)__ function`)
	// missingFunction is one that a library in the place of NVIDIA's lacks.
	missingFunction = lazily(`(?:use of undeclared identifier|undeclared function|undefined reference to|undefined symbol:) \W?((cublas|cufft)[A-Z]\w*)`)
	missingLibrary  = lazily(`(?:cannot find|unable to find library) -l(omp|cublas\w+|cufft\w+|cusparse|cusolver|cudnn|nccl|curand|npp|nvjpeg|nvrtc)`)
)

// aboutAbsent is what to say of what is absent here, by a tool's messages; empty where nothing is known.
func aboutAbsent(messages []byte) string {
	if kernelsInKernels().Match(messages) {
		return "kernels that launch kernels (dynamic parallelism) are not supported: let the host launch them, one after the other (docs/cuda.md, \"What is supported\")"
	}
	if m := missingFunction().FindSubmatch(messages); m != nil {
		for i := range libraries {
			if l := &libraries[i]; l.word() == string(m[2]) {
				return fmt.Sprintf("%s is not among the functions of %s that Warptape's library has: give a kernel in its place (docs/cuda.md, %q)", m[1], l.name, l.section)
			}
		}
	}
	file := ""
	if m := missingHeader().FindSubmatch(messages); m != nil {
		file = string(m[1])
	} else if m := missingLibrary().FindSubmatch(messages); m != nil {
		file = string(m[1]) + ".h"
	}
	for _, l := range absentLibraries {
		if l.header().MatchString(file) {
			return fmt.Sprintf("%s is no part of Warptape's toolkit: %s (docs/cuda.md, \"What is supported\")", l.name, l.remedy)
		}
	}
	return ""
}
