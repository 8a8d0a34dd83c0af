// SPDX-License-Identifier: Apache-2.0

// Package lanevector has the loops over all 32 lanes of a warp that an encoder of addresses
// spends its time in. Where the processor has AVX2 they run in assembly, four lanes at a time. Each has
// a twin in Go, which other processors run, and which tests compare it with.
package lanevector

// Lanes is the number of lanes of a warp.
const Lanes = 32

// ZigzagFrom turns v into its differences from p, without the lowest bits of p, in zigzag form.
func ZigzagFrom(v, p *[Lanes]uint64, fraction uint) {
	if available {
		zigzagFromAVX2(v, p, uint64(fraction))
		return
	}
	zigzagFrom(v, p, fraction)
}

// ZigzagAlong turns v into each lane's difference from the lane before, in zigzag form; before is
// that of the first lane.
func ZigzagAlong(v *[Lanes]uint64, before uint64) {
	if available {
		zigzagAlongAVX2(v, before)
		return
	}
	zigzagAlong(v, before)
}

// Changed sets last to units and returns the bits that differ in any lane.
func Changed(last, units *[Lanes]uint64) uint64 {
	if available {
		return changedAVX2(last, units)
	}
	return changed(last, units)
}

// SameDistance turns v into codes by its distance from addresses in units: 0 where the distance is
// that of the lane before, else v + 1. distance is the one before the first lane; it returns that of the last.
func SameDistance(v, addresses *[Lanes]uint64, unit uint, distance uint64) uint64 {
	if available {
		return sameDistanceAVX2(v, addresses, uint64(unit), distance)
	}
	return sameDistance(v, addresses, unit, distance)
}

// NearDistance is SameDistance whose codes are the differences of the distances, in zigzag form.
func NearDistance(v, addresses *[Lanes]uint64, unit uint, distance uint64) uint64 {
	if available {
		return nearDistanceAVX2(v, addresses, uint64(unit), distance)
	}
	return nearDistance(v, addresses, unit, distance)
}

// MoveMeans moves means, which have so many bits of a fraction, towards units: by a part of the
// difference, which is one in 2^part.
func MoveMeans(means, units *[Lanes]uint64, fraction, part uint) {
	if available {
		moveMeansAVX2(means, units, uint64(fraction), uint64(part))
		return
	}
	moveMeans(means, units, fraction, part)
}

// Shift takes the lowest bits away.
func Shift(v []uint64, shift uint) {
	if fours := len(v) / 4; available && fours > 0 {
		shiftAVX2(&v[0], uint64(fours), uint64(shift))
		v = v[4*fours:]
	}
	shiftEach(v, shift)
}

// Place writes the addresses of a pattern at a base, and returns the bits that any has.
func Place(to, offsets *[Lanes]uint64, base uint64) uint64 {
	if available {
		return placeAVX2(to, offsets, base)
	}
	return place(to, offsets, base)
}

// PlaceStride writes the addresses of a stride at a base.
func PlaceStride(to *[Lanes]uint64, base, stride uint64) {
	if available {
		strideAVX2(to, base, stride)
		return
	}
	placeStride(to, base, stride)
}

// Extend returns a range of addresses, both ends included, with those of a pattern at a base.
func Extend(offsets *[Lanes]uint64, base, low, high uint64) (lowest, highest uint64) {
	if available {
		return extendAVX2(offsets, base, low, high)
	}
	return extend(offsets, base, low, high)
}

// Classify writes the class of each code, and returns the bits that any code has.
func Classify(classes *[Lanes]byte, codes *[Lanes]uint64) uint64 {
	if available {
		if all := classifyAVX2(classes, codes); all < classified {
			return all
		}
	}
	return classify(classes, codes)
}

// Contexts writes the contexts of the lanes' classes: see ContextOf.
func Contexts(to, classes *[Lanes]byte) {
	if available {
		contextsAVX2(to, classes)
		return
	}
	contexts(to, classes)
}

// classified is above the codes that are classified in assembly.
const classified = 1 << 31
