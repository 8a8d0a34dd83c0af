// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"container/heap"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// byPressure orders operations so that few registers are live: an operation that ends as
// many as it begins goes at once, in the order of the program; then one for whose result
// alone another waits, before those whose readers all wait for something else. It is a list
// scheduler, n log n in the operations.
type byPressure struct {
	f     *ir.Function
	g     *graph
	after []bool // by register: live behind the stretch
	rule  rule

	left    []int32 // by register: reads that are to come
	reader  []int32 // exclusive or of the operations that read it
	waits   []int32 // by operation: how many it waits for
	waited  []int32 // exclusive or of those
	blocked []int32 // how many behind it wait for others too
	free    []int32 // how many behind it wait for nothing else
	done    []bool
	queue   queue
}

// key is how early an operation should go, the least first.
type key struct {
	grows, net, useless, blocked, at int32
}

type entry struct {
	key
	op int32
}

type queue []entry

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	if a.grows <= 0 && b.grows <= 0 {
		return a.at < b.at
	}
	if a.grows <= 0 || b.grows <= 0 {
		return a.grows < b.grows
	}
	if a.net != b.net {
		return a.net < b.net
	}
	if a.grows != b.grows {
		return a.grows < b.grows
	}
	if a.useless != b.useless {
		return a.useless < b.useless
	}
	if a.blocked != b.blocked {
		return a.blocked < b.blocked
	}
	return a.at < b.at
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(entry)) }
func (q *queue) Pop() any {
	n := len(*q)
	x := (*q)[n-1]
	*q = (*q)[:n-1]
	return x
}

// words are the general registers of a register.
func words(f *ir.Function, r ir.Register) int32 {
	if f.Registers[r].File == trace.FilePredicate {
		return 0
	}
	return int32(f.Registers[r].Words)
}

// weight is what a register counts for when operations are ordered.
func (p *byPressure) weight(r ir.Register) int32 {
	return words(p.f, r) + p.rule.counted*predicate(p.f, r)
}

// predicate is one for a predicate.
func predicate(f *ir.Function, r ir.Register) int32 {
	if f.Registers[r].File == trace.FilePredicate {
		return 1
	}
	return 0
}

// order gives the operations' numbers in their order.
func (p *byPressure) order() []int32 {
	n := len(p.g.ops)
	p.waits, p.waited, p.blocked, p.free, p.done = make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n), make([]bool, n)
	copy(p.waits, p.g.before)
	for i := range p.g.ops {
		for _, next := range p.g.next[i] {
			p.waited[next] ^= int32(i)
		}
		p.g.ops[i].EachRead(func(r ir.Register) {
			p.left[r]++
			p.reader[r] ^= int32(i)
		})
	}
	for i := range p.g.ops {
		for _, next := range p.g.next[i] {
			if p.waits[next] > 1 {
				p.blocked[i]++
			} else {
				p.free[i]++
			}
		}
	}
	for i := range p.g.ops {
		if p.waits[i] == 0 {
			p.push(int32(i))
		}
	}
	order := make([]int32, 0, n)
	for len(p.queue) > 0 {
		e := heap.Pop(&p.queue).(entry)
		if p.done[e.op] {
			continue
		}
		if now := p.keyOf(e.op); now != e.key {
			heap.Push(&p.queue, entry{now, e.op})
			continue
		}
		order = append(order, e.op)
		p.take(e.op)
	}
	for i := range p.g.ops { // for the next stretch
		p.g.ops[i].EachRead(func(r ir.Register) { p.left[r], p.reader[r] = 0, 0 })
	}
	return order
}

func (p *byPressure) push(i int32) {
	if !p.done[i] && p.waits[i] == 0 {
		heap.Push(&p.queue, entry{p.keyOf(i), i})
	}
}

// keyOf says by how many registers an operation grows what is live, and how many wait.
func (p *byPressure) keyOf(i int32) key {
	k := key{grows: p.growth(i), blocked: p.blocked[i], at: i}
	k.net = k.grows
	if p.rule.useful && p.free[i] == 0 {
		k.useless = 1
	}
	if p.rule.looks && k.grows > 0 {
		k.net += p.ends(i)
	}
	if p.rule.constants {
		k.blocked = 0
		if op := &p.g.ops[i]; op.Memory && op.Effect == ir.Pure {
			k.net = min(k.net, k.grows)
		}
	}
	return k
}

// ends says by how much what an operation alone lets go grows what is live: the best of
// those operations, or all of them, where they are all that read the result. An operation
// that begins a chain grows it: where sums go on over loops, the register that a chain
// begins with counts as live till its end, so that chains begin as late as they can.
func (p *byPressure) ends(i int32) int32 {
	best, all, reads := int32(1), int32(0), int32(0)
	for _, next := range p.g.next[i] {
		if p.waits[next] != 1 {
			continue
		}
		grows := p.growth(next)
		best, all, reads = min(best, grows), all+grows, reads+1
	}
	op := &p.g.ops[i]
	if len(op.Dst) == 1 && reads > 1 && reads == p.left[op.Dst[0]] && !p.after[op.Dst[0]] {
		best = min(best, all-p.weight(op.Dst[0]))
	}
	return best
}

// growth says by how many registers an operation grows what is live.
func (p *byPressure) growth(i int32) int32 {
	op := &p.g.ops[i]
	grows := int32(0)
	op.EachRead(func(r ir.Register) {
		if p.last(op, i, r) {
			grows -= p.weight(r)
		}
	})
	for _, r := range op.Dst {
		if !op.Partial && p.left[r] > 0 || p.after[r] && !op.Partial {
			grows += p.weight(r)
		}
	}
	return grows
}

// last reports whether nobody reads a register behind an operation that reads it.
func (p *byPressure) last(op *ir.Op, i int32, r ir.Register) bool {
	if p.after[r] {
		for _, d := range op.Dst {
			if d == r {
				return true // it begins anew
			}
		}
		return false
	}
	own := int32(0)
	op.EachRead(func(x ir.Register) {
		if x == r {
			own++
		}
	})
	return p.left[r] == own
}

// take notes that an operation has gone.
func (p *byPressure) take(i int32) {
	p.done[i] = true
	op := &p.g.ops[i]
	op.EachRead(func(r ir.Register) {
		p.left[r]--
		p.reader[r] ^= i
		if p.left[r] == 1 {
			if n := p.reader[r]; int(n) < len(p.g.ops) {
				p.push(n)
			}
		}
	})
	for _, next := range p.g.next[i] {
		p.waits[next]--
		p.waited[next] ^= i
		switch p.waits[next] {
		case 0:
			p.push(next)
		case 1:
			n := p.waited[next]
			p.blocked[n]--
			p.free[n]++
			p.push(n)
		}
	}
}
