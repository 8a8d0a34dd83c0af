package seam

import "github.com/warptape/warptape/timing/counters"

// Behind is what a memory system has that stands in front of another and adds
// nothing to what can be seen of it: whatever the other offers beyond
// [MemorySystem] is offered still.
type Behind struct{ MemorySystem }

// Links implements [LinkReporter].
func (b Behind) Links() []LinkUse {
	if r, ok := b.MemorySystem.(LinkReporter); ok {
		return r.Links()
	}
	return nil
}

// Watch implements [Watchable].
func (b Behind) Watch(w Watcher) {
	if s, ok := b.MemorySystem.(Watchable); ok {
		s.Watch(w)
	}
}

// Gauges implements [Watchable].
func (b Behind) Gauges() []Gauge {
	if s, ok := b.MemorySystem.(Watchable); ok {
		return s.Gauges()
	}
	return nil
}

// Depths implements [Watchable].
func (b Behind) Depths(into []int) {
	if s, ok := b.MemorySystem.(Watchable); ok {
		s.Depths(into)
	}
}

// Preload implements [Preloader].
func (b Behind) Preload(address, bytes uint64) {
	if to, ok := b.MemorySystem.(Preloader); ok {
		to.Preload(address, bytes)
	}
}

// BehindPort is what a port has that stands in front of another and adds nothing to
// what each instruction is charged with: the other counts by instruction still.
type BehindPort struct{ Port }

// CountLines implements [LineCounter].
func (b BehindPort) CountLines(lines []counters.Set) {
	if c, ok := b.Port.(LineCounter); ok {
		c.CountLines(lines)
	}
}

var (
	_ LineCounter  = BehindPort{}
	_ LinkReporter = Behind{}
	_ Watchable    = Behind{}
	_ Preloader    = Behind{}
)
