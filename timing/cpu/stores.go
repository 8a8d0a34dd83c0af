// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/trace"
)

// store is a retired store that has not been performed; addresses are of its line.
type store struct {
	virtual, physical uint64
	space             Space
	sequence          uint64
	last              bool // of its instruction
	missed            bool // it has been counted as a miss
}

// translateStore takes the frame of a store that issues.
func (c *core) translateStore(id int32) {
	slot, n := int(id)/trace.CPUOperands%len(c.rob.entries), id%trace.CPUOperands
	e := &c.rob.entries[slot]
	virtual := e.storeAddresses[n]
	frame, hit := c.dataPages.Lookup(uint16(c.job.Space), virtual>>c.pageShift)
	if !hit || frame&readOnly != 0 {
		c.askPage(id, virtual, true, false)
		return
	}
	e.physical[n] = c.physical(frame, virtual)
	c.end(id, c.now+1, c.now)
}

// perform performs retired stores in order, StorePorts at most in a cycle, and asks
// ahead for the line of one that is not the first.
func (c *core) perform() {
	if c.drainAt > c.now {
		return
	}
	c.drainAt = never
	for range c.section.StorePorts {
		if c.stores.Len() == 0 {
			return
		}
		if !c.owned(c.stores.Head(), true) {
			break
		}
		c.write(c.stores.Head().physical, c.now)
		c.performed()
	}
	c.askAhead()
	if c.stores.Len() > 0 {
		c.drainAt = min(c.drainAt, c.drainNext())
	}
}

// drainNext is when perform has something to do again.
func (c *core) drainNext() Cycle {
	head := c.stores.Head()
	if i := c.dataLines.find(head.physical); i >= 0 && c.dataLines.states[i].Writable() {
		return max(c.now+1, c.dataLines.ready[i])
	}
	if c.mayAskAhead() || c.missOf(head.physical) == nil && c.mayMiss() {
		return c.now + 1
	}
	return never // an answer wakes it
}

// askAhead looks at one store behind the first.
func (c *core) askAhead() {
	c.ahead = max(c.ahead, 1)
	if c.mayAskAhead() {
		c.owned(c.stores.At(c.ahead), false)
		c.ahead++
	}
}

// mayAskAhead leaves a register to loads.
func (c *core) mayAskAhead() bool {
	return c.ahead < c.stores.Len() && c.missesUsed < c.section.Misses-1
}

// performed ends the first store.
func (c *core) performed() {
	head := c.stores.Pop()
	c.ahead = max(c.ahead-1, 0)
	if head.last {
		c.rob.performed = head.sequence
	}
}

// write writes a line that the core may write.
func (c *core) write(line uint64, now Cycle) {
	c.count(countL1DWrite)
	i := c.dataLines.find(line)
	if i < 0 {
		c.fillData(line, coherence.Exclusive, now)
		i = c.dataLines.find(line)
	}
	c.dataLines.use(i)
	c.dataLines.states[i] = coherence.Modified
	c.lines.states[c.lines.find(line)] = coherence.Modified
	c.watched(ActStore, line)
}

// owned reports whether the line of a store may be written now, and asks for it when
// the core does not have it.
func (c *core) owned(s *store, first bool) bool {
	if i := c.dataLines.find(s.physical); i >= 0 && c.dataLines.states[i].Writable() {
		return c.dataLines.ready[i] <= c.now
	}
	if !s.missed {
		s.missed = true
		c.count(countL1DWriteMiss)
	}
	if c.missOf(s.physical) != nil {
		return false
	}
	i := c.lines.find(s.physical)
	if i >= 0 && c.lines.states[i].Writable() {
		if first {
			c.count(countL2Read)
			c.lines.use(i)
			c.fillData(s.physical, c.lines.states[i], c.now+Cycle(c.section.L1.LatencyCycles+c.section.L2.LatencyCycles))
		}
		return false
	}
	if !c.mayMiss() {
		return false
	}
	c.count(countL2Read)
	a := ReadOwn
	if i >= 0 {
		a = Upgrade
		c.lines.locked[i] = true
		c.count(countL2Upgrade)
	} else {
		c.count(countL2Miss)
	}
	c.ask(a, s.space, s.virtual, s.physical).data = true
	return false
}
