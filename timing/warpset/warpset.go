// Package warpset is sets of warp slots.
package warpset

import (
	"fmt"
	"math/bits"
)

// Max is the most warp slots that a set can hold: those of the largest SM that an
// architecture can describe. Sets of slots of small SMs have an empty upper half, whose
// look-ups are predicted.
const Max = 128

// Set is a set of the warp slots of one SM. The zero value is the empty set.
type Set struct{ low, high uint64 }

// All is every slot.
func All() Set { return Set{^uint64(0), ^uint64(0)} }

// Of is the set of slot w alone. Slots are below Max in all calls.
func Of(w int) Set { return Set{1 << uint(w), 1 << uint(w-64)} }

// First is the first n slots.
func First(n int) Set { return Set{1<<uint(n) - 1, 1<<uint(max(n-64, 0)) - 1} }

// Has reports whether slot w is a member.
func (s Set) Has(w int) bool { return (s.low>>uint(w)|s.high>>uint(w-64))&1 != 0 }

// Empty reports whether there is no member.
func (s Set) Empty() bool { return s.low|s.high == 0 }

// With is the set and slot w.
func (s Set) With(w int) Set { return Set{s.low | 1<<uint(w), s.high | 1<<uint(w-64)} }

// Without is the set but for slot w.
func (s Set) Without(w int) Set { return Set{s.low &^ (1 << uint(w)), s.high &^ (1 << uint(w-64))} }

// Or is what is in s or t, And what is in both, AndNot what is in s alone.
func (s Set) Or(t Set) Set     { return Set{s.low | t.low, s.high | t.high} }
func (s Set) And(t Set) Set    { return Set{s.low & t.low, s.high & t.high} }
func (s Set) AndNot(t Set) Set { return Set{s.low &^ t.low, s.high &^ t.high} }

// Meets reports whether s and t have a member in common.
func (s Set) Meets(t Set) bool { return s.low&t.low|s.high&t.high != 0 }

// Count is the number of members.
func (s Set) Count() int { return bits.OnesCount64(s.low) + bits.OnesCount64(s.high) }

// Lowest is the member in the lowest slot; the set is not empty.
func (s Set) Lowest() int {
	if s.low != 0 {
		return bits.TrailingZeros64(s.low)
	}
	return 64 + bits.TrailingZeros64(s.high)
}

// Rest is the set without the member in the lowest slot.
func (s Set) Rest() Set {
	if s.low != 0 {
		return Set{s.low & (s.low - 1), s.high}
	}
	return Set{0, s.high & (s.high - 1)}
}

// After is the first member behind slot w, wrapping around, as round robin goes; the
// set is not empty.
func (s Set) After(w int) int {
	later := s.AndNot(First(w + 1))
	if later.Empty() {
		return s.Lowest()
	}
	return later.Lowest()
}

// Before is the members in slots below w.
func (s Set) Before(w int) Set { return s.And(First(w)) }

// Down has the members n slots lower, less than 64; those below n are dropped.
func (s Set) Down(n int) Set { return Set{s.low>>n | s.high<<(64-n), s.high >> n} }

// Up has the members n slots higher, less than 64; those that leave the set are dropped.
func (s Set) Up(n int) Set { return Set{s.low << n, s.high<<n | s.low>>(64-n)} }

// String lists the members.
func (s Set) String() string {
	var list []int
	for ; !s.Empty(); s = s.Rest() {
		list = append(list, s.Lowest())
	}
	return fmt.Sprint(list)
}
