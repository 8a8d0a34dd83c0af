// SPDX-License-Identifier: Apache-2.0

package ipoly

import "math/bits"

// Rounds spreads what goes round any number of places, A*M with A a power of two and M odd.
// In each round every place has one turn. The place modulo A is hashed by polynomials, as
// Rau has it. No polynomial has an odd number of remainders, so the rest moves on by one,
// modulo M, after every A rounds. Then strides of powers of two, of all places, and of
// products of both reach all places; with a power of two of places M is one.
//
// It is a choice of this model. GPGPU-Sim's IPOLY_MODULO leaves the rest as it is
// (src/gpgpu-sim/addrdec.cc), so that strides of all places reach A of them.
type Rounds struct {
	hash  *Hash
	shift uint   // log2 of A
	odd   uint64 // M
}

// NewRounds makes the map for one place or more. Their largest power of two is MaxPlaces at
// most.
func NewRounds(places int) *Rounds {
	shift := uint(bits.TrailingZeros(uint(places)))
	return &Rounds{hash: New(1 << shift), shift: shift, odd: uint64(places) >> shift}
}

// Place is where the turn that is at a place without a hash goes in a round.
func (r *Rounds) Place(round, at uint64) uint64 {
	at ^= r.hash.Of(round << r.shift)
	if r.odd == 1 {
		return at
	}
	rest := (at>>r.shift + round>>r.shift) % r.odd
	return rest<<r.shift | at&(1<<r.shift-1)
}
