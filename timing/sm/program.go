package sm

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
)

// Program is a kernel decoded for one machine: one flat record per instruction.
// It is immutable and shared by all SMs of the machine.
type Program struct {
	Kernel *trace.Kernel
	// Base is the address of the first instruction in instruction memory.
	Base uint64

	code []operation
	// sets holds the register sets that operations refer to: bits of the
	// scoreboard, word by word, general registers first, then predicates.
	sets  []registerWord
	first []uint32 // per basic block: its first instruction
	end   []uint32 // per basic block: the instruction after its last
	words int      // scoreboard words per warp
	// mostConflicts is the largest of all operations' conflicts.
	mostConflicts int
}

// registerWord is a part of a register set.
type registerWord struct {
	word uint32
	mask uint64
}

// kind says how an operation executes.
type kind uint8

const (
	kindExecute kind = iota
	kindLoad         // load, texture, atomic: something comes back
	kindStore
	kindBarrier
	kindFence
	kindControl
)

// operation is the decoded form of one instruction.
type operation struct {
	// hazard is what must not be pending at issue: the registers read (RAW) and
	// written (WAW); written is what becomes pending. Ranges of Program.sets.
	hazard, written setRange
	// startCycles pass from issue to the start of execution, resultCycles from
	// issue to write-back; intervalCycles from start to start in one unit.
	startCycles, resultCycles, intervalCycles int32

	// reads and writes count 32-bit registers, conflicts the extra cycles of
	// operand read.
	reads, writes, conflicts uint16

	barrierThreads uint32 // zero: all of the thread block
	barrierID      uint8
	barrierArrives bool // arrives without waiting

	unit      Unit
	kind      kind
	class     trace.OpClass
	space     trace.Space
	laneBytes uint8
	guarded   bool
	bypass    bool
}

type setRange struct{ from, to uint32 }

