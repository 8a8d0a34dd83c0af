// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/counters"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// period of the cores in tests; the chip has the same clock.
const period = 10

// flatChip answers everything after a fixed time, in order. Pages lie where they are
// in the address space.
type flatChip struct {
	cluster      *Cluster
	line, page   Cycle
	events       []flatEvent
	ended        []Job
	handled      []Exception
	handledAt    []clock.Time
	requests     []Request
	refuse       int // requests that have to wait at first
	grantShared  bool
	readOnly     bool // pages, unless a store asks
	translations []Translation
}

type flatEvent struct {
	at clock.Time
	do func()
}

func (f *flatChip) after(now clock.Time, cycles Cycle, do func()) {
	f.events = append(f.events, flatEvent{now + clock.Time(cycles)*period, do})
}

func (f *flatChip) Translate(now clock.Time, t Translation) {
	f.translations = append(f.translations, t)
	at := now + clock.Time(f.page)*period
	f.after(now, f.page, func() {
		f.cluster.Translated(at-1, t.Core, t.Space, t.Virtual, t.Virtual&^4095, f.readOnly && !t.Write)
	})
}

func (f *flatChip) Send(now clock.Time, r *Request) bool {
	if f.refuse > 0 {
		f.refuse--
		f.after(now, 5, func() { f.cluster.Room(now+5*period-1, r.Core) })
		return false
	}
	f.requests = append(f.requests, *r)
	if !r.Access.Answered() {
		return true
	}
	q, at := *r, now+clock.Time(f.line)*period
	s := coherence.Exclusive
	if f.grantShared && q.Access == Read {
		s = coherence.Shared
	}
	f.after(now, f.line, func() { f.cluster.Granted(at-1, q.Core, q.Physical, s) })
	return true
}

func (f *flatChip) Done(_ clock.Time, _ int, j Job) { f.ended = append(f.ended, j) }

func (f *flatChip) Handled(now clock.Time, _ int, x Exception) {
	f.handled = append(f.handled, x)
	f.handledAt = append(f.handledAt, now)
}

// run goes on until nothing happens any more, and gives the time of the last event.
func (f *flatChip) run(t *testing.T) clock.Time {
	t.Helper()
	last := clock.Time(0)
	for range 50_000_000 {
		next := f.cluster.NextEvent()
		first := -1
		for i := range f.events {
			if first < 0 || f.events[i].at < f.events[first].at {
				first = i
			}
		}
		if first >= 0 && f.events[first].at <= next {
			e := f.events[first]
			f.events = append(f.events[:first], f.events[first+1:]...)
			last = e.at
			e.do()
			continue
		}
		if next == clock.NeverTime {
			if n := f.cluster.InFlight(); n != 0 || f.cluster.Err() != nil {
				t.Fatalf("%d instructions are left, %v: %v", n, f.cluster.Err(), f.cluster.Describe())
			}
			return last
		}
		last = next
		f.cluster.Advance(next)
	}
	t.Fatalf("no end: %v", f.cluster.Describe())
	return 0
}

// table42 is the core of Table 4.2 with perfect odds and ends.
func table42(change func(*Section)) *Section {
	s := &Section{
		Enabled: true, Cores: 1, MHz: 3000, Order: "out_of_order", Width: 4, ROBEntries: 256, LoadPorts: 2, StorePorts: 1,
		StoreBuffer: 32, BTBEntries: 4096, BTBWays: 4, HistoryBits: 12, CounterBits: 12, ReturnStack: 16, MispredictCycles: 14,
		TLBEntries: 64, PageBytes: 4096, LineBytes: 64, L1: PrivateCache{32 << 10, 4, 4}, L2: PrivateCache{512 << 10, 16, 7},
		Misses: 16, WalkCycles: 100,
	}
	if change != nil {
		change(s)
	}
	return s
}

// bench is a cluster on a flat chip.
type bench struct {
	*flatChip
	sets []*counters.Set
}

func newBench(t testing.TB, change func(*Section)) *bench {
	t.Helper()
	s := table42(change)
	m := &arch.Machine{Name: "test"}
	m.SetSection(Key, s)
	b := &bench{flatChip: &flatChip{line: 100, page: 20}}
	for range s.Cores {
		b.sets = append(b.sets, new(counters.Set))
	}
	var err error
	if b.cluster, err = NewCluster(m, clock.Domain{Name: "cpu", KHz: 3_000_000, Period: period}, b.flatChip, b.sets); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) counted(which counters.ID) uint64 { return b.sets[0][firstCounter+which] }

// program is a stream of given instructions.
type program struct {
	list []Instruction
	at   int
}

func (p *program) Next(into []Instruction) (int, error) {
	n := copy(into, p.list[p.at:])
	p.at += n
	return n, nil
}

func (p *program) Rewind() error {
	p.at = 0
	return nil
}

// cycles runs a program on core 0 whose code is there, and gives the cycles that it
// took.
func (b *bench) cycles(t *testing.T, list []Instruction) uint64 {
	t.Helper()
	warm := map[uint64]bool{}
	var first []Instruction
	for _, in := range list {
		if line := in.IP &^ 63; !warm[line] {
			warm[line] = true
			first = append(first, Instruction{IP: line})
		}
	}
	b.one(t, first)
	return b.one(t, list)
}

// one runs a program on core 0.
func (b *bench) one(t *testing.T, list []Instruction) uint64 {
	t.Helper()
	before := b.counted(countCycles)
	now := b.cluster.cores[0].now
	b.cluster.Run(clock.Time(now)*period, 0, Job{Stream: &program{list: list}})
	b.run(t)
	return b.counted(countCycles) - before
}

// straight gives n instructions that need nothing, in a loop of code that fits a
// line.
func straight(n int) []Instruction {
	list := make([]Instruction, n)
	for i := range list {
		list[i].IP = 0x1000 + uint64(i%16)*4
	}
	return list
}
