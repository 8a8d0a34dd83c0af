// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"context"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// flushing is a memory whose ports write something at the end of each thread block, one
// cycle later, for some cycles.
type flushing struct {
	*gputest.Memory
	cycles clock.Cycle
	ends   []heard
	begins []clock.Cycle // of what is written then
}

func (f *flushing) Port(sm int, to seam.Completions) (seam.Entry, error) {
	e, err := f.Memory.Port(sm, to)
	e.Port = &flushingPort{Port: e.Port, memory: f, to: to, begin: clock.Never, end: clock.Never}
	return e, err
}

type flushingPort struct {
	seam.Port
	memory     *flushing
	to         seam.Completions
	last       int
	begin, end clock.Cycle
}

func (p *flushingPort) BlockEnd(now clock.Cycle, slot, last int) {
	p.memory.ends = append(p.memory.ends, heard{at: now, who: slot})
	if p.memory.cycles > 0 {
		p.last, p.begin, p.end = last, now+1, clock.Never
	}
}

func (p *flushingPort) PendingWrites(w int) int {
	if w == p.last && (p.begin != clock.Never || p.end != clock.Never) {
		return 1
	}
	return p.Port.PendingWrites(w)
}

func (p *flushingPort) Cycle(now clock.Cycle) clock.Cycle {
	switch {
	case now >= p.begin:
		p.memory.begins = append(p.memory.begins, now)
		p.begin, p.end = clock.Never, now+p.memory.cycles
	case now >= p.end:
		p.end = clock.Never
		p.to.WriteDone(now, p.last)
	}
	return min(p.Port.Cycle(now), p.begin, p.end)
}

// The port hears once of the end of each thread block, and the block leaves when what the port then writes is
// performed.
func TestAThreadBlockLeavesWhenItsLastWritesAreDone(t *testing.T) {
	stores, adds := gputest.NewKernel("stores"), gputest.NewKernel("adds")
	stores.Op(trace.ClassIntAdd, 1, 1).Store(trace.SpaceGlobal, 2, 1).Exit()
	adds.Op(trace.ClassIntAdd, 1, 1).Exit() // nothing wakes the port but the end
	replayed := func(k *gputest.Kernel, cycles clock.Cycle) clock.Cycle {
		m := gputest.Machine()
		m.SM.MaxBlocks = 1
		memory := &flushing{Memory: steady(), cycles: cycles}
		g, err := gpu.New(m, gpu.Options{Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
			memory.Build(c.Core, global)
			return seam.Path{MemorySystem: memory}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 3, Threads: 96})), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(memory.ends) != 3 || r.Total[counters.BlocksRetired] != 3 {
			t.Errorf("the ends of three thread blocks: %+v; %d retired", memory.ends, r.Total[counters.BlocksRetired])
		}
		for i, begin := range memory.begins {
			if begin != memory.ends[i].at+1 {
				t.Errorf("thread block %d ends in cycle %d, and the port's next cycle is %d", i, memory.ends[i].at, begin)
			}
		}
		return r.Cycles
	}
	for _, k := range []*gputest.Kernel{stores, adds} {
		replayed(k, 0)
		if few, many := replayed(k, 1), replayed(k, 40); many-few != 3*39 {
			t.Errorf("%s: three times 39 cycles more of writes take %d cycles more", k.Name, many-few)
		}
	}
}

// helping is a mechanism of this test: an assistant that keeps thread blocks for some cycles, and starts a warp of its own
// for the first.
type helping struct {
	cycles clock.Cycle
	all    []*helper
}

func (p *helping) On() bool                                  { return true }
func (p *helping) Check(*arch.Machine, func(_, _ string))    {}
func (p *helping) Structures(*arch.Machine) []arch.Structure { return nil }

