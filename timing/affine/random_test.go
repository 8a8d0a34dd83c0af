// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// Registers of random kernels: general ones of 32 bits, then those of 64 bits, then those
// that only loads write, then counters of loops.
const (
	narrowRegisters, wideRegisters, loadedRegisters, predicateRegisters = 8, 3, 2, 4
	firstWide                                                           = narrowRegisters
	firstLoaded                                                         = firstWide + 2*wideRegisters
	firstCounter                                                        = firstLoaded + loadedRegisters
	allRegisters                                                        = firstCounter + 4
)

// maker writes a random structured kernel.
type maker struct {
	rng    *rand.Rand
	k      *trace.Kernel
	nested int
	// iterations are the most of a loop.
	iterations int64
}

func (m *maker) narrow() trace.Operand {
	n := m.rng.IntN(narrowRegisters)
	return reg(fmt.Sprint("r", n), uint16(n), 1)
}

func (m *maker) wide() trace.Operand {
	n := m.rng.IntN(wideRegisters)
	return reg(fmt.Sprint("d", n), uint16(firstWide+2*n), 2)
}

func (m *maker) loaded() trace.Operand {
	n := m.rng.IntN(loadedRegisters)
	return reg(fmt.Sprint("x", n), uint16(firstLoaded+n), 1)
}

func (m *maker) predicate() trace.Operand {
	n := m.rng.IntN(predicateRegisters)
	return trace.Operand{Kind: trace.OperandRegister, Register: predicate(fmt.Sprint("p", n), uint16(n))}
}

func (m *maker) special() trace.Operand {
	names := []string{"tid.x", "tid.x", "tid.x", "tid.y", "tid.z", "ctaid.x", "ctaid.y", "ntid.x", "ntid.y", "nctaid.x"}
	return specialRegister(names[m.rng.IntN(len(names))])
}

// source is an operand of 32 bits.
func (m *maker) source() trace.Operand {
	switch n := m.rng.IntN(20); {
	case n < 10:
		return m.narrow()
	case n < 14:
		return imm(m.rng.Int64N(40) - 8)
	case n < 19 || m.k.Name == "regular":
		return m.special()
	}
	return m.loaded()
}

func (m *maker) add(in trace.Instruction) {
	m.k.Instructions = append(m.k.Instructions, in)
}

// guarded puts a guard before an instruction, seldom.
func (m *maker) guarded(in trace.Instruction) trace.Instruction {
	if m.rng.IntN(6) == 0 {
		in.Guard = trace.Guard{Present: true, Negated: m.rng.IntN(2) == 0, Register: m.predicate().Register}
	}
	return in
}

func (m *maker) pick(names ...string) string { return names[m.rng.IntN(len(names))] }

