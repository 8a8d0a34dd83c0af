// SPDX-License-Identifier: Apache-2.0

package gpu

import "github.com/warptape/warptape/timing/clock"

// density finds out whether rounds pay on one core. What a round gains is that the host's
// caches keep a part of the machine for several cycles; what it costs is a look at every part.
// So it counts what parts have to do in a round. It looks at the replay alone and never at
// time, so that a replay executes the same instructions each time.
type density struct {
	rounds, work int
	again        clock.Cycle // before it, cycles go one by one
	wait         clock.Cycle // how long they did so last
}

const (
	// densityRounds are counted together.
	densityRounds = 64
	// leastWork is how often a part has to be called in a round. Of seven programs on gtx480, v100
	// and h100, those with more became up to 28 percent faster by rounds. With less than 3, they
	// became up to 22 percent slower.
	leastWork = 4
	// leastWait and mostWait bound the cycles that go by before rounds are tried again.
	leastWait, mostWait = 2048, 65536
)

// pays reports whether the next cycles are to be rounds.
func (d *density) pays(now clock.Cycle) bool { return now >= d.again }

// add counts a round: the parts that it has, and the calls of all parts together.
func (d *density) add(calls, parts int, now clock.Cycle) {
	d.rounds++
	d.work += calls
	if d.rounds < densityRounds {
		return
	}
	if d.work >= leastWork*parts*d.rounds {
		d.wait = 0
	} else {
		d.wait = min(max(2*d.wait, leastWait), mostWait)
		d.again = now + d.wait
	}
	d.rounds, d.work = 0, 0
}
