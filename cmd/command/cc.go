// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/frontend/cuda/toolchain"
	"github.com/warptape/warptape/frontend/native/clang"
)

func ccCommand() *cli.Command {
	return &cli.Command{
		Name:      "cc",
		Usage:     "build a CUDA program with clang, without a CUDA toolkit",
		ArgsUsage: "[OPTIONS OF nvcc] FILE.cu...",
		Description: `Takes the place of nvcc in a build: -o, -c, -ptx, -I, -D, -L, -l, -O, -g, -G,
-lineinfo, -arch, -gencode, -std, -rdc, -Xcompiler, -Xlinker, -x cu, --use_fast_math,
--fmad and others. It needs clang 16 or newer, and nothing of CUDA: headers and the
runtime library are in this command. The program runs under "warptape run".

Examples:
  warptape cc saxpy.cu -o saxpy
  warptape cc -O3 -arch=sm_80 -lineinfo main.cu kernels.cu -o program
  make NVCC="warptape cc"
  g++ main.o kernels.o -L"$(warptape cc --print-library-folder)" -lcudart
  make CUDA_PATH="$(warptape cc --print-toolkit-folder)"
  cmake -DCMAKE_CUDA_COMPILER="$(warptape cc --print-toolkit-folder)/bin/nvcc" .`,
		SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			args := c.Args().Slice()
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return cli.ShowSubcommandHelp(c)
			}
			job, err := toolchain.ParseArgs(args)
			if err != nil {
				return commandline.Usagef("cc: %v", err)
			}
			compiler, err := clang.Find()
			if err != nil {
				return err
			}
			if job.Version {
				return toolchain.WriteVersion(c.App.Writer, release.Version(), compiler.Release)
			}
			kit, err := toolchain.LoadKit(compiler)
			if err != nil {
				return err
			}
			if job.Verbose || job.Print == toolchain.PrintToolkit { // which tells the toolkit's place, too
				command, err := os.Executable()
				if err != nil {
					return err
				}
				if _, err := kit.Toolkit(command); err != nil {
					return err
				}
			}
			if job.Print != "" {
				folder := map[string]string{toolchain.PrintInclude: kit.Include, toolchain.PrintLibrary: kit.Library, toolchain.PrintToolkit: kit.Folder}[job.Print]
				_, err := fmt.Fprintln(c.App.Writer, folder)
				return err
			}
			b := toolchain.Builder{Clang: compiler, Kit: kit, Stdout: c.App.Writer, Stderr: c.App.ErrWriter}
			return b.Build(job)
		},
	}
}