// compute writes an instruction that computes something.
func (m *maker) compute() {
	sign := m.pick("u32", "s32")
	switch m.rng.IntN(16) {
	case 0, 1, 2:
		m.add(m.guarded(op(m.pick("add", "sub", "mul.lo"), sign, trace.ClassIntAdd, m.narrow(), m.source(), m.source())))
	case 3:
		m.add(m.guarded(op("mov", "u32", trace.ClassMove, m.narrow(), m.source())))
	case 4:
		m.add(m.guarded(op("mad.lo", sign, trace.ClassIntMad, m.narrow(), m.source(), imm(m.rng.Int64N(9)), m.source())))
	case 5:
		m.add(op("shl", "b32", trace.ClassIntAdd, m.narrow(), m.source(), imm(m.rng.Int64N(5))))
	case 6:
		m.add(op(m.pick("and", "or", "xor"), "b32", trace.ClassIntAdd, m.narrow(), m.source(), imm(m.rng.Int64N(8))))
	case 7:
		m.add(op(m.pick("neg", "abs"), "s32", trace.ClassIntAdd, m.narrow(), m.source()))
	case 8:
		m.add(op(m.pick("min", "max"), sign, trace.ClassIntAdd, m.narrow(), m.source(), m.source()))
	case 9:
		m.add(op(m.pick("rem", "div"), sign, trace.ClassIntAdd, m.narrow(), m.source(), imm(1+m.rng.Int64N(9))))
	case 10:
		p := m.predicate()
		p.Negated = m.rng.IntN(2) == 0
		m.add(op("selp", sign, trace.ClassIntAdd, m.narrow(), m.source(), m.source(), p))
	case 11:
		if m.rng.IntN(2) == 0 {
			m.add(op("not", "b32", trace.ClassIntAdd, m.narrow(), m.source()))
		} else {
			m.add(op("shr", sign, trace.ClassIntAdd, m.narrow(), m.source(), imm(m.rng.Int64N(5))))
		}
	case 12:
		switch m.rng.IntN(5) {
		case 4:
			name := "cvta." + m.pick("", "to.") + m.pick("shared", "local", "const", "param", "global")
			m.add(op(name, "u64", trace.ClassConvert, m.wide(), m.wide()))
		case 0:
			in := op("cvt", "u64", trace.ClassConvert, m.wide(), m.narrow())
			in.Types = append(in.Types, "u32")
			m.add(in)
		case 1:
			in := op("cvt", "s64", trace.ClassConvert, m.wide(), m.narrow())
			in.Types = append(in.Types, "s32")
			m.add(in)
		case 2:
			in := op("cvt", "u32", trace.ClassConvert, m.narrow(), m.wide())
			in.Types = append(in.Types, "u64")
			m.add(in)
		default:
			m.add(m.guarded(op(m.pick("add", "sub"), "s64", trace.ClassIntAdd, m.wide(), m.wide(), m.wide())))
		}
	case 13:
		if m.rng.IntN(2) == 0 {
			m.add(op("mul.wide", sign, trace.ClassIntMul, m.wide(), m.source(), imm(m.rng.Int64N(9))))
		} else {
			m.add(op("mad.wide", sign, trace.ClassIntMad, m.wide(), m.source(), imm(m.rng.Int64N(9)), m.wide()))
		}
	case 14:
		p, q := m.predicate(), m.predicate()
		q.Negated = m.rng.IntN(3) == 0
		if m.rng.IntN(3) == 0 {
			m.add(op("not", "pred", trace.ClassPredicate, p, q))
		} else {
			m.add(op(m.pick("and", "or", "xor"), "pred", trace.ClassPredicate, p, q, m.predicate()))
		}
	case 15:
		m.compare(m.predicate())
	}
}

func (m *maker) compare(to trace.Operand) {
	a, b, types := m.source(), imm(m.rng.Int64N(40)-4), []string{"u32", "s32"}
	if m.rng.IntN(6) == 0 {
		a, b, types = m.widened(), imm(m.rng.Int64N(1<<18)-4), []string{"u64", "s64"}
	}
	if m.rng.IntN(3) == 0 {
		a, b = b, a
	}
	m.add(m.guarded(op("setp."+m.pick("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"), m.pick(types...), trace.ClassIntAdd, to, a, b)))
}

// widened makes a wide register of a thread's number that is moved, perhaps below zero, where an
// unsigned product is another one than the tuple's.
func (m *maker) widened() trace.Operand {
	number, to := m.narrow(), m.wide()
	m.add(op(m.pick("add", "sub"), "u32", trace.ClassIntAdd, number, m.special(), imm(m.rng.Int64N(20))))
	if m.rng.IntN(2) == 0 {
		m.add(op("mad.wide", m.pick("u32", "s32"), trace.ClassIntMad, to, number, imm(4), m.wide()))
	} else {
		m.add(op("mul.wide", m.pick("u32", "s32"), trace.ClassIntMul, to, number, imm(4)))
	}
	return to
}

// access writes a load or a store.
func (m *maker) access() {
	address := m.narrow()
	switch m.rng.IntN(3) {
	case 0:
		address = m.wide()
	case 1:
		address = m.widened()
	}
	o := at(address)
	o.Value = m.rng.Int64N(64)
	switch m.rng.IntN(6) {
	case 0, 1, 2:
		in := m.guarded(op("ld.global", "u32", trace.ClassLoad, m.loaded(), o))
		in.Space, in.LaneBytes = trace.SpaceGlobal, 4
		m.add(in)
		return
	case 3:
		in := m.guarded(op("ld", "u32", trace.ClassLoad, m.loaded(), o))
		in.Space, in.LaneBytes = trace.SpaceGeneric, 4
		m.add(in)
		return
	}
	in := m.guarded(op("st.global", "u32", trace.ClassStore, o, m.narrow()))
	in.Space, in.LaneBytes, in.Destinations = trace.SpaceGlobal, 4, 0
	m.add(in)
}

// begin starts a block and returns its number. The one before falls through into it.
func (m *maker) begin() uint32 {
	n := uint32(len(m.k.Blocks))
	m.k.Blocks = append(m.k.Blocks, trace.BasicBlock{First: uint32(len(m.k.Instructions)), PostDominator: trace.NoBlock})
	return n
}

