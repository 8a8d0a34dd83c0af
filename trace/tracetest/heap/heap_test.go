// SPDX-License-Identifier: Apache-2.0

//go:build !race

package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// A small heap may grow to the floor, a large one to twice its size.
func TestAHeapGrowsToTheFloorOrToTwiceItsSize(t *testing.T) {
	for live, want := range map[uint64]int{0: most, 1: most, 1 << 20: most, 8 << 20: 1500, 16 << 20: 700, 32 << 20: 300, 64 << 20: 100, 65 << 20: 100, 1 << 40: 100} {
		if got := percent(live); got != want {
			t.Errorf("%d bytes are live, and the heap may grow by %d %%, want %d", live, got, want)
		}
	}
}

var kept []byte

// The percentage follows the heap from one collection to the next, and not after Usual.
func TestThePercentageFollowsTheHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(most))
	off = false
	afterCollection()
	for _, size := range []int{100 << 20, 16 << 20, 70 << 20, 0} {
		kept = make([]byte, size)
		settles(t, percent(uint64(size)+8<<20), percent(uint64(size)))
	}
	Usual()
	if p := percentNow(); p != usual {
		t.Errorf("%d %% after Usual", p)
	}
	for range 3 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if p := percentNow(); p != usual {
		t.Errorf("%d %% after Usual and a collection", p)
	}
}

func percentNow() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

// settles collects until the percentage lies between two.
func settles(t *testing.T, low, high int) {
	t.Helper()
	for range 1000 {
		runtime.GC()
		if p := percentNow(); p >= low && p <= high {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%d %% stay, want %d to %d", percentNow(), low, high)
}
