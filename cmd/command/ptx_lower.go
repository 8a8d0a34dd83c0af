// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/lowering"
)

func ptxLowerCommand() *cli.Command {
	return &cli.Command{
		Name:      "lower",
		Usage:     "show the machine operations that a replay executes in the place of a kernel's PTX",
		ArgsUsage: "FILE.ptx",
		Description: `Each operation is printed with its number, the registers that are live there, the stall
count and dependency barriers that hardware from Volta on has in place of a scoreboard (W0
falls when the results are there, R0 when the sources have been read), and the line of the PTX instruction to which a replay charges it; a question mark stands where
lanes have a mask of their own. The machine says the generation (gpu.lowering), and how
many registers an SM has.

Examples:
  warptape ptx lower kernel.ptx --machine v100
  warptape ptx lower kernel.ptx --machine gtx480+"lowering(generation=fermi)" --kernel scale
  warptape ptx lower kernel.ptx --machine v100 --block 1024 --registers 32`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "machine", Usage: "`MACHINE` whose operations are asked for", Required: true},
			&cli.StringFlag{Name: "kernel", Usage: "`NAME` of the kernel, of a file with several"},
			&cli.UintFlag{Name: "block", Usage: "`THREADS` of a thread block, whose registers have to fit (default: .maxntid)"},
			&cli.UintFlag{Name: "registers", Usage: "`NUMBER` that a thread may have at most (default: the generation's)"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "FILE.ptx"); err != nil {
				return err
			}
			if c.Uint("block") > 1024 || c.Uint("registers") > 255 {
				return commandline.Usagef("ptx lower: a thread block has at most 1024 threads, and a thread 255 registers")
			}
			m, err := arch.Load(c.String("machine"))
			if err != nil {
				return err
			}
			if !m.GPU.Lowers() {
				return fmt.Errorf("%s executes PTX as it was recorded (gpu.lowering is none); name a machine that lowers it, or add the overlay lowering(generation=...)", m.Name)
			}
			kernels, _, err := loadKernels(c.Context, c.Args().First())
			if err != nil {
				return err
			}
			k, err := chooseKernel(kernels, c.String("kernel"), c.Args().First())
			if err != nil {
				return err
			}
			t, err := lowering.TargetOf(m, m.GPU.Divergence == "pdom")
			if err != nil {
				return err
			}
			threads := int(c.Uint("block"))
			if threads == 0 {
				threads = int(k.Static.MaxThreads)
			}
			l, err := lowering.Lower(k.Static, t, lowering.Budget{BlockThreads: threads, Registers: int(c.Uint("registers"))})
			if err != nil {
				return err
			}
			return l.Print(c.App.Writer, k.Static)
		},
	}
}
