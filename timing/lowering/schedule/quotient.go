// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"slices"
	"sort"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// quotients puts operations that need no quotient in front of those that do, at each call of a
// division's subroutine. A compiler that orders a block before it puts the sequence of a
// division in its place waits for the quotient longest. They go in front of the call where they
// need no more registers than loads that go ahead may, and else behind it. It gives whether the
// block has such a call.
func (s *Scheduler) quotients(b *ir.Block, out []ir.Register, t *Target) bool {
	if !divides(b) {
		return false
	}
	s.table.list(b.Ops)
	g := s.graph(0)
	g.build(b.Ops, &s.table, 0, s.scratch)
	s.Steps += g.edges()
	q := quotients{s: s, g: g, ops: b.Ops}
	if order := q.order(q.find(), out, t); order != nil {
		permute(b.Ops, order)
	}
	return true
}

// quotients looks for what needs no quotient.
type quotients struct {
	s   *Scheduler
	g   *graph
	ops []ir.Op
	// needs are the operations that need a quotient.
	needs []bool
	// stretches lie between a return and the next call.
	stretches []stretch
	// early puts what goes first in front of the calls.
	early bool
}

// stretch is the operations behind the return of a call, up to an end. groups are those that may go first: each
// makes a value, and has what makes its sources. stays says that one reads what lies between call and return.
type stretch struct {
	call, first, end int32
	groups           [][]int32
	stays            bool
}

// find finds the stretches of a block, and what may go first in each. It gives whether some of
// it is a condition that becomes a value.
func (q *quotients) find() (condition bool) {
	n, call := int32(len(q.ops)), int32(0)
	for i := range n {
		if q.ops[i].Code == ir.CALL {
			call = i
		}
		if q.ops[i].Code != ir.RET {
			continue
		}
		x := stretch{call: call, first: i + 1, end: i + 1}
		for x.end < n && q.ops[x.end].Code != ir.CALL {
			x.end++
		}
		q.stretches = append(q.stretches, x)
	}
	q.needs = needsQuotient(q.ops)
	for k := range q.stretches {
		condition = q.groups(&q.stretches[k]) || condition
	}
	return condition
}

// groups finds the groups of a stretch, and whether one makes a condition.
func (q *quotients) groups(x *stretch) (condition bool) {
	moved := make([]bool, x.end-x.first)
	for i := x.first; i < x.end; i++ {
		if moved[i-x.first] || !q.free(i) || !q.waited(i) {
			continue
		}
		if list := q.slice(x, moved, i); list != nil {
			for _, m := range list {
				moved[m-x.first] = true
			}
			x.groups = append(x.groups, list)
			condition = condition || q.ops[i].Code == ir.Valued || q.s.predicates[q.g.writes(i)[0]] > 0
		}
	}
	return condition
}

// slice is an operation with those of its stretch that it needs; nil where one has to stay.
func (q *quotients) slice(x *stretch, moved []bool, i int32) []int32 {
	list := []int32{i}
	for k := 0; k < len(list); k++ {
		for _, before := range q.g.before(list[k]) {
			if before < x.first || moved[before-x.first] || slices.Contains(list, before) {
				x.stays = x.stays || before > x.call && before < x.first
				continue
			}
			if !q.free(before) || len(list) == chain {
				return nil
			}
			list = append(list, before)
		}
	}
	return list
}

// free reports whether an operation only computes, and needs no quotient.
func (q *quotients) free(i int32) bool {
	op := &q.ops[i]
	return op.Effect == ir.Pure && !op.Memory && op.Keep == nil && op.Code.Class != trace.ClassNop && !q.needs[i]
}

// waited reports whether what needs a quotient needs the result of an operation as well: a value in a
// general register, or a condition that becomes one.
func (q *quotients) waited(i int32) bool {
	predicate := q.s.predicates[q.g.writes(i)[0]] > 0
	for _, next := range q.g.behind(i) {
		if q.needs[next] && q.reads(next, i) && (!predicate || q.selects(next)) {
			return true
		}
	}
	return false
}

// selects reports whether a value is made of the result of an operation, in all lanes.
func (q *quotients) selects(i int32) bool {
	return slices.ContainsFunc(q.g.behind(i), func(next int32) bool {
		made := q.g.writes(next)
		return len(made) > 0 && q.s.predicates[made[0]] == 0 && q.ops[next].Guard.Kind != ir.Reg && q.reads(next, i)
	})
}

// reads reports whether an operation reads what another writes.
func (q *quotients) reads(i, written int32) bool {
	made := q.g.writes(written)
	return slices.ContainsFunc(q.g.reads(i), func(x read) bool { return slices.Contains(made, x.register) })
}

// order is the order in which operations go first; nil where none does. Where conditions become values,
// all go first that fit into a thread's registers, and of one division all but the last ones.
func (q *quotients) order(condition bool, out []ir.Register, t *Target) []int32 {
	most := 0
	for k := range q.stretches {
		most = max(most, len(q.stretches[k].groups))
	}
	count := 0
	switch {
	case condition && len(q.stretches) == 1:
		count = q.fit(max(most-spared, 0), t.All, out)
	case condition:
		count = q.fit(most, t.All, out)
	default:
		q.early = !slices.ContainsFunc(q.stretches, func(x stretch) bool { return x.stays })
		if q.early {
			count = q.fit(most, t.Registers, out)
		}
		if count < most {
			q.early = false
			count = q.fit(most, t.Quotients, out)
		}
	}
	if count == 0 {
		return nil
	}
	return q.with(count)
}

// fit is how many groups of each stretch, and no more than most, may go first with so many registers.
func (q *quotients) fit(most, room int, out []ir.Register) int {
	ops := make([]ir.Op, len(q.ops))
	count := sort.Search(most, func(n int) bool {
		for to, from := range q.with(n + 1) {
			ops[to] = q.ops[from]
		}
		q.s.table.list(ops)
		live, _ := q.s.walk(ops, out, nil)
		return int(live.words) > room
	})
	return count
}

// with is the order in which so many groups of each stretch go first.
func (q *quotients) with(count int) []int32 {
	order := make([]int32, 0, len(q.ops))
	upTo := func(end int32) {
		for i := int32(len(order)); i < end; i++ {
			order = append(order, i)
		}
	}
	for k := range q.stretches {
		x := &q.stretches[k]
		moved := make([]bool, x.end-x.first)
		for _, list := range x.groups[:min(count, len(x.groups))] {
			for _, i := range list {
				moved[i-x.first] = true
			}
		}
		take := func(those bool) {
			for i := x.first; i < x.end; i++ {
				if moved[i-x.first] == those {
					order = append(order, i)
				}
			}
		}
		if q.early {
			upTo(x.call)
			take(true)
			for i := x.call; i < x.first; i++ {
				order = append(order, i)
			}
		} else {
			upTo(x.first)
			take(true)
		}
		take(false)
	}
	upTo(int32(len(q.ops)))
	return order
}
