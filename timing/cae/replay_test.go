// SPDX-License-Identifier: Apache-2.0

package cae

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	_ "github.com/warptape/warptape/timing/buddy"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/timing/seam"
	_ "github.com/warptape/warptape/timing/wide"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

func testSet() *counters.Set { return new(counters.Set) }

func section(m *arch.Machine) *Section { return m.Section(key).(*Section) }

// quick answers memory accesses after 20 cycles.
func quick(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
	return (&gputest.Memory{LatencyCycles: 20}).Build(c.Core, global), nil
}

func replayOn(t testing.TB, m *arch.Machine, o gpu.Options, r *wtape.Reader) *gpu.Run {
	t.Helper()
	g, err := gpu.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(r), nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func of(c *counters.Set, which counters.ID) uint64 { return c[firstCounter+which] }

// with is a small machine with affine units.
func with(change func(*arch.Machine, *Section)) *arch.Machine {
	m := gputest.Machine()
	s := &Section{Enabled: true, Tracks: "affine", Units: 1, FetchesPerCycle: 2, ReadCycles: 1}
	if change != nil {
		change(m, s)
	}
	m.SetSection(key, s)
	return m
}

// adds is a kernel of n additions of the thread index to different registers, which
// do not depend on each other; all affine, or of a loaded value, all vectors.
func adds(t testing.TB, warps, n int, affine bool) *wtape.Reader {
	k := gputest.NewKernel("adds")
	k.Load(trace.SpaceGlobal, 0, 1)
	if affine {
		k.Op(trace.ClassMove, 0, 1)
		in := &k.Instructions[len(k.Instructions)-1]
		in.Opcode = "mov"
		in.Operands[1] = trace.Operand{Kind: trace.OperandSpecial, Symbol: "tid.x"}
	}
	for i := range n {
		k.Op(trace.ClassIntAdd, 2+i%32, 0, 0)
		k.Instructions[len(k.Instructions)-1].Opcode = "add"
	}
	k.Exit()
	return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32 * warps})
}

// TestAffineInstructionsIssueTwiceACycle: the throughput of a scheduler is doubled for
// them, and for nothing else.
func TestAffineInstructionsIssueTwiceACycle(t *testing.T) {
	const warps, n = 16, 400
	for _, c := range []struct {
		affine bool
		per    int // instructions a cycle
	}{{true, 2}, {false, 1}} {
		m := with(nil)
		run := replayOn(t, m, gpu.Options{Memory: quick}, adds(t, warps, n, c.affine))
		if want := clock.Cycle(warps * n / c.per); run.Cycles < want || run.Cycles > want+100 {
			t.Errorf("affine %v: %d instructions take %d cycles, want %d and the time to begin and end", c.affine, warps*n, run.Cycles, want)
		}
		executed := of(&run.Total, countScalar) + of(&run.Total, countAffine)
		if want := map[bool]uint64{true: warps * (n + 1), false: 0}[c.affine]; executed != want {
			t.Errorf("affine %v: %d instructions on affine units, want %d", c.affine, executed, want)
		}
	}
}

// TestTwoSchedulersShareOneAffineUnit: the original design has one for an SM.
func TestTwoSchedulersShareOneAffineUnit(t *testing.T) {
	const warps, n = 16, 400
	var cycles [3]clock.Cycle
	for units := 1; units <= 2; units++ {
		m := with(func(m *arch.Machine, s *Section) {
			m.SM.Schedulers, s.Units, s.FetchesPerCycle = 2, units, 4
			m.SM.Units.SP, m.SM.Units.Int = 2, 0
		})
		cycles[units] = replayOn(t, m, gpu.Options{Memory: quick}, adds(t, warps, n, true)).Cycles
	}
	if want := clock.Cycle(warps * n / 4); cycles[2] < want || cycles[2] > want+100 {
		t.Errorf("with two units %d cycles, want %d", cycles[2], want)
	}
	if want := clock.Cycle(warps * n / 2); cycles[1] < want || cycles[1] > want+100 {
		t.Errorf("with one unit %d cycles, want %d", cycles[1], want)
	}
}