// end closes a block; it goes to its successors.
func (m *maker) end(b, postDominator uint32, successors ...uint32) {
	block := &m.k.Blocks[b]
	block.Successors, block.PostDominator = successors, postDominator
}

func branch(p trace.Operand, negated bool, target uint32) trace.Instruction {
	in := trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Operands: []trace.Operand{{Kind: trace.OperandBlock, Value: int64(target)}}}
	if p.Kind == trace.OperandRegister {
		in.Guard = trace.Guard{Present: true, Negated: negated, Register: p.Register}
	}
	return in
}

// statements writes statements from block b on and returns the block in which they end.
func (m *maker) statements(b uint32, n int) uint32 {
	for range n {
		switch x := m.rng.IntN(12); {
		case x < 7 || m.nested == 3:
			m.compute()
		case x < 9:
			m.access()
		case x < 11:
			b = m.choice(b)
		default:
			b = m.loop(b)
		}
		if m.nested == 0 && m.rng.IntN(12) == 0 {
			m.add(trace.Instruction{Opcode: "bar", Modifiers: []string{m.pick("sync", "sync", "arrive")}, Class: trace.ClassBarrier, Operands: []trace.Operand{imm(0)}})
			next := m.begin() // a barrier ends a block
			m.end(b, next, next)
			b = next
		}
	}
	return b
}

// choice writes an if, with an else or without one.
func (m *maker) choice(b uint32) uint32 {
	m.nested++
	defer func() { m.nested-- }()
	p := m.predicate()
	m.compare(p)
	at := len(m.k.Instructions)
	m.add(branch(p, m.rng.IntN(2) == 0, 0))
	then := m.begin()
	last := m.statements(then, 1+m.rng.IntN(4))
	target, ends := uint32(0), []uint32{last}
	if m.rng.IntN(2) == 0 {
		over := len(m.k.Instructions)
		m.add(branch(trace.Operand{}, false, 0))
		target = m.begin()
		otherwise := m.statements(target, 1+m.rng.IntN(4))
		ends = append(ends, otherwise)
		defer func() { m.k.Instructions[over].Operands[0].Value = int64(m.k.Blocks[last].PostDominator) }()
	}
	join := m.begin()
	if target == 0 {
		target = join
	}
	for _, e := range ends {
		m.end(e, join, join)
	}
	m.k.Instructions[at].Operands[0].Value = int64(target)
	m.end(b, join, target, then)
	m.compute()
	return join
}

// loop writes a loop of a few iterations, as many in all threads or not.
func (m *maker) loop(b uint32) uint32 {
	counter := reg(fmt.Sprint("i", m.nested), uint16(firstCounter+m.nested), 1)
	m.nested++
	defer func() { m.nested-- }()
	m.add(op("mov", "u32", trace.ClassMove, counter, imm(0)))
	limit := imm(1 + m.rng.Int64N(3))
	if m.rng.IntN(2) == 0 {
		limit = m.narrow()
		m.add(op("and", "b32", trace.ClassIntAdd, limit, m.source(), imm(m.iterations-1)))
	}
	head := m.begin()
	m.end(b, head, head)
	last := m.statements(head, 1+m.rng.IntN(4))
	p := m.predicate()
	m.add(op("add", "u32", trace.ClassIntAdd, counter, counter, imm(1)))
	m.add(op("setp.lt", "u32", trace.ClassIntAdd, p, counter, limit))
	// There are not more iterations, whatever has become of the limit.
	m.add(op("setp.lt", "u32", trace.ClassIntAdd, trace.Operand{Kind: trace.OperandRegister, Register: predicate("few", predicateRegisters)}, counter, imm(m.iterations)))
	m.add(op("and", "pred", trace.ClassPredicate, p, p, trace.Operand{Kind: trace.OperandRegister, Register: predicate("few", predicateRegisters)}))
	m.add(branch(p, false, head))
	exit := m.begin()
	m.end(last, exit, head, exit)
	m.compute()
	return exit
}

