// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/tlb"
	"github.com/warptape/warptape/trace"
)

// The address spaces: of what belongs to SMs, of the traced process, and of the
// first of other processes.
const (
	spaceSM uint16 = iota
	spaceProcess
	firstOther
)

// layout places the buffers of the trace in the address space of the process, each
// from the start of a page on. Recorded buffers lie closer, and could not share
// pages with the host's arrays. Recorded addresses in no buffer stay.
type layout struct {
	page    uint64
	next    uint64   // free from here on
	regions []region // by recorded address, which do not overlap
	placed  []region // the same by placed address
	last    int      // region found last
}

// region is a buffer.
type region struct{ recorded, bytes, placed uint64 }

// layoutBase is where placed buffers begin, above recorded device addresses, and
// layoutEnd where the address space of the process ends.
const (
	layoutBase = uint64(1) << 41
	layoutEnd  = uint64(1) << 47
)

func newLayout(pageBytes int) layout { return layout{page: uint64(pageBytes), next: layoutBase} }

// add places a buffer. What is recorded at the same place, at another time, lies
// there with it. The error is that of a trace whose buffers fit in no address space.
func (l *layout) add(recorded, bytes uint64) error {
	if bytes == 0 {
		return nil
	}
	end := recorded + bytes
	l.regions = slices.DeleteFunc(l.regions, func(o region) bool {
		if o.recorded >= end || recorded >= o.recorded+o.bytes {
			return false
		}
		recorded, end = min(recorded, o.recorded), max(end, o.recorded+o.bytes)
		return true
	})
	bytes = end - recorded
	if end < recorded || bytes > layoutEnd-l.next-l.page {
		return fmt.Errorf("a buffer of %d bytes at %#x does not fit into an address space of 47 bits; the trace is damaged", bytes, recorded)
	}
	r := region{recorded, bytes, l.next}
	l.next += (bytes + l.page - 1) / l.page * l.page
	at, _ := slices.BinarySearchFunc(l.regions, recorded, func(o region, a uint64) int { return cmp.Compare(o.recorded, a) })
	l.regions = slices.Insert(l.regions, at, r)
	l.placed = append(l.placed, r)
	return nil
}

// place gives the space and the virtual address of an address beyond the L2,
// without the bits of a kernel.
func (l *layout) place(address uint64) (space uint16, virtual uint64) {
	if address>>60 != 0 {
		return spaceSM, tlb.Fold(address)
	}
	if l.last < len(l.regions) {
		if r := &l.regions[l.last]; address-r.recorded < r.bytes {
			return spaceProcess, r.placed + (address - r.recorded)
		}
	}
	low, high := 0, len(l.regions)
	for low < high {
		if mid := (low + high) / 2; l.regions[mid].recorded <= address {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low > 0 {
		if r := &l.regions[low-1]; address-r.recorded < r.bytes {
			l.last = low - 1
			return spaceProcess, r.placed + (address - r.recorded)
		}
	}
	return spaceProcess, address & (layoutEnd - 1)
}

// recorded gives the recorded addresses that lie in a page: those of the buffer
// that it belongs to, or of the windows of SMs; first > last: none.
func (l *layout) recorded(space uint16, page uint64) (first, last uint64) {
	start := page * l.page
	end := start + l.page - 1
	if space == spaceSM {
		return tlb.Unfold(start), tlb.Unfold(end)
	}
	i, _ := slices.BinarySearchFunc(l.placed, start, func(r region, a uint64) int {
		if r.placed <= a {
			return -1
		}
		return 1
	})
	if i > 0 {
		if r := &l.placed[i-1]; start-r.placed < r.bytes {
			from := r.recorded + (start - r.placed)
			return from, min(from+l.page, r.recorded+r.bytes) - 1
		}
	}
	return start, end
}

// placeBuffers places what the host allocates for itself and on the device.
func (l *layout) placeBuffers(events []trace.HostEvent) error {
	for i := range events {
		e := &events[i]
		var err error
		switch e.Kind {
		case trace.EventAllocate:
			err = l.add(e.Address, e.Bytes)
		case trace.EventHostAllocate:
			err = l.add(e.HostAddress, e.Bytes)
		}
		if err != nil {
			return fmt.Errorf("event %d of the host timeline: %w", i, err)
		}
	}
	return nil
}
