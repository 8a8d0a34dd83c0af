// SPDX-License-Identifier: Apache-2.0

package threadwise

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
)

// program is a kernel decoded for lanes.
type program struct {
	kernel *trace.Kernel
	plan   *projection.Plan
	base   uint64 // address of the first instruction
	code   []operation
	sets   []scoreboard.Part
	words  int // of the scoreboard, per thread
}

func (p *program) Kernel() *trace.Kernel { return p.kernel }
func (p *program) Instructions() int     { return len(p.code) }
func (p *program) Recorded() int         { return len(p.code) }

// what says how an operation executes.
type what uint8

const (
	executes what = iota
	loads         // something comes back
	stores
	meets // others at a barrier
	fences
	controls
)

// operation is an instruction as a lane executes it.
type operation struct {
	// hazard is what must not be pending at issue, written what becomes pending.
	hazard, written scoreboard.Set
	// reads and writes are the 32-bit registers, by number; predicates are elsewhere.
	reads, writes    []uint16
	result, interval clock.Cycle
	barrier          visit
	on               switching.Trigger
	unit             units.Kind
	what             what
	class            trace.OpClass
	function         trace.SpecialFunction
	space            trace.Space
	laneBytes        uint8
	guarded          bool
	bypass           bool
}

// visit is how a thread comes to a barrier.
type visit struct {
	id uint8
	// expected threads, zero for all of the thread block. loose says that the number of
	// the barrier is not known, apart that threads count by themselves and not by warps.
	// arrivesOnly says that the thread does not wait.
	expected                  uint32
	loose, apart, arrivesOnly bool
	// values says that the accesses have the numbers of the barrier and of its threads.
	values bool
}

