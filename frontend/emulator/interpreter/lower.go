// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"errors"
	"fmt"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// Load lowers a kernel. Instructions that cannot be run are refused with their
// positions.
func (x Interpreter) Load(k *contaminator.Kernel) (coexecution.Program, error) {
	var invariants []int
	if !x.Literal {
		invariants = k.Invariants()
	}
	l, err := newLowering(k, invariants)
	if err != nil {
		return nil, err
	}
	p := &Program{kernel: k, layout: l.layout, operations: make([]operation, len(k.PTX.Body)), localBytes: k.LocalBytes, calls: len(k.Units) > 1 || len(k.PTX.Units) > 0}
	var complaints []error
	first := 0 // of the segment
	for i := range k.PTX.Body {
		in := &k.PTX.Body[i]
		l.enterUnit(i)
		if l.segmentOf(i) != contaminator.Exit {
			first = i
		}
		l.index, l.ahead = i, uint64(i-first)
		op, err := l.instruction(in, isTraced(k, i))
		if err != nil {
			complaints = append(complaints, fmt.Errorf("%s: %s: %w", in.Position, mnemonic(in), err))
			continue
		}
		l.guard(&op, in, i, k)
		op.instruction = i
		p.operations[i] = op
	}
	if len(complaints) > 0 {
		return nil, errors.Join(complaints...)
	}
	if x.Literal {
		p.takeLiterally()
	} else if err := l.schedule(p, invariants); err != nil {
		return nil, err
	}
	p.caches, p.patterns, p.reductions = l.caches, len(l.patterns), l.reductions
	return p, nil
}

// maxLocalBytes is the local memory that a thread can have (CUDA C++
// Programming Guide, technical specifications).
const maxLocalBytes = 512 << 10

func newLowering(k *contaminator.Kernel, invariants []int) (*lowering, error) {
	if k.LocalBytes > maxLocalBytes {
		return nil, fmt.Errorf("%s: kernel %s takes %d bytes of local memory; a thread has at most %d",
			k.PTX.Position, k.PTX.Name, k.LocalBytes, maxLocalBytes)
	}
	starts := make(map[int]int, len(k.Segments))
	for i := len(k.Segments) - 1; i >= 0; i-- {
		starts[k.Segments[i].First] = i
	}
	return &lowering{
		contaminated: k, framed: framedVariables(k), unit: -1,
		kernel: k.PTX, layout: newLayout(k.PTX, invariants), shared: k.SharedOffsets, local: k.LocalOffsets,
		dynamicShared: memory.AlignUp(k.SharedBytes, uint64(max(k.DynamicSharedAlign, 1))),
		segmentOf: func(instruction int) int {
			if s, ok := starts[instruction]; ok && instruction < len(k.PTX.Body) {
				return s
			}
			return contaminator.Exit
		},
	}, nil
}

// mnemonic is the instruction with its suffixes.
func mnemonic(in *ptx.Instruction) string {
	return strings.Join(append([]string{in.Op.String()}, in.Suffixes...), ".")
}

// errUnsupported is what lowering says of a form that it does not know.
var errUnsupported = errors.New("this form of the instruction cannot be executed")

// guard adds the predicate of an instruction to its operation.
func (l *lowering) guard(op *operation, in *ptx.Instruction, index int, k *contaminator.Kernel) {
	if in.Guard.Register == nil {
		return
	}
	op.guarded = true
	op.guard = l.layout.registers[in.Guard.Register.Index]
	if in.Guard.Negated {
		op.guardFlip = lanes.FullMask
	}
	op.traceGuard = k.Static.Instructions[index].Guarded()
}

// instruction lowers one instruction; traced says that the trace has its
// accesses.
func (l *lowering) instruction(in *ptx.Instruction, traced bool) (operation, error) {
	l.clocks, l.frames = l.clocks[:0], l.frames[:0]
	op, err := l.dispatch(in, traced)
	if err != nil || len(l.clocks)+len(l.frames) == 0 {
		return op, err
	}
	return l.refreshed(op), nil
}