// TestDivergenceExpandsAffineRegisters once: a guard that holds in half of the lanes.
func TestDivergenceExpandsAffineRegisters(t *testing.T) {
	k := gputest.NewKernel("diverges")
	special := func(symbol string, to int) {
		k.Op(trace.ClassMove, to, 0)
		in := &k.Instructions[len(k.Instructions)-1]
		in.Opcode, in.Operands[1] = "mov", trace.Operand{Kind: trace.OperandSpecial, Symbol: symbol}
	}
	add := func(to, a, b int) {
		k.Op(trace.ClassIntAdd, to, a, b)
		k.Instructions[len(k.Instructions)-1].Opcode = "add"
	}
	special("tid.x", 1)   // affine
	special("ctaid.x", 2) // scalar
	add(3, 1, 2)          // affine
	add(2, 1, 2)          // some lanes: expands the affine 1, and 2: some of its lanes stay
	k.Guarded(0)
	add(4, 3, 3) // affine still
	add(5, 1, 3) // of the vector 1: lanes
	add(6, 2, 3) // of the vector 2: lanes
	k.Exit()
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) { w.VisitGuarded(0, w.Lanes, w.Lanes&0xFFFF) }})
	run := replayOn(t, with(nil), gpu.Options{Memory: quick}, r)
	for which, want := range map[counters.ID]uint64{countScalar: 1, countAffine: 3, countDivergent: 1, countExpansion: 2} {
		if got := of(&run.Total, which); got != want {
			t.Errorf("%s: %d, want %d", counters.Declared(firstCounter+which).Name, got, want)
		}
	}
}

// TestScalarsAloneAreTracked when the section says so: what differs from lane to lane
// executes on lanes, wherever it comes from.
func TestScalarsAloneAreTracked(t *testing.T) {
	k := gputest.NewKernel("indices")
	for i, symbol := range []string{"tid.x", "tid.y", "tid.z", "laneid", "ctaid.x"} {
		k.Op(trace.ClassMove, i, 9)
		in := &k.Instructions[len(k.Instructions)-1]
		in.Opcode, in.Operands[1] = "mov", trace.Operand{Kind: trace.OperandSpecial, Symbol: symbol}
		k.Op(trace.ClassIntAdd, 10+i, i, i)
		k.Instructions[len(k.Instructions)-1].Opcode = "add"
	}
	k.Exit()
	tape := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	// In a row of 32 threads y and z are 0 in all lanes; two of the five are affine.
	for tracks, want := range map[string][2]uint64{"affine": {6, 4}, "scalar": {6, 0}, "none": {0, 0}} {
		run := replayOn(t, with(func(_ *arch.Machine, s *Section) { s.Tracks = tracks }), gpu.Options{Memory: quick}, tape)
		if got := [2]uint64{of(&run.Total, countScalar), of(&run.Total, countAffine)}; got != want {
			t.Errorf("%s: %d scalar and affine instructions, want %d", tracks, got, want)
		}
	}
}

// TestAnExpansionTakesAsLongAsAnInstruction: an affine move is one slot, an addition in
// half of the lanes two, and two more where it finds the moved register affine.
func TestAnExpansionTakesAsLongAsAnInstruction(t *testing.T) {
	const warps, n = 16, 200
	for _, c := range []struct{ source, slots int }{{1, 1 + 2 + 2}, {9, 1 + 2}} {
		k := gputest.NewKernel("expands")
		for i := range n {
			k.Op(trace.ClassMove, 1, 9)
			in := &k.Instructions[len(k.Instructions)-1]
			in.Opcode, in.Operands[1] = "mov", trace.Operand{Kind: trace.OperandSpecial, Symbol: "tid.x"}
			k.Op(trace.ClassIntAdd, 10+i%32, c.source, 9).Guarded(0)
			k.Instructions[len(k.Instructions)-1].Opcode = "add"
		}
		k.Exit()
		tape := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32 * warps, Record: func(w *gputest.Warp) { w.VisitGuarded(0, w.Lanes, w.Lanes&0xFFFF) }})
		run := replayOn(t, with(nil), gpu.Options{Memory: quick}, tape)
		if want := clock.Cycle(warps * n * c.slots / slotsPerCycle); run.Cycles < want || run.Cycles > want+100 {
			t.Errorf("pairs of %d slots take %d cycles, want %d and the time to begin and end", c.slots, run.Cycles, want)
		}
		// A scheduler is kept from issuing by additions, never by moves: a slot of each,
		// and two more with an expansion.
		var moves, additions uint64
		for i := range n {
			moves += run.Profiles[0][2*i*counters.CauseCount+int(counters.CauseUnit)]
			additions += run.Profiles[0][(2*i+1)*counters.CauseCount+int(counters.CauseUnit)]
		}
		if want := uint64(warps * n * (c.slots - 2)); additions != want || moves != 0 {
			t.Errorf("pairs of %d slots: %d are lost to additions, want %d, and %d to moves", c.slots, additions, want, moves)
		}
	}
}

// TestIssueSlotsAreCountedOnce however often they are asked for.
func TestIssueSlotsAreCountedOnce(t *testing.T) {
	tape := adds(t, 4, 100, true)
	whole := replayOn(t, with(nil), gpu.Options{Memory: quick}, tape)
	parts := replayOn(t, with(nil), gpu.Options{Memory: quick, IntervalCycles: 16}, tape)
	if diff := cmp.Diff(whole.Total, parts.Total); diff != "" {
		t.Errorf("in intervals of 16 cycles:\n%s", diff)
	}
	if len(parts.Intervals) < 3 {
		t.Errorf("%d intervals", len(parts.Intervals))
	}
}

