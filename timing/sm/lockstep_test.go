// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"context"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// stepping is a mechanism of this test: before every cycle of an SM's front end it calls
// what the test wants done through the hook.
type stepping struct {
	do func(now clock.Cycle, s *sm.SM, hook sm.Lockstep)
}

func (p *stepping) On() bool                                  { return true }
func (p *stepping) Check(*arch.Machine, func(_, _ string))    {}
func (p *stepping) Structures(*arch.Machine) []arch.Structure { return nil }

func init() {
	arch.RegisterSection("stepping", nil, func() arch.Section { return new(stepping) }, arch.Declaration{})
	gpu.Mechanisms.Register("stepping", gpu.Mechanism{FrontEnds: func(m *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
		return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
			drivers, err := next(m, cores)
			if err != nil {
				return nil, err
			}
			for i := range drivers {
				sms, err := sm.Of(drivers[i].Cores)
				if err != nil {
					return nil, err
				}
				drivers[i].FrontEnd = &stepper{FrontEnd: drivers[i].FrontEnd, p: m.Section("stepping").(*stepping), sm: sms[0]}
			}
			return drivers, nil
		}
	}})
}

// stepper is a front end that works in every cycle.
type stepper struct {
	seam.FrontEnd
	p  *stepping
	sm *sm.SM
}

func (f *stepper) Cycle(now clock.Cycle) clock.Cycle {
	f.p.do(now, f.sm, f.sm.Lockstep())
	f.FrontEnd.Cycle(now)
	return now + 1
}

// stepped replays a launch on m, with do called before every cycle.
func stepped(t *testing.T, m *arch.Machine, memory *gputest.Memory, l gputest.Launch, do func(clock.Cycle, *sm.SM, sm.Lockstep)) *gpu.Run {
	t.Helper()
	m.SetSection("stepping", &stepping{do})
	g, err := gpu.New(m, optionsWith(memory, nil))
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// heard is something that a companion was told.
type heard struct {
	at          clock.Cycle
	sm, who     int // SM, and the warp or the slot
	instruction uint32
}

// keeper is a companion that keeps loads or thread blocks, and notes what it hears.
type keeper struct {
	loads, blocks bool
	loaded, ended []heard
}

func (k *keeper) Loaded(now clock.Cycle, sm, w int, instruction uint32) bool {
	k.loaded = append(k.loaded, heard{now, sm, w, instruction})
	return k.loads
}

func (k *keeper) Ended(now clock.Cycle, sm, slot int) bool {
	k.ended = append(k.ended, heard{now, sm, slot, 0})
	return k.blocks
}

// A load that the companion keeps pending holds its reader back, and counts as
// outstanding, until FinishLoad; one that it lets go takes the time of the memory alone.
func TestALoadIsKeptPendingUntilItIsFinished(t *testing.T) {
	const answered = firstIssue + 1 + access // the load is the second instruction
	k := gputest.NewKernel("load")
	k.Op(trace.ClassIntAdd, 5, 6).Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1).Exit()
	for _, kept := range []clock.Cycle{0, 7, 100} {
		companion := &keeper{loads: kept > 0}
		r := stepped(t, gputest.Machine(), steady(), straight(k), func(now clock.Cycle, s *sm.SM, hook sm.Lockstep) {
			hook.Accompany(companion)
			// Nothing is outstanding before the first issue, nor when the load has been
			// answered and not been kept: the addition that reads it issues then.
			if quiet := hook.Quiet(); quiet != (now <= firstIssue || now == answered && kept == 0 || s.Resident() == 0) {
				t.Errorf("kept for %d cycles: cycle %d: quiet is %t", kept, now, quiet)
			}
			if kept > 0 && now == answered+kept {
				hook.FinishLoad(0, 1)
			}
		})
		if want := clock.Cycle(answered + addition + 1); r.Cycles != want+kept {
			t.Errorf("kept for %d cycles: %d cycles, want %d", kept, r.Cycles, want+kept)
		}
		if want := (heard{answered, 0, 0, 1}); len(companion.loaded) != 1 || companion.loaded[0] != want {
			t.Errorf("told of loads %+v, want %+v", companion.loaded, want)
		}
	}
}

