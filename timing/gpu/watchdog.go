// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/timing/clock"
)

// watchdog looks whether instructions issue.
type watchdog struct {
	limit  clock.Cycle
	issued uint64
	since  clock.Cycle // when issued was read
}

// content reports whether an instruction has issued in the last limit cycles
// (up to twice that, for it looks only once per limit).
func (d *watchdog) content(g *GPU) bool {
	if g.now-d.since < d.limit {
		return true
	}
	n := g.issued()
	if n == d.issued {
		return false
	}
	d.issued, d.since = n, g.now
	return true
}

// stuckLines bounds the lines of a stuck replay's description: those on warps, and
// those on the memory system, each.
const stuckLines = 40

// stuck describes a replay that does not go on: which warp waits for what, and
// what the requests of the memory system wait for, from the ports to the banks.
func (g *GPU) stuck(why string) error {
	var lines []string
	var unfinished uint64
	for _, l := range g.launches.active {
		unfinished += l.remaining
	}
	for _, s := range g.cores {
		lines = append(lines, s.Describe()...)
	}
	lines = append(firstLines(lines), firstLines(g.memory.Describe())...)
	return fmt.Errorf("the replay is stuck in cycle %d: %s (%d thread blocks have yet to end, %d requests are in flight)\n  %s",
		g.now, why, unfinished, g.memory.InFlight(), strings.Join(lines, "\n  "))
}

// firstLines gives no more than stuckLines, and says how many are left out.
func firstLines(lines []string) []string {
	if more := len(lines) - stuckLines; more > 0 {
		return append(lines[:stuckLines:stuckLines], fmt.Sprintf("and %d more", more))
	}
	return lines
}
