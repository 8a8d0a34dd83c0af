// SPDX-License-Identifier: Apache-2.0

package cpu

// handler executes exceptions: what is in the reorder buffer stands still meanwhile,
// but for its accesses.
type handler struct {
	active  bool
	waits   bool // for a load
	until   Cycle
	place   int // load
	current Exception
}

// handle advances the exception that is executed; true while there is one.
func (c *core) handle() bool {
	h := &c.handler
	for {
		if !h.active {
			if c.exceptions.Len() == 0 {
				return false
			}
			c.count(countException)
			*h = handler{active: true, until: c.now + c.exceptions.Head().Cycles, current: c.exceptions.Pop()}
		}
		if h.waits || h.until > c.now {
			return true
		}
		if h.place < h.current.Count {
			h.waits = true
			c.count(countExceptionLoad)
			c.count(countL1DRead)
			c.loadPhysical(c.handlerAccess(), h.address(), h.address())
			continue
		}
		h.active = false
		if c.fetch.readyAt != never {
			c.fetch.readyAt = max(c.fetch.readyAt, c.now+Cycle(c.section.MispredictCycles))
		}
		c.chip.Handled(c.time(c.now), c.number, h.current)
	}
}

// address is that of the present load.
func (h *handler) address() uint64 { return h.current.Loads[h.place] }

// loaded ends a load.
func (h *handler) loaded(at Cycle) {
	h.waits, h.until = false, at
	h.place++
}

func (h *handler) pending(c *core) bool { return h.active || c.exceptions.Len() > 0 }

// next is the next cycle in which the handler goes on by itself.
func (h *handler) next(now Cycle) Cycle {
	if h.active && h.waits {
		return never
	}
	return max(h.until, now+1)
}
