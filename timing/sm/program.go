// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/sm/operand"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/trace"
)

// Program is a kernel decoded for one machine: one flat record per instruction.
// It is immutable and shared by all SMs of the machine.
type Program struct {
	kernel *trace.Kernel // in the order in which the instructions lie in memory
	// Base is the address of the first instruction in instruction memory.
	Base uint64

	code []operation
	// sets holds the parts of register sets that operations refer to: bits of the
	// scoreboard, word by word, general registers first, then predicates.
	sets  []scoreboard.Part
	first []uint32 // per basic block: its first instruction
	end   []uint32 // per basic block: the instruction after its last
	words int      // scoreboard words per warp
	// multiplies says that the kernel has products of warpgroups.
	multiplies bool
	// recorded is the kernel of the trace; arranged is nil where it is kernel.
	recorded *trace.Kernel
	arranged *arranged
	// origin gives, for a rewritten kernel, the recorded instruction by place.
	origin []uint32
	// mostConflicts is the largest of all operations' conflicts.
	mostConflicts int
}

// kind says how an operation executes.
type kind uint8

const (
	kindExecute kind = iota
	kindLoad         // load, texture, atomic: something comes back
	kindStore
	kindBulk
	kindBarrier
	kindFence
	kindControl
)

// operation is the decoded form of one instruction.
type operation struct {
	// hazard is what must not be pending at issue: the registers read (RAW) and
	// written (WAW); written is what becomes pending. Their parts are in Program.sets.
	hazard, written scoreboard.Set
	// operands are what operand read reads, and targets the registers of write-back,
	// one per access to a bank. Only machines with collectors use them.
	operands operand.Operands
	targets  []uint16
	timing   units.Timing

	// reads and writes count 32-bit registers, conflicts the extra cycles of
	// operand read.
	reads, writes, conflicts uint16

	barrierThreads uint32 // zero: all of the thread block
	barrierID      uint8
	barrierArrives bool // arrives without waiting
	barrierApart   bool // threads arrive by themselves
	barrierUnknown bool // the number is in a register, and not in the trace
	barrierValues  bool // its access has the number, and that of threads (trace.BarrierVisit)

	triggers  switching.Trigger
	unit      units.Kind
	kind      kind
	class     trace.OpClass
	function  trace.SpecialFunction
	space     trace.Space
	laneBytes uint8
	guarded   bool
	bulkStore bool // a bulk copy that writes to memory
	mbarrier  mbarrierRole
	txBytes   uint8 // that a lane of st.async or red.async takes off a tx-count

	bypass           bool
	assisted         bool
	arrivesAtCluster bool // barrier.cluster.arrive
	async            asyncRole
}

// Compile decodes a kernel of the trace for the machine m, as mechanisms have changed or
// arranged it; base is its address in instruction memory. It fails when the machine lacks
// a unit that the kernel needs.
func Compile(m *arch.Machine, recorded *trace.Kernel, c core.Compilation, base uint64) (*Program, error) {
	switch {
	case c.Rewriting != nil:
		return rewritten(c.Rewriting, recorded, m, base)
	case c.Arrangement != nil:
		return inOrder(c.Arrangement, recorded, m, base)
	case c.Lowering != nil:
		return lowered(c.Lowering, recorded, m, base)
	}
	return newProgram(recorded, m, base, false)
}

// rewritten decodes a kernel of the trace that has been changed since.
func rewritten(r *core.Rewriting, recorded *trace.Kernel, m *arch.Machine, base uint64) (*Program, error) {
	p, err := newProgram(r.Kernel, m, base, true)
	if err != nil {
		return nil, err
	}
	p.recorded, p.origin = recorded, r.Origin
	for i := range p.code {
		p.code[i].assisted = r.Assisted[i]
	}
	return p, nil
}

// lowered decodes a kernel in machine operations.
func lowered(l *core.Lowering, recorded *trace.Kernel, m *arch.Machine, base uint64) (*Program, error) {
	p, err := newProgram(l.Kernel, m, base, true)
	if err != nil {
		return nil, err
	}
	p.recorded, p.origin = recorded, l.Origin
	for i := range p.code {
		p.code[i].guarded = l.Guarded[i]
	}
	return p, nil
}

// newProgram decodes k; only a rewritten or lowered kernel may have empty basic blocks.
func newProgram(k *trace.Kernel, m *arch.Machine, base uint64, empty bool) (*Program, error) {
	p := &Program{kernel: k, recorded: k, Base: base, code: make([]operation, len(k.Instructions))}
	for _, b := range k.Blocks {
		end := uint64(b.First) + uint64(b.Count)
		if b.Count == 0 && !empty || end > uint64(len(k.Instructions)) {
			return nil, fmt.Errorf("kernel %s: basic block %d does not lie within the %d instructions; the trace is damaged", k.Name, len(p.first), len(k.Instructions))
		}
		p.first, p.end = append(p.first, b.First), append(p.end, uint32(end))
	}
	d := newDecoder(k, m, p)
	for i := range k.Instructions {
		if err := d.decode(i); err != nil {
			in := &k.Instructions[i]
			return nil, fmt.Errorf("kernel %s (%s:%d): %s %w", k.Name, k.File, in.Line, in.Opcode, err)
		}
	}
	return p, nil
}

// Kernel has the instructions in the order in which they lie in memory.
func (p *Program) Kernel() *trace.Kernel { return p.kernel }

// Instructions is the number of instructions of the kernel.
func (p *Program) Instructions() int { return len(p.code) }

// Recorded is the number of instructions of the kernel as it was recorded, to which
// counts and profiles charge.
func (p *Program) Recorded() int { return len(p.recorded.Instructions) }

// Original is the number in the trace of the instruction at a place.
func (p *Program) Original(place uint32) uint32 {
	switch {
	case p.origin != nil:
		return p.origin[place]
	case p.arranged != nil:
		return p.arranged.original[place]
	}
	return place
}

// originals gives Original by place, nil when each instruction is its own.
func (p *Program) originals() []uint32 {
	if p.origin == nil && p.arranged != nil {
		return p.arranged.original
	}
	return p.origin
}
