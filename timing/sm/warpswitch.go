package sm

import (
	"github.com/warptape/warptape/timing/sm/waiting"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// trigger is a set of events at which a scheduler goes to the next warp (GPSim
// thesis Table 6.5). Barriers and the end of a warp are always among them.
type trigger uint8

const (
	triggerMemory trigger = 1 << iota
	triggerEveryMemory
	triggerMiss // known when the instruction issues
	triggerBranch
	triggerAny
)

// triggers are the values of arch.SM.WarpSwitch; NON has none. The thesis does not say
// which memory instructions have a long latency: "mem" are those for which something comes
// back from beyond the SM, "mem-every" are all, "mem-miss" those that miss in the filter
// of the thesis's simulator.
var triggers = map[string]trigger{
	"non": 0, "mem": triggerMemory, "mem-every": triggerEveryMemory, "mem-miss": triggerMiss,
	"bra": triggerBranch, "mbr": triggerMemory | triggerBranch, "mbr-every": triggerEveryMemory | triggerBranch, "mbr-miss": triggerMiss | triggerBranch,
	"all": triggerAny,
}

// triggerOf gives the triggers that an instruction is, but for triggerMiss.
func triggerOf(in *trace.Instruction) trigger {
	switch in.Class {
	case trace.ClassStore, trace.ClassBulk:
		return triggerAny | triggerEveryMemory
	case trace.ClassLoad, trace.ClassAtomic, trace.ClassTexture:
		switch in.Space {
		case trace.SpaceShared, trace.SpaceConst, trace.SpaceParam:
			return triggerAny | triggerEveryMemory
		}
		return triggerAny | triggerEveryMemory | triggerMemory
	case trace.ClassBranch, trace.ClassCall:
		return triggerAny | triggerBranch
	}
	return triggerAny
}

// warpSwitch keeps a scheduler with one warp until a trigger.
type warpSwitch struct {
	on      trigger
	holding bool   // the scheduler stays with warp last
	last    int    // that issued last, -1 at first
	age     uint64 // of warp last: slots are used again
}

// narrow gives which of a scheduler's warps may issue now: the one that it stays
// with, or after a trigger any, another than the last if one can. It does not stay
// with a warp that waits for what another one has to issue first: at a barrier, or held
// by an assistant. A warp inside of a run goes before all others, which may wait for
// the run's end.
func (x *warpSwitch) narrow(s *SM, own, candidates warpset.Set) warpset.Set {
	if run := own.And(s.issuing); !run.Empty() {
		return run
	}
	var last warpset.Set
	if x.last >= 0 {
		last = warpset.Of(x.last)
	}
	if x.holding {
		l := s.waiting.Of(x.last)
		x.holding = l != waiting.None && l != waiting.Barrier && s.ages[x.last] == x.age && !s.assistHeld.Has(x.last)
	}
	switch {
	case x.holding:
		return last
	case !candidates.And(own).AndNot(last).Empty():
		return own.AndNot(last)
	}
	return own
}

// issued tells that warp w has issued an instruction with the given triggers.
func (x *warpSwitch) issued(s *SM, w int, t trigger) {
	if x.on&triggerMiss != 0 && s.TakeMiss(w) {
		t |= triggerMiss
	}
	x.last, x.age, x.holding = w, s.ages[w], x.on&t == 0
}
