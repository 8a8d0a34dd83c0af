// SPDX-License-Identifier: Apache-2.0

package coexecution

// agents are what accesses memory by itself: the warps, and behind them the bulk copies of each
// (PTX ISA 9.7.9.25.4). Copies come behind what their warp has done and heard before. The warp, and
// others, come behind a copy when they have waited for it: at the mbarrier that it completes, or
// for its bulk group.
//
// All copies of a warp share one clock: an agent that has heard of a copy has heard of all earlier
// ones. So the checker misses races with a copy if the kernel has waited for a later one.
const agents = 2 * MaxWarps

// copies is the agent of a warp's bulk copies.
func copies(warp int) int { return MaxWarps + warp }

// clock is the last epoch of each agent that an agent or a barrier has heard of.
type clock [agents]uint32

// mbarrierClocks is what is to be heard at an mbarrier: of all that has arrived there, and of what had
// arrived when the last phase was completed.
type mbarrierClocks struct{ arrived, completed clock }

// mbarrier gives the clocks of the mbarrier whose word begins with a byte.
func (r *RaceChecker) mbarrier(word *byte) *mbarrierClocks {
	m := r.mbarriers[word]
	if m == nil {
		if r.mbarriers == nil {
			r.mbarriers = map[*byte]*mbarrierClocks{}
		}
		m = &mbarrierClocks{}
		r.mbarriers[word] = m
	}
	return m
}

// Initialise begins an mbarrier: nothing has arrived there.
func (r *RaceChecker) Initialise(word *byte) { delete(r.mbarriers, word) }

// ArriveAt tells an mbarrier what an arriving warp has done.
func (r *RaceChecker) ArriveAt(word *byte, warp int) {
	join(&r.mbarrier(word).arrived, &r.clocks[warp])
	r.clocks[warp][warp]++
}

// Complete ends a phase of an mbarrier.
func (r *RaceChecker) Complete(word *byte) {
	m := r.mbarrier(word)
	m.completed = m.arrived
}

// Hear tells a warp what was done before a phase was completed that it has waited for.
func (r *RaceChecker) Hear(word *byte, warp int) {
	join(&r.clocks[warp], &r.mbarrier(word).completed)
}

// BeginCopies begins the copies of an instruction of a warp.
func (r *RaceChecker) BeginCopies(warp int) {
	c := &r.clocks[copies(warp)]
	join(c, &r.clocks[warp])
	c[copies(warp)]++
}

// CopyArrives tells an mbarrier of the copies that a warp has begun last.
func (r *RaceChecker) CopyArrives(word *byte, warp int) {
	join(&r.mbarrier(word).arrived, &r.clocks[copies(warp)])
}

// CommitCopies ends a bulk group of a warp.
func (r *RaceChecker) CommitCopies(warp int) {
	r.groups[warp] = append(r.groups[warp], r.clocks[copies(warp)][copies(warp)])
}

// AwaitCopies tells a warp that its bulk groups have ended, except the last ones.
func (r *RaceChecker) AwaitCopies(warp, last int) {
	g := r.groups[warp]
	if len(g) <= last {
		return
	}
	own := &r.clocks[warp][copies(warp)]
	*own = max(*own, g[len(g)-1-last])
	r.groups[warp] = append(g[:0], g[len(g)-last:]...)
}
