// SPDX-License-Identifier: Apache-2.0

package resemblance

import (
	"encoding/binary"
	"math/bits"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanevector"
)

// A reference can only save what the payload has in common with the root. That is
// measured before a compressor takes the root as its dictionary, which costs more than
// to compress. The question is: of the short strings that a payload has not had
// before, how many does the root have?

const (
	// sharedBytes is the length of those strings.
	sharedBytes = 6
	// sharedSample is about how many strings of a payload are looked at: those with
	// the smallest hashes, so that a root and a payload have the same ones.
	sharedSample = 1 << 13
	// sharedSpread is how many bits of a set there are for each string in it.
	sharedSpread = 8
)

// Set is the strings of a payload, by their hashes. It may take a string for
// another one.
type Set struct {
	bits  []uint64
	shift int    // of a hash, to be a place
	below uint64 // hashes from here on are left out
}

// sampleBelow is the bound of the hashes that a payload of so many bytes shows.
func sampleBelow(bytes int) uint64 {
	return ^uint64(0) >> bits.Len(uint(bytes/sharedSample))
}

// reset empties the set for a payload of so many bytes.
func (s *Set) reset(bytes int) {
	s.below = sampleBelow(bytes)
	width := max(6, bits.Len(uint(min(bytes, sharedSample)*sharedSpread)))
	s.bits = columns.Zeroed(s.bits, 1<<(width-6))
	s.shift = 64 - width
}

// The hashes of a sample begin with zeros, so the place comes from another product.
func (s *Set) place(hash uint64) (word int, bit uint64) {
	at := (hash ^ hash>>32) * columns.HashFactor >> (s.shift & 63)
	return int(at >> 6), 1 << (at & 63)
}

// add reports whether the string is new.
func (s *Set) add(hash uint64) bool {
	word, bit := s.place(hash)
	old := s.bits[word]
	s.bits[word] = old | bit
	return old&bit == 0
}

func (s *Set) has(hash uint64) bool {
	word, bit := s.place(hash)
	return s.bits[word]&bit != 0
}

// Sample is the strings of a payload with the smallest hashes, each once.
type Sample struct {
	Set    Set
	hashes []uint64
}

// Take looks at a payload.
func (s *Sample) Take(payload []byte) {
	s.Set.reset(len(payload))
	s.hashes = s.hashes[:0]
	below := s.Set.below
	i := 0
	if zeros := bits.LeadingZeros64(below); zeros > 0 { // few are small
		var which uint64
		for i, which = lanevector.SmallHashes(payload, 0, columns.HashFactor, uint(zeros)); which != 0; {
			for ; which != 0; which &= which - 1 {
				s.see(payload[i+bits.TrailingZeros64(which):], below)
			}
			i, which = lanevector.SmallHashes(payload, i+8, columns.HashFactor, uint(zeros))
		}
	}
	for ; i+8 <= len(payload); i++ {
		s.see(payload[i:], below)
	}
}

// see takes the string at the beginning of some bytes if its hash is below a bound.
func (s *Sample) see(at []byte, below uint64) {
	hash := binary.LittleEndian.Uint64(at) << (64 - 8*sharedBytes) * columns.HashFactor
	if hash < below && s.Set.add(hash) {
		s.hashes = append(s.hashes, hash)
	}
}

// Missing is the part of the strings that a root lacks, of those that both would show.
func (s *Sample) Missing(root *Set) float64 {
	missing, all := 0, 0
	for _, hash := range s.hashes {
		if hash < root.below {
			all++
			if !root.has(hash) {
				missing++
			}
		}
	}
	return float64(missing) / float64(max(1, all))
}
