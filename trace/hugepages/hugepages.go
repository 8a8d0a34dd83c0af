// SPDX-License-Identifier: Apache-2.0

// Package hugepages asks the system to back large memory by huge pages. Without them a process that fills
// 100 MB takes 25,000 faults, and each costs several times as much as to clear its page.
package hugepages

import (
	"sync"
	"unsafe"
)

const (
	// least is the size from which memory counts as large.
	least = 32 << 10
	// leastPart is the size from which one of many pieces counts. Go gives smaller ones places
	// that it has already touched.
	leastPart = 2 << 10
	// most is the size up to which memory is expected to be filled. A program may ask for all
	// of a device's memory and touch one byte in a million.
	most = 64 << 20
	// step is by how much Go's heap grows at least, and arena is within what it grows from lower
	// to higher addresses.
	step  = 4 << 20
	arena = 64 << 20
)

// asked is the range of addresses that was asked for last.
var asked struct {
	sync.Mutex
	from, to uintptr
}

// Back asks for huge pages for the memory of a slice that was just made, and returns the slice. What
// was touched already stays as it is.
func Back[T any](s []T) []T { return backFrom(s, least) }

// BackPart is Back for a slice that is small, but one of hundreds: what each cache of a GPU has.
func BackPart[T any](s []T) []T { return backFrom(s, leastPart) }

func backFrom[T any](s []T, least uintptr) []T {
	if bytes := uintptr(cap(s)) * unsafe.Sizeof(*new(T)); bytes >= least && bytes <= most {
		back(uintptr(unsafe.Pointer(unsafe.SliceData(s))), bytes)
	}
	return s
}

// back asks for whole steps: the memory around a slice belongs to the same process.
func back(at, bytes uintptr) {
	from, to := at&^(step-1), (at+bytes+step-1)&^(step-1)
	asked.Lock()
	defer asked.Unlock()
	if from >= asked.from && to <= asked.to {
		return
	}
	if next := asked.to; from >= asked.from && (from <= next || from&^(arena-1) == next&^(arena-1)) {
		from = next // what lies between is the heap's, too
	} else {
		asked.from = from
	}
	asked.to = to
	advise(from, to-from)
}