// compile decodes a kernel as it was recorded.
func compile(m *arch.Machine, k *trace.Kernel, c core.Compilation, base uint64) (core.Program, error) {
	if c.Rewriting != nil || c.Arrangement != nil {
		return nil, fmt.Errorf("kernel %s: lanes execute kernels as they were recorded; leave the mechanism out that compiles them", k.Name)
	}
	if err := divergence.LanesApart(k); err != nil {
		return nil, err
	}
	p := &program{kernel: k, plan: projection.NewPlan(k), base: base, code: make([]operation, len(k.Instructions))}
	for id, b := range k.Blocks {
		if b.Count == 0 || uint64(b.First)+uint64(b.Count) > uint64(len(k.Instructions)) {
			return nil, fmt.Errorf("kernel %s: basic block %d does not lie within the %d instructions; the trace is damaged", k.Name, id, len(k.Instructions))
		}
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

// decoder carries what decoding all instructions of a kernel shares.
type decoder struct {
	kernel     *trace.Kernel
	machine    *arch.Machine
	program    *program
	units      [units.Kinds]int
	predicates int // number of the first predicate bit in the scoreboard
	row        []uint64
}

func newDecoder(k *trace.Kernel, m *arch.Machine, p *program) *decoder {
	d := &decoder{kernel: k, machine: m, program: p, units: units.Counts(&m.SM.Units)}
	predicates := 0
	for i := range k.Instructions {
		for _, r := range k.Instructions[i].Writes(k.Instructions[i].Reads(nil)) {
			n := int(r.Number) + max(int(r.Words), 1)
			if r.File == trace.FilePredicate {
				predicates = max(predicates, n)
			} else {
				d.predicates = max(d.predicates, n)
			}
		}
	}
	p.words = max((d.predicates+predicates+63)/64, 1)
	d.row = make([]uint64, p.words)
	return d
}

func (d *decoder) decode(i int) error {
	in := &d.kernel.Instructions[i]
	if int(in.Class) >= trace.ClassCount {
		return fmt.Errorf("has the unknown operation class %d; the trace is damaged or from a newer version", in.Class)
	}
	if err := sm.Lacking(&d.machine.SM.Lacks, nil, in); err != nil {
		return err
	}
	unit, err := units.ForInstruction(&d.machine.SM, in, &d.units)
	if err != nil {
		return err
	}
	latency := units.LatencyOfInstruction(&d.machine.SM, in)
	d.program.code[i] = operation{
		unit: unit, on: switching.Of(in), what: whatOf(in), class: in.Class, function: in.SpecialFunction(), space: in.Space, laneBytes: in.LaneBytes, guarded: in.Guarded(),
		bypass: slices.Contains(in.Modifiers, "cg") || slices.Contains(in.Modifiers, "cv") || slices.Contains(in.Modifiers, "volatile"),
		result: clock.Cycle(latency.Cycles), interval: clock.Cycle(latency.Interval),
	}
	op := &d.program.code[i]
	if n := d.units[unit]; unit < units.LDST && n > 1 { // lanes share them evenly
		op.interval = clock.Cycle((latency.Interval + n - 1) / n)
	}
	if op.what == meets {
		op.barrier = visitOf(in)
	}
	d.operands(op, in)
	return nil
}

func whatOf(in *trace.Instruction) what {
	switch in.Class {
	case trace.ClassLoad, trace.ClassTexture, trace.ClassAtomic:
		return loads
	case trace.ClassStore:
		return stores
	case trace.ClassBarrier:
		return meets
	case trace.ClassFence:
		return fences
	case trace.ClassBranch, trace.ClassCall, trace.ClassExit, trace.ClassNop, trace.ClassInvalid:
		return controls
	}
	return executes
}

// operands sets the registers and the sets of the scoreboard.
func (d *decoder) operands(op *operation, in *trace.Instruction) {
	writes, reads := in.Writes(nil), in.Reads(nil)
	op.writes, op.reads = numbers(writes), numbers(reads)
	for _, r := range writes {
		d.mark(r)
	}
	op.written = d.flush()
	for _, r := range slices.Concat(writes, reads) {
		d.mark(r)
	}
	op.hazard = d.flush()
}

// numbers lists the 32-bit registers of operands.
func numbers(registers []trace.Register) (list []uint16) {
	for _, r := range registers {
		if r.File == trace.FilePredicate {
			continue
		}
		for n := range max(r.Words, 1) {
			list = append(list, uint16(r.Number)+uint16(n))
		}
	}
	return list
}

// mark sets the scoreboard bits of a register.
func (d *decoder) mark(r trace.Register) {
	at := int(r.Number)
	if r.File == trace.FilePredicate {
		at += d.predicates
	}
	for range max(r.Words, 1) {
		d.row[at/64] |= 1 << (at % 64)
		at++
	}
}

// flush makes a set of the marked bits.
func (d *decoder) flush() (s scoreboard.Set) {
	s, d.program.sets = scoreboard.Gather(d.row, d.program.sets)
	clear(d.row)
	return s
}

// visitOf reads the operands of bar and barrier (PTX ISA 9.7.13.1). barrier.cluster waits
// for the thread block, which is its cluster, at a barrier that has no number.
func visitOf(in *trace.Instruction) visit {
	if slices.Contains(in.Modifiers, "cluster") {
		return visit{id: barrier.Cluster, apart: true}
	}
	v := visit{arrivesOnly: slices.Contains(in.Modifiers, "arrive"), apart: in.Opcode == "barrier" && !slices.Contains(in.Modifiers, "aligned")}
	if v.values = in.Values; in.Values {
		return v
	}
	number, threads := barrier.Operands(in)
	if number != nil {
		if v.loose = number.Kind != trace.OperandImmediate; !v.loose {
			v.id = uint8(number.Value) % barrier.Named
		}
	}
	if threads != nil && threads.Kind == trace.OperandImmediate {
		v.expected = uint32(threads.Value)
	}
	return v
}

// with is the visit of a thread whose word the trace has.
func (v visit) with(word uint64) visit {
	b := trace.BarrierOf(word)
	v.id, v.expected = uint8(b.Number%barrier.Named), b.Threads
	return v
}
