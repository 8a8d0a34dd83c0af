// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
)

func networkOf(hop int, networkMHz, coreMHz float64) *network {
	m := new(arch.Machine)
	m.Clocks.CoreMHz = coreMHz
	n := newNetwork(&Section{NetworkMHz: networkMHz, HopCycles: hop}, m)
	return &n
}

// The communicate stage reaches the farthest member, which is as many hops away as half
// of the group, in ticks of the network, and lasts whole cycles of the SMs.
func TestTheCommunicateStageLastsToTheFarthestMember(t *testing.T) {
	for _, c := range []struct {
		size, hop int
		network   float64
		want      clock.Cycle
	}{
		{1, 3, 1400, 0},
		{2, 0, 1400, 1}, {2, 1, 1400, 1}, {2, 2, 1400, 1}, {2, 3, 1400, 2}, // one hop
		{4, 1, 1400, 1}, {4, 2, 1400, 2}, {4, 3, 1400, 3}, // two
		{8, 1, 1400, 2}, {8, 2, 1400, 4}, {8, 3, 1400, 6}, // four
		{8, 1, 700, 4}, {8, 1, 1050, 3}, {8, 3, 350, 24},
	} {
		if got := networkOf(c.hop, c.network, 700).stage(c.size); got != c.want {
			t.Errorf("%d members, hops of %d ticks at %g MHz: %d cycles at 700 MHz, want %d", c.size, c.hop, c.network, got, c.want)
		}
	}
}

// A link takes a packet a tick, and each takes the ticks of its hops.
func TestPacketsFollowEachOtherByATick(t *testing.T) {
	n := networkOf(3, 1400, 700)
	var l link
	for i, want := range []clock.Cycle{13, 14, 14, 15} { // ticks 20, 21, ... and two hops of three
		if got := l.send(n, 10, 2); got != want {
			t.Errorf("packet %d that is sent in cycle 10 is there in cycle %d, want %d", i, got, want)
		}
	}
	if got := l.send(n, 20, 2); got != 23 {
		t.Errorf("one that is sent in cycle 20 is there in cycle %d, want 23", got)
	}
	if got := new(link).send(networkOf(0, 1400, 700), 10, 2); got != 11 {
		t.Errorf("hops of no time: there in cycle %d, want the next", got)
	}
}

// A packet leaves in a cycle that has a tick for it: two at twice the SMs' clock, and one the
// cycle after those that took all ticks.
func TestALinkIsOpenInCyclesWithAFreeTick(t *testing.T) {
	n := networkOf(1, 1400, 700)
	var l link
	for packet, want := range []bool{true, true, false, false} { // packets that cycle 10 has had
		if got := l.open(n, 10); got != want {
			t.Errorf("cycle 10 behind %d packets: open %v", packet, got)
		}
		if !l.open(n, 12) || packet < 3 && !l.open(n, 11) {
			t.Errorf("cycles 11 and 12 behind %d packets: closed", packet)
		}
		l.send(n, 10, 0)
	}
}
