package dram

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/ring"
)

// Banked is a channel with banks, row buffers and one command a cycle. Rows
// stay open until another row of the bank is wanted.
//
// FR-FCFS (Rixner et al., ISCA 2000): of the column commands that may issue now
// the oldest, otherwise of the activates and precharges that may issue now the
// oldest, where a bank is not precharged as long as a waiting request hits its
// open row. Reads and writes wait in one queue: because a command of the other
// direction is not ready until the bus has turned, the direction of the bus
// changes only when no ready command keeps it, which drains writes in batches.
// An old conflict can wait as long as younger hits to its bank keep coming;
// like GPGPU-Sim's, the scheduler has no limit to that but its queue.
// FCFS considers the oldest request only.
type Banked struct {
	timing   Timing
	sink     Sink
	capacity int // of the scheduler's queue
	burst    int32
	inOrder  bool
	extra    int64

	banks    []bank
	groups   []int64 // per bank group: earliest column command
	group    int     // bank & group is the bank's group
	readAt   int64   // earliest read command
	writeAt  int64   // earliest write command
	rowAt    int64   // earliest activate
	entries  []entry
	free     int32
	queued   int
	arrivals uint64
	waiting  uint64 // banks with requests
	incoming ring.Ring[delayed]
	entering int // that incoming may hold
	data     ring.Ring[datum]
	refused  bool
	inside   int
	counts   *counters.Set
	observe  func(now int64, c command, bank int32, row int64) // nil outside tests
}

// command is what the channel tells its banks.
type command uint8

const (
	activate command = iota
	precharge
	readBurst
	writeBurst
)

// bank is one bank with its waiting requests in order of arrival.
type bank struct {
	row             int64 // the open row, noRow when precharged
	columnAt        int64 // earliest column command
	activateAt      int64
	prechargeAt     int64
	head, tail, hit int32 // entries: oldest, youngest, oldest of the open row
}

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
)

