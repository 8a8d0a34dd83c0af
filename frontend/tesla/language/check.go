// SPDX-License-Identifier: Apache-2.0

package language

// Check finds what the machine of the limits cannot execute, or would execute in
// another way than the program says. Each error names file and line.
func (k *Kernel) Check(l Limits) error {
	k = k.For(l.WarpWidth)
	p := new(problems)
	whole := Place{File: k.File}
	k.checkLaunch(l, whole, p)
	k.checkMemories(l, whole, p)
	for i := range k.Instructions {
		k.checkInstruction(i, p)
	}
	return p.err()
}

// maxDimension is the largest size that ten bits hold as size-1.
const maxDimension = 1024

func (k *Kernel) checkLaunch(l Limits, whole Place, p *problems) {
	for _, d := range []struct {
		name string
		size [3]uint32
	}{{"grid", [3]uint32{k.Grid.X, k.Grid.Y, k.Grid.Z}}, {"block", [3]uint32{k.Block.X, k.Block.Y, k.Block.Z}}} {
		for i, n := range d.size {
			if n < 1 || n > maxDimension {
				p.add(whole, "the %s has %d in %c; ten bits of size minus one hold 1 to %d", d.name, n, "xyz"[i], maxDimension)
				return
			}
		}
	}
	warps := uint64(warpsOf(k.Block, l.WarpWidth))
	most := min(l.WarpsPerMultiprocessor, maxWarpsPerBlock+1) - 1
	switch {
	case warps > uint64(most):
		p.add(whole, "a thread block of %d threads has %d warps; the four bits of WARP hold at most %d, and a block of 16 never leaves its barriers: use smaller blocks", k.Block.Count(), warps, most)
	case uint64(k.WarpsPerBlock) != warps:
		p.add(whole, "WARP is %d, and a thread block of %d threads has %d of the machine's warps of %d threads (WARP_WIDTH): assemble it for this width, or take the width that it is for", k.WarpsPerBlock, k.Block.Count(), warps, l.WarpWidth)
	}
	if k.RegistersPerThread < 1 || k.RegistersPerThread > maxRegisters {
		p.add(whole, "%d registers per thread; a thread has 1 to %d", k.RegistersPerThread, maxRegisters)
	}
}

// maxWarpsPerBlock is the largest number of warps that the four bits of WARP hold.
const maxWarpsPerBlock = 15

func (k *Kernel) checkMemories(l Limits, whole Place, p *problems) {
	for _, m := range []struct {
		what      string
		have, can int
		parameter string
	}{
		{"instructions", len(k.Instructions), 1 << l.InstructionAddressBits, "I_ADDR_WIDTH"},
		{"words of constant memory", len(k.Constants), 1 << l.ConstantAddressBits, "C_ADDR_WIDTH"},
		{"words of shared memory", len(k.Data), 1 << l.SharedAddressBits, "L_ADDR_WIDTH"},
		{"parameters", len(k.Parameters), l.Parameters, "NUM_PARAMS"},
	} {
		if m.have > m.can {
			p.add(whole, "%d %s; the machine has room for %d (%s)", m.have, m.what, m.can, m.parameter)
		}
	}
	if len(k.Instructions) == 0 {
		p.add(whole, "no instruction; a program ends with EXIT")
		return
	}
	last := len(k.Instructions) - 1
	if in := k.Instructions[last]; in.Opcode != EXIT && !in.Branches() {
		p.add(k.Place(last), "the program runs on behind its last instruction, %s; end it with EXIT", in)
	}
}

func (k *Kernel) checkInstruction(i int, p *problems) {
	in, at := k.Instructions[i], k.Place(i)
	if in.Branches() || in.Opcode == SSY {
		if int(in.Immediate) >= len(k.Instructions) {
			p.add(at, "%s: the label is address %d, outside the program's %d instructions", in, in.Immediate, len(k.Instructions))
		}
	}
	if in.Opcode == LDS {
		k.checkSelector(in, at, p)
	}
	registers := in.Reads(nil)
	if d, ok := in.Writes(); ok {
		registers = append(registers, d)
	}
	for _, r := range registers {
		if int(r) >= k.RegistersPerThread {
			p.add(at, "%s: r%d is not one of the thread's %d registers; it is another thread's", in, r, k.RegistersPerThread)
			return
		}
	}
}

func (k *Kernel) checkSelector(in Instruction, at Place, p *problems) {
	switch in.A {
	case SelectTID, SelectBDIM, SelectGDIM, SelectBIDX:
		return
	}
	if _, ok := SelectsParameter(in.A); !ok {
		p.add(at, "%s: selector %d reads nothing that is known; the machine reads TID, BIDX, BDIM, GDIM and the parameters 0 and 4", in, in.A)
	}
}
