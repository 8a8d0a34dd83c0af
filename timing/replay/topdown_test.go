// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// chained is a kernel of n instructions that each need the result of the one before.
func chained(n int, class trace.OpClass) *gputest.Kernel {
	k := gputest.NewKernel("chained")
	for range n {
		k.Op(class, 1, 1)
	}
	return k.Exit()
}

// loads are n loads of a space, each of another line; dependent ones wait for the
// load before.
func loads(n int, space trace.Space, dependent bool) *gputest.Kernel {
	k := gputest.NewKernel("loads")
	for i := range n {
		if dependent {
			k.Load(space, 1, 1)
		} else {
			k.Load(space, 2+i%8, 1)
		}
	}
	return k.Exit()
}

// looped repeats a short body of dependent arithmetic, so that it is fetched once.
func looped() gputest.Launch {
	k := gputest.NewKernel("looped")
	body := k.Branch()
	for range 10 {
		k.Op(trace.ClassF32Fma, 1, 1)
	}
	end := k.Branch()
	k.Exit()
	return gputest.Launch{Kernel: k, Blocks: 32, Threads: 64, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		for range 100 {
			w.Visit(body, w.Lanes)
		}
		w.Visit(end, w.Lanes)
	}}
}

// late is a kernel in which the first warp of a thread block works before a
// barrier at which the others wait for it.
func late() gputest.Launch {
	k := gputest.NewKernel("late")
	k.Op(trace.ClassIntAdd, 1, 1)
	work := k.Branch()
	for range 200 {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	meet := k.Branch()
	k.Barrier("sync", 0)
	k.Exit()
	return gputest.Launch{Kernel: k, Blocks: 16, Threads: 512, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Warp == 0 {
			w.Visit(work, w.Lanes)
		}
		w.Visit(meet, w.Lanes)
		w.Visit(meet+1, w.Lanes)
	}}
}

func TestTopDownNamesTheBottleneckOfMicroKernels(t *testing.T) {
	plain := func(*arch.Machine) {}
	cases := map[string]struct {
		launch gputest.Launch
		change func(*arch.Machine)
		want   string
	}{
		"dependent arithmetic":       {looped(), plain, bottleneckDependency},
		"square roots in many warps": {gputest.Launch{Kernel: chained(60, trace.ClassSpecial), Blocks: 60, Threads: 384}, plain, bottleneckUnits},
		"streaming":                  {gputest.Launch{Kernel: loads(8, trace.SpaceGlobal, false), Blocks: 600, Threads: 256}, plain, bottleneckDRAM},
		"pointer chase beyond L2":    {gputest.Launch{Kernel: loads(40, trace.SpaceGlobal, true), Blocks: 60, Threads: 32}, plain, latencyDRAM},
		"one shared-memory bank":     {gputest.Launch{Kernel: loads(60, trace.SpaceShared, false), Blocks: 60, Threads: 256}, func(m *arch.Machine) { m.Shared.Banks = 1 }, bottleneckBanks},
		"slow shared memory":         {gputest.Launch{Kernel: loads(60, trace.SpaceShared, false), Blocks: 60, Threads: 256}, func(m *arch.Machine) { m.Shared.WavefrontCycles = 4 }, bottleneckShared},
		"shared-memory chase":        {gputest.Launch{Kernel: loads(60, trace.SpaceShared, true), Blocks: 60, Threads: 32}, plain, latencyShared},
		"two MSHRs":                  {gputest.Launch{Kernel: loads(16, trace.SpaceGlobal, false), Blocks: 60, Threads: 256}, func(m *arch.Machine) { m.L1.MSHRs = 2 }, bottleneckMSHRs},
		"late warp":                  {late(), plain, bottleneckBarrier},
		"one thread block":           {gputest.Launch{Kernel: chained(300, trace.ClassF32Fma), Blocks: 1, Threads: 1024}, plain, bottleneckGrid},
		"long program":               {gputest.Launch{Kernel: independent(4000), Blocks: 32, Threads: 64}, plain, bottleneckFrontEnd},
		"nothing but launching":      {gputest.Launch{Kernel: chained(1, trace.ClassIntAdd), Blocks: 16, Threads: 32}, func(m *arch.Machine) { m.GPU.LaunchCycles = 10_000 }, bottleneckLaunch},
	}
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(cases)), tracetest.Fewer(4, len(cases))) {
		c := cases[name]
		m := load(t, "gtx480")[0]
		c.change(m)
		results, err := Run(context.Background(), gputest.Trace(t, c.launch), []*arch.Machine{m}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := results[0].Total.TopDown; got.Bottleneck != c.want {
			t.Errorf("%s: %q, want %q\n%s", name, got.Bottleneck, c.want, strings.Join(got.lines(), "\n"))
		}
	}
}

// independent is a long straight line of instructions that need nothing.
func independent(n int) *gputest.Kernel {
	k := gputest.NewKernel("independent")
	for i := range n {
		k.Op(trace.ClassIntAdd, 1+i%16, 17)
	}
	return k.Exit()
}

func TestTopDownLevelsAddUp(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	for _, res := range run(t, gputest.Trace(t, launches(6)...), machines(), Options{}) {
		for _, s := range append(res.Launches, res.Total) {
			d := &s.TopDown
			if !near(d.Retiring+d.FrontEnd+d.Execution+d.Memory+d.Barriers+d.Idle, 100) ||
				!near(d.Dependency+d.Units+d.Operands, d.Execution) || !near(d.Loads+d.LoadStore+d.Fences, d.Memory) || !near(d.IdleSMs+d.IdleWarps, d.Idle) {
				t.Errorf("%s launch %d: %+v", res.Machine, s.Launch, d)
			}
		}
	}
}

func TestOccupancyLimitOfASmallGridIsTheGrid(t *testing.T) {
	small := gputest.Launch{Kernel: chained(1, trace.ClassIntAdd), Blocks: 127, Threads: 32}
	full := small
	full.Blocks = 128
	results := run(t, gputest.Trace(t, small, full), load(t, "gtx480"), Options{})
	if got := []string{results[0].Launches[0].OccupancyLimit, results[0].Launches[1].OccupancyLimit}; got[0] != "grid" || got[1] != "blocks" {
		t.Errorf("limits %v: 16 SMs hold 8 thread blocks each", got)
	}
}

func TestJSONAndTableNameTheBottleneck(t *testing.T) {
	results := run(t, gputest.Trace(t, launches(5)...), machines(), Options{})
	b, err := json.Marshal(results[0])
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Total struct {
			TopDown struct{ Bottleneck, Evidence string } `json:"top_down"`
		}
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	d := results[0].Total.TopDown
	if got.Total.TopDown.Bottleneck != d.Bottleneck || d.Bottleneck == "" || got.Total.TopDown.Evidence != d.Evidence {
		t.Errorf("JSON has %+v, want %+v", got.Total.TopDown, d)
	}
	if !strings.Contains(written(t, results), "bottleneck: "+d.Bottleneck+" (") {
		t.Error("the table does not name it")
	}
}
