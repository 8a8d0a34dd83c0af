package dram

import "github.com/warptape/warptape/timing/counters"

// openOrClose activates the row that entry i wants, or precharges its bank.
func (c *Banked) openOrClose(now int64, i int32) {
	e := &c.entries[i]
	b := &c.banks[e.bank]
	if b.row != noRow {
		c.closeRow(now, e.bank)
		return
	}
	c.openRow(now, e)
}

// closeRow precharges a bank.
func (c *Banked) closeRow(now int64, k int32) {
	b := &c.banks[k]
	c.tell(now, precharge, k, b.row)
	b.row = noRow
	c.open &^= 1 << k
	for q := range b.queues {
		c.setHit(k, q, none)
	}
	b.activateAt = max(b.activateAt, now+c.timing.RP)
	c.counts[counters.DRAMPrecharge]++
}

// openRow activates the row of an entry.
func (c *Banked) openRow(now int64, e *entry) {
	t, b := &c.timing, &c.banks[e.bank]
	c.tell(now, activate, e.bank, e.row)
	b.row = e.row
	c.open |= 1 << e.bank
	for q := range b.queues {
		c.setHit(e.bank, q, c.firstOf(b.queues[q].head, e.row))
	}
	e.opened = true
	b.columnAt = now + t.RCD
	b.prechargeAt = now + t.RAS
	b.activateAt = now + t.RC
	c.activates[c.activated] = now
	c.activated = (c.activated + 1) % len(c.activates)
	c.rowAt = max(now+t.RRD, c.activates[c.activated]+t.FAW)
	c.groups[int(e.bank)&c.group].rowAt = now + t.RRDL
	c.counts[counters.DRAMActivate]++
}

// firstOf is the first entry from i on that wants a row.
func (c *Banked) firstOf(i int32, row int64) int32 {
	for i != none && c.entries[i].row != row {
		i = c.entries[i].next
	}
	return i
}

// column issues one burst of entry i.
func (c *Banked) column(now int64, i int32) {
	e, t := &c.entries[i], &c.timing
	b, g := &c.banks[e.bank], &c.groups[int(e.bank)&c.group]
	g.columnAt = now + t.CCDL
	if e.write {
		c.tell(now, writeBurst, e.bank, e.row)
		c.writeAt = max(c.writeAt, now+t.CCD)
		c.readAt = max(c.readAt, now+t.WTR)
		g.readAt = now + t.WTRL
		b.prechargeAt = max(b.prechargeAt, now+t.WTP)
		c.counts[counters.DRAMWrite]++
	} else {
		c.tell(now, readBurst, e.bank, e.row)
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

func (c *Banked) tell(now int64, what command, bank int32, row int64) {
	if c.observe != nil {
		c.observe(now, what, bank, row)
	}
}

// finish takes entry i out of the queue after its last burst.
func (c *Banked) finish(now int64, i int32) {
	e := &c.entries[i]
	b, q := &c.banks[e.bank], c.queueOf(e)
	list := &b.queues[q]
	if e.write {
		c.inside--
	} else {
		c.data.Push(datum{at: now + c.timing.CL + c.timing.Burst, id: e.id})
	}
	c.unlink(list, i)
	c.setHit(e.bank, q, c.firstOf(e.next, b.row))
	if list.head == none {
		c.waiting[q] &^= 1 << e.bank
	}
	e.next = c.free
	c.free = i
	c.queued[q]--
}

func (c *Banked) unlink(list *bankQueue, i int32) {
	next := c.entries[i].next
	if list.head == i {
		list.head = next
		if next == none {
			list.tail = none
		}
		return
	}
	p := list.head
	for c.entries[p].next != i {
		p = c.entries[p].next
	}
	c.entries[p].next = next
	if list.tail == i {
		list.tail = p
	}
}
