// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"slices"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/timing/arch"
)

// job is what there is to do with one trace.
type job struct {
	trace    *results.PlannedTrace
	keys     []string
	machines []*arch.Machine
}

func (j *job) instructions() uint64 {
	return j.trace.Summary.StoredWarpInstructions * uint64(len(j.machines))
}

// ShardKeys lists the keys of the points that each of some shards makes, as
// Runner.Shard counts them.
func ShardKeys(m *results.Manifest, shards int) [][]string {
	list := make([][]string, shards)
	seen := map[string]bool{}
	for i := range m.Points {
		if key := m.Points[i].Key; key != "" && !seen[key] {
			list[len(seen)%shards] = append(list[len(seen)%shards], key)
			seen[key] = true
		}
	}
	return list
}

// jobs lists the points of the shard that have neither a result nor a refusal. Points of
// the same trace and machine are one.
func (r *Runner) jobs(e *plan.Expansion, s *Summary) ([]job, error) {
	m := e.Manifest
	list := make([]job, len(m.Traces))
	for i := range list {
		list[i].trace = &m.Traces[i]
	}
	seen := map[string]bool{}
	for i := range m.Points {
		p := &m.Points[i]
		if p.Key == "" {
			s.Impossible++
			continue
		}
		if seen[p.Key] {
			continue
		}
		number := len(seen)
		seen[p.Key] = true
		if r.Only != nil && !r.Only[p.Key] {
			continue
		}
		if r.Shards > 0 && number%r.Shards != r.Shard {
			continue
		}
		s.Wanted++
		if r.Store.Sound(p.Key) {
			s.Present++
			continue
		}
		failure, err := r.Store.Failure(p.Key)
		if err != nil {
			return nil, err
		}
		if failure != nil && failure.Refused {
			s.Refused++
			continue
		}
		j := &list[p.Trace]
		j.keys, j.machines = append(j.keys, p.Key), append(j.machines, e.Machines[p.Architecture])
		s.Total += m.Traces[p.Trace].Summary.StoredWarpInstructions
	}
	return list, nil
}

// rotated begins with another machine, so that processes that work on one trace meet late.
func (j *job) rotated(first int) job {
	return job{
		trace: j.trace, keys: slices.Concat(j.keys[first:], j.keys[:first]), machines: slices.Concat(j.machines[first:], j.machines[:first]),
	}
}