// randomKernel gives a valid kernel.
func randomKernel(rng *rand.Rand) *trace.Kernel {
	m := &maker{rng: rng, iterations: 4 + 4*rng.Int64N(2), k: &trace.Kernel{Name: "random", RegistersPerThread: allRegisters, Params: []trace.Param{{Name: "A", Bytes: 4}, {Name: "n", Offset: 4, Bytes: 4}}}}
	if rng.IntN(2) == 0 {
		m.k.Name = "regular" // loaded data decide nothing
	}
	b := m.begin()
	for n := range narrowRegisters {
		to := reg(fmt.Sprint("r", n), uint16(n), 1)
		if n < 2 {
			in := op("ld.param", "u32", trace.ClassLoad, to, param(m.k.Params[n].Name))
			in.Space, in.LaneBytes = trace.SpaceParam, 4
			m.add(in)
			continue
		}
		m.add(op("mov", "u32", trace.ClassMove, to, m.special()))
	}
	for n := range wideRegisters {
		m.add(op("mul.wide", "u32", trace.ClassIntMul, reg(fmt.Sprint("d", n), uint16(firstWide+2*n), 2), m.narrow(), imm(4)))
	}
	for n := range predicateRegisters {
		m.compare(trace.Operand{Kind: trace.OperandRegister, Register: predicate(fmt.Sprint("p", n), uint16(n))})
		m.k.Instructions[len(m.k.Instructions)-1].Guard = trace.Guard{}
	}
	for n := range loadedRegisters { // each register has been written before it is read
		m.add(op("mov", "u32", trace.ClassMove, reg(fmt.Sprint("x", n), uint16(firstLoaded+n), 1), imm(0)))
	}
	last := m.statements(b, 6+rng.IntN(10))
	if rng.IntN(4) == 0 { // some threads leave early
		m.add(trace.Instruction{Opcode: "ret", Class: trace.ClassExit, Guard: trace.Guard{Present: true, Register: m.predicate().Register}})
		next := m.begin()
		m.end(last, next, next)
		last = m.statements(next, 4)
	}
	m.access()
	m.add(trace.Instruction{Opcode: "ret", Class: trace.ClassExit})
	m.end(last, trace.NoBlock)
	for i := range m.k.Blocks {
		end := uint32(len(m.k.Instructions))
		if i+1 < len(m.k.Blocks) {
			end = m.k.Blocks[i+1].First
		}
		m.k.Blocks[i].Count = end - m.k.Blocks[i].First
	}
	for i := range m.k.Instructions {
		m.k.Instructions[i].Line = uint32(i + 1)
	}
	return m.k
}

// slowWarp executes a kernel thread by thread and records what it does.
type slowWarp struct {
	k         *trace.Kernel
	w         *wtape.Writer
	warp      int
	launch    *trace.Launch
	block     [3]uint32
	values    [trace.WarpSize][allRegisters]uint32
	bits      [predicateRegisters + 1]uint32
	alive     uint32
	predicate map[uint32][]uint32 // what each instruction gave, in order, of the visiting threads
	counts    map[uint32]uint64   // executions of each instruction
	requests  map[uint32]uint64   // of a generic load: those of global or local memory
	early     map[uint32]uint64   // those of global memory alone
	waited    uint32              // barriers
	barriers  map[uint32][]uint32 // of each instruction with a queue: barriers before it
	plans     []*Plan
	split     []splitWarp
	t         *testing.T
}

// splitWarp has, of either stream of a plan, the registers that it has not computed.
type splitWarp struct{ affine, rest missing }

type missing struct {
	values [trace.WarpSize][allRegisters]bool
	bits   [predicateRegisters + 1]uint32
}

// find fails where a stream reads what only the other one computes.
func (m *missing) find(t *testing.T, stream string, in *trace.Instruction, r trace.Register, mask uint32) {
	t.Helper()
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if r.File == trace.FilePredicate && m.bits[r.Number]>>lane&1 != 0 || r.File != trace.FilePredicate && m.values[lane][r.Number] {
			t.Fatalf("line %d (%s) of the %s stream reads %s of lane %d, which the other one computes", in.Line, in.Name(), stream, r.Virtual, lane)
		}
	}
}

// write notes whether a stream computes a register.
func (m *missing) write(r trace.Register, mask uint32, computes bool) {
	if r.File == trace.FilePredicate {
		if m.bits[r.Number] &^= mask; !computes {
			m.bits[r.Number] |= mask
		}
		return
	}
	for rest := mask; rest != 0; rest &= rest - 1 {
		m.values[bits.TrailingZeros32(rest)][r.Number] = !computes
	}
}

func (s *slowWarp) thread(lane int) [3]uint32 {
	t := uint32(s.warp*trace.WarpSize + lane)
	x, y := s.launch.Block.X, s.launch.Block.Y
	return [3]uint32{t % x, t / x % y, t / x / y}
}

