// SPDX-License-Identifier: Apache-2.0

package consistency

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
)

func events(c *Checker, thread int, kind trace.CPUSyncKind, object uint64) {
	s := trace.CPUSync{Kind: kind, Object: object}
	c.Event(thread, &s, false)
	c.Event(thread, &s, true)
}

func TestALockOrdersAccesses(t *testing.T) {
	c := New(2)
	events(c, 0, trace.CPULock, 8)
	v := c.Store(0, 0x400, 0x1000)
	events(c, 0, trace.CPUUnlock, 8)
	events(c, 1, trace.CPULock, 8)
	want, ordered := c.Load(1, 0x404, 0x1000)
	if n, _ := c.Races(); n != 0 || !ordered || want != v {
		t.Fatalf("%d races, version %d of %d", n, want, v)
	}
	c.Saw(1, 0x1000, want, v)
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	c.Saw(1, 0x1000, want, 0)
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "thread 1 reads version 0 of 0x1000") {
		t.Errorf("a value that is too old: %v", err)
	}
}

func TestRacesAreFound(t *testing.T) {
	for name, do := range map[string]func(c *Checker){
		"two stores":           func(c *Checker) { c.Store(0, 1, 0x1000); c.Store(1, 2, 0x1000) },
		"a load after a store": func(c *Checker) { c.Store(0, 1, 0x1000); c.Load(1, 2, 0x1000) },
		"a store after a load": func(c *Checker) { c.Load(0, 1, 0x1000); c.Store(1, 2, 0x1000) },
		"other locks": func(c *Checker) {
			events(c, 0, trace.CPULock, 8)
			c.Store(0, 1, 0x1000)
			events(c, 0, trace.CPUUnlock, 8)
			events(c, 1, trace.CPULock, 16)
			c.Store(1, 2, 0x1001)
		},
	} {
		c := New(2)
		do(c)
		n, first := c.Races()
		if n != 1 || first.First != 0 || first.Second != 1 || first.IP != 2 || first.Address&^1 != 0x1000 || c.Err() != nil {
			t.Errorf("%s: %d races, %v, %v", name, n, first, c.Err())
		}
	}
	c := New(2)
	c.Load(0, 1, 0x1000)
	c.Load(1, 2, 0x1000)
	c.Store(0, 3, 0x1002)
	_, _, left := c.Atomic(0, 7, 0x2000)
	if want, ordered, _ := c.Atomic(1, 8, 0x2000); !ordered || want != left {
		t.Errorf("an atomic access must see version %d, and the one before it has left %d", want, left)
	}
	c.Load(1, 4, 0x1002)
	if n, first := c.Races(); n != 0 {
		t.Errorf("two loads, and a store behind an atomic access, are a race: %v", first)
	}
}

// What a thread has done before it comes to give back a lock is known to the next one that has it. All that have passed
// a barrier know what threads have done before they came to it, and nothing later.
func TestOrderBeginsWhereAThreadComes(t *testing.T) {
	c := New(2)
	unlock, lock := trace.CPUSync{Kind: trace.CPUUnlock, Object: 8}, trace.CPUSync{Kind: trace.CPULock, Object: 8}
	c.Store(0, 1, 0x1000)
	c.Event(0, &unlock, false)
	c.Event(1, &lock, true)
	c.Store(1, 2, 0x1000)
	c.Event(0, &unlock, true)
	if n, first := c.Races(); n != 0 {
		t.Errorf("a store before the lock is given back: %v", first)
	}
	c = New(2)
	meets := trace.CPUSync{Kind: trace.CPUBarrier, Object: 16, Threads: 2}
	c.Store(0, 1, 0x1000)
	c.Store(1, 2, 0x2000)
	c.Event(0, &meets, false)
	c.Event(1, &meets, false)
	c.Event(0, &meets, true)
	c.Event(1, &meets, true)
	c.Load(0, 3, 0x2000)
	c.Load(1, 4, 0x1000)
	if n, first := c.Races(); n != 0 {
		t.Errorf("stores before a barrier: %v", first)
	}
	c = New(2)
	c.Event(0, &meets, false)
	c.Store(0, 1, 0x1000) // behind the point at which it has come
	c.Event(1, &meets, false)
	c.Event(1, &meets, true)
	c.Load(1, 2, 0x1000)
	if n, _ := c.Races(); n != 1 {
		t.Errorf("%d races, where a store follows the barrier's begin", n)
	}
}

// An oracle without clocks: accesses of a random history are in order if a path of
// program order and synchronisation leads from one to the other.
func TestRacesAreThoseOfTheGraphOfEvents(t *testing.T) {
	const threads, addresses, length = 4, 3, 60
	found := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		c := New(threads)
		type access struct {
			thread  int
			address uint64
			store   bool
			node    int
		}
		var past []access
		var edges [][]int // to a node, from these
		lastOf := make([]int, threads)
		for i := range lastOf {
			lastOf[i] = -1
		}
		freed := map[uint64]int{} // node of the last unlock
		held := map[uint64]int{}
		node := func(thread int, from ...int) int {
			edges = append(edges, append(from, lastOf[thread]))
			lastOf[thread] = len(edges) - 1
			return lastOf[thread]
		}
		want := uint64(0)
		for range length {
			thread := rng.IntN(threads)
			object := uint64(8 * (1 + rng.IntN(2)))
			owner, locked := held[object]
			switch {
			case rng.IntN(3) == 0 && !locked:
				before, ok := freed[object]
				if !ok {
					before = -1
				}
				node(thread, before)
				events(c, thread, trace.CPULock, object)
				held[object] = thread
				continue
			case rng.IntN(2) == 0 && locked && owner == thread:
				freed[object] = node(thread)
				events(c, thread, trace.CPUUnlock, object)
				delete(held, object)
				continue
			}
			a := access{thread, 0x1000 * uint64(1+rng.IntN(addresses)), rng.IntN(2) == 0, 0}
			a.node = node(thread)
			reach := map[int]bool{}
			for todo := []int{a.node}; len(todo) > 0; {
				n := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				if n < 0 || reach[n] {
					continue
				}
				reach[n] = true
				todo = append(todo, edges[n]...)
			}
			// against the last store, and, of a store, one of the loads since
			lastStore := -1
			for i := range past {
				if past[i].address == a.address && past[i].store {
					lastStore = i
				}
			}
			if lastStore >= 0 && !reach[past[lastStore].node] {
				want++
			}
			latest := map[int]int{}
			for i := lastStore + 1; i < len(past) && a.store; i++ {
				if past[i].address == a.address {
					latest[past[i].thread] = past[i].node
				}
			}
			for _, n := range latest {
				if !reach[n] {
					want++
					break
				}
			}
			if a.store {
				c.Store(thread, 1, a.address)
			} else {
				c.Load(thread, 1, a.address)
			}
			past = append(past, a)
		}
		if n, first := c.Races(); n != want {
			t.Fatalf("seed %d: %d races, the graph has %d; the first is %v", seed, n, want, first)
		}
		found += int(want)
	}
	if found == 0 {
		t.Error("no history has a race")
	}
}
