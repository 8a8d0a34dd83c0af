// SPDX-License-Identifier: Apache-2.0

package buddy_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/buddy"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace/tracetest"
)

// with puts clusters of a size on a machine that is built in Go.
func with(m *arch.Machine, size int, change ...func(*buddy.Section)) *arch.Machine {
	s := &buddy.Section{
		Size: size, Formation: "adaptive", Regroup: "new_kernel", Divergence: "path", PowerUpCycles: 12,
		NetworkMHz: 2 * m.Clocks.CoreMHz, HopCycles: 1, HopMillimetres: 5, PJPerBitMM: 0.05,
	}
	for _, c := range change {
		c(s)
	}
	m = m.Clone()
	m.SetSection("buddy", s)
	return m
}

func off(m *arch.Machine) *arch.Machine {
	m = m.Clone()
	m.SetSection("buddy", &buddy.Section{})
	return m
}

func replay(t testing.TB, m *arch.Machine, memory *gputest.Memory, src gpu.Source) *gpu.Run {
	t.Helper()
	return watched(t, m, memory, src, nil)
}

func watched(t testing.TB, m *arch.Machine, memory *gputest.Memory, src gpu.Source, w seam.Watcher) *gpu.Run {
	t.Helper()
	o := gpu.Options{WatchdogCycles: 100_000, Watcher: w}
	if memory != nil {
		o.Memory = func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
			return memory.Build(c.Core, global), nil
		}
	}
	g, err := gpu.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func counter(t testing.TB, set *counters.Set, name string) uint64 {
	t.Helper()
	id, ok := counters.Lookup(name)
	if !ok {
		t.Fatalf("no counter %q", name)
	}
	return set[id]
}

func TestAClusterOfOneIsTheBaseline(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 40, 6) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := gputest.RandomMachine(r)
		m.GPU.SMs = 3
		src := gputest.NewSource(gputest.Trace(t, gputest.RandomLaunches(r)...))
		memory := func() *gputest.Memory {
			return &gputest.Memory{LatencyCycles: 33, FetchMissCycles: clock.Cycle(seed % 3 * 20)}
		}
		want := replay(t, m, memory(), src)
		got := replay(t, with(m, 1), memory(), src)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-baseline +cluster of one):\n%s", seed, diff)
		}
		if diff := cmp.Diff(want, replay(t, off(m), memory(), src)); diff != "" {
			t.Fatalf("seed %d (-baseline +off):\n%s", seed, diff)
		}
	}
}

func TestInvariantsHoldForClusters(t *testing.T) {
	var total counters.Set
	for _, seed := range tracetest.Seeds(t, 60, 10) {
		r := rand.New(rand.NewPCG(seed, 8))
		size := 2 << (seed % 3)
		m := gputest.RandomMachine(r)
		m.GPU.SMs = 8
		m = with(m, size, func(s *buddy.Section) {
			s.Formation = []string{"default", "adaptive"}[seed%2]
			s.Divergence = []string{"path", "mask"}[seed/2%2]
			s.Regroup = []string{"new_kernel", "halfway"}[seed/3%2]
			s.HopCycles = int(seed % 4)
			s.PowerUpCycles = int(seed % 5 * 10)
		})
		src := gputest.NewSource(gputest.Trace(t, gputest.RandomLaunches(r)...))
		memory := func() *gputest.Memory {
			return &gputest.Memory{LatencyCycles: 33, FetchMissCycles: clock.Cycle(seed % 3 * 20)}
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			ledger := gputest.NewSlotLedger()
			run := watched(t, m, memory(), src, ledger)
			ledger.Check(t, "slots", src.Reader, run.Profiles, &run.Total)
			m.SetSection("restless", &restless{Enabled: true})
			if diff := cmp.Diff(run, replay(t, m, memory(), src)); diff != "" {
				t.Fatalf("-sleeping +every cycle:\n%s", diff)
			}
			total.Add(&run.Total)
		})
	}
	group, _ := counters.GroupOf("buddy")
	for i, row := range group.Rows {
		if tracetest.Whole() && total[int(group.First)+i] == 0 {
			t.Errorf("%s: no machine has any", row.Name)
		}
	}
}

// restless is a mechanism of this test: it calls every front end in every cycle,
// the slow twin of front ends that sleep.
type restless struct {
	Enabled bool `yaml:"enabled"`
}

func (r *restless) On() bool                                  { return r.Enabled }
func (r *restless) Check(*arch.Machine, func(_, _ string))    {}
func (r *restless) Structures(*arch.Machine) []arch.Structure { return nil }

type everyCycle struct{ seam.FrontEnd }

func (e everyCycle) Cycle(now clock.Cycle) clock.Cycle {
	e.FrontEnd.Cycle(now)
	return now + 1
}

func init() {
	arch.RegisterSection("restless", nil, func() arch.Section { return new(restless) }, arch.Declaration{Outside: []arch.Ability{arch.IssueLogic, arch.IssueGroups}})
	gpu.Mechanisms.Register("restless", gpu.Mechanism{FrontEnds: func(_ *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
		return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
			drivers, err := next(m, cores)
			for i := range drivers {
				drivers[i].FrontEnd = everyCycle{drivers[i].FrontEnd}
			}
			return drivers, err
		}
	}})
}
