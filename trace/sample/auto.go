package sample

import "github.com/warptape/warptape/trace"

// What "auto" goes by; chosen on the catalogue, see docs/sampling.md.
const (
	// autoLeast warp instructions are replayed in seconds: programs with fewer are
	// stored whole.
	autoLeast = 2_000_000
	// autoEnough is how many times the fraction that is asked for runs of thread
	// blocks may store.
	autoEnough = 5
	// autoMost is the part of the program from which on runs save too little to be worth
	// an estimate.
	autoMost = 0.6
	// autoSliceFraction is how many times that fraction is stored of a slice.
	autoSliceFraction = 20
	// autoAtomics is the number of lanes with a global atomic per warp instruction and
	// SM from which on slices would miss what the others do to the same addresses. All
	// may be at one address, of which an L2 takes one in four cycles. An SM issues four
	// warp instructions a cycle at most, so that atomics take a tenth of the time.
	autoAtomics = 0.1 / 4 / 4
	// autoMisses is the number of misses per warp instruction that a slice's share of
	// the last cache may have at any rate: fewer do not fill a GPU's bandwidth.
	// autoMissRatio is the number that it may have if they are more, as a multiple of
	// the machine's.
	autoMisses    = 0.05
	autoMissRatio = 1.1
)

// resolve is the policy that "auto" comes to: everything of a short program; runs
// of thread blocks where these are few of many; else a slice of the machine if the
// program does on a slice what it does on a machine; else runs, however many.
func (p *Profile) resolve() Policy {
	runs, slice, everything := p.policy, p.policy, p.policy
	runs.Kind, slice.Kind, everything.Kind = "fraction", "sms", "fraction"
	everything.Fraction, everything.Launches = 1, 1
	slice.Kept, slice.All = 1, uint32(max(p.policy.For.Parts, 1))
	slice.Fraction = min(1, autoSliceFraction*p.policy.Fraction)
	// Slices are for programs of few waves, however long these are.
	all := runs
	all.FewWaves = 0
	stored := p.stores(all)
	switch {
	case p.instructions() < autoLeast || p.policy.everything():
		return everything
	case stored > autoEnough*p.policy.Fraction && p.slices() && p.stores(slice) < stored:
		return slice
	case p.stores(runs) > autoMost:
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

// slices reports whether the machine has slices and the program can be expected to do
// on one what it does on the machine: launches follow each other, thread blocks seldom meet in atomics,
// and data that they share are not lost to the smaller cache.
func (p *Profile) slices() bool {
	if p.policy.For.Parts == 0 {
		return false
	}
	var atomics, misses, sliceMisses float64
	for i := range p.launches {
		l := &p.launches[i]
		if l.launch.Stream != p.launches[0].launch.Stream {
			return false
		}
		atomics, misses, sliceMisses = atomics+l.atomics, misses+l.misses, sliceMisses+l.sliceMisses
	}
	instructions := p.instructions()
	return atomics*float64(p.policy.For.SMs) <= autoAtomics*instructions &&
		(sliceMisses <= autoMisses*instructions || sliceMisses <= autoMissRatio*misses)
}

// stores is the part of the program's warp instructions that a policy stores.
func (p *Profile) stores(policy Policy) float64 {
	q := *p
	q.policy = policy
	stored, all := 0.0, 0.0
	for i, representative := range q.chooseLaunches() {
		l := &q.launches[i]
		all += l.total[elementInstruction]
		if representative != i {
			continue
		}
		blocks := uint64(0)
		for _, run := range policy.choose(i, l.grid, q.least(l), q.fill(l)).runs {
			blocks += run.Blocks
		}
		stored += l.total[elementInstruction] * float64(blocks) / float64(l.grid)
	}
	if all == 0 {
		return 1
	}
	return stored / all
}

// globalAtomics counts the atomics of each basic block that are not in shared memory.
func globalAtomics(k *trace.Kernel) []float64 {
	counts := make([]float64, len(k.Blocks))
	for b := range k.Blocks {
		first := k.Blocks[b].First
		for _, i := range k.Instructions[first : first+k.Blocks[b].Count] {
			if i.Class == trace.ClassAtomic && i.Space != trace.SpaceShared {
				counts[b]++
			}
		}
	}
	return counts
}