// A thread block that the companion keeps occupies its slot until it leaves: the next
// one comes that much later. Another companion lets nothing go; no companion lets
// everything go.
func TestAThreadBlockIsKeptUntilItLeaves(t *testing.T) {
	const kept = 40
	k := gputest.NewKernel("blocks")
	k.Op(trace.ClassIntAdd, 1, 2).Exit()
	launch := gputest.Launch{Kernel: k, Blocks: 3, Threads: 32}
	type companions struct{ first, then sm.Companion }
	replayed := func(room int, c companions, release func(now clock.Cycle, hook sm.Lockstep)) *gpu.Run {
		m := gputest.Machine()
		m.SM.MaxBlocks = room
		first := true
		return stepped(t, m, steady(), launch, func(now clock.Cycle, s *sm.SM, hook sm.Lockstep) {
			if first {
				hook.Accompany(c.first)
				first = false
			}
			if hook.Ended() != 0 && c.then != nil {
				before := hook.Ended()
				hook.Accompany(c.then)
				if hook.Ended() != before {
					t.Errorf("another companion: slots %b are kept, %b were", hook.Ended(), before)
				}
			}
			release(now, hook)
		})
	}
	alone := replayed(1, companions{}, func(clock.Cycle, sm.Lockstep) {}).Cycles

	keeps := &keeper{blocks: true}
	leave := func(now clock.Cycle, hook sm.Lockstep) {
		if n := len(keeps.ended); hook.Ended() == 1 && now == keeps.ended[n-1].at+kept {
			hook.Leave(now, 0)
			if hook.Ended() != 0 {
				t.Errorf("slots %b are kept behind Leave", hook.Ended())
			}
		}
	}
	if got, want := replayed(1, companions{first: keeps}, leave).Cycles, alone+3*kept; got != want {
		t.Errorf("three thread blocks, each kept for %d cycles: %d cycles, want %d", kept, got, want)
	}
	another := &keeper{blocks: true}
	keeps = &keeper{blocks: true}
	n := 0
	if r := replayed(1, companions{keeps, another}, func(now clock.Cycle, hook sm.Lockstep) {
		if n++; hook.Ended() != 0 && n%100 == 0 {
			hook.Leave(now, 0)
		}
	}); r.Total[counters.BlocksRetired] != 3 || len(keeps.ended) != 1 || len(another.ended) != 2 {
		t.Errorf("%d thread blocks retired; %d ends told to one companion and %d to the next, want 3, 1, 2", r.Total[counters.BlocksRetired], len(keeps.ended), len(another.ended))
	}

	// All three at once: slot 1 leaves first, then the companion does.
	keeps = &keeper{blocks: true}
	var seen []uint64
	r := replayed(3, companions{first: keeps}, func(now clock.Cycle, hook sm.Lockstep) {
		if now%50 != 49 || hook.Ended() == 0 {
			return
		}
		seen = append(seen, hook.Ended())
		if len(seen) == 1 {
			hook.Leave(now, 1)
			return
		}
		hook.Accompany(nil)
		seen = append(seen, hook.Ended())
	})
	if len(seen) != 3 || seen[0] != 0b111 || seen[1] != 0b101 || seen[2] != 0 {
		t.Errorf("slots kept: %b, want 111, 101, 0", seen)
	}
	if got := r.Total[counters.BlocksRetired]; got != 3 {
		t.Errorf("%d thread blocks retired, want 3", got)
	}
}

