// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
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
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// sider is a front end that issues one instruction a cycle. Instructions that it takes go to a unit outside the SM.
type sider struct {
	sm    *sm.SM
	units sm.SideUnits
	slots *core.Slots
	takes func(instruction uint32) bool
	read  clock.Cycle
	last  int
	// collects is a cycle in which counts are collected early.
	collects clock.Cycle

	lanes   map[uint32][]uint32 // of what it has taken, by instruction
	origins []sm.Origin         // of each warp, at its first instruction
	seen    map[uint64]bool     // by arrival
}

func (f *sider) Begin(now clock.Cycle)  { f.slots.Begin(now, 1, 1) }
func (f *sider) Settle(now clock.Cycle) { f.slots.Settle(now) }

func (f *sider) Cycle(now clock.Cycle) clock.Cycle {
	f.sm.Advance(now)
	if now == f.collects { // what has been counted so far
		f.slots.Settle(now)
		f.sm.Collect(make([]uint64, f.sm.Program().Recorded()*counters.CauseCount))
	}
	f.slots.Awake(now)
	f.last = f.sm.FetchNext(now, f.last)
	for rest := f.units.Unblocked(); !rest.Empty(); rest = rest.Rest() {
		w := rest.Lowest()
		if o := f.units.Origin(w); !f.seen[o.Arrival] {
			f.seen[o.Arrival] = true
			f.origins = append(f.origins, o)
		}
		i, lanes := f.units.Peek(w)
		if f.takes(i) {
			f.lanes[i] = append(f.lanes[i], lanes)
			f.units.IssueToSideUnit(now, w, f.read)
			f.slots.Use(now, 0, 0, i)
			return now + 1
		}
	}
	if able := f.sm.Candidates(now); !able.Empty() {
		w := able.Lowest()
		i, _ := f.sm.At(w)
		f.sm.Issue(now, w)
		f.slots.Use(now, 0, 0, i)
		return now + 1
	}
	f.slots.Stall(now, 0, 0, 1, f.sm.Blame(now, warpset.All()))
	return now + 1
}

