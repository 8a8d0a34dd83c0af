package trace

import "math/bits"

// The lane models: see LaneModel in wtape.proto. A model turns the addresses of
// explicit lanes, counted in units of the stream, into small codes.
const (
	modelFixed         = iota // fixed width, without a prediction
	modelUniform              // the units themselves
	modelLaneBefore           // near the next lower lane
	modelLanesMean            // near the lanes before, on average
	modelSameLane             // near what the lane of this warp had last
	modelSameLaneMean         // near what the lane of this warp had, on average
	modelLaneNumber           // near what the lane of any warp had, on average
	modelSuccessor            // what followed the lane's last address before
	modelCompanion            // at a constant distance from another instruction's address
	modelMap                  // what went with another instruction's address before
	modelNearCompanion        // near a distance from another instruction's address
	modelEnd
)

// laneModel predicts explicit lanes of one stream; encoder and decoder share it.
// Only executions with explicit lanes count. All arithmetic is modulo 2^64. It takes
// the lanes of an execution together, so that what a model does is decided once for
// all of them.
type laneModel struct {
	kind int
	warp int    // of the last execution
	seen uint32 // lanes of the warp that had an execution before
	met  uint32 // and of any warp

	lowest    uint64 // units of the lowest lane of the execution before
	last      [warpLanes]uint64
	mean      [warpLanes]uint64 // times 2^meanFraction
	count     [warpLanes]uint8  // executions that the mean is of, at most meanCount
	lanesMean uint64            // times 2^meanFraction

	// With a step, last and mean are of the units without their low bits, which are
	// those of the lane's last execution in this warp.
	step uint
	low  [warpLanes]uint64

	successors []successorEntry
	shift      int // of a hash, to be a place in successors

	// Of the models with a companion: the other instruction's last addresses, how they
	// become units, and the distance of the lane before.
	companion *laneWatch
	unit      uint
	distance  uint64
}

// usesTable reports whether a model has a table of successors.
func usesTable(model int) bool { return model == modelSuccessor || model == modelMap }

// usesCompanion reports whether a model looks at another instruction.
func usesCompanion(model int) bool {
	return model == modelCompanion || model == modelMap || model == modelNearCompanion
}

// usesStep reports whether a model can predict units without their low bits.
func usesStep(model int) bool { return model == modelSameLane || model == modelSameLaneMean }

// start prepares the model for a stream with so many explicit lanes. The companion
// is nil for a model that uses none, and the step 0.
func (m *laneModel) start(kind, lanes int, companion *laneWatch, unit, step uint) {
	table := m.successors[:0]
	*m = laneModel{kind: kind, warp: -1, companion: companion, unit: unit, step: step}
	m.successors = table
	if usesTable(kind) {
		m.startTable(lanes)
	}
}

// startKeys prepares a model with a table for keyContexts and learnKeys alone.
func (m *laneModel) startKeys(kind int, companion *laneWatch, unit uint) {
	table := m.successors
	*m = laneModel{kind: kind, warp: -1, companion: companion, unit: unit, successors: table}
}

// begin starts an execution.
func (m *laneModel) begin(warp int) {
	if warp != m.warp {
		m.warp, m.seen = warp, 0
	}
}

// codes turns the units of the lanes of an execution into their codes.
func (m *laneModel) codes(warp int, mask uint32, v *[warpLanes]uint64) {
	m.begin(warp)
	switch m.kind {
	case modelUniform:
	case modelLanesMean:
		m.meanCodes(mask, v)
	case modelCompanion:
		m.companionCodes(mask, v)
	case modelNearCompanion:
		m.nearCompanionCodes(mask, v)
	case modelSuccessor, modelMap:
		m.tableCodes(mask, v)
	default:
		if m.step > 0 {
			m.steppedCodes(mask, v)
		} else {
			m.nearCodes(mask, v)
		}
	}
}

// units is the inverse of codes.
func (m *laneModel) units(warp int, mask uint32, v *[warpLanes]uint64) {
	m.begin(warp)
	switch m.kind {
	case modelUniform:
	case modelLanesMean:
		m.meanUnits(mask, v)
	case modelCompanion:
		m.companionUnits(mask, v)
	case modelNearCompanion:
		m.nearCompanionUnits(mask, v)
	case modelSuccessor, modelMap:
		m.tableUnits(mask, v)
	default:
		if m.step > 0 {
			m.steppedUnits(mask, v)
		} else {
			m.nearUnits(mask, v)
		}
	}
}

// allWarpLanes is the mask of a warp whose lanes all take part.
const allWarpLanes = ^uint32(0)

// lane is the lowest lane of a mask that is not empty.
func lane(mask uint32) int { return bits.TrailingZeros32(mask) & (warpLanes - 1) }