// An SM that another one's front end issues to fetches nothing and waits for no
// instructions; when it is on its own again, it fetches what is left.
func TestNothingIsFetchedForARemoteSM(t *testing.T) {
	const n = 9
	k := gputest.NewKernel("straight")
	for range n {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Exit()
	// until is the instruction before which the SM is on its own.
	for _, until := range []uint64{n + 1, 4} {
		remote := false
		r := stepped(t, gputest.Machine(), steady(), straight(k), func(now clock.Cycle, s *sm.SM, hook sm.Lockstep) {
			switch {
			case now == 0:
				hook.SetRemote(true)
				remote = true
			case remote && s.Issued() == until:
				hook.SetRemote(false)
				remote = false
			}
			if remote && !hook.FetchQuiet() {
				t.Errorf("cycle %d: a fetch is under way for a remote SM", now)
			}
		})
		if got, want := r.Total[counters.FetchInstruction], n+1-until; got != want {
			t.Errorf("on its own from instruction %d on: %d instructions fetched, want %d", until, got, want)
		}
		// The first instruction issues when the thread block is there: decode and
		// the chain of additions are all that is left of the time.
		if want := clock.Cycle(gputest.LaunchCycles + n*addition + 1); r.Cycles != want {
			t.Errorf("on its own from instruction %d on: %d cycles, want %d", until, r.Cycles, want)
		}
	}
}

// A fetch is under way from its cycle until the instructions are decoded.
func TestAFetchIsUnderWayUntilItIsDecoded(t *testing.T) {
	k := gputest.NewKernel("two")
	k.Op(trace.ClassIntAdd, 1, 1).Exit() // one fetch of two instructions
	m := gputest.Machine()
	m.SM.DecodeCycles = 6
	stepped(t, m, steady(), straight(k), func(now clock.Cycle, s *sm.SM, hook sm.Lockstep) {
		underWay := now > gputest.LaunchCycles && now <= gputest.LaunchCycles+6
		if hook.FetchQuiet() == underWay {
			t.Errorf("cycle %d: quiet is %t", now, !underWay)
		}
	})
}

// Instructions that are dropped from the instruction caches miss once more. With a cache of the sub-core
// only lines are looked for behind it, once each.
func TestDroppedInstructionsMissAgain(t *testing.T) {
	k := gputest.NewKernel("loop")
	for range 20 {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Branch()
	k.Exit()
	launch := straight(k)
	launch.Record = func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		w.Visit(0, w.Lanes)
		w.Visit(1, w.Lanes)
	}
	own := gputest.Machine()
	own.Instruction.LineBytes = 16
	own.SM.L0 = arch.L0{Bytes: 1024, Ways: 64}
	for name, m := range map[string]*arch.Machine{"one": gputest.Machine(), "two": own} {
		for drop, want := range map[bool]uint64{false: 11, true: 22} { // 22 instructions, two a fetch
			dropped := false
			r := stepped(t, m, &gputest.Memory{LatencyCycles: memoryLatency, FetchMissCycles: 30}, launch, func(_ clock.Cycle, s *sm.SM, hook sm.Lockstep) {
				if drop && !dropped && s.Issued() == 21 { // the first time round
					hook.DropInstructions()
					dropped = true
				}
			})
			if got := r.Total[counters.FetchMiss]; got != want {
				t.Errorf("%s: dropped %t: %d misses, want %d", name, drop, got, want)
			}
		}
	}
}

// A transfer puts its cycles between issue and operand read. What is on its way has
// room: instructions still issue one a cycle.
func TestATransferIsPaidOnceByWhatIssuesTogether(t *testing.T) {
	const n = 40
	adds, loads := gputest.NewKernel("adds"), gputest.NewKernel("loads")
	for i := range n {
		adds.Op(trace.ClassIntAdd, 10+i, 2)
		loads.Load(trace.SpaceGlobal, 10+i, 2)
	}
	adds.Exit()
	loads.Exit()
	arbiter := gputest.Machine()
	arbiter.SM.RegisterBanks = 16
	arbiter.SM.Collectors.General = arch.CollectorSet{Count: 4, Ports: 1}
	for name, m := range map[string]*arch.Machine{"fixed": gputest.Machine(), "arbiter": arbiter} {
		for _, k := range []*gputest.Kernel{adds, loads} {
			var without clock.Cycle
			for _, transfer := range []clock.Cycle{0, 1, 5, units.MaxTransfer} {
				r := stepped(t, m, steady(), straight(k), func(now clock.Cycle, s *sm.SM, hook sm.Lockstep) {
					hook.SetTransfer(transfer) // again: nothing that is on its way is lost
				})
				if transfer == 0 {
					without = r.Cycles
				}
				if want := without + transfer; r.Cycles != want {
					t.Errorf("%s, %s: a transfer of %d cycles: %d cycles, want %d", name, k.Name, transfer, r.Cycles, want)
				}
			}
		}
	}
}

// A warp that has met the others at a barrier goes on a transfer later.
func TestATransferIsPaidAtEachBarrier(t *testing.T) {
	const barriers = 5
	k := gputest.NewKernel("barriers")
	for range barriers {
		k.Barrier("sync", 0)
	}
	k.Op(trace.ClassIntAdd, 1, 2).Exit()
	var one clock.Cycle
	for _, transfer := range []clock.Cycle{1, 2, 5, units.MaxTransfer} { // with none the warp waits for decoding
		r := stepped(t, gputest.Machine(), steady(), straight(k), func(_ clock.Cycle, _ *sm.SM, hook sm.Lockstep) { hook.SetTransfer(transfer) })
		if transfer == 1 {
			one = r.Cycles
		}
		// The addition's result takes one, too.
		if want := one + (barriers+1)*(transfer-1); r.Cycles != want {
			t.Errorf("a transfer of %d cycles: %d cycles, want %d", transfer, r.Cycles, want)
		}
	}
}

// The hook counts the warps that have come, and knows the branches.
func TestTheHookKnowsArrivalsAndBranches(t *testing.T) {
	k := gputest.NewKernel("branch")
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Branch()
	k.Exit()
	m := gputest.Machine()
	m.SM.MaxBlocks = 1
	m.SM.Latencies.Branch.Cycles = 13
	var last, previous uint64
	stepped(t, m, steady(), gputest.Launch{Kernel: k, Blocks: 3, Threads: 64}, func(now clock.Cycle, s *sm.SM, hook sm.Lockstep) {
		previous, last = last, hook.Arrivals()
		if last != previous && last != previous+2 {
			t.Errorf("cycle %d: %d warps have come, %d before", now, last, previous)
		}
		if s.Resident() == 0 {
			return
		}
		for i, branch := range []bool{false, true, false} {
			if hook.IsBranch(uint32(i)) != branch {
				t.Errorf("instruction %d: branch is %t", i, !branch)
			}
		}
		if got := hook.BranchCycles(1); got != 13 {
			t.Errorf("the branch's path is known after %d cycles, want 13", got)
		}
	})
	if last != 6 {
		t.Errorf("%d warps have come, want 6", last)
	}
}

// A branch that is taken is resolved a transfer later.
func TestATransferIsPaidAtEachBranch(t *testing.T) {
	const jumps = 4
	k := gputest.NewKernel("jumps")
	over := k.Branch()
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Branch()
	k.Exit()
	for _, transfer := range []clock.Cycle{0, 1, 9} {
		m := gputest.Machine()
		m.SM.Latencies.Branch.Cycles = 7
		r := stepped(t, m, steady(), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
			for range jumps {
				w.Visit(0, w.Lanes)
			}
			w.Visit(over+1, w.Lanes)
		}}, func(_ clock.Cycle, _ *sm.SM, hook sm.Lockstep) { hook.SetTransfer(transfer) })
		if want := firstIssue + jumps*(7+transfer+gputest.DecodeCycles) + 1; r.Cycles != want {
			t.Errorf("a transfer of %d cycles: %d cycles, want %d", transfer, r.Cycles, want)
		}
	}
}

