// SPDX-License-Identifier: Apache-2.0

// Package warpset is sets of warp slots.
package warpset

import (
	"fmt"
	"math/bits"
)

// Max is the most warp slots that a set can hold: those of the largest SM that an
// architecture can describe. Sets of slots of small SMs have an empty upper half: what
// asks for one slot branches to its half, which the processor predicts.
const Max = 128

// Set is a set of the warp slots of one SM. The zero value is the empty set.
type Set struct{ low, high uint64 }

// All is every slot.
func All() Set { return Set{^uint64(0), ^uint64(0)} }

// Of is the set of slot w alone. Slots are below Max in all calls.
func Of(w int) Set { return Set{}.With(w) }

// First is the first n slots.
func First(n int) Set { return Set{1<<uint(n) - 1, 1<<uint(max(n-64, 0)) - 1} }

// Has reports whether slot w is a member.
func (s Set) Has(w int) bool {
	if uint(w) < 64 {
		return s.low>>uint(w)&1 != 0
	}
	return s.high>>(uint(w)%64)&1 != 0
}

// Add puts slot w into the set.
func (s *Set) Add(w int) {
	if uint(w) < 64 {
		s.low |= 1 << uint(w)
	} else {
		s.high |= 1 << (uint(w) % 64)
	}
}

// Remove takes slot w from the set.
func (s *Set) Remove(w int) {
	if uint(w) < 64 {
		s.low &^= 1 << uint(w)
	} else {
		s.high &^= 1 << (uint(w) % 64)
	}
}

// Empty reports whether there is no member.
func (s Set) Empty() bool { return s.low|s.high == 0 }

// With is the set and slot w.
func (s Set) With(w int) Set {
	if uint(w) < 64 {
		s.low |= 1 << uint(w)
	} else {
		s.high |= 1 << (uint(w) % 64)
	}
	return s
}

// Without is the set but for slot w.
func (s Set) Without(w int) Set {
	if uint(w) < 64 {
		s.low &^= 1 << uint(w)
	} else {
		s.high &^= 1 << (uint(w) % 64)
	}
	return s
}

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

// Least is the member whose key is the least, of several with the same the one in the
// lowest slot; the set is not empty.
func (s Set) Least(keys *[Max]uint64) int {
	best := s.Lowest()
	least := keys[best]
	for low := s.low; low != 0; low &= low - 1 {
		if w := bits.TrailingZeros64(low); keys[w] < least {
			best, least = w, keys[w]
		}
	}
	for high := s.high; high != 0; high &= high - 1 {
		if w := 64 + bits.TrailingZeros64(high); keys[w%Max] < least {
			best, least = w, keys[w%Max]
		}
	}
	return best
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
	if later := s.above(w); !later.Empty() {
		return later.Lowest()
	}
	return s.Lowest()
}

// above is the members in slots higher than w.
func (s Set) above(w int) Set {
	if uint(w) < 64 {
		return Set{s.low &^ (2<<uint(w) - 1), s.high}
	}
	return Set{0, s.high &^ (2<<(uint(w)%64) - 1)}
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
