// SPDX-License-Identifier: Apache-2.0

package affine

import "github.com/warptape/warptape/trace"

// valueID names a value, none for a register that nothing has written.
type valueID int32

const none valueID = -1

// valueKind says what defines a value.
type valueKind uint8

const (
	valueOperation valueKind = iota // the instruction's destination
	valuePhi                        // several definitions reach the beginning of a block
	valueMerge                      // a guarded instruction: {what it writes, what was there}
)

// value is one definition of a register. The kernel is in static single assignment form
// (Braun et al., "Simple and efficient construction of SSA form", 2013). The form says
// for every use which definitions reach it, and where they meet.
type value struct {
	kind  valueKind
	block uint32
	instr uint32 // operation, merge
	in    []valueID
	same  valueID // a phi that has turned out to be another value; none otherwise
	// predicate says that the register is one: a bit vector, which is assigned thread
	// by thread and needs no tuples.
	predicate bool
}

// variable identifies what the front end allocated a register for. Two variables
// may share a register one after the other; they are never alive at once.
type variable struct {
	file    trace.RegisterFile
	words   uint8
	number  uint16
	virtual string
}

func variableOf(r trace.Register) variable {
	return variable{r.File, r.Words, r.Number, r.Virtual}
}

// values is a kernel in static single assignment form.
type values struct {
	g    *graph
	list []value
	// uses holds, per instruction, the value of each operand (the base of an address;
	// none for one that is no register). guards holds that of the guard, and extra
	// those of the elements of vectors.
	uses   [][]valueID
	guards []valueID
	extra  [][]valueID
	// defs holds the value that each instruction writes first, others the rest.
	defs   []valueID
	others [][]valueID

	index   map[variable]int32
	current []map[int32]valueID // per block: variables at its end
	opened  []map[int32]valueID // per block: phis at its beginning
	todo    []pendingPhi
}

// pendingPhi is a phi whose operands have yet to be read.
type pendingPhi struct {
	id       valueID
	variable int32
}

func newValues(g *graph) *values {
	n := len(g.k.Instructions)
	v := &values{
		g: g, uses: make([][]valueID, n), guards: make([]valueID, n), extra: make([][]valueID, n), defs: make([]valueID, n), others: make([][]valueID, n),
		index: map[variable]int32{}, current: make([]map[int32]valueID, len(g.k.Blocks)), opened: make([]map[int32]valueID, len(g.k.Blocks)),
	}
	for i := range n {
		v.guards[i], v.defs[i] = none, none
	}
	for _, b := range g.order {
		v.current[b], v.opened[b] = map[int32]valueID{}, map[int32]valueID{}
	}
	for _, b := range g.order {
		v.read(b)
	}
	v.complete()
	v.simplify()
	return v
}

// read goes through the instructions of a block.
func (v *values) read(b uint32) {
	block := &v.g.k.Blocks[b]
	local := map[int32]valueID{}
	for i := block.First; i < block.First+block.Count; i++ {
		in := &v.g.k.Instructions[i]
		if in.Guard.Present {
			v.guards[i] = v.lookup(b, local, in.Guard.Register)
		}
		v.uses[i] = make([]valueID, len(in.Operands))
		for k := range in.Operands {
			v.uses[i][k] = none
			v.readOperand(b, i, k, local)
		}
		for _, r := range in.Writes(nil) {
			v.write(b, i, r, local)
		}
	}
	v.current[b] = local
}

func (v *values) readOperand(b, i uint32, k int, local map[int32]valueID) {
	in := &v.g.k.Instructions[i]
	o := &in.Operands[k]
	written := k < int(in.Destinations)
	switch {
	case o.Kind == trace.OperandRegister && !written, o.Kind == trace.OperandAddress && o.HasBase:
		v.uses[i][k] = v.lookup(b, local, o.Register)
	case o.Kind == trace.OperandVector && !written:
		for e := range o.Elements {
			if r := &o.Elements[e]; r.Kind == trace.OperandRegister {
				v.extra[i] = append(v.extra[i], v.lookup(b, local, r.Register))
			}
		}
	}
}

