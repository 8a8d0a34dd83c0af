// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// asking is a port that asks for every third cycle, and notes when it is called.
type asking struct {
	seam.Port
	called []clock.Cycle
}

func (p *asking) Cycle(now clock.Cycle) clock.Cycle {
	p.called = append(p.called, now)
	return now + 3
}

// TestAPortIsCalledInTheCyclesThatItAskedFor: neither before nor after them.
func TestAPortIsCalledInTheCyclesThatItAskedFor(t *testing.T) {
	port := &asking{}
	s := &laneCore{port: port, portWake: 2}
	for now := range clock.Cycle(12) {
		want := 2 + (now+1)/3*3
		if next := s.AdvancePort(now); next != want {
			t.Errorf("cycle %d: the port is called in cycle %d next, want %d", now, next, want)
		}
	}
	for i, now := range port.called {
		if now != clock.Cycle(2+3*i) {
			t.Errorf("calls in the cycles %d, want 2, 5, 8 and so on", port.called)
		}
	}
}
