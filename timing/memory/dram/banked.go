package dram

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/ring"
)

// Banked is a channel with banks, row buffers and one command a cycle. Rows
// stay open until another row of the bank is wanted, or it is refreshed.
//
// FR-FCFS (Rixner et al., ISCA 2000): of the column commands that may issue now
// the oldest, otherwise of the activates and precharges that may issue now the
// oldest, where a bank is not precharged as long as a waiting request hits its
// open row. Mixed reads and writes wait in one queue: because a command of the
// other direction is not ready until the bus has turned, the direction of the bus
// changes only when no ready command keeps it, which drains writes in batches.
// With a queue of their own writes wait as arch.DRAM.Writes says.
// An old conflict can wait as long as younger hits to its bank keep coming;
// like GPGPU-Sim's, the scheduler has no limit to that but its queue.
// FCFS considers the oldest request only.
type Banked struct {
	timing   Timing
	sink     Sink
	capacity int // of the scheduler's queue, reads and writes together
	burst    int32
	inOrder  bool
	writes   writeDrain
	refresh  refresher
	extra    int64

	banks     []bank
	groups    []group
	group     int   // bank & group is the bank's group
	readAt    int64 // earliest read command
	writeAt   int64 // earliest write command
	rowAt     int64 // earliest activate
	activates [4]int64
	activated int // place in activates of the oldest of the last four
	entries   []entry
	free      int32
	queued    [queues]int
	arrivals  uint64
	waiting   [queues]uint64 // banks with requests
	hits      [queues]uint64 // banks of which a waiting request hits the open row
	hitWrites [queues]uint64 // of these, those whose first such request is a write
	open      uint64         // banks with an open row
	incoming  ring.Ring[delayed]
	entering  int // that incoming may hold
	data      ring.Ring[datum]
	refused   bool
	idle      bool // no request waited at the end of the last cycle
	inside    int
	counts    *counters.Set
	observe   func(now int64, c command, bank int32, row int64) // nil outside tests
}

// command is what the channel tells its banks.
type command uint8

const (
	activate command = iota
	precharge
	readBurst
	writeBurst
	refreshBanks
)

// The queues of requests: mixed ones are all in the first.
const (
	mainQueue = iota
	writeQueue
	queues
)

// bank is one bank with its waiting requests in order of arrival.
type bank struct {
	row         int64 // the open row, noRow when precharged
	columnAt    int64 // earliest column command
	activateAt  int64
	prechargeAt int64
	queues      [queues]bankQueue
}

// bankQueue names entries: oldest, youngest, oldest of the open row.
type bankQueue struct{ head, tail, hit int32 }

// group is a bank group: the earliest column, read and activate command.
type group struct{ columnAt, readAt, rowAt int64 }

// entry is one request in the scheduler's queue.
type entry struct {
	row    int64
	order  uint64 // of arrival
	id     uint32
	bursts int32
	next   int32
	bank   int32
	write  bool
	opened bool // its row was opened for it
}

const (
	none  = int32(-1)
	noRow = int64(-1)
	// longAgo is a time of which no constraint is left.
	longAgo = int64(-1) << 40
)

// NewBanked makes a channel of a machine whose model is "banked"; it counts into
// counts.
func NewBanked(d *arch.DRAM, counts *counters.Set, sink Sink) *Banked {
	c := &Banked{
		timing: NewTiming(d), counts: counts, sink: sink, capacity: d.Queue, burst: int32(d.BurstBytes),
		inOrder: d.Scheduler == "fcfs", extra: int64(d.ExtraCycles),
		writes: newWriteDrain(d), refresh: newRefresher(d), idle: true,
		activates: [4]int64{longAgo, longAgo, longAgo, longAgo},
		banks:     make([]bank, d.Banks), groups: make([]group, d.BankGroups), group: d.BankGroups - 1,
		entries:  make([]entry, d.Queue),
		incoming: ring.New[delayed](d.ExtraCycles + 1), entering: d.ExtraCycles + 1, data: ring.New[datum](d.TCL + d.BurstCycles + 1),
	}
	for i := range c.banks {
		empty := bankQueue{head: none, tail: none, hit: none}
		c.banks[i] = bank{row: noRow, queues: [queues]bankQueue{empty, empty}}
	}
	for i := range c.entries {
		c.entries[i].next = int32(i) + 1
	}
	c.entries[len(c.entries)-1].next = none
	return c
}

// Offer implements Channel: a request spends the machine's extra cycles on the
// way to the scheduler's queue, which bounds what it accepts.
func (c *Banked) Offer(now int64, r Request) bool {
	if c.incoming.Len() == c.entering {
		c.refused = true
		return false
	}
	c.incoming.Push(delayed{request: r, at: now + c.extra})
	c.inside++
	return true
}

// InFlight implements Channel.
func (c *Banked) InFlight() int { return c.inside }

// Cycle implements Channel.
func (c *Banked) Cycle(now int64) int64 {
	if c.idle {
		c.catchUp(now)
	}
	c.deliver(now)
	c.accept(now)
	next := Never
	if c.idle = c.requests() == 0; !c.idle {
		next = c.schedule(now)
		c.idle = c.requests() == 0
	}
	if c.data.Len() > 0 {
		next = min(next, c.data.Head().at)
	}
	if c.incoming.Len() > 0 && c.requests() < c.capacity {
		next = min(next, max(c.incoming.Head().at, now+1))
	}
	return next
}

// requests is the number that wait for the scheduler.
func (c *Banked) requests() int { return c.queued[mainQueue] + c.queued[writeQueue] }