func (s *slowWarp) special(name string, lane int) uint32 {
	tid, l := s.thread(lane), s.launch
	return map[string]uint32{
		"tid.x": tid[0], "tid.y": tid[1], "tid.z": tid[2], "ctaid.x": s.block[0], "ctaid.y": s.block[1], "ctaid.z": s.block[2],
		"ntid.x": l.Block.X, "ntid.y": l.Block.Y, "ntid.z": l.Block.Z, "nctaid.x": l.Grid.X, "nctaid.y": l.Grid.Y, "nctaid.z": l.Grid.Z,
	}[name]
}

func (s *slowWarp) read(o *trace.Operand, lane int) uint64 {
	switch o.Kind {
	case trace.OperandRegister, trace.OperandAddress:
		if o.Register.File == trace.FilePredicate {
			v := s.bits[o.Register.Number]>>lane&1 != 0
			return uint64(boolean(v != o.Negated))
		}
		v := uint64(s.values[lane][o.Register.Number])
		if o.Register.Words == 2 {
			v |= uint64(s.values[lane][o.Register.Number+1]) << 32
		}
		return v
	case trace.OperandImmediate:
		return uint64(o.Value)
	}
	return uint64(s.special(o.Symbol, lane))
}

// result is what an instruction computes for a thread, as the PTX ISA has it.
func (s *slowWarp) result(in *trace.Instruction, lane int) uint64 {
	var v [3]uint64
	for k := 1; k < len(in.Operands); k++ {
		v[k-1] = s.read(&in.Operands[k], lane)
	}
	a, b := uint32(v[0]), uint32(v[1])
	sa, sb := int32(a), int32(b)
	typ := in.Types[0]
	signed := typ[0] == 's'
	choose := func(first bool) uint64 { return map[bool]uint64{true: v[0], false: v[1]}[first] }
	less, unsigned, same := a < b, a < b, a == b
	if signed {
		less = sa < sb
	}
	if in.Opcode == "setp" && typ[1:] == "64" {
		unsigned, same = v[0] < v[1], v[0] == v[1]
		if less = unsigned; signed {
			less = int64(v[0]) < int64(v[1])
		}
	}
	wide := func(x uint64) uint64 {
		if signed {
			return uint64(int64(int32(x)))
		}
		return uint64(uint32(x))
	}
	switch {
	case in.Opcode == "ld" && in.Space == trace.SpaceParam:
		return uint64(binary.LittleEndian.Uint32(s.launch.Arguments[4*boolean(in.Operands[1].Symbol == "n"):]))
	case in.Opcode == "ld":
		return (v[0] + uint64(in.Operands[1].Value)) * 0x9e3779b97f4a7c15 >> 40 & 31
	case in.Opcode == "setp":
		return uint64(boolean(map[string]bool{"eq": same, "ne": !same, "lt": less, "le": less || same, "gt": !less && !same, "ge": !less,
			"lo": unsigned, "ls": unsigned || same, "hi": !unsigned && !same, "hs": !unsigned}[in.Modifiers[0]]))
	case typ == "pred" && in.Opcode == "not":
		return v[0] ^ 1
	case in.Opcode == "cvta":
		window := map[string]uint64{"shared": trace.SharedWindowBase, "local": trace.LocalWindowBase, "const": trace.ConstWindowBase, "param": trace.ParamWindowBase}
		to := in.Modifiers[len(in.Modifiers)-1]
		if len(in.Modifiers) == 2 {
			return v[0] - window[to]
		}
		return v[0] + window[to]
	case in.Opcode == "cvt" && typ == "u32":
		return v[0]
	case in.Opcode == "cvt":
		return wide(v[0])
	case slices.Contains(in.Modifiers, "wide"):
		return wide(v[0])*wide(v[1]) + v[2]
	}
	switch in.Opcode {
	case "mov":
		return v[0]
	case "add":
		return v[0] + v[1]
	case "sub":
		return v[0] - v[1]
	case "mul", "mad":
		return v[0]*v[1] + v[2]
	case "shl":
		return v[0] << v[1]
	case "shr":
		if signed {
			return uint64(sa >> v[1])
		}
		return uint64(a >> v[1])
	case "and":
		return v[0] & v[1]
	case "or":
		return v[0] | v[1]
	case "xor":
		return v[0] ^ v[1]
	case "not":
		return ^v[0]
	case "neg":
		return -v[0]
	case "abs":
		return uint64(max(sa, -sa))
	case "min":
		return choose(less)
	case "max":
		return choose(!less)
	case "selp":
		return choose(v[2] != 0)
	case "rem":
		if signed {
			return uint64(sa % sb)
		}
		return uint64(a % b)
	case "div":
		if signed {
			return uint64(sa / sb)
		}
		return uint64(a / b)
	}
	s.t.Fatalf("the slow machine has no %s", in.Opcode)
	return 0
}

