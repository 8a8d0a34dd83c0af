// SPDX-License-Identifier: Apache-2.0

package dram

import "github.com/warptape/warptape/timing/counters"

// The queues of requests: mixed ones are all in the first.
const (
	mainQueue = iota
	writeQueue
	queues
)

// queue is requests that wait, by bank in order of arrival. The oldest of a bank,
// and the oldest of those for its open row, are known by their keys. The order of
// keys is that of arrival: the scheduler compares them without a look at the
// entries.
type queue struct {
	waiting   uint64 // banks with requests
	hits      uint64 // banks with a waiting request that hits the open row
	hitWrites uint64 // of these, those whose first such request is a write; others say nothing
	held      int
	head      [maxBanks]uint64 // by bank: the key of the oldest, if one waits
	hit       [maxBanks]uint64 // the key of the oldest of the open row, if one waits
	tail      [maxBanks]int32  // the entry of the youngest, if one waits
}

// entry is one request in the scheduler's queue.
type entry struct {
	row    int64
	key    uint64 // the number of its arrival, and below that of the entry
	id     uint32
	bursts int32
	next   int32
	bank   uint8
	write  bool
	opened bool // its row was opened for it
}

// A key's low bits are the number of the entry: arch.DRAM allows fewer of them.
const (
	entryBits = 16
	entryMask = 1<<entryBits - 1
	arrival   = 1 << entryBits
	noKey     = ^uint64(0)
)

// newEntries makes a list of free entries.
func newEntries(n int) []entry {
	entries := make([]entry, n)
	for i := range entries {
		entries[i].next = int32(i) + 1
	}
	entries[n-1].next = none
	return entries
}

// keyed is the entry of a key.
func (c *Banked) keyed(key uint64) *entry { return &c.entries[key&entryMask] }

// enqueue gives a request a free entry; there must be one.
func (c *Banked) enqueue(r *Request) {
	i := c.free
	e := &c.entries[i]
	key := c.arrivals | uint64(i)
	c.arrivals += arrival
	c.free = e.next
	c.held++
	k := uint(r.Bank) % maxBanks
	e.row, e.key, e.id, e.next, e.bank, e.write = r.Row, key, r.ID, none, uint8(k), r.Write
	e.bursts = (r.Bytes + c.burst - 1) >> (c.burstShift & 31)
	q := &c.queues[mainQueue]
	if r.Write {
		q = c.queueOfWrites()
		c.counts[counters.DRAMWriteBytes] += uint64(r.Bytes)
	} else {
		c.counts[counters.DRAMReadBytes] += uint64(r.Bytes)
	}
	q.held++
	bit := uint64(1) << k
	if q.waiting&bit == 0 {
		q.waiting |= bit
		q.head[k] = key
	} else {
		c.entries[q.tail[k]].next = i
	}
	q.tail[k] = i
	if q.hits&bit == 0 && c.banks.row[k] == r.Row {
		q.setHit(k, e)
	}
}

// queueOfWrites is the queue in which writes wait.
func (c *Banked) queueOfWrites() *queue {
	if c.writes.apart {
		return &c.queues[writeQueue]
	}
	return &c.queues[mainQueue]
}

// setHit makes an entry the oldest of the open row of bank k.
func (q *queue) setHit(k uint, e *entry) {
	bit := uint64(1) << k
	q.hit[k] = e.key
	q.hits |= bit
	if e.write {
		q.hitWrites |= bit
	} else {
		q.hitWrites &^= bit
	}
}

// noHits notes that no request is for the open row of bank k.
func (q *queue) noHits(k uint) { q.hits &^= 1 << k }

// findHit looks from entry i of bank k on for the first that is for the open row.
func (c *Banked) findHit(q *queue, k uint, i int32) {
	row := c.banks.row[k]
	for i != none {
		e := &c.entries[i]
		if e.row == row {
			q.setHit(k, e)
			return
		}
		i = e.next
	}
	q.noHits(k)
}

// unlink takes an entry that is not its head out of the list of bank k.
func (c *Banked) unlink(q *queue, k uint, e *entry) {
	i, before := int32(e.key&entryMask), int32(q.head[k]&entryMask)
	for c.entries[before].next != i {
		before = c.entries[before].next
	}
	c.entries[before].next = e.next
	if e.next == none {
		q.tail[k] = before
	}
}