// TestAffineHardwareIsThatOfTheSection: a unit and a register file in every SM, of an
// entry for each register of a warp.
func TestAffineHardwareIsThatOfTheSection(t *testing.T) {
	m := with(func(m *arch.Machine, s *Section) { m.GPU.SMs, m.SM.Registers, s.Units = 15, 32768, 2 })
	list := section(m).Structures(m)
	if units := list[0]; units.Count != 15*2 {
		t.Errorf("%d affine units, want 30", units.Count)
	}
	if file := list[1]; file.Count != 15 || file.Entries != 1024 || file.EntryBits != 66 {
		t.Errorf("%d register files of %d entries of %d bits, want 15 of 1024 of two words and a tag of two bits", file.Count, file.Entries, file.EntryBits)
	}
}

// TestWatchersSeeTheSlotsThatAreCharged, to the instruction: what a timeline shows and
// what a profile counts are told apart from each other.
func TestWatchersSeeTheSlotsThatAreCharged(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 8))
		tape := gputest.Trace(t, compilable(r, gputest.RandomLaunches(r))...)
		m, ledger := gputest.RandomMachine(r), gputest.NewSlotLedger()
		m.SM.IssuePerScheduler = 1
		m.SetSection(key, &Section{Enabled: true, Tracks: "affine", Units: m.SM.Schedulers, FetchesPerCycle: 2, ReadCycles: 1})
		run := replayOn(t, m, gpu.Options{Memory: quick, Watcher: ledger}, tape)
		ledger.Check(t, m.Name, tape, run.Profiles, &run.Total)
	}
}

// compilable gives the arithmetic of random kernels names that compilers give it, and
// thread indices to begin with.
func compilable(r *rand.Rand, launches []gputest.Launch) []gputest.Launch {
	names := []string{"add", "sub", "mul", "shl", "mov", "xor", "mad"}
	for i := range launches {
		k := launches[i].Kernel
		for n := range k.Instructions {
			in := &k.Instructions[n]
			if in.Class != trace.ClassIntAdd {
				continue
			}
			in.Opcode = names[r.IntN(len(names))]
			for o := 1; o < len(in.Operands); o++ {
				switch r.IntN(3) {
				case 0:
					in.Operands[o] = trace.Operand{Kind: trace.OperandSpecial, Symbol: []string{"tid.x", "tid.y", "ctaid.x"}[r.IntN(3)]}
				case 1:
					in.Operands[o] = trace.Operand{Kind: trace.OperandImmediate, Value: 4}
				}
			}
		}
	}
	return launches
}

// TestRandomMachinesKeepTheirInvariantsWithAffineUnits, every cycle visited or slept
// through.
func TestRandomMachinesKeepTheirInvariantsWithAffineUnits(t *testing.T) {
	executed := uint64(0)
	for _, seed := range tracetest.Seeds(t, 60, 10) {
		r := rand.New(rand.NewPCG(seed, 21))
		tape := gputest.Trace(t, compilable(r, gputest.RandomLaunches(r))...)
		m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
		m.SM.IssuePerScheduler = 1
		s := &Section{Enabled: true, Tracks: []string{"affine", "affine", "scalar", "none"}[r.IntN(4)], Units: 1 + r.IntN(m.SM.Schedulers), FetchesPerCycle: 2, ReadCycles: 1 + r.IntN(3)}
		m.SetSection(key, s)
		var runs [2]*gpu.Run
		for i := range runs {
			runs[i] = replayOn(t, m, gpu.Options{EveryCycle: i == 1, Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
				again := *memory
				return again.Build(c.Core, global), nil
			}}, tape)
		}
		total := runs[0].Total
		onUnits := of(&total, countScalar) + of(&total, countAffine)
		executed += onUnits
		gputest.InvariantsWithSideUnits(t, m, &total, runs[0].Cycles, onUnits, slotsPerCycle)
		if n := total[counters.IssuedThread]; n != tape.Totals().ThreadInstructions {
			t.Errorf("seed %d: %d thread instructions, recorded %d", seed, n, tape.Totals().ThreadInstructions)
		}
		if s.Tracks == "none" && onUnits+of(&total, countExpansion) != 0 {
			t.Errorf("seed %d: %d instructions on affine units although nothing is tracked", seed, onUnits)
		}
		if diff := cmp.Diff(runs[1], runs[0]); diff != "" {
			t.Fatalf("seed %d: sleeping changes the result (-every cycle +event driven):\n%s", seed, diff)
		}
	}
	if tracetest.Whole() && executed == 0 {
		t.Error("no instruction has ever been affine")
	}
}

