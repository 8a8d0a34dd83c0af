package trace

import "google.golang.org/protobuf/encoding/protowire"

// The lane models: see LaneModel in wtape.proto. A model turns the addresses of
// explicit lanes, counted in units of the stream, into small codes.
const (
	modelFixed        = iota // fixed width, without a prediction
	modelUniform             // the units themselves
	modelLaneBefore          // near the next lower lane
	modelLanesMean           // near the lanes before, on average
	modelSameLane            // near what the lane of this warp had last
	modelSameLaneMean        // near what the lane of this warp had, on average
	modelLaneNumber          // near what the lane of any warp had, on average
	modelSuccessor           // what followed the lane's last address before
	modelCompanion           // at a constant distance from another instruction's address
	modelEnd
)

// laneModel predicts explicit lanes of one stream; encoder and decoder share it.
// Only executions with explicit lanes count. All arithmetic is modulo 2^64.
type laneModel struct {
	kind int
	warp int    // of the execution
	seen uint32 // lanes of the warp that had an execution before

	before     uint64 // units of the lane before in this execution
	lowest     uint64 // units of the lowest lane of the execution before
	first      bool   // no lane of this execution is done
	last       [WarpSize]uint64
	mean       [WarpSize]uint64 // times 2^meanFraction
	count      [WarpSize]uint8  // executions that the mean is of, at most meanCount
	lanesMean  uint64           // times 2^meanFraction
	successors []successorEntry

	// Of modelCompanion: the other instruction's addresses in units, for the lanes
	// that are known, and the distance of the lane before.
	companion *[WarpSize]uint64
	known     uint32
	distance  uint64
}

const (
	meanFraction = 4
	// meanCount is how many executions a mean weighs, about.
	meanCount = 8
	// lanesMeanShift makes a lane weigh a quarter in the mean along the lanes.
	lanesMeanShift = 2
)

// successorEntry says what units followed others; key is 1 + units, 0 when free.
type successorEntry struct{ key, next uint64 }

// successorBits gives the table of a stream 4 MiB: room for most of the nodes
// that one chunk can visit.
const successorBits = 18

// maxSuccessorStreams bounds the memory of a chunk's tables.
const maxSuccessorStreams = 8

func (m *laneModel) start(kind int) {
	successors := m.successors
	*m = laneModel{kind: kind, warp: -1, successors: successors}
	if kind != modelSuccessor {
		return
	}
	if m.successors == nil {
		m.successors = make([]successorEntry, 1<<successorBits)
	} else {
		clear(m.successors)
	}
}

// begin starts an execution.
func (m *laneModel) begin(warp int) {
	if warp != m.warp {
		m.warp, m.seen = warp, 0
	}
	m.first = true
}

// code turns the units of a lane into its code.
func (m *laneModel) code(l int, units uint64) uint64 {
	switch m.kind {
	case modelUniform:
		return units
	case modelSuccessor, modelCompanion:
		p, ok := m.exact(l)
		m.observe(l, units)
		if ok && p == units {
			return 0
		}
		return units + 1
	}
	p := m.near(l)
	m.observe(l, units)
	return protowire.EncodeZigZag(int64(units - p))
}

// units is the inverse of code.
func (m *laneModel) units(l int, code uint64) uint64 {
	switch m.kind {
	case modelUniform:
		return code
	case modelSuccessor, modelCompanion:
		units := code - 1
		if code == 0 {
			units, _ = m.exact(l)
		}
		m.observe(l, units)
		return units
	}
	units := m.near(l) + uint64(protowire.DecodeZigZag(code))
	m.observe(l, units)
	return units
}

// exact predicts the units of a lane or not at all.
func (m *laneModel) exact(l int) (units uint64, ok bool) {
	if m.kind == modelCompanion {
		return m.companion[l] + m.distance, m.known>>l&1 == 1
	}
	if m.seen>>l&1 == 0 {
		return 0, false
	}
	e := m.successor(l)
	return e.next, e.key == m.last[l]+1
}

func (m *laneModel) successor(l int) *successorEntry {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	return &m.successors[m.last[l]*odd>>(64-successorBits)]
}

// near predicts a number close to the units of a lane.
func (m *laneModel) near(l int) uint64 {
	switch m.kind {
	case modelLanesMean:
		return m.lanesMean >> meanFraction
	case modelLaneNumber:
		if m.count[l] > 0 {
			return m.mean[l] >> meanFraction
		}
	case modelSameLane:
		if m.seen>>l&1 == 1 {
			return m.last[l]
		}
	case modelSameLaneMean:
		if m.seen>>l&1 == 1 {
			return m.mean[l] >> meanFraction
		}
	}
	if m.first {
		return m.lowest
	}
	return m.before
}

// observe learns the units of a lane.
func (m *laneModel) observe(l int, units uint64) {
	if m.first {
		m.lowest, m.first = units, false
	}
	m.before = units
	switch m.kind {
	case modelLanesMean:
		m.lanesMean += uint64(int64(units<<meanFraction-m.lanesMean) >> lanesMeanShift)
	case modelSameLaneMean:
		if m.seen>>l&1 == 0 {
			m.count[l] = 0
		}
		m.average(l, units)
	case modelLaneNumber:
		m.average(l, units)
	case modelSuccessor:
		if m.seen>>l&1 == 1 {
			*m.successor(l) = successorEntry{m.last[l] + 1, units}
		}
	case modelCompanion:
		if m.known>>l&1 == 1 {
			m.distance = units - m.companion[l]
		}
	}
	m.last[l] = units
	m.seen |= 1 << l
}

// average moves the mean of a lane towards the units: by all of the difference at
// first, then half, and less and less to one in meanCount.
func (m *laneModel) average(l int, units uint64) {
	if m.count[l] < meanCount {
		m.count[l]++
	}
	m.mean[l] += uint64(int64(units<<meanFraction-m.mean[l]) / int64(m.count[l]))
}
