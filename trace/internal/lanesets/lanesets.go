// SPDX-License-Identifier: Apache-2.0

// Package lanesets keeps the lane addresses of irregular accesses in few bytes. A set has
// the distance of each lane from the lowest address, in as many bytes as the greatest of
// them needs. Accesses at another base share it.
package lanesets

import (
	"encoding/binary"
	"math/bits"
)

const lanes = 32

// Sets is a list of sets in pages: it grows without copying what it has. Several
// goroutines may read it while none adds to it.
type Sets struct {
	pages []*page
	used  int // pages that have sets
	next  int // bytes taken of the last of them
	count int
}

// A set lies in one page: the lanes it has (4 bytes, little-endian), how far distances are
// shifted (1 byte), the bytes of a distance (1 byte), and the distances.
const (
	pageBits    = 14
	pageBytes   = 1 << pageBits
	headerBytes = 6
	loadBytes   = 8 // what a distance is read with
	// MaxBytes is what a set takes at most.
	MaxBytes = headerBytes + lanes*8
	// PageSets is how many sets a page has at least.
	PageSets = (pageBytes - loadBytes) / MaxBytes
)

type page [pageBytes]byte

// Reset forgets the sets and keeps the memory.
func (s *Sets) Reset() { s.used, s.next, s.count = 0, 0, 0 }

// Count is the number of sets.
func (s *Sets) Count() int { return s.count }

// Bytes is the memory of the sets.
func (s *Sets) Bytes() int64 { return int64(s.used) * pageBytes }

// Add adds the set of the lanes in mask, which is not empty: the address of a lane is a base
// and units<<shift, modulo 2^64. Place and Lane take where the set is, and the address of a
// lane whose units are lowest.
func (s *Sets) Add(mask uint32, shift uint8, units *[lanes]uint64) (lowest uint64, at int32) {
	lowest = units[bits.TrailingZeros32(mask)&31]
	greatest := lowest
	for m := mask; m != 0; m &= m - 1 {
		u := units[bits.TrailingZeros32(m)&31]
		lowest, greatest = min(lowest, u), max(greatest, u)
	}
	width := (bits.Len64(greatest-lowest) + 7) / 8
	p, start := s.room(headerBytes + width*bits.OnesCount32(mask))
	binary.LittleEndian.PutUint32(p[start:], mask)
	p[start+4], p[start+5] = shift, uint8(width)
	to := start + headerBytes
	for m := mask; m != 0; m &= m - 1 {
		binary.LittleEndian.PutUint64(p[to:], units[bits.TrailingZeros32(m)&31]-lowest)
		to += width
	}
	return lowest, int32((s.used-1)<<pageBits | start)
}

// room takes bytes of a page behind which there is room for a load.
func (s *Sets) room(n int) (p *page, start int) {
	if s.used == 0 || s.next+n+loadBytes > pageBytes {
		if s.used == len(s.pages) {
			s.pages = append(s.pages, new(page))
		}
		s.used, s.next = s.used+1, 0
	}
	start = s.next
	s.next += n
	s.count++
	return s.pages[s.used-1], start
}

// Place writes the addresses of the lanes of a set, zero for others.
func (s *Sets) Place(at int32, base uint64, out *[lanes]uint64) {
	p, from := s.pages[at>>pageBits], int(at&(pageBytes-1))
	mask, shift, width := binary.LittleEndian.Uint32(p[from:]), p[from+4]&63, int(p[from+5])
	from += headerBytes
	bytes := widthMask(width)
	if mask == 1<<lanes-1 {
		placeAll(p[from:], width, shift, base, out)
		return
	}
	*out = [lanes]uint64{}
	for ; mask != 0; mask &= mask - 1 {
		out[bits.TrailingZeros32(mask)&31] = base + binary.LittleEndian.Uint64(p[from:])&bytes<<shift
		from += width
	}
}

// placeAll is Place for a set of all lanes. Distances of one and of two bytes, those of tiles
// and rows, are most of what a replay asks for: they have loops of their own.
func placeAll(from []byte, width int, shift uint8, base uint64, out *[lanes]uint64) {
	switch width {
	case 1:
		q := (*[lanes]byte)(from)
		for l := 0; l < lanes; l += 4 {
			out[l] = base + uint64(q[l])<<(shift&63)
			out[l+1] = base + uint64(q[l+1])<<(shift&63)
			out[l+2] = base + uint64(q[l+2])<<(shift&63)
			out[l+3] = base + uint64(q[l+3])<<(shift&63)
		}
	case 2:
		q := (*[2 * lanes]byte)(from)
		for l := 0; l < lanes; l += 4 {
			four := binary.LittleEndian.Uint64(q[2*l : 2*l+8])
			out[l] = base + four&0xffff<<(shift&63)
			out[l+1] = base + four>>16&0xffff<<(shift&63)
			out[l+2] = base + four>>32&0xffff<<(shift&63)
			out[l+3] = base + four>>48<<(shift&63)
		}
	default:
		bytes := widthMask(width)
		for l := range out {
			out[l] = base + binary.LittleEndian.Uint64(from)&bytes<<(shift&63)
			from = from[width:]
		}
	}
}

// Lane is the address of one lane of a set, zero for a lane that it does not have.
func (s *Sets) Lane(at int32, base uint64, lane int) uint64 {
	p, from := s.pages[at>>pageBits], int(at&(pageBytes-1))
	mask, shift, width := binary.LittleEndian.Uint32(p[from:]), p[from+4]&63, int(p[from+5])
	if mask>>(lane&31)&1 == 0 {
		return 0
	}
	from += headerBytes + width*bits.OnesCount32(mask&(1<<(lane&31)-1))
	return base + binary.LittleEndian.Uint64(p[from:])&widthMask(width)<<shift
}

// widthMask has the bits of a distance of so many bytes, at most eight.
func widthMask(width int) uint64 { return 1<<(8*uint(width)) - 1 }
