// SPDX-License-Identifier: Apache-2.0

package loadstore

import "github.com/warptape/warptape/timing/seam"

// InFlight is a load or atomic operation that has yet to complete.
type InFlight struct {
	Instruction uint32
	next        uint32 // in the list of free ones
	Warp        uint8
	live        bool
	// Copy is a bulk copy's number in its thread block, from 1; 0 for others.
	Copy uint32
	// Group is the number of an asynchronous copy's group in its warp, if Grouped.
	// Serial is its number among the warp's copies of cp.async.
	Group, Serial uint32
	Grouped       bool
}

// Tokens names the loads in flight. A number is given again after its load has
// completed, so that numbers stay small.
type Tokens struct {
	entries []InFlight
	free    uint32
	live    int
}

// NewTokens has none in flight.
func NewTokens() Tokens { return Tokens{free: seam.NoToken} }

// Live is the number of loads in flight.
func (t *Tokens) Live() int { return t.live }

// Give names a load that goes into flight.
func (t *Tokens) Give(f InFlight) uint32 {
	f.live = true
	t.live++
	if i := t.free; i != seam.NoToken {
		t.free = t.entries[i].next
		t.entries[i] = f
		return i
	}
	t.entries = append(t.entries, f)
	return uint32(len(t.entries) - 1)
}

// Take ends a flight; false for a token that names none.
func (t *Tokens) Take(i uint32) (InFlight, bool) {
	if int(i) >= len(t.entries) || !t.entries[i].live {
		return InFlight{}, false
	}
	f := t.entries[i]
	t.entries[i] = InFlight{next: t.free}
	t.free = i
	t.live--
	return f, true
}
