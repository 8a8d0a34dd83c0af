// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/warpset"
)

// Ages are the numbers of the warps of an SM in the order of arrival, by warp slot.
type Ages = [warpset.Max]uint64

// Policy chooses which warp a scheduler issues from.
type Policy interface {
	// Pick chooses one of the candidates (never empty) and
	// takes it as issued.
	Pick(candidates warpset.Set, ages *Ages) int
}

// Policies are the warp scheduling policies by name.
var Policies = seam.NewRegistry[func(*arch.SM) Policy]("warp scheduler")

func init() {
	Policies.Open(arch.Word("sm.scheduler"))
	Policies.Register("lrr", func(*arch.SM) Policy { return &looseRoundRobin{last: warpset.Max - 1} })
	Policies.Register("gto", func(*arch.SM) Policy { return new(greedyThenOldest) })
	Policies.Register("oldest", func(*arch.SM) Policy { return oldestFirst{} })
	Policies.Register("two-level", func(m *arch.SM) Policy { return newTwoLevel(m.SchedulerWarps) })
	Policies.Register("srr", func(*arch.SM) Policy { return &strictRoundRobin{looseRoundRobin{last: warpset.Max - 1}} })
	Policies.Register("warp-limit", func(m *arch.SM) Policy { return newWarpLimit(m.SchedulerWarps) })
}

// looseRoundRobin takes the next ready warp after the one that issued last.
type looseRoundRobin struct{ last int }

func (p *looseRoundRobin) Pick(candidates warpset.Set, _ *Ages) int {
	p.last = candidates.After(p.last)
	return p.last
}

// greedyThenOldest stays with a warp as long as it can issue, then takes the
// oldest ready one (Rogers et al., Cache-Conscious Wavefront Scheduling, 2012). At first it
// stays with none: the age of a warp is not zero.
type greedyThenOldest struct {
	last int
	age  uint64
}

func (p *greedyThenOldest) Pick(candidates warpset.Set, ages *Ages) int {
	if candidates.Has(p.last) && ages[p.last] == p.age {
		return p.last
	}
	p.last = oldestOf(candidates, ages)
	p.age = ages[p.last]
	return p.last
}

// oldestFirst takes the oldest ready warp.
type oldestFirst struct{}

func (oldestFirst) Pick(candidates warpset.Set, ages *Ages) int {
	return oldestOf(candidates, ages)
}

// oldestOf is the warp of a set, not empty, that arrived first.
func oldestOf(set warpset.Set, ages *Ages) int { return set.Least(ages) }
