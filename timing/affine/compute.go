// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/trace"
)

// compute executes one instruction of the affine stream on tuples and returns how many
// it computed side by side (figure 14).
func (e *Evaluator) compute(i uint32, in *trace.Instruction, f *frame) (tuples int, err error) {
	o := &e.plan.operations[i]
	lanes := e.underGuard(in, f)
	if in.Guard.Present && e.predicates[in.Guard.Register.Number].wrapped {
		// Other threads may have executed it: any of them may have another value than its tuple's.
		defer e.registers[in.Operands[0].Register.Number].wrap()
	}
	if lanes.empty() {
		return 1, nil
	}
	switch {
	case o.code == codeCompare:
		return e.comparePredicate(i, in, lanes)
	case o.isPredicate():
		e.logic(in, o, lanes)
		return 1, nil
	}
	all := lanes.contains(&e.alive)
	to := &e.registers[in.Operands[0].Register.Number]
	if t, ok, err := e.single(i, in, lanes); err != nil || ok {
		to.assign(t, lanes, &e.alive, all)
		return 1, err
	}
	return e.several(i, in, lanes, to)
}

// source is an operand of an affine instruction: a constant, or a register with its
// tuples.
type source struct {
	fixed    Tuple
	register *register
}

func (e *Evaluator) source(in *trace.Instruction, k int) (source, error) {
	switch o := &in.Operands[k]; o.Kind {
	case trace.OperandRegister:
		if o.Register.File == trace.FilePredicate {
			return source{}, nil
		}
		return source{register: &e.registers[o.Register.Number]}, nil
	case trace.OperandImmediate:
		return source{fixed: constant(o.Value)}, nil
	case trace.OperandSymbol:
		return source{fixed: Tuple{Base: o.Value, Symbol: e.symbol(o.Symbol)}}, nil
	case trace.OperandSpecial:
		return source{fixed: e.special(o.Symbol)}, nil
	}
	return source{}, fmt.Errorf("BUG: an operand of kind %d in the affine stream", in.Operands[k].Kind)
}

// special is the tuple of a special register.
func (e *Evaluator) special(name string) Tuple {
	d := specials[name]
	if d < dimensions {
		t := Tuple{}
		t.Offsets[d] = 1
		return t
	}
	return constant(e.extent[d-dimensions])
}

func (e *Evaluator) symbol(name string) int32 {
	s := e.symbols[name]
	if s == nil {
		s = &symbol{number: int32(len(e.names) + 1)}
		e.symbols[name] = s
		e.names = append(e.names, s)
	}
	return s.number
}

// single computes an instruction whose operands have one tuple each.
func (e *Evaluator) single(i uint32, in *trace.Instruction, lanes *Lanes) (Tuple, bool, error) {
	o := &e.plan.operations[i]
	if o.code == codeParameter {
		return e.parameter(o), true, nil
	}
	if o.chooses() {
		return Tuple{}, false, nil
	}
	var t [maxSources]Tuple
	for k := 1; k < len(in.Operands); k++ {
		s, err := e.source(in, k)
		if err != nil {
			return Tuple{}, false, err
		}
		t[k-1] = s.fixed
		if s.register != nil {
			only, ok := s.register.only(lanes)
			if !ok {
				return Tuple{}, false, nil
			}
			t[k-1] = *only
		}
	}
	out, ok := o.tuple(&t, &e.extent)
	if !ok {
		return Tuple{}, false, e.bug(bits.TrailingZeros64(lanes.Active), i, "the compiler has put an operation into the affine stream that tuples do not have")
	}
	return out, true, nil
}

// chooses reports whether an operation assigns one of its operands, thread by thread.
func (o *operation) chooses() bool {
	return o.code == codeMinimum || o.code == codeMaximum || o.code == codeAbsolute || o.code == codeSelect
}

// parameter reads the launch's arguments.
func (e *Evaluator) parameter(o *operation) Tuple {
	var raw [8]byte
	if n := uint32(len(e.launch.Arguments)); o.offset < n {
		copy(raw[:min(uint32(o.bits)/8, n-o.offset)], e.launch.Arguments[o.offset:])
	}
	v := int64(binary.LittleEndian.Uint64(raw[:]))
	return constant(extend(v, o.bits, o.signed || o.bits >= 32))
}

