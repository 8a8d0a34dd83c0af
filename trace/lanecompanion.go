package trace

import "google.golang.org/protobuf/encoding/protowire"

// laneWatch keeps what address each lane of a warp had last at one instruction.
type laneWatch struct {
	warp      int
	seen      uint32 // lanes that executed the instruction in this warp
	addresses [warpLanes]uint64
}

// note takes up an execution; lanes are its addresses.
func (w *laneWatch) note(warp int, mask uint32, lanes *[warpLanes]uint64) {
	if warp != w.warp {
		w.warp, w.seen = warp, 0
	}
	w.seen |= mask
	if mask == allWarpLanes {
		w.addresses = *lanes
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		w.addresses[lane(mask)] = lanes[lane(mask)]
	}
}

// known is the lanes of a warp that have an address.
func (w *laneWatch) known(warp int) uint32 {
	if w.warp != warp {
		return 0
	}
	return w.seen
}

// companionUnits makes units of codes by the distance from a companion.
func (m *laneModel) companionUnits(mask uint32, v *[warpLanes]uint64) {
	known, distance := m.companion.known(m.warp), m.distance
	if mask&known == allWarpLanes && *v == [warpLanes]uint64{} { // as predicted: the distance stays
		for l, address := range &m.companion.addresses {
			v[l] = address>>(m.unit&63) + distance
		}
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		l := lane(mask)
		units := v[l] - 1
		if known>>l&1 == 1 {
			other := m.companion.addresses[l] >> (m.unit & 63)
			if v[l] == 0 {
				units = other + distance
			}
			distance = units - other
		}
		v[l] = units
	}
	m.distance = distance
}

// companionCodes is the inverse of companionUnits.
func (m *laneModel) companionCodes(mask uint32, v *[warpLanes]uint64) {
	known, distance := m.companion.known(m.warp), m.distance
	if mask&known == allWarpLanes {
		for l, address := range &m.companion.addresses {
			units, other := v[l], address>>(m.unit&63)
			v[l] = units + 1
			if units-other == distance {
				v[l] = 0
			}
			distance = units - other
		}
		m.distance = distance
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		l := lane(mask)
		units := v[l]
		v[l] = units + 1
		if known>>l&1 == 1 {
			other := m.companion.addresses[l] >> m.unit
			if units == other+distance {
				v[l] = 0
			}
			distance = units - other
		}
	}
	m.distance = distance
}

// nearCompanionUnits makes units of codes by their difference from a distance from a
// companion; without one by that from the lowest lane of the execution before.
func (m *laneModel) nearCompanionUnits(mask uint32, v *[warpLanes]uint64) {
	known, distance, first := m.companion.known(m.warp), m.distance, lane(mask)
	for ; mask != 0; mask &= mask - 1 {
		l := lane(mask)
		units := uint64(protowire.DecodeZigZag(v[l]))
		if known>>l&1 == 1 {
			other := m.companion.addresses[l] >> (m.unit & 63)
			units += other + distance
			distance = units - other
		} else {
			units += m.lowest
		}
		v[l] = units
	}
	m.distance, m.lowest = distance, v[first]
}

// nearCompanionCodes is the inverse of nearCompanionUnits.
func (m *laneModel) nearCompanionCodes(mask uint32, v *[warpLanes]uint64) {
	known, distance, lowest := m.companion.known(m.warp), m.distance, v[lane(mask)]
	if mask&known == allWarpLanes {
		for l, address := range &m.companion.addresses {
			now := v[l] - address>>(m.unit&63)
			v[l] = protowire.EncodeZigZag(int64(now - distance))
			distance = now
		}
		mask = 0
	}
	for ; mask != 0; mask &= mask - 1 {
		l := lane(mask)
		units, predicted := v[l], m.lowest
		if known>>l&1 == 1 {
			other := m.companion.addresses[l] >> (m.unit & 63)
			predicted = other + distance
			distance = units - other
		}
		v[l] = protowire.EncodeZigZag(int64(units - predicted))
	}
	m.distance, m.lowest = distance, lowest
}
