// SPDX-License-Identifier: Apache-2.0

package network

import "math/bits"

// bitset is a set of port numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i int)   { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i int) { b[i>>6] &^= 1 << (i & 63) }

func (b bitset) has(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }

func (b bitset) empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

// from gives the first member at or after i, going round once; -1 when empty.
func (b bitset) from(i int) int {
	w := i >> 6
	if m := b[w] >> (i & 63) << (i & 63); m != 0 {
		return w<<6 + bits.TrailingZeros64(m)
	}
	for k := 1; k <= len(b); k++ {
		v := w + k
		if v >= len(b) {
			v -= len(b)
		}
		if b[v] != 0 {
			return v<<6 + bits.TrailingZeros64(b[v])
		}
	}
	return -1
}
