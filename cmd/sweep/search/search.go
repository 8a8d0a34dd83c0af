// SPDX-License-Identifier: Apache-2.0

// Package search finds a good machine among many of a sweep without replaying all of them
// whole. It goes by successive halving (Jamieson and Talwalkar, "Non-stochastic best arm
// identification and hyperparameter optimization", AISTATS 2016). Machines are compared
// on small samples of the traces first; the best third goes on to larger samples, and few
// see the whole traces. It is deterministic: the same plan, budget and seed look at the
// same points, and say which they did not.
package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
)

// Search is what is to be found, and at what price.
type Search struct {
	Runner *sweep.Runner
	Plan   *plan.Plan
	// Metric is one of the plan's or a figure (results.Values); Better is lower, higher, or
	// empty where the metric says which.
	Metric, Better string
	// Budget is in whole points: the mean of the sweep's, in warp instructions.
	Budget float64
	Seed   uint64
}

// reduction is how many machines of a rung there are for one of the next.
const reduction = 3

// Run searches. The error is that of the plan, the budget, the folder or the context.
func (s *Search) Run(ctx context.Context) (*results.Search, error) {
	goal, err := newGoal(s.Plan, s.Metric, s.Better)
	if err != nil {
		return nil, err
	}
	if s.Runner.Shards > 0 {
		return nil, errors.New("a search decides by the results of all points, and cannot be made in shards")
	}
	e, err := s.Runner.Prepare(ctx, s.Plan)
	if err != nil {
		return nil, err
	}
	traces, err := s.Runner.Traces(ctx, s.Plan, false)
	if err != nil {
		return nil, err
	}
	c, err := candidatesOf(e.Manifest, goal.compares(s.Plan))
	if err != nil {
		return nil, err
	}
	rungs, err := s.rungs(ctx, traces)
	if err != nil {
		return nil, err
	}
	counts, err := s.counts(rungs, c, float64(rungs[len(rungs)-1].instructions)/float64(len(traces)))
	if err != nil {
		return nil, err
	}
	out := &results.Search{
		Schema: results.SchemaVersion, Sweep: s.Plan.Name, Metric: goal.name, Better: goal.better(), Seed: s.Seed, Budget: s.Budget,
		PointInstructions: float64(rungs[len(rungs)-1].instructions) / float64(len(traces)), LeftOut: c.leftOut, Best: []results.Scored{}, NotLooked: []string{},
	}
	machines, rest := s.draw(c.machines, counts)
	out.NotLooked = append(out.NotLooked, rest...)
	for k := range rungs {
		if counts[k] == 0 {
			continue
		}
		machines = machines[:min(len(machines), counts[k])]
		r, err := s.climb(ctx, k, &rungs[k], c, goal, machines)
		if err != nil {
			return nil, err
		}
		machines = machines[:0:0]
		for _, scored := range r.Scores {
			machines = append(machines, scored.Architecture)
		}
		replayed := len(with(machines, c.references))
		out.Cost += float64(float64(replayed) * (float64(rungs[k].instructions) / out.PointInstructions))
		if k+1 < len(rungs) {
			r.Promoted = min(len(machines), counts[k+1])
		} else {
			out.Best = r.Scores
		}
		out.Rungs = append(out.Rungs, *r)
	}
	return out, s.Runner.Store.PutSearch(out)
}

// draw chooses the machines of the first rung by the seed; the others are not looked at.
func (s *Search) draw(machines []string, counts []int) (drawn, rest []string) {
	first := slices.Max(counts)
	random := rand.New(rand.NewPCG(s.Seed, 0))
	order := random.Perm(len(machines))
	chosen := map[int]bool{}
	for _, i := range order[:first] {
		drawn = append(drawn, machines[i])
		chosen[i] = true
	}
	for i, m := range machines {
		if !chosen[i] {
			rest = append(rest, m)
		}
	}
	return drawn, rest
}

// counts says how many machines each rung has: as many as the budget pays, at least one
// of them whole. When it pays for all of them whole, there are no samples.
func (s *Search) counts(rungs []rung, c *candidates, point float64) ([]int, error) {
	last := len(rungs) - 1
	budget := s.Budget * point
	cost := func(counts []int) float64 {
		var sum float64
		for k, n := range counts {
			if n > 0 { // reference machines come on top, where they are not among the others
				sum += float64(float64(n+len(c.references)) * float64(rungs[k].instructions))
			}
		}
		return sum
	}
	whole := make([]int, len(rungs))
	whole[last] = len(c.machines)
	all := float64(float64(len(with(c.machines, c.references))) * float64(rungs[last].instructions))
	if all <= budget {
		return whole, nil
	}
	one := make([]int, len(rungs))
	one[last] = 1
	best := []int(nil)
	for n := 1; n <= len(c.machines); n++ {
		counts := make([]int, len(rungs))
		for k, m := 0, n; k <= last; k++ {
			counts[k] = m
			m = (m + reduction - 1) / reduction
		}
		if n == 1 {
			counts = slices.Clone(one) // which needs no samples
		}
		if cost(counts) > budget {
			break
		}
		best = counts
	}
	if best == nil {
		return nil, fmt.Errorf("a budget of %g whole points is too small: one machine on all traces, with what it is compared with, takes %.1f", s.Budget, cost(one)/point)
	}
	return best, nil
}

// with joins two lists of machines without repetition.
func with(machines, references []string) []string {
	list := slices.Clone(machines)
	for _, r := range references {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}
