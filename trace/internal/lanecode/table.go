// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math/bits"

	"github.com/warptape/warptape/trace/internal/columns"
)

// successorEntry is the last two different units that were seen after, or with, a
// key that is stored here, as far as 32 bits hold them. The key itself is not kept:
// keys that meet in an entry find each other's units as the second.
type successorEntry struct{ latest, second uint32 }

// A table has room for all lanes of its stream, and at most 2 MiB. That is what a
// core's own cache holds, and clearing it must not cost more than the stream itself.
const (
	minSuccessorBits = 8
	maxSuccessorBits = 18
)

// MaxSuccessorStreams bounds the memory of a chunk's tables.
const MaxSuccessorStreams = 8

// successorBits is the size of the table of a stream with so many explicit lanes.
func successorBits(lanes int) int {
	return min(maxSuccessorBits, max(minSuccessorBits, bits.Len(uint(max(lanes, 1)-1))))
}

// startTable clears the table for a stream with so many explicit lanes.
func (m *Model) startTable(lanes int) {
	width := successorBits(lanes)
	m.successors = columns.Zeroed(m.successors, 1<<width)
	m.shift = 64 - width
}

// entries finds where the lanes look up, and which of them have a key. All places
// are known before the first look-up: a processor fetches them side by side.
func (m *Model) entries(at *[WarpLanes]uint32) (known uint32) {
	if m.Kind == ModelSuccessor {
		for l, key := range &m.last {
			at[l] = uint32(key * columns.HashFactor >> (m.shift & 63))
		}
		return m.seen
	}
	for l, address := range &m.companion.Addresses {
		at[l] = uint32(address >> (m.unit & 63) * columns.HashFactor >> (m.shift & 63))
	}
	return m.companion.known(m.warp)
}

// tableUnits makes units of codes by what followed or went with a key before.
func (m *Model) tableUnits(mask uint32, v *[WarpLanes]uint64) {
	var at [WarpLanes]uint32
	known := m.entries(&at)
	for rest := mask &^ known; rest != 0; rest &= rest - 1 {
		v[Lane(rest)] -= 2
	}
	table := m.successors
	for rest := mask & known; rest != 0; rest &= rest - 1 {
		l := Lane(rest)
		e := &table[at[l]]
		latest, code := e.latest, v[l]
		if code == 0 { // an entry learns nothing from what it predicts
			v[l] = uint64(latest)
			continue
		}
		units := code - 2
		if code == 1 {
			units = uint64(e.second)
		}
		v[l] = units
		if uint32(units) != latest {
			e.latest, e.second = uint32(units), latest
		}
	}
	m.LearnKeys(mask, v)
}

// tableCodes is the inverse of tableUnits.
func (m *Model) tableCodes(mask uint32, v *[WarpLanes]uint64) {
	var at [WarpLanes]uint32
	known := m.entries(&at)
	units := *v
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := Lane(rest)
		if known>>l&1 == 0 {
			v[l] = units[l] + 2
			continue
		}
		e := &m.successors[at[l]]
		latest, second, code := e.latest, e.second, units[l]+2
		if units[l] == uint64(second) {
			code = 1
		}
		if units[l] == uint64(latest) {
			code = 0
		}
		v[l] = code
		e.latest, e.second = uint32(units[l]), moved(latest, second, uint32(units[l]))
	}
	m.LearnKeys(mask, &units)
}

// moved is the second units of an entry after it learnt some.
func moved(latest, second, units uint32) uint32 {
	if units != latest {
		second = latest
	}
	return second
}

// LearnKeys keeps the units of an execution as the keys of the next.
func (m *Model) LearnKeys(mask uint32, units *[WarpLanes]uint64) {
	if m.Kind != ModelSuccessor {
		return
	}
	if mask == AllWarpLanes {
		m.last = *units
	} else {
		for rest := mask; rest != 0; rest &= rest - 1 {
			m.last[Lane(rest)] = units[Lane(rest)]
		}
	}
	m.seen |= mask
}