// run executes from a block on until another one. A side that falls through goes first.
func (s *slowWarp) run(block uint32, mask uint32, until uint32) {
	for block != until {
		if mask &= s.alive; mask == 0 {
			return
		}
		s.w.Visit(s.warp, block, mask)
		b := &s.k.Blocks[block]
		for i := b.First; i < b.First+b.Count; i++ {
			s.step(i, mask)
		}
		last := &s.k.Instructions[b.First+b.Count-1]
		taken := mask
		if last.Guard.Present {
			taken = s.guard(last) & mask
		}
		switch {
		case last.Class == trace.ClassExit:
			if s.alive &^= taken; len(b.Successors) == 0 {
				return
			}
			block = b.Successors[0]
			continue
		case len(b.Successors) == 1:
			block = b.Successors[0]
			continue
		}
		other := mask &^ taken
		switch {
		case other == 0:
			block = b.Successors[0]
		case taken == 0:
			block = b.Successors[1]
		default:
			s.run(b.Successors[1], other, b.PostDominator)
			s.run(b.Successors[0], taken, b.PostDominator)
			block = b.PostDominator
		}
	}
}

func (s *slowWarp) guard(in *trace.Instruction) uint32 {
	m := s.bits[in.Guard.Register.Number]
	if in.Guard.Negated {
		m = ^m
	}
	return m
}

// step executes an instruction.
func (s *slowWarp) step(i uint32, visiting uint32) {
	in := &s.k.Instructions[i]
	mask := visiting
	s.counts[i]++
	if in.Guard.Present {
		mask &= s.guard(in)
	}
	for n := range s.plans {
		s.follow(n, i, in, visiting, mask)
	}
	if in.Guarded() {
		s.w.Guard(s.warp, mask)
	}
	if in.HasAccess() {
		var addresses [trace.WarpSize]uint64
		for rest := mask; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			if o := &in.Operands[len(in.Operands)-1-int(boolean(in.Destinations == 0))]; o.HasBase {
				addresses[lane] = s.read(o, lane) + uint64(o.Value)
			}
		}
		s.w.Access(s.warp, mask, &addresses)
		if in.Space == trace.SpaceGeneric && mask != 0 {
			first, _ := trace.ResolveGeneric(addresses[bits.TrailingZeros32(mask)])
			global := true
			for rest := mask; rest != 0; rest &= rest - 1 {
				space, _ := trace.ResolveGeneric(addresses[bits.TrailingZeros32(rest)])
				global = global && space == trace.SpaceGlobal
			}
			s.requests[i] += uint64(boolean(first == trace.SpaceGlobal || first == trace.SpaceLocal))
			s.early[i] += uint64(boolean(global))
		}
	}
	s.barriers[i] = append(s.barriers[i], s.waited)
	if in.Class == trace.ClassBarrier && in.Modifiers[0] == "sync" {
		s.waited++
	}
	if in.Destinations == 0 {
		return
	}
	to := in.Operands[0].Register
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		v := s.result(in, lane)
		switch {
		case to.File == trace.FilePredicate:
			s.bits[to.Number] = s.bits[to.Number]&^(1<<lane) | uint32(v&1)<<lane
		default:
			s.values[lane][to.Number] = uint32(v)
			if to.Words == 2 {
				s.values[lane][to.Number+1] = uint32(v >> 32)
			}
		}
	}
	if to.File == trace.FilePredicate {
		s.predicate[i] = append(s.predicate[i], s.bits[to.Number]&visiting)
	}
}

