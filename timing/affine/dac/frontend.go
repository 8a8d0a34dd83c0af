// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
)

// frontEnd is that of one or more SMs, with the affine warps and units of each next to
// it; it implements seam.FrontEnd. SMs that issue together begin with a batch together,
// so that their affine warps go the same way as long as they can.
type frontEnd struct {
	seam.FrontEnd
	engines []*engine
	group   func(i int) (first, count int) // core.Driver.Together
}

// beside puts affine warps next to a driver.
func (c *chip) beside(d *core.Driver) (*frontEnd, error) {
	f := &frontEnd{FrontEnd: d.FrontEnd, group: d.Together}
	sms, err := sm.Of(d.Cores)
	if err != nil {
		return nil, fmt.Errorf("dac: %w", err)
	}
	for _, s := range sms {
		e, err := newEngine(c, s)
		if err != nil {
			return nil, err
		}
		f.engines = append(f.engines, e)
		c.engines = append(c.engines, e)
	}
	if f.group == nil {
		f.group = func(i int) (first, count int) { return i, 1 }
	}
	return f, nil
}

// Begin implements seam.FrontEnd.
func (f *frontEnd) Begin(now clock.Cycle) {
	for _, e := range f.engines {
		e.begin()
	}
	f.FrontEnd.Begin(now)
}

// Cycle implements seam.FrontEnd.
func (f *frontEnd) Cycle(now clock.Cycle) clock.Cycle {
	for _, e := range f.engines {
		e.moved = false
	}
	next := f.FrontEnd.Cycle(now)
	for i := 0; i < len(f.engines); {
		first, count := f.group(i)
		i = first + count
		next = min(next, f.start(now, f.engines[first:i]))
	}
	for _, e := range f.engines {
		next = min(next, e.step(now))
	}
	return next
}

// start begins the batches of SMs that issue together when all can, and gives the
// cycle in which they might.
func (f *frontEnd) start(now clock.Cycle, engines []*engine) clock.Cycle {
	at := clock.Cycle(0)
	for _, e := range engines {
		if !e.awaits() || e.sm.Resident() != engines[0].sm.Resident() {
			return clock.Never // what changes that wakes the front end
		}
		at = max(at, e.beginAt())
	}
	if at > now {
		return at
	}
	for _, e := range engines {
		e.start(now)
	}
	return clock.Never
}