// dispatch finds the family of an opcode.
func (l *lowering) dispatch(in *ptx.Instruction, traced bool) (operation, error) {
	if in.Op.VideoWidth() > 0 {
		return l.video(in)
	}
	if op, ok, err := l.withConstant(in); ok {
		return op, err
	}
	switch in.Op {
	case ptx.OpAdd, ptx.OpSub, ptx.OpMul, ptx.OpMad, ptx.OpFma, ptx.OpDiv, ptx.OpRem, ptx.OpAbs, ptx.OpNeg,
		ptx.OpMin, ptx.OpMax, ptx.OpRcp, ptx.OpSqrt, ptx.OpRsqrt, ptx.OpSin, ptx.OpCos, ptx.OpLg2, ptx.OpEx2,
		ptx.OpTanh, ptx.OpCopysign:
		return l.arithmetic(in)
	case ptx.OpDp2a, ptx.OpFns, ptx.OpSzext, ptx.OpBmsk:
		return l.fieldwise(in)
	case ptx.OpMul24, ptx.OpMad24, ptx.OpSad, ptx.OpPopc, ptx.OpClz, ptx.OpBfind, ptx.OpBrev, ptx.OpBfe, ptx.OpDp4a, ptx.OpCnot, ptx.OpPrmt, ptx.OpLop3, ptx.OpShf:
		return l.bitwise(in)
	case ptx.OpAddc, ptx.OpSubc, ptx.OpMadc:
		return l.carryChain(in)
	case ptx.OpBfi, ptx.OpSlct, ptx.OpSelp, ptx.OpTestp, ptx.OpSet, ptx.OpSetp:
		return l.selection(in)
	case ptx.OpAnd, ptx.OpOr, ptx.OpXor, ptx.OpNot, ptx.OpShl, ptx.OpShr:
		return l.logic(in)
	case ptx.OpMov:
		return l.move(in)
	case ptx.OpCvt:
		return l.conversion(in)
	case ptx.OpCvta, ptx.OpIsspacep:
		return l.address(in)
	case ptx.OpShfl, ptx.OpVote, ptx.OpMatch, ptx.OpActivemask, ptx.OpRedux, ptx.OpElect:
		op, err := l.exchange(in)
		if err != nil {
			return op, err
		}
		return l.meeting(in, op)
	case ptx.OpLd, ptx.OpLdu, ptx.OpSt, ptx.OpAtom, ptx.OpRed, ptx.OpPrefetch, ptx.OpPrefetchu, ptx.OpApplypriority, ptx.OpDiscard:
		if in.Mods.Has(ptx.ModAsync) {
			return l.memoryAsync(in, traced)
		}
		return l.memory(in, traced)
	case ptx.OpCreatepolicy:
		return l.policy(in)
	case ptx.OpLdmatrix, ptx.OpStmatrix, ptx.OpMovmatrix:
		op, err := l.matrixRows(in, traced)
		return l.ofWarp(in, op, err)
	case ptx.OpWgmma:
		op, err := l.warpgroup(in)
		return l.ofWarp(in, op, err)
	case ptx.OpTensormap:
		op, err := l.tensormap(in, traced)
		if in.Mods.Has(ptx.ModAligned) {
			return l.ofWarp(in, op, err)
		}
		return op, err
	case ptx.OpWmma, ptx.OpMma:
		op, err := l.matrix(in, traced)
		return l.ofWarp(in, op, err)
	case ptx.OpTex, ptx.OpTld4:
		return l.texture(in, traced)
	case ptx.OpTxq, ptx.OpSuq:
		return l.query(in)
	case ptx.OpSuld, ptx.OpSust, ptx.OpSured:
		return l.surface(in, traced)
	case ptx.OpCp:
		return l.copyAsync(in, traced)
	case ptx.OpMbarrier:
		return l.mbarrier(in, traced)
	case ptx.OpMapa, ptx.OpGetctarank:
		return l.clusterAddress(in)
	case ptx.OpCall:
		return l.call(in)
	case ptx.OpBra, ptx.OpBrx, ptx.OpRet, ptx.OpExit, ptx.OpTrap, ptx.OpBar, ptx.OpBarrier:
		return l.control(in, traced)
	case ptx.OpSetmaxnreg:
		return l.ofWarp(in, operation{run: nothing}, nil)
	case ptx.OpMembar, ptx.OpFence, ptx.OpBrkpt, ptx.OpPmevent, ptx.OpGriddepcontrol:
		// Lanes run in a fixed order, so memory is always in order and time
		// does not pass.
		return operation{kind: kindRun, run: nothing}, nil
	case ptx.OpNanosleep:
		return operation{kind: kindRun, run: pause}, nil
	}
	return operation{}, errUnsupported
}

func nothing(*warpContext, *operation, uint32) error { return nil }

