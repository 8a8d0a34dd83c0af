// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// passKind says where a value is that a call passes.
type passKind uint8

const (
	passNothing   passKind = iota
	passRegister           // a slot, which may hold a constant
	passPredicate          // a predicate
	passMemory             // the frame
)

// passPlace is where an argument or a result is, on one side of a call.
type passPlace struct {
	kind   passKind
	slot   uint32 // or the predicate's index
	wide   bool
	offset uint64 // in the frame
	bytes  int
}

// callOperation is call (9.7.12.5).
type callOperation struct {
	frame      uint32 // slot of the frame pointer
	frameBytes uint64 // of the caller
	frameAlign uint64
	indirect   bool
	pointer    uint32
	wide       bool // the pointer has 64 bits
	targets    []callTarget
	arguments  []passPlace
	results    []passPlace
	// saved is what the call saves of the caller's registers, if it may come
	// back to the caller's code: bytes of the register file and predicates.
	saves                        bool
	firstByte, endByte           uint32
	firstPredicate, endPredicate uint32
	savedSlots                   []savedSlot
}

// savedSlot is one register that a call saves.
type savedSlot struct {
	offset uint32
	wide   bool
}

// callTarget is one function that a call can reach.
type callTarget struct {
	function   *ptx.Function
	segment    int
	frameBytes uint64
	// stackBytes is what the activation takes in all: its frame, and the
	// registers of the caller that the call saves.
	stackBytes uint64
	params     []passPlace
	// Instead of the above, of a function that the emulator provides.
	external *external
	image    *imageFunction
}

func (l *lowering) call(in *ptx.Instruction) (operation, error) {
	unit := &l.contaminated.Units[l.unit]
	k := &callOperation{frame: l.layout.frame, frameBytes: unit.FrameBytes, frameAlign: l.contaminated.FrameAlign, indirect: in.Operands[1].Function == nil}
	var err error
	if k.indirect {
		k.wide = in.Operands[1].Register.Type.Bits() == 64
		k.pointer = l.layout.registers[in.Operands[1].Register.Index]
	}
	if k.results, err = l.passPlaces(in.Operands[0].Elements, true); err != nil {
		return operation{}, err
	}
	if k.arguments, err = l.passPlaces(in.Operands[2].Elements, false); err != nil {
		return operation{}, err
	}
	for _, f := range in.Callees(l.kernel.Module) {
		t, err := l.callTarget(f, k)
		if err != nil {
			return operation{}, err
		}
		k.targets = append(k.targets, t)
	}
	if k.saves {
		l.saveRange(k)
	}
	return operation{kind: kindRun, run: runCall, extra: k}, nil
}

// callTarget lowers one function that a call can reach.
func (l *lowering) callTarget(f *ptx.Function, k *callOperation) (callTarget, error) {
	if !f.Defined {
		return externalTarget(f, k)
	}
	number := l.contaminated.UnitOf(f)
	unit, caller := &l.contaminated.Units[number], &l.contaminated.Units[l.unit]
	t := callTarget{function: f, segment: unit.Entry, frameBytes: unit.FrameBytes, stackBytes: unit.FrameBytes}
	if unit.Cycle == caller.Cycle {
		k.saves = true
		t.stackBytes += 4 * uint64(caller.Registers)
	}
	t.params = l.formalPlaces(unit.PTX.Params)
	return t, nil
}

// passPlaces lowers the arguments or the results of a call.
func (l *lowering) passPlaces(operands []ptx.Operand, results bool) ([]passPlace, error) {
	places := make([]passPlace, len(operands))
	for i := range operands {
		switch o := &operands[i]; {
		case o.Kind == ptx.OperandRegister && o.Register.Type == ptx.Pred:
			places[i] = passPlace{kind: passPredicate, slot: l.layout.registers[o.Register.Index], bytes: 1}
		case o.Kind == ptx.OperandRegister:
			places[i] = l.registerPlace(o.Register)
		case o.Kind == ptx.OperandVariable:
			places[i] = l.variablePlace(o.Variable)
		case o.Kind == ptx.OperandImmediate && !results:
			places[i] = passPlace{kind: passRegister, slot: l.layout.constant(o.Value, true), wide: true, bytes: 8}
		case o.Kind == ptx.OperandSink && results:
		default:
			return nil, errUnsupported
		}
	}
	return places, nil
}

