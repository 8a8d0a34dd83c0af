// SPDX-License-Identifier: Apache-2.0

// Package cache holds what the caches of all levels are made of: tags with
// sectors, byte masks, LRU replacement, and the registers (MSHRs) of
// outstanding misses with what waits for them. It knows neither time nor
// traffic.
package cache

import (
	"math/bits"

	"github.com/warptape/warptape/timing/memory/block"
)

// BlockBytes is the stretch of memory, aligned to itself, that byte and sector
// masks speak about, whatever the line size of a cache: the longest line.
const BlockBytes = block.Size

// Bytes is a mask of the bytes of a block.
type Bytes = block.Bytes

// Range is the mask of n bytes from offset in the block; what lies beyond the
// block is left out.
func Range(offset, n int) Bytes { return block.Range(offset, n) }

// Sectors is a mask of the sectors of a block: bit i is bytes i*S..i*S+S-1 for
// sectors of S bytes.
type Sectors uint8

// Geometry knows the sector size of a cache.
type Geometry struct {
	SectorBytes int
	perBlock    int
	bytes       [BlockBytes / 32]Bytes // of each sector
	// sectors is those that have a byte in some of the quarters of a block, of 32 bytes
	// each, by the mask of these.
	sectors [1 << (BlockBytes / 32)]Sectors
	// quarters is the quarters of a block that belong to each set of sectors.
	quarters [1 << (BlockBytes / 32)]uint8
}

// NewGeometry is for sectors of 32, 64 or 128 bytes.
func NewGeometry(sectorBytes int) Geometry {
	g := Geometry{SectorBytes: sectorBytes, perBlock: BlockBytes / sectorBytes}
	for s := range g.perBlock {
		g.bytes[s] = Range(s*sectorBytes, sectorBytes)
		for quarters := range g.sectors {
			for q := range BlockBytes / 32 {
				if quarters>>q&1 != 0 && q*32/sectorBytes == s {
					g.sectors[quarters] |= 1 << s
				}
			}
		}
	}
	for some := range g.quarters {
		for q := range BlockBytes / 32 {
			if some>>(q*32/sectorBytes)&1 != 0 {
				g.quarters[some] |= 1 << q
			}
		}
	}
	return g
}

// Touched is the sectors in which b has a byte.
func (g *Geometry) Touched(b Bytes) Sectors {
	return g.sectors[quarters(b)&(len(g.sectors)-1)]
}

// Split counts the quarters of a block, of 32 bytes each, in which b has a byte: those in some sectors, and the others.
func (g *Geometry) Split(b Bytes, some Sectors) (inside, outside int) {
	touched := uint8(quarters(b))
	those := g.quarters[int(some)&(len(g.quarters)-1)]
	return bits.OnesCount8(touched & those), bits.OnesCount8(touched &^ those)
}

// Quarters counts the quarters of a block, of 32 bytes each, in which b has a byte.
func Quarters(b Bytes) int { return bits.OnesCount(uint(quarters(b))) }

// Segment is the aligned 32, 64 or 128 bytes of a block that have all of b, which is not empty: the
// sizes of an SM's transactions (GPGPU-Sim 3.2.1, memory_coalescing_arch_13_reduce_and_send).
func Segment(b Bytes) (first, size int) {
	m := uint(quarters(b))
	from, to, log := bits.TrailingZeros(m), bits.Len(m)-1, 0
	for from>>log != to>>log {
		log++
	}
	return from >> log << log * 32, 32 << log
}

func quarters(b Bytes) int {
	quarters := 0
	if uint32(b[0]) != 0 {
		quarters = 1
	}
	if b[0]>>32 != 0 {
		quarters |= 2
	}
	if uint32(b[1]) != 0 {
		quarters |= 4
	}
	if b[1]>>32 != 0 {
		quarters |= 8
	}
	return quarters
}

// SectorOf is the sector of its block that holds an address.
func (g *Geometry) SectorOf(address uint64) int {
	return int(address%BlockBytes) / g.SectorBytes
}

// Bytes is the bytes of sector s.
func (g *Geometry) Bytes(s int) Bytes { return g.bytes[s&(len(g.bytes)-1)] }