// follow has both streams of a plan execute what they have of an instruction.
func (s *slowWarp) follow(n int, i uint32, in *trace.Instruction, visiting, mask uint32) {
	f, split := &s.plans[n].Fates[i], &s.split[n]
	if f.Predicate != 0 { // it dequeues the predicate, which is nowhere else
		split.rest.bits[s.k.Instructions[f.Predicate-1].Operands[0].Register.Number] &^= visiting
	}
	stays, affine := f.Stays && f.Dequeue != Predicate, f.Affine && !f.Supplied
	if in.Guard.Present {
		if stays {
			split.rest.find(s.t, "non-affine", in, in.Guard.Register, visiting)
		}
		if affine || f.Enqueue == Data || f.Enqueue == Address {
			split.affine.find(s.t, "affine", in, in.Guard.Register, visiting)
		}
	}
	for k := int(in.Destinations); k < len(in.Operands); k++ {
		o := &in.Operands[k]
		address := o.Kind == trace.OperandAddress && o.HasBase
		if stays && (o.Kind == trace.OperandRegister || address && f.Dequeue == NoQueue) {
			split.rest.find(s.t, "non-affine", in, o.Register, mask)
		}
		if affine && o.Kind == trace.OperandRegister || address && f.Dequeue != NoQueue {
			split.affine.find(s.t, "affine", in, o.Register, mask)
		}
	}
	if in.Destinations > 0 {
		split.rest.write(in.Operands[0].Register, mask, f.Stays)
		split.affine.write(in.Operands[0].Register, mask, f.Affine)
	}
}

// recordSlowly executes a launch thread by thread, and gives its trace and its warps by block and number.
func recordSlowly(t *testing.T, k *trace.Kernel, plans []*Plan, grid, block trace.Dim3, rng *rand.Rand) (*wtape.Reader, map[[2]int]*slowWarp) {
	t.Helper()
	launch := trace.Launch{Grid: grid, Block: block, Arguments: binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 4096*rng.Uint32N(16)), rng.Uint32N(60)-12)}
	warps := map[[2]int]*slowWarp{}
	r := runLaunch(t, k, launch, func(w *wtape.Writer, b int) {
		for warp := range launch.Warps() {
			s := &slowWarp{k: k, w: w, warp: warp, launch: &launch, plans: plans, split: make([]splitWarp, len(plans)), t: t, predicate: map[uint32][]uint32{},
				counts: map[uint32]uint64{}, requests: map[uint32]uint64{}, early: map[uint32]uint64{}, barriers: map[uint32][]uint32{}}
			s.block = [3]uint32{uint32(b) % grid.X, uint32(b) / grid.X % grid.Y, uint32(b) / grid.X / grid.Y}
			s.alive = uint32(uint64(1)<<min(trace.WarpSize, int(block.Count())-warp*trace.WarpSize) - 1)
			warps[[2]int{b, warp}] = s
			s.run(0, s.alive, trace.NoBlock)
		}
	})
	return r, warps
}

// A machine that executes random kernels thread by thread knows the addresses and predicates to
// which tuples must expand, and finds what each stream needs in that stream.
func TestStreamsOfRandomKernelsGiveWhatThreadsCompute(t *testing.T) {
	shapes := []trace.Dim3{{X: 32, Y: 1, Z: 1}, {X: 50, Y: 1, Z: 1}, {X: 16, Y: 3, Z: 1}, {X: 8, Y: 2, Z: 3}, {X: 5, Y: 7, Z: 2}, {X: 64, Y: 2, Z: 1}}
	var sum Coverage
	embedded, wrapped, compared := 0, 0, 0
	seeds := uint64(tracetest.Fewer(100, 300))
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 47))
		k := randomKernel(rng)
		if err := k.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var plans []*Plan
		options := []Options{{}, {DataDependent: LeaveData}, {DataDependent: StopAtData}, {StackDepth: 3}}
		for _, o := range options {
			plans = append(plans, CompileWith(k, o))
		}
		r, warps := recordSlowly(t, k, plans, trace.Dim3{X: 2, Y: 2 + 12*uint32(boolean(seed%16 == 0)), Z: 1}, shapes[rng.IntN(len(shapes))], rng)
		for n, o := range options {
			list, err := Measure(r, o)
			if err != nil {
				t.Fatalf("seed %d, %+v: %v\n%s", seed, o, err, printed(plans[n]))
			}
			want := plans[n].Static()
			for _, s := range warps {
				for i, count := range s.counts {
					want.WarpInstructions += count
					want.Removed += count * uint64(boolean(!plans[n].Fates[i].Stays))
					in, early := &k.Instructions[i], plans[n].Fates[i].Enqueue == Data
					switch {
					case in.Class != trace.ClassLoad || in.Space == trace.SpaceParam:
					case early && in.Space == trace.SpaceGeneric:
						want.Loads += s.requests[i]
						want.AffineLoads += s.early[i]
					case early:
						want.Loads += count
						want.AffineLoads += count
					default:
						want.Loads += count
					}
				}
			}
			got := list[0]
			want.Affine, want.Expansions, want.Cases, want.Wrapped = got.Affine, got.Expansions, got.Cases, got.Wrapped
			if got != want {
				t.Fatalf("seed %d, %+v: %+v, the threads' %+v", seed, o, got, want)
			}
			sum.Add(&got)
			for i := range plans[n].Fates {
				embedded += int(boolean(plans[n].Fates[i].EmbeddedIn != 0))
			}
			a, b := comparePredicates(t, r, plans[n], warps, fmt.Sprintf("seed %d, %+v", seed, o))
			compared, wrapped = compared+a, wrapped+b
		}
	}
	t.Logf("%+v; %d predicates are compared, of %d more a value may have wrapped around; %d dequeues are embedded", sum, compared, wrapped, embedded)
	if sum.Expansions[Data] < 20*seeds || sum.Expansions[Address] < 10*seeds || sum.Removed < 100*seeds || sum.Cases[ScalarCase] < 20*seeds || sum.Cases[EndsCase] < 20*seeds || sum.Cases[LanesCase] < 10*seeds ||
		compared < 100*int(seeds) || wrapped < 10 || embedded < 10*int(seeds) || sum.Wrapped*20 > sum.Expansions[Data] {
		t.Errorf("random kernels show too little")
	}
}

