// SPDX-License-Identifier: Apache-2.0

package gputest

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// Invariants checks what holds of every replay of a whole trace, whatever the
// machine and the trace. What went in came out, every issue slot has a cause, and
// nothing was faster than the machine's rooflines. cycles are those of all
// launches together.
func Invariants(t testing.TB, m *arch.Machine, total *counters.Set, cycles clock.Cycle) {
	t.Helper()
	InvariantsWithSideUnits(t, m, total, cycles, 0, 1)
}

// InvariantsWithSideUnits is Invariants of a machine that has executed so many instructions
// on its side units, and whose front end works so many times in a cycle.
func InvariantsWithSideUnits(t testing.TB, m *arch.Machine, total *counters.Set, cycles clock.Cycle, onSideUnits uint64, pace int) {
	t.Helper()
	c := bounds{t: t, m: m, total: total, cycles: float64(cycles), onSideUnits: onSideUnits, pace: pace}
	c.conservation()
	c.front()
	c.arithmetic()
	c.memory()
}

// Conserves checks what holds of every replay whatever its mechanisms: issue slots have
// causes, and what went in came out.
func Conserves(t testing.TB, m *arch.Machine, total *counters.Set) {
	t.Helper()
	c := bounds{t: t, m: m, total: total}
	var slots uint64
	for cause := range counters.Cause(counters.CauseCount) {
		slots += total[cause.Counter()]
	}
	c.equal("issue slots and their causes", total[counters.IssueSlots], slots)
	c.equal("slots used and instructions", total[counters.SlotIssued], total[counters.IssuedWarp])
	c.equal("thread blocks dispatched and retired", total[counters.BlocksDispatched], total[counters.BlocksRetired])
	c.equal("requests sent and answered", total[counters.RequestsSent], total[counters.RequestsAnswered])
	c.equal("L1 reads and their outcomes", total[counters.L1Read], c.sum(counters.L1ReadHit, counters.L1ReadMiss, counters.L1ReadMerge))
	c.equal("LLC reads and their outcomes", total[counters.LLCRead], c.sum(counters.LLCReadHit, counters.LLCReadMiss, counters.LLCReadMerge))
}

// bounds checks sums and rates.
type bounds struct {
	t           testing.TB
	m           *arch.Machine
	total       *counters.Set
	cycles      float64
	onSideUnits uint64
	pace        int
}

func (c *bounds) sum(ids ...counters.ID) uint64 {
	var n uint64
	for _, id := range ids {
		n += c.total[id]
	}
	return n
}

func (c *bounds) equal(what string, a, b uint64) {
	c.t.Helper()
	if a != b {
		c.t.Errorf("%s: %s: %d and %d", c.m.Name, what, a, b)
	}
}

// most checks that no more happened than the machine can do in the time.
func (c *bounds) most(what string, n uint64, limit float64) {
	c.t.Helper()
	if float64(n) > limit {
		c.t.Errorf("%s: %s: %d in %.0f cycles, the machine's roofline is %.1f", c.m.Name, what, n, c.cycles, limit)
	}
}

func (c *bounds) conservation() {
	c.t.Helper()
	var slots uint64
	for cause := range counters.Cause(counters.CauseCount) {
		slots += c.total[cause.Counter()]
	}
	c.equal("issue slots and their causes", c.total[counters.IssueSlots], slots)
	c.equal("slots used and instructions", c.total[counters.SlotIssued], c.total[counters.IssuedWarp])
	c.equal("instructions and what they issued to", c.total[counters.IssuedWarp], c.onSideUnits+c.sum(counters.UnitSP, counters.UnitInt,
		counters.UnitDP, counters.UnitSFU, counters.UnitTensor, counters.UnitLDST, counters.UnitControl))
	c.equal("thread blocks dispatched and retired", c.total[counters.BlocksDispatched], c.total[counters.BlocksRetired])
	c.equal("requests sent and answered", c.total[counters.RequestsSent], c.total[counters.RequestsAnswered])
	c.equal("L1 reads and their outcomes", c.total[counters.L1Read], c.sum(counters.L1ReadHit, counters.L1ReadMiss, counters.L1ReadMerge))
	c.equal("LLC reads and their outcomes", c.total[counters.LLCRead], c.sum(counters.LLCReadHit, counters.LLCReadMiss, counters.LLCReadMerge))
	c.equal("instructions fetched and issued", c.total[counters.FetchInstruction], c.total[counters.IssuedWarp])
}

// front checks fetch, issue and residency.
func (c *bounds) front() {
	c.t.Helper()
	s, sms := &c.m.SM, float64(c.m.GPU.SMs)
	c.equal("issue slots and cycles", c.total[counters.IssueSlots], uint64(sms*c.cycles)*uint64(s.Schedulers*s.IssuePerScheduler*c.pace))
	c.most("instructions fetched", c.total[counters.FetchInstruction], sms*c.cycles*float64(s.FetchWidth*s.FetchesACycle()*c.pace))
	c.most("resident warps", c.total[counters.ResidentWarpCycles], sms*c.cycles*float64(s.MaxWarps))
	c.most("active SMs", c.total[counters.ActiveSMCycles], sms*c.cycles)
	c.most("memory instructions", c.total[counters.UnitLDST], sms*c.cycles)
}

