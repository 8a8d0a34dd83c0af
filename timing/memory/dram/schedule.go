// SPDX-License-Identifier: Apache-2.0

package dram

import "math/bits"

// schedule issues at most one command, or one of each bus, and returns a cycle before
// which no other can issue. Both are chosen from what waits before either issues.
func (c *Banked) schedule(now int64) int64 {
	next, closed, refreshed := c.refresh.at, uint64(0), false
	if next <= now {
		if closed, next, refreshed = c.refreshStep(now); refreshed && !c.twoBuses {
			return now + 1
		}
	}
	q := c.serve()
	waiting := q.waiting &^ closed
	hits := waiting & q.hits
	if c.scheduler != nil {
		waiting, hits = c.scheduler.Filter(View{q}, waiting, hits)
	}
	key, b, g := noKey, &c.banks, &c.groups
	if reads := hits &^ q.hitWrites; reads != 0 {
		key, next = oldest(key, now, next, c.readAt, reads, &b.columnAt, &g.readAt, g.mask, &q.hit)
	}
	if writes := hits & q.hitWrites; writes != 0 {
		key, next = oldest(key, now, next, c.writeAt, writes, &b.columnAt, &g.writeAt, g.mask, &q.hit)
	}
	if key != noKey {
		if c.scheduler != nil {
			e := c.keyed(key)
			c.scheduler.Column(int(e.bank), !e.opened)
		}
		if e := c.column(now, key); e.bursts == 0 {
			c.finish(now, q, e)
		}
		if next = now + 1; !c.twoBuses {
			return next
		}
	}
	if refreshed {
		return next
	}
	return c.rowCommand(now, next, q, waiting&^hits)
}

// rowCommand issues at most one activate or precharge, for banks in which no request hits
// the open row. It returns next, or an earlier cycle in which it can issue one.
func (c *Banked) rowCommand(now, next int64, q *queue, misses uint64) int64 {
	key, b, g := noKey, &c.banks, &c.groups
	if shut := misses &^ b.open; shut != 0 {
		key, next = oldest(key, now, next, c.rowAt, shut, &b.activateAt, &g.activateAt, g.mask, &q.head)
	}
	for m := misses & b.open; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		if at := b.prechargeAt[k]; at > now {
			next = min(next, at)
		} else {
			key = min(key, q.head[k])
		}
	}
	if key != noKey {
		c.openOrClose(now, q, key)
		return now + 1
	}
	return next
}

// oldest is the first of best and the keys of those banks whose time has come, which is
// the latest of all's, their own and their group's. It also gives the earliest of next
// and the times that have not come. When all have to wait, their own times are not
// looked at.
func oldest(best uint64, now, next, all int64, banks uint64, own, groups *[maxBanks]int64, mask uint, keys *[maxBanks]uint64) (uint64, int64) {
	if all > now {
		return best, min(next, all)
	}
	for ; banks != 0; banks &= banks - 1 {
		k := uint(bits.TrailingZeros64(banks))
		if at := max(own[k], groups[k&mask]); at > now {
			next = min(next, at)
		} else {
			best = min(best, keys[k])
		}
	}
	return best, next
}

// oldestBank is the bank of the oldest request, no bank without one.
func (q *queue) oldestBank() uint64 {
	first, bank := noKey, uint64(0)
	for m := q.waiting; m != 0; m &= m - 1 {
		if key := q.head[bits.TrailingZeros64(m)]; key < first {
			first, bank = key, m&-m
		}
	}
	return bank
}

// headHits is the banks whose oldest request is for the open row.
func (q *queue) headHits() uint64 {
	banks := uint64(0)
	for m := q.hits; m != 0; m &= m - 1 {
		if k := bits.TrailingZeros64(m); q.hit[k] == q.head[k] {
			banks |= m & -m
		}
	}
	return banks
}
