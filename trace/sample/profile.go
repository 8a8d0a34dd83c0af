// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math/bits"

	"github.com/warptape/warptape/trace"
)

// Profile is what the first of two runs leaves: a signature of each launch and of
// each group of its thread blocks. It takes the methods of a recording and keeps
// 160 bytes per group; groups grow so that a program has at most about maxGroups.
type Profile struct {
	policy    Policy
	kernels   []*trace.Kernel
	launches  []launchProfile
	kernel    *trace.Kernel
	block     signature
	number    uint64 // of the present thread block
	groups    int
	footprint footprint
	events    int
	choices   []choice
}

type launchProfile struct {
	launch trace.Launch
	grid   uint64
	total  signature
	// lines is the number of 128-byte lines that the launch touches, fresh that of
	// those which none before it has touched; estimates.
	lines, fresh float64
	// squares is the sum of the squares of the thread blocks' warp instructions.
	squares     float64
	groupBlocks uint64
	groups      []signature // sums
}

const (
	firstGroupBlocks = 16
	maxLaunchGroups  = 4096
	maxGroups        = 1 << 18
)

// NewProfile makes an empty profile for a policy.
func NewProfile(p Policy) *Profile { return &Profile{policy: p, footprint: newFootprint()} }

// UpdateHeader does nothing: a profile has no header.
func (p *Profile) UpdateHeader(func(*trace.Header)) {}

// AddKernel notes a kernel.
func (p *Profile) AddKernel(k *trace.Kernel) (int, error) {
	p.kernels = append(p.kernels, k)
	return len(p.kernels) - 1, nil
}

// AddEvent counts an event.
func (p *Profile) AddEvent(trace.HostEvent) (int, error) {
	p.events++
	return p.events - 1, nil
}

// BeginLaunch starts the signature of a launch.
func (p *Profile) BeginLaunch(l trace.Launch, _ ...int) (int, error) {
	p.events++
	p.kernel = p.kernels[l.Kernel]
	grid := l.Grid.Count()
	n := launchProfile{launch: l, grid: grid, groupBlocks: firstGroupBlocks}
	limit := uint64(max(1, min(maxLaunchGroups, maxGroups-p.groups)))
	for (grid+n.groupBlocks-1)/n.groupBlocks > limit {
		n.groupBlocks *= 2
	}
	if p.policy.Kind == "stratified" {
		n.groups = make([]signature, (grid+n.groupBlocks-1)/n.groupBlocks)
		p.groups += len(n.groups)
	}
	p.launches = append(p.launches, n)
	return len(p.launches) - 1, nil
}

// BeginBlock starts the signature of a thread block.
func (p *Profile) BeginBlock(block uint64) {
	p.block, p.number = signature{}, block
}

// Visit counts a visit of a basic block.
func (p *Profile) Visit(_ int, block, mask uint32) {
	if int(block) < len(p.kernel.Blocks) {
		p.block.visit(block, p.kernel.Blocks[block].Count, mask)
	}
}

// Guard does nothing.
func (p *Profile) Guard(int, uint32) {}

// Access counts a memory access.
func (p *Profile) Access(_ int, mask uint32, addresses *[trace.WarpSize]uint64) {
	lines, distinct := scattered(mask, addresses)
	p.block.access(lines, distinct)
	for ; mask != 0; mask &= mask - 1 {
		p.footprint.touch(addresses[bits.TrailingZeros32(mask)])
	}
}

// AccessStrided counts a memory access.
func (p *Profile) AccessStrided(_ int, mask uint32, base uint64, stride int64) {
	if mask == 0 {
		p.block.access(0, 0)
		return
	}
	distinct := bits.OnesCount32(mask)
	if stride == 0 {
		distinct = 1
	}
	p.block.access(stridedLines(mask, stride), distinct)
	p.footprint.touchStrided(mask, base, stride)
}

