// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// byPressure orders operations so that few registers are live. An operation that ends as
// many as it begins goes at once, in the order of the program. Then comes one for whose
// result alone another waits, before those whose readers all wait for something else. It is
// a list scheduler, n log n in the operations.
type byPressure struct {
	s       *Scheduler
	g       *graph
	after   []bool // by register: live behind the stretch
	rule    rule
	weights []int32 // by register: what it counts for

	left   []int32 // by register: reads that are to come
	reader []int32 // exclusive or of the operations that read it
	orderScratch
}

// orderScratch is by operation, and kept from one stretch to the next.
type orderScratch struct {
	waits   []int32 // how many it waits for
	waited  []int32 // exclusive or of those
	blocked []int32 // how many behind it wait for others too
	free    []int32 // how many behind it wait for nothing else
	done    []bool
	queue   queue
	out     []int32
}

// ready makes room for the n operations of a graph.
func (o *orderScratch) ready(g *graph) {
	n := len(g.ops)
	o.waits = append(o.waits[:0], g.before...)
	for _, list := range []*[]int32{&o.waited, &o.blocked, &o.free} {
		*list = append((*list)[:0], o.waits...)
		clear(*list)
	}
	if cap(o.done) < n {
		o.done = make([]bool, n)
	}
	o.done = o.done[:n]
	clear(o.done)
	o.queue, o.out = o.queue[:0], o.out[:0]
}

// key is how early an operation should go, the least first.
type key struct {
	grows, net, useless, blocked, at int32
}

type entry struct {
	key
	op int32
}

// queue is a binary heap, the least first. Operations never tie, so what comes out does not
// depend on how it lies.
type queue []entry

func (a *entry) less(b *entry) bool {
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

func (q *queue) push(e entry) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.less(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
	*q = h
}

func (q *queue) pop() entry {
	h := *q
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; len(h) > 0; {
		down := 2*i + 1
		if down+1 < len(h) && h[down+1].less(&h[down]) {
			down++
		}
		if down >= len(h) || !h[down].less(&last) {
			h[i] = last
			break
		}
		h[i] = h[down]
		i = down
	}
	*q = h
	return top
}

// words are the general registers of a register.
func words(f *ir.Function, r ir.Register) int32 {
	if f.Registers[r].File == trace.FilePredicate {
		return 0
	}
	return int32(f.Registers[r].Words)
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
	p.ready(p.g)
	for i := range p.g.ops {
		for _, next := range p.g.next[i] {
			p.waited[next] ^= int32(i)
		}
		for _, x := range p.g.reads(int32(i)) {
			p.left[x.register] += x.times
			if x.times&1 != 0 {
				p.reader[x.register] ^= int32(i)
			}
		}
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
	for len(p.queue) > 0 {
		e := p.queue.pop()
		if p.done[e.op] {
			continue
		}
		if now := p.keyOf(e.op); now != e.key {
			p.queue.push(entry{now, e.op})
			continue
		}
		p.out = append(p.out, e.op)
		p.take(e.op)
	}
	for i := range p.g.ops { // for the next stretch
		for _, x := range p.g.reads(int32(i)) {
			p.left[x.register], p.reader[x.register] = 0, 0
		}
	}
	return p.out
}

func (p *byPressure) push(i int32) {
	if !p.done[i] && p.waits[i] == 0 {
		p.queue.push(entry{p.keyOf(i), i})
	}
}

// keyOf says by how many registers an operation grows what is live, and how many wait.
func (p *byPressure) keyOf(i int32) key {
	p.s.Steps++
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

// ends says by how much the operations that operation i alone lets go grow what is live.
// It takes the best of them, or all of them where they are all that read the result. An
// operation that begins a chain grows it. Where sums go on over loops, the register that
// a chain begins with counts as live till its end. So chains begin as late as they can.
func (p *byPressure) ends(i int32) int32 {
	best, all, reads := int32(1), int32(0), int32(0)
	p.s.Steps += uint64(len(p.g.next[i]))
	for _, next := range p.g.next[i] {
		if p.waits[next] != 1 {
			continue
		}
		grows := p.growth(next)
		best, all, reads = min(best, grows), all+grows, reads+1
	}
	op := &p.g.ops[i]
	if len(op.Dst) == 1 && reads > 1 && reads == p.left[op.Dst[0]] && !p.after[op.Dst[0]] {
		best = min(best, all-p.weights[op.Dst[0]])
	}
	return best
}

// growth says by how many registers an operation grows what is live.
func (p *byPressure) growth(i int32) int32 {
	op := &p.g.ops[i]
	grows := int32(0)
	for _, x := range p.g.reads(i) {
		if p.last(op, x) {
			grows -= p.weights[x.register] * x.times
		}
	}
	for _, r := range op.Dst {
		if !op.Partial && p.left[r] > 0 || p.after[r] && !op.Partial {
			grows += p.weights[r]
		}
	}
	return grows
}

// last reports whether an operation that reads a register is the last to read it.
func (p *byPressure) last(op *ir.Op, x read) bool {
	if p.after[x.register] {
		for _, d := range op.Dst {
			if d == x.register {
				return true // it begins anew
			}
		}
		return false
	}
	return p.left[x.register] == x.times
}

// take notes that an operation has gone.
func (p *byPressure) take(i int32) {
	p.done[i] = true
	for _, x := range p.g.reads(i) {
		p.left[x.register] -= x.times
		if x.times&1 != 0 {
			p.reader[x.register] ^= i
		}
		if p.left[x.register] == 1 {
			p.push(p.reader[x.register])
		}
	}
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