// several computes an instruction for every combination of its operands' tuples.
func (e *Evaluator) several(i uint32, in *trace.Instruction, lanes *Lanes, to *register) (int, error) {
	s := &e.scratch
	s.results = s.results[:0]
	var t [maxSources]Tuple
	if err := e.combine(i, in, 1, &t, lanes); err != nil {
		return 0, err
	}
	whole := len(s.results) == 1 && s.results[0].lanes.contains(&e.alive)
	for n := range s.results {
		to.assign(s.results[n].tuple, s.results[n].lanes, &e.alive, whole)
	}
	return max(len(s.results), 1), nil
}

// combine goes through the tuples of operand k, for the threads that have it.
func (e *Evaluator) combine(i uint32, in *trace.Instruction, k int, t *[maxSources]Tuple, lanes *Lanes) error {
	if k == len(in.Operands) {
		return e.combined(i, in, t, lanes)
	}
	s, err := e.source(in, k)
	if err != nil {
		return err
	}
	if s.register == nil {
		t[k-1] = s.fixed
		return e.combine(i, in, k+1, t, lanes)
	}
	some := &e.scratch.combined[k-1]
	for n := range s.register.n {
		v := &s.register.items[n]
		some.copyOf(lanes)
		if !v.all {
			some.intersect(v.lanes)
		}
		if some.empty() {
			continue
		}
		t[k-1] = v.tuple
		if err := e.combine(i, in, k+1, t, some); err != nil {
			return err
		}
	}
	return nil
}

// combined computes the tuple of some threads.
func (e *Evaluator) combined(i uint32, in *trace.Instruction, t *[maxSources]Tuple, lanes *Lanes) error {
	o := &e.plan.operations[i]
	if !o.chooses() {
		out, ok := o.tuple(t, &e.extent)
		if !ok {
			return e.bug(bits.TrailingZeros64(lanes.Active), i, "the compiler has put an operation into the affine stream that tuples do not have")
		}
		e.result(out, lanes)
		return nil
	}
	first, second := e.choose(o, in, t, lanes)
	chosen := &e.scratch.chosen
	if !chosen.empty() {
		e.result(first, chosen)
	}
	rest := &e.scratch.gone
	rest.copyOf(lanes)
	rest.remove(chosen)
	if !rest.empty() {
		e.result(second, rest)
	}
	return nil
}

// result keeps a tuple for some threads; equal ones are one.
func (e *Evaluator) result(t Tuple, lanes *Lanes) {
	s := &e.scratch
	for n := range s.results {
		if s.results[n].tuple == t {
			s.results[n].lanes.unite(lanes)
			return
		}
	}
	if len(s.results) == len(s.choice) {
		s.choice = append(s.choice, new(Lanes))
	}
	own := s.choice[len(s.results)]
	own.copyOf(lanes)
	s.results = append(s.results, result{t, own})
}

// choose gives both tuples of a choice; scratch.chosen has the threads of the first.
func (e *Evaluator) choose(o *operation, in *trace.Instruction, t *[maxSources]Tuple, lanes *Lanes) (first, second Tuple) {
	chosen := &e.scratch.chosen
	chosen.clear()
	if o.code == codeSelect {
		p := &in.Operands[3]
		for rest := lanes.Active; rest != 0; rest &= rest - 1 {
			w := bits.TrailingZeros64(rest)
			chosen.set(w, lanes.Masks[w]&e.predicateOf(p, w))
		}
		first, second = t[0], t[1]
		wrapped := p.Kind == trace.OperandRegister && e.predicates[p.Register.Number].wrapped
		first.Wrapped, second.Wrapped = first.Wrapped || wrapped, second.Wrapped || wrapped
		return first, second
	}
	first, second = t[0].read(o.bits, o.signed, &e.extent), t[1]
	compare := less
	switch o.code {
	case codeAbsolute:
		second, _ = first.times(constant(-1))
		compare = greaterEqual
	case codeMaximum:
		compare = greater
	}
	second = second.read(o.bits, o.signed, &e.extent)
	// Which one it is depends on both.
	first.Wrapped = first.Wrapped || second.Wrapped
	second.Wrapped = first.Wrapped
	for rest := lanes.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		mask, _ := e.compareWarp(w, &first, &second, o, compare)
		chosen.set(w, lanes.Masks[w]&mask)
	}
	return first.wrap(o.bits), second.wrap(o.bits)
}

// predicateOf is the bit vector of a predicate operand for a warp.
func (e *Evaluator) predicateOf(o *trace.Operand, w int) uint32 {
	var m uint32
	switch {
	case o.Kind == trace.OperandRegister:
		m = e.predicates[o.Register.Number].lanes.Masks[w]
	case o.Value != 0:
		m = ^uint32(0)
	}
	if o.Negated {
		m = ^m
	}
	return m
}
