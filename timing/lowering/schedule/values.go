// SPDX-License-Identifier: Apache-2.0

package schedule

import "github.com/warptape/warptape/timing/lowering/ir"

// load is how many registers are live, and how many of the predicates that a block makes.
type load struct{ words, predicates int32 }

func (l load) plus(o load) load  { return load{l.words + o.words, l.predicates + o.predicates} }
func (l load) minus(o load) load { return load{l.words - o.words, l.predicates - o.predicates} }

func (l load) most(o load) load {
	return load{max(l.words, o.words), max(l.predicates, o.predicates)}
}

// cost weighs an order by the most that it makes live: registers, and what predicates too
// many cost, which are kept in registers.
func (l load) cost() int32 { return l.words + 4*max(l.predicates-Predicates, 0) }

// values are those that the operations of a stretch make and read. In every order that the
// graph allows, the same operations read what an operation makes. So what is live can be
// counted while an order is being made.
type values struct {
	// read and written are the values in the lists of the stretch's operations.
	read, written []int32
	readers       []int32 // by value: operations that read it
	behind        []bool  // whether it is live behind the stretch
	weight        []load
	before        load // what is live in front of the stretch
}

// killed marks a register whose value behind the operation at hand is another.
const killed = -1

// number finds the values of a stretch, from its last operation back to its first. live is
// what is live behind it, and is what is live in front of it when this is done.
func (s *Scheduler) number(g *graph, live *load) {
	v, t, of := &g.values, &s.table, s.scratch.value
	v.readers, v.behind, v.weight = v.readers[:0], v.behind[:0], v.weight[:0]
	v.read, v.written = zeros(v.read, len(g.allReads())), zeros(v.written, len(g.allWrites()))
	reads, writes := len(v.read), len(v.written)
	for i := g.length() - 1; i >= 0; i-- {
		list := g.writes(i)
		writes -= len(list)
		for k, r := range list {
			v.written[writes+k] = s.value(v, r)
			if !t.partial[g.first+i] {
				of[r] = killed
			}
		}
		read := g.reads(i)
		reads -= len(read)
		for k := range read {
			n := s.value(v, read[k].register)
			v.read[reads+k] = n
			v.readers[n]++
		}
		s.back(g.first+i, live)
	}
	v.before = *live
	for _, r := range g.allWrites() { // for the next stretch
		of[r] = 0
	}
	for _, x := range g.allReads() {
		of[x.register] = 0
	}
}

// value is the number of the value that a register has at the operation at hand.
func (s *Scheduler) value(v *values, r ir.Register) int32 {
	x := s.scratch
	n := x.value[r]
	if n > 0 {
		return n - 1
	}
	v.readers, v.behind, v.weight = append(v.readers, 0), append(v.behind, n != killed && x.is[r]), append(v.weight, s.weigh(r))
	x.value[r] = int32(len(v.readers))
	return x.value[r] - 1
}

// progress counts what is live while an order of a stretch is being made.
type progress struct {
	values *values
	left   []int32 // by value: readers that are to come
	live   load
	most   load
}

// begin begins an order. most is that of other stretches of the block.
func (p *progress) begin(v *values, most load) {
	p.values, p.live, p.most = v, v.before, most
	p.left = append(p.left[:0], v.readers...)
}

// take counts an operation as the next one.
func (p *progress) take(g *graph, i int32) {
	v, before := p.values, p.live
	from, to := g.readPlaces(i)
	for _, n := range v.read[from:to] {
		if p.left[n]--; p.left[n] == 0 && !v.behind[n] {
			p.live = p.live.minus(v.weight[n])
		}
	}
	unread := load{} // written, and not read
	from, to = g.writePlaces(i)
	for _, n := range v.written[from:to] {
		switch {
		case p.left[n] == 0 && !v.behind[n]:
			unread = unread.plus(v.weight[n])
		case !g.partial(i):
			p.live = p.live.plus(v.weight[n])
		}
	}
	p.most = p.most.most(before).most(p.live.plus(unread))
}
