// SPDX-License-Identifier: Apache-2.0

package dram

import "github.com/warptape/warptape/timing/counters"

// openOrClose activates the row that the request of a key wants, or precharges its
// bank.
func (c *Banked) openOrClose(now int64, q *queue, key uint64) {
	e := c.keyed(key)
	if k := uint(e.bank) % maxBanks; c.banks.open>>k&1 != 0 {
		c.closeRow(now, k)
		return
	}
	c.openRow(now, q, e)
}

// closeRow precharges bank k.
func (c *Banked) closeRow(now int64, k uint) {
	k %= maxBanks
	b := &c.banks
	row := b.row[k]
	b.row[k] = noRow
	b.open &^= 1 << k
	c.queues[mainQueue].noHits(k)
	c.queues[writeQueue].noHits(k)
	b.activateAt[k] = max(b.activateAt[k], now+c.timing.RP)
	c.counts[counters.DRAMPrecharge]++
	if c.observe != nil {
		c.observe(now, precharge, int32(k), row)
	}
}

// openRow activates the row of an entry, the oldest of its bank in queue q.
func (c *Banked) openRow(now int64, q *queue, e *entry) {
	t, b, k := &c.timing, &c.banks, uint(e.bank)%maxBanks
	b.row[k] = e.row
	b.open |= 1 << k
	e.opened = true
	b.columnAt[k] = now + t.RCD
	b.prechargeAt[k] = now + t.RAS
	b.activateAt[k] = now + t.RC
	c.activates[c.activated%4] = now
	c.activated = (c.activated + 1) % 4
	c.rowAt = max(now+t.RRD, c.activates[c.activated]+t.FAW)
	c.groups.activateAt[k&c.groups.mask] = now + t.RRDL
	c.counts[counters.DRAMActivate]++
	q.setHit(k, e)
	if c.writes.apart {
		c.findOtherHit(q, k)
	}
	if c.observe != nil {
		c.observe(now, activate, int32(e.bank), e.row)
	}
}

// findOtherHit looks in the queue that is not q for requests of the row that has
// just been opened in bank k.
func (c *Banked) findOtherHit(q *queue, k uint) {
	other := &c.queues[mainQueue]
	if q == other {
		other = &c.queues[writeQueue]
	}
	if k %= maxBanks; other.waiting>>k&1 != 0 {
		c.findHit(other, k, int32(other.head[k]&entryMask))
	}
}

// column issues one burst of the request of a key, whose entry it gives. All that a
// command of a kind waits for has passed when it issues, so its own next time is not
// compared with what it was.
func (c *Banked) column(now int64, key uint64) *entry {
	e, t, b, g := c.keyed(key), &c.timing, &c.banks, &c.groups
	k := uint(e.bank) % maxBanks
	group := k & g.mask
	what := readBurst
	if e.write {
		what = writeBurst
		c.writeAt = now + t.CCD
		c.readAt = max(c.readAt, now+t.WTR)
		g.writeAt[group] = now + t.CCDL
		g.readAt[group] = now + max(t.CCDL, t.WTRL)
		b.prechargeAt[k] = max(b.prechargeAt[k], now+t.WTP)
		c.counts[counters.DRAMWrite]++
	} else {
		c.readAt = now + t.CCD
		c.writeAt = max(c.writeAt, now+t.RTW)
		g.readAt[group] = now + t.CCDL
		g.writeAt[group] = now + t.CCDL
		b.prechargeAt[k] = max(b.prechargeAt[k], now+t.RTP)
		c.counts[counters.DRAMRead]++
	}
	c.counts[counters.DRAMBusCycles] += uint64(t.Burst)
	if e.opened {
		e.opened = false
		c.counts[counters.DRAMRowMiss]++
	} else {
		c.counts[counters.DRAMRowHit]++
	}
	e.bursts--
	if c.observe != nil {
		c.observe(now, what, int32(k), e.row)
	}
	return e
}

// finish takes an entry, the oldest of its bank's open row, out of its queue after
// its last burst and makes it free.
func (c *Banked) finish(now int64, q *queue, e *entry) {
	k, next := uint(e.bank)%maxBanks, e.next
	switch {
	case q.head[k] != e.key:
		c.unlink(q, k, e)
	case next == none:
		q.waiting &^= 1 << k
	default:
		q.head[k] = c.entries[next].key
	}
	c.findHit(q, k, next)
	e.next = c.free
	c.free = int32(e.key & entryMask)
	c.held--
	q.held--
	if !e.write {
		at := now + c.timing.CL + c.timing.Burst
		c.dataAt = min(c.dataAt, at)
		c.data.Push(datum{at: at, id: e.id})
	}
}
