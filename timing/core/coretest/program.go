// SPDX-License-Identifier: Apache-2.0

package coretest

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Kind is the word for serial cores in gpu.core.
const Kind = "test-serial"

func init() {
	core.Kinds.Register(Kind, core.Kind{New: newSerial, Compile: compile, Occupancy: occupancy, FrontEnds: frontEnds})
}

// program is a kernel as it was recorded.
type program struct {
	kernel *trace.Kernel
	base   uint64 // address of the first instruction
}

func (p *program) Kernel() *trace.Kernel { return p.kernel }
func (p *program) Instructions() int     { return len(p.kernel.Instructions) }
func (p *program) Recorded() int         { return len(p.kernel.Instructions) }

func compile(m *arch.Machine, k *trace.Kernel, c core.Compilation, base uint64) (core.Program, error) {
	if c.Rewriting != nil || c.Arrangement != nil {
		return nil, fmt.Errorf("kernel %s: a serial core executes kernels as they were recorded; leave the mechanism out that compiles them", k.Name)
	}
	for i := range k.Instructions {
		in := &k.Instructions[i]
		if why := lacks(in); why != "" {
			return nil, fmt.Errorf("kernel %s (%s:%d): %s %s, which serial cores of %s lack", k.Name, k.File, in.Line, in.Opcode, why, m.Name)
		}
	}
	return &program{k, base}, nil
}

// lacks says what an instruction needs that the cores have not, "" when they execute it.
func lacks(in *trace.Instruction) string {
	switch {
	case int(in.Class) >= trace.ClassCount:
		return "is of an unknown class"
	case in.Class == trace.ClassBulk:
		return "is a bulk copy"
	case in.Class != trace.ClassBarrier:
		return ""
	case len(in.Operands) > 1, len(in.Operands) == 1 && (in.Operands[0].Kind != trace.OperandImmediate || in.Operands[0].Value != 0):
		return "names a barrier, or a number of threads"
	}
	for _, modifier := range in.Modifiers {
		switch modifier {
		case "warp", "cluster", "arrive", "red":
			return "is a barrier of the kind ." + modifier
		}
	}
	return ""
}

// occupancy is one thread block a core.
func occupancy(m *arch.Machine, k *trace.Kernel, l *trace.Launch, warps int) (core.Occupancy, error) {
	o := core.Occupancy{Blocks: 1, Limiter: "blocks", Need: seam.Footprint{
		Threads: warps * trace.WarpSize, Warps: warps, SharedBytes: int(uint64(k.SharedBytes) + uint64(l.DynamicSharedBytes)),
	}}
	switch {
	case warps > m.SM.MaxWarps:
		return o, fmt.Errorf("kernel %s: a thread block has %d warps, a core of %s takes %d (sm.max_warps)", k.Name, warps, m.Name, m.SM.MaxWarps)
	case o.Need.SharedBytes > m.Shared.Bytes:
		return o, fmt.Errorf("kernel %s: a thread block needs %d bytes of shared memory, a core of %s has %d (shared_memory.bytes)", k.Name, o.Need.SharedBytes, m.Name, m.Shared.Bytes)
	}
	return o, nil
}

// frontEnds drives each core by itself; a core has one issue slot in a cycle.
func frontEnds(_ *arch.Machine, cores []core.Core) ([]core.Driver, error) {
	drivers := make([]core.Driver, len(cores))
	for i, c := range cores {
		s, ok := c.(*serial)
		if !ok {
			return nil, fmt.Errorf("core %d is no serial core: it is a %T", c.ID(), c)
		}
		drivers[i] = core.Driver{FrontEnd: frontEnd{s}, Cores: cores[i : i+1], SlotsPerCycle: 1}
	}
	return drivers, nil
}
