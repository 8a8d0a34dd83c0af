// SPDX-License-Identifier: Apache-2.0

// Package pcg draws the numbers of the generator PCG-DXSM as math/rand/v2 fixes it (O'Neill, "PCG: A family
// of simple fast space-efficient statistically good algorithms for random number generation", 2014). Its
// state is a value, so a loop keeps it in registers.
package pcg

import "math/bits"

// Source is a state of the generator: Next has the next state, whose number Number gives.
type Source struct{ high, low uint64 }

// New has the same numbers as rand.NewPCG of the same seeds.
func New(seed1, seed2 uint64) Source { return Source{seed1, seed2} }

// Next multiplies the state of 128 bits and adds to it.
func (s Source) Next() Source {
	const (
		timesHigh, timesLow = 0x2360ed051fc65da4, 0x4385df649fccf645
		plusHigh, plusLow   = 0x5851f42d4c957f2d, 0x14057b7ef767814f
	)
	high, low := bits.Mul64(s.low, timesLow)
	high += s.high*timesLow + s.low*timesHigh
	low, carry := bits.Add64(low, plusLow, 0)
	high, _ = bits.Add64(high, plusHigh, carry)
	return Source{high, low}
}

// Number mixes the state: shifts of the high half, and products.
func (s Source) Number() uint64 {
	v := s.high
	v ^= v >> 32
	v *= 0xda942042e4dd58b5
	v ^= v >> 48
	return v * (s.low | 1)
}
