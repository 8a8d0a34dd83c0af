// SPDX-License-Identifier: Apache-2.0

package array

import (
	"runtime"
	"sync/atomic"
)

const (
	// smallBytes is the most that an array has whose booking others share.
	smallBytes = 1 << 10
	// sharedBytes closes a shared booking. So an array that stays keeps no more than this
	// booked, and its own bytes.
	sharedBytes = 4 << 10
)

// booking is memory that several small arrays have booked. It is given back when none of them
// is left. To give back each array by itself costs as much as to compute it.
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
	if size > smallBytes {
		runtime.AddCleanup(a, give, claim{space.used, size})
		return a
	}
	b := space.small
	if b == nil {
		b = &booking{bytes: new(atomic.Uint64)}
		runtime.AddCleanup(b, giveShared, sharedClaim{space.used, b.bytes})
		space.small = b
	}
	a.booked = b
	if b.bytes.Add(size) >= sharedBytes {
		space.small = nil
	}
	return a
}
