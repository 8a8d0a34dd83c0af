// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"maps"
	"slices"
	"testing"
)

// A channel says what waits at its banks: how many requests, the oldest of them, and whether the bank has a
// row open.
func TestWaitingRequestsAreDescribed(t *testing.T) {
	b := newBench(gtx480(t))
	if got := b.channel.Describe(); len(got) != 0 {
		t.Errorf("a channel with nothing to do: %q", got)
	}
	for _, r := range []Request{reads(1, 5), reads(1, 9), writes(3, 7)} {
		for !b.offer(r) {
			b.run(1)
		}
		b.run(1)
	}
	seen := map[string]bool{}
	for range 1000 {
		for _, line := range b.channel.Describe() {
			seen[line] = true
		}
		b.run(1)
	}
	for _, want := range []string{
		"bank 1: 1 requests wait, the oldest to read row 9; the bank has row 5 open",
		"bank 3: 1 requests wait, the oldest to write row 7; the bank is closed",
	} {
		if !seen[want] {
			t.Errorf("never said: %s; but %v", want, slices.Sorted(maps.Keys(seen)))
		}
	}
	if got := b.channel.Describe(); len(got) != 0 {
		t.Errorf("a channel that is done: %q", got)
	}
}