func (l *lowering) registerPlace(r *ptx.Register) passPlace {
	return passPlace{kind: passRegister, slot: l.layout.registers[r.Index], wide: r.Type.Bits() == 64, bytes: r.Type.Bytes()}
}

func (l *lowering) variablePlace(v *ptx.Variable) passPlace {
	return passPlace{kind: passMemory, offset: l.local[v], bytes: int(v.Bytes)}
}

// formalPlaces are the places of a function's parameters or results.
func (l *lowering) formalPlaces(formals []ptx.Formal) []passPlace {
	places := make([]passPlace, len(formals))
	for i, f := range formals {
		switch {
		case f.Variable != nil:
			places[i] = l.variablePlace(f.Variable)
		case f.Register.Type == ptx.Pred:
			places[i] = passPlace{kind: passPredicate, slot: l.layout.registers[f.Register.Index], bytes: 1}
		default:
			places[i] = l.registerPlace(f.Register)
		}
	}
	return places
}

// saveRange finds the slots of the caller's registers: Link has put them one
// behind the other.
func (l *lowering) saveRange(k *callOperation) {
	seen := make(map[*ptx.Register]bool)
	first := true
	unit := l.contaminated.Units[l.unit].PTX
	visit := func(r *ptx.Register) {
		if seen[r] {
			return
		}
		seen[r] = true
		at := l.layout.registers[r.Index]
		if r.Type == ptx.Pred {
			if k.endPredicate == 0 {
				k.firstPredicate = at
			}
			k.firstPredicate, k.endPredicate = min(k.firstPredicate, at), max(k.endPredicate, at+1)
			return
		}
		size := uint32(lanes.NarrowSlot)
		switch r.Type.Bits() {
		case 64:
			size = lanes.WideSlot
		case 128:
			size = 2 * lanes.WideSlot
			k.savedSlots = append(k.savedSlots, savedSlot{upperHalf(at), true})
		}
		k.savedSlots = append(k.savedSlots, savedSlot{at, size >= lanes.WideSlot})
		if first {
			k.firstByte, first = at, false
		}
		k.firstByte, k.endByte = min(k.firstByte, at), max(k.endByte, at+size)
	}
	for i := unit.First; i < unit.First+unit.Count; i++ {
		eachRegister(&l.kernel.Body[i], visit)
	}
	for _, f := range append(append([]ptx.Formal(nil), unit.Params...), unit.Returns...) {
		if f.Register != nil {
			visit(f.Register)
		}
	}
}

// eachRegister visits the registers that an instruction names.
func eachRegister(in *ptx.Instruction, visit func(r *ptx.Register)) {
	if in.Guard.Register != nil {
		visit(in.Guard.Register)
	}
	for i := range in.Operands {
		o := &in.Operands[i]
		if o.Register != nil {
			visit(o.Register)
		}
		for j := range o.Elements {
			if o.Elements[j].Register != nil {
				visit(o.Elements[j].Register)
			}
		}
	}
}

// returnOperation is ret in a function (9.7.12.6).
type returnOperation struct {
	frame   uint32
	results []passPlace
}

func (l *lowering) functionReturn() (operation, error) {
	unit := &l.contaminated.Units[l.unit]
	k := &returnOperation{frame: l.layout.frame, results: l.formalPlaces(unit.PTX.Returns)}
	return operation{kind: kindRun, run: runReturn, extra: k}, nil
}

// externalTarget finds a function that the emulator provides.
func externalTarget(f *ptx.Function, k *callOperation) (callTarget, error) {
	e := externals[f.Name]
	if e == nil {
		if image := imageFunctionNamed(f.Name); image != nil {
			return callTarget{function: f, image: image}, image.fits(k)
		}
		return callTarget{}, fmt.Errorf("function %s is defined nowhere in this module, and not one of those that are provided (docs/ptx-coverage.md); link the module that has it, or compile so that it is inlined", f.Name)
	}
	if len(k.arguments) != len(e.params) || len(k.results) != e.results() {
		return callTarget{}, fmt.Errorf("function %s takes %d arguments and gives %d results, not %d and %d", f.Name, len(e.params), e.results(), len(k.arguments), len(k.results))
	}
	for i, p := range k.arguments {
		if want := e.params[i].Bytes(); p.kind == passPredicate || p.bytes != want && !(p.kind == passRegister && p.bytes > want) {
			return callTarget{}, fmt.Errorf("argument %d of function %s has %d bytes, not %d", i+1, f.Name, want, p.bytes)
		}
	}
	return callTarget{function: f, external: e}, nil
}
