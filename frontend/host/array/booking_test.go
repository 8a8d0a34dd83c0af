// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"go.starlark.net/starlark"
)

// settles waits for collections to give back all but some bytes.
func settles(space *Space, below int64) bool {
	for range 100 {
		runtime.GC()
		if space.used.Load() <= below {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

func TestSmallArraysAreBookedUntilTheyAreCollected(t *testing.T) {
	const arrays = 5000
	for class, elements := range []int{25, 512, 4096} {
		space := NewSpace(1 << 30)
		kept := make([]*Array, arrays)
		for i := range kept {
			a, err := New(space, F32, elements)
			if err != nil {
				t.Fatal(err)
			}
			kept[i] = a
		}
		bytes := int64(arrays * elements * 4)
		if settles(space, bytes-1) {
			t.Errorf("%d bytes booked, %d are held", space.used.Load(), bytes)
		}
		if got := space.used.Load(); got != bytes {
			t.Errorf("%d bytes booked, want %d", got, bytes)
		}
		for i := range kept {
			if i%1000 != 0 {
				kept[i] = nil
			}
		}
		s := &shares[class]
		if limit := int64(5 * (s.booking + s.array)); !settles(space, limit+int64(s.booking)) {
			t.Errorf("%d bytes stay booked for 5 arrays of %d elements", space.used.Load(), elements)
		}
		runtime.KeepAlive(kept)
	}
}

func TestSmallArraysReachTheLimit(t *testing.T) {
	space := NewSpace(1 << 20)
	var kept []*Array
	for range 1 << 20 {
		a, err := New(space, U8, 1000)
		if err != nil {
			if got := len(kept); got != 1<<20/1000 {
				t.Errorf("%d arrays of 1000 bytes fit into 1 MiB", got)
			}
			return
		}
		kept = append(kept, a)
	}
	t.Error("no limit")
}

// A space leads to its host program's thread, and by it to the memory of the device. All of
// it goes when the last array has gone, whatever is still booked.
func TestASpaceGoesWithItsArrays(t *testing.T) {
	var gone atomic.Int64
	const spaces = 20
	for range spaces {
		space := NewSpace(1 << 30)
		thread := &starlark.Thread{}
		space.Attach(thread)
		runtime.AddCleanup(thread, func(n *atomic.Int64) { n.Add(1) }, &gone)
		for _, elements := range []int{3, 25, 4000} { // one shares a booking, one has its own
			a, err := New(space, F32, elements)
			if err != nil {
				t.Fatal(err)
			}
			thread.SetLocal(fmt.Sprint(elements), a)
		}
	}
	for range 100 {
		runtime.GC()
		if gone.Load() == spaces {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d of %d threads are gone", gone.Load(), spaces)
}
