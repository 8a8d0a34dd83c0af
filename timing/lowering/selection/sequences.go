// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"slices"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// A sequence is what a compiler puts in the place of an instruction that hardware lacks:
// operations that each need the result of the one before, and some of them the sources.
// The last one has the result. Lengths and operations are those that cuobjdump shows of
// public programs for sm_70 and sm_75. A single-precision division is a reciprocal, seven
// multiply-adds and a check for the path of denormal numbers, around which BSSY and BSYNC
// stand. An integer division goes through the reciprocal in single precision.
type sequence struct {
	codes []*ir.Code
	// checked says that a check and a branch over the slow path accompany the chain.
	checked *ir.Code
}

var (
	divideSingle  = sequence{[]*ir.Code{ir.MUFU, ir.FFMA, ir.FFMA, ir.FFMA, ir.FFMA, ir.FFMA, ir.FFMA, ir.FFMA}, ir.FCHK}
	approxSingle  = sequence{[]*ir.Code{ir.MUFU, ir.FMUL}, nil}
	fullSingle    = sequence{[]*ir.Code{ir.FSETP, ir.FMUL, ir.MUFU, ir.FMUL, ir.FMUL}, nil}
	rcpSingle     = sequence{[]*ir.Code{ir.MUFU, ir.FFMA, ir.FFMA}, ir.IADD3}
	sqrtSingle    = sequence{[]*ir.Code{ir.MUFU, ir.FMUL, ir.FMUL, ir.FFMA, ir.FFMA}, ir.IADD3}
	scaledSpecial = sequence{[]*ir.Code{ir.FSETP, ir.FMUL, ir.MUFU, ir.FMUL}, nil}
	angleSpecial  = sequence{[]*ir.Code{ir.FMUL, ir.MUFU}, nil}
	oneSpecial    = sequence{[]*ir.Code{ir.MUFU}, nil}
	tanhSingle    = sequence{[]*ir.Code{ir.MUFU}, nil}

	divideDouble = sequence{[]*ir.Code{ir.MUFU, ir.DFMA, ir.DFMA, ir.DFMA, ir.DFMA, ir.DFMA, ir.DMUL, ir.DFMA, ir.DFMA}, ir.FSETP}
	rcpDouble    = sequence{[]*ir.Code{ir.MUFU, ir.DFMA, ir.DFMA, ir.DFMA, ir.DFMA, ir.DFMA}, ir.IADD3}
	sqrtDouble   = sequence{[]*ir.Code{ir.MUFU, ir.DMUL, ir.DFMA, ir.DFMA, ir.DFMA, ir.DMUL, ir.DFMA, ir.DFMA}, ir.IADD3}

	divideUnsigned = sequence{[]*ir.Code{ir.I2F, ir.MUFU, ir.IADD3, ir.F2I, ir.IADD3, ir.IMAD, ir.IMADHi, ir.IMADHi, ir.IADD3, ir.IMAD, ir.ISETP, ir.IADD3, ir.IADD3, ir.ISETP, ir.IADD3, ir.ISETP, ir.LOP3}, nil}
	divideSigned   = sequence{[]*ir.Code{ir.IABS, ir.I2F, ir.IABS, ir.MUFU, ir.IADD3, ir.F2I, ir.IADD3, ir.IMAD, ir.IMADHi, ir.IMADHi, ir.IADD3, ir.IMAD, ir.ISETP, ir.IADD3, ir.IADD3, ir.ISETP, ir.LOP3, ir.ISETP, ir.IADD3, ir.ISETP, ir.IADD3, ir.LOP3}, nil}
)

