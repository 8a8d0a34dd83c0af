// SPDX-License-Identifier: Apache-2.0

// Package schedule puts the operations of a block in order: so that few registers are live,
// then so that loads are far from where they are waited for.
package schedule

import "github.com/warptape/warptape/timing/lowering/ir"

// Target is what scheduling has to know of a machine.
type Target struct {
	// Registers are those that a thread may have live: loads go ahead only while no more
	// are.
	Registers int
	// InFlight are the loads that go ahead at a time.
	InFlight int
	// Latency gives the cycles from issue to result, and Late those of what answers late.
	Latency, Late int
}

// Scheduler schedules the blocks of one function.
type Scheduler struct {
	f       *ir.Function
	scratch *scratch
	after   []bool
	left    []int32
	reader  []int32
	// general and predicates are the words of each file that a register has.
	general, predicates []int32
	weights             []int32 // by register, under the rule at hand
	order               orderScratch
	// Steps counts what has been looked at: operations, edges, and places to which one may
	// go. It says how work grows with a block.
	Steps uint64
}

// rule is a greedy rule of byPressure.
type rule struct {
	// useful lets an operation that another waits for alone go before those for which none
	// does.
	useful bool
	// counted is what a predicate counts for, of a register.
	counted int32
	// looks counts with an operation what the one that it lets go ends.
	looks bool
	// constants lets loads of constants, which are few and read often, go before what is
	// otherwise as good, and decides by the order of the program between others.
	constants bool
}

// rules are the candidates; the best is taken.
var rules = []rule{
	{useful: true}, {}, {useful: true, counted: 1}, {counted: 1},
	{useful: true, looks: true}, {useful: true, looks: true, constants: true},
	{useful: true, looks: true, counted: 2}, {useful: true, looks: true, constants: true, counted: 2},
}

// New readies for a function.
func New(f *ir.Function) *Scheduler {
	n := len(f.Registers)
	s := &Scheduler{
		f: f, scratch: newScratch(n), after: make([]bool, n), left: make([]int32, n), reader: make([]int32, n),
		general: make([]int32, n), predicates: make([]int32, n), weights: make([]int32, n),
	}
	for r := range f.Registers {
		s.general[r], s.predicates[r] = words(f, ir.Register(r)), predicate(f, ir.Register(r))
	}
	return s
}

// Pressure orders the operations of a block so that few registers are live. It does so by one
// of eight rules, or as the program does, whichever is best. out lists the registers that are
// live behind.
func (s *Scheduler) Pressure(b *ir.Block, out []ir.Register) {
	cost := s.cost(b.Ops, nil, out)
	least := s.least(b.Ops, out)
	if cost == least {
		return
	}
	pieces := s.cut(b.Ops)
	order := make([]int32, len(b.Ops))
	var best []int32
	for i := 0; i < len(rules) && cost > least; i++ {
		s.reorder(pieces, order, out, rules[i])
		if c := s.cost(b.Ops, order, out); c < cost {
			best, cost = append(best[:0], order...), c
		}
	}
	if best == nil {
		return
	}
	ops := make([]ir.Op, len(b.Ops))
	for at, i := range best {
		ops[at] = b.Ops[i]
	}
	b.Ops = ops
}

// least is a lower bound of the cost of any order. The registers that are live before the block
// give it, those that are live after it, and those that one operation reads or writes.
func (s *Scheduler) least(ops []ir.Op, out []ir.Register) int32 {
	x, count, most := s.scratch, int32(0), int32(0)
	reads := func(r ir.Register) {
		if !x.is[r] {
			x.is[r] = true
			x.listed = append(x.listed, r)
			count += s.general[r]
		}
	}
	for _, r := range out {
		reads(r)
	}
	most = count
	for i := len(ops) - 1; i >= 0; i-- {
		op, own := &ops[i], int32(0)
		for _, r := range op.Dst {
			if own += s.general[r]; x.is[r] && !op.Partial {
				x.is[r] = false
				count -= s.general[r]
			}
		}
		op.EachRead(reads)
		most = max(most, own)
	}
	for _, r := range x.listed {
		x.is[r] = false
	}
	x.listed = x.listed[:0]
	s.Steps += uint64(len(ops))
	return max(most, count)
}

// piece is a stretch of a block: one operation that leaves the block, or stands where it
// would, and stays; or those between, which are ordered by their graph.
type piece struct {
	ops   []ir.Op
	graph *graph // nil for what stays
}

// cut gives the pieces of a block, the last one first.
func (s *Scheduler) cut(ops []ir.Op) []piece {
	var pieces []piece
	for end := len(ops); end > 0; {
		begin := end
		for begin > 0 && ops[begin-1].Effect != ir.Ends {
			begin--
		}
		if begin == end {
			pieces = append(pieces, piece{ops: ops[end-1 : end]})
			end--
			continue
		}
		g := newGraph(ops[begin:end], s.scratch)
		g.findReads()
		s.Steps += g.edges
		pieces = append(pieces, piece{ops: ops[begin:end], graph: g})
		end = begin
	}
	return pieces
}

// reorder orders operations by a rule, whatever it brings: order gets their numbers in the
// block.
func (s *Scheduler) reorder(pieces []piece, order []int32, out []ir.Register, by rule) {
	live := append([]ir.Register(nil), out...)
	for _, r := range live {
		s.after[r] = true
	}
	for r := range s.weights {
		s.weights[r] = s.general[r] + by.counted*s.predicates[r]
	}
	at := len(order)
	for _, x := range pieces {
		at -= len(x.ops)
		if x.graph == nil {
			order[at] = int32(at)
		} else {
			p := byPressure{s: s, g: x.graph, after: s.after, rule: by, left: s.left, reader: s.reader, weights: s.weights, orderScratch: s.order}
			for k, i := range p.order() {
				order[at+k] = int32(at) + i
			}
			s.order = p.orderScratch
		}
		for i := range x.ops { // what is read behind is live before
			x.ops[i].EachRead(func(r ir.Register) {
				if !s.after[r] {
					s.after[r] = true
					live = append(live, r)
				}
			})
		}
	}
	for _, r := range live {
		s.after[r] = false
	}
}