// pause is nanosleep (9.7.19.2): the block's other warps get their turn.
func pause(c *warpContext, _ *operation, mask uint32) error {
	c.record.Yield = c.record.Yield || mask != 0
	return nil
}

// source gives the slot of an operand that is read with the given number of
// bits per lane.
func (l *lowering) source(o *ptx.Operand, bits int) (uint32, error) {
	wide := bits == 64
	if bits > 64 && o.Kind != ptx.OperandRegister {
		return 0, errUnsupported
	}
	switch o.Kind {
	case ptx.OperandRegister:
		if !holds(o.Register.Type, bits) {
			return 0, fmt.Errorf("register %s is .%s where %d bits are read", o.Register.Name, o.Register.Type, bits)
		}
		return l.layout.registers[o.Register.Index], nil
	case ptx.OperandImmediate:
		return l.layout.constant(truncate(o.Value, bits), wide), nil
	case ptx.OperandSpecial:
		offset, specialWide := l.layout.special(o.Special, bits)
		if isClock(o.Special) {
			l.clocks = append(l.clocks, clockOperand{o.Special, offset, l.ahead})
		}
		if specialWide != wide {
			return 0, fmt.Errorf("special register %%%s is read as %d bits", o.Special, bits)
		}
		return offset, nil
	case ptx.OperandVariable:
		return l.variable(o.Variable, o.Offset, wide)
	case ptx.OperandFunction:
		return l.layout.constant(coexecution.FunctionAddress(o.Function)+uint64(o.Offset), wide), nil
	case ptx.OperandParam:
		return l.layout.constant(uint64(int64(o.Param.Offset)+o.Offset), wide), nil
	}
	return 0, errUnsupported
}

// holds reports whether registers of the type have a slot of the given bits. What
// is narrower than 32 bits has a slot of 32, and .b128 has two of 64.
func holds(t ptx.Type, bits int) bool {
	return t != ptx.Pred && max(t.Bits(), 32) == max(bits, 32)
}

// upperHalf is the slot of the upper halves of a .b128 register.
func upperHalf(slot uint32) uint32 { return slot + lanes.WideSlot }

// sources gives the slots of several operands of one width.
func (l *lowering) sources(operands []ptx.Operand, bits int) (slots [3]uint32, err error) {
	for i := range operands {
		if slots[i], err = l.source(&operands[i], bits); err != nil {
			return slots, err
		}
	}
	return slots, nil
}

// variable gives the slot of a variable's address in its space.
func (l *lowering) variable(v *ptx.Variable, offset int64, wide bool) (uint32, error) {
	if v.Space == ptx.SpaceShared || v.Space == ptx.SpaceLocal || v.Space == ptx.SpaceArgument {
		place, err := l.place(v)
		if l.framed[v] {
			slot := l.layout.add(wide)
			l.frames = append(l.frames, frameOperand{slot, wide, place + uint64(offset)})
			return slot, err
		}
		return l.layout.constant(place+uint64(offset), wide), err
	}
	return l.layout.symbol(v, offset, wide), nil
}

// place gives a shared or local variable's offset in its space.
func (l *lowering) place(v *ptx.Variable) (uint64, error) {
	if v.Space == ptx.SpaceShared && v.Extern && v.Bytes == 0 {
		return l.dynamicShared, nil
	}
	offsets := l.shared
	if v.Space != ptx.SpaceShared {
		offsets = l.local
	}
	offset, ok := offsets[v]
	if !ok {
		return 0, fmt.Errorf("BUG: variable %s has no place in .%s memory", v.Name, v.Space)
	}
	return offset, nil
}

// destination gives the slot of a result with the given number of bits.
func (l *lowering) destination(o *ptx.Operand, bits int) (uint32, error) {
	wide := bits == 64
	if bits > 64 && o.Kind != ptx.OperandRegister {
		return 0, errUnsupported
	}
	switch o.Kind {
	case ptx.OperandRegister:
		if !holds(o.Register.Type, bits) {
			return 0, fmt.Errorf("register %s is .%s where %d bits are written", o.Register.Name, o.Register.Type, bits)
		}
		return l.layout.registers[o.Register.Index], nil
	case ptx.OperandSink:
		return l.layout.add(wide), nil
	}
	return 0, errUnsupported
}

