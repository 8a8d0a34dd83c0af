// SPDX-License-Identifier: Apache-2.0

package lowering

import (
	"sync"
	"weak"

	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/trace"
)

// kept is how many lowered kernels a process keeps: those of the launches and machines of a
// sweep over one trace.
const kept = 64

// subject is what a lowering depends on. Kernels are immutable, so the place of one stands
// for what it is, as long as it lives.
type subject struct {
	kernel weak.Pointer[trace.Kernel]
	target Target
	budget Budget
}

// cache holds the last lowerings of a process, each made once: machines of the same
// generation with registers and threads alike share it.
type cache struct {
	mutex sync.Mutex
	made  map[subject]*entry
	order []subject // the one that was asked for longest ago first
}

// entry is a lowering that is made, or has been.
type entry struct {
	once     sync.Once
	lowering *core.Lowering
	err      error
}

var process cache

// lower gives the lowering of a kernel.
func (c *cache) lower(k *trace.Kernel, t Target, b Budget) (*core.Lowering, error) {
	e := c.entry(subject{weak.Make(k), t, b})
	e.once.Do(func() {
		var l *Lowered
		if l, e.err = Lower(k, t, b); e.err == nil {
			alone := l.Lowering // without the operations before they were made instructions
			e.lowering = &alone
		}
	})
	return e.lowering, e.err
}

// entry finds or makes room for a lowering.
func (c *cache) entry(s subject) *entry {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.made == nil {
		c.made = map[subject]*entry{}
	}
	for i := range c.order {
		if c.order[i] == s {
			copy(c.order[i:], c.order[i+1:])
			c.order[len(c.order)-1] = s
			return c.made[s]
		}
	}
	if len(c.order) == kept {
		delete(c.made, c.order[0])
		copy(c.order, c.order[1:])
		c.order = c.order[:kept-1]
	}
	e := new(entry)
	c.made[s], c.order = e, append(c.order, s)
	return e
}