// shortest is the latency of a class with the least interval of its operations, as some of
// them may have a latency of their own.
func shortest(class arch.Latency, l *arch.Latencies) arch.Latency {
	for _, own := range []arch.OptionalLatency{l.Logic, l.Compare} {
		if own.Cycles > 0 {
			class.Interval = min(class.Interval, own.Interval)
		}
	}
	return class
}

// arithmetic checks that the lanes of the classes that a kind of unit executes
// fit into the units and cycles (and the one execution under way at the end).
// Lanes are weighted with the interval that a warp of them occupies the unit.
func (c *bounds) arithmetic() {
	c.t.Helper()
	s, l := &c.m.SM, &c.m.SM.Latencies
	integer, double := &s.Units.Int, &s.Units.DP
	if *integer == 0 {
		integer = &s.Units.SP
	}
	if *double == 0 {
		double = &s.Units.SFU
	}
	work, longest := map[*int]float64{}, map[*int]int{}
	add := func(units *int, class trace.OpClass, a arch.Latency) {
		work[units] += float64(float64(c.total[counters.LaneOps(class)]) * float64(max(a.Interval, 1)))
		longest[units] = max(longest[units], a.Interval)
	}
	for class, a := range map[trace.OpClass]arch.Latency{
		trace.ClassIntAdd: shortest(l.IntAdd, l), trace.ClassIntMinMax: l.IntMinMax, trace.ClassIntMul: l.IntMul, trace.ClassIntMad: l.IntMad,
		trace.ClassConvert: l.Convert, trace.ClassMove: l.Move, trace.ClassPredicate: l.Predicate, trace.ClassShuffle: l.Shuffle,
	} {
		add(integer, class, a)
	}
	for class, a := range map[trace.OpClass]arch.Latency{
		trace.ClassF16: shortest(l.F16, l), trace.ClassF32Add: shortest(l.F32Add, l), trace.ClassF32MinMax: l.F32MinMax, trace.ClassF32Mul: l.F32Mul, trace.ClassF32Fma: l.F32Fma,
	} {
		add(&s.Units.SP, class, a)
	}
	for class, a := range map[trace.OpClass]arch.Latency{
		trace.ClassF64Add: shortest(l.F64Add, l), trace.ClassF64MinMax: l.F64MinMax, trace.ClassF64Mul: l.F64Mul, trace.ClassF64Fma: l.F64Fma,
	} {
		add(double, class, a)
	}
	for class, a := range map[trace.OpClass]arch.Latency{
		trace.ClassIntDiv: l.IntDiv, trace.ClassF32Div: l.F32Div, trace.ClassF64Div: l.F64Div, trace.ClassSpecial: l.Special,
	} {
		add(&s.Units.SFU, class, a)
	}
	for units, n := range work {
		c.most("lanes of arithmetic", uint64(n), 32*float64(*units*c.m.GPU.SMs)*(c.cycles+float64(longest[units])))
	}
}

// memory checks the memory path. What is under way at the end of the last launch
// drains without taking cycles, so that DRAM is held against its own clock.
func (c *bounds) memory() {
	c.t.Helper()
	m, d := c.m, &c.m.DRAM
	sms := float64(m.GPU.SMs)
	c.most("shared-memory cycles", c.sum(counters.SharedAccess, counters.SharedConflictCycles), sms*(c.cycles+32))
	c.most("cycles of the port of shared memory", c.sum(counters.SharedBusyCycles), sms*(c.cycles+32))
	c.most("cycles of wide accesses", c.total[counters.SharedWideCycles], float64(c.total[counters.SharedConflictCycles]))
	c.most("read transactions and their sectors", c.total[counters.L1Read], float64(c.sum(counters.L1ReadHitSectors, counters.L1ReadMissSectors)))
	c.most("write transactions and their sectors", c.total[counters.L1Write], float64(c.sum(counters.L1WriteHitSectors, counters.L1WriteMissSectors)))
	c.most("sectors of four a transaction", c.sum(counters.L1ReadHitSectors, counters.L1ReadMissSectors, counters.L1WriteHitSectors, counters.L1WriteMissSectors), 4*float64(c.sum(counters.L1Read, counters.L1Write)))
	c.most("L1 transactions", c.sum(counters.L1Read, counters.L1Write), sms*float64(max(m.L1.Banks, 1))*c.cycles)
	channels := float64(c.total[counters.DRAMChannelCycles])
	if channels == 0 {
		return // the test's memory of constant latency
	}
	c.most("DRAM bus cycles", c.total[counters.DRAMBusCycles], channels)
	bytes := c.sum(counters.DRAMReadBytes, counters.DRAMWriteBytes)
	peak := channels * float64(d.BurstBytes) / float64(max(d.BurstCycles, 1))
	if d.Model == "simple" {
		seconds := channels / float64(m.L2.Partitions) / (m.Clocks.DRAMMHz * 1e6)
		peak = seconds * d.GigabytesPerSecond * 1e9
	}
	c.most("DRAM bytes", bytes, peak)
	c.most("DRAM column commands", c.sum(counters.DRAMRowHit, counters.DRAMRowMiss), float64(c.sum(counters.DRAMRead, counters.DRAMWrite)))
}