// The next thread block of an SM can lie in the slots of the last one on another.
func TestAThreadBlockTakesTheSlotsOfAnother(t *testing.T) {
	k := chained(gputest.NewKernel("long"), 50).Exit()
	for _, takes := range []bool{false, true} {
		m := gputest.Machine()
		m.GPU.SMs, m.GPU.Dispatch, m.SM.MaxBlocks = 2, "lowest", 3
		var sms [2]*sm.SM
		seen := false
		stepped(t, m, steady(), gputest.Launch{Kernel: k, Blocks: 4, Threads: 64}, func(now clock.Cycle, s *sm.SM, hook sm.Lockstep) {
			sms[s.ID()] = s
			if s.ID() == 0 || now < gputest.LaunchCycles+2 { // three thread blocks are on SM 0
				return
			}
			if takes && now == gputest.LaunchCycles+2 {
				hook.TakeSlotsOf(sms[0])
			}
			want := warpset.First(2)
			if takes {
				want = warpset.Of(4).With(5)
			}
			if now == gputest.LaunchCycles+4 {
				seen = true
				if s.Present() != want {
					t.Errorf("taken %v: the fourth thread block has the slots %v, want %v", takes, s.Present(), want)
				}
			}
		})
		if !seen {
			t.Error("the cycle has not come")
		}
	}
}

// Warps are counted as residents up to the cycle that is asked for.
func TestResidentsAreCountedWhenAsked(t *testing.T) {
	k := chained(gputest.NewKernel("long"), 50).Exit()
	stepped(t, gputest.Machine(), steady(), gputest.Launch{Kernel: k, Blocks: 1, Threads: 96}, func(now clock.Cycle, s *sm.SM, _ sm.Lockstep) {
		if now < gputest.LaunchCycles+10 || now > gputest.LaunchCycles+20 {
			return
		}
		s.CountResidency(now)
		if got, want := s.Counters()[counters.ResidentWarpCycles], uint64(3*(now-gputest.LaunchCycles)); got != want {
			t.Errorf("cycle %d: warps have been resident for %d cycles, want %d", now, got, want)
		}
	})
}
