// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// The bus of the simple model is busy as long as its bytes take, whatever lies between them. At 27.2 GB/s and 850 MHz
// that is a cycle for 32 bytes.
func TestTheSimpleBusIsBusyForItsBytes(t *testing.T) {
	b := newBench(&arch.DRAM{Model: "simple", Queue: 64, AccessNanoseconds: 50, GigabytesPerSecond: 27.2})
	for id := range uint32(10) {
		b.offer(Request{Bytes: 64, ID: id})
	}
	b.run(200)
	for range 5 {
		b.offer(Request{Bytes: 128, Write: true})
	}
	b.run(200)
	b.offer(Request{Bytes: 32, ID: 20})
	b.run(200)
	var want counters.Set
	want[counters.DRAMRead], want[counters.DRAMReadBytes], want[counters.DRAMWrite], want[counters.DRAMWriteBytes] = 11, 10*64+32, 5, 5*128
	want[counters.DRAMBusCycles] = (10*64 + 5*128 + 32) / 32
	for _, id := range []counters.ID{counters.DRAMRead, counters.DRAMReadBytes, counters.DRAMWrite, counters.DRAMWriteBytes, counters.DRAMBusCycles} {
		if b.counts[id] != want[id] {
			t.Errorf("%s is %d, want %d", counters.Declared(id).Name, b.counts[id], want[id])
		}
	}
}
