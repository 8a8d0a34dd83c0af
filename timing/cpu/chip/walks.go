// SPDX-License-Identifier: Apache-2.0

package chip

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/cpu"
)

// Translate implements cpu.Chip.
func (c *Chip) Translate(now clock.Time, t cpu.Translation) {
	c.asked.Push(t)
	c.wake(c.edge(now))
}

// beginWalks makes cores walk the page table for what they miss: without a TLB behind
// their own, the handler runs on the core that asks.
func (c *Chip) beginWalks() {
	for c.asked.Len() > 0 {
		t := c.asked.Pop()
		if len(c.free) == 0 {
			panic(fmt.Sprintf("BUG: cpu: core %d waits for more pages than it may", t.Core))
		}
		token := c.free[len(c.free)-1]
		c.free = c.free[:len(c.free)-1]
		c.walks[token] = t
		c.cores[t.Core][cpu.PageWalks]++
		x := cpu.Exception{Token: token, Cycles: cpu.Cycle(c.section.WalkCycles)}
		c.path = c.pages.Walk(uint16(t.Space), c.pages.Page(t.Virtual), c.path[:0])
		x.Count = copy(x.Loads[:], c.path)
		c.cluster.Interrupt(c.now, t.Core, x)
	}
}

// Handled implements cpu.Chip.
func (c *Chip) Handled(now clock.Time, _ int, x cpu.Exception) {
	c.handled.Push(x.Token)
	c.wake(c.edge(now))
}

// endWalks answers the walks that are over.
func (c *Chip) endWalks() {
	for c.handled.Len() > 0 {
		token := c.handled.Pop()
		t := c.walks[token]
		c.free = append(c.free, token)
		page := c.pages.Page(t.Virtual)
		frame := c.pages.Frame(uint16(t.Space), page)
		c.cluster.Translated(c.now, t.Core, t.Space, t.Virtual, c.pages.Physical(frame, 0), false)
	}
}
