// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// The systems of chapter 4 differ with tinyCaches as they do without: a level in front
// of the SMs' entries does not switch off what lies behind it.
func TestTinyCachesLeaveTheSystemsOfAChipApart(t *testing.T) {
	tape := slice(t, "spmv", trace.Everything, trace.Everything)
	elided, executed := once(t, replaytest.Load(t, "gpsim-soc+cpu+fusetlb+tinycache"), tape), once(t, replaytest.Load(t, "gpsim-soc+cpu+copysoc+tinycache"), tape)
	if elided.Elapsed >= executed.Elapsed {
		t.Errorf("%d cycles without copies, %d with", elided.Elapsed, executed.Elapsed)
	}
	for _, c := range []struct {
		run  *gpu.Run
		name string
		want uint64
	}{{elided, "soc_copies_elided", 7}, {elided, "soc_copies_executed", 0}, {executed, "soc_copies_executed", 7}, {elided, "soc_kernel_flushes", 1}, {executed, "soc_kernel_flushes", 1}} {
		if got := named(t, &c.run.Total, c.name); got != c.want {
			t.Errorf("%s is %d, want %d", c.name, got, c.want)
		}
	}
	for _, name := range []string{"tinycache_reads", "soc_tlb_lookups_sm"} {
		if named(t, &elided.Total, name) == 0 || named(t, &executed.Total, name) == 0 {
			t.Errorf("%s is 0", name)
		}
	}
}

// A scheduler that stays with a warp leaves one that waits for what another has to issue.
// Such a warp waits for the affine warp, or for the end of the chain that an offload
// queue gathers.
func TestSchedulersThatStayWithAWarpGoWithMechanismsThatHoldWarps(t *testing.T) {
	tape := slice(t, "spmv", trace.Everything, trace.Everything)
	for _, machine := range []string{"gtx480+dac", "mesh56+llc-compute", "mesh56+omni-compute"} {
		for _, events := range tracetest.Draw(t, []string{"switch(on=non)", "switch(on=mem)", "switch(on=bra)", "switch(on=mbr)", "switch(on=all)"}, tracetest.Fewer(2, 5)) {
			once(t, replaytest.Load(t, machine+"+"+events), tape)
		}
	}
	once(t, replaytest.Load(t, "gpsim-tiny+dac"), tape)
}

// The slot of an affine warp follows those of the other warps. Where constants and parameters go through
// the L1, its loads of them come to the lanes' caches.
func TestAnAffineWarpLoadsParametersThroughLanesCaches(t *testing.T) {
	tape := slice(t, "saxpy", trace.Everything, trace.Range{Last: 63})
	for _, machine := range []string{"gpsim-eesi-base", "gpsim-tiny"} {
		once(t, replaytest.Load(t, machine+"+dac+constants-in-l1"), tape)
	}
}

// Prefetches and early requests are told apart on their way back, and a load that an
// affine warp has asked for early trains the prefetcher once, when it comes itself.
func TestPrefetcherAndAffineWarpTellTheirAnswersApart(t *testing.T) {
	tape := slice(t, "spmv", trace.Everything, trace.Everything)
	alone, both := once(t, replaytest.Load(t, "gtx480+mta"), tape), once(t, replaytest.Load(t, "gtx480+mta+dac"), tape)
	for _, name := range []string{"mta_prefetches", "mta_fills", "dac_early_requests"} {
		if named(t, &both.Total, name) == 0 {
			t.Errorf("%s is 0", name)
		}
	}
	if a, b := named(t, &alone.Total, "mta_loads"), named(t, &both.Total, "mta_loads"); b > a {
		t.Errorf("the prefetcher sees %d loads, %d without an affine warp", b, a)
	}
}

