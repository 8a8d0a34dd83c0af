// SPDX-License-Identifier: Apache-2.0

package coalesce

import "math/bits"

// Banks is the shape of a banked scratchpad: consecutive words of WordBytes lie
// in consecutive banks.
type Banks struct {
	Count, WordBytes int // powers of two, Count at most 128
	// Packed says that two registers of all lanes come back at once where neighbouring lanes read
	// the same address (see Packs).
	Packed bool
}

// Cycles is the number of cycles that a shared-memory access occupies the
// banks: the greatest number of distinct words in one bank. Lanes that touch
// the same word share it (broadcast), unless serial is set: atomics on one word
// come one after the other. Accesses wider than a word are served in halves or
// quarters of the warp (CUDA C Programming Guide, compute capability 2.x and
// later), whose cycles add up.
func (b Banks) Cycles(w *Warp, serial bool) int {
	words := max(w.LaneBytes/b.WordBytes, 1)
	if c := b.strided(w, words, serial); c > 0 {
		return c
	}
	group := max(32/words, 1)
	cycles := 0
	for first := 0; first < 32; first += group {
		part := w.Mask >> first & uint32(uint64(1)<<group-1) << first
		if part != 0 {
			cycles += b.group(w, part, words, serial)
		}
	}
	return max(cycles, 1)
}

// Packs reports whether a read of 8 or 16 bytes a lane is packed: of all lanes n that take part,
// n and n^1 have the same address, or all n and n^2 have. Then the whole warp is served at once,
// and two registers of all lanes come back in a cycle. NVIDIA says so of compute capability 7.0 to
// 7.5 (developer forum, "Unexpected shared memory bank conflict").
func (b Banks) Packs(w *Warp) bool {
	words := w.LaneBytes / b.WordBytes
	if !b.Packed || w.LaneBytes%b.WordBytes != 0 || words != 2 && words != 4 {
		return false
	}
	one, two := true, true
	for m := w.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		address := w.Address(lane)
		if address%uint64(b.WordBytes) != 0 {
			return false
		}
		one = one && (w.Mask>>(lane^1)&1 == 0 || w.Address(lane^1) == address)
		two = two && (w.Mask>>(lane^2)&1 == 0 || w.Address(lane^2) == address)
	}
	return one || two
}

// Read is Cycles of a read. A packed one is served for the whole warp at once.
func (b Banks) Read(w *Warp) (cycles int, packed bool) {
	if !b.Packs(w) {
		return b.Cycles(w, false), false
	}
	if w.Strided && w.Stride == 0 {
		return max(w.LaneBytes/b.WordBytes/b.Count, 1), true
	}
	return max(b.count(w, w.Mask, false), 1), true
}

// Parts is in how many parts of the warp an access is served, one at least: halves or quarters
// where lanes have several words. Without a conflict each takes a wavefront.
func (b Banks) Parts(w *Warp) (n int) {
	group := max(32/max(w.LaneBytes/b.WordBytes, 1), 1)
	for first := 0; first < 32; first += group {
		if w.Mask>>first&uint32(uint64(1)<<group-1) != 0 {
			n++
		}
	}
	return max(n, 1)
}

// strided is the closed form for one-word lanes a whole number of words apart: 32 lanes
// spread evenly over Count/gcd(stride, Count) banks. Some of the lanes are served at once
// where all of them would be. It gives zero when it does not apply.
func (b Banks) strided(w *Warp, words int, serial bool) int {
	if !w.Strided || words != 1 || w.LaneBytes > b.WordBytes || uint64(w.Stride)%uint64(b.WordBytes) != 0 {
		return 0
	}
	if w.Base%uint64(b.WordBytes)+uint64(w.LaneBytes) > uint64(b.WordBytes) {
		return 0
	}
	cycles := b.steps(uint64(w.Stride)/uint64(b.WordBytes), serial)
	if w.Mask != ^uint32(0) && cycles > 1 {
		return 0
	}
	return cycles
}

