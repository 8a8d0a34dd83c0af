package trace

import (
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

// A lane that comes back to its own column of a table, such as a counter of its own
// for every bin, has the same low bits of units each time. With a step the models of
// a lane's own history predict the bits above them only.

// steppedUnits is nearUnits with a step.
func (m *laneModel) steppedUnits(mask uint32, v *[warpLanes]uint64) {
	var high [warpLanes]uint64
	p, fraction, known := m.near()
	if mask&known == allWarpLanes {
		for l, predicted := range p {
			v[l] = (predicted>>(fraction&63)+uint64(protowire.DecodeZigZag(v[l])))<<(m.step&63) | m.low[l]
			high[l] = v[l] >> (m.step & 63)
		}
		m.lowest = v[0]
		m.learn(mask, &high)
		return
	}
	before := m.lowest
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := lane(rest)
		if known>>l&1 == 1 {
			before = (p[l]>>(fraction&63)+uint64(protowire.DecodeZigZag(v[l])))<<(m.step&63) | m.low[l]
		} else {
			before += uint64(protowire.DecodeZigZag(v[l]))
		}
		v[l], high[l] = before, before>>(m.step&63)
	}
	m.observeStepped(mask, v, &high)
}

// steppedCodes is the inverse of steppedUnits, for units whose low bits are those
// that the lanes have.
func (m *laneModel) steppedCodes(mask uint32, v *[warpLanes]uint64) {
	var high [warpLanes]uint64
	p, fraction, known := m.near()
	units := *v
	if mask&known == allWarpLanes { // their low bits stay
		for l, u := range &units {
			high[l] = u >> (m.step & 63)
			v[l] = protowire.EncodeZigZag(int64(high[l] - p[l]>>(fraction&63)))
		}
		m.lowest = units[0]
		m.learn(mask, &high)
		return
	}
	before := m.lowest
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := lane(rest)
		high[l] = units[l] >> (m.step & 63)
		if known>>l&1 == 1 {
			v[l] = protowire.EncodeZigZag(int64(high[l] - p[l]>>(fraction&63)))
		} else {
			v[l] = protowire.EncodeZigZag(int64(units[l] - before))
		}
		before = units[l]
	}
	m.observeStepped(mask, &units, &high)
}

// observeStepped learns units, and what they are without their low bits.
func (m *laneModel) observeStepped(mask uint32, units, high *[warpLanes]uint64) {
	m.lowest = units[lane(mask)]
	ones := uint64(1)<<(m.step&63) - 1
	for rest := mask; rest != 0; rest &= rest - 1 {
		m.low[lane(rest)] = units[lane(rest)] & ones
	}
	m.learn(mask, high)
}

// laneStep is the largest step that units of runs allow.
func laneStep(runs []laneRun, units []uint64) uint {
	var last [warpLanes]uint64
	var seen uint32
	var differ uint64
	warp := int32(-1)
	for i := range runs {
		run := &runs[i]
		if run.warp != warp {
			warp, seen = run.warp, 0
		}
		for m := run.mask; m != 0; m &= m - 1 {
			l := lane(m)
			if seen>>l&1 == 1 {
				differ |= last[l] ^ units[0]
			}
			last[l] = units[0]
			units = units[1:]
		}
		seen |= run.mask
		if differ&1 == 1 {
			return 0
		}
	}
	return uint(bits.TrailingZeros64(differ)) & 63
}
