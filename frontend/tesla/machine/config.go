// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/frontend/tesla/language"
)

// Config are the parameters of Table 4.2 on which what a kernel does, and when, depends.
type Config struct {
	Multiprocessors int // NUM_MPS
	Processors      int // SP_PER_MP; also the banks of shared memory
	WarpSlots       int // NUM_WARPS
	BlockSlots      int // NUM_BLOCKS
	Parameters      int // NUM_PARAMS
	WarpWidth       int // WARP_WIDTH: threads of a warp

	InstructionAddressBits, RegisterAddressBits, ConstantAddressBits, SharedAddressBits int // I_, R_, C_, L_ADDR_WIDTH
}

// Reference is the configuration of the reference runs with so many multiprocessors of so
// many processors, which have as many registers together, whatever their number. With 64
// processors, for which there are no runs, warps have 64 threads (section 5.2).
func Reference(multiprocessors, processors int) Config {
	l := language.Reference
	return Config{
		Multiprocessors: multiprocessors, Processors: processors, WarpSlots: l.WarpsPerMultiprocessor, BlockSlots: 4, Parameters: l.Parameters, WarpWidth: max(processors, language.WarpWidth),
		InstructionAddressBits: l.InstructionAddressBits, RegisterAddressBits: 13 - bits.TrailingZeros(uint(max(processors, 1))),
		ConstantAddressBits: l.ConstantAddressBits, SharedAddressBits: l.SharedAddressBits,
	}
}

// Limits are the sizes that a kernel has to fit.
func (c Config) Limits() language.Limits {
	return language.Limits{
		InstructionAddressBits: c.InstructionAddressBits, ConstantAddressBits: c.ConstantAddressBits, SharedAddressBits: c.SharedAddressBits,
		Parameters: c.Parameters, WarpsPerMultiprocessor: c.WarpSlots, WarpWidth: c.WarpWidth,
	}
}

// rows is the number of rows of a warp.
func (c Config) rows() int { return c.WarpWidth / c.Processors }

// hex writes lanes as a number in hexadecimal.
func (c Config) hex(l Lanes) string { return fmt.Sprintf("%0*x", (c.WarpWidth+3)/4, l) }

// check finds configurations that cannot be.
func (c Config) check() error {
	for _, p := range []struct {
		name         string
		value, limit int
	}{{"NUM_MPS", c.Multiprocessors, 1024}, {"NUM_WARPS", c.WarpSlots, 64}, {"NUM_BLOCKS", c.BlockSlots, 64}, {"NUM_PARAMS", c.Parameters, 64},
		{"I_ADDR_WIDTH", c.InstructionAddressBits, 16}, {"R_ADDR_WIDTH", c.RegisterAddressBits, 16}, {"C_ADDR_WIDTH", c.ConstantAddressBits, 16}, {"L_ADDR_WIDTH", c.SharedAddressBits, 16}} {
		if p.value < 1 || p.value > p.limit {
			return fmt.Errorf("%s is %d; it is 1 to %d", p.name, p.value, p.limit)
		}
	}
	if n := c.WarpWidth; n < 1 || n > language.MaxWarpWidth || n&(n-1) != 0 {
		return fmt.Errorf("WARP_WIDTH is %d; it is a power of two from 1 to %d", n, language.MaxWarpWidth)
	}
	if n := c.Processors; n < 1 || n > language.MaxWarpWidth || n&(n-1) != 0 {
		return fmt.Errorf("SP_PER_MP is %d; it is a power of two from 1 to %d", n, language.MaxWarpWidth)
	}
	if c.Processors > c.WarpWidth {
		return fmt.Errorf("SP_PER_MP is %d, and WARP_WIDTH %d: a warp has a thread for each processor at least; set WARP_WIDTH to %d too", c.Processors, c.WarpWidth, c.Processors)
	}
	return nil
}

// Tesla is the configuration that resembles the Tesla architecture (Table 5.1). The
// table does not give NUM_PARAMS, which is that of the reference runs.
func Tesla() Config {
	return Config{
		Multiprocessors: 16, Processors: 8, WarpSlots: 16, BlockSlots: 4, Parameters: 8, WarpWidth: language.WarpWidth,
		InstructionAddressBits: 8, RegisterAddressBits: 9, ConstantAddressBits: 6, SharedAddressBits: 10,
	}
}

// Names are the names of the parameters in Table 4.2.
var Names = []string{"NUM_MPS", "SP_PER_MP", "NUM_WARPS", "NUM_BLOCKS", "NUM_PARAMS", "WARP_WIDTH", "I_ADDR_WIDTH", "R_ADDR_WIDTH", "C_ADDR_WIDTH", "L_ADDR_WIDTH"}

// Parameter gives the place of a parameter by its name, nil for an unknown one.
func (c *Config) Parameter(name string) *int {
	switch name {
	case "NUM_MPS":
		return &c.Multiprocessors
	case "SP_PER_MP":
		return &c.Processors
	case "NUM_WARPS":
		return &c.WarpSlots
	case "NUM_BLOCKS":
		return &c.BlockSlots
	case "NUM_PARAMS":
		return &c.Parameters
	case "WARP_WIDTH":
		return &c.WarpWidth
	case "I_ADDR_WIDTH":
		return &c.InstructionAddressBits
	case "R_ADDR_WIDTH":
		return &c.RegisterAddressBits
	case "C_ADDR_WIDTH":
		return &c.ConstantAddressBits
	case "L_ADDR_WIDTH":
		return &c.SharedAddressBits
	}
	return nil
}
