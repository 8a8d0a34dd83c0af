// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// crew is goroutines that share out items with the one that calls work. Whoever
// is free takes the next item, so that a goroutine that gets no processor holds
// up nothing but an item that it has taken.
type crew struct {
	workers int
	items   []int32 // of the next call of work
	do      func(int32)

	left    atomic.Int32 // items to be taken, from the end
	undone  atomic.Int32
	waiting atomic.Int32 // workers that sleep
	wake    chan struct{}
	quit    chan struct{}
	all     sync.WaitGroup
}

// spins is how often an idle worker looks for items before it sleeps: some tens of
// microseconds, longer than the memory system takes between two windows.
const spins = 20_000

func newCrew(workers int) crew { return crew{workers: workers} }

func (c *crew) start(do func(int32)) {
	c.do = do
	c.wake, c.quit = make(chan struct{}, c.workers), make(chan struct{})
	for range c.workers {
		c.all.Go(c.help)
	}
}

func (c *crew) stop() {
	close(c.quit)
	c.all.Wait()
}

// work does all items and returns when they are done.
func (c *crew) work() {
	c.undone.Store(int32(len(c.items)))
	c.left.Store(int32(len(c.items)))
	for range c.waiting.Load() {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	c.take()
	for n := 0; c.undone.Load() > 0; n++ {
		if n > spins {
			runtime.Gosched()
		}
	}
}

// take does items until none is left to be taken.
func (c *crew) take() {
	for {
		n := c.left.Load()
		if n <= 0 {
			return
		}
		if c.left.CompareAndSwap(n, n-1) {
			c.do(c.items[n-1])
			c.undone.Add(-1)
		}
	}
}

// help is one worker.
func (c *crew) help() {
	for {
		for range spins {
			if c.left.Load() > 0 {
				c.take()
			}
		}
		c.waiting.Add(1)
		asleep := c.left.Load() <= 0
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