func printed(p *Plan) string {
	var b bytes.Buffer
	_ = p.Print(&b)
	return b.String()
}

// comparePredicates compares the bits of expanded predicates with those of the slow machine.
func comparePredicates(t *testing.T, r *wtape.Reader, p *Plan, warps map[[2]int]*slowWarp, what string) (compared, wrapped int) {
	t.Helper()
	if !p.Decoupled() {
		return 0, 0
	}
	e, err := NewEvaluator(p, &r.Launches()[0])
	if err != nil {
		t.Fatal(err)
	}
	chunk := wtape.NewChunk()
	first, end := r.LaunchChunks(0)
	for c := first; c < end; c++ {
		if err := r.ReadChunk(c, chunk); err != nil {
			t.Fatal(err)
		}
		blocks := chunk.Blocks()
		used := map[[2]uint32]int{}
		var v Visit
		for e.Begin(); len(blocks) > 0 || e.Depth() > 0; {
			more := e.Depth() > 0
			if !more {
				e.Begin()
				clear(used)
				for len(blocks) > 0 {
					if _, ok := e.Add(chunk, blocks[0]); !ok {
						break
					}
					blocks = blocks[1:]
				}
				if room := MaxWarps - e.Warps(); len(blocks) > 0 && room >= r.Launches()[0].Warps() {
					t.Fatalf("%s: a batch leaves room for %d warps", what, room)
				}
			}
			if _, err := e.Next(&v); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if v.Tuples > maxTuples {
				t.Fatalf("%s: %d tuples at once", what, v.Tuples)
			}
			for _, q := range v.Enqueues {
				for _, x := range q.Expansions {
					at := &e.warps[x.Warp]
					of := [2]uint32{uint32(x.Warp), q.Instruction}
					slow := warps[[2]int{int(at.block), at.warp}]
					if waited := slow.barriers[q.Instruction][used[of]]; x.Barriers != waited {
						t.Fatalf("%s: line %d of warp %d is behind %d barriers, the thread's %d", what, p.Kernel.Instructions[q.Instruction].Line, at.warp, x.Barriers, waited)
					}
					used[of]++
					if q.Queue != Predicate {
						continue
					}
					want := slow.predicate[q.Instruction][used[of]-1]
					if x.Mask == want {
						compared++
						continue
					}
					if !mayBeWrapped(e, v.Block, q.Instruction) {
						t.Fatalf("%s: line %d gives warp %d of thread block %d %08x, its threads compute %08x\n%s", what, p.Kernel.Instructions[q.Instruction].Line, at.warp, at.block, x.Mask, want, printed(p))
					}
					wrapped++
				}
			}
		}
	}
	return compared, wrapped
}

// mayBeWrapped reports whether a predicate that a block has computed may be wrong. The evaluator knows
// it of the last one that the block gives the register.
func mayBeWrapped(e *Evaluator, block, instruction uint32) bool {
	k := e.plan.Kernel
	to := k.Instructions[instruction].Operands[0].Register.Number
	b := &k.Blocks[block]
	for _, in := range k.Instructions[instruction+1 : b.First+b.Count] {
		if in.Destinations > 0 && in.Operands[0].Register.File == trace.FilePredicate && in.Operands[0].Register.Number == to {
			return true
		}
	}
	return e.predicates[to].wrapped
}
