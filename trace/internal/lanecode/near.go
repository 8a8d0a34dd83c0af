// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace/internal/lanevector"
)

// The models whose code is the difference from a number near by.

const (
	meanFraction = 4
	// meanCount is how many executions a mean weighs, about.
	meanCount     = 1 << meanCountBits
	meanCountBits = 3
	// lanesMeanShift makes a lane weigh a quarter in the mean along the lanes.
	lanesMeanShift = 2
)

// near says where the predictions of the lanes that have a history are, how many
// fractional bits they have, and which lanes those are. Each of the others is
// predicted by the lane before it.
func (m *Model) near() (p *[WarpLanes]uint64, fraction uint, known uint32) {
	switch m.Kind {
	case ModelSameLane:
		return &m.last, 0, m.seen
	case ModelSameLaneMean:
		return &m.mean, meanFraction, m.seen
	case ModelLaneNumber:
		return &m.mean, meanFraction, m.met
	}
	return &m.last, 0, 0
}

// nearUnits makes units of the codes of an execution.
func (m *Model) nearUnits(mask uint32, v *[WarpLanes]uint64) {
	if m.Kind == ModelLaneBefore {
		m.beforeUnits(mask, v)
		return
	}
	p, fraction, known := m.near()
	if mask&^known == 0 {
		for l := range v {
			v[l] = p[l]>>(fraction&63) + uint64(protowire.DecodeZigZag(v[l]))
		}
	} else if before := m.lowest; known == 0 && mask == AllWarpLanes {
		for l := range v {
			before += uint64(protowire.DecodeZigZag(v[l]))
			v[l] = before
		}
	} else {
		for rest := mask; rest != 0; rest &= rest - 1 {
			l := Lane(rest)
			if known>>l&1 == 1 {
				before = p[l] >> (fraction & 63)
			}
			before += uint64(protowire.DecodeZigZag(v[l]))
			v[l] = before
		}
	}
	m.observe(mask, v)
}

// beforeUnits is nearUnits where every lane is predicted by the lane before.
func (m *Model) beforeUnits(mask uint32, v *[WarpLanes]uint64) {
	before, first := m.lowest, Lane(mask)
	if mask == AllWarpLanes {
		for l := range v {
			before += uint64(protowire.DecodeZigZag(v[l]))
			v[l] = before
		}
	} else {
		for ; mask != 0; mask &= mask - 1 {
			before += uint64(protowire.DecodeZigZag(v[Lane(mask)]))
			v[Lane(mask)] = before
		}
	}
	m.lowest = v[first]
}

// nearCodes is the inverse of nearUnits.
func (m *Model) nearCodes(mask uint32, v *[WarpLanes]uint64) {
	p, fraction, known := m.near()
	if _, ok := Prefix(mask); ok && m.Kind == ModelLaneBefore {
		before := m.lowest
		m.lowest = v[0]
		lanevector.ZigzagAlong(v, before)
		return
	}
	units := *v
	if mask&^known == 0 {
		lanevector.ZigzagFrom(v, p, fraction)
		m.observe(mask, &units)
		return
	}
	before := m.lowest
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := Lane(rest)
		if known>>l&1 == 1 {
			before = p[l] >> (fraction & 63)
		}
		v[l] = protowire.EncodeZigZag(int64(units[l] - before))
		before = units[l]
	}
	m.observe(mask, &units)
}

// observe learns the units of an execution.
func (m *Model) observe(mask uint32, units *[WarpLanes]uint64) {
	m.lowest = units[Lane(mask)]
	m.learn(mask, units)
}

// learn keeps what the lanes had, as the model needs it.
func (m *Model) learn(mask uint32, units *[WarpLanes]uint64) {
	switch m.Kind {
	case ModelSameLane:
		if mask == AllWarpLanes {
			m.last = *units
			break
		}
		for rest := mask; rest != 0; rest &= rest - 1 {
			m.last[Lane(rest)] = units[Lane(rest)]
		}
	case ModelSameLaneMean:
		if fresh := mask &^ m.seen; fresh != 0 {
			for rest := fresh; rest != 0; rest &= rest - 1 {
				m.count[Lane(rest)] = 0
			}
		}
		m.average(mask, units)
	case ModelLaneNumber:
		m.average(mask, units)
	}
	m.seen |= mask
	m.met |= mask
}

