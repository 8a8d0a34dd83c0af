// SPDX-License-Identifier: Apache-2.0

package lanecode

import "math/bits"

// The lane models: see LaneModel in wtape.proto. A model turns the addresses of
// explicit lanes, counted in units of the stream, into small codes.
const (
	ModelFixed         = iota // fixed width, without a prediction
	ModelUniform              // the units themselves
	ModelLaneBefore           // near the next lower lane
	ModelLanesMean            // near the lanes before, on average
	ModelSameLane             // near what the lane of this warp had last
	ModelSameLaneMean         // near what the lane of this warp had, on average
	ModelLaneNumber           // near what the lane of any warp had, on average
	ModelSuccessor            // what followed the lane's last address before
	ModelCompanion            // at a constant distance from another instruction's address
	ModelMap                  // what went with another instruction's address before
	ModelNearCompanion        // near a distance from another instruction's address
	ModelEnd
)

// Model predicts explicit lanes of one stream; encoder and decoder share it.
// Only executions with explicit lanes count. All arithmetic is modulo 2^64. It takes
// the lanes of an execution together, so that what a model does is decided once for
// all of them.
type Model struct {
	Kind int
	warp int    // of the last execution
	seen uint32 // lanes of the warp that had an execution before
	met  uint32 // and of any warp

	lowest    uint64 // units of the lowest lane of the execution before
	last      [WarpLanes]uint64
	mean      [WarpLanes]uint64 // times 2^meanFraction
	count     [WarpLanes]uint8  // executions that the mean is of, at most meanCount
	lanesMean uint64            // times 2^meanFraction

	// With a step, last and mean are of the units without their low bits, which are
	// those of the lane's last execution in this warp.
	step uint
	low  [WarpLanes]uint64

	successors []successorEntry
	shift      int // of a hash, to be a place in successors

	// Of the models with a companion: the other instruction's last addresses, how they
	// become units, and the distance of the lane before.
	companion *Watch
	unit      uint
	distance  uint64
}

// UsesTable reports whether a model has a table of successors.
func UsesTable(model int) bool { return model == ModelSuccessor || model == ModelMap }

// UsesCompanion reports whether a model looks at another instruction.
func UsesCompanion(model int) bool {
	return model == ModelCompanion || model == ModelMap || model == ModelNearCompanion
}

// UsesStep reports whether a model can predict units without their low bits.
func UsesStep(model int) bool { return model == ModelSameLane || model == ModelSameLaneMean }

// Start prepares the model for a stream with so many explicit lanes. The companion
// is nil for a model that uses none, and the step 0.
func (m *Model) Start(kind, lanes int, companion *Watch, unit, step uint) {
	table := m.successors[:0]
	*m = Model{Kind: kind, warp: -1, companion: companion, unit: unit, step: step}
	m.successors = table
	if UsesTable(kind) {
		m.startTable(lanes)
	}
}

// StartKeys prepares a model with a table for KeyContexts and LearnKeys alone.
func (m *Model) StartKeys(kind int, companion *Watch, unit uint) {
	table := m.successors
	*m = Model{Kind: kind, warp: -1, companion: companion, unit: unit, successors: table}
}

// begin starts an execution.
func (m *Model) begin(warp int) {
	if warp != m.warp {
		m.warp, m.seen = warp, 0
	}
}

// Codes turns the units of the lanes of an execution into their codes.
func (m *Model) Codes(warp int, mask uint32, v *[WarpLanes]uint64) {
	m.begin(warp)
	switch m.Kind {
	case ModelUniform:
	case ModelLanesMean:
		m.meanCodes(mask, v)
	case ModelCompanion:
		m.companionCodes(mask, v)
	case ModelNearCompanion:
		m.nearCompanionCodes(mask, v)
	case ModelSuccessor, ModelMap:
		m.tableCodes(mask, v)
	default:
		if m.step > 0 {
			m.steppedCodes(mask, v)
		} else {
			m.nearCodes(mask, v)
		}
	}
}

// Units is the inverse of codes.
func (m *Model) Units(warp int, mask uint32, v *[WarpLanes]uint64) {
	m.begin(warp)
	switch m.Kind {
	case ModelUniform:
	case ModelLanesMean:
		m.meanUnits(mask, v)
	case ModelCompanion:
		m.companionUnits(mask, v)
	case ModelNearCompanion:
		m.nearCompanionUnits(mask, v)
	case ModelSuccessor, ModelMap:
		m.tableUnits(mask, v)
	default:
		if m.step > 0 {
			m.steppedUnits(mask, v)
		} else {
			m.nearUnits(mask, v)
		}
	}
}

// AllWarpLanes is the mask of a warp whose lanes all take part.
const AllWarpLanes = ^uint32(0)

// Prefix reports whether a mask is of the first lanes, without a gap, and how many they are. Such
// lanes go together as all do: what a loop makes of those behind is not looked at.
func Prefix(mask uint32) (lanes int, ok bool) {
	return bits.Len32(mask), mask&(mask+1) == 0 && mask != 0
}

// Lane is the lowest lane of a mask that is not empty.
func Lane(mask uint32) int { return bits.TrailingZeros32(mask) & (WarpLanes - 1) }
