package trace

import (
	"math/bits"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

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
	modelMap                 // what went with another instruction's address before
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
	shift      int // of a hash, to be a place in successors

	// Of modelCompanion and modelMap: the other instruction's last addresses in units,
	// for the lanes of the warp that are known, and the distance of the lane before.
	companion [WarpSize]uint64
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

// successorEntry says what units followed or went with others: the last two that
// differ, the latest first. key is 1 + those others, 0 when free.
type successorEntry struct{ key, latest, second uint64 }

// A table has room for all lanes of its stream, and at most 6 MiB: clearing it must
// not cost more than the stream itself.
const (
	minSuccessorBits = 8
	maxSuccessorBits = 18
)

// successorBits is the size of the table of a stream with so many explicit lanes.
func successorBits(lanes int) int {
	return min(maxSuccessorBits, max(minSuccessorBits, bits.Len(uint(max(lanes, 1)-1))))
}

// usesTable reports whether a model has a table of successors.
func usesTable(model int) bool { return model == modelSuccessor || model == modelMap }

// usesCompanion reports whether a model looks at another instruction.
func usesCompanion(model int) bool { return model == modelCompanion || model == modelMap }

// maxSuccessorStreams bounds the memory of a chunk's tables.
const maxSuccessorStreams = 8

// start prepares the model for a stream with so many explicit lanes.
func (m *laneModel) start(kind, lanes int) {
	table := m.successors[:0]
	*m = laneModel{kind: kind, warp: -1}
	if usesTable(kind) {
		width := successorBits(lanes)
		table = slices.Grow(table, 1<<width)[:1<<width]
		clear(table)
		m.shift = 64 - width
	}
	m.successors = table
}

// begin starts an execution.
func (m *laneModel) begin(warp int) {
	if warp != m.warp {
		m.warp, m.seen = warp, 0
	}
	m.first = true
}

// laneWatch keeps what address each lane of a warp had last at one instruction.
type laneWatch struct {
	warp      int
	seen      uint32 // lanes that executed the instruction in this warp
	addresses [WarpSize]uint64
}

// note takes up an execution; lanes are its addresses.
func (w *laneWatch) note(warp int, mask uint32, lanes *[WarpSize]uint64) {
	if warp != w.warp {
		w.warp, w.seen = warp, 0
	}
	w.seen |= mask
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (WarpSize - 1)
		w.addresses[l] = lanes[l]
	}
}

// meet shows a model the addresses of its companion in units.
func (m *laneModel) meet(w *laneWatch, warp int, unit uint) {
	m.known = 0
	if w.warp == warp {
		m.known = w.seen
		for l, a := range &w.addresses {
			m.companion[l] = a >> unit
		}
	}
}

// code turns the units of a lane into its code.
func (m *laneModel) code(l int, units uint64) uint64 {
	switch m.kind {
	case modelUniform:
		return units
	case modelCompanion:
		p := m.companion[l] + m.distance
		hit := p == units && m.known>>l&1 == 1
		m.observe(l, units)
		if hit {
			return 0
		}
		return units + 1
	case modelSuccessor, modelMap:
		return m.tableCode(l, units)
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
	case modelCompanion:
		units := code - 1
		if code == 0 {
			units = m.companion[l] + m.distance
		}
		m.observe(l, units)
		return units
	case modelSuccessor, modelMap:
		return m.tableUnits(l, code)
	}
	units := m.near(l) + uint64(protowire.DecodeZigZag(code))
	m.observe(l, units)
	return units
}

// entry finds what a lane's context says, with its key; nil without a context. An
// entry of another key counts for nothing.
func (m *laneModel) entry(l int) (e *successorEntry, key uint64) {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	context, known := m.last[l], m.seen
	if m.kind == modelMap {
		context, known = m.companion[l], m.known
	}
	if known>>l&1 == 0 {
		return nil, 0
	}
	return &m.successors[context*odd>>m.shift], context + 1
}

func (m *laneModel) tableCode(l int, units uint64) (code uint64) {
	code = units + 2
	if e, key := m.entry(l); e != nil {
		if e.key == key && e.latest == units {
			code = 0
		} else if e.key == key && e.second == units {
			code = 1
		}
		e.learn(key, units)
	}
	m.observe(l, units)
	return code
}

func (m *laneModel) tableUnits(l int, code uint64) (units uint64) {
	units = code - 2
	if e, key := m.entry(l); e != nil {
		if code == 0 {
			units = e.latest
		} else if code == 1 {
			units = e.second
		}
		e.learn(key, units)
	}
	m.observe(l, units)
	return units
}

func (e *successorEntry) learn(key, units uint64) {
	switch {
	case e.key != key:
		*e = successorEntry{key, units, units}
	case e.latest != units:
		e.latest, e.second = units, e.latest
	}
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
	difference := int64(units<<meanFraction - m.mean[l])
	switch m.count[l] {
	case 1:
	case meanCount: // as is mostly so; a constant makes it a shift
		difference /= meanCount
	default:
		difference /= int64(m.count[l])
	}
	m.mean[l] += uint64(difference)
}