// average moves the means of the lanes towards the units: by all of the difference
// at first, then half, and less and less to one in meanCount.
func (m *Model) average(mask uint32, units *[WarpLanes]uint64) {
	if mask == AllWarpLanes && m.averageTogether(units) {
		return
	}
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := Lane(rest)
		move := int64(units[l]<<meanFraction - m.mean[l])
		m.count[l] = min(m.count[l]+1, meanCount)
		m.mean[l] += uint64(move / int64(m.count[l]))
	}
}

// sameCount is the counts of lanes that all have been seen n times.
var sameCount = func() (t [meanCount + 1][WarpLanes]uint8) {
	for n := range t {
		for l := range t[n] {
			t[n][l] = uint8(n)
		}
	}
	return t
}()

// equalCounts is == without a call.
func equalCounts(a, b *[WarpLanes]uint8) bool {
	differ := uint64(0)
	for i := 0; i < WarpLanes; i += 8 {
		differ |= binary.LittleEndian.Uint64(a[i:i+8]) ^ binary.LittleEndian.Uint64(b[i:i+8])
	}
	return differ == 0
}

// averageTogether is average for all lanes if they have been seen equally often: a
// division by a constant is a multiplication.
func (m *Model) averageTogether(units *[WarpLanes]uint64) bool {
	n := m.count[0]
	if !equalCounts(&m.count, &sameCount[n]) {
		return false
	}
	mean := &m.mean
	n = min(n+1, meanCount)
	switch n {
	case 1:
		for l := range units {
			mean[l] = units[l] << meanFraction
		}
	case 2:
		lanevector.MoveMeans(mean, units, meanFraction, 1)
	case 3:
		for l := range units {
			mean[l] += uint64(int64(units[l]<<meanFraction-mean[l]) / 3)
		}
	case 4:
		lanevector.MoveMeans(mean, units, meanFraction, 2)
	case 5:
		for l := range units {
			mean[l] += uint64(int64(units[l]<<meanFraction-mean[l]) / 5)
		}
	case 6:
		for l := range units {
			mean[l] += uint64(int64(units[l]<<meanFraction-mean[l]) / 6)
		}
	case 7:
		for l := range units {
			mean[l] += uint64(int64(units[l]<<meanFraction-mean[l]) / 7)
		}
	case meanCount:
		lanevector.MoveMeans(mean, units, meanFraction, meanCountBits)
	}
	m.count = sameCount[n]
	return true
}

// meanUnits makes units of codes with one mean along the lanes.
func (m *Model) meanUnits(mask uint32, v *[WarpLanes]uint64) {
	mean := m.lanesMean
	for ; mask != 0; mask &= mask - 1 {
		l := Lane(mask)
		v[l] = mean>>meanFraction + uint64(protowire.DecodeZigZag(v[l]))
		mean += uint64(int64(v[l]<<meanFraction-mean) >> lanesMeanShift)
	}
	m.lanesMean = mean
}

// meanCodes is the inverse of meanUnits.
func (m *Model) meanCodes(mask uint32, v *[WarpLanes]uint64) {
	mean := m.lanesMean
	if mask == AllWarpLanes {
		for l, units := range v {
			v[l] = protowire.EncodeZigZag(int64(units - mean>>meanFraction))
			mean += uint64(int64(units<<meanFraction-mean) >> lanesMeanShift)
		}
		mask = 0
	}
	for ; mask != 0; mask &= mask - 1 {
		l := Lane(mask)
		units := v[l]
		v[l] = protowire.EncodeZigZag(int64(units - mean>>meanFraction))
		mean += uint64(int64(units<<meanFraction-mean) >> lanesMeanShift)
	}
	m.lanesMean = mean
}