// EndBlock adds the thread block to its group and its launch.
func (p *Profile) EndBlock() error {
	l := &p.launches[len(p.launches)-1]
	l.total.add(&p.block)
	l.squares += float64(p.block[elementInstruction] * p.block[elementInstruction])
	if l.groups != nil {
		l.groups[p.number/l.groupBlocks].add(&p.block)
	}
	return nil
}

// EndLaunch ends the signature of the launch.
func (p *Profile) EndLaunch() error {
	l := &p.launches[len(p.launches)-1]
	l.lines, l.fresh = p.footprint.take()
	return nil
}

// Choose decides what is stored, once the run is over.
func (p *Profile) Choose() {
	if p.policy.Kind == "auto" {
		p.policy = p.resolve()
	}
	representatives := p.chooseLaunches()
	p.choices = make([]choice, len(p.launches))
	for i := range p.launches {
		l := &p.launches[i]
		switch {
		case representatives[i] != i:
			p.choices[i] = choice{representative: representatives[i]}
		case p.policy.Kind == "stratified":
			p.choices[i] = p.stratify(i, l)
		default:
			p.choices[i] = p.policy.choose(i, l.grid, p.least(l), p.fill(l))
		}
	}
}

// Policy is the policy by which the launches are chosen, after Choose: that which
// "auto" came to.
func (p *Profile) Policy() Policy { return p.policy }

// fill is the number of thread blocks of a launch that fill a machine.
func (p *Profile) fill(l *launchProfile) uint64 {
	return p.policy.For.Holds(p.kernels[l.launch.Kernel], &l.launch)
}

// least is the number of thread blocks of a launch that are stored in any case.
func (p *Profile) least(l *launchProfile) uint64 {
	k := p.kernels[l.launch.Kernel]
	least := p.policy.fewest(k, &l.launch)
	perBlock := l.total[elementInstruction] / float64(l.grid)
	if perBlock <= 0 {
		return least
	}
	doing := func(work float64) uint64 { return uint64(min(work/perBlock, float64(l.grid))) }
	if p.policy.FewWaves > 0 && l.alike() {
		few := fills(p.policy.FewWaves, p.policy.For.Holds(k, &l.launch), l.grid)
		least = min(least, max(few, doing(fewWavesWork*float64(p.policy.Work))))
	}
	return max(least, doing(float64(p.policy.Work)), p.filling(l))
}

// filling is the number of thread blocks of a launch that fill the last cache, and
// then show how the machine behaves with a full one. Until it is full, what will be
// written to DRAM gathers in it. Launches of few data per warp instruction do not care.
func (p *Profile) filling(l *launchProfile) uint64 {
	if p.policy.Waves == 0 || p.policy.For.CacheBytes == 0 || l.lines*lineBytes < streamingBytes*l.total[elementInstruction] {
		return 0
	}
	grid := float64(l.grid)
	fill := float64(grid * min(1, float64(p.policy.For.CacheBytes)/(l.lines*lineBytes)))
	return uint64(min(grid, fill+max(fill, float64(fullFills*float64(p.fill(l))))))
}

const (
	// fullFills is the least number of fills of the machine that are stored of a launch
	// that streams behind those that fill the last cache. It is two until queues have
	// settled, and six to measure. As much as fills the cache is measured in any case.
	fullFills = 8
	// streamingBytes of new data per warp instruction are what DRAM can bound: a GPU has
	// one to fifteen per warp instruction that it could issue.
	streamingBytes = 2
	// fewWavesWork is how many times Policy.Work a launch's few waves have.
	fewWavesWork = 4
	// alikeSpread is the greatest standard deviation of the warp instructions of
	// thread blocks that do alike, as a part of their mean.
	alikeSpread = 0.1
)

// alike reports whether the thread blocks of the launch have about as many warp
// instructions each.
func (l *launchProfile) alike() bool {
	mean := l.total[elementInstruction] / float64(l.grid)
	variance := l.squares/float64(l.grid) - float64(mean*mean)
	return variance <= alikeSpread*alikeSpread*mean*mean
}
