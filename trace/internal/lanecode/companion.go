// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace/internal/lanevector"
)

// Watch keeps what address each lane of a warp had last at one instruction.
type Watch struct {
	Warp      int
	Seen      uint32 // lanes that executed the instruction in this warp
	Addresses [WarpLanes]uint64
}

// Note takes up an execution; lanes are its addresses.
func (w *Watch) Note(warp int, mask uint32, lanes *[WarpLanes]uint64) {
	if warp != w.Warp {
		w.Warp, w.Seen = warp, 0
	}
	w.Seen |= mask
	if mask == AllWarpLanes {
		if lanes != &w.Addresses {
			w.Addresses = *lanes
		}
		return
	}
	if n, ok := Prefix(mask); ok {
		copy(w.Addresses[:n], lanes[:n])
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		w.Addresses[Lane(mask)] = lanes[Lane(mask)]
	}
}

// known is the lanes of a warp that have an address.
func (w *Watch) known(warp int) uint32 {
	if w.Warp != warp {
		return 0
	}
	return w.Seen
}

// companionUnits makes units of codes by the distance from a companion.
func (m *Model) companionUnits(mask uint32, v *[WarpLanes]uint64) {
	known, distance := m.companion.known(m.warp), m.distance
	if mask&known == AllWarpLanes && *v == [WarpLanes]uint64{} { // as predicted: the distance stays
		for l, address := range &m.companion.Addresses {
			v[l] = address>>(m.unit&63) + distance
		}
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		l := Lane(mask)
		units := v[l] - 1
		if known>>l&1 == 1 {
			other := m.companion.Addresses[l] >> (m.unit & 63)
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
func (m *Model) companionCodes(mask uint32, v *[WarpLanes]uint64) {
	known, distance := m.companion.known(m.warp), m.distance
	if n, ok := Prefix(mask); ok && mask&^known == 0 {
		m.distance = v[n-1] - m.companion.Addresses[n-1]>>(m.unit&63)
		lanevector.SameDistance(v, &m.companion.Addresses, m.unit, distance)
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		l := Lane(mask)
		units := v[l]
		v[l] = units + 1
		if known>>l&1 == 1 {
			other := m.companion.Addresses[l] >> m.unit
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
func (m *Model) nearCompanionUnits(mask uint32, v *[WarpLanes]uint64) {
	known, distance, first := m.companion.known(m.warp), m.distance, Lane(mask)
	for ; mask != 0; mask &= mask - 1 {
		l := Lane(mask)
		units := uint64(protowire.DecodeZigZag(v[l]))
		if known>>l&1 == 1 {
			other := m.companion.Addresses[l] >> (m.unit & 63)
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
func (m *Model) nearCompanionCodes(mask uint32, v *[WarpLanes]uint64) {
	known, distance, lowest := m.companion.known(m.warp), m.distance, v[Lane(mask)]
	if n, ok := Prefix(mask); ok && mask&^known == 0 {
		m.distance = v[n-1] - m.companion.Addresses[n-1]>>(m.unit&63)
		m.lowest = lowest
		lanevector.NearDistance(v, &m.companion.Addresses, m.unit, distance)
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		l := Lane(mask)
		units, predicted := v[l], m.lowest
		if known>>l&1 == 1 {
			other := m.companion.Addresses[l] >> (m.unit & 63)
			predicted = other + distance
			distance = units - other
		}
		v[l] = protowire.EncodeZigZag(int64(units - predicted))
	}
	m.distance, m.lowest = distance, lowest
}
