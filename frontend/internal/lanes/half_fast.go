// SPDX-License-Identifier: Apache-2.0

package lanes

import "math"

// HalfValue is half.decode for the matrix instructions, which decode a
// thousand elements each.
func HalfValue(bits uint32) float32 {
	sign, magnitude := bits<<16&0x8000_0000, bits&0x7fff
	if magnitude >= 0x7c00 {
		return math.Float32frombits(sign | 0x7f80_0000 | magnitude<<13&0x7f_ffff)
	}
	// The exponent's bias differs by 112; subnormals become normal on the way.
	v := math.Float32frombits(magnitude<<13) * 0x1p112
	return math.Float32frombits(sign | math.Float32bits(v))
}

// HalfRounded rounds to the nearest .f16, ties to even; NaN is canonical.
func HalfRounded(v float32) uint32 {
	b := math.Float32bits(v)
	sign, magnitude := b>>16&0x8000, b&0x7fff_ffff
	switch {
	case magnitude > 0x7f80_0000:
		return uint32(smallNaN)
	case magnitude >= 0x4780_0000: // 2^16
		return sign | 0x7c00
	case magnitude >= 0x3880_0000: // 2^-14, the least normal number
		// Half of the last place, or just below it, carries into the exponent and
		// at the end into infinity.
		return sign | (magnitude+0xfff+magnitude>>13&1-0x3800_0000)>>13
	}
	// The last place of 0.5 is that of the subnormals, 2^-24.
	sum := math.Float32frombits(magnitude) + 0.5
	return sign | (math.Float32bits(sum) - math.Float32bits(0.5))
}