// predicate gives the index of a predicate operand that is read, and what to
// exclusive-or to its mask.
func (l *lowering) predicate(o *ptx.Operand) (index, flip uint32, err error) {
	if o.Negated {
		flip = lanes.FullMask
	}
	switch {
	case o.Kind == ptx.OperandRegister && o.Register.Type == ptx.Pred:
		return l.layout.registers[o.Register.Index], flip, nil
	case o.Kind == ptx.OperandImmediate:
		return l.layout.constantPredicate(o.Value != 0), flip, nil
	case o.Kind == ptx.OperandSpecial && o.Special == ptx.IsExplicitCluster:
		return l.layout.constantPredicate(l.kernel.ExplicitCluster), flip, nil
	}
	return 0, 0, errUnsupported
}

// predicateResult gives the index of a predicate operand that is written.
func (l *lowering) predicateResult(o *ptx.Operand) (uint32, error) {
	switch {
	case o.Kind == ptx.OperandSink:
		return sink, nil
	case o.Kind == ptx.OperandRegister && o.Register.Type == ptx.Pred:
		return l.layout.registers[o.Register.Index], nil
	}
	return 0, errUnsupported
}

// lanesOperation makes an operation of a lane loop whose result has
// resultBits and whose sources, up to three, have sourceBits.
func (l *lowering) lanesOperation(in *ptx.Instruction, loop lanes.Loop, resultBits, sourceBits int) (operation, error) {
	if loop == nil {
		return operation{}, errUnsupported
	}
	d, err := l.destination(&in.Operands[0], resultBits)
	if err != nil {
		return operation{}, err
	}
	s, err := l.sources(in.Operands[1:], sourceBits)
	return operation{kind: kindLanes, wide: resultBits == 64, d: d, a: s[0], b: s[1], c: s[2], loop: loop}, err
}

// truncate keeps the low bits of an immediate.
func truncate(value uint64, bits int) uint64 {
	if bits >= 64 {
		return value
	}
	return value & (1<<bits - 1)
}

// clockOperand is a clock register that an instruction reads.
type clockOperand struct {
	special ptx.Special
	slot    uint32
	ahead   uint64 // instructions of the segment before this one
}

// frameOperand is an address in the frame of a function.
type frameOperand struct {
	slot   uint32
	wide   bool
	offset uint64
}

// refreshed is an operation with operands that change from one execution to
// the next by themselves.
type refreshed struct {
	inner  operation
	clocks []clockOperand
	frames []frameOperand
	frame  uint32 // slot of the frame pointer
}

// refreshed fills the slots of clocks and frame addresses before the operation, which is
// none that waits for lanes: those that do take no such operands.
func (l *lowering) refreshed(op operation) operation {
	return operation{kind: kindRun, run: runRefreshed, always: op.always,
		extra: &refreshed{op, append([]clockOperand(nil), l.clocks...), append([]frameOperand(nil), l.frames...), l.layout.frame}}
}

func runRefreshed(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*refreshed)
	for _, r := range k.clocks {
		c.readClock(r)
	}
	for i := range k.frames {
		c.fillFrameAddress(k, &k.frames[i])
	}
	switch k.inner.kind {
	case kindLanes:
		c.runLanes(&k.inner, mask)
		return nil
	case kindCompare:
		c.runCompare(&k.inner, mask)
		return nil
	}
	return k.inner.run(c, &k.inner, mask)
}

func (c *warpContext) fillFrameAddress(k *refreshed, f *frameOperand) {
	frame := lanes.Of[uint64](c.at(k.frame))
	if f.wide {
		z := lanes.Of[uint64](c.at(f.slot))
		for i := range z {
			z[i] = frame[i] + f.offset
		}
		return
	}
	z := lanes.Of[uint32](c.at(f.slot))
	for i := range z {
		z[i] = uint32(frame[i] + f.offset)
	}
}

// enterUnit notes the unit of the instruction at hand.
func (l *lowering) enterUnit(instruction int) {
	units := l.contaminated.Units
	for l.unit+1 < len(units) && units[l.unit+1].PTX.First <= instruction {
		l.unit++
	}
}

// framedVariables are those of functions, which have places in frames.
func framedVariables(k *contaminator.Kernel) map[*ptx.Variable]bool {
	framed := make(map[*ptx.Variable]bool)
	for _, u := range k.Units[min(1, len(k.Units)):] {
		for _, v := range u.PTX.Variables {
			if v.Space != ptx.SpaceShared {
				framed[v] = true
			}
		}
	}
	return framed
}
