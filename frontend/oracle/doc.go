// SPDX-License-Identifier: Apache-2.0

// Package oracle compares what the emulator computes with what other
// implementations compute from the same source. Clang compiles kernels in C,
// and the workloads of the catalogue in CUDA C, both to PTX, which the emulator
// runs, and for the host's processor.
//
// PTX and expected outputs are in testdata, so that the tests need no compiler;
// "make oracle" makes them again and needs Debian's packages clang-19,
// libclc-19, pocl-opencl-icd, ocl-icd-opencl-dev and opencl-headers.
//
// Both sides are compiled without contraction to fused multiply-adds and with
// wrapping integers: then every operation has one result. The workloads of the
// catalogue are compared with contraction, which their PTX has; see WorkloadRule.
package oracle

// Threads of a random kernel: two thread blocks whose second warps are partial.
const (
	RandomGrid  = 2
	RandomBlock = 40
)

// RandomKernels is the number of kernels in a module.
const RandomKernels = 40

// RandomModule names one compilation of a module of random kernels. The level
// is clang's: unoptimised code keeps everything in local memory and addresses
// it generically, optimised code uses the wide and fused instructions.
type RandomModule struct {
	Seed  uint64
	Level string
}

// RandomModules are the committed ones: every module of the seeds 1 to 10 fully
// optimised, the first also with less.
func RandomModules() []RandomModule {
	var all []RandomModule
	for seed := uint64(1); seed <= 10; seed++ {
		all = append(all, RandomModule{seed, "O3"})
		if seed <= 5 {
			all = append(all, RandomModule{seed, "O1"})
		}
		if seed <= 2 {
			all = append(all, RandomModule{seed, "O0"})
		}
	}
	return all
}
