// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/seam"
)

// Scheduler narrows the banks of a channel from which the next command may come.
// Among these a column command goes before a row command, and the older request
// first ("first ready"). What it returns follows from the queue and from what it was
// told alone, not from the cycle: it is asked again when either has changed.
type Scheduler interface {
	// Filter gives those of the banks that wait whose requests may be served, and
	// those whose hits on the open row may. The second are among the first; no bank
	// of the first means that nothing is issued until a request comes.
	Filter(q View, waiting, hits uint64) (serve, serveHits uint64)
	// Column tells that a request of a bank has been given a column command. The
	// request is one that hit the row which it found open, or one whose row was opened
	// for it.
	Column(bank int, hit bool)
}

// View is what a scheduler sees of the queue. Banks are bits of a word.
type View struct{ q *queue }

// OldestBank is the bank of the oldest request, no bank without one.
func (v View) OldestBank() uint64 { return v.q.oldestBank() }

// HeadHits is the banks whose oldest request is for the open row.
func (v View) HeadHits() uint64 { return v.q.headHits() }

// Behind is the banks in which a request for another row is older than those that
// hit the open one.
func (v View) Behind() uint64 { return v.q.hits &^ v.q.headHits() }

// Schedulers are the DRAM schedulers by name, which are words of dram.scheduler. One
// that narrows nothing is nil.
var Schedulers = seam.NewRegistry[func(*arch.DRAM) Scheduler]("DRAM scheduler")

func init() {
	Schedulers.Open(arch.Word("dram.scheduler"))
	Schedulers.Register("frfcfs", func(*arch.DRAM) Scheduler { return nil })
	Schedulers.Register("fcfs", func(*arch.DRAM) Scheduler { return inOrder{} })
	Schedulers.Register("frfcfs-cap", func(*arch.DRAM) Scheduler { return new(capped) })
}

// schedulerOf looks up the scheduler that a machine names. Its word is registered,
// or a loader would have refused it.
func schedulerOf(d *arch.DRAM) Scheduler {
	make, err := Schedulers.Lookup(d.Scheduler)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return make(d)
}

// inOrder serves the oldest request, whatever row it is for.
type inOrder struct{}

func (inOrder) Filter(q View, waiting, hits uint64) (serve, serveHits uint64) {
	oldest := q.OldestBank()
	return waiting & oldest, hits & oldest & q.HeadHits()
}

func (inOrder) Column(int, bool) {}

// hitCap is how many hits may go before an older request of their bank (Mutlu and
// Moscibroda, "Stall-Time Fair Memory Access Scheduling", MICRO 2007, FR-FCFS+Cap). The
// cap of four is assumed, recalled and not looked up.
const hitCap = 4

// capped is FR-FCFS that lets an older request to another row of a bank wait for
// hitCap hits of younger ones at most.
type capped struct {
	passed [maxBanks]uint8 // hits since a request was waited for, by bank
	tired  uint64          // banks whose hits have reached the cap
}

func (c *capped) Filter(q View, waiting, hits uint64) (serve, serveHits uint64) {
	passing := q.Behind()
	for m := c.tired &^ passing; m != 0; m &= m - 1 {
		c.passed[bits.TrailingZeros64(m)] = 0
	}
	c.tired &= passing
	return waiting, hits &^ c.tired
}

func (c *capped) Column(bank int, hit bool) {
	if !hit {
		c.passed[bank] = 0
		c.tired &^= 1 << bank
		return
	}
	if c.passed[bank]++; c.passed[bank] >= hitCap {
		c.tired |= 1 << bank
	}
}
