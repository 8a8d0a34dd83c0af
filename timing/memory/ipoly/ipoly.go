// SPDX-License-Identifier: Apache-2.0

// Package ipoly is the interleaving of B. R. Rau, "Pseudo-randomly interleaved memory" (ISCA
// 1991): a number is read as a polynomial over GF(2), and its remainder by an irreducible one
// is the place. Strides of every power of two then visit all places in turn.
package ipoly

import "math/bits"

// polynomials are primitive ones by degree, as W. W. Peterson's table lists them first
// (Error-Correcting Codes, 1961). GPGPU-Sim takes those of degree 4, 5 and 6.
var polynomials = [...]uint64{
	1: 0b11, 2: 0b111, 3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10001001, 8: 0b100011101,
	9: 0b1000010001, 10: 0b10000001001, 11: 0b100000000101, 12: 0b1000001010011,
}

// MaxPlaces is the largest number of places.
const MaxPlaces = 1 << (len(polynomials) - 1)

// Hash finds places. It is immutable.
type Hash struct {
	// table has the remainders of each byte at each place of a number.
	table [8][256]uint16
}

// New makes the hash for a power of two of places, 1 to MaxPlaces.
func New(places int) *Hash {
	h := &Hash{}
	if places <= 1 {
		return h
	}
	degree := bits.TrailingZeros(uint(places))
	remainder := uint64(1) // of x to the power of the bit
	for bit := range 64 {
		for v := range 256 {
			if v>>(bit%8)&1 != 0 {
				h.table[bit/8][v] ^= uint16(remainder)
			}
		}
		if remainder <<= 1; remainder>>degree != 0 {
			remainder ^= polynomials[degree]
		}
	}
	return h
}

// Of is the place of n.
func (h *Hash) Of(n uint64) uint64 {
	place := uint16(0)
	for i := 0; n != 0 && i < len(h.table); i++ {
		place ^= h.table[i][n&255]
		n >>= 8
	}
	return uint64(place)
}
