// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"

	"github.com/warptape/warptape/frontend/oracle"
	"github.com/warptape/warptape/frontend/oracle/internal/random"
)

// libclc is OpenCL's library for PTX, of the package libclc-19.
const libclc = "/usr/lib/clc/nvptx64--nvidiacl.bc"

// openCL makes testdata/opencl: PTX by clang and libclc, results by PoCL.
func openCL(folder string) error {
	source, err := filepath.Abs("opencl/kernels.cl")
	if err != nil {
		return err
	}
	program, err := filepath.Abs("opencl/run.c")
	if err != nil {
		return err
	}
	if _, err := command(folder, nil, "cc", "-O1", "-o", "run", program, "-lOpenCL"); err != nil {
		return err
	}
	arguments := []string{source, fmt.Sprint(oracle.OpenCLGroups), fmt.Sprint(oracle.OpenCLItems), fmt.Sprint(oracle.OpenCLWords)}
	expected, err := command(folder, oracle.OpenCLInput(random.Input), "./run", append(arguments, oracle.OpenCLKernels()...)...)
	if err != nil {
		return err
	}
	if err := keep("opencl/kernels.out", expected); err != nil {
		return err
	}
	for _, level := range oracle.OpenCLLevels {
		text, err := command(filepath.Dir(source), nil, compiler(), "-x", "cl", "-cl-std=CL1.2", "--target=nvptx64--nvidiacl", "-Xclang", "-finclude-default-header",
			"-S", "-"+level, "-w", "-Xclang", "-target-cpu", "-Xclang", "sm_70", "-Xclang", "-target-feature", "-Xclang", "+ptx63", "-mllvm", "-nvptx-fma-level=0",
			"-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc, "-o", "-", filepath.Base(source))
		if err != nil {
			return err
		}
		if err := keep("opencl/kernels-"+level+".ptx", text); err != nil {
			return err
		}
	}
	return nil
}
