// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"
	"math"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
)

// TopDown says where the issue slots of a section went, in percent of all, and
// names the first bottleneck. The first level adds up to 100; indented members
// divide the one above them. The idea is Yasin's, "A Top-Down Method for
// Performance Analysis and Counters Architecture" (ISPASS 2014), with the slots of
// warp schedulers in the place of those of a pipeline.
type TopDown struct {
	Retiring   float64 `json:"retiring_percent"`  // an instruction issued
	FrontEnd   float64 `json:"front_end_percent"` // instruction buffers were empty
	Execution  float64 `json:"execution_percent"` // arithmetic
	Dependency float64 `json:"execution_dependency_percent"`
	Units      float64 `json:"execution_units_percent"`
	Operands   float64 `json:"execution_operands_percent"`
	Memory     float64 `json:"memory_percent"`
	Loads      float64 `json:"memory_loads_percent"` // registers that loads have yet to write
	LoadStore  float64 `json:"memory_lsu_percent"`   // the load-store unit was busy
	Fences     float64 `json:"memory_fences_percent"`
	Barriers   float64 `json:"barrier_percent"`
	Idle       float64 `json:"idle_percent"`
	IdleSMs    float64 `json:"idle_sms_percent"`   // of SMs without thread blocks
	IdleWarps  float64 `json:"idle_warps_percent"` // of schedulers without warps, on SMs with busy ones
	// Bottleneck is the first thing to change, Evidence the figures for it.
	Bottleneck string `json:"bottleneck"`
	Evidence   string `json:"evidence"`
}

// The names of bottlenecks.
const (
	bottleneckNone       = "none: nothing was issued"
	bottleneckIssue      = "issue slots"
	bottleneckFrontEnd   = "instruction fetch"
	bottleneckDependency = "execution dependency"
	bottleneckUnits      = "functional units"
	bottleneckOperands   = "operand collectors"
	bottleneckBarrier    = "barriers"
	bottleneckFence      = "memory fences"
	bottleneckGrid       = "grid too small"
	bottleneckLaunch     = "launch overhead"
	bottleneckImbalance  = "load imbalance"
	bottleneckDRAM       = "DRAM bandwidth"
	bottleneckNetwork    = "network bandwidth"
	bottleneckL2         = "L2 bandwidth"
	bottleneckBanks      = "shared-memory bank conflicts"
	bottleneckShared     = "shared-memory bandwidth"
	bottleneckMSHRs      = "L1 misses in flight"
	bottleneckL1         = "L1 bandwidth"
	latencyShared        = "shared-memory latency"
	latencyL1            = "L1 latency"
	latencyL2            = "L2 latency"
	latencyDRAM          = "DRAM latency"
)

// The thresholds, in percent.
const (
	issueBound    = 60 // issued slots from which on issue itself is the limit
	saturated     = 70 // of a port's or bus' cycles
	conflicting   = 25 // bank conflict cycles of an SM's cycles
	blocked       = 50 // cycles in which L1 had no room for a miss, of an SM's cycles
	launching     = 30 // launch cycles of a launch's cycles
	onTheirWay    = 50 // cycles in which launches were on their way, of these and those in which one ran
	missing       = 25 // L2 reads that go to DRAM, from which on the latency is DRAM's
	poorOccupancy = 50
	nearL1Latency = 2 // mean load latency in L1 latencies up to which it is L1's
)

// utilisation is how busy shared resources were, in percent; NaN without any.
type utilisation struct{ dram, network, l2, banks, shared, blocked, l1 float64 }

// analysis is a section that is looked into.
type analysis struct {
	*Section
	machine  *arch.Machine
	clocks   gpu.Clocks
	launches int
	use      utilisation
}