// beside replays launches on a machine that issues what takes says to side units, which read operands for some cycles.
func beside(t *testing.T, m *arch.Machine, read clock.Cycle, takes func(instruction uint32) bool, launches ...gputest.Launch) (*gpu.Run, *sider) {
	t.Helper()
	var f *sider
	m.SetSection("trial", &trial{driven(func(s *sm.SM, _ seam.FrontEnd) (seam.FrontEnd, error) {
		f = &sider{sm: s, units: s.SideUnits(), slots: s.Slots(), takes: takes, read: read, last: warpset.Max - 1, lanes: map[uint32][]uint32{}, seen: map[uint64]bool{}, collects: -1}
		return f, nil
	})})
	o := options(nil)
	o.Lines = true
	src := gputest.NewSource(gputest.Trace(t, launches...))
	r, err := buildWith(t, m, o).Replay(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, f
}

// On a side unit operands are read for as long as it takes, whatever banks they lie in, and the latency is that of the
// class. Nothing waits for a unit or a collector: what is independent issues one a cycle.
func TestASideUnitHasItsOwnOperandReadAndIsAlwaysFree(t *testing.T) {
	const n, latency = 7, 9
	chain, apart := gputest.NewKernel("chain"), gputest.NewKernel("apart")
	for i := range n {
		chain.Op(trace.ClassF32Fma, 8, 8, 16, 24) // all in one of eight banks
		apart.Op(trace.ClassF32Fma, 10+i, 8, 16, 24)
	}
	chain.Exit()
	apart.Exit()
	for _, read := range []clock.Cycle{1, 2, 5} {
		for k, want := range map[*gputest.Kernel]clock.Cycle{chain: firstIssue + n*(read+latency) + 1, apart: firstIssue + n - 1 + read + latency + 1} {
			m := gputest.Machine()
			m.SM.RegisterBanks, m.SM.OperandCollectors, m.SM.InstructionBuffer = 8, 1, 8
			m.SM.Latencies.F32Fma = arch.Latency{Cycles: latency, Interval: 30}
			r, _ := beside(t, m, read, func(i uint32) bool { return i < n }, straight(k))
			if r.Cycles != want || r.Total[counters.RegisterBankConflict] != 0 {
				t.Errorf("%s, operands in %d cycles: %d cycles and %d conflicts, want %d and none", k.Name, read, r.Cycles, r.Total[counters.RegisterBankConflict], want)
			}
		}
	}
}

// What a side unit executes is issued, and counts for no unit, no register and no lane of its class: the counters have what the
// instructions left to the SM use, in each of several launches, in all and by instruction.
func TestSideUnitsCountApart(t *testing.T) {
	const warps, lanes, half = 3, 32 + 32 + 8, 16 + 16 + 4
	ops := []struct {
		class   trace.OpClass
		opcode  string
		sources []int
		unit    counters.ID
	}{
		{trace.ClassF32Fma, "fma", []int{8, 16, 24}, counters.UnitSP}, {trace.ClassIntAdd, "add", []int{8, 16}, counters.UnitInt},
		{trace.ClassF64Add, "add", []int{3, 4}, counters.UnitDP}, {trace.ClassSpecial, "sin", []int{5}, counters.UnitSFU}, {trace.ClassSpecial, "tanh", []int{5}, counters.UnitSFU},
	}
	long, short := gputest.NewKernel("long"), gputest.NewKernel("short")
	for k, each := range map[*gputest.Kernel]int{long: 4, short: 2} {
		for range each {
			for _, o := range ops {
				k.Op(o.class, 1, o.sources...)
				k.Instructions[len(k.Instructions)-1].Opcode = o.opcode
			}
		}
		k.Op(trace.ClassIntAdd, gputest.None, 2).Guarded(0).Exit()
	}
	launch := func(k *gputest.Kernel) gputest.Launch {
		return gputest.Launch{Kernel: k, Blocks: 1, Threads: lanes, Record: func(w *gputest.Warp) { w.VisitGuarded(0, w.Lanes, w.Lanes&0x0f0f0f0f) }}
	}
	m := gputest.Machine()
	m.SM.RegisterBanks = 8
	takes := func(i uint32) bool { return i%2 == 1 } // of each kernel, those with odd numbers
	r, f := beside(t, m, 2, takes, launch(short), launch(long), launch(short))

	want := map[counters.ID]uint64{}
	lines := map[*gputest.Kernel][]map[counters.ID]uint64{}
	for k, times := range map[*gputest.Kernel]uint64{short: 2, long: 1} {
		for i := range k.Instructions {
			in := &k.Instructions[i]
			line := map[counters.ID]uint64{counters.IssuedWarp: warps, counters.IssuedThread: lanes}
			if in.Guarded() {
				line[counters.IssuedThread] = half
			}
			if !takes(uint32(i)) {
				unit, taking := counters.UnitControl, line[counters.IssuedThread]
				if i < len(k.Instructions)-2 {
					unit = ops[i%len(ops)].unit
				} else if in.Class == trace.ClassIntAdd {
					unit = counters.UnitInt
				}
				general := uint64(len(in.Operands)) - uint64(in.Destinations)
				line[unit], line[counters.LaneOps(in.Class)] = warps, taking
				line[counters.RegisterRead], line[counters.RegisterLaneRead] = warps*general, taking*general
				line[counters.RegisterWrite], line[counters.RegisterLaneWrite] = warps*uint64(in.Destinations), taking*uint64(in.Destinations)
				switch {
				case in.Opcode == "sin":
					line[counters.SpecialOps(trace.SpecialSine)] = taking
				case in.Class == trace.ClassF32Fma:
					line[counters.RegisterBankConflict] = 2 * warps // three registers of one bank
				case in.Class == trace.ClassIntAdd && general == 2:
					line[counters.RegisterBankConflict] = warps
				}
			}
			for id, n := range line {
				want[id] += n * times
				line[id] = n * times
			}
			lines[k] = append(lines[k], line)
		}
	}
	all := []counters.ID{
		counters.IssuedWarp, counters.IssuedThread, counters.UnitSP, counters.UnitInt, counters.UnitDP, counters.UnitSFU, counters.UnitControl, counters.RegisterRead, counters.RegisterWrite,
		counters.RegisterLaneRead, counters.RegisterLaneWrite, counters.RegisterBankConflict, counters.SpecialOps(trace.SpecialSine),
		counters.LaneOps(trace.ClassF32Fma), counters.LaneOps(trace.ClassIntAdd), counters.LaneOps(trace.ClassF64Add), counters.LaneOps(trace.ClassSpecial), counters.LaneOps(trace.ClassExit),
	}
	for _, id := range all {
		if r.Total[id] != want[id] {
			t.Errorf("%s is %d, by hand %d", counters.Declared(id).Name, r.Total[id], want[id])
		}
		for n, k := range []*gputest.Kernel{short, long} { // in the order of the trace
			for i := range k.Instructions {
				if got := r.Lines[n][i][id]; got != lines[k][i][id] {
					t.Errorf("kernel %s, instruction %d: %s is %d, by hand %d", k.Name, i, counters.Declared(id).Name, got, lines[k][i][id])
				}
			}
		}
	}
	// The guarded instruction has an even number in both kernels.
	for i, masks := range f.lanes {
		for _, mask := range masks {
			if mask != gputest.Full && mask != 0xff {
				t.Errorf("instruction %d goes to the side unit with lanes %#x", i, mask)
			}
		}
	}
}

// The lanes that a front end sees are those that the guard leaves, and the instruction still has them when it issues.
func TestAFrontEndSeesTheLanesOfAGuard(t *testing.T) {
	k := gputest.NewKernel("guarded")
	k.Op(trace.ClassIntAdd, 1, 2).Op(trace.ClassIntAdd, 3, 4).Guarded(0).Op(trace.ClassIntAdd, 5, 6).Guarded(1).Op(trace.ClassIntAdd, 7, 8).Exit()
	masks := []uint32{gputest.Full, 0xff0, 0xff0, gputest.Full}
	for taken := range uint32(4) {
		r, f := beside(t, gputest.Machine(), 2, func(i uint32) bool { return i == taken }, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
			w.VisitGuarded(0, w.Lanes, 0xff0)
		}})
		if got := f.lanes[taken]; len(got) != 1 || got[0] != masks[taken] || r.Total[counters.IssuedThread] != 3*32+2*8 {
			t.Errorf("instruction %d: lanes %#x, want %#x; %d thread instructions", taken, got, masks[taken], r.Total[counters.IssuedThread])
		}
	}
}

