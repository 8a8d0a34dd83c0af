// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWritesWaitUntilEnoughDo: with reads to serve, no write is before there are
// write_high, and then all down to write_low.
func TestWritesWaitUntilEnoughDo(t *testing.T) {
	d := gtx480(t)
	d.Refresh, d.Writes, d.WriteHigh, d.WriteLow = "none", "drain", 4, 1
	for writes, want := range map[int][]command{
		3: {readBurst, readBurst, readBurst, writeBurst, writeBurst, writeBurst},
		4: {writeBurst, writeBurst, writeBurst, readBurst, readBurst, readBurst, writeBurst},
	} {
		b := newBench(d)
		channel := b.channel.(*Banked)
		var got []command
		channel.observe = func(_ int64, c command, _ int32, _ int64) {
			if c == readBurst || c == writeBurst {
				got = append(got, c)
			}
		}
		for id := range uint32(3 + writes) {
			channel.enqueue(&Request{Row: 1, Bank: int32(id % 2), Bytes: 64, Write: id >= 3, ID: id})
		}
		b.runUntilIdle(t)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d writes: %s", writes, diff)
		}
	}
}

// TestDrainingTurnsTheBusLessOften is what the policy is for.
func TestDrainingTurnsTheBusLessOften(t *testing.T) {
	turns := func(policy string) int {
		d := gtx480(t)
		d.Refresh, d.Writes = "none", policy
		b := newBench(d)
		n, last := 0, readBurst
		b.channel.(*Banked).observe = func(_ int64, c command, _ int32, _ int64) {
			if (c == readBurst || c == writeBurst) && c != last {
				n, last = n+1, c
			}
		}
		for id := range uint32(2000) {
			for !b.offer(Request{Row: int64(id / 256), Bank: int32(id / 2 % 16), Bytes: 64, Write: id%2 == 1, ID: id}) {
				b.run(1)
			}
			b.run(3)
		}
		b.runUntilIdle(t)
		return n
	}
	if mixed, drained := turns("mixed"), turns("drain"); drained*2 > mixed {
		t.Errorf("the bus turns %d times mixed, %d times drained", mixed, drained)
	}
}
