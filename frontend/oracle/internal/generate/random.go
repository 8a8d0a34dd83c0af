// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/warptape/warptape/frontend/oracle"
	"github.com/warptape/warptape/frontend/oracle/internal/random"
)

// randomKernels makes testdata/random.
func randomKernels(folder string) error {
	prelude, err := filepath.Abs("prelude.h")
	if err != nil {
		return err
	}
	done := uint64(0)
	for _, m := range oracle.RandomModules() {
		if m.Seed != done {
			source := filepath.Join(folder, "kernels.cu")
			if err := os.WriteFile(source, []byte(random.Module(m.Seed, oracle.RandomKernels)), 0o644); err != nil {
				return err
			}
			expected, err := runOnHost(folder, prelude, m.Seed)
			if err != nil {
				return err
			}
			if err := keep(fmt.Sprintf("random/seed%d.out", m.Seed), expected); err != nil {
				return err
			}
			done = m.Seed
		}
		flags := append(append([]string{}, device...), "-"+m.Level, "-include", prelude, "-o", "-", "kernels.cu")
		text, err := command(folder, nil, compiler(), flags...)
		if err != nil {
			return err
		}
		if err := keep(fmt.Sprintf("random/seed%d-%s.ptx", m.Seed, m.Level), text); err != nil {
			return err
		}
	}
	return nil
}

// runOnHost runs a module's kernels unoptimised and optimised; both must give
// the same, or the kernels mean nothing definite.
func runOnHost(folder, prelude string, seed uint64) ([]byte, error) {
	if err := os.WriteFile(filepath.Join(folder, "main.cpp"), []byte(hostMain()), 0o644); err != nil {
		return nil, err
	}
	input := words(random.Input(seed, oracle.RandomGrid*oracle.RandomBlock))
	var first []byte
	for _, level := range []string{"-O0", "-O2"} {
		flags := append(append([]string{}, hostFlags...), level, "-include", prelude, "-o", "kernels", "main.cpp", "-lm")
		if _, err := command(folder, nil, compiler(), flags...); err != nil {
			return nil, err
		}
		output, err := command(folder, input, "./kernels")
		if err != nil {
			return nil, err
		}
		if first != nil && !bytes.Equal(first, output) {
			return nil, fmt.Errorf("seed %d: the host computes one thing unoptimised and another with %s", seed, level)
		}
		first = output
	}
	return first, nil
}

// hostMain is a program that reads the inputs of all threads and writes the
// outputs of kernel after kernel.
func hostMain() string {
	threads := oracle.RandomGrid * oracle.RandomBlock
	s := "#include <cstdio>\nu32 current_thread;\n#include \"kernels.cu\"\n"
	s += fmt.Sprintf("static u64 input[%d], output[%d];\n", threads*random.Inputs, threads)
	s += "static void run(void (*kernel)(const u64 *, u64 *)) {\n"
	s += fmt.Sprintf("  for (current_thread = 0; current_thread < %d; current_thread++)\n    kernel(input, output);\n", threads)
	s += "  fwrite(output, sizeof output, 1, stdout);\n}\nint main() {\n"
	s += "  if (fread(input, sizeof input, 1, stdin) != 1)\n    return 1;\n"
	for i := range oracle.RandomKernels {
		s += fmt.Sprintf("  run(k%d);\n", i)
	}
	return s + "}\n"
}