// Counts that are collected while a launch runs, and again at its end, are the same in all.
func TestSideUnitsAreCollectedOnce(t *testing.T) {
	k := gputest.NewKernel("adds")
	for range 30 {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Exit()
	collected := func(at clock.Cycle) counters.Set {
		m := gputest.Machine()
		var f *sider
		m.SetSection("trial", &trial{driven(func(s *sm.SM, _ seam.FrontEnd) (seam.FrontEnd, error) {
			f = &sider{sm: s, units: s.SideUnits(), slots: s.Slots(), takes: func(i uint32) bool { return i%3 == 0 }, read: 2, last: warpset.Max - 1, lanes: map[uint32][]uint32{}, seen: map[uint64]bool{}, collects: at}
			return f, nil
		})})
		r, err := buildWith(t, m, options(nil)).Replay(t.Context(), gputest.NewSource(gputest.Trace(t, straight(k))), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Total
	}
	if once, twice := collected(-1), collected(100); once != twice {
		t.Errorf("%d instructions on the unit and %d registers read, collected twice %d and %d", once[counters.UnitInt], once[counters.RegisterRead], twice[counters.UnitInt], twice[counters.RegisterRead])
	}
}

// Each guarded instruction that goes to a side unit takes its own mask.
func TestEachGuardedInstructionTakesItsMask(t *testing.T) {
	k := gputest.NewKernel("guarded")
	k.Op(trace.ClassIntAdd, 1, 2).Guarded(0).Branch()
	k.Exit()
	masks := []uint32{0xf, 0xf0, 0, gputest.Full, 0x3}
	_, f := beside(t, gputest.Machine(), 2, func(i uint32) bool { return i == 0 }, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
		for _, mask := range masks {
			w.VisitGuarded(0, w.Lanes, mask)
		}
		w.Visit(1, w.Lanes)
	}})
	if !slices.Equal(f.lanes[0], masks) {
		t.Errorf("lanes %#x, want %#x", f.lanes[0], masks)
	}
}

// A front end knows each warp's arrival, kernel and launch, and its number in the thread block.
func TestAFrontEndKnowsWhereAWarpComesFrom(t *testing.T) {
	first, second := gputest.NewKernel("first"), gputest.NewKernel("second")
	first.Op(trace.ClassIntAdd, 1, 2).Exit()
	second.Op(trace.ClassIntAdd, 1, 2).Exit()
	m := gputest.Machine()
	m.SM.MaxBlocks = 2
	_, f := beside(t, m, 2, func(uint32) bool { return false }, gputest.Launch{Kernel: first, Blocks: 3, Threads: 96}, gputest.Launch{Kernel: second, Blocks: 1, Threads: 32})
	if len(f.origins) != 3*3+1 {
		t.Fatalf("%d warps have come", len(f.origins))
	}
	for _, o := range f.origins {
		name, warp, threads := "first", int(o.Arrival-1)%3, uint32(96)
		if o.Arrival == 10 {
			name, warp, threads = "second", 0, 32
		}
		if o.Kernel.Name != name || o.Warp != warp || o.Launch.Block.X != threads {
			t.Errorf("arrival %d: warp %d of kernel %s, with %d threads in a block; want %d of %s, %d", o.Arrival, o.Warp, o.Kernel.Name, o.Launch.Block.X, warp, name, threads)
		}
	}
}
