// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace/internal/lanevector"
)

// A lane that comes back to its own column of a table has the same low bits of units
// each time. An example is a counter of its own for every bin. With a step the
// models of a lane's own history predict the bits above them only.

// steppedUnits is nearUnits with a step.
func (m *Model) steppedUnits(mask uint32, v *[WarpLanes]uint64) {
	var high [WarpLanes]uint64
	p, fraction, known := m.near()
	if mask&known == AllWarpLanes {
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
		l := Lane(rest)
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
func (m *Model) steppedCodes(mask uint32, v *[WarpLanes]uint64) {
	var high [WarpLanes]uint64
	p, fraction, known := m.near()
	units := *v
	if mask&known == AllWarpLanes { // their low bits stay
		lanevector.Shift(v[:], m.step)
		high = *v
		lanevector.ZigzagFrom(v, p, fraction)
		m.lowest = units[0]
		m.learn(mask, &high)
		return
	}
	before := m.lowest
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := Lane(rest)
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
func (m *Model) observeStepped(mask uint32, units, high *[WarpLanes]uint64) {
	m.lowest = units[Lane(mask)]
	ones := uint64(1)<<(m.step&63) - 1
	for rest := mask; rest != 0; rest &= rest - 1 {
		m.low[Lane(rest)] = units[Lane(rest)] & ones
	}
	m.learn(mask, high)
}

// Step is the largest step that units of runs allow.
func Step(runs []Run, units []uint64) uint {
	var last [WarpLanes]uint64
	var seen uint32
	var differ uint64
	warp := int32(-1)
	for i := range runs {
		run := &runs[i]
		if run.Warp != warp {
			warp, seen = run.Warp, 0
		}
		if seen == AllWarpLanes && run.Mask == AllWarpLanes {
			differ |= lanevector.Changed(&last, (*[WarpLanes]uint64)(units))
			units = units[WarpLanes:]
			if differ&1 == 1 {
				return 0
			}
			continue
		}
		for m := run.Mask; m != 0; m &= m - 1 {
			l := Lane(m)
			if seen>>l&1 == 1 {
				differ |= last[l] ^ units[0]
			}
			last[l] = units[0]
			units = units[1:]
		}
		seen |= run.Mask
		if differ&1 == 1 {
			return 0
		}
	}
	return uint(bits.TrailingZeros64(differ)) & 63
}
