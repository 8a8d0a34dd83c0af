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
	rule    rule
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

// rules are those of which the best is taken.
var rules = []rule{
	{useful: true}, {}, {useful: true, counted: 1}, {counted: 1},
	{useful: true, looks: true}, {useful: true, looks: true, constants: true},
}

// New readies for a function.
func New(f *ir.Function) *Scheduler {
	n := len(f.Registers)
	return &Scheduler{f: f, scratch: newScratch(n), after: make([]bool, n), left: make([]int32, n), reader: make([]int32, n)}
}

// Pressure orders the operations of a block so that few registers are live: by one of
// six rules, or as the program does, whichever is best; out lists the registers that are live behind.
func (s *Scheduler) Pressure(b *ir.Block, out []ir.Register) {
	before := b.Ops
	best, cost := before, s.cost(before, out)
	for _, s.rule = range rules {
		b.Ops = before
		s.reorder(b, append([]ir.Register(nil), out...))
		if c := s.cost(b.Ops, out); c < cost {
			best, cost = b.Ops, c
		}
	}
	b.Ops = best
}

// reorder orders operations whatever it brings.
func (s *Scheduler) reorder(b *ir.Block, out []ir.Register) {
	for _, r := range out {
		s.after[r] = true
	}
	end := len(b.Ops)
	// What leaves the block, or stands where it would, stays; stretches between are ordered.
	var pieces [][]ir.Op
	for end > 0 {
		begin := end
		for begin > 0 && b.Ops[begin-1].Effect != ir.Ends {
			begin--
		}
		if begin == end {
			pieces = append(pieces, b.Ops[end-1:end])
			end--
		} else {
			pieces = append(pieces, s.stretch(b.Ops[begin:end]))
			end = begin
		}
		for i := range pieces[len(pieces)-1] { // what is read behind is live before
			pieces[len(pieces)-1][i].EachRead(func(r ir.Register) {
				if !s.after[r] {
					s.after[r] = true
					out = append(out, r)
				}
			})
		}
	}
	ops := make([]ir.Op, 0, len(b.Ops))
	for i := len(pieces) - 1; i >= 0; i-- {
		ops = append(ops, pieces[i]...)
	}
	b.Ops = ops
	for _, r := range out {
		s.after[r] = false
	}
}

// stretch orders operations of which none leaves the block.
func (s *Scheduler) stretch(ops []ir.Op) []ir.Op {
	p := byPressure{f: s.f, g: newGraph(ops, s.scratch), after: s.after, left: s.left, reader: s.reader, rule: s.rule}
	out := make([]ir.Op, 0, len(ops))
	for _, i := range p.order() {
		out = append(out, ops[i])
	}
	return out
}
