// SPDX-License-Identifier: Apache-2.0

package array

import (
	"runtime"
	"sync/atomic"
)

// shares are the sizes of arrays whose booking others of like size share: the most bytes of an array, and
// the bytes that close a booking. So an array that stays keeps no more than these booked, and its own bytes.
var shares = [...]struct{ array, booking uint64 }{{1 << 10, 4 << 10}, {4 << 10, 16 << 10}, {16 << 10, 64 << 10}}

// booking is memory that several arrays have booked. It is given back when none of them
// is left. To give back each array by itself costs as much as to compute a small one.
type booking struct {
	bytes *atomic.Uint64
}

// claim is what one array has booked, and where. It does not lead to the space: a space leads
// to its arrays by way of the host program's thread. A cleanup that led back would keep all of
// them until the process ends, with the memory of the device.
type claim struct {
	used  *atomic.Int64
	bytes uint64
}

// sharedClaim is that of a booking.
type sharedClaim struct {
	used  *atomic.Int64
	bytes *atomic.Uint64
}

func give(c claim)             { c.used.Add(-int64(c.bytes)) }
func giveShared(c sharedClaim) { c.used.Add(-int64(c.bytes.Load())) }

// book books the memory of an array of n elements until it is collected.
func book(a *Array, n int) *Array {
	space, size := a.space, uint64(n)*uint64(a.typ.Bytes())
	space.used.Add(int64(size))
	space.Work(uint64(n))
	for i := range shares {
		if size <= shares[i].array {
			a.bookIn(&space.shared[i], size, shares[i].booking)
			return a
		}
	}
	runtime.AddCleanup(a, give, claim{space.used, size})
	return a
}

// bookIn books bytes together with other arrays, and closes the booking that has enough.
func (a *Array) bookIn(open **booking, bytes, enough uint64) {
	b := *open
	if b == nil {
		b = &booking{bytes: new(atomic.Uint64)}
		runtime.AddCleanup(b, giveShared, sharedClaim{a.space.used, b.bytes})
		*open = b
	}
	a.booked = b
	if b.bytes.Add(bytes) >= enough {
		*open = nil
	}
}