func init() {
	arch.RegisterSection("helping", nil, func() arch.Section { return new(helping) }, arch.Declaration{})
	gpu.Mechanisms.Register("helping", gpu.Mechanism{FrontEnds: func(m *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
		return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
			drivers, err := next(m, cores)
			if err != nil {
				return nil, err
			}
			for i := range drivers {
				sms, err := sm.Of(drivers[i].Cores)
				if err != nil {
					return nil, err
				}
				h := &helper{FrontEnd: drivers[i].FrontEnd, p: m.Section("helping").(*helping)}
				if h.hook, err = sms[0].Assist(h); err != nil {
					return nil, err
				}
				h.p.all = append(h.p.all, h)
				drivers[i].FrontEnd = h
			}
			return drivers, nil
		}
	}})
}

// helper is the assistant of an SM.
type helper struct {
	seam.FrontEnd
	p      *helping
	hook   sm.Assistance
	placed []int
	ended  []heard
	extra  []clock.Cycle // in which its own warps have ended
	closed int
}

func (h *helper) Placed(now clock.Cycle, slot int) {
	if h.placed = append(h.placed, slot); len(h.placed) == 1 {
		h.hook.StartExtra(now, nothing{closed: &h.closed})
	}
}
func (h *helper) Holds(int, uint32) sm.Hold               { return sm.HoldNothing }
func (h *helper) Issued(clock.Cycle, int, uint32, uint32) {}
func (h *helper) Loaded(clock.Cycle, int, uint32)         {}
func (h *helper) Opened(clock.Cycle, int)                 {}
func (h *helper) ExtraEnded(now clock.Cycle)              { h.extra = append(h.extra, now) }
func (h *helper) Ended(now clock.Cycle, slot int) bool {
	h.ended = append(h.ended, heard{at: now, who: slot})
	return h.p.cycles > 0
}

func (h *helper) Cycle(now clock.Cycle) clock.Cycle {
	for _, e := range h.ended {
		if h.hook.Assisted()>>e.who&1 != 0 && now == e.at+h.p.cycles {
			h.hook.Release(now, e.who)
		}
	}
	h.FrontEnd.Cycle(now)
	return now + 1
}

// nothing is the stream of a warp that ends where it begins.
type nothing struct {
	seam.Stream
	closed *int
}

func (nothing) Next(*seam.Visit) bool { return false }
func (n nothing) Close()              { *n.closed++ }

// A thread block that the assistant keeps occupies its slot until it is released: the next comes that much later. The assistant's own
// warp ends once, and its stream is closed.
func TestAThreadBlockIsKeptUntilItIsReleased(t *testing.T) {
	k := gputest.NewKernel("short")
	k.Op(trace.ClassIntAdd, 1, 1).Exit()
	replayed := func(room int, cycles clock.Cycle) (*helper, clock.Cycle) {
		m := gputest.Machine()
		m.SM.MaxBlocks = room
		p := &helping{cycles: cycles}
		m.SetSection("helping", p)
		_, r := run(t, m, nil, gputest.Launch{Kernel: k, Blocks: 3, Threads: 64})
		h := p.all[0]
		slots := make([]int, len(h.ended))
		for i, e := range h.ended {
			slots[i] = e.who
		}
		if !slices.Equal(slots, h.placed) || len(slots) != 3 || r.Total[counters.BlocksRetired] != 3 {
			t.Errorf("room for %d: thread blocks are placed in slots %v and end in %v; %d retire", room, h.placed, slots, r.Total[counters.BlocksRetired])
		}
		if len(h.extra) != 1 || h.closed != 1 || h.hook.Assisted() != 0 {
			t.Errorf("room for %d: the assistant's warp ends in cycles %v, its stream is closed %d times, blocks %b are kept", room, h.extra, h.closed, h.hook.Assisted())
		}
		return h, r.Cycles
	}
	for _, room := range []int{1, 3} {
		_, alone := replayed(room, 0)
		times := clock.Cycle(3 / room)
		for _, cycles := range []clock.Cycle{1, 40} {
			if _, got := replayed(room, cycles); got != alone+times*cycles {
				t.Errorf("room for %d, kept for %d cycles: %d cycles, want %d", room, cycles, got, alone+times*cycles)
			}
		}
	}
}