// NewProgram decodes k for the machine m; base is its address in instruction
// memory. It fails when the machine lacks a unit that the kernel needs.
func NewProgram(k *trace.Kernel, m *arch.Machine, base uint64) (*Program, error) {
	p := &Program{Kernel: k, Base: base, code: make([]operation, len(k.Instructions))}
	for _, b := range k.Blocks {
		end := uint64(b.First) + uint64(b.Count)
		if b.Count == 0 || end > uint64(len(k.Instructions)) {
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

// Instructions is the number of instructions of the kernel.
func (p *Program) Instructions() int { return len(p.code) }

// decoder carries what decoding all instructions of a kernel shares.
type decoder struct {
	kernel     *trace.Kernel
	machine    *arch.Machine
	program    *Program
	units      [unitCount]int
	predicates int // number of the first predicate bit in the scoreboard
	bits       []uint64
	registers  []trace.Register
}

func newDecoder(k *trace.Kernel, m *arch.Machine, p *Program) *decoder {
	d := &decoder{kernel: k, machine: m, program: p, units: unitCounts(&m.SM.Units)}
	var general, predicate int
	for i := range k.Instructions {
		d.registers = k.Instructions[i].Writes(k.Instructions[i].Reads(d.registers[:0]))
		for _, r := range d.registers {
			n := int(r.Number) + max(int(r.Words), 1)
			if r.File == trace.FilePredicate {
				predicate = max(predicate, n)
			} else {
				general = max(general, n)
			}
		}
	}
	d.predicates = general
	p.words = max((general+predicate+63)/64, 1)
	d.bits = make([]uint64, p.words)
	return d
}

func (d *decoder) decode(i int) error {
	in := &d.kernel.Instructions[i]
	if int(in.Class) >= trace.ClassCount {
		return fmt.Errorf("has the unknown operation class %d; the trace is damaged or from a newer version", in.Class)
	}
	unit, err := unitFor(in.Class, &d.units)
	if err != nil {
		return err
	}
	op := &d.program.code[i]
	*op = operation{
		unit: unit, kind: kindOf(in.Class), class: in.Class,
		space: in.Space, laneBytes: in.LaneBytes, guarded: in.Guarded(),
		bypass: slices.Contains(in.Modifiers, "cg") || slices.Contains(in.Modifiers, "cv") || slices.Contains(in.Modifiers, "volatile"),
	}
	d.operands(op, in)
	d.timing(op, in.Class)
	if op.kind == kindBarrier {
		decodeBarrier(op, in)
	}
	return nil
}

func kindOf(c trace.OpClass) kind {
	switch c {
	case trace.ClassLoad, trace.ClassTexture, trace.ClassAtomic:
		return kindLoad
	case trace.ClassStore:
		return kindStore
	case trace.ClassBarrier:
		return kindBarrier
	case trace.ClassFence:
		return kindFence
	case trace.ClassBranch, trace.ClassCall, trace.ClassExit, trace.ClassNop, trace.ClassInvalid:
		return kindControl
	}
	return kindExecute
}

// timing sets the cycles from issue to start and to write-back.
func (d *decoder) timing(op *operation, class trace.OpClass) {
	if op.kind == kindBarrier || op.kind == kindFence || op.kind == kindControl {
		l := latencyOf(&d.machine.SM.Latencies, class)
		op.resultCycles, op.intervalCycles = int32(l.Cycles), int32(l.Interval)
		return
	}
	op.startCycles = int32(d.machine.SM.OperandReadCycles) + int32(op.conflicts)
	op.intervalCycles = 1
	if op.unit != UnitLDST {
		l := latencyOf(&d.machine.SM.Latencies, class)
		op.resultCycles, op.intervalCycles = op.startCycles+int32(l.Cycles), int32(l.Interval)
	}
}

// operands sets the register sets, the register counts and the bank conflicts.
func (d *decoder) operands(op *operation, in *trace.Instruction) {
	d.registers = in.Writes(d.registers[:0])
	for _, r := range d.registers {
		d.mark(r)
		op.writes += words(r)
	}
	op.written = d.flush()
	reads := len(d.registers)
	d.registers = in.Reads(d.registers)
	op.conflicts = uint16(min(bankConflicts(d.registers[reads:], d.machine.SM.RegisterBanks), maxConflicts))
	d.program.mostConflicts = max(d.program.mostConflicts, int(op.conflicts))
	for _, r := range d.registers[reads:] {
		op.reads += words(r)
	}
	for _, r := range d.registers {
		d.mark(r)
	}
	op.hazard = d.flush()
}

func words(r trace.Register) uint16 {
	if r.File == trace.FilePredicate {
		return 0
	}
	return uint16(max(r.Words, 1))
}

// mark sets the scoreboard bits of a register.
func (d *decoder) mark(r trace.Register) {
	at := int(r.Number)
	if r.File == trace.FilePredicate {
		at += d.predicates
	}
	for range max(r.Words, 1) {
		d.bits[at/64] |= 1 << (at % 64)
		at++
	}
}

// flush moves the marked bits into the program's sets.
func (d *decoder) flush() setRange {
	r := setRange{from: uint32(len(d.program.sets))}
	for i, b := range d.bits {
		if b != 0 {
			d.program.sets = append(d.program.sets, registerWord{uint32(i), b})
			d.bits[i] = 0
		}
	}
	r.to = uint32(len(d.program.sets))
	return r
}

// bankConflicts is the number of extra cycles in which the registers are read
// when each bank gives one register (of a whole warp) a cycle. Register r of
// warp w is in bank (r+w) mod banks, so that the warp does not matter. The same
// register read twice is read once.
func bankConflicts(registers []trace.Register, banks int) int {
	if banks <= 0 {
		return 0
	}
	load := make(map[int]int)
	seen := make(map[int]bool)
	worst := 0
	for _, r := range registers {
		for n := range int(words(r)) {
			number := int(r.Number) + n
			if seen[number] {
				continue
			}
			seen[number] = true
			load[number%banks]++
			worst = max(worst, load[number%banks])
		}
	}
	return max(worst-1, 0)
}

// decodeBarrier reads the operands of bar and barrier (PTX ISA 9.7.13.1):
// bar.sync a{,b}; bar.arrive a,b; bar.red.op d,a{,b},c. A barrier or count in a
// register is not in the trace: then it is barrier 0, and all warps take part.
// bar.warp.sync only delays its own warp.
func decodeBarrier(op *operation, in *trace.Instruction) {
	if slices.Contains(in.Modifiers, "warp") {
		op.kind = kindControl
		return
	}
	op.barrierArrives = slices.Contains(in.Modifiers, "arrive")
	sources := in.Operands[min(int(in.Destinations), len(in.Operands)):]
	if slices.Contains(in.Modifiers, "red") && len(sources) > 0 {
		sources = sources[:len(sources)-1]
	}
	if len(sources) > 0 && sources[0].Kind == trace.OperandImmediate {
		op.barrierID = uint8(sources[0].Value) % barriersPerBlock
	}
	if len(sources) > 1 && sources[1].Kind == trace.OperandImmediate {
		op.barrierThreads = uint32(sources[1].Value)
	}
}
