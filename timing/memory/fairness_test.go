// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// The slices of a partition compete for places in front of its channel. If one
// always came first, the other would starve as soon as the channel is full.
func TestSlicesOfAPartitionShareItsChannelEvenly(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", func(m *arch.Machine) { m.DRAM.ExtraCycles = 10 }))
	stride := uint64(r.m.L2.InterleaveBytes * r.m.L2.Partitions) // the next slice of the same partition
	const each = 400
	for i := range uint64(each) {
		for sm := range uint64(8) {
			n := i*8 + sm
			r.issue(int(sm), oneSector(uint32(n), n*stride))
		}
	}
	var done [2]int
	for done[0]+done[1] < 8*each/2 && r.step() {
		done = [2]int{}
		for _, s := range r.sms {
			for token := range s.completed {
				done[token%2]++
			}
		}
	}
	if done[0] > done[1]+done[1]/10 || done[1] > done[0]+done[0]/10 {
		t.Errorf("the slices have answered %d and %d reads", done[0], done[1])
	}
	r.drain()
}
