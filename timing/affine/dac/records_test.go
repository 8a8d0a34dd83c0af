// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// unlocks is an L1 that notes which lines are unlocked.
type unlocks struct {
	seam.LineLocker
	lines []uint64
}

func (u *unlocks) UnlockLine(address uint64) { u.lines = append(u.lines, address) }

// A record whose load has had its data from elsewhere, such as a cache in front of the
// L1, keeps its lines locked until the last early line has come. Its place is then free,
// once.
func TestARecordWaitsForTheLastOfItsEarlyLines(t *testing.T) {
	for _, early := range []int32{1, 2, 5} {
		u := &unlocks{}
		e := &engine{port: &port{locks: u}}
		i := e.records.take()
		r := &e.records.items[i]
		*r = record{pending: early, whole: true, used: true, locked: []uint64{128, 256}}
		for left := early - 1; left >= 0; left-- {
			e.arrived(uint32(i))
			want := []uint64(nil)
			if left == 0 {
				want = []uint64{128, 256}
			}
			if !slices.Equal(u.lines, want) {
				t.Fatalf("%d of %d early lines are still on their way: %d are unlocked, want %d", left, early, u.lines, want)
			}
		}
		if n := e.records.used(); n != 0 {
			t.Errorf("%d records are in use behind the last of %d lines", n, early)
		}
	}
}

// Half words of a line that are accessed are counted from where the transaction begins.
func TestHalfWordsOfALine(t *testing.T) {
	for _, at := range []uint64{0, 32, 64, 96} {
		x := &coalesce.Transaction{Line: 1<<20 + at, Bytes: cache.Range(int(at), 128-int(at))}
		if got, want := halfWords(x), ^uint64(0)>>(at/2); got != want {
			t.Errorf("all bytes behind %d: half words %#x, want %#x", at, got, want)
		}
	}
	x := &coalesce.Transaction{Line: 1 << 20, Bytes: cache.Range(125, 3).Or(cache.Range(2, 1))}
	if got, want := halfWords(x), uint64(3<<62|2); got != want {
		t.Errorf("half words %#x, want %#x", got, want)
	}
}

// A warp that is left with a part of the guarded instructions takes their guards from the
// recorded ones, visit by visit.
func TestGuardsOfWhatRemainsAreThoseThatWereRecorded(t *testing.T) {
	r := &remaining{
		kernel: &compiled{blocks: []blockParts{{guards: 3, keptGuards: []uint32{1}}, {guards: 2}, {guards: 2, keptGuards: []uint32{0, 1}}}},
		path:   trace.Warp{Blocks: []uint32{0, 1, 2, 0, 2}, Guards: []uint32{10, 11, 12, 20, 21, 30, 31, 40, 41, 42, 50, 51}},
	}
	for i, want := range []uint32{11, 30, 31, 41, 50, 51} {
		if got := r.Guard(); got != want {
			t.Errorf("guard %d is %d, want %d", i, got, want)
		}
	}
}