// TestAffineUnitsThatTrackNothingAreNotThere: cycles are those without them, and every
// counter but those of issue slots.
func TestAffineUnitsThatTrackNothingAreNotThere(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 4, 4) {
		r := rand.New(rand.NewPCG(seed, 5))
		tape := gputest.Trace(t, compilable(r, gputest.RandomLaunches(r))...)
		for _, spec := range []string{"gtx480-15", "v100", "mesh56", "gtx480-15+gto", "gtx480-15+lrr"} {
			plain, neutral := replaytest.Load(t, spec), replaytest.Load(t, spec+"+cae")
			s := section(neutral)
			s.Tracks, s.FetchesPerCycle = "none", 1
			a, b := replayOn(t, plain, gpu.Options{}, tape), replayOn(t, neutral, gpu.Options{}, tape)
			if a.Cycles != b.Cycles {
				t.Errorf("seed %d: %s takes %d cycles, %d with idle affine units", seed, spec, a.Cycles, b.Cycles)
			}
			for id := range counters.ID(counters.Count) {
				name := counters.Declared(id).Name
				if a.Total[id] != b.Total[id] && id != counters.IssueSlots && !strings.HasPrefix(name, "stall_") {
					t.Errorf("seed %d: %s: %s is %d, %d with idle affine units", seed, spec, name, a.Total[id], b.Total[id])
				}
			}
		}
	}
}

// TestSwitchedOffAffineUnitsLeaveNoTrace in any byte of the result, nor does the number
// of workers.
func TestSwitchedOffAffineUnitsLeaveNoTrace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	tape := gputest.Trace(t, compilable(r, gputest.RandomLaunches(r))...)
	off := replaytest.Load(t, "gtx480-15+cae")
	section(off).Enabled = false
	replaytest.LeavesNoTrace(t, tape, replaytest.Load(t, "gtx480-15"), off)
	replaytest.SameBytes(t, tape, "gtx480-15+cae", "mesh56+cae")
}

func TestMachinesWithoutRoomForAffineUnitsAreRefused(t *testing.T) {
	replaytest.Refused(t, []replaytest.Refusal{
		{Text: "base: gtx480-15+dual-issue+cae\nname: x\ndescription: two at a time\n", Want: "issues 2 instructions a cycle"},
		{Text: "base: gtx480-15+cae\nname: x\ndescription: too many\ncae:\n  units: 3\n", At: "x.yaml:5:", Want: "and there are 2"},
	})
	for _, spec := range []string{"gtx480+buddy(members=2)+cae", "gtx480+cae+wide(threads=64)"} {
		if _, err := arch.Load(spec); err == nil || !strings.Contains(err.Error(), "a machine has one issue logic") {
			t.Errorf("%s, with the front end of another mechanism: %v", spec, err)
		}
	}
}

// TestAffineInstructionsCostLessThanLanes: an affine addition is two operations, not
// 32, and reads narrow registers.
func TestAffineInstructionsCostLessThanLanes(t *testing.T) {
	m := replaytest.Load(t, "gtx480-15+cae")
	model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	if names := model.Unpriced(m.Mechanisms()); len(names) > 0 {
		t.Errorf("counters without a price or a reason: %v", names)
	}
	cost := func(affine bool) float64 {
		run := replayOn(t, m, gpu.Options{}, adds(t, 16, 400, affine))
		r, err := model.Account(&run.Total, 0)
		if err != nil {
			t.Fatal(err)
		}
		return r.Node("chip/sm").DynamicJ
	}
	if affine, lanes := cost(true), cost(false); affine > 0.8*lanes {
		t.Errorf("the SMs take %g J with affine additions, %g J with the same on lanes: want a fifth less at least", affine, lanes)
	}
}

func TestSteadyStateWithAffineUnitsAllocatesNothing(t *testing.T) {
	k := gputest.NewKernel("steady")
	k.Op(trace.ClassIntAdd, 1, 2, 3).Load(trace.SpaceGlobal, 20, 10).Op(trace.ClassIntAdd, 4, 1, 20).Exit()
	for i := range k.Instructions {
		if k.Instructions[i].Class == trace.ClassIntAdd {
			k.Instructions[i].Opcode = "add"
		}
	}
	replaytest.SteadyState(t, "gtx480-15+cae", func(blocks int) *wtape.Reader {
		return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256, Record: gputest.StraightLine})
	})
}

// BenchmarkReplay isolates what affine units cost a replay: saxpy, half of it affine,
// and tiled sgemm, as recorded, in warp instructions a second.
func BenchmarkReplay(b *testing.B) {
	replaytest.Benchmark(b, []string{"saxpy", "sgemm"}, "gtx480-15", "gtx480-15+cae")
}
