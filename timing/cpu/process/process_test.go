// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
)

// run lets threads do their events in a random order, each as soon as it may, and
// returns the order in which they were done. Locks and barriers are looked after by
// counters of the test's own.
func run(t *testing.T, rng *rand.Rand, p *Process, events [][]trace.CPUSync) int {
	t.Helper()
	n := len(events)
	next, waits := make([]int, n), make([]bool, n)
	owners, rounds := map[uint64]int{}, make([]int, n)
	p.Wake(func(thread int) { waits[thread] = false })
	done := 0
	p.Watch(func(thread int, s *trace.CPUSync, after bool) {
		switch {
		case s.Kind == trace.CPULock && after:
			if owner, held := owners[s.Object]; held {
				t.Fatalf("threads %d and %d have the lock %#x", owner, thread, s.Object)
			}
			owners[s.Object] = thread
		case s.Kind == trace.CPUUnlock && !after:
			delete(owners, s.Object)
		case s.Kind == trace.CPUBarrier && !after:
			rounds[thread]++
		case s.Kind == trace.CPUBarrier && after:
			for other := range rounds {
				if rounds[other] < rounds[thread] {
					t.Fatalf("thread %d leaves barrier %d, where %d has not come", thread, rounds[thread], other)
				}
			}
		}
		if after {
			done++
		}
	})
	for left := n; left > 0; {
		var may []int
		for i := range n {
			if !waits[i] && next[i] < len(events[i]) {
				may = append(may, i)
			}
		}
		if len(may) == 0 {
			t.Fatalf("%v", p.Stuck())
		}
		i := may[rng.IntN(len(may))]
		s := events[i][next[i]]
		next[i]++
		waits[i] = true
		if p.Do(i, &s) {
			waits[i] = false
		}
		left = 0
		for k := range n {
			if next[k] < len(events[k]) || waits[k] {
				left++
			}
		}
	}
	return done
}

func TestLocksExcludeAndBarriersMeet(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(7)
		events, all := make([][]trace.CPUSync, n), 0
		for range 1 + rng.IntN(5) { // phases
			for i := range events {
				for range rng.IntN(6) {
					lock := 0x100 * uint64(1+rng.IntN(3))
					events[i] = append(events[i], trace.CPUSync{Kind: trace.CPULock, Object: lock}, trace.CPUSync{Kind: trace.CPUFence}, trace.CPUSync{Kind: trace.CPUUnlock, Object: lock})
				}
				events[i] = append(events[i], trace.CPUSync{Kind: trace.CPUBarrier, Object: 0x10, Threads: uint32(n)})
			}
		}
		for i := range events {
			all += len(events[i])
		}
		p := New("test", n)
		if done := run(t, rng, p, events); done != all || p.Err() != nil || len(p.locks) != 0 {
			t.Fatalf("seed %d: %d of %d events, %d locks, %v", seed, done, all, len(p.locks), p.Err())
		}
		for i := range n {
			if last := p.End(i); last != (i == n-1) || p.Err() != nil {
				t.Fatalf("the end of thread %d is the last: %v, %v", i, last, p.Err())
			}
		}
	}
}

func TestALockGoesToWhoCameFirst(t *testing.T) {
	p := New("test", 4)
	var order []int
	p.Wake(func(thread int) { order = append(order, thread) })
	lock, unlock := trace.CPUSync{Kind: trace.CPULock, Object: 8}, trace.CPUSync{Kind: trace.CPUUnlock, Object: 8}
	if !p.Do(2, &lock) || p.Do(3, &lock) || p.Do(0, &lock) || p.Do(1, &lock) {
		t.Fatal("a free lock is not given, or one that another has is")
	}
	for _, thread := range []int{2, 3, 0} {
		p.Do(thread, &unlock)
	}
	if len(order) != 3 || order[0] != 3 || order[1] != 0 || order[2] != 1 {
		t.Errorf("the lock goes to %v", order)
	}
}

