// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/limits"
	"github.com/warptape/warptape/timing/ring"
)

// Banked is a channel with banks, row buffers and one command a cycle, or one of each bus.
// Rows stay open until another row of the bank is wanted, or it is refreshed.
//
// FR-FCFS (Rixner et al., ISCA 2000) issues the oldest of the column commands that may
// issue now. Otherwise it issues the oldest of the activates and precharges that may
// issue now. A bank is not precharged as long as a waiting request hits its open row.
// Mixed reads and writes wait in one queue. A command of the other direction is not
// ready until the bus has turned. So the direction of the bus changes only when no
// ready command keeps it, which drains writes in batches. With a queue of their own
// writes wait as arch.DRAM.Writes says. An old conflict can wait as long as younger
// hits to its bank keep coming; like GPGPU-Sim's, the scheduler has no limit to that
// but its queue. FCFS considers the oldest request only.
//
// What each cycle looks at lies together, in the first lines of the host's cache.
type Banked struct {
	dataAt   int64        // when the first of data leaves, or Never
	comingAt int64        // when the first of incoming comes, or Never
	held     int          // entries with one
	limit    limits.Limit // of held
	refresh  refresher

	readAt    int64     // earliest read command
	writeAt   int64     // earliest write command
	rowAt     int64     // earliest activate
	scheduler Scheduler // nil: FR-FCFS, which narrows nothing
	counts    *counters.Set
	observe   func(now int64, c command, bank int32, row int64) // nil outside tests
	twoBuses  bool                                              // a column command may issue in the cycle of a row command
	refused   bool

	incoming ring.Ring[delayed]
	data     ring.Ring[datum]

	sink       Sink
	entries    []entry
	entering   int    // that incoming may hold
	arrivals   uint64 // their number so far, above the bits of a key that name an entry
	free       int32  // the first entry without a request
	burst      int32  // bytes; burstShift is the logarithm
	burstShift uint8
	extra      int64

	activates [4]int64
	activated uint // place in activates of the oldest of the last four
	writes    writeDrain
	timing    Timing
	queues    [queues]queue
	banks     banks
	groups    groups
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

// maxBanks is what arch.DRAM allows; a set of banks is a word.
const maxBanks = 64

// banks is the state of the banks. Each property has an array: to look at one of
// several banks costs a load each.
type banks struct {
	open        uint64 // those with an open row
	row         [maxBanks]int64
	columnAt    [maxBanks]int64 // earliest column command
	activateAt  [maxBanks]int64
	prechargeAt [maxBanks]int64
}

// groups is the state of the bank groups: bank b is in group b & mask.
type groups struct {
	mask       uint
	readAt     [maxBanks]int64 // earliest read command
	writeAt    [maxBanks]int64
	activateAt [maxBanks]int64
}

const (
	none  = int32(-1)
	noRow = int64(-1)
	// longAgo is so early that no constraint from then is left.
	longAgo = int64(-1) << 40
)

// NewBanked makes a channel of a machine whose model is "banked"; it counts into
// counts.
func NewBanked(d *arch.DRAM, counts *counters.Set, sink Sink) *Banked {
	c := &Banked{
		timing: NewTiming(d), counts: counts, sink: sink,
		burst: int32(d.BurstBytes), burstShift: uint8(bits.TrailingZeros(uint(d.BurstBytes))),
		scheduler: schedulerOf(d), extra: int64(d.ExtraCycles),
		writes: newWriteDrain(d), refresh: newRefresher(d), twoBuses: d.CommandBus == "row_and_column",
		activates: [4]int64{longAgo, longAgo, longAgo, longAgo}, groups: groups{mask: uint(d.BankGroups - 1)}, entries: newEntries(d.Queue), limit: limits.New(d.Queue),
		entering: d.ExtraCycles + 1, comingAt: Never,
		data: ring.New[datum](d.TCL + d.BurstCycles + 1), dataAt: Never,
	}
	c.incoming = ring.New[delayed](c.entering)
	for k := range d.Banks {
		c.banks.row[k] = noRow
	}
	return c
}

// Offer implements Channel: a request spends the machine's extra cycles on the
// way to the scheduler's queue, which bounds what it accepts.
func (c *Banked) Offer(now int64, r Request) bool {
	if !c.Takes() {
		return false
	}
	at := now + c.extra
	if c.incoming.Len() == 0 {
		c.comingAt = at
	}
	c.incoming.Push(delayed{request: r, at: at})
	return true
}

// CountIn implements Channel.
func (c *Banked) CountIn(set *counters.Set) { c.counts = set }

// InFlight implements Channel.
func (c *Banked) InFlight() int { return c.incoming.Len() + c.held + c.data.Len() }

// Cycle implements Channel.
func (c *Banked) Cycle(now int64) int64 {
	if c.held == 0 && c.refresh.at < now {
		c.catchUp(now)
	}
	if c.dataAt <= now {
		c.deliver(now)
	}
	if c.comingAt <= now && !c.limit.Full(c.held) {
		c.accept(now)
	}
	next := Never
	if c.held > 0 {
		next = c.schedule(now)
	}
	next = min(next, c.dataAt)
	if c.comingAt != Never && !c.limit.Full(c.held) {
		next = min(next, max(c.comingAt, now+1))
	}
	return next
}

// deliver hands over the data that have left the channel; there are some.
func (c *Banked) deliver(now int64) {
	for {
		id := c.data.Head().id
		c.data.Drop()
		c.dataAt = Never
		if c.data.Len() > 0 {
			c.dataAt = c.data.Head().at
		}
		c.sink.Done(id)
		if c.dataAt > now {
			return
		}
	}
}

// accept moves requests from the delay in front into the queue: at least one can.
func (c *Banked) accept(now int64) {
	for {
		c.enqueue(&c.incoming.Head().request)
		c.incoming.Drop()
		c.comingAt = Never
		if c.incoming.Len() > 0 {
			c.comingAt = c.incoming.Head().at
		}
		if c.refused {
			c.refused = false
			c.sink.Freed()
		}
		if c.comingAt > now || c.limit.Full(c.held) {
			return
		}
	}
}