// SMs that issue together have affine warps that do: in step for as long as they are
// without.
func TestAffineWarpsOfAGroupBeginTogether(t *testing.T) {
	tracetest.Nightly(t)
	tape := slice(t, "reduction", trace.Range{}, trace.Range{Last: 31})
	plain, both := once(t, replaytest.Load(t, "gtx480+buddy"), tape), once(t, replaytest.Load(t, "gtx480+buddy+dac"), tape)
	if a, b := named(t, &plain.Total, "buddy_ungroups"), named(t, &both.Total, "buddy_ungroups"); b > a {
		t.Errorf("%d groups part, %d without affine warps", b, a)
	}
	if n := named(t, &both.Total, "dac_affine_instructions"); n == 0 || n%4 != 0 {
		t.Errorf("%d affine instructions of groups of four", n)
	}
}

// Kernels that run at the same time take clusters from one another. What a thread block
// meets there is the formation in which the cluster begins with its kernel, which is
// also the one by which it was placed.
func TestClustersThatKernelsTakeFromOneAnotherIssue(t *testing.T) {
	p := &pool{}
	for _, seed := range tracetest.Seeds(t, 40, tracetest.Fewer(2, 3)) {
		r := rand.New(rand.NewPCG(seed, 77))
		tape := p.random(t, r).tape
		for _, machine := range []string{"gtx480+buddy(members=2)", "gtx480+buddy(members=4,formation=default)", "gtx480+buddy(members=8,halfway=true)"} {
			m := replaytest.Load(t, machine)
			m.GPU.SMs = 8
			if run := once(t, m, tape); run.Total[counters.BlocksDispatched] != run.Total[counters.BlocksRetired] {
				t.Errorf("%s, seed %d: thread blocks are lost", machine, seed)
			}
		}
	}
}

// What waits for a kernel's lines to be written back is woken on every SM of a cluster,
// by whichever the last thread block ends.
func TestClustersOnAChipWriteTheirKernelsBack(t *testing.T) {
	p := &pool{}
	for _, seed := range tracetest.Seeds(t, 20, tracetest.Fewer(2, 4)) {
		tape := p.random(t, rand.New(rand.NewPCG(seed, 78))).tape
		for _, system := range []string{"fusetlb", "typsoc"} {
			d := &drawing{machine: "gpsim-soc", overlays: []string{"cpu", system, "buddy(members=2,formation=default)"}, set: map[string]string{"buddy.network_mhz": "1700"}, tape: workload{"random", tape}}
			if _, failure := d.try(t.TempDir(), false); failure != "" {
				t.Errorf("seed %d on %s: %s", seed, system, failure)
			}
		}
	}
}

// A load may have its data from what stands next to the L1, or in front of it, before the
// lines that were asked for early are there.
func TestLoadsOvertakeTheirEarlyLines(t *testing.T) {
	tape := slice(t, "hotspot", trace.Range{Last: 1}, trace.Range{Last: 7})
	for _, other := range []string{"mta", "tinycache", "perfect-memory"} {
		run := once(t, replaytest.Load(t, "gtx480-15+dac(issue_before_data=true)+"+other), tape)
		if named(t, &run.Total, "dac_early_requests") == 0 {
			t.Errorf("%s: nothing is asked for early", other)
		}
	}
}

// A copy that cores execute during a kernel ends in the cycle in which its last line
// arrives, and what waits for it begins then, although the machine sleeps longer.
func TestACopyBesideAKernelEndsInItsOwnCycle(t *testing.T) {
	want := 4
	if tracetest.Whole() {
		want = 16
	}
	for seed, ran := tracetest.Seeds(t, 16, 1)[0], 0; ran < want; seed++ {
		r := rand.New(rand.NewPCG(seed, 7001))
		d := &drawing{machine: "gpsim-soc", overlays: []string{"cpu", "typsoc"}, set: map[string]string{"soc.queue": "1"}, tape: (&pool{}).random(t, r)}
		refused, failure := d.try(t.TempDir(), true)
		if failure != "" {
			t.Fatalf("seed %d: %s", seed, failure)
		}
		if !refused { // for a thread block that is too large
			ran++
		}
	}
}
