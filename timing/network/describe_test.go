// SPDX-License-Identifier: Apache-2.0

package network

import (
	"slices"
	"testing"
)

// Nothing takes what has arrived at output 1: its queue of two is full, and two more wait
// at the input, whose queue holds two.
func TestACrossbarSaysWhereItsPacketsWait(t *testing.T) {
	x := NewCrossbar(Config{Inputs: 2, Outputs: 2, LatencyCycles: 1, InputQueue: 2, OutputQueue: 2}, uncounted(), newEnds())
	if got := x.Describe(); len(got) > 0 {
		t.Errorf("an empty crossbar says %q", got)
	}
	for now := int64(1); now < 30; now++ {
		for x.CanSend(0) {
			x.Send(0, Packet{To: 1, Flits: 1})
		}
		x.Cycle(now)
	}
	want := []string{
		"input 0: 2 packets, the first to output 1, whose queue has all its 2 places taken",
		"output 1: 2 packets have arrived and wait to be taken",
	}
	if got := x.Describe(); !slices.Equal(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
}
