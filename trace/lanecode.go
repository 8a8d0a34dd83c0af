package trace

import (
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

// codeRun turns the units of all lanes of an execution into codes, as code does
// lane by lane; it is what an encoder spends its time on, so every model has its
// own loop. units are those of the lanes in mask, in order.
func (m *laneModel) codeRun(mask uint32, units []uint64, out *[WarpSize]uint64) {
	units = units[:bits.OnesCount32(mask)]
	switch m.kind {
	case modelUniform:
		copy(out[:], units)
	case modelLaneBefore:
		m.codeLaneBefore(units, out)
	case modelLanesMean:
		m.codeLanesMean(units, out)
	case modelSameLane:
		m.codeSameLane(mask, units, out)
	case modelSameLaneMean:
		m.codeSameLaneMean(mask, units, out)
	case modelLaneNumber:
		m.codeLaneNumber(mask, units, out)
	case modelCompanion:
		m.codeCompanion(mask, units, out)
	default:
		for i, u := range units {
			out[i&(WarpSize-1)] = m.code(bits.TrailingZeros32(mask), u)
			mask &= mask - 1
		}
	}
}

// signedCode makes distances of either sign small.
func signedCode(v uint64) uint64 { return protowire.EncodeZigZag(int64(v)) }

func (m *laneModel) codeLaneBefore(units []uint64, out *[WarpSize]uint64) {
	p := m.lowest
	for i, u := range units {
		out[i&(WarpSize-1)] = signedCode(u - p)
		p = u
	}
	m.lowest = units[0]
}

func (m *laneModel) codeLanesMean(units []uint64, out *[WarpSize]uint64) {
	mean := m.lanesMean
	for i, u := range units {
		out[i&(WarpSize-1)] = signedCode(u - mean>>meanFraction)
		mean += uint64(int64(u<<meanFraction-mean) >> lanesMeanShift)
	}
	m.lanesMean = mean
}

func (m *laneModel) codeSameLane(mask uint32, units []uint64, out *[WarpSize]uint64) {
	p := m.lowest // of lanes that the warp had not before: the lane before
	for i, u := range units {
		l := bits.TrailingZeros32(mask) & (WarpSize - 1)
		if m.seen>>l&1 == 1 {
			p = m.last[l]
		}
		out[i&(WarpSize-1)] = signedCode(u - p)
		m.last[l], p = u, u
		m.seen |= 1 << l
		mask &= mask - 1
	}
	m.lowest = units[0]
}

func (m *laneModel) codeSameLaneMean(mask uint32, units []uint64, out *[WarpSize]uint64) {
	p := m.lowest
	for i, u := range units {
		l := bits.TrailingZeros32(mask) & (WarpSize - 1)
		if m.seen>>l&1 == 1 {
			p = m.mean[l] >> meanFraction
		} else {
			m.count[l] = 0
		}
		out[i&(WarpSize-1)] = signedCode(u - p)
		m.average(l, u)
		m.seen |= 1 << l
		p = u
		mask &= mask - 1
	}
	m.lowest = units[0]
}

func (m *laneModel) codeLaneNumber(mask uint32, units []uint64, out *[WarpSize]uint64) {
	p := m.lowest
	for i, u := range units {
		l := bits.TrailingZeros32(mask) & (WarpSize - 1)
		if m.count[l] > 0 {
			p = m.mean[l] >> meanFraction
		}
		out[i&(WarpSize-1)] = signedCode(u - p)
		m.average(l, u)
		p = u
		mask &= mask - 1
	}
	m.lowest = units[0]
}

func (m *laneModel) codeCompanion(mask uint32, units []uint64, out *[WarpSize]uint64) {
	distance := m.distance
	for i, u := range units {
		l := bits.TrailingZeros32(mask) & (WarpSize - 1)
		code := u + 1
		if m.known>>l&1 == 1 {
			if m.companion[l]+distance == u {
				code = 0
			}
			distance = u - m.companion[l]
		}
		out[i&(WarpSize-1)] = code
		mask &= mask - 1
	}
	m.distance = distance
}