// steps is the number of cycles of 32 lanes whose words are step words apart.
func (b Banks) steps(step uint64, serial bool) int {
	if step == 0 {
		if serial {
			return 32
		}
		return 1
	}
	// Count is a power of two: the gcd is the lowest set bit of the step.
	distinct := b.Count >> min(bits.TrailingZeros64(step), bits.TrailingZeros(uint(b.Count)))
	return (32 + distinct - 1) / distinct
}

// group counts the cycles of the lanes in mask, which are served together.
func (b Banks) group(w *Warp, mask uint32, words int, serial bool) int {
	if !serial {
		if words == 1 && !w.Strided && b.Count <= 64 && w.LaneBytes <= b.WordBytes {
			if b.freeWords(w.Addresses, w.LaneBytes, mask) {
				return 1
			}
		} else if b.free(w, mask, words) {
			return 1
		}
	}
	return b.count(w, mask, serial)
}

// freeWords is free for lanes of one word at most, at addresses of their own.
func (b Banks) freeWords(addresses *[32]uint64, laneBytes int, mask uint32) bool {
	var held [64]uint64 // by bank: the word that a lane has there
	taken, banks, last := uint64(0), uint64(b.Count-1), uint64(b.WordBytes-laneBytes)
	shift, within := bits.TrailingZeros(uint(b.WordBytes))&63, uint64(b.WordBytes-1)
	for m := mask; m != 0; m &= m - 1 {
		address := addresses[bits.TrailingZeros32(m)&31]
		word := address >> shift
		bank := word & banks & 63
		if address&within > last || taken>>bank&1 != 0 && held[bank] != word {
			return false
		}
		taken, held[bank] = taken|1<<bank, word
	}
	return true
}

// free reports that no two words of the lanes in mask are in one bank. It may miss
// that for lanes that are not aligned to their words.
func (b Banks) free(w *Warp, mask uint32, words int) bool {
	var owner [128]uint8 // by bank: 1 + the lane that has a word there
	var start [32]uint64 // by lane: its first word
	if words > b.Count {
		return false // those of one lane share banks
	}
	shift, banks := bits.TrailingZeros(uint(b.WordBytes)), uint64(b.Count-1)
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		address := w.Address(lane)
		if int(address&uint64(b.WordBytes-1))+w.LaneBytes > words*b.WordBytes {
			return false
		}
		first := address >> shift
		start[lane] = first
		for word := first; word < first+uint64(words); word++ {
			bank := word & banks
			if o := owner[bank]; o == 0 {
				owner[bank] = uint8(lane + 1)
			} else if word-start[(o-1)&31] >= uint64(words) {
				return false
			}
		}
	}
	return true
}

// count is group for any lanes.
func (b Banks) count(w *Warp, mask uint32, serial bool) int {
	var g bankGroup
	for m := mask; m != 0; m &= m - 1 {
		address := w.Address(bits.TrailingZeros32(m))
		size := uint64(b.WordBytes)
		word := address / size
		for n := (address%size + uint64(w.LaneBytes) + size - 1) / size; n > 0; n-- {
			g.touch(int(word&uint64(b.Count-1)), word, serial)
			word = (word + 1) & (1<<63/size*2 - 1) // addresses wrap at 2^64
		}
	}
	return g.most
}

// bankGroup counts distinct words per bank: a chain of nodes for each.
type bankGroup struct {
	words [bankNodes]uint64
	chain [bankNodes]uint8 // 1 + the next node of the same bank, 0 at the end
	head  [128]uint8       // 1 + the first node
	count [128]uint8
	nodes int
	most  int
}

// bankNodes bounds the words of a group: 32 lanes of one word that straddle
// two, or one lane of 255 bytes.
const bankNodes = 128

func (g *bankGroup) touch(bank int, word uint64, serial bool) {
	for n := g.head[bank]; n != 0 && !serial; n = g.chain[n-1] {
		if g.words[n-1] == word {
			return
		}
	}
	g.words[g.nodes], g.chain[g.nodes] = word, g.head[bank]
	g.nodes++
	g.head[bank] = uint8(g.nodes)
	g.count[bank]++
	g.most = max(g.most, int(g.count[bank]))
}
