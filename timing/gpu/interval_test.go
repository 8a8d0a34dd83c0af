// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// sampledRun is randomRun with intervals.
func sampledRun(t *testing.T, seed uint64, every clock.Cycle) *Run {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
	g := build(t, m, memory)
	g.options.IntervalCycles = every
	run, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, gputest.RandomLaunches(r)...)), nil)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return run
}

func TestIntervalsAddUpAndChangeNothing(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 40, tracetest.Fewer(3, 6)) {
		plain, sampled := randomRun(t, seed, false), sampledRun(t, seed, 37)
		var sum counters.Set
		at := clock.Cycle(0)
		for n, i := range sampled.Intervals {
			// The last one lasts until the memory system is empty.
			if i.Start != at || i.End <= i.Start || n+1 < len(sampled.Intervals) && i.End-i.Start != 37 {
				t.Fatalf("seed %d: interval %d is %d to %d after %d", seed, n, i.Start, i.End, at)
			}
			at = i.End
			sum.Add(&i.Counters)
		}
		if at < plain.Cycles {
			t.Errorf("seed %d: intervals end at %d of %d cycles", seed, at, plain.Cycles)
		}
		if diff := cmp.Diff(plain.Total, sum); diff != "" {
			t.Fatalf("seed %d: intervals do not add up (-total +sum):\n%s", seed, diff)
		}
		sampled.Intervals = nil
		if diff := cmp.Diff(plain, sampled); diff != "" {
			t.Fatalf("seed %d: sampling changes the result (-without +with):\n%s", seed, diff)
		}
	}
}

func TestEveryIntervalHasAllItsIssueSlots(t *testing.T) {
	for seed := range uint64(10) {
		run := sampledRun(t, seed, 50)
		for n, i := range run.Intervals {
			var slots uint64
			for c := range counters.Cause(counters.CauseCount) {
				slots += i.Counters[c.Counter()]
			}
			if slots != i.Counters[counters.IssueSlots] {
				t.Errorf("seed %d, interval %d: %d issue slots have a cause, of %d", seed, n, slots, i.Counters[counters.IssueSlots])
			}
		}
	}
}

// A replay may not have more intervals than its bound says.
func TestIntervalsHaveABound(t *testing.T) {
	g, err := New(gputest.Machine(), with(&gputest.Memory{LatencyCycles: 1}))
	if err != nil {
		t.Fatal(err)
	}
	g.sampler = sampler{every: 1, list: make([]Interval, maxIntervals)}
	if err := g.sample(); err == nil || !strings.Contains(err.Error(), "use longer ones") {
		t.Errorf("got %v", err)
	}
}

// The error ends a replay.
func TestTooManyIntervalsAreRefused(t *testing.T) {
	tracetest.Nightly(t)
	k := gputest.NewKernel("long")
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1).Exit()
	o := with(&gputest.Memory{LatencyCycles: maxIntervals + 100})
	o.IntervalCycles = 1
	g, err := New(gputest.Machine(), o)
	if err != nil {
		t.Fatal(err)
	}
	src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}))
	if _, err := g.Replay(context.Background(), src, nil); err == nil || !strings.Contains(err.Error(), "use longer ones") {
		t.Errorf("got %v", err)
	}
}
