package soc

import (
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// Watch implements seam.Watchable for what lies behind.
func (c *system) Watch(w seam.Watcher) {
	if s, ok := c.behindChip.(seam.Watchable); ok {
		s.Watch(w)
	}
}

// Gauges implements seam.Watchable for what lies behind.
func (c *system) Gauges() []seam.Gauge {
	if s, ok := c.behindChip.(seam.Watchable); ok {
		return s.Gauges()
	}
	return nil
}

// Depths implements seam.Watchable for what lies behind.
func (c *system) Depths(into []int) {
	if s, ok := c.behindChip.(seam.Watchable); ok {
		s.Depths(into)
	}
}

// Links implements seam.LinkReporter for what lies behind.
func (c *system) Links() []seam.LinkUse {
	if r, ok := c.behindChip.(seam.LinkReporter); ok {
		return r.Links()
	}
	return nil
}

// CountLines implements seam.LineCounter for what lies behind.
func (p *port) CountLines(lines []counters.Set) {
	if c, ok := p.Cleaner.(seam.LineCounter); ok {
		c.CountLines(lines)
	}
}

var (
	_ seam.Watchable    = (*system)(nil)
	_ seam.LinkReporter = (*system)(nil)
	_ seam.LineCounter  = (*port)(nil)
)
