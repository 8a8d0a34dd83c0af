// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math/bits"

	"github.com/warptape/warptape/trace"
)

// signatureVisits is the number of elements of a signature that stand for basic
// blocks: several basic blocks share one, chosen by number.
const signatureVisits = 16

// The elements of a signature after those of visits.
const (
	elementLanes       = signatureVisits + iota // active lanes, weighted with instructions
	elementMemory                               // memory instructions
	elementLines                                // 128-byte lines that they touch
	elementDistinct                             // distinct addresses among their lanes
	elementInstruction                          // warp instructions
	signatureElements
)

// signature sums up what thread blocks do. It has how often each basic block is
// visited (weighted with its instructions, as basic-block vectors are), how many
// lanes take part, and how memory is accessed.
type signature [signatureElements]float64

func (s *signature) add(o *signature) {
	for i, v := range o {
		s[i] += v
	}
}

func (s *signature) scale(f float64) {
	for i := range s {
		s[i] *= f
	}
}

func (s *signature) visit(block, instructions, mask uint32) {
	n := float64(instructions)
	s[block%signatureVisits] += n
	s[elementInstruction] += n
	s[elementLanes] += float64(n * float64(bits.OnesCount32(mask)) / trace.WarpSize)
}

func (s *signature) access(lines, distinct int) {
	s[elementMemory]++
	s[elementLines] += float64(lines)
	s[elementDistinct] += float64(distinct)
}

const lineBytes = 128

// stridedLines is the number of lines that a strided access touches, as if all
// lanes between the first and the last took part.
func stridedLines(mask uint32, stride int64) int {
	if mask == 0 {
		return 0
	}
	span := int64(bits.Len32(mask) - bits.TrailingZeros32(mask) - 1)
	if stride < 0 {
		stride = -stride
	}
	if stride >= lineBytes {
		return bits.OnesCount32(mask)
	}
	return int(span*stride/lineBytes) + 1
}

// scattered counts the changes of line and of address from one lane to the next.
func scattered(mask uint32, addresses *[trace.WarpSize]uint64) (lines, distinct int) {
	last := uint64(0)
	for ; mask != 0; mask &= mask - 1 {
		a := addresses[bits.TrailingZeros32(mask)]
		if distinct == 0 || a/lineBytes != last/lineBytes {
			lines++
		}
		if distinct == 0 || a != last {
			distinct++
		}
		last = a
	}
	return lines, distinct
}
