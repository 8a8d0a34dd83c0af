// SPDX-License-Identifier: Apache-2.0

package tlb

import (
	"fmt"
	"math/bits"
)

// addressBits of a virtual address.
const addressBits = 48

// entryBytes of a page table: one page number with its rights.
const entryBytes = 8

// PageTable is the radix page table of several address spaces over one physical
// memory. A table of it fills a page. Frames are given out in order, at first
// touch, to pages and to tables.
type PageTable struct {
	shift   uint // log2 of the page's bytes
	fanout  uint // log2 of the entries of a table
	levels  int
	frames  table // of pages, by space and number
	tables  table // frames of tables, by space and level, and number
	next    uint64
	aliased []uint32 // per frame: how many pages lie in it
}

// NewPageTable makes an empty page table. Pages are a power of two of 4 KiB to
// 2 MiB.
func NewPageTable(pageBytes int) (*PageTable, error) {
	if err := CheckPageBytes(pageBytes); err != nil {
		return nil, err
	}
	shift := uint(bits.TrailingZeros(uint(pageBytes)))
	fanout := shift - uint(bits.TrailingZeros(entryBytes))
	levels := (addressBits - int(shift) + int(fanout) - 1) / int(fanout)
	return &PageTable{shift: shift, fanout: fanout, levels: levels}, nil
}

// CheckPageBytes says why there are no pages of that size; nil when there are.
func CheckPageBytes(n int) error {
	if n < 4<<10 || n > 2<<20 || n&(n-1) != 0 {
		return fmt.Errorf("%d: pages are a power of two from 4 KiB to 2 MiB", n)
	}
	return nil
}

// Levels of tables that a walk reads.
func (p *PageTable) Levels() int { return p.levels }

// PageBytes is the size of a page.
func (p *PageTable) PageBytes() uint64 { return 1 << p.shift }

// Page is the number of the page that holds an address.
func (p *PageTable) Page(address uint64) uint64 { return address >> p.shift }

// Physical is the physical address of a virtual one whose page lies in a frame.
func (p *PageTable) Physical(frame, address uint64) uint64 {
	return frame<<p.shift | address&(1<<p.shift-1)
}

// Frames is the number of frames given out.
func (p *PageTable) Frames() uint64 { return p.next }

// fresh gives out the next frame.
func (p *PageTable) fresh() uint64 {
	p.next++
	p.aliased = append(p.aliased, 0)
	return p.next - 1
}

// Frame gives the frame of a page; one that has none gets the next.
func (p *PageTable) Frame(space uint16, page uint64) uint64 {
	if f, ok := p.frames.get(uint64(space), page); ok {
		return f
	}
	f := p.fresh()
	p.Map(space, page, f)
	return f
}

// Mapped gives the frame of a page; false for one that was never touched.
func (p *PageTable) Mapped(space uint16, page uint64) (frame uint64, ok bool) {
	return p.frames.get(uint64(space), page)
}

// Map lets a page lie in a frame, which others may lie in, too.
func (p *PageTable) Map(space uint16, page, frame uint64) {
	if before, ok := p.frames.get(uint64(space), page); ok && p.aliased[before] > 0 {
		p.aliased[before]--
	}
	p.frames.set(uint64(space), page, frame)
	p.aliased[frame]++
}

// Own gives a page a frame of its own, for a copy on write.
func (p *PageTable) Own(space uint16, page uint64) (frame uint64) {
	frame = p.fresh()
	p.Map(space, page, frame)
	return frame
}

// Shared reports whether several pages lie in a frame.
func (p *PageTable) Shared(frame uint64) bool { return p.aliased[frame] > 1 }

// Walk appends the physical addresses of the entries that a walk reads for a page,
// the root's first. Tables that do not exist are made.
func (p *PageTable) Walk(space uint16, page uint64, into []uint64) []uint64 {
	for level := p.levels - 1; level >= 0; level-- {
		number := page >> (uint(level+1) * p.fanout)
		index := page >> (uint(level) * p.fanout) & (1<<p.fanout - 1)
		key := uint64(space)<<8 | uint64(level)
		frame, ok := p.tables.get(key, number)
		if !ok {
			frame = p.fresh()
			p.tables.set(key, number, frame)
		}
		into = append(into, frame<<p.shift|index*entryBytes)
	}
	return into
}

// windowShift is where the number of a window lies in a folded address.
const windowShift = 45

// Fold brings an address of a GPU with windows in its highest four bits (what is
// not global memory) into 48 bits. Windows are numbered 0 to 7 and have 45 bits.
func Fold(address uint64) uint64 {
	return address>>60<<windowShift&(1<<addressBits-1) | address&(1<<windowShift-1)
}

// Unfold undoes Fold.
func Unfold(address uint64) uint64 {
	return address>>windowShift<<60 | address&(1<<windowShift-1)
}
