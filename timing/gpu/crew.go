// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// crew is goroutines that share out items with the one that calls work. Each has items
// of its own, the same in each round, so that what an item uses stays in the caches of
// one core. Whoever has waited in vain for another takes over what that one has not
// begun, so that a goroutine that gets no processor holds up nothing else.
type crew struct {
	members []member // the caller of work is the first
	do      func(int)
	// meter takes the place of work, to find out what items cost; nil outside benchmarks.
	meter func(do func(int), items []int32)

	undone  atomic.Int32
	waiting atomic.Int32 // workers that sleep
	wake    chan struct{}
	quit    chan struct{}
	all     sync.WaitGroup
}

// member is one goroutine's items of the next round.
type member struct {
	items []int32
	left  atomic.Int32 // items to be taken, from the end
	_     [64]byte     // each has a cache line of its own
}

const (
	// spins is how often an idle worker looks for items before it sleeps: some tens of
	// microseconds, longer than what the caller does alone takes.
	spins = 20_000
	// patience is how often one looks whether others have done before it helps them.
	patience = 4_000
)

// newCrew is a crew of so many goroutines, the caller's among them.
func newCrew(members int) crew { return crew{members: make([]member, members)} }

func (c *crew) start() {
	workers := len(c.members) - 1
	c.wake, c.quit = make(chan struct{}, workers), make(chan struct{})
	for i := range workers {
		c.all.Go(func() { c.help(i + 1) })
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
	if !together {
		for i := range c.members {
			for _, item := range c.members[i].items {
				do(int(item))
			}
		}
		return
	}
	c.do = do
	n := 0
	for i := range c.members {
		n += len(c.members[i].items)
	}
	c.undone.Store(int32(n))
	for i := range c.members {
		c.members[i].left.Store(int32(len(c.members[i].items)))
	}
	for range c.waiting.Load() {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	c.take(0)
	for n := 0; c.undone.Load() > 0; n++ {
		if n > patience {
			c.takeOver()
			runtime.Gosched()
		}
	}
}

// take does items of a member until none is left to be taken.
func (c *crew) take(member int) {
	m := &c.members[member]
	for {
		n := m.left.Load()
		if n <= 0 {
			return
		}
		if m.left.CompareAndSwap(n, n-1) {
			c.do(int(m.items[n-1]))
			c.undone.Add(-1)
		}
	}
}

// takeOver does what no member has begun.
func (c *crew) takeOver() {
	for i := range c.members {
		c.take(i)
	}
}

// help is one worker.
func (c *crew) help(member int) {
	own := &c.members[member].left
	for {
		for n := 0; n < spins; n++ {
			if own.Load() > 0 {
				c.take(member)
				n = 0
			}
		}
		c.waiting.Add(1)
		asleep := own.Load() <= 0
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
