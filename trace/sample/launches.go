// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math"

	"github.com/warptape/warptape/trace"
)

// shape is what launches that can stand for each other share besides their work.
type shape struct {
	kernel int
	block  trace.Dim3
	shared uint32
}

const (
	// launchTolerance is the greatest difference of two launches of a cluster in any
	// measure of their work.
	launchTolerance = 0.1
	// maxLaunchClusters bounds the work of clustering: what is not like one of so
	// many launches of its shape stands for itself.
	maxLaunchClusters = 256
	// sameTolerance is the greatest difference of launches that do the same thing
	// again: one stands for all.
	sameTolerance = 0.01
	// leastRepresentatives of a cluster of others are stored in any case.
	leastRepresentatives = 2
	// leftoverCaches is the number of times that the data of a launch may fill the last
	// cache and still be found there in part.
	leftoverCaches = 4
	// heldLines is more than the last cache of any GPU holds (64 MiB). What a launch of
	// so much data finds there is the same whether the data are new or not.
	heldLines = 64 << 20 / lineBytes
)

// chooseLaunches gives the representative of every launch. Launches of one kernel
// and block size that do alike are a cluster. The launches of a cluster, in the
// order of time, are cut into as many parts as may be stored. The middle one of
// each part stands for the part.
func (p *Profile) chooseLaunches() []int {
	representative := make([]int, len(p.launches))
	for i := range representative {
		representative[i] = i
	}
	if p.policy.Launches == 1 {
		return representative
	}
	var order []shape
	members := map[shape][]int{}
	for i := p.cold(); i < len(p.launches); i++ {
		l := &p.launches[i].launch
		s := shape{l.Kernel, l.Block, l.DynamicSharedBytes}
		if members[s] == nil {
			order = append(order, s)
		}
		members[s] = append(members[s], i)
	}
	for _, s := range order {
		for _, cluster := range p.alike(members[s]) {
			p.represent(cluster, representative)
		}
	}
	p.keepPredecessors(representative)
	return representative
}

// keepPredecessors stores the launch before each one that stands for others and finds
// in the last cache what that has left there. After another launch it would find less.
func (p *Profile) keepPredecessors(representative []int) {
	standsForOthers := make([]bool, len(representative))
	for i, r := range representative {
		if r != i {
			standsForOthers[r] = true
		}
	}
	for i := 1; i < len(representative); i++ {
		if before := i - 1; standsForOthers[i] && p.findsLeftovers(&p.launches[i]) && representative[before] != before {
			representative[before] = before
		}
	}
}

// findsLeftovers reports whether the last cache may hold what a launch needs when it
// begins: data that are not new, and not so many that they drive each other out.
func (p *Profile) findsLeftovers(l *launchProfile) bool {
	return l.fresh < l.lines/2 && l.lines*lineBytes < leftoverCaches*float64(p.policy.For.CacheBytes)
}

// cold is the number of launches at the beginning of the program that find a last
// cache which others have yet to fill. Nothing is written back for what they bring in:
// they stand for themselves alone. A program whose data fit the cache has none.
func (p *Profile) cold() int {
	cache := float64(p.policy.For.CacheBytes) / lineBytes
	data := 0.0
	for i := range p.launches {
		data += p.launches[i].fresh
	}
	if data <= cache {
		return 0
	}
	touched := 0.0
	for i := range p.launches {
		if touched >= cache {
			return i
		}
		touched += p.launches[i].lines
	}
	return len(p.launches)
}

// alike divides launches into clusters: each launch joins the cluster whose first
// launch is nearest, if that is within the tolerance, or begins one.
func (p *Profile) alike(launches []int) [][]int {
	var clusters [][]int
	for _, n := range launches {
		best, least := -1, launchTolerance
		for c := range clusters[:min(len(clusters), maxLaunchClusters)] {
			if d := difference(&p.launches[clusters[c][0]], &p.launches[n]); d <= least {
				best, least = c, d
			}
		}
		if best < 0 {
			clusters = append(clusters, []int{n})
			continue
		}
		clusters[best] = append(clusters[best], n)
	}
	return clusters
}

// represent chooses the representatives of a cluster.
func (p *Profile) represent(cluster, representative []int) {
	parts := max(leastRepresentatives, int(math.Ceil(p.policy.Launches*float64(len(cluster)))))
	parts = min(parts, len(cluster))
	if p.same(cluster) {
		parts = 1
	}
	for part := range parts {
		from, to := len(cluster)*part/parts, len(cluster)*(part+1)/parts
		middle := cluster[(from+to)/2]
		for _, n := range cluster[from:to] {
			representative[n] = middle
		}
	}
}

// same reports whether all launches of a cluster do the same thing again.
func (p *Profile) same(cluster []int) bool {
	first := &p.launches[cluster[0]]
	for _, n := range cluster[1:] {
		if difference(first, &p.launches[n]) > sameTolerance {
			return false
		}
	}
	return true
}

// difference is the greatest relative difference between two launches, in the shares
// of basic blocks, in what memory instructions do, and in the amount of work and of
// data. It also looks at how much of the data is new, where a last cache could hold
// it.
func difference(a, b *launchProfile) float64 {
	most := relative(float64(a.grid), float64(b.grid), 0)
	instructions := max(a.total[elementInstruction], b.total[elementInstruction])
	for e := range a.total {
		least := 0.0
		if e < signatureVisits || e == elementLanes || e == elementMemory {
			least = instructions
		}
		most = max(most, relative(a.total[e], b.total[e], least))
	}
	most = max(most, relative(a.lines, b.lines, 0))
	if min(a.lines, b.lines) > heldLines {
		return most
	}
	return max(most, relative(a.fresh, b.fresh, max(a.lines, b.lines)))
}

// relative is the difference of two amounts, relative to the greater one or to
// what is given, if that is more.
func relative(a, b, to float64) float64 {
	if to = max(a, b, to); to == 0 {
		return 0
	}
	return math.Abs(a-b) / to
}
