// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/resourceusage"
	"github.com/warptape/warptape/timing/arch"
)

func registersFlag() cli.Flag {
	return &cli.StringFlag{Name: "registers", Usage: "give kernels the registers that `FILE` says the vendor's compiler took: what ptxas -v (nvcc -Xptxas -v) or cuobjdump -res-usage prints; it sets gpu.kernel_registers"}
}

// withRegisters adds to specifications what the file of --registers says of the trace's
// kernels on each machine's generation.
func withRegisters(c *cli.Context, trace string, specs []string) ([]string, error) {
	path := c.String("registers")
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found, err := resourceusage.Parse(f, path)
	if err != nil {
		return nil, err
	}
	r, err := openTrace(trace)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var kernels []string
	for i := range r.Kernels() {
		kernels = append(kernels, r.Kernels()[i].Name)
	}
	out := make([]string, len(specs))
	for i, spec := range specs {
		m, err := arch.Load(spec)
		if err != nil {
			return nil, err
		}
		registers, missing, err := resourceusage.For(found, m.GPU.Lowering, kernels)
		if err != nil {
			return nil, fmt.Errorf("--registers: %s: %s: %w", path, spec, err)
		}
		if len(missing) > 0 && !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "%s says nothing of %s: their registers are those found here\n", path, strings.Join(missing, ", "))
		}
		out[i] = arch.WithSettings(spec, []string{resourceusage.Setting(registers)})
	}
	return out, nil
}
