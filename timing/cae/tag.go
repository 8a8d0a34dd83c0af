// SPDX-License-Identifier: Apache-2.0

package cae

// tag says what is known of a register of a warp. The more general, the smaller.
type tag uint8

const (
	vector tag = iota
	affine     // base + lane * offset
	scalar     // the same in all lanes
)

// sourceKind says where an operand's tag comes from.
type sourceKind uint8

const (
	sourceFixed    sourceKind = iota // what source.fixed says
	sourceRegister                   // the registers first .. first+words-1
	sourceThreadX                    // the index of the thread in its block
	sourceThreadY
	sourceThreadZ
	sourceLane // the number of the lane
)

// source is an operand that an instruction reads.
type source struct {
	kind  sourceKind
	fixed tag
	first uint16
	words uint8
}

// shape is what is known of the thread indices of a warp.
type shape struct {
	lanes   uint32 // that have a thread
	x, y, z tag
	lane    tag // of the lanes' numbers
}

// shapeOf gives the shape of warp number w of a thread block: rows of x threads,
// planes of x times y.
func shapeOf(x, y, z uint32, w int) shape {
	threads := uint64(x) * uint64(y) * uint64(z)
	first := uint64(w) * lanes
	if first >= threads {
		return shape{}
	}
	count := min(threads-first, lanes)
	last := first + count - 1
	row, plane := uint64(x), uint64(x)*uint64(y)
	s := shape{lanes: uint32(1<<count - 1), x: vector, y: vector, z: vector, lane: affine}
	switch {
	case x == 1:
		s.x = scalar
	case first/row == last/row:
		s.x = affine
	}
	// A single ALU for offsets: y is affine only in a block of columns, z never but
	// where the block has nothing else.
	switch {
	case y == 1 || first/row == last/row:
		s.y = scalar
	case x == 1 && first/plane == last/plane:
		s.y = affine
	}
	switch {
	case z == 1 || first/plane == last/plane:
		s.z = scalar
	case x == 1 && y == 1:
		s.z = affine
	}
	return s
}

// limit takes affine for vector when only scalars are tracked.
func (s *shape) limit(scalars bool) {
	for _, t := range []*tag{&s.x, &s.y, &s.z, &s.lane} {
		if scalars && *t == affine {
			*t = vector
		}
	}
}
