// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/trace"
)

// program is a kernel as it was recorded.
type program struct {
	kernel *trace.Kernel
	steps  []step
	visits []visit // by basic block
}

// visit is what a visit of a basic block takes of a recorded path.
type visit struct{ guards, accesses int }

// step is what the pipeline needs to know of an instruction.
type step struct {
	class       trace.OpClass
	guarded     bool
	shared      bool // accesses shared memory
	stores      bool
	constant    bool // loads a constant
	ofSlot      bool // reads what belongs to the block slot
	branches    bool
	synchronous bool // SSY
	rereads     bool // loads into the register of its address
	// target is the basic block of a label, behind that of the next instruction.
	target, behind uint32
	reads          int // registers
	writes         int
}

func (p *program) Kernel() *trace.Kernel { return p.kernel }
func (p *program) Instructions() int     { return len(p.kernel.Instructions) }
func (p *program) Recorded() int         { return len(p.kernel.Instructions) }

// place is the file and line of an instruction.
func (p *program) place(instruction uint32) string {
	in := &p.kernel.Instructions[instruction]
	return fmt.Sprintf("%s:%d: %s", p.kernel.File, in.Line, in.Opcode)
}

// compile refuses kernels that the machine cannot execute, or would execute otherwise.
func compile(m *arch.Machine, k *trace.Kernel, c core.Compilation, _ uint64) (core.Program, error) {
	s, err := sectionOf(m)
	if err != nil {
		return nil, err
	}
	if c.Rewriting != nil || c.Arrangement != nil {
		return nil, fmt.Errorf("kernel %s: the machine executes kernels as they were recorded; leave the mechanism out that compiles them", k.Name)
	}
	if k.Tesla == nil {
		return nil, otherLanguage(m, k)
	}
	if err := differs(k, k.Tesla, s.configuration(m)); err != nil {
		return nil, err
	}
	p := &program{kernel: k, steps: make([]step, len(k.Instructions))}
	for i := range k.Instructions {
		if p.steps[i], err = stepOf(&k.Instructions[i]); err != nil {
			return nil, fmt.Errorf("kernel %s: %s: %w", k.Name, p.place(uint32(i)), err)
		}
	}
	p.placeBlocks()
	for i := range p.steps {
		if s := &p.steps[i]; (s.synchronous || s.branches || s.guarded) && s.target == trace.NoBlock {
			return nil, fmt.Errorf("kernel %s: %s has no label; the trace is altered", k.Name, p.place(uint32(i)))
		}
	}
	return p, nil
}

// placeBlocks fills in what steps and visits have of basic blocks.
func (p *program) placeBlocks() {
	k := p.kernel
	p.visits = make([]visit, len(k.Blocks))
	for i := range p.steps {
		p.steps[i].behind = trace.NoBlock
	}
	for id := range k.Blocks {
		b := &k.Blocks[id]
		if b.First > 0 {
			p.steps[b.First-1].behind = uint32(id)
		}
		for i := b.First; i < b.First+b.Count; i++ {
			if k.Instructions[i].Guarded() {
				p.visits[id].guards++
			}
			if k.Instructions[i].Class.IsMemory() {
				p.visits[id].accesses++
			}
		}
	}
	for _, s := range k.Tesla.Syncs {
		p.steps[s.Instruction].target = s.Block
	}
}

// otherLanguage refuses a kernel.
func otherLanguage(m *arch.Machine, k *trace.Kernel) error {
	return fmt.Errorf("kernel %s: %s executes kernels in its own language alone; record a .tesla program or a kernel image", k.Name, m.Name)
}

// differs says why a kernel would do something else on a machine than it did when it was
// recorded, nil when it does the same.
func differs(k *trace.Kernel, t *trace.Tesla, here trace.TeslaConfiguration) error {
	there := t.RecordedIn
	for _, size := range []struct {
		what      string
		need, can int
	}{{"instructions", len(k.Instructions), 1 << here.InstructionAddressBits}, {"words of shared memory", t.SharedWords, 1 << here.SharedAddressBits}, {"words of constant memory", t.ConstantWords, 1 << here.ConstantAddressBits}} {
		if size.need > size.can {
			return fmt.Errorf("kernel %s uses %d %s, and the machine has %d", k.Name, size.need, size.what, size.can)
		}
	}
	if t.AddressesWrap && (here.SharedAddressBits != there.SharedAddressBits || here.ConstantAddressBits != there.ConstantAddressBits) {
		return fmt.Errorf("kernel %s: addresses beyond the memories, of %d and %d bits when it was recorded, would be other words here; record it in this configuration", k.Name, there.SharedAddressBits, there.ConstantAddressBits)
	}
	for _, d := range t.Dependences {
		same := here == there
		switch d.On {
		case trace.TeslaRows, trace.TeslaReplays:
			same = here.Processors == there.Processors && here.WarpWidth == there.WarpWidth
		case trace.TeslaWarp:
			same = here.WarpWidth >= there.WarpWidth
		case trace.TeslaWidth:
			same = here.WarpWidth == there.WarpWidth
		}
		if !same {
			return fmt.Errorf("kernel %s depends on %s: %s; it was recorded on %s, and would do something else on %s: record it in this configuration",
				k.Name, d.On, d.Reason, describe(there), describe(here))
		}
	}
	return nil
}

func describe(c trace.TeslaConfiguration) string {
	return fmt.Sprintf("%d multiprocessors of %d processors (warps of %d, %d warp and %d block slots, %d parameters, address widths %d, %d, %d and %d)",
		c.Multiprocessors, c.Processors, c.WarpWidth, c.WarpSlots, c.BlockSlots, c.Parameters, c.InstructionAddressBits, c.RegisterAddressBits, c.ConstantAddressBits, c.SharedAddressBits)
}

// stepOf decodes a recorded instruction.
func stepOf(in *trace.Instruction) (step, error) {
	s := step{class: in.Class, guarded: in.Guarded(), branches: in.Class == trace.ClassBranch, synchronous: in.Opcode == "SSY", target: trace.NoBlock}
	s.reads, s.writes = len(in.Reads(nil)), len(in.Writes(nil))
	for i := range in.Operands {
		o := &in.Operands[i]
		if o.Kind == trace.OperandBlock {
			s.target = uint32(o.Value)
		}
		s.ofSlot = s.ofSlot || o.Kind == trace.OperandSpecial && (o.Symbol == "bidx" || strings.HasPrefix(o.Symbol, "param"))
	}
	switch {
	case in.Class.IsMemory() && in.Class != trace.ClassLoad && in.Class != trace.ClassStore, in.Class == trace.ClassCall, in.Class == trace.ClassFence, int(in.Class) >= trace.ClassCount:
		return s, fmt.Errorf("is of the class %v, which the machine lacks", in.Class)
	case in.Class.IsMemory() && in.Space == trace.SpaceShared:
		s.shared, s.stores = true, in.Class == trace.ClassStore
		s.rereads = in.Class == trace.ClassLoad && slices.ContainsFunc(in.Writes(nil), func(r trace.Register) bool { return slices.Contains(in.Reads(nil), r) })
	case in.Class == trace.ClassLoad && in.Space == trace.SpaceConst:
		s.constant = true
	case in.Class.IsMemory():
		return s, fmt.Errorf("accesses %v memory, which the machine lacks", in.Space)
	case s.guarded && in.Class != trace.ClassNop:
		return s, fmt.Errorf("has a guard, which the machine lacks")
	}
	return s, nil
}
