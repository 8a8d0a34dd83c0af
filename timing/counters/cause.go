// SPDX-License-Identifier: Apache-2.0

package counters

// Cause says what became of an issue slot. Every slot has exactly one.
type Cause uint8

// The causes, in the order of their counters.
const (
	CauseIssued  Cause = 0
	CauseIdle          = Cause(StallIdle - SlotIssued)
	CauseFetch         = Cause(StallFetch - SlotIssued)
	CauseBarrier       = Cause(StallBarrier - SlotIssued)
	CauseMemory        = Cause(StallMemory - SlotIssued)
	CauseCompute       = Cause(StallCompute - SlotIssued)
	CauseUnit          = Cause(StallUnit - SlotIssued)
	CauseLSU           = Cause(StallLSU - SlotIssued)
	CauseOperand       = Cause(StallOperand - SlotIssued)
	CauseFence         = Cause(StallFence - SlotIssued)

	CauseCount = int(StallFence-SlotIssued) + 1
)

// Counter is the counter of the issue slots with the cause.
func (c Cause) Counter() ID { return SlotIssued + ID(c) }

// String is the cause's short name: "issued", "memory".
func (c Cause) String() string {
	if int(c) < CauseCount {
		return causeNames[c]
	}
	return "unknown"
}

var causeNames = [CauseCount]string{
	CauseIssued: "issued", CauseIdle: "idle", CauseFetch: "fetch", CauseBarrier: "barrier", CauseMemory: "memory",
	CauseCompute: "compute", CauseUnit: "unit", CauseLSU: "lsu", CauseOperand: "operand", CauseFence: "fence",
}
