// SPDX-License-Identifier: Apache-2.0

package cpu

import "github.com/warptape/warptape/trace"

// inOrder is a word of Section.Order.
const inOrder = "in_order"

// issue begins the oldest instructions that are ready: Width at most, with LoadPorts
// loads and StorePorts stores. One that needs more ports than are left waits, unless
// it needs more than there are. In order, the first that is not ready stops it.
func (c *core) issue() {
	left, loads, stores := c.section.Width, c.section.LoadPorts, c.section.StorePorts
	if c.section.Order == inOrder {
		for left > 0 && c.rob.issued < c.rob.head+uint64(c.rob.count) {
			slot := c.rob.slot(c.rob.issued)
			if !c.ready.has(slot) || !c.takePorts(slot, &loads, &stores) {
				return
			}
			c.rob.issued++
			left--
			c.execute(slot)
		}
		return
	}
	head := c.rob.slot(c.rob.head)
	for slot := c.ready.from(head); slot >= 0 && left > 0; slot = c.ready.from(slot + 1) {
		left -= c.tryIssue(slot, &loads, &stores)
	}
	for slot := c.ready.from(0); slot >= 0 && slot < head && left > 0; slot = c.ready.from(slot + 1) {
		left -= c.tryIssue(slot, &loads, &stores)
	}
}

func (c *core) tryIssue(slot int, loads, stores *int) int {
	if !c.takePorts(slot, loads, stores) {
		return 0
	}
	c.execute(slot)
	return 1
}

func (c *core) takePorts(slot int, loads, stores *int) bool {
	e := &c.rob.entries[slot]
	if int(e.loads) > *loads && *loads < c.section.LoadPorts || int(e.stores) > *stores && *stores < c.section.StorePorts {
		return false
	}
	*loads -= int(e.loads)
	*stores -= int(e.stores)
	return true
}

// mayIssue reports whether the next cycle may issue what is ready now.
func (c *core) mayIssue() bool {
	if c.section.Order == inOrder {
		return c.rob.issued < c.rob.head+uint64(c.rob.count) && c.ready.has(c.rob.slot(c.rob.issued))
	}
	return c.ready.count > 0
}

// execute issues an instruction. A store takes the translation of its address here,
// and its line when it has retired.
func (c *core) execute(slot int) {
	c.ready.clear(slot)
	e := &c.rob.entries[slot]
	e.accesses, e.latest = int8(e.loads+e.stores), c.now+1
	if e.accesses == 0 {
		c.schedule(slot, c.now+1, c.now)
		return
	}
	for n := range int(e.loads) {
		c.count(countLoad)
		if e.forwarded>>n&1 != 0 {
			c.count(countForwarded)
			c.end(int32(slot*trace.CPUOperands+n), c.now+Cycle(c.section.L1.LatencyCycles), c.now)
			continue
		}
		c.count(countDTLB)
		c.count(countL1DRead)
		c.load(int32(slot*trace.CPUOperands+n), true)
	}
	for n := range int(e.stores) {
		c.count(countStore)
		c.count(countDTLB)
		c.translateStore(c.storeAccess(slot, n))
	}
}

// schedule makes the end of an instruction known, in the cycle now.
func (c *core) schedule(slot int, doneAt, now Cycle) {
	e := &c.rob.entries[slot]
	e.doneAt = doneAt
	if e.held {
		c.fetch.readyAt = doneAt + Cycle(c.section.MispredictCycles)
	}
	for edge := e.dependents; edge != none; edge = c.rob.edges[edge] {
		waiting := int(edge) / edgesEach
		d := &c.rob.entries[waiting]
		d.readyAt = max(d.readyAt, doneAt)
		if d.waits--; d.waits == 0 {
			c.enqueue(waiting, now)
		}
	}
	e.dependents = none
}

// retire takes the oldest instructions out that are done, Width at most.
func (c *core) retire() {
	r := &c.rob
	for range c.section.Width {
		if r.count == 0 {
			return
		}
		slot := r.slot(r.head)
		e := &r.entries[slot]
		if e.doneAt > c.now || e.stores > 0 && c.stores.Len()+int(e.stores) > c.section.StoreBuffer {
			return
		}
		for n := range int(e.stores) {
			c.stores.Push(store{
				virtual: e.storeAddresses[n] & c.lineMask, physical: e.physical[n] & c.lineMask,
				space: c.job.Space, sequence: r.head, last: n == int(e.stores)-1,
			})
			c.drainAt = min(c.drainAt, c.now)
		}
		r.head++
		r.count--
		c.count(countInstructions)
	}
}

// retireAt is the next cycle in which retire can go on by itself.
func (c *core) retireAt() Cycle {
	if c.rob.count == 0 {
		return never
	}
	e := &c.rob.entries[c.rob.slot(c.rob.head)]
	if e.doneAt == never || e.stores > 0 && c.stores.Len()+int(e.stores) > c.section.StoreBuffer {
		return never
	}
	return max(e.doneAt, c.now+1)
}
