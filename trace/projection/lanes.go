// SPDX-License-Identifier: Apache-2.0

package projection

import "math/bits"

// MaxWidth is the largest number of lanes of a hardware warp.
const MaxWidth = 128

// Lanes is a set of hardware lanes: lane l is bit l%32 of element l/32.
type Lanes [MaxWidth / 32]uint32

// Has reports whether a lane is in the set.
func (s *Lanes) Has(lane int) bool { return s[lane/32]>>(lane%32)&1 != 0 }

// Count is the number of lanes.
func (s *Lanes) Count() int {
	return bits.OnesCount32(s[0]) + bits.OnesCount32(s[1]) + bits.OnesCount32(s[2]) + bits.OnesCount32(s[3])
}

// Empty reports whether there is no lane.
func (s *Lanes) Empty() bool { return s[0]|s[1]|s[2]|s[3] == 0 }

func (s *Lanes) add(o *Lanes) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s *Lanes) remove(o *Lanes) {
	for i := range s {
		s[i] &^= o[i]
	}
}

// lowest is the first lane of a set that is not empty.
func (s *Lanes) lowest() int {
	for i, m := range s {
		if m != 0 {
			return 32*i + bits.TrailingZeros32(m)
		}
	}
	return MaxWidth
}
