// SPDX-License-Identifier: Apache-2.0

package cache

import "github.com/warptape/warptape/timing/limits"

// MSHRs are the miss status holding registers of a cache (Kroft,
// ISCA 1981), one per outstanding sector, each with the accesses that wait for
// it in order. A waiter is a number of the owner's.
type MSHRs struct {
	limit   limits.Limit // of the registers in use that were taken for a demand
	merges  limits.Limit // of the waiters of a register
	entries []mshr
	free    int32
	used    int
	nodes   []waiter
	spare   int32
}

type mshr struct {
	line        int32 // index in the tags
	sector      uint8
	alone       bool   // id is the first waiter
	id          uint32 // that came when there was none: most have no other
	count       int32
	first, last int32 // nodes of the other waiters; -1 without any
	next        int32 // free list
}

type waiter struct {
	id   uint32
	next int32
}

// NewMSHRs makes n MSHRs of at most merges waiters each.
func NewMSHRs(n, merges int) *MSHRs {
	r := &MSHRs{limit: limits.New(n), merges: limits.New(merges), entries: make([]mshr, n), spare: -1}
	for i := range r.entries {
		r.entries[i] = mshr{first: -1, last: -1, next: int32(i) + 1}
	}
	r.entries[n-1].next = -1
	return r
}

// Free is the number of MSHRs that are not in use. What a replay does depends on it by Lacks
// only, but for prefetchers: see package limits.
func (r *MSHRs) Free() int { return len(r.entries) - r.used }

// Lacks reports whether fewer than n MSHRs, at least one, are free once beside others are
// taken.
func (r *MSHRs) Lacks(n, beside int) bool { return r.limit.Full(r.used + beside + n - 1) }

// Certify says to which numbers of MSHRs and of waiters it has come. Of the MSHRs, reserved
// are not among those that the key describes.
func (r *MSHRs) Certify(c *limits.Certificate, section string, reserved int) {
	c.Add(section+".mshrs", &r.limit, reserved)
	c.Add(section+".mshr_merges", &r.merges, 0)
}

// Used is the number of outstanding sectors.
func (r *MSHRs) Used() int { return r.used }

// CanMerge reports whether one more access may wait on register m.
func (r *MSHRs) CanMerge(m int) bool { return !r.merges.Full(int(r.entries[m].count)) }

// Take gives a free register to a sector of a line; there is one.
func (r *MSHRs) Take(line, sector int) int {
	m := r.free
	e := &r.entries[m]
	r.free = e.next
	e.line, e.sector = int32(line), uint8(sector)
	r.used++
	return int(m)
}

// TakeFor is Take for the first waiter of the sector.
func (r *MSHRs) TakeFor(line, sector int, id uint32) int {
	m := r.Take(line, sector)
	e := &r.entries[m]
	e.alone, e.id, e.count = true, id, 1
	return m
}

// Wait appends a waiter to register m.
func (r *MSHRs) Wait(m int, id uint32) {
	e := &r.entries[m]
	if e.count++; e.count == 1 {
		e.alone, e.id = true, id
		return
	}
	r.queue(e, id)
}

// queue appends a waiter to those behind the first.
func (r *MSHRs) queue(e *mshr, id uint32) {
	n := r.spare
	if n < 0 {
		n = int32(len(r.nodes))
		r.nodes = append(r.nodes, waiter{})
	} else {
		r.spare = r.nodes[n].next
	}
	r.nodes[n] = waiter{id: id, next: -1}
	if e.last < 0 {
		e.first = n
	} else {
		r.nodes[e.last].next = n
	}
	e.last = n
}

// Sector is the line index and the sector of register m.
func (r *MSHRs) Sector(m int) (line, sector int) {
	e := &r.entries[m]
	return int(e.line), int(e.sector)
}

// Waiters is the number of reads that wait for register m.
func (r *MSHRs) Waiters(m int) int { return int(r.entries[m].count) }

// Next takes the first waiter of register m; false when there is none left.
func (r *MSHRs) Next(m int) (uint32, bool) {
	e := &r.entries[m]
	if !e.alone {
		return r.unqueue(e)
	}
	e.alone = false
	e.count--
	return e.id, true
}

// unqueue takes the first of the waiters behind the first.
func (r *MSHRs) unqueue(e *mshr) (uint32, bool) {
	n := e.first
	if n < 0 {
		return 0, false
	}
	e.count--
	id := r.nodes[n].id
	e.first = r.nodes[n].next
	if e.first < 0 {
		e.last = -1
	}
	r.nodes[n].next = r.spare
	r.spare = n
	return id, true
}

// Release frees register m, which has no waiters.
func (r *MSHRs) Release(m int) {
	e := &r.entries[m]
	e.next, r.free = r.free, int32(m)
	r.used--
}
