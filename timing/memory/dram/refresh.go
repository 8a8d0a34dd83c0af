// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// refresher refreshes sets of banks in turn: all of them, or one bank each. A
// refresh is never postponed: when it is due its banks take no more requests,
// are precharged as soon as they may, and closed for tRFC.
type refresher struct {
	sets     int32 // zero: no refresh
	banks    int32 // per set
	interval int64 // from set to set
	at       int64 // when the next one is due
	first    int32 // bank of the set that is next
}

func newRefresher(d *arch.DRAM) refresher {
	r := refresher{at: Never}
	switch d.Refresh {
	case "all_bank":
		r.sets = 1
	case "per_bank":
		r.sets = int32(d.Banks)
	default:
		return r
	}
	r.banks = int32(d.Banks) / r.sets
	r.interval = int64(d.TREFI) / int64(r.sets)
	r.at = r.interval
	return r
}

// refreshStep does what a refresh that is due needs in the cycle now: a precharge, or
// the refresh itself. The closed banks may take no other command; next is when there is
// something to do.
func (c *Banked) refreshStep(now int64) (closed uint64, next int64, issued bool) {
	r := &c.refresh
	first := r.first
	closed = (1<<r.banks - 1) << first
	precharges, refresh, open := c.refreshTimes(now, first)
	switch {
	case open && precharges > now:
		return closed, precharges, false
	case open:
		c.closeSet(now, first)
	case refresh > now:
		return closed, refresh, false
	default:
		c.refreshSet(now, first)
	}
	return closed, now + 1, true
}

// refreshTimes gives the earliest cycles from at on in which the open banks of a
// set can be precharged, and in which all of it can be refreshed after that.
func (c *Banked) refreshTimes(at int64, first int32) (precharges, refresh int64, open bool) {
	precharges, refresh = at, at
	for k := first; k < first+c.refresh.banks; k++ {
		refresh = max(refresh, c.banks.activateAt[k])
		if c.banks.row[k] != noRow {
			open = true
			precharges = max(precharges, c.banks.prechargeAt[k])
		}
	}
	if open {
		refresh = max(refresh, precharges+c.timing.RP)
	}
	return precharges, refresh, open
}

// closeSet precharges the open banks of a set with one command.
func (c *Banked) closeSet(now int64, first int32) {
	for k := first; k < first+c.refresh.banks; k++ {
		if c.banks.row[k] != noRow {
			c.closeRow(now, uint(k))
		}
	}
}

// refreshSet refreshes a set; the next one is due an interval after this one was.
func (c *Banked) refreshSet(now int64, first int32) {
	r := &c.refresh
	for k := first; k < first+r.banks; k++ {
		c.banks.activateAt[k] = now + c.timing.RFC
	}
	c.counts[counters.DRAMRefresh]++
	r.at += r.interval
	r.first = (r.first + r.banks) % (r.sets * r.banks)
	if c.observe != nil {
		c.observe(now, refreshBanks, first, noRow)
	}
}

// catchUp does the refreshes that fell due before the cycle now, since when no
// request has waited: nothing wakes an idle channel for them. A precharge or a refresh
// that could not have begun before now is left to refreshStep.
func (c *Banked) catchUp(now int64) {
	r := &c.refresh
	for r.at < now {
		first := r.first
		precharges, refresh, open := c.refreshTimes(r.at, first)
		if open && precharges < now {
			c.closeSet(precharges, first)
		}
		if refresh >= now {
			return
		}
		c.refreshSet(refresh, first)
		c.skipRounds(now)
	}
}

// skipRounds leaves out the rounds over all sets, once all banks are closed: nothing is
// left to see of them but their number.
func (c *Banked) skipRounds(now int64) {
	r := &c.refresh
	round := r.interval * int64(r.sets)
	n := (now-r.at)/round - 1
	if n <= 0 || c.observe != nil || c.banks.open != 0 {
		return
	}
	r.at += n * round
	c.counts[counters.DRAMRefresh] += uint64(n) * uint64(r.sets)
}