// divide64 is the subroutine that divides integers of 64 bits: a reciprocal in single
// precision, two steps of Newton's that make it 64 bits wide, the quotient by it, and two
// corrections by the remainder. A chain of divisions has 420 cycles each on an A100
// (Abdelkhalik et al., arXiv 2208.11174). That figure and the operations are recalled and were not
// looked up. Signed divisions take the same chain: the operations for their signs are left out.
var divide64 = sequence{codes: slices.Concat(
	[]*ir.Code{ir.I2F, ir.MUFU, ir.IADD3, ir.F2I},
	newton64, newton64,
	[]*ir.Code{ir.IMADHi, ir.IMADWide, ir.IMAD, ir.IMADHi, ir.IMADHi, ir.IADD3, ir.IADD3, ir.IADD3},
	[]*ir.Code{ir.IMADWide, ir.IMAD, ir.IADD3, ir.ISETP, ir.IMAD, ir.IADD3, ir.IADD3, ir.ISETP},
	[]*ir.Code{ir.IADD3, ir.IADD3, ir.IADD3, ir.SEL, ir.SEL, ir.SEL, ir.SEL, ir.ISETP, ir.ISETP},
	[]*ir.Code{ir.IADD3, ir.IADD3, ir.SEL, ir.SEL, ir.ISETP, ir.ISETP, ir.SEL, ir.SEL},
)}

// newton64 doubles the bits of a reciprocal of 64 bits.
var newton64 = []*ir.Code{
	ir.IMADWide, ir.IMAD, ir.IADD3, ir.IMAD, ir.IMADHi, ir.IADD3, ir.IMADMov,
	ir.IMADWide, ir.IMAD, ir.IMADHi, ir.IMADHi, ir.IADD3, ir.IADD3, ir.IADD3, ir.IADD3,
}

func selectDivide(s *selector, i int, in *trace.Instruction) {
	s.sequence(i, in, s.divisionOf(in))
}

// divisionOf is the sequence of a division, root or reciprocal.
func (s *selector) divisionOf(in *trace.Instruction) *sequence {
	float, double := kindOf(in, 0) == 'f', wide(in)
	approx := has(in, "approx")
	switch {
	case !float && double:
		return &divide64
	case !float && kindOf(in, 0) == 's':
		return &divideSigned
	case !float:
		return &divideUnsigned
	case in.Opcode == "div" && double:
		return &divideDouble
	case in.Opcode == "div" && approx:
		return &approxSingle
	case in.Opcode == "div" && has(in, "full"):
		return &fullSingle
	case in.Opcode == "div":
		return &divideSingle
	case approx && !double && has(in, "ftz"):
		return &oneSpecial
	case approx && !double:
		return &scaledSpecial
	case in.Opcode == "rcp" && double:
		return &rcpDouble
	case in.Opcode == "rcp":
		return &rcpSingle
	case double:
		return &sqrtDouble
	}
	return &sqrtSingle
}

func selectFunction(s *selector, i int, in *trace.Instruction) {
	switch {
	case wide(in) || bitsOf(in, 0) != 32 || kindOf(in, 0) != 'f':
		s.other(i, in)
	case in.Opcode == "sin" || in.Opcode == "cos":
		s.sequence(i, in, &angleSpecial)
	case in.Opcode == "tanh":
		s.sequence(i, in, &tanhSingle)
	case has(in, "ftz"):
		s.sequence(i, in, &oneSpecial)
	default:
		s.sequence(i, in, &scaledSpecial)
	}
}

// sequence selects a chain of operations.
func (s *selector) sequence(i int, in *trace.Instruction, q *sequence) {
	dst, src := s.dst(in), s.sources(i, in)
	words := s.f.Registers[dst[0]].Words
	var value, flag ir.Operand // of the chain, and of a comparison in it
	n := len(q.codes) - 1
	inputs := func(k int, code *ir.Code) []ir.Operand {
		var uses []ir.Operand
		switch {
		case code != ir.MUFU && code != ir.I2F && code != ir.F2I:
			uses = append(uses, src[k%len(src)])
		case value.Kind == ir.None:
			uses = append(uses, src[len(src)-1]) // the divisor's
		}
		for _, o := range []*ir.Operand{&value, &flag} {
			if o.Kind != ir.None {
				uses = append(uses, *o)
			}
		}
		flag = ir.Operand{}
		return uses
	}
	for k, code := range q.codes[:n] {
		uses := inputs(k, code)
		if code == ir.FSETP || code == ir.ISETP {
			flag = s.step(code, i, trace.FilePredicate, 1, uses...)
		} else {
			value = s.step(code, i, trace.FileGeneral, words, uses...)
		}
	}
	if q.checked == ir.FCHK && s.target.NaN {
		value = s.step(q.codes[n], i, trace.FileGeneral, words, inputs(n, q.codes[n])...)
		s.notNumbers(i, dst, src, value)
		return
	}
	if q.checked != nil {
		s.check(i, q.checked, src)
	}
	uses := append([]ir.Operand(nil), src...)
	uses = append(uses, inputs(n, ir.MUFU)...)
	s.legal(s.emitWide(q.codes[n], i, dst, uses...))
	s.define()
}

