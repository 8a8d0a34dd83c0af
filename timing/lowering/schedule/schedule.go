// SPDX-License-Identifier: Apache-2.0

// Package schedule puts the operations of a block in order: so that few registers are live,
// then so that loads are far from where they are waited for.
package schedule

import (
	"slices"

	"github.com/warptape/warptape/timing/lowering/ir"
)

// Target is what scheduling has to know of a machine.
type Target struct {
	// Registers are those that a thread may have live: loads go ahead only while no more
	// are.
	Registers int
	// All are those that a thread may have at all. Quotients are those that may be live where
	// what needs no quotient of a division goes first.
	All, Quotients int
	// InFlight are the loads that go ahead at a time.
	InFlight int
	// Latency gives the cycles from issue to result, and Late those of what answers late.
	Latency, Late int
}

// Scheduler schedules the blocks of one function. What it holds is kept from one block to the
// next.
type Scheduler struct {
	scratch *scratch
	after   []bool // by register: live behind the stretch at hand
	// general and predicates are the words of each file that a register has.
	general, predicates []int32
	table               table
	graphs              []*graph
	pieces              []piece
	order               byPressure
	first, best         []int32
	listed              []ir.Register
	ahead               ahead
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
	s := &Scheduler{scratch: newScratch(n), after: make([]bool, n), general: make([]int32, n), predicates: make([]int32, n)}
	for r := range f.Registers {
		s.general[r], s.predicates[r] = words(f, ir.Register(r)), predicate(f, ir.Register(r))
	}
	s.order.s = s
	return s
}

// Pressure orders the operations of a block so that few registers are live. It does so by one
// of eight rules, or as the program does, whichever is best. out lists the registers that are
// live behind. It gives how many are live at most.
func (s *Scheduler) Pressure(b *ir.Block, out []ir.Register) int {
	s.table.list(b.Ops)
	most, least := s.walk(b.Ops, out, nil)
	if most.cost() == least {
		return int(most.words)
	}
	fixed, predicates := s.cut(b.Ops, out)
	s.first = zeros(s.first, len(b.Ops))
	better := false
	for i := 0; i < len(rules) && most.cost() > least; i++ {
		if rules[i].counted > 0 && !predicates {
			continue // the rule that does not count them makes the same order
		}
		if other, ok := s.reorder(rules[i], fixed, most.cost()); ok {
			s.best, most, better = append(s.best[:0], s.first...), other, true
		}
	}
	if better {
		permute(b.Ops, s.best)
	}
	return int(most.words)
}

// permute puts operations in an order, which it uses up.
func permute(ops []ir.Op, order []int32) {
	for at := range order {
		if int(order[at]) == at {
			continue
		}
		first, to := ops[at], at
		for from := int(order[to]); from != at; from = int(order[to]) {
			ops[to], order[to] = ops[from], int32(to)
			to = from
		}
		ops[to], order[to] = first, int32(to)
	}
}

// piece is a stretch of a block from a place on: one operation that leaves the block, or
// stands where it would, and stays; or those between, which are ordered by their graph.
type piece struct {
	first, length int32
	graph         *graph // nil for what stays
}

// cut finds the pieces of a block, the last one first. It gives what is live at most at those
// that stay, and whether a register of the others is a predicate.
func (s *Scheduler) cut(ops []ir.Op, out []ir.Register) (fixed load, predicates bool) {
	s.pieces, s.listed = s.pieces[:0], s.listed[:0]
	live := s.enter(ops, out)
	for _, r := range out {
		s.needed(r)
	}
	for end := len(ops); end > 0; {
		begin := end
		for begin > 0 && ops[begin-1].Effect != ir.Ends && (begin == end || !ops[begin].Behind) {
			begin--
		}
		begin = min(begin, end-1)
		x := piece{first: int32(begin), length: int32(end - begin)}
		if ops[begin].Effect == ir.Ends || ops[begin].Behind {
			for i := x.first + x.length - 1; i >= x.first; i-- {
				fixed = fixed.most(s.back(i, &live))
			}
		} else {
			x.graph = s.graph(len(s.pieces))
			x.graph.build(ops[begin:end], &s.table, begin, s.scratch)
			s.Steps += x.graph.edges()
			s.number(x.graph, &live)
			s.prepare(x.graph)
			predicates = predicates || !slices.Equal(x.graph.start.weights[0], x.graph.start.weights[1])
		}
		for i := x.first; i < x.first+x.length; i++ { // what is read behind is live before
			for _, r := range s.table.readsOf(i) {
				s.needed(r.register)
			}
		}
		s.pieces = append(s.pieces, x)
		end = begin
	}
	for _, r := range s.listed {
		s.after[r] = false
	}
	s.leave()
	return fixed, predicates
}

// needed notes a register that is live behind the stretch at hand.
func (s *Scheduler) needed(r ir.Register) {
	if !s.after[r] {
		s.after[r] = true
		s.listed = append(s.listed, r)
	}
}

// graph is the graph of a number, made anew.
func (s *Scheduler) graph(number int) *graph {
	for len(s.graphs) <= number {
		s.graphs = append(s.graphs, new(graph))
	}
	return s.graphs[number]
}

// reorder orders a block by a rule: s.first gets the operations' places. fixed is the most that is
// live where operations stay. It stops where the order costs as much as a bound, which is no
// better, and then is not ok.
func (s *Scheduler) reorder(by rule, fixed load, bound int32) (most load, ok bool) {
	most, ok = fixed, fixed.cost() < bound
	for n := 0; n < len(s.pieces) && ok; n++ {
		x := &s.pieces[n]
		to := s.first[x.first : x.first+x.length]
		if x.graph == nil {
			for i := range to {
				to[i] = x.first + int32(i)
			}
			continue
		}
		s.order.begin(x.graph, by, most)
		most, ok = s.order.run(to, bound)
	}
	return most, ok
}
