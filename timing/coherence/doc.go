// SPDX-License-Identifier: Apache-2.0

// Package coherence is a full-map directory of the lines that private caches hold,
// next to a last-level cache. It is state without time: its owner sends the probes,
// waits, and counts. The protocol is MESI; the GPSim thesis (§4.4.5) asks for coherent
// cores and names none.
//
// Requests of a line are one after the other: from Begin to End a line is busy, and
// other requests of it wait meanwhile. A private cache tells of every line that it drops
// (Leave), so that the directory is exact but for what is on its way.
package coherence

// State is what a private cache may do with a line.
type State uint8

// The states.
const (
	Invalid   State = iota
	Shared          // to read; others may have it
	Exclusive       // to read, and to write without asking
	Modified        // written

	stateEnd
)

var stateNames = [stateEnd]string{"invalid", "shared", "exclusive", "modified"}

func (s State) String() string {
	if s < stateEnd {
		return stateNames[s]
	}
	return "unknown"
}

// Writable reports whether the holder may write.
func (s State) Writable() bool { return s >= Exclusive }
