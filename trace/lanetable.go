package trace

import "math/bits"

// successorEntry is the last two different units that were seen after, or with, a
// key that is stored here, as far as 32 bits hold them. The key itself is not kept:
// keys that meet in an entry find each other's units as the second.
type successorEntry struct{ latest, second uint32 }

// A table has room for all lanes of its stream, and at most 2 MiB: that is what a
// core's own cache holds, and clearing it must not cost more than the stream itself.
const (
	minSuccessorBits = 8
	maxSuccessorBits = 18
)

// maxSuccessorStreams bounds the memory of a chunk's tables.
const maxSuccessorStreams = 8

// successorBits is the size of the table of a stream with so many explicit lanes.
func successorBits(lanes int) int {
	return min(maxSuccessorBits, max(minSuccessorBits, bits.Len(uint(max(lanes, 1)-1))))
}

// startTable clears the table for a stream with so many explicit lanes.
func (m *laneModel) startTable(lanes int) {
	width := successorBits(lanes)
	m.successors = zeroed(m.successors, 1<<width)
	m.shift = 64 - width
}

// entries finds where the lanes look up, and which of them have a key. All places
// are known before the first look-up: a processor fetches them side by side.
func (m *laneModel) entries(at *[warpLanes]uint32) (known uint32) {
	if m.kind == modelSuccessor {
		for l, key := range &m.last {
			at[l] = uint32(key * hashFactor >> (m.shift & 63))
		}
		return m.seen
	}
	for l, address := range &m.companion.addresses {
		at[l] = uint32(address >> (m.unit & 63) * hashFactor >> (m.shift & 63))
	}
	return m.companion.known(m.warp)
}

// tableUnits makes units of codes by what followed or went with a key before.
func (m *laneModel) tableUnits(mask uint32, v *[warpLanes]uint64) {
	var at [warpLanes]uint32
	known := m.entries(&at)
	for rest := mask &^ known; rest != 0; rest &= rest - 1 {
		v[lane(rest)] -= 2
	}
	table := m.successors
	for rest := mask & known; rest != 0; rest &= rest - 1 {
		l := lane(rest)
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
	m.learnKeys(mask, v)
}

// tableCodes is the inverse of tableUnits.
func (m *laneModel) tableCodes(mask uint32, v *[warpLanes]uint64) {
	var at [warpLanes]uint32
	known := m.entries(&at)
	units := *v
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := lane(rest)
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
	m.learnKeys(mask, &units)
}

// moved is the second units of an entry after it learnt some.
func moved(latest, second, units uint32) uint32 {
	if units != latest {
		second = latest
	}
	return second
}

// learnKeys keeps the units of an execution as the keys of the next.
func (m *laneModel) learnKeys(mask uint32, units *[warpLanes]uint64) {
	if m.kind != modelSuccessor {
		return
	}
	if mask == allWarpLanes {
		m.last = *units
	} else {
		for rest := mask; rest != 0; rest &= rest - 1 {
			m.last[lane(rest)] = units[lane(rest)]
		}
	}
	m.seen |= mask
}
