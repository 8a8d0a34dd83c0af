// SPDX-License-Identifier: Apache-2.0

package replacement

import "math/bits"

// srrip is static re-reference interval prediction with hit priority (Jaleel, Theobald,
// Steely and Emer, "High Performance Cache Replacement Using Re-Reference Interval
// Prediction", ISCA 2010, recalled and not looked up). Each way has a prediction of two
// bits when it will be used again. What is new is predicted for a long interval, what
// was hit for a near-immediate one. A way with a distant one is replaced, the first from
// the left. When there is none, all grow older until there is.
type srrip struct {
	ways       int
	prediction []uint8 // by set and way
}

// Re-reference prediction values of two bits.
const (
	nearImmediate = 0
	long          = 2
	distant       = 3
)

func newSRRIP(sets, ways int, _ uint64) Policy {
	s := &srrip{ways: ways, prediction: make([]uint8, sets*ways)}
	for i := range s.prediction {
		s.prediction[i] = distant
	}
	return s
}

func (s *srrip) Insert(set, way int) { s.prediction[set*s.ways+way] = long }

func (s *srrip) Use(set, way int) { s.prediction[set*s.ways+way] = nearImmediate }

func (s *srrip) Victim(set int, candidates uint64) int {
	of := s.prediction[set*s.ways : (set+1)*s.ways]
	for {
		for m := candidates; m != 0; m &= m - 1 {
			if way := bits.TrailingZeros64(m); of[way] == distant {
				return way
			}
		}
		for way := range of {
			of[way] = min(of[way]+1, distant)
		}
	}
}