// newTopDown analyses a section of so many launches.
func newTopDown(m *arch.Machine, clocks gpu.Clocks, s *Section, launches int) TopDown {
	a := analysis{Section: s, machine: m, clocks: clocks, launches: launches}
	a.use = a.utilisation()
	share := func(causes ...counters.Cause) float64 {
		sum := 0.0
		for _, c := range causes {
			sum += s.count(c.Counter())
		}
		return percent(sum, s.count(counters.IssueSlots))
	}
	t := TopDown{
		Retiring: share(counters.CauseIssued), FrontEnd: share(counters.CauseFetch), Barriers: share(counters.CauseBarrier), Idle: share(counters.CauseIdle),
		Execution:  share(counters.CauseCompute, counters.CauseUnit, counters.CauseOperand),
		Dependency: share(counters.CauseCompute), Units: share(counters.CauseUnit), Operands: share(counters.CauseOperand),
		Memory: share(counters.CauseMemory, counters.CauseLSU, counters.CauseFence),
		Loads:  share(counters.CauseMemory), LoadStore: share(counters.CauseLSU), Fences: share(counters.CauseFence),
	}
	if s.count(counters.IssueSlots) > 0 {
		inactive := 100 - percent(s.count(counters.ActiveSMCycles), float64(s.Cycles)*float64(s.sms))
		t.IdleSMs = min(max(inactive, 0), t.Idle)
		t.IdleWarps = t.Idle - t.IdleSMs
	}
	t.Bottleneck = a.bottleneck(&t)
	t.Evidence = a.evidence(&t)
	return t
}

// percent is 100 a/b, zero without b.
func percent(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return 100 * a / b
}

// utilisation computes it from counters and the machine's widths.
func (a *analysis) utilisation() utilisation {
	cycles := func(kHz uint64) float64 { return float64(a.Cycles) * float64(kHz) / float64(a.clocks.Core.KHz) }
	active := a.count(counters.ActiveSMCycles)
	slices := float64(a.machine.L2.Partitions * a.machine.L2.SlicesPerPartition)
	ends := min(float64(a.sms), slices) * cycles(a.clocks.Network.KHz)
	return utilisation{
		dram:    percent(a.count(counters.DRAMBusCycles), a.count(counters.DRAMChannelCycles)),
		network: max(percent(a.count(counters.RequestFlits), ends), percent(a.count(counters.ReplyFlits), ends)),
		l2:      percent(a.count(counters.L2Read)+a.count(counters.L2Write), slices*cycles(a.clocks.L2.KHz)),
		banks:   percent(a.count(counters.SharedConflictCycles)-a.count(counters.SharedWideCycles), active),
		shared:  percent(a.count(counters.SharedBusyCycles), active),
		blocked: percent(a.count(counters.L1ReservationFail), active),
		l1:      percent(a.count(counters.GlobalTransactions), active*float64(max(a.machine.L1.Banks, 1))),
	}
}

// bottleneck names the first one: the largest loss of the first level, looked into.
func (a *analysis) bottleneck(t *TopDown) string {
	if t.Retiring == 0 {
		return bottleneckNone
	}
	if a.wayShare() >= onTheirWay {
		return bottleneckLaunch
	}
	if t.Retiring >= issueBound {
		return bottleneckIssue
	}
	switch max(t.FrontEnd, t.Execution, t.Memory, t.Barriers, t.Idle) {
	case t.Memory:
		return a.memory(t)
	case t.Execution:
		return largest(t.Dependency, bottleneckDependency, t.Units, bottleneckUnits, t.Operands, bottleneckOperands)
	case t.Idle:
		return a.idle()
	case t.Barriers:
		return bottleneckBarrier
	}
	return bottleneckFrontEnd
}

func largest(a float64, nameA string, b float64, nameB string, c float64, nameC string) string {
	switch max(a, b, c) {
	case a:
		return nameA
	case b:
		return nameB
	}
	return nameC
}

// idle says why schedulers have no warps.
func (a *analysis) idle() string {
	overhead := float64(a.launches) * float64(a.machine.GPU.LaunchCycles)
	switch {
	case percent(overhead, float64(a.Cycles)) >= launching:
		return bottleneckLaunch
	case a.OccupancyLimit == limitGrid:
		return bottleneckGrid
	}
	return bottleneckImbalance
}

// wayShare is the share of the time in which no launch ran and one was on its way, in percent.
// A launch has no such time: it begins behind it.
func (a *analysis) wayShare() float64 {
	if a.Launch >= 0 {
		return 0
	}
	return percent(float64(a.LaunchGap), float64(a.LaunchGap+a.Cycles))
}