// deliver hands over the data that have left the channel.
func (c *Banked) deliver(now int64) {
	for c.data.Len() > 0 && c.data.Head().at <= now {
		id := c.data.Pop().id
		c.inside--
		c.sink.Done(id)
	}
}

// accept moves requests from the delay in front into the queue.
func (c *Banked) accept(now int64) {
	for c.incoming.Len() > 0 && c.incoming.Head().at <= now && c.requests() < c.capacity {
		c.enqueue(c.incoming.Pop().request)
		if c.refused {
			c.refused = false
			c.sink.Freed()
		}
	}
}

func (c *Banked) enqueue(r Request) {
	i := c.free
	e := &c.entries[i]
	c.free = e.next
	*e = entry{row: r.Row, order: c.arrivals, id: r.ID, bursts: (r.Bytes + c.burst - 1) / c.burst, next: none, bank: r.Bank, write: r.Write}
	c.arrivals++
	if r.Write {
		c.counts[counters.DRAMWriteBytes] += uint64(r.Bytes)
	} else {
		c.counts[counters.DRAMReadBytes] += uint64(r.Bytes)
	}
	q := c.queueOf(e)
	c.queued[q]++
	b := &c.banks[r.Bank]
	list := &b.queues[q]
	if list.head == none {
		list.head = i
		c.waiting[q] |= 1 << r.Bank
	} else {
		c.entries[list.tail].next = i
	}
	list.tail = i
	if list.hit == none && b.row == e.row {
		c.setHit(e.bank, q, i)
	}
}

// setHit makes entry i the oldest of a bank's open row; it may be none.
func (c *Banked) setHit(k int32, q int, i int32) {
	bit := uint64(1) << k
	c.banks[k].queues[q].hit = i
	c.hits[q] &^= bit
	c.hitWrites[q] &^= bit
	if i == none {
		return
	}
	c.hits[q] |= bit
	if c.entries[i].write {
		c.hitWrites[q] |= bit
	}
}

// queueOf is the queue of an entry.
func (c *Banked) queueOf(e *entry) int {
	if e.write && c.writes.apart {
		return writeQueue
	}
	return mainQueue
}

// schedule issues at most one command and returns a cycle before which no other
// can issue.
func (c *Banked) schedule(now int64) int64 {
	closed, next, issued := c.refreshStep(now)
	if issued {
		return now + 1
	}
	q := c.serve()
	waiting := c.waiting[q] &^ closed
	hits := waiting & c.hits[q]
	if c.inOrder && c.waiting[q] != 0 {
		k := c.oldestBank(q)
		waiting &= 1 << k
		if list := &c.banks[k].queues[q]; list.hit != list.head {
			hits = 0
		}
		hits &= waiting
	}
	column, at := c.columns(now, q, hits)
	if column != none {
		c.column(now, column)
		return now + 1
	}
	next = min(next, at)
	row, at := c.rows(now, q, waiting&^hits)
	if row != none {
		c.openOrClose(now, row)
		return now + 1
	}
	return min(next, at)
}

// columns is the oldest request of those that hit in the given banks whose command
// may issue now; when there is none, a cycle before which none may.
func (c *Banked) columns(now int64, q int, hits uint64) (int32, int64) {
	best, next := none, Never
	for _, d := range [...]struct {
		banks uint64
		at    int64
	}{{hits &^ c.hitWrites[q], c.readAt}, {hits & c.hitWrites[q], c.writeAt}} {
		if d.at > now && d.banks != 0 {
			next = min(next, d.at)
			continue
		}
		for m := d.banks; m != 0; m &= m - 1 {
			k := int32(bits.TrailingZeros64(m))
			b := &c.banks[k]
			hit := b.queues[q].hit
			if at := c.columnReady(k, b, hit); at > now {
				next = min(next, at)
			} else {
				best = c.older(best, hit)
			}
		}
	}
	return best, next
}

// rows is like columns for requests that need an activate or a precharge.
func (c *Banked) rows(now int64, q int, banks uint64) (int32, int64) {
	best, next := none, Never
	if c.rowAt > now && banks&^c.open != 0 {
		next = c.rowAt
		banks &= c.open
	}
	for m := banks; m != 0; m &= m - 1 {
		k := int32(bits.TrailingZeros64(m))
		b := &c.banks[k]
		if at := c.rowReady(k, b); at > now {
			next = min(next, at)
		} else {
			best = c.older(best, b.queues[q].head)
		}
	}
	return best, next
}

// older gives the entry that arrived first; a may be none.
func (c *Banked) older(a, b int32) int32 {
	if a == none || c.entries[b].order < c.entries[a].order {
		return b
	}
	return a
}

func (c *Banked) oldestBank(q int) int32 {
	first := none
	for m := c.waiting[q]; m != 0; m &= m - 1 {
		first = c.older(first, c.banks[bits.TrailingZeros64(m)].queues[q].head)
	}
	return c.entries[first].bank
}

func (c *Banked) columnReady(k int32, b *bank, i int32) int64 {
	g := &c.groups[int(k)&c.group]
	if c.entries[i].write {
		return max(b.columnAt, c.writeAt, g.columnAt)
	}
	return max(b.columnAt, c.readAt, g.columnAt, g.readAt)
}

func (c *Banked) rowReady(k int32, b *bank) int64 {
	if b.row == noRow {
		return max(b.activateAt, c.rowAt, c.groups[int(k)&c.group].rowAt)
	}
	return b.prechargeAt
}
