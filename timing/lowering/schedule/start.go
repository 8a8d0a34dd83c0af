// SPDX-License-Identifier: Apache-2.0

package schedule

import "github.com/warptape/warptape/timing/lowering/ir"

// start is what all orders of a stretch begin with. Registers have numbers of their own there,
// by which lists lie close together.
type start struct {
	// read and written are the registers in the lists of the stretch's operations.
	read    []reading
	written []int32

	left    []int32    // by register: reads in the stretch
	reader  []int32    // exclusive or of the operations that read it
	after   []bool     // live behind the stretch
	weights [3][]int32 // what it counts for, by rule.counted

	waits   []int32 // by operation: how many it waits for
	waited  []int32 // exclusive or of the operations that it waits for
	blocked []int32 // how many behind it wait for others too
	free    []int32 // how many behind it wait for nothing else
}

// reading is a register that an operation reads, and how often.
type reading struct{ register, times int32 }

// prepare finds what orders of a stretch begin with. s.after are the registers that are live
// behind it.
func (s *Scheduler) prepare(g *graph) {
	x := &g.start
	x.read, x.written, x.left, x.reader, x.after = x.read[:0], x.written[:0], x.left[:0], x.reader[:0], x.after[:0]
	for counted := range x.weights {
		x.weights[counted] = x.weights[counted][:0]
	}
	for i := range g.length() {
		for _, r := range g.reads(i) {
			n := s.local(x, r.register)
			x.read = append(x.read, reading{n, r.times})
			x.left[n] += r.times
			if r.times&1 != 0 {
				x.reader[n] ^= i
			}
		}
		for _, r := range g.writes(i) {
			x.written = append(x.written, s.local(x, r))
		}
	}
	for _, r := range g.allReads() { // for the next stretch
		s.scratch.local[r.register] = 0
	}
	for _, r := range g.allWrites() {
		s.scratch.local[r] = 0
	}
	x.waiting(g)
}

// local is the number of a register in the stretch at hand.
func (s *Scheduler) local(x *start, r ir.Register) int32 {
	if n := s.scratch.local[r]; n > 0 {
		return n - 1
	}
	x.left, x.reader, x.after = append(x.left, 0), append(x.reader, 0), append(x.after, s.after[r])
	for counted := range x.weights {
		x.weights[counted] = append(x.weights[counted], s.general[r]+int32(counted)*s.predicates[r])
	}
	s.scratch.local[r] = int32(len(x.left))
	return int32(len(x.left)) - 1
}

// waiting counts what operations wait for.
func (x *start) waiting(g *graph) {
	x.waits = g.counts(x.waits)
	x.waited, x.blocked, x.free = zeros(x.waited, len(g.ops)), zeros(x.blocked, len(g.ops)), zeros(x.free, len(g.ops))
	for i := range g.length() {
		for _, next := range g.behind(i) {
			x.waited[next] ^= i
			if x.waits[next] > 1 {
				x.blocked[i]++
			} else {
				x.free[i]++
			}
		}
	}
}