// memory looks from the farthest resource that is saturated to the nearest; when
// none is, loads take their time.
func (a *analysis) memory(t *TopDown) string {
	switch {
	case a.use.dram >= saturated:
		return bottleneckDRAM
	case a.use.network >= saturated:
		return bottleneckNetwork
	case a.use.l2 >= saturated:
		return bottleneckL2
	case a.use.banks >= conflicting:
		return bottleneckBanks
	case a.use.shared >= saturated:
		return bottleneckShared
	case a.use.blocked >= blocked:
		return bottleneckMSHRs
	case a.use.l1 >= saturated:
		return bottleneckL1
	case t.Fences > t.Loads+t.LoadStore:
		return bottleneckFence
	}
	return a.latency()
}

// latency names the level whose latency loads wait for.
func (a *analysis) latency() string {
	reads := a.count(counters.L2Read)
	switch {
	case a.count(counters.SharedAccess)*float64(max(a.machine.Shared.LatencyCycles, 1)) > a.count(counters.LoadLatencySum):
		return latencyShared
	case ratio(a.count(counters.LoadLatencySum), a.count(counters.LoadRequests)) <= nearL1Latency*float64(max(a.machine.L1.LatencyCycles, 1)):
		return latencyL1
	case percent(a.count(counters.L2ReadMiss)+a.count(counters.L2ReadMerge), reads) >= missing:
		return latencyDRAM
	}
	return latencyL2
}

// evidence gives the figures behind the bottleneck.
func (a *analysis) evidence(t *TopDown) string {
	var list []string
	say := func(format string, v float64) {
		if !math.IsNaN(v) {
			list = append(list, fmt.Sprintf(format, v))
		}
	}
	metric := func(name, format string) {
		for i := range declarations {
			if declarations[i].Name == name {
				say(format, a.Metrics[i])
			}
		}
	}
	say("%.1f %% of issue slots issue", t.Retiring)
	switch t.Bottleneck {
	case bottleneckNone:
		return ""
	case bottleneckDependency, bottleneckUnits, bottleneckOperands:
		say("%.1f %% wait for arithmetic", t.Execution)
	case bottleneckFrontEnd:
		say("%.1f %% find instruction buffers empty", t.FrontEnd)
		metric("lanes_active_percent", "%.1f %% of lanes are active")
	case bottleneckBarrier:
		say("%.1f %% wait at barriers", t.Barriers)
	case bottleneckGrid, bottleneckLaunch, bottleneckImbalance:
		if share := a.wayShare(); share > 0 {
			say("launches are on their way in %.1f %% of the time", share)
		}
		say("%.1f %% belong to SMs without thread blocks", t.IdleSMs)
		say("%.1f %% to schedulers without warps", t.IdleWarps)
	case bottleneckIssue:
	default:
		say("%.1f %% wait for memory", t.Memory)
		metric("load_latency_cycles_mean", "loads take %.0f cycles")
		metric("l1_read_hit_percent", "L1 read hits %.1f %%")
		metric("l2_hit_percent", "L2 hits %.1f %%")
		say("DRAM bus %.1f %% busy", a.use.dram)
		say("network ports %.1f %%", a.use.network)
		say("L2 ports %.1f %%", a.use.l2)
		if a.use.shared > 0 {
			say("shared memory %.1f %%", a.use.shared)
		}
		say("bank conflicts in %.1f %% of cycles", a.use.banks)
		say("L1 without room for a miss in %.1f %%", a.use.blocked)
	}
	if v := percent(a.count(counters.ResidentWarpCycles), a.count(counters.ActiveSMCycles)*float64(a.maxWarps)); v < poorOccupancy && a.OccupancyLimit != "" {
		list = append(list, fmt.Sprintf("occupancy %.1f %% (limit: %s)", v, strings.ReplaceAll(a.OccupancyLimit, "_", " ")))
	}
	return strings.Join(list, "; ")
}

// lines are the analysis for people.
func (t *TopDown) lines() []string {
	return []string{
		fmt.Sprintf("bottleneck: %s (%s)", t.Bottleneck, t.Evidence),
		fmt.Sprintf("top-down [%% of issue slots]: retiring %.1f | front end %.1f | execution %.1f (dependency %.1f, units %.1f, operands %.1f) | memory %.1f (loads %.1f, load-store unit %.1f, fences %.1f) | barriers %.1f | idle %.1f (SMs without thread blocks %.1f, schedulers without warps %.1f)",
			t.Retiring, t.FrontEnd, t.Execution, t.Dependency, t.Units, t.Operands, t.Memory, t.Loads, t.LoadStore, t.Fences, t.Barriers, t.Idle, t.IdleSMs, t.IdleWarps),
	}
}
