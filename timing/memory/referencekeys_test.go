// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// A load that waits for a line ends fill_cycles later, one that hits does not.
func TestALineIsUsedFillCyclesAfterItHasCome(t *testing.T) {
	for _, section := range []string{"l1", "constant_cache", "texture_cache"} {
		var miss, hit [4]int
		for cycles := range miss {
			m := machine(t, "gtx480-ref", func(m *arch.Machine) {
				oneClock(m)
				map[string]*arch.Cache{"l1": &m.L1, "constant_cache": &m.Constant, "texture_cache": &m.Texture}[section].FillCycles = cycles
			})
			r := newRig(t, m)
			a := load(1, 0, 0)
			switch section {
			case "constant_cache":
				a.Space = trace.SpaceConst
			case "texture_cache":
				a.Class, a.Space = trace.ClassTexture, trace.SpaceTexture
			}
			miss[cycles] = int(r.latency(0, a))
			a.Token = 2
			hit[cycles] = int(r.latency(0, a))
		}
		for cycles := range miss {
			if miss[cycles] != miss[0]+cycles || hit[cycles] != hit[0] {
				t.Errorf("%s: with %d cycles a miss takes %d cycles and a hit %d, without %d and %d", section, cycles, miss[cycles], hit[cycles], miss[0], hit[0])
			}
		}
	}
}

// A warp that reads so many sectors of 32 bytes makes as many transactions, or one for each
// line of 128.
func TestSectorsOrLinesAreTheTransactionsOfAWarp(t *testing.T) {
	for stride := int32(1); stride <= 64; stride *= 2 {
		for _, bySector := range []bool{false, true} {
			m := machine(t, "qv100-ref", func(m *arch.Machine) { m.L1.SectorTransactions = bySector })
			r := newRig(t, m)
			r.latency(0, load(1, 0, 4*stride))
			size := 128
			if bySector {
				size = 32
			}
			want := (31*4*int(stride))/size + 1
			if 4*int(stride) > size {
				want = 32
			}
			if n := r.sets[0][counters.GlobalTransactions]; n != uint64(want) {
				t.Errorf("stride %d, by sector %v: %d transactions, want %d", stride, bySector, n, want)
			}
		}
	}
}

// A store goes through to L2 in any case. Where it allocates, what it has written in full
// can be read from L1, and the rest of the sector has to be fetched.
func TestAStoreThatAllocatesLeavesWhatItWroteInL1(t *testing.T) {
	for _, c := range []struct {
		write        string
		lanes        int // that store four bytes each
		hits, misses uint64
	}{
		{"through_no_allocate", 32, 0, 4},
		{"through_allocate", 32, 4, 0},
		{"through_allocate", 8, 1, 3},
		{"through_allocate", 4, 0, 4},
	} {
		m := machine(t, "qv100-ref", func(m *arch.Machine) { m.L1.Write = c.write })
		r := newRig(t, m)
		a := store(0, 4)
		a.Mask = uint32(1<<c.lanes - 1)
		r.issue(0, a)
		r.drain()
		if n := r.global[counters.L2Write]; n != uint64((4*c.lanes+31)/32) {
			t.Errorf("%s: %d sectors are written to L2", c.write, n)
		}
		r.latency(0, load(1, 0, 4))
		if s := r.sets[0]; s[counters.L1ReadHit] != c.hits || s[counters.L1ReadMiss] != c.misses {
			t.Errorf("%s, %d bytes stored: %d hits, %d misses, want %d and %d", c.write, 4*c.lanes, s[counters.L1ReadHit], s[counters.L1ReadMiss], c.hits, c.misses)
		}
	}
}

// A write takes all sectors of the smallest piece of 32, 64 or 128 bytes around its bytes.
func TestAWriteBringsTheSectorsOfItsPiece(t *testing.T) {
	for first := range 4 {
		for last := first; last < 4; last++ {
			size := 32
			for first*32/size != last*32/size {
				size *= 2
			}
			for _, pieces := range []bool{false, true} {
				m := machine(t, "gtx480-ref", func(m *arch.Machine) { m.L2.WritePieces = pieces })
				r := newRig(t, m)
				a := store(uint64(first*32), int32((last-first)*32))
				a.Mask = 3 // the first byte of the first and of the last sector
				a.LaneBytes = 1
				r.issue(0, a)
				r.drain()
				want := bits.OnesCount(1<<first | 1<<last)
				if pieces {
					want = size / 32
				}
				if n := r.global[counters.L2Write]; n != uint64(want) {
					t.Errorf("sectors %d and %d, by pieces %v: %d sectors written, want %d", first, last, pieces, n, want)
				}
			}
		}
	}
}

// Of a piece of 128 bytes a sector counts as written in full if the bytes up to its end are
// 32. That is the fourth of a warp whose 32 lanes store a byte in every fourth.
func TestAPieceWhoseBytesMakeASectorCountsAsOne(t *testing.T) {
	for _, c := range []struct {
		bytes int // that each lane stores, four from lane to lane
		hits  uint64
	}{{1, 1}, {2, 1}, {4, 4}} {
		m := machine(t, "gtx480-ref", nil)
		r := newRig(t, m)
		a := store(0, 4)
		a.LaneBytes = uint8(c.bytes)
		r.issue(0, a)
		r.drain()
		r.latency(0, load(1, 0, 4))
		// Up to the end of sector s there are (s+1)*8 stored bytes a byte of the lanes.
		if n := r.global[counters.L2ReadHit]; n != c.hits {
			t.Errorf("%d bytes a lane: %d of 4 sectors can be read without DRAM, want %d", c.bytes, n, c.hits)
		}
	}
}

// Lines of code lie in the slices of their addresses, as data do.
func TestCodeLiesInTheSlicesOfItsAddresses(t *testing.T) {
	for _, spec := range []string{"gtx480-ref", "gtx480", "v100"} {
		for _, address := range []int{256, 0xF0000000, 12345 * 128} {
			m := machine(t, spec, func(m *arch.Machine) { m.SM.CodeAddress = address })
			r := newRig(t, m)
			for line := range uint64(64) {
				at := uint64(address) + line*128
				want, _ := r.system.addresses.slice(at)
				if got, _ := r.system.addresses.slice(r.system.code + at); got != want {
					t.Fatalf("%s, code at %#x: line %d lies in slice %d, want %d", spec, address, line, got, want)
				}
			}
		}
	}
}
