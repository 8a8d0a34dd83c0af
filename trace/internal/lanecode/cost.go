// SPDX-License-Identifier: Apache-2.0

package lanecode

import "github.com/warptape/warptape/trace/samefloat"

// ClassBits is the entropy of the counted classes.
func (z *Encoder) ClassBits() float64 {
	bits := selfBits(uint32(len(z.Classes)))
	for _, count := range z.Counted.Used() {
		bits -= selfBits(count)
	}
	return max(0, bits)
}

// CountOpen is the open bits of the counted classes.
func (z *Encoder) CountOpen() (bits float64) {
	for class, count := range z.Counted.Used() {
		bits += float64(float64(count) * float64(Classes[class].Open))
	}
	return bits
}

// PatternBits is about how many bits a compressor takes for the classes, given their
// entropy; of a long column that has no patterns where it begins, the entropy.
func (z *Encoder) PatternBits(entropy float64) float64 {
	each := entropy / float64(len(z.Classes))
	if n := PackingSample; len(z.Classes) > 4*n && patternBits(z.Classes[:n], each, &z.patterns) > PatternGain*each*float64(n) {
		return entropy
	}
	return patternBits(z.Classes, each, &z.patterns)
}

// ColumnBits is about how many bits a compressor takes for a column.
func (z *Encoder) ColumnBits(data []byte) float64 {
	if len(data) == 0 {
		return 0
	}
	var counts [256]uint32
	for _, b := range data {
		counts[b]++
	}
	each := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(data))
			each -= float64(p * samefloat.Log2(p))
		}
	}
	if len(data) < ManyBits/16 {
		return each * float64(len(data)) // not worth to look for patterns
	}
	return patternBits(data, each, &z.patterns)
}

// PackingSample is how many lanes show whether contexts or coded open bits are worth
// to be counted for all.
const PackingSample = 8192

// PatternGain is what plain classes must save against coded ones, which are slower to
// decode, as a fraction.
const PatternGain = 0.85

// ManyBits is what a column takes that is worth to look for another form.
const ManyBits = 2048
