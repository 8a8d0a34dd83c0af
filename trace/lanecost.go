package trace

import "github.com/warptape/warptape/trace/samefloat"

// classBits is the entropy of the counted classes.
func (z *laneEncoder) classBits() float64 {
	bits := selfBits(uint32(len(z.classes)))
	for _, count := range z.counted.used() {
		bits -= selfBits(count)
	}
	return max(0, bits)
}

// countOpen is the open bits of the counted classes.
func (z *laneEncoder) countOpen() (bits float64) {
	for class, count := range z.counted.used() {
		bits += float64(float64(count) * float64(laneClasses[class].open))
	}
	return bits
}

// patternBits is about how many bits a compressor takes for the classes, given their
// entropy; of a long column that has no patterns where it begins, the entropy.
func (z *laneEncoder) patternBits(entropy float64) float64 {
	each := entropy / float64(len(z.classes))
	if n := packingSample; len(z.classes) > 4*n && patternBits(z.classes[:n], each, &z.patterns) > patternGain*each*float64(n) {
		return entropy
	}
	return patternBits(z.classes, each, &z.patterns)
}

// columnBits is about how many bits a compressor takes for a column.
func (z *laneEncoder) columnBits(data []byte) float64 {
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
	if len(data) < manyBits/16 {
		return each * float64(len(data)) // not worth to look for patterns
	}
	return patternBits(data, each, &z.patterns)
}

// packingSample is how many lanes show whether contexts or coded open bits are worth
// to be counted for all.
const packingSample = 8192

// patternGain is what plain classes must save against coded ones, which are slower to
// decode, as a fraction.
const patternGain = 0.85

// manyBits is what a column takes that is worth to look for another form.
const manyBits = 2048