// A thread that ends has given back all its locks, those that others have left to it among them.
func TestThreadsEndWithoutLocks(t *testing.T) {
	lock, unlock := trace.CPUSync{Kind: trace.CPULock, Object: 8}, trace.CPUSync{Kind: trace.CPUUnlock, Object: 8}
	for _, gives := range []bool{true, false} {
		p := New("test", 2)
		p.Wake(func(int) {})
		p.Do(0, &lock)
		p.Do(1, &lock)
		p.Do(0, &unlock)
		if gives {
			p.Do(1, &unlock)
		}
		p.End(0)
		p.End(1)
		if err := p.Err(); gives && err != nil || !gives && (err == nil || !strings.Contains(err.Error(), "thread 1 ends and has 1 locks")) {
			t.Errorf("the second has given it back: %v; %v", gives, err)
		}
	}
}

func TestStuckThreadsSayWhatTheyWaitFor(t *testing.T) {
	p := New("prog", 3)
	p.Wake(func(int) {})
	p.Do(0, &trace.CPUSync{Kind: trace.CPULock, Object: 0x40})
	p.Do(1, &trace.CPUSync{Kind: trace.CPULock, Object: 0x40})
	if err := p.Stuck(); err != nil {
		t.Fatalf("threads that can go on: %v", err)
	}
	p.Do(0, &trace.CPUSync{Kind: trace.CPUBarrier, Object: 0x80, Threads: 3})
	p.End(2)
	err := p.Stuck()
	for _, want := range []string{"prog: thread 1 waits for the lock at 0x40, which thread 0 has", "prog: thread 0 waits at the barrier at 0x80, to which 1 of 3 threads have come; 1 have ended", "cut off"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestEventsThatCannotBeAreRefused(t *testing.T) {
	lock := trace.CPUSync{Kind: trace.CPULock, Object: 8}
	for want, do := range map[string]func(p *Process){
		"takes the lock at 0x8, which it has":       func(p *Process) { p.Do(0, &lock); p.Do(0, &lock) },
		"gives back the lock at 0x8, which it does": func(p *Process) { p.Do(1, &lock); p.Do(0, &trace.CPUSync{Kind: trace.CPUUnlock, Object: 8}) },
		"of 2 threads, where others wait for 3": func(p *Process) {
			p.Do(0, &trace.CPUSync{Kind: trace.CPUBarrier, Threads: 3})
			p.Do(1, &trace.CPUSync{Kind: trace.CPUBarrier, Threads: 2})
		},
		"thread 1 ends and has 1 locks: the trace is": func(p *Process) { p.Do(1, &lock); p.End(1) },
	} {
		p := New("test", 3)
		p.Wake(func(int) {})
		if do(p); p.Err() == nil || !strings.Contains(p.Err().Error(), want) {
			t.Errorf("got %v, want %s", p.Err(), want)
		}
	}
}

// A barrier may be one of other threads the next time, and who was let go does not wait: not for what it has, nor when all
// have ended and begin again.
func TestABarrierAndItsThreadsAreReused(t *testing.T) {
	p := New("test", 3)
	p.Wake(func(int) {})
	for round := range 2 {
		for _, threads := range []int{2, 3, 2} {
			for i := range threads {
				if p.Do(i, &trace.CPUSync{Kind: trace.CPUBarrier, Object: 8, Threads: uint32(threads)}) != (i == threads-1) {
					t.Fatalf("round %d: thread %d of %d does not wait for the last, or that does", round, i, threads)
				}
				if waits := p.Describe(); len(waits) != (i+1)%threads {
					t.Fatalf("round %d: %d of %d threads have come, and there wait %v", round, i+1, threads, waits)
				}
			}
			if err := p.Stuck(); err != nil || p.Err() != nil {
				t.Fatalf("round %d: all have met: %v, %v", round, err, p.Err())
			}
		}
		for i := range 3 {
			if p.End(i) != (i == 2) {
				t.Fatalf("round %d: the end of thread %d is the last, or that of the last is not", round, i)
			}
		}
	}
}

// Of many threads that wait for each other sixteen are named, and the others are counted.
func TestManyStuckThreadsAreCounted(t *testing.T) {
	for _, n := range []int{16, 17, 40} {
		p := New("test", n)
		for i := range n {
			p.Do(i, &trace.CPUSync{Kind: trace.CPUBarrier, Object: 8, Threads: uint32(n + 1)})
		}
		said := p.Stuck().Error()
		if named := strings.Count(said, "waits at the barrier"); named != 16 || strings.Contains(said, "more") != (n > 16) || n > 16 && !strings.Contains(said, fmt.Sprintf("and %d more", n-16)) {
			t.Errorf("%d threads, %d are named: %s", n, named, said)
		}
	}
}