// NewBanked makes a channel of a machine whose model is "banked"; it counts into
// counts.
func NewBanked(d *arch.DRAM, counts *counters.Set, sink Sink) *Banked {
	c := &Banked{
		timing: NewTiming(d), counts: counts, sink: sink, capacity: d.Queue, burst: int32(d.BurstBytes),
		inOrder: d.Scheduler == "fcfs", extra: int64(d.ExtraCycles),
		banks: make([]bank, d.Banks), groups: make([]int64, d.BankGroups), group: d.BankGroups - 1,
		entries:  make([]entry, d.Queue),
		incoming: ring.New[delayed](d.ExtraCycles + 1), entering: d.ExtraCycles + 1, data: ring.New[datum](d.TCL + d.BurstCycles + 1),
	}
	for i := range c.banks {
		c.banks[i] = bank{row: noRow, head: none, tail: none, hit: none}
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
	c.deliver(now)
	c.accept(now)
	next := c.schedule(now)
	if c.data.Len() > 0 {
		next = min(next, c.data.Head().at)
	}
	if c.incoming.Len() > 0 && c.queued < c.capacity {
		next = min(next, max(c.incoming.Head().at, now+1))
	}
	return next
}

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
	for c.incoming.Len() > 0 && c.incoming.Head().at <= now && c.queued < c.capacity {
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
	c.queued++
	if r.Write {
		c.counts[counters.DRAMWriteBytes] += uint64(r.Bytes)
	} else {
		c.counts[counters.DRAMReadBytes] += uint64(r.Bytes)
	}
	b := &c.banks[r.Bank]
	if b.head == none {
		b.head = i
		c.waiting |= 1 << r.Bank
	} else {
		c.entries[b.tail].next = i
	}
	b.tail = i
	if b.hit == none && b.row == e.row {
		b.hit = i
	}
}

// schedule issues at most one command and returns the next cycle in which
// another could issue.
func (c *Banked) schedule(now int64) int64 {
	next, column, row := Never, none, none
	candidates := c.waiting
	if c.inOrder && candidates != 0 {
		candidates = 1 << c.oldestBank()
	}
	for m := candidates; m != 0; m &= m - 1 {
		k := int32(bits.TrailingZeros64(m))
		b := &c.banks[k]
		hit := b.hit
		if c.inOrder && hit != b.head {
			hit = none
		}
		at := c.rowReady(b)
		if hit != none {
			at = c.columnReady(k, b, hit)
		}
		switch {
		case at > now:
			next = min(next, at)
		case hit != none:
			column = c.older(column, hit)
		default:
			row = c.older(row, b.head)
		}
	}
	switch {
	case column != none:
		c.column(now, column)
	case row != none:
		c.openOrClose(now, row)
	default:
		return next
	}
	return now + 1
}

// older gives the entry that arrived first; a may be none.
func (c *Banked) older(a, b int32) int32 {
	if a == none || c.entries[b].order < c.entries[a].order {
		return b
	}
	return a
}

func (c *Banked) oldestBank() int32 {
	first := none
	for m := c.waiting; m != 0; m &= m - 1 {
		first = c.older(first, c.banks[bits.TrailingZeros64(m)].head)
	}
	return c.entries[first].bank
}

func (c *Banked) columnReady(k int32, b *bank, i int32) int64 {
	direction := c.readAt
	if c.entries[i].write {
		direction = c.writeAt
	}
	return max(b.columnAt, direction, c.groups[int(k)&c.group])
}

func (c *Banked) rowReady(b *bank) int64 {
	if b.row == noRow {
		return max(b.activateAt, c.rowAt)
	}
	return b.prechargeAt
}

// openOrClose activates the row that entry i wants, or precharges its bank.
func (c *Banked) openOrClose(now int64, i int32) {
	e, t := &c.entries[i], &c.timing
	b := &c.banks[e.bank]
	if b.row != noRow {
		c.tell(now, precharge, e)
		b.row, b.hit = noRow, none
		b.activateAt = max(b.activateAt, now+t.RP)
		c.counts[counters.DRAMPrecharge]++
		return
	}
	c.tell(now, activate, e)
	b.row, b.hit = e.row, i
	e.opened = true
	b.columnAt = now + t.RCD
	b.prechargeAt = now + t.RAS
	b.activateAt = now + t.RC
	c.rowAt = now + t.RRD
	c.counts[counters.DRAMActivate]++
}

// column issues one burst of entry i.
func (c *Banked) column(now int64, i int32) {
	e, t := &c.entries[i], &c.timing
	b := &c.banks[e.bank]
	c.groups[int(e.bank)&c.group] = now + t.CCDL
	if e.write {
		c.tell(now, writeBurst, e)
		c.writeAt = max(c.writeAt, now+t.CCD)
		c.readAt = max(c.readAt, now+t.WTR)
		b.prechargeAt = max(b.prechargeAt, now+t.WTP)
		c.counts[counters.DRAMWrite]++
	} else {
		c.tell(now, readBurst, e)
		c.readAt = max(c.readAt, now+t.CCD)
		c.writeAt = max(c.writeAt, now+t.RTW)
		b.prechargeAt = max(b.prechargeAt, now+t.RTP)
		c.counts[counters.DRAMRead]++
	}
	c.counts[counters.DRAMBusCycles] += uint64(t.Burst)
	if e.opened {
		e.opened = false
		c.counts[counters.DRAMRowMiss]++
	} else {
		c.counts[counters.DRAMRowHit]++
	}
	if e.bursts--; e.bursts == 0 {
		c.finish(now, i)
	}
}

func (c *Banked) tell(now int64, what command, e *entry) {
	if c.observe != nil {
		c.observe(now, what, e.bank, e.row)
	}
}

// finish takes entry i out of the queue after its last burst.
func (c *Banked) finish(now int64, i int32) {
	e := &c.entries[i]
	b := &c.banks[e.bank]
	if e.write {
		c.inside--
	} else {
		c.data.Push(datum{at: now + c.timing.CL + c.timing.Burst, id: e.id})
	}
	c.unlink(b, i)
	b.hit = e.next
	for b.hit != none && c.entries[b.hit].row != b.row {
		b.hit = c.entries[b.hit].next
	}
	if b.head == none {
		c.waiting &^= 1 << e.bank
	}
	e.next = c.free
	c.free = i
	c.queued--
}

func (c *Banked) unlink(b *bank, i int32) {
	next := c.entries[i].next
	if b.head == i {
		b.head = next
		if next == none {
			b.tail = none
		}
		return
	}
	p := b.head
	for c.entries[p].next != i {
		p = c.entries[p].next
	}
	c.entries[p].next = next
	if b.tail == i {
		b.tail = p
	}
}
