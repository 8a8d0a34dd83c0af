// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// crew is goroutines that share out items with the one that calls work. Each has items
// of its own, the same in each round, so that what an item uses stays in the caches of
// one core. The caller takes over what another has not begun for long, so that a goroutine
// that gets no processor holds up nothing but what it has begun.
type crew struct {
	members []member // the caller of work is the first
	do      func(int)
	// meter takes the place of work, to find out what items cost; nil outside benchmarks.
	meter func(do func(int), items []int32)

	waiting atomic.Int32 // workers that sleep
	wake    chan struct{}
	quit    chan struct{}
	all     sync.WaitGroup
}

// member is one goroutine's items of the next round.
type member struct {
	items []int32
	state atomic.Int32 // of the items
	_     [64]byte     // each has a cache line of its own
}

// The states of a member's items.
const (
	done int32 = iota
	ready
	begun
)

const (
	// spins is how often an idle worker looks for items before it sleeps: some hundred
	// microseconds, longer than what the caller does alone takes.
	spins = 150_000
	// patience is how often the caller looks whether others have done before it helps them:
	// longer than all items of a round take.
	patience = 25_000
)

// newCrew is a crew of so many goroutines, the caller's among them.
func newCrew(members int) crew { return crew{members: make([]member, members)} }

func (c *crew) start() {
	workers := len(c.members) - 1
	c.wake, c.quit = make(chan struct{}, workers), make(chan struct{})
	for i := range workers {
		m := &c.members[i+1]
		c.all.Go(func() { c.help(m) })
	}
}

func (c *crew) stop() {
	close(c.quit)
	c.all.Wait()
}

// begin readies for another round.
func (c *crew) begin() {
	for i := range c.members {
		c.members[i].items = c.members[i].items[:0]
	}
}

// add adds an item to those of a member, of whom there may be fewer.
func (c *crew) add(member, item int) {
	m := &c.members[member%len(c.members)]
	m.items = append(m.items, int32(item))
}

// work does all items and returns when they are done; alone, without together.
func (c *crew) work(do func(int), together bool) {
	if c.meter != nil {
		c.meter(do, c.members[0].items)
		return
	}
	if !together || len(c.members) == 1 {
		for i := range c.members {
			for _, item := range c.members[i].items {
				do(int(item))
			}
		}
		return
	}
	c.do = do
	for i := range c.members {
		if m := &c.members[i]; len(m.items) > 0 {
			m.state.Store(ready)
		}
	}
	for range c.waiting.Load() {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	for i := range c.members {
		c.await(i)
	}
}

// await returns when a member's items are done. The caller does its own at once, since no
// worker does them.
func (c *crew) await(member int) {
	m := &c.members[member]
	if member == 0 {
		c.take(m)
	}
	for n := 1; m.state.Load() != done; n++ {
		if n%patience == 0 {
			c.take(m)
			runtime.Gosched()
		}
	}
}

// take does the items of a member if they have not been begun.
func (c *crew) take(m *member) {
	if !m.state.CompareAndSwap(ready, begun) {
		return
	}
	for _, item := range m.items {
		c.do(int(item))
	}
	m.state.Store(done)
}

// help is one worker.
func (c *crew) help(m *member) {
	for {
		for n := 0; n < spins; n++ {
			if m.state.Load() == ready {
				c.take(m)
				n = 0
			}
		}
		c.waiting.Add(1)
		asleep := m.state.Load() != ready
		for asleep {
			select {
			case <-c.wake:
				asleep = false
			case <-c.quit:
				return
			}
		}
		c.waiting.Add(-1)
		select {
		case <-c.quit:
			return
		default:
		}
	}
}
