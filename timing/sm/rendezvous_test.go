// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// pausing is a mechanism of this test: it stops warp 0 for some cycles, at every visit or
// once at an instruction.
type pausing struct {
	cycles clock.Cycle
	once   bool
	at     uint32
	stops  []stop
}

// stop is what the hook says of a stop.
type stop struct {
	instruction, lanes, block, join uint32
	cycles                          clock.Cycle
}

func (p *pausing) On() bool                                  { return true }
func (p *pausing) Check(*arch.Machine, func(_, _ string))    {}
func (p *pausing) Structures(*arch.Machine) []arch.Structure { return nil }

func init() {
	arch.RegisterSection("pausing", nil, func() arch.Section { return new(pausing) }, arch.Declaration{})
	gpu.Mechanisms.Register("pausing", gpu.Mechanism{FrontEnds: func(m *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
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
				drivers[i].FrontEnd = &pauser{FrontEnd: drivers[i].FrontEnd, p: m.Section("pausing").(*pausing), hook: sms[0].Rendezvous(), sm: sms[0]}
			}
			return drivers, nil
		}
	}})
}

// pauser is a front end that stops warp 0.
type pauser struct {
	seam.FrontEnd
	p    *pausing
	sm   *sm.SM
	hook sm.Rendezvous
	from clock.Cycle
}

func (f *pauser) Cycle(now clock.Cycle) clock.Cycle {
	switch index, runs := f.sm.Next(0); {
	case runs && !f.p.once:
		f.hook.Pause(0, true)
	case runs && index == f.p.at && len(f.p.stops) == 0:
		f.hook.Stop(0)
	}
	switch {
	case !f.hook.Stopped(0):
		f.from = now
	case now-f.from >= f.p.cycles:
		s := stop{cycles: now - f.from}
		if s.instruction, _ = f.sm.Next(0); !f.p.once {
			s.instruction, s.lanes = f.hook.Left(0)
			s.block, _ = f.hook.BlockOf(0)
			s.join = f.hook.Reconvergence(s.instruction)
		}
		f.p.stops = append(f.p.stops, s)
		f.hook.Proceed(0)
		f.from = now // the next visit may end in this cycle
	}
	f.FrontEnd.Cycle(now)
	return now + 1
}

// A warp that pauses stops at every visit behind its first, and goes on when it is let.
// The hook says where it came from, where it is, and where its paths join.
func TestAWarpStopsAtEveryVisitUntilItIsLetGoOn(t *testing.T) {
	k := gputest.NewKernel("visits")
	k.Op(trace.ClassIntAdd, 1, 1).Branch() // instructions 0, 1
	k.Branch()                             // 2
	k.Op(trace.ClassIntAdd, 3, 3).Branch() // 3, 4
	k.Exit()                               // 5
	for b := range 3 {
		k.Blocks[b].PostDominator = uint32(b + 1)
	}
	replayed := func(cycles clock.Cycle) (*pausing, clock.Cycle) {
		m := gputest.Machine()
		m.GPU.SMs = 1
		p := &pausing{cycles: cycles}
		m.SetSection("pausing", p)
		_, r := run(t, m, nil, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
			w.Visit(0, gputest.Full)
			w.Visit(1, 0xff)
			w.Visit(2, 0xff00)
			w.Visit(3, gputest.Full)
		}})
		return p, r.Cycles
	}
	p, few := replayed(50)
	want := []stop{{1, gputest.Full, 1, 1, 50}, {2, 0xff, 2, 2, 50}, {4, 0xff00, 3, 3, 50}}
	if len(p.stops) != len(want) {
		t.Fatalf("%d stops, want %d: %+v", len(p.stops), len(want), p.stops)
	}
	for i := range want {
		if p.stops[i] != want[i] {
			t.Errorf("stop %d: %+v, want %+v", i, p.stops[i], want[i])
		}
	}
	if _, many := replayed(90); many-few != 3*40 {
		t.Errorf("three stops of 40 cycles more take %d cycles more", many-few)
	}
}

// A warp that is stopped inside a visit stays where it is, whether its next instruction waits for another or
// could issue.
func TestAWarpStopsWhereItIs(t *testing.T) {
	for _, c := range []struct {
		step int    // between the registers of an instruction and the next
		at   uint32 // instructions come two at a time: the third can issue right behind the second
	}{{0, 4}, {1, 2}} {
		k := gputest.NewKernel("straight")
		for i := range 8 {
			k.Op(trace.ClassIntAdd, 1+i*c.step, 1+i*c.step)
		}
		k.Exit()
		replayed := func(cycles clock.Cycle) clock.Cycle {
			m := gputest.Machine()
			m.GPU.SMs = 1
			p := &pausing{cycles: cycles, once: true, at: c.at}
			m.SetSection("pausing", p)
			_, r := run(t, m, nil, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
			if len(p.stops) != 1 || p.stops[0].instruction != c.at {
				t.Errorf("stops %+v, want one at instruction %d", p.stops, c.at)
			}
			return r.Cycles
		}
		if few, many := replayed(50), replayed(90); many-few != 40 {
			t.Errorf("registers %d apart: a stop of 40 cycles more takes %d cycles more", c.step, many-few)
		}
	}
}
