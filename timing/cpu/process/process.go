// SPDX-License-Identifier: Apache-2.0

// Package process orders the threads of one process while they are replayed. A thread
// that wants a lock waits until it is given back, and one that comes to a barrier until
// all have come. Locks go to waiting threads in the order of their coming, whatever the
// order was when the program was recorded. A program whose accesses are ordered by its
// locks is right in every order.
package process

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/trace"
)

// Process is the state of the locks and barriers of a process. It is used by one
// goroutine.
type Process struct {
	name    string
	threads []thread
	locks   map[uint64]*lock
	meets   map[uint64]*barrier
	wake    func(thread int)
	watch   func(thread int, s *trace.CPUSync, after bool)
	free    []*lock
	err     error
}

// thread is where a thread is.
type thread struct {
	waits trace.CPUSync // of kind CPUNoSync: it does not wait
	holds int           // locks
	ended bool
}

// lock is one that a thread holds. A free lock is not in the table.
type lock struct {
	owner   int
	waiting []int
}

type barrier struct {
	threads int
	arrived []int
}

// New makes a process of threads 0 to n-1 that have not begun.
func New(name string, n int) *Process {
	return &Process{name: name, threads: make([]thread, n), locks: map[uint64]*lock{}, meets: map[uint64]*barrier{}}
}

// Threads is their number.
func (p *Process) Threads() int { return len(p.threads) }

// Name is that of the program.
func (p *Process) Name() string { return p.name }

// Wake has f called for each thread that does not wait any more.
func (p *Process) Wake(f func(thread int)) { p.wake = f }

// Watch has f called when a thread has come to an event, and, with after, when it has
// done it; in the order in which that orders accesses of threads.
func (p *Process) Watch(f func(thread int, s *trace.CPUSync, after bool)) { p.watch = f }

// Err is what the first event that cannot be says: the trace is not that of a process.
func (p *Process) Err() error { return p.err }

// Do lets a thread do what an event says; false when it has to wait, and then Wake's
// function is called for it. All that the thread has stored before must be performed.
func (p *Process) Do(t int, s *trace.CPUSync) bool {
	p.watched(t, s, false)
	switch s.Kind {
	case trace.CPULock:
		if !p.lock(t, s) {
			return false
		}
	case trace.CPUUnlock:
		p.unlock(t, s)
	case trace.CPUBarrier:
		if !p.meet(t, s) {
			return false
		}
	}
	p.watched(t, s, true)
	return true
}

func (p *Process) lock(t int, s *trace.CPUSync) bool {
	l := p.locks[s.Object]
	switch {
	case l == nil:
		p.locks[s.Object] = p.newLock(t)
		p.threads[t].holds++
		return true
	case l.owner == t:
		p.fail(fmt.Errorf("%s: thread %d takes the lock at %#x, which it has: the trace is damaged, or lacks events", p.name, t, s.Object))
		return true
	}
	l.waiting = append(l.waiting, t)
	p.threads[t].waits = *s
	return false
}

func (p *Process) newLock(owner int) *lock {
	if n := len(p.free); n > 0 {
		l := p.free[n-1]
		p.free = p.free[:n-1]
		l.owner = owner
		return l
	}
	return &lock{owner: owner}
}

func (p *Process) unlock(t int, s *trace.CPUSync) {
	l := p.locks[s.Object]
	if l == nil || l.owner != t {
		p.fail(fmt.Errorf("%s: thread %d gives back the lock at %#x, which it does not have: the trace is damaged, or lacks events", p.name, t, s.Object))
		return
	}
	p.threads[t].holds--
	if len(l.waiting) == 0 {
		delete(p.locks, s.Object)
		p.free = append(p.free, l)
		return
	}
	next := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	l.owner = next
	p.threads[next].holds++
	p.letGo(next)
}

func (p *Process) meet(t int, s *trace.CPUSync) bool {
	b := p.meets[s.Object]
	if b == nil {
		b = &barrier{threads: int(s.Threads)}
		p.meets[s.Object] = b
	}
	if len(b.arrived) == 0 {
		b.threads = int(s.Threads)
	}
	if b.threads != int(s.Threads) {
		p.fail(fmt.Errorf("%s: thread %d comes to the barrier at %#x of %d threads, where others wait for %d: the trace is damaged", p.name, t, s.Object, s.Threads, b.threads))
		return true
	}
	if len(b.arrived)+1 < b.threads {
		b.arrived = append(b.arrived, t)
		p.threads[t].waits = *s
		return false
	}
	for _, other := range b.arrived {
		p.letGo(other)
	}
	b.arrived = b.arrived[:0]
	return true
}

// letGo ends what a thread waits for.
func (p *Process) letGo(t int) {
	s := p.threads[t].waits
	p.threads[t].waits = trace.CPUSync{}
	p.watched(t, &s, true)
	p.wake(t)
}

func (p *Process) watched(t int, s *trace.CPUSync, after bool) {
	if p.watch != nil {
		p.watch(t, s, after)
	}
}

func (p *Process) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// End tells that a thread has ended; true when it was the last. Then all may begin
// again.
func (p *Process) End(t int) (last bool) {
	if p.threads[t].holds > 0 {
		p.fail(fmt.Errorf("%s: thread %d ends and has %d locks: the trace is cut off, or lacks events", p.name, t, p.threads[t].holds))
	}
	p.threads[t].ended = true
	for i := range p.threads {
		if !p.threads[i].ended {
			return false
		}
	}
	for i := range p.threads {
		p.threads[i].ended = false
	}
	return true
}

// Stuck says which thread waits for what, when no thread can go on; nil else.
func (p *Process) Stuck() error {
	ended := true
	for i := range p.threads {
		t := &p.threads[i]
		if !t.ended && t.waits.Kind == trace.CPUNoSync {
			return nil
		}
		ended = ended && t.ended
	}
	if ended {
		return nil
	}
	threads := p.Describe()
	const shown = 16
	if n := len(threads); n > shown {
		threads = append(threads[:shown:shown], fmt.Sprintf("and %d more", n-shown))
	}
	return fmt.Errorf("%s: its threads wait for each other for ever; the trace is cut off, or lacks events:\n%s", p.name, strings.Join(threads, "\n"))
}

// Describe says which thread waits for what, for a replay that cannot go on.
func (p *Process) Describe() (list []string) {
	ended := 0
	for i := range p.threads {
		if p.threads[i].ended {
			ended++
		}
	}
	for i := range p.threads {
		switch w := &p.threads[i].waits; w.Kind {
		case trace.CPULock:
			list = append(list, fmt.Sprintf("%s: thread %d waits for the lock at %#x, which thread %d has", p.name, i, w.Object, p.locks[w.Object].owner))
		case trace.CPUBarrier:
			b := p.meets[w.Object]
			list = append(list, fmt.Sprintf("%s: thread %d waits at the barrier at %#x, to which %d of %d threads have come; %d have ended", p.name, i, w.Object, len(b.arrived), b.threads, ended))
		}
	}
	return list
}
