// SPDX-License-Identifier: Apache-2.0

package chip

import (
	"context"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/process"
	"github.com/warptape/warptape/trace"
)

// scripted is a thread of plain instructions with events before some of them.
type scripted struct {
	n      int
	events map[int][]trace.CPUSync
	at     int
	given  []trace.CPUSync
}

func (s *scripted) Rewind() error {
	s.at, s.given = 0, nil
	return nil
}

func (s *scripted) Next(into []cpu.Instruction) (int, error) {
	n := 0
	for ; n < len(into) && s.at < s.n; n++ {
		list := s.events[s.at]
		into[n] = cpu.Instruction{IP: 0x1000 + uint64(s.at%16)*4, Syncs: uint8(len(list))}
		s.given = append(s.given, list...)
		s.at++
	}
	return n, nil
}

func (s *scripted) NextSync() trace.CPUSync {
	e := s.given[0]
	s.given = s.given[1:]
	return e
}

func processOf(name string, threads ...*scripted) (list []Program) {
	p := process.New(name, len(threads))
	for i, s := range threads {
		list = append(list, Program{Name: name, Stream: s, Process: p, Thread: i})
	}
	return list
}

var (
	lockIt   = trace.CPUSync{Kind: trace.CPULock, Object: 0x100}
	unlockIt = trace.CPUSync{Kind: trace.CPUUnlock, Object: 0x100}
	meetAll  = trace.CPUSync{Kind: trace.CPUBarrier, Object: 0x200, Threads: 2}
)

func outcomes(t *testing.T, change func(*cpu.Section), programs []Program) *Result {
	t.Helper()
	r, err := build(t, change).Run(context.Background(), programs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Four instructions a cycle: what a thread does under a lock takes its quarter, and the other
// waits as long.
func TestAThreadWaitsForALock(t *testing.T) {
	const n = 20_000
	for _, order := range []string{"out_of_order", "in_order"} {
		set := func(s *cpu.Section) { s.Order = order }
		thread := func(locked bool) *scripted {
			s := &scripted{n: n + 1}
			if locked {
				s.events = map[int][]trace.CPUSync{0: {lockIt}, n: {unlockIt}}
			}
			return s
		}
		free := outcomes(t, set, processOf("free", thread(false), thread(false))).Cycles
		one := outcomes(t, set, processOf("one", thread(true), thread(false)))
		both := outcomes(t, set, processOf("both", thread(true), thread(true)))
		if one.Cycles > free+free/50 {
			t.Errorf("%s: a lock that no other thread wants takes %d cycles, %d without", order, one.Cycles, free)
		}
		if more := both.Cycles - one.Cycles; more < n/4 || more > n/4*11/10 {
			t.Errorf("%s: a lock that both want takes %d cycles, %d by one", order, both.Cycles, one.Cycles)
		}
		stall := both.Programs[1].Counters[cpu.SyncStallCycles]
		if w := uint64(one.Cycles); stall < w*8/10 || stall > w {
			t.Errorf("%s: the second thread waits %d of %d cycles", order, stall, both.Cycles)
		}
	}
}

func TestThreadsMeetAtABarrier(t *testing.T) {
	short := &scripted{n: 10_100, events: map[int][]trace.CPUSync{100: {meetAll}}}
	long := &scripted{n: 20_100, events: map[int][]trace.CPUSync{20_000: {meetAll}}}
	r := outcomes(t, nil, processOf("meet", short, long))
	alone := outcomes(t, nil, processOf("alone", &scripted{n: 10_000}, &scripted{n: 20_000}))
	// the short thread has 10,000 instructions left when the long one has come
	want := alone.Programs[1].Counters[cpu.Cycles] + 10_000/4
	if got := uint64(r.Cycles); got < want || got > want*103/100 {
		t.Errorf("%d cycles, want %d", got, want)
	}
}

// A process of threads that ends before another program begins again, as a whole, and
// what it does then is not counted.
func TestAProcessIsRelaunchedAsAWhole(t *testing.T) {
	events := func() map[int][]trace.CPUSync {
		return map[int][]trace.CPUSync{10: {lockIt}, 20: {unlockIt}, 500: {meetAll}}
	}
	programs := processOf("threads", &scripted{n: 1000, events: events()}, &scripted{n: 600, events: events()})
	programs = append(programs, Program{Name: "other", Stream: &scripted{n: 100_000}})
	r := outcomes(t, nil, programs)
	for i, want := range []uint64{1000, 600, 100_000} {
		o := &r.Programs[i]
		if o.Counters[cpu.Instructions] != want || (i < 2) != (o.Runs > 3) {
			t.Errorf("%s: %d instructions in %d runs", o.Name, o.Counters[cpu.Instructions], o.Runs)
		}
	}
	if a, b := r.Programs[0].Runs, r.Programs[1].Runs; a-b > 1 || b-a > 1 {
		t.Errorf("%d and %d runs of the threads of one process", a, b)
	}
}

func TestThreadsThatCannotGoOnAreNamed(t *testing.T) {
	one := &scripted{n: 100, events: map[int][]trace.CPUSync{10: {lockIt}, 20: {meetAll}, 30: {unlockIt}}}
	two := &scripted{n: 100, events: map[int][]trace.CPUSync{50: {lockIt}, 60: {unlockIt}, 70: {meetAll}}}
	_, err := build(t, nil).Run(context.Background(), processOf("prog", one, two))
	for _, want := range []string{"prog: thread 0 waits at the barrier at 0x200, to which 1 of 2", "prog: thread 1 waits for the lock at 0x100, which thread 0 has"} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "BUG") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	alone := Program{Name: "alone", Stream: &scripted{n: 100, events: map[int][]trace.CPUSync{10: {lockIt}}}}
	if _, err := build(t, nil).Run(context.Background(), []Program{alone}); err == nil || !strings.Contains(err.Error(), "is of no process") {
		t.Errorf("an event without a process: %v", err)
	}
	damaged := processOf("prog", &scripted{n: 100, events: map[int][]trace.CPUSync{10: {unlockIt}}}, &scripted{n: 100})
	if _, err := build(t, nil).Run(context.Background(), damaged); err == nil || !strings.Contains(err.Error(), "which it does not have") {
		t.Errorf("a lock that no thread holds is given back: %v", err)
	}
}
