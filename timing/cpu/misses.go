// SPDX-License-Identifier: Apache-2.0

package cpu

import "github.com/warptape/warptape/timing/coherence"

// miss is a line that a core has asked the chip for.
type miss struct {
	line    uint64
	active  bool
	data    bool // it goes to the data L1
	code    bool // it goes to the instruction L1
	waiting list
}

// outgoing is a request from the time on when the L2 has been looked up. What is sent
// is sent in order.
type outgoing struct {
	request Request
	at      Cycle
}

// missOf is the register of a line, nil without any. Registers are few: they are
// searched one by one.
func (c *core) missOf(line uint64) *miss {
	for i := range c.misses {
		if c.misses[i].active && c.misses[i].line == line {
			return &c.misses[i]
		}
	}
	return nil
}

// mayMiss reports whether an instruction may take a register. The handler of
// exceptions always may: it executes page walks, which what the SMs write back may
// wait for, and the chip may keep every other register waiting for that.
func (c *core) mayMiss() bool { return c.missesUsed < c.section.Misses }

// ask takes a free register, which there must be, and asks the chip for a line.
func (c *core) ask(a Access, space Space, virtual, line uint64) *miss {
	at := 0
	for c.misses[at].active {
		at++
	}
	m := &c.misses[at]
	*m = miss{line: line, active: true, waiting: emptyList}
	c.missesUsed++
	c.out.Push(outgoing{
		Request{Core: c.number, Access: a, Space: space, Virtual: virtual & c.lineMask, Physical: line},
		c.now + Cycle(c.section.L1.LatencyCycles+c.section.L2.LatencyCycles),
	})
	c.wake(c.now + 1)
	return m
}

// send passes on what is due.
func (c *core) send() {
	for c.out.Len() > 0 && !c.outWaits && c.out.Head().at <= c.now {
		if !c.chip.Send(c.time(c.now), &c.out.Head().request) {
			c.outWaits = true
			return
		}
		c.out.Drop()
	}
}

// granted takes the chip's answer, which the core sees in the cycle now. A waiting
// store of the line is performed with it, so that no probe can take the line away
// before it has been of use.
func (c *core) granted(line uint64, s State, now Cycle) {
	m := c.missOf(line)
	if m == nil {
		panic("BUG: cpu: the chip grants a line that no core waits for")
	}
	c.fillL2(line, s, now)
	if m.code {
		c.fillCode(line, now)
	}
	if m.data {
		c.fillData(line, s, now)
	}
	for waiting := m.waiting; !waiting.empty(); {
		c.watched(ActLoad, line)
		c.end(c.pop(&waiting), now, now)
	}
	m.active, m.waiting = false, emptyList
	c.missesUsed--
	if c.stores.Len() > 0 {
		c.drainAt = min(c.drainAt, now)
		if head := c.stores.Head(); head.physical == line && s.Writable() {
			c.write(line, now)
			c.performed()
		}
	}
	c.wake(now)
}

// fillL2 puts a line into the L2, or changes the right to it.
func (c *core) fillL2(line uint64, s State, now Cycle) {
	if i := c.lines.find(line); i >= 0 {
		c.lines.states[i], c.lines.locked[i] = s, false
		if k := c.dataLines.find(line); k >= 0 {
			c.dataLines.states[k] = s
		}
		return
	}
	c.count(countL2Fill)
	i := c.lines.victim(line)
	if c.lines.held(i) {
		c.evict(i, now)
	}
	c.lines.put(i, line, s, now)
}

// evict takes a line out of the L2 and both L1, and tells the chip. It does not tell
// the chip of a line that waits for the right to be written, which will come again.
func (c *core) evict(i int, now Cycle) {
	line := c.lines.address(i)
	c.forgetL1(line)
	a := Drop
	if c.lines.states[i] == coherence.Modified {
		a = WriteBack
		c.count(countL2WriteBack)
	} else {
		c.count(countL2Drop)
	}
	if !c.lines.locked[i] {
		c.out.Push(outgoing{Request{Core: c.number, Access: a, Physical: line, Virtual: line}, now})
		c.wake(now)
	}
	c.lines.drop(i)
}

// forgetL1 takes a line out of both L1; its data go to the L2.
func (c *core) forgetL1(line uint64) {
	if k := c.dataLines.find(line); k >= 0 {
		if c.dataLines.states[k] == coherence.Modified {
			c.count(countL1WriteBack)
		}
		c.dataLines.drop(k)
	}
	if k := c.codeLines.find(line); k >= 0 {
		c.codeLines.drop(k)
	}
}

// probe looks for a line and leaves it at most in a state.
func (c *core) probe(line uint64, keep State) State {
	c.count(countProbe)
	i := c.lines.find(line)
	if i < 0 {
		return c.recall(line)
	}
	met := c.lines.states[i]
	if keep == coherence.Invalid {
		c.count(countInvalidation)
		c.forgetL1(line)
		if c.lines.locked[i] {
			c.lines.locked[i] = false
		}
		c.lines.drop(i)
		return met
	}
	if met > keep {
		c.count(countDowngrade)
		c.lines.states[i] = keep
		if k := c.dataLines.find(line); k >= 0 {
			c.dataLines.states[k] = keep
		}
	}
	return met
}

// recall takes the data of a line whose write-back has not been sent.
func (c *core) recall(line uint64) State {
	for i := range c.out.Len() {
		if r := &c.out.At(i).request; r.Access == WriteBack && r.Physical == line {
			r.Access = Drop
			return coherence.Modified
		}
	}
	return coherence.Invalid
}