// write makes the value that instruction i writes to a register. Under a guard the
// old value stays in the lanes where it is false.
func (v *values) write(b, i uint32, r trace.Register, local map[int32]valueID) {
	at := v.number(r)
	predicate := r.File == trace.FilePredicate
	id := v.add(value{kind: valueOperation, block: b, instr: i, predicate: predicate})
	if v.g.k.Instructions[i].Guard.Present {
		old := v.lookup(b, local, r)
		id = v.add(value{kind: valueMerge, block: b, instr: i, in: []valueID{id, old}, predicate: predicate})
	}
	local[at] = id
	if v.defs[i] == none {
		v.defs[i] = id
	} else {
		v.others[i] = append(v.others[i], id)
	}
}

func (v *values) number(r trace.Register) int32 {
	key := variableOf(r)
	at, ok := v.index[key]
	if !ok {
		at = int32(len(v.index))
		v.index[key] = at
	}
	return at
}

func (v *values) add(x value) valueID {
	x.same = none
	v.list = append(v.list, x)
	return valueID(len(v.list) - 1)
}

// lookup is the value of a register inside block b.
func (v *values) lookup(b uint32, local map[int32]valueID, r trace.Register) valueID {
	at := v.number(r)
	if id, ok := local[at]; ok {
		return id
	}
	id := v.atStart(b, at, r.File == trace.FilePredicate)
	local[at] = id
	return id
}

// atStart is the value of a variable at the beginning of a block: a phi, whose
// operands are read when all blocks are known.
func (v *values) atStart(b uint32, variable int32, predicate bool) valueID {
	if id, ok := v.opened[b][variable]; ok {
		return id
	}
	if len(v.g.preds[b]) == 0 {
		return none
	}
	id := v.add(value{kind: valuePhi, block: b, predicate: predicate})
	v.opened[b][variable] = id
	v.todo = append(v.todo, pendingPhi{id, variable})
	return id
}

// complete reads the operands of the phis.
func (v *values) complete() {
	for len(v.todo) > 0 {
		p := v.todo[len(v.todo)-1]
		v.todo = v.todo[:len(v.todo)-1]
		b, predicate := v.list[p.id].block, v.list[p.id].predicate
		var in []valueID
		for _, from := range v.g.preds[b] {
			id, ok := v.current[from][p.variable]
			if !ok {
				id = v.atStart(from, p.variable, predicate)
			}
			in = append(in, id)
		}
		v.list[p.id].in = in
	}
}

// find follows phis that are other values.
func (v *values) find(id valueID) valueID {
	for id != none && v.list[id].same != none {
		if next := v.list[id].same; v.list[next].same != none {
			v.list[id].same = v.list[next].same
		}
		id = v.list[id].same
	}
	return id
}

// simplify removes phis with a single value. A register that nothing has written
// on one of the ways has no value there that a compiler would use.
func (v *values) simplify() {
	for changed := true; changed; {
		changed = false
		for id := range v.list {
			x := &v.list[id]
			if x.kind != valuePhi || x.same != none {
				continue
			}
			only, several := none, false
			for _, from := range x.in {
				if from = v.find(from); from == none || from == valueID(id) || from == only {
					continue
				}
				several = several || only != none
				only = from
			}
			if !several && only != none {
				x.same = only
				changed = true
			}
		}
	}
	for i := range v.uses {
		for k, id := range v.uses[i] {
			v.uses[i][k] = v.find(id)
		}
		v.guards[i] = v.find(v.guards[i])
		for k, id := range v.extra[i] {
			v.extra[i][k] = v.find(id)
		}
	}
	for id := range v.list {
		for k, from := range v.list[id].in {
			v.list[id].in[k] = v.find(from)
		}
	}
}
