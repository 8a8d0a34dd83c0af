// SPDX-License-Identifier: Apache-2.0

package mta

import "github.com/warptape/warptape/timing/clock"

// mostThrottled is the degree at which nothing is prefetched.
const mostThrottled = 5

// throttle gives up a part of the predictions: degree fifths of them.
type throttle struct {
	period    clock.Cycle
	high, low float64 // early evictions per useful prefetch
	degree    int
	owed      int // fifths of a prediction that are to be given up
	next      clock.Cycle
	// useful and evicted since the last setting.
	useful, evicted int
}

func newThrottle(s *Section) throttle {
	return throttle{period: clock.Cycle(s.PeriodCycles), high: s.HighPercent / 100, low: s.LowPercent / 100, degree: s.Degree, next: clock.Cycle(s.PeriodCycles)}
}

// set changes the degree when a period has ended (Decoupled affine section 5.1.1:
// by the lines evicted that are prefetched but not used).
func (t *throttle) set(now clock.Cycle) {
	if now < t.next {
		return
	}
	t.next = now + t.period
	switch evicted, useful := float64(t.evicted), float64(t.useful); {
	case evicted > t.high*useful:
		t.degree = mostThrottled
	case evicted > t.low*useful:
		t.degree = min(t.degree+1, mostThrottled)
	default:
		t.degree = max(t.degree-1, 0)
	}
	t.useful, t.evicted = 0, 0
}

// allows decides about one prediction.
func (t *throttle) allows() bool {
	if t.owed += t.degree; t.owed < mostThrottled {
		return true
	}
	t.owed -= mostThrottled
	return false
}
