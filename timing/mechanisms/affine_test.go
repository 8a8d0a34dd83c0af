// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"fmt"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace/tracetest"
)

// The affine warp goes with every scheduler, L1 policy and DRAM: among twenty machines
// each two values of these settings meet. The replay itself compares every address and
// mask that the affine warp expands with the recorded one.
func TestAffineWarpGoesWithEverySchedulerCacheAndMemory(t *testing.T) {
	schedulers := []string{"lrr", "gto", "oldest", "two-level", "warp-limit"}
	l1s := []struct{ write, hit, allocate string }{
		{"through_no_allocate", "update", "on_fill"}, {"through_no_allocate", "evict", "on_miss"}, {"local_back_no_allocate", "evict", "on_miss"}, {"back_allocate", "update", "on_miss"},
	}
	memories := []string{"frfcfs", "fcfs", "simple"}
	file := replaytest.Recorded(t, "spmv")
	times := map[uint64]bool{}
	all := make([]int, len(schedulers)*len(l1s))
	for i := range all {
		all[i] = i
	}
	drawn := tracetest.Draw(t, all, tracetest.Fewer(8, len(all)))
	for _, i := range drawn {
		m := replaytest.Load(t, "gtx480-15+dac(keep_scratchpad=false,data_dependent=follow)")
		m.GPU.SMs = 3 // so that thread blocks follow one another
		m.SM.Scheduler, m.SM.SchedulerWarps = schedulers[i%5], 4
		l1 := l1s[i/5]
		m.L1.Write, m.L1.WriteHit, m.L1.Allocate = l1.write, l1.hit, l1.allocate
		if memory := memories[i%3]; memory == "simple" {
			m.DRAM.Model, m.DRAM.AccessNanoseconds, m.DRAM.GigabytesPerSecond = "simple", 100, 150
		} else {
			m.DRAM.Scheduler = memory
		}
		m.Name = fmt.Sprintf("%s, L1 %v, %s", m.SM.Scheduler, l1, memories[i%3])
		run := once(t, m, file)
		times[uint64(run.Cycles)] = true
		total := run.Total
		gputest.Invariants(t, m, &total, run.Cycles)
		if got, want := total[counters.IssuedWarp], file.Totals().WarpInstructions-named(t, &total, "dac_removed_instructions")+named(t, &total, "dac_affine_instructions"); got != want {
			t.Errorf("%s: %d instructions are issued; recorded, less those removed, with those of the affine warp %d", m.Name, got, want)
		}
		for _, name := range []string{"dac_early_requests", "dac_supplied_branches", "dac_predicate_reads"} {
			if named(t, &total, name) == 0 {
				t.Errorf("%s: %s is 0", m.Name, name)
			}
		}
		if i%5 != i/5 {
			continue // the slow twin for one machine of each L1 policy
		}
		restless := m.Clone()
		restless.SetSection("restless", &everyCycle{Enabled: true})
		if diff := differ(once(t, restless, file), run); diff != "" {
			t.Errorf("%s: sleeping changes the result (-every cycle +event driven):\n%s", m.Name, diff)
		}
	}
	if len(drawn) == len(all) && len(times) < len(schedulers) {
		t.Errorf("twenty machines take only %d different times", len(times))
	}
}

func named(t testing.TB, total *counters.Set, name string) uint64 {
	t.Helper()
	id, ok := counters.Lookup(name)
	if !ok {
		t.Fatalf("no counter %s", name)
	}
	return total[id]
}