// check adds the check for the slow path and the branch over it.
func (s *selector) check(i int, code *ir.Code, src []ir.Operand) {
	p := s.step(code, i, trace.FilePredicate, 1, src...)
	if s.target.Scoped {
		s.add(ir.Op{Code: ir.BSSY, Origin: uint32(i)})
	}
	skip := s.add(ir.Op{Code: ir.SKIP, Origin: uint32(i)})
	skip.Src = []ir.Operand{p}
	if code == ir.FCHK {
		for range calleeRegisters {
			skip.Dst = append(skip.Dst, s.f.NewRegister(trace.FileGeneral, 1))
		}
		s.vars.grow(len(s.f.Registers))
	}
	if s.target.Scoped {
		s.add(ir.Op{Code: ir.BSYNC, Origin: uint32(i)})
	}
}

// calleeRegisters are those that the subroutine of a single-precision division has besides
// what is live around the call. They are both operands, their exponents and significands, the
// quotient and the address to which it returns (as far as cuobjdump's listings are recalled).
const calleeRegisters = 8

// notNumbers adds the subroutine's way for operands with one that is no number, as it is
// recalled from listings for sm_75. Exponents are taken out and compared, both operands
// are compared with infinity, and their sum is the result. The rows of point in polygon
// count four instructions of control a division, and one move that is no IMAD: no lanes
// have to meet inside.
func (s *selector) notNumbers(i int, dst []ir.Register, src []ir.Operand, quotient ir.Operand) {
	general := func(code *ir.Code, uses ...ir.Operand) ir.Operand {
		return s.step(code, i, trace.FileGeneral, 1, uses...)
	}
	predicate := func(code *ir.Code, uses ...ir.Operand) ir.Operand {
		return s.step(code, i, trace.FilePredicate, 1, uses...)
	}
	control := func(code *ir.Code, uses ...ir.Operand) { s.add(ir.Op{Code: code, Origin: uint32(i)}).Src = uses }
	known := func(n int64) ir.Operand { return ir.Operand{Kind: ir.Immediate, Value: n} }
	checked := predicate(ir.FCHK, src...)
	if s.target.Scoped {
		control(ir.BSSY)
	}
	control(ir.SKIP, checked, quotient)
	a, b := general(ir.IMADMov, src[0]), general(ir.IMADMov, src[len(src)-1])
	back, high := general(ir.MOV, known(1)), general(ir.IMADMov, known(0)) // an address has 64 bits
	control(ir.CALL, back, high, a, b)
	x, y := general(ir.SHF, a, known(23)), general(ir.SHF, b, known(23))
	x, y = general(ir.LOP3, x, known(0xff)), general(ir.LOP3, y, known(0xff))
	x, y = general(ir.IADD3, x, known(-1)), general(ir.IADD3, y, known(-1))
	usual := predicate(ir.ISETP, x, known(0xfd))
	usual = predicate(ir.ISETP, y, known(0xfd), usual)
	scale := general(ir.IMADMov, known(0))
	s.block.Ops[len(s.block.Ops)-1].Guard = usual // no lane executes it
	control(ir.SKIP, usual, scale)
	none := predicate(ir.PLOP3, predicate(ir.FSETP, a, known(1)), predicate(ir.FSETP, b, known(1)))
	control(ir.SKIP, none)
	sum := general(ir.FADD, a, b)
	result := general(ir.IMADMov, sum)
	control(ir.RET, back, high)
	if s.target.Scoped {
		control(ir.BSYNC)
	}
	// The subroutine has the operands in registers of its own, and its result takes the
	// place of the quotient: neither lives across the call.
	op := s.emit(ir.IMADMov, i, dst, result, a, b)
	for n := range op.Reads {
		switch r := &op.Reads[n]; r.Operand {
		case src[0]:
			r.Operand = a
		case src[len(src)-1]:
			r.Operand = b
		}
	}
}
