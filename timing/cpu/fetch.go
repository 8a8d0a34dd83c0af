// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"github.com/warptape/warptape/timing/tlb"
	"github.com/warptape/warptape/trace"
)

// inputBatch is how many instructions are taken from a stream at a time.
const inputBatch = 128

// input is what has been taken from the stream. One instruction more than is needed
// is taken, whose address is the target of the branch before it.
type input struct {
	items   [inputBatch]Instruction
	at, end int
	over    bool // the stream has no more
}

func (in *input) reset() { in.at, in.end, in.over = 0, 0, false }

// more makes sure that the next instruction is there, and the one after it unless it
// is the last; false at the end.
func (in *input) more(s Stream) (bool, error) {
	if in.end-in.at < 2 && !in.over {
		in.end = copy(in.items[:], in.items[in.at:in.end])
		in.at = 0
		for in.end < 2 && !in.over {
			n, err := s.Next(in.items[in.end:])
			if err != nil {
				return false, err
			}
			in.end += n
			in.over = n == 0
		}
	}
	return in.at < in.end, nil
}

// following is the address of the instruction after the next, 0 without any.
func (in *input) following() uint64 {
	if in.at+1 < in.end {
		return in.items[in.at+1].IP
	}
	return 0
}

// noLine is no address of a line.
const noLine = ^uint64(0)

// fetch is the state of the front end.
type fetch struct {
	line    uint64 // the virtual line that is there
	readyAt Cycle  // never while it waits for an answer or for a branch
	pending bool   // for an answer
	missed  bool   // the line has been counted as missing
}

// dispatch brings instructions into the reorder buffer, Width at most and up to a
// taken branch.
func (c *core) dispatch() {
	if !c.busy || c.ended || c.fetch.readyAt > c.now {
		return
	}
	for range c.section.Width {
		more, err := c.input.more(c.job.Stream)
		if err != nil {
			c.fail(err)
			return
		}
		if !more {
			c.ended = true
			return
		}
		if c.rob.full() {
			return
		}
		in := &c.input.items[c.input.at]
		if in.Syncs > 0 && !c.synchronise(in) {
			return
		}
		if line := in.IP & c.lineMask; line != c.fetch.line && !c.fetchLine(in.IP) {
			return
		}
		held := c.branch(in)
		c.enter(in, held)
		c.input.at++
		c.sync.done = 0
		if held {
			c.fetch.readyAt = never
			return
		}
		if in.Taken && in.Branch != trace.CPUNoBranch {
			return
		}
	}
}

// dispatchAt is the next cycle in which dispatch can go on by itself.
func (c *core) dispatchAt() Cycle {
	if c.ended || c.rob.full() || c.fetch.readyAt == never || c.sync.holds {
		return never
	}
	return max(c.fetch.readyAt, c.now+1)
}

// branch predicts a branch; true when it goes another way.
func (c *core) branch(in *Instruction) (held bool) {
	if in.Branch == trace.CPUNoBranch {
		return false
	}
	c.count(countBranch)
	if in.Branch == trace.CPUConditional {
		c.count(countConditional)
	}
	if c.predicts(in) {
		return false
	}
	c.count(countMispredicted)
	return true
}

// predicts reports whether a branch is predicted as it goes.
func (c *core) predicts(in *Instruction) bool {
	if c.section.Predictor == notTaken {
		return !in.Taken
	}
	return c.branches.predicts(in, c.input.following())
}

// notTaken is a word of Section.Predictor.
const notTaken = "not_taken"

// fetchLine looks an instruction's line up; false when it is not there, and the
// fetch goes on at fetch.readyAt.
func (c *core) fetchLine(virtual uint64) bool {
	c.count(countITLB)
	page := virtual >> c.pageShift
	frame, hit := c.codePages.Lookup(uint16(c.job.Space), page)
	if !hit {
		c.count(countITLBMiss)
		c.fetch.readyAt, c.fetch.pending = never, true
		c.askPage(c.fetchAccess(), virtual, false, true)
		return false
	}
	physical := c.physical(frame, virtual) & c.lineMask
	c.count(countL1I)
	if i := c.codeLines.find(physical); i >= 0 && c.codeLines.ready[i] <= c.now {
		c.codeLines.use(i)
		c.fetch.line, c.fetch.missed = virtual&c.lineMask, false
		return true
	} else if i >= 0 {
		c.fetch.readyAt = c.codeLines.ready[i]
		return false
	}
	if !c.fetch.missed {
		c.count(countL1IMiss)
		c.fetch.missed = true
	}
	c.fetch.readyAt, c.fetch.pending = never, true
	c.readBelow(c.fetchAccess(), virtual, physical, true)
	return false
}

// physical is an address in a frame (without the mark of a read-only one).
func (c *core) physical(frame, virtual uint64) uint64 {
	return frame&^readOnly<<c.pageShift | virtual&(1<<c.pageShift-1)
}

// readOnly marks a frame in the TLB to which stores have to ask.
const readOnly = uint64(1) << 63

// pageEntry is a translation as the TLB keeps it.
func pageEntry(space Space, page, frame uint64, only bool) tlb.Entry {
	if only {
		frame |= readOnly
	}
	return tlb.Entry{Page: page, Frame: frame, Space: uint16(space)}
}

// enter takes an instruction into the reorder buffer.
func (c *core) enter(in *Instruction, held bool) {
	r := &c.rob
	sequence := r.head + uint64(r.count)
	slot := r.slot(sequence)
	e := &r.entries[slot]
	*e = entry{
		doneAt: never, readyAt: c.now + 1, dependents: none, loads: in.Loads, stores: in.Stores, held: held,
		loadAddresses: in.LoadAddresses, storeAddresses: in.StoreAddresses,
	}
	r.count++
	for n, register := range in.Sources {
		if register != 0 {
			c.count(countRegisterRead)
			if writer := r.writers[register]; writer != 0 {
				r.depend(slot, n, writer)
			}
		}
	}
	for n := range int(in.Loads) {
		if producer := r.source(in.LoadAddresses[n]); producer != 0 {
			e.forwarded |= 1 << n
			r.depend(slot, trace.CPUOperands+n, producer)
		}
	}
	for _, register := range in.Destinations {
		if register != 0 {
			c.count(countRegisterWrite)
			r.writers[register] = sequence
		}
	}
	for n := range int(in.Stores) {
		r.store(in.StoreAddresses[n], sequence)
	}
	if e.waits == 0 {
		c.enqueue(slot, c.now)
	}
}

// enqueue lets an instruction whose sources are known issue when they are there; now
// is the cycle in which that is known.
func (c *core) enqueue(slot int, now Cycle) {
	c.wheel.collect(now-1, &c.ready, c.rob.next)
	c.wheel.put(max(c.rob.entries[slot].readyAt, now), slot, c.rob.next)
}
