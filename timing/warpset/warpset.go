// Package warpset is sets of warp slots.
package warpset

import "math/bits"

// Max is the most warp slots that a set can hold.
const Max = 64

// Set is a set of the warp slots of one SM. The zero value is the empty set.
type Set uint64

// All is every slot.
const All = ^Set(0)

// Of is the set of slot w alone.
func Of(w int) Set { return 1 << w }

// First is the first n slots.
func First(n int) Set {
	if n <= 0 {
		return 0
	}
	return All >> (Max - n)
}

// Has reports whether slot w is a member.
func (s Set) Has(w int) bool { return s>>w&1 != 0 }

// Empty reports whether there is no member.
func (s Set) Empty() bool { return s == 0 }

// With is the set and slot w.
func (s Set) With(w int) Set { return s | 1<<w }

// Without is the set but for slot w.
func (s Set) Without(w int) Set { return s &^ (1 << w) }

// Or is what is in s or t, And what is in both, AndNot what is in s alone.
func (s Set) Or(t Set) Set     { return s | t }
func (s Set) And(t Set) Set    { return s & t }
func (s Set) AndNot(t Set) Set { return s &^ t }

// Meets reports whether s and t have a member in common.
func (s Set) Meets(t Set) bool { return s&t != 0 }

// Count is the number of members.
func (s Set) Count() int { return bits.OnesCount64(uint64(s)) }

// Lowest is the member in the lowest slot; the set is not empty.
func (s Set) Lowest() int { return bits.TrailingZeros64(uint64(s)) }

// Rest is the set without the member in the lowest slot.
func (s Set) Rest() Set { return s & (s - 1) }

// After is the first member behind slot w, wrapping around, as round robin goes; the
// set is not empty.
func (s Set) After(w int) int {
	if later := s >> 1 >> (w & (Max - 1)); later != 0 {
		return w + 1 + later.Lowest()
	}
	return s.Lowest()
}

// Before is the members in slots below w.
func (s Set) Before(w int) Set { return s & (1<<w - 1) }
