// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/trace"
)

// Accesses are numbered: the loads of the slots of the reorder buffer, their stores,
// then the fetch and the load of an exception. Each is in one list at most.

func (c *core) storeAccess(slot, n int) int32 {
	return int32((len(c.rob.entries)+slot)*trace.CPUOperands + n)
}

// specialAccesses is the number of those of a reorder buffer.
func specialAccesses(entries int) int { return 2 * entries * trace.CPUOperands }

func (c *core) fetchAccess() int32   { return int32(specialAccesses(len(c.rob.entries))) }
func (c *core) handlerAccess() int32 { return c.fetchAccess() + 1 }

// list is a queue of accesses, linked through core.waitNext.
type list struct{ first, last int32 }

var emptyList = list{none, none}

func (l *list) empty() bool { return l.first == none }

func (c *core) push(l *list, id int32) {
	c.waitNext[id] = none
	if l.first == none {
		l.first = id
	} else {
		c.waitNext[l.last] = id
	}
	l.last = id
}

func (c *core) pop(l *list) int32 {
	id := l.first
	l.first = c.waitNext[id]
	return id
}

// append moves all of a list to the end of another.
func (c *core) append(to, from *list) {
	for !from.empty() {
		c.push(to, c.pop(from))
	}
}

// beginAgain begins the accesses that had to wait: those whose page has come, and as
// many of the others as there are miss registers.
func (c *core) beginAgain() {
	todo := c.again
	c.again = emptyList
	for !todo.empty() {
		c.retry(c.pop(&todo))
	}
	if !c.mayMiss() || c.blocked.empty() {
		return
	}
	todo = c.blocked
	c.blocked = emptyList
	for !todo.empty() && c.mayMiss() {
		c.retry(c.pop(&todo))
	}
	c.append(&todo, &c.blocked) // those that are blocked again come behind
	c.blocked = todo
}

// retry begins an access again.
func (c *core) retry(id int32) {
	switch {
	case id == c.fetchAccess():
		c.fetch.readyAt, c.fetch.pending = c.now, false
	case id == c.handlerAccess():
		c.loadPhysical(id, c.handler.address(), c.handler.address())
	case int(id) < len(c.rob.entries)*trace.CPUOperands:
		c.count(countDTLBRetry)
		c.load(id, false)
	default:
		c.count(countDTLBRetry)
		c.translateStore(id)
	}
}

// load begins a load of an instruction.
func (c *core) load(id int32, first bool) {
	virtual := c.rob.entries[id/trace.CPUOperands].loadAddresses[id%trace.CPUOperands]
	frame, hit := c.dataPages.Lookup(uint16(c.job.Space), virtual>>c.pageShift)
	if !hit {
		c.askPage(id, virtual, false, false)
		return
	}
	c.loadLine(id, virtual, c.physical(frame, virtual), first)
}

// loadPhysical begins a load that needs no translation.
func (c *core) loadPhysical(id int32, virtual, physical uint64) {
	c.loadLine(id, virtual, physical, true)
}

func (c *core) loadLine(id int32, virtual, physical uint64, first bool) {
	line := physical & c.lineMask
	if i := c.dataLines.find(line); i >= 0 {
		c.dataLines.use(i)
		c.watched(ActLoad, line)
		c.end(id, max(c.now+Cycle(c.section.L1.LatencyCycles), c.dataLines.ready[i]), c.now)
		return
	}
	if first {
		c.count(countL1DReadMiss)
	}
	c.readBelow(id, virtual, line, false)
}

// readBelow reads a line that the L1 lacks: from the L2, or from the chip.
func (c *core) readBelow(id int32, virtual, line uint64, code bool) {
	if m := c.missOf(line); m != nil {
		m.code, m.data = m.code || code, m.data || !code
		c.push(&m.waiting, id)
		return
	}
	i := c.lines.find(line)
	if i < 0 && !c.mayMiss() && id != c.handlerAccess() {
		c.push(&c.blocked, id)
		return
	}
	c.count(countL2Read)
	if i < 0 {
		c.count(countL2Miss)
		m := c.ask(Read, c.job.Space, virtual, line)
		m.code, m.data = code, !code
		c.push(&m.waiting, id)
		return
	}
	c.lines.use(i)
	at := c.now + Cycle(c.section.L1.LatencyCycles+c.section.L2.LatencyCycles)
	if code {
		at = c.now + Cycle(c.section.L2.LatencyCycles)
		c.fillCode(line, at)
	} else {
		c.fillData(line, c.lines.states[i], at)
		c.watched(ActLoad, line)
	}
	c.end(id, at, c.now)
}

// end ends an access; at is when, and now the cycle in which that is known.
func (c *core) end(id int32, at, now Cycle) {
	switch {
	case id == c.fetchAccess():
		c.fetch.readyAt, c.fetch.pending = at, false
	case id == c.handlerAccess():
		c.handler.loaded(at)
	default:
		slot := int(id) / trace.CPUOperands % len(c.rob.entries)
		e := &c.rob.entries[slot]
		e.latest = max(e.latest, at)
		if e.accesses--; e.accesses == 0 {
			c.schedule(slot, e.latest, now)
		}
	}
}

// fillData puts a line into the data L1.
func (c *core) fillData(line uint64, s State, ready Cycle) {
	if c.dataLines.find(line) >= 0 {
		return
	}
	c.count(countL1DFill)
	i := c.dataLines.victim(line)
	if c.dataLines.states[i] == coherence.Modified {
		c.count(countL1WriteBack)
	}
	if s == coherence.Modified {
		s = coherence.Exclusive // the L2 knows that it is; this copy is as the L2's
	}
	c.dataLines.put(i, line, s, ready)
	c.watched(ActFill, line)
}

// fillCode puts a line into the instruction L1.
func (c *core) fillCode(line uint64, ready Cycle) {
	if c.codeLines.find(line) >= 0 {
		return
	}
	c.count(countL1IFill)
	c.codeLines.put(c.codeLines.victim(line), line, coherence.Shared, ready)
}

func (c *core) watched(a Act, line uint64) {
	if c.watch != nil {
		c.watch(c.number, a, line)
	}
}
