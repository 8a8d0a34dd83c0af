// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
)

// issuer is a core that has issued some instructions.
type issuer struct {
	core.Core
	issued uint64
}

func (i *issuer) Issued() uint64 { return i.issued }

// The watchdog counts instructions once in its limit of cycles: it is content while that has not gone by, and where
// one has issued since it counted last.
func TestTheWatchdogCountsOnceInItsLimit(t *testing.T) {
	one := &issuer{}
	g := &GPU{cores: []core.Core{&issuer{issued: 7}, one}}
	d := &watchdog{limit: 100}
	for _, c := range []struct {
		now     int64
		issued  uint64
		content bool
	}{
		{99, 0, true}, {100, 0, true}, // seven have issued since the begin
		{199, 0, true}, {200, 1, true}, {299, 1, true}, {300, 1, false}, {301, 1, false}, {302, 2, true},
		{400, 2, true}, {401, 2, true}, {402, 2, false}, {5000, 3, true}, {5099, 3, true}, {5100, 3, false},
	} {
		g.now, one.issued = clock.Cycle(c.now), c.issued
		if got := d.content(g); got != c.content {
			t.Errorf("cycle %d, %d issued: content %v", c.now, 7+c.issued, got)
		}
	}
}

// A core that has room again lets every launch try in the next cycle, and not later than another reason would.
func TestRoomLetsLaunchesTryInTheNextCycle(t *testing.T) {
	for _, c := range []struct{ due, want int64 }{{50, 11}, {11, 11}, {5, 5}} {
		g := &GPU{}
		g.launches.active, g.launches.due = []*launchState{{}, {}}, clock.Cycle(c.due)
		g.RoomMade(10)
		if g.launches.due != clock.Cycle(c.want) || !g.launches.active[0].roomChanged || !g.launches.active[1].roomChanged {
			t.Errorf("due in cycle %d: due in %d, launches %v and %v", c.due, g.launches.due, g.launches.active[0].roomChanged, g.launches.active[1].roomChanged)
		}
	}
}
