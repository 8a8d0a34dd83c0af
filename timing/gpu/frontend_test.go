// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace/tracetest"
)

// together drives several SMs, each as its own front end would.
type together struct{ fronts []seam.FrontEnd }

func (t *together) Begin(now clock.Cycle) {
	for _, f := range t.fronts {
		f.Begin(now)
	}
}

func (t *together) Cycle(now clock.Cycle) clock.Cycle {
	next := clock.Never
	for _, f := range t.fronts {
		next = min(next, f.Cycle(now))
	}
	return next
}

func (t *together) Settle(now clock.Cycle) {
	for _, f := range t.fronts {
		f.Settle(now)
	}
}

func oneForAll(_ *arch.Machine, cores []core.Core) ([]core.Driver, error) {
	sms, err := sm.Of(cores)
	if err != nil {
		return nil, err
	}
	all := &together{}
	for _, s := range sms {
		f, err := sm.NewFrontEnd(s)
		if err != nil {
			return nil, err
		}
		all.fronts = append(all.fronts, f)
	}
	return []core.Driver{{FrontEnd: all, Cores: cores}}, nil
}

func TestAFrontEndCanDriveSeveralSMs(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 30, tracetest.Fewer(3, 6)) {
		r := rand.New(rand.NewPCG(seed, 21))
		m := gputest.RandomMachine(r)
		m.GPU.SMs = 3
		src := gputest.NewSource(gputest.Trace(t, gputest.RandomLaunches(r)...))
		want, err := build(t, m, &gputest.Memory{LatencyCycles: 33}).Replay(t.Context(), src, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := with(&gputest.Memory{LatencyCycles: 33})
		o.FrontEnds = oneForAll
		g, err := New(m, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := g.Replay(t.Context(), src, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-one per SM +one for all):\n%s", seed, diff)
		}
	}
}

func TestEverySMNeedsADriver(t *testing.T) {
	o := with(&gputest.Memory{})
	o.FrontEnds = func(*arch.Machine, []core.Core) ([]core.Driver, error) { return nil, nil }
	if _, err := New(gputest.Machine(), o); err == nil || !strings.Contains(err.Error(), "no front end drives SM 0") {
		t.Errorf("got %v", err)
	}
}

// What asks the memory path for entries gets that of each SM before the first cycle.
func TestTheEntryOfEverySMIsTold(t *testing.T) {
	m := gputest.Machine()
	m.GPU.SMs = 3
	entries := map[int]seam.Entry{}
	o := with(&gputest.Memory{})
	build := o.Memory
	o.Memory = func(m *arch.Machine, c Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		p, err := build(m, c, sets, global)
		p.Entered = append(p.Entered, func(sm int, front seam.Entry) { entries[sm] = front })
		return p, err
	}
	g, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range g.cores {
		if e, told := entries[i]; !told || e.Port == nil || e.Port != s.Entry().Port {
			t.Errorf("SM %d: the entry told is %v", i, e.Port)
		}
	}
	if len(entries) != 3 {
		t.Errorf("%d entries of three SMs", len(entries))
	}
}
