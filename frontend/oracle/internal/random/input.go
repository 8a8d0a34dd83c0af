// SPDX-License-Identifier: Apache-2.0

package random

import "math"

// Input makes the input words of a module's kernels: random bits, corners of
// the integers, small numbers and special floating-point values in equal parts.
func Input(seed uint64, threads int) []uint64 {
	g := &generator{state: ^seed}
	words := make([]uint64, threads*Inputs)
	for i := range words {
		switch g.below(5) {
		case 0:
			words[i] = g.next()
		case 1:
			words[i] = corners[g.below(len(corners))]
		case 2:
			words[i] = uint64(g.below(512) - 256)
		case 3:
			f := specials[g.below(len(specials))]
			words[i] = uint64(math.Float32bits(float32(f))) | math.Float64bits(f)&^math.MaxUint32
		default:
			f := (float64(g.below(1<<20)) - 1<<19) / float64(int(1)<<g.below(24))
			words[i] = uint64(math.Float32bits(float32(f)))
			if g.chance(2) {
				words[i] = math.Float64bits(f)
			}
		}
	}
	return words
}

var specials = []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e-45, -1e-40, math.SmallestNonzeroFloat64, 1e-310, math.MaxFloat32, -math.MaxFloat64, 65504, 65520, 0x1p-24, 0x1p-25, 2147483647, 2147483648, -2147483649, 4294967296, 9.3e18, 1.9e19, 0.5, 1.5, 2.5}
