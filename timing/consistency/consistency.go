// SPDX-License-Identifier: Apache-2.0

// Package consistency checks that threads see what release consistency allows them to
// see (Gharachorloo et al., ISCA 1990; GPSim thesis, section 6.3.4). A store happens
// before a load if program order and synchronisation lead from one to the other. In a
// program without races all stores of an address that matter to a load are in such an
// order, and the load must see the last of them. Clocks of threads tell the order
// (Flanagan and Freund, FastTrack, PLDI 2009).
//
// So there are two things to find: a race, which is the program's fault, and a value
// that is too old, which is the machine's.
package consistency

import (
	"fmt"

	"github.com/warptape/warptape/trace"
)

// Version names a store; 0 is what memory holds at first.
type Version uint32

// Grain is the bytes whose stores are one version: the half-words of the tinyCache's
// masks (section 5.3.3). Sizes of accesses are not known: an access is of the grain
// that it begins in.
const Grain = 2

// Race is two accesses of an address, one of them a store, that nothing orders.
type Race struct {
	Address       uint64
	First, Second int    // threads
	Store         bool   // the second access is one
	IP            uint64 // of the second access
}

func (r Race) String() string {
	access := "reads"
	if r.Store {
		access = "writes"
	}
	return fmt.Sprintf("thread %d %s %#x at the instruction %#x, and nothing orders that and an access by thread %d", r.Second, access, r.Address, r.IP, r.First)
}

// Checker follows the accesses of the threads of one process.
type Checker struct {
	clocks  [][]uint32 // of each thread: what it knows of each
	objects map[uint64][]uint32
	cells   map[uint64]*cell
	last    Version
	races   uint64
	first   *Race
	old     error
}

// cell is what is known of the accesses of a grain.
type cell struct {
	version Version
	writer  int32
	wrote   uint32   // the writer's clock; 0: no thread has written
	read    []uint32 // of each thread: its clock at its last load; nil: no thread has loaded
}

// New makes a checker for threads 0 to n-1.
func New(n int) *Checker {
	c := &Checker{objects: map[uint64][]uint32{}, cells: map[uint64]*cell{}}
	for i := range n {
		clock := make([]uint32, n)
		clock[i] = 1
		c.clocks = append(c.clocks, clock)
	}
	return c
}

// Event tells of a synchronisation, when a thread comes to it and when it has done it
// (process.Process.Watch). What a thread has done before it comes is known to each
// thread that does an event of the same object after it.
func (c *Checker) Event(thread int, s *trace.CPUSync, after bool) {
	switch s.Kind {
	case trace.CPULock:
		if after {
			c.acquire(thread, s.Object)
		}
	case trace.CPUUnlock:
		if !after {
			c.release(thread, s.Object)
		}
	case trace.CPUBarrier:
		if after {
			c.acquire(thread, s.Object)
		} else {
			c.release(thread, s.Object)
		}
	}
}

// Atomic takes note that a thread reads and writes an object at once: what others have
// done before their atomic accesses of it is known then. It gives the version that it
// must see, and the one that it leaves.
func (c *Checker) Atomic(thread int, ip, object uint64) (want Version, ordered bool, left Version) {
	c.acquire(thread, object)
	want, ordered = c.Load(thread, ip, object)
	left = c.Store(thread, ip, object)
	c.release(thread, object)
	return want, ordered, left
}

func (c *Checker) acquire(thread int, object uint64) {
	mine := c.clocks[thread]
	for i, at := range c.objects[object] {
		mine[i] = max(mine[i], at)
	}
}

func (c *Checker) release(thread int, object uint64) {
	mine := c.clocks[thread]
	theirs := c.objects[object]
	if theirs == nil {
		theirs = make([]uint32, len(mine))
		c.objects[object] = theirs
	}
	for i, at := range mine {
		theirs[i] = max(theirs[i], at)
	}
	mine[thread]++
}

func (c *Checker) cell(address uint64) *cell {
	at := address / Grain
	x := c.cells[at]
	if x == nil {
		x = &cell{}
		c.cells[at] = x
	}
	return x
}

// knows reports whether a thread knows of what another did at a clock of its own.
func (c *Checker) knows(thread, other int, at uint32) bool { return c.clocks[thread][other] >= at }

// Store takes note of a store, in program order, and names it.
func (c *Checker) Store(thread int, ip, address uint64) Version {
	x := c.cell(address)
	if x.wrote > 0 && !c.knows(thread, int(x.writer), x.wrote) {
		c.race(Race{address, int(x.writer), thread, true, ip})
	}
	for other, at := range x.read {
		if at > 0 && !c.knows(thread, other, at) {
			c.race(Race{address, other, thread, true, ip})
			break
		}
	}
	c.last++
	x.version, x.writer, x.wrote, x.read = c.last, int32(thread), c.clocks[thread][thread], nil
	return c.last
}

// Load takes note of a load, in program order, and gives the version that it must see.
// With a race there is none: false.
func (c *Checker) Load(thread int, ip, address uint64) (want Version, ordered bool) {
	x := c.cell(address)
	ordered = x.wrote == 0 || c.knows(thread, int(x.writer), x.wrote)
	if !ordered {
		c.race(Race{address, int(x.writer), thread, false, ip})
	}
	if x.read == nil {
		x.read = make([]uint32, len(c.clocks))
	}
	x.read[thread] = c.clocks[thread][thread]
	return x.version, ordered
}

// Saw tells what a load has seen that must see a version.
func (c *Checker) Saw(thread int, address uint64, want, got Version) {
	if want != got && c.old == nil {
		c.old = fmt.Errorf("BUG: thread %d reads version %d of %#x, and what happens before has written version %d", thread, got, address, want)
	}
}

func (c *Checker) race(r Race) {
	c.races++
	if c.first == nil {
		c.first = &r
	}
}

// Races is the number of races that were seen, and the first of them; nil without any.
func (c *Checker) Races() (n uint64, first *Race) { return c.races, c.first }

// Err is of the first load that saw a version that it must not see.
func (c *Checker) Err() error { return c.old }
