// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"slices"

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
	rule    rule
	weights []int32 // by register: what it counts for
	after   []bool  // by register: live behind the stretch

	left    []int32 // by register: reads that are to come
	reader  []int32 // exclusive or of the operations that read it
	waits   []int32 // by operation: how many it waits for
	waited  []int32 // exclusive or of the operations that it waits for
	blocked []int32 // how many behind it wait for others too
	free    []int32 // how many behind it wait for nothing else
	done    []bool
	queue   queue
	so      progress
}

// begin begins an order of a stretch. most is what is live at most in the rest of the block.
func (p *byPressure) begin(g *graph, by rule, most load) {
	x := &g.start
	p.g, p.rule, p.weights, p.after = g, by, x.weights[by.counted], x.after
	p.left, p.reader = append(p.left[:0], x.left...), append(p.reader[:0], x.reader...)
	p.waits, p.waited = append(p.waits[:0], x.waits...), append(p.waited[:0], x.waited...)
	p.blocked, p.free = append(p.blocked[:0], x.blocked...), append(p.free[:0], x.free...)
	p.done = slices.Grow(p.done[:0], len(g.ops))[:len(g.ops)]
	clear(p.done)
	p.queue = p.queue[:0]
	p.so.begin(&g.values, most)
	for i := range g.length() {
		if p.waits[i] == 0 {
			p.push(i)
		}
	}
}

// reads and writes are the registers of an operation.
func (p *byPressure) reads(i int32) []reading {
	from, to := p.g.readPlaces(i)
	return p.g.start.read[from:to]
}

func (p *byPressure) writes(i int32) []int32 {
	from, to := p.g.writePlaces(i)
	return p.g.start.written[from:to]
}

// key is how early an operation should go, the least first.
type key struct {
	grows, net, useless, blocked, at int32
}

// entry is a key as two numbers. The first decides before the second. Where an operation grows nothing,
// its place alone counts. Such operations go before all others.
type entry struct{ first, second uint64 }

// middle is added to what may be negative.
const middle = 1 << 30

func (k *key) entry() entry {
	if k.grows <= 0 {
		return entry{0, uint64(k.at)}
	}
	return entry{1<<63 | uint64(k.net+middle)<<32 | uint64(k.grows)<<1 | uint64(k.useless), uint64(k.blocked)<<32 | uint64(k.at)}
}

// operation is the operation whose key it is.
func (e entry) operation() int32 { return int32(uint32(e.second)) }

// queue is a binary heap, the least first. Operations never tie, so what comes out does not
// depend on how it lies.
type queue []entry

func (e *entry) less(b *entry) bool {
	return e.first < b.first || e.first == b.first && e.second < b.second
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

// run puts the operations' places in the block in their order. It stops where the order
// costs as much as a bound. Then the most that is live in the block is no result.
func (p *byPressure) run(to []int32, bound int32) (most load, ok bool) {
	n := 0
	for len(p.queue) > 0 && p.so.most.cost() < bound {
		e := p.queue.pop()
		i := e.operation()
		if p.done[i] {
			continue
		}
		if now := p.keyOf(i); now != e {
			p.queue.push(now)
			continue
		}
		to[n] = p.g.first + i
		n++
		p.so.take(p.g, i)
		p.take(i)
	}
	return p.so.most, p.so.most.cost() < bound
}

func (p *byPressure) push(i int32) {
	if !p.done[i] && p.waits[i] == 0 {
		p.queue.push(p.keyOf(i))
	}
}

// keyOf says by how many registers an operation grows what is live, and how many wait.
func (p *byPressure) keyOf(i int32) entry {
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
	return k.entry()
}

// ends says by how much the operations that operation i alone lets go grow what is live.
// It takes the best of them, or all of them where they are all that read the result. An
// operation that begins a chain grows it. Where sums go on over loops, the register that
// a chain begins with counts as live till its end. So chains begin as late as they can.
func (p *byPressure) ends(i int32) int32 {
	best, all, reads := int32(1), int32(0), int32(0)
	behind := p.g.behind(i)
	p.s.Steps += uint64(len(behind))
	for _, next := range behind {
		if p.waits[next] != 1 {
			continue
		}
		grows := p.growth(next)
		best, all, reads = min(best, grows), all+grows, reads+1
	}
	if dst := p.writes(i); len(dst) == 1 && reads > 1 && reads == p.left[dst[0]] && !p.after[dst[0]] {
		best = min(best, all-p.weights[dst[0]])
	}
	return best
}

// growth says by how many registers an operation grows what is live.
func (p *byPressure) growth(i int32) int32 {
	writes, grows := p.writes(i), int32(0)
	for _, x := range p.reads(i) {
		if p.last(writes, x) {
			grows -= p.weights[x.register]
		}
	}
	if p.g.partial(i) {
		return grows
	}
	for _, r := range writes {
		if p.left[r] > 0 || p.after[r] {
			grows += p.weights[r]
		}
	}
	return grows
}

// last reports whether an operation that reads a register is the last to read it: also where
// what is live behind is what it writes there.
func (p *byPressure) last(writes []int32, x reading) bool {
	if p.after[x.register] {
		return slices.Contains(writes, x.register)
	}
	return p.left[x.register] == x.times
}

// take notes that an operation has gone.
func (p *byPressure) take(i int32) {
	p.done[i] = true
	for _, x := range p.reads(i) {
		p.left[x.register] -= x.times
		if x.times&1 != 0 {
			p.reader[x.register] ^= i
		}
		if p.left[x.register] == 1 {
			p.push(p.reader[x.register])
		}
	}
	for _, next := range p.g.behind(i) {
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
