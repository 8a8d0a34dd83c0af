// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/sm/switching"
	"github.com/warptape/warptape/timing/warpset"
)

// Scheduler is one warp scheduler of a front end: it chooses among its own warp
// slots. Slot w belongs to scheduler w modulo their number.
type Scheduler struct {
	own     warpset.Set // its warp slots
	policy  Policy
	limiter Limiter     // policy, when it is one
	stay    *warpSwitch // nil: any warp may issue in any cycle
}

// NewSchedulers makes the schedulers of one front end.
func NewSchedulers(m *arch.SM) ([]Scheduler, error) {
	policy, err := Policies.Lookup(m.Scheduler)
	if err != nil {
		return nil, err
	}
	list := make([]Scheduler, max(m.Schedulers, 1))
	for i := range list {
		list[i].policy = policy(m)
		list[i].limiter, _ = list[i].policy.(Limiter)
		if m.WarpSwitch != "" {
			list[i].stay = &warpSwitch{on: switching.On(m.WarpSwitch), last: -1}
		}
		for w := i; w < warpset.Max; w += len(list) {
			list[i].own = list[i].own.With(w)
		}
	}
	return list, nil
}

// Give makes other warp slots those of the scheduler.
func (sc *Scheduler) Give(own warpset.Set) { sc.own = own }

// Own are its warp slots.
func (sc *Scheduler) Own() warpset.Set { return sc.own }

// Admit gives which of its warps on s may issue now, as far as the policy is
// concerned; candidates are the warps that can.
func (sc *Scheduler) Admit(s *SM, candidates warpset.Set) warpset.Set {
	if sc.limiter == nil && sc.stay == nil {
		return sc.own
	}
	return sc.narrow(s, candidates)
}

// narrow is Admit of a policy that does not admit all. Where a scheduler stays with warps,
// one inside of a run goes before all others, which may wait for the run's end.
func (sc *Scheduler) narrow(s *SM, candidates warpset.Set) warpset.Set {
	own := sc.own
	if sc.stay != nil {
		if run := own.And(s.issuing); !run.Empty() {
			return run
		}
	}
	if sc.limiter != nil {
		own = s.admit(sc.limiter, own)
	}
	if sc.stay != nil {
		own = sc.stay.narrow(s, own, candidates)
	}
	return own
}

// Pick chooses one of the ready warps of s; there must be one.
func (sc *Scheduler) Pick(s *SM, ready warpset.Set) int { return sc.policy.Pick(ready, &s.ages) }

// Issued tells that warp w of s has issued an instruction.
func (sc *Scheduler) Issued(s *SM, w int, instruction uint32) {
	if sc.stay != nil {
		sc.stay.issued(s, w, s.program.code[instruction].triggers)
	}
}
