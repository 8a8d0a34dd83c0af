// SPDX-License-Identifier: Apache-2.0

package sample

// What "auto" goes by; chosen on the catalogue, see docs/sampling.md.
const (
	// AutoLeast warp instructions are replayed in seconds: programs with fewer are
	// stored whole by the policy "auto".
	AutoLeast = 2_000_000
	// autoMost is the part of the program from which on runs save too little to be worth
	// an estimate.
	autoMost = 0.6
)

// resolve is the policy that "auto" comes to: everything of a short program, and of one
// where runs of thread blocks would store most. Else it is these runs: a few of many waves,
// or at least a few waves.
func (p *Profile) resolve() Policy {
	runs, everything := p.policy, p.policy
	runs.Kind, everything.Kind = "fraction", "fraction"
	everything.Fraction, everything.Launches = 1, 1
	if p.instructions() < AutoLeast || p.policy.everything() || p.stores(runs) > autoMost {
		return everything
	}
	return runs
}

func (p *Profile) instructions() float64 {
	sum := 0.0
	for i := range p.launches {
		sum += p.launches[i].total[elementInstruction]
	}
	return sum
}

// stores is the part of the program's warp instructions that a policy stores, which differs from the profile's in
// its kind alone.
func (p *Profile) stores(policy Policy) float64 {
	stored, all := 0.0, 0.0
	for i, representative := range p.chooseLaunches() {
		l := &p.launches[i]
		all += l.total[elementInstruction]
		if representative != i {
			continue
		}
		blocks := uint64(0)
		for _, run := range policy.choose(i, l.grid, p.least(l), p.fill(l)).runs {
			blocks += run.Blocks
		}
		stored += l.total[elementInstruction] * float64(blocks) / float64(l.grid)
	}
	if all == 0 {
		return 1
	}
	return stored / all
}
