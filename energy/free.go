// SPDX-License-Identifier: Apache-2.0

package energy

import "github.com/warptape/warptape/timing/counters"

// freeCounters are those that no component is charged for, with the reason. A
// test holds every counter against this list and the components' charges.
var freeCounters = map[counters.ID]string{
	counters.IssuedThread:       "its energy is that of lane_ops_*, which add up to it",
	counters.IssueSlots:         "time: static power",
	counters.SlotIssued:         "the same as issued_warp_instructions",
	counters.StallIdle:          "time: static power, clocks are gated perfectly",
	counters.StallFetch:         "time",
	counters.StallBarrier:       "time",
	counters.StallMemory:        "time",
	counters.StallCompute:       "time",
	counters.StallUnit:          "time",
	counters.StallLSU:           "time",
	counters.StallOperand:       "time",
	counters.StallFence:         "time",
	counters.ResidentWarpCycles: "time",
	counters.ActiveSMCycles:     "time; calibration accelwattch charges it for the registers of the pipeline",

	counters.RegisterRead:         "charged by lane: register_lane_reads",
	counters.RegisterWrite:        "charged by lane: register_lane_writes",
	counters.RegisterBankConflict: "time: the accesses are charged",
	counters.UnitSP:               "charged by class: lane_ops_*",
	counters.UnitInt:              "charged by class: lane_ops_*",
	counters.UnitDP:               "charged by class: lane_ops_*",
	counters.UnitSFU:              "charged by class: lane_ops_*",
	counters.UnitTensor:           "charged by class: lane_ops_*",

	counters.BlocksDispatched:     "a few per run: the dispatcher is not modelled",
	counters.BlocksRetired:        "a few per run: the dispatcher is not modelled",
	counters.SharedAccess:         "charged by lane: shared_lane_reads and shared_lane_writes",
	counters.SharedConflictCycles: "time: the accesses are charged",
	counters.SharedWideCycles:     "time: the accesses are charged",
	counters.SharedBusyCycles:     "time: the accesses are charged",
	counters.RemoteSharedAccess:   "the banks are charged by lane: shared_lane_reads and shared_lane_writes; the network of a cluster has no model",

	counters.L1ReadHit:          "the read is charged: l1_reads",
	counters.L1ReadHitSectors:   "charged by transaction: l1_reads; calibration accelwattch charges sectors in their place",
	counters.L1ReadMissSectors:  "charged by transaction: l1_read_misses; calibration accelwattch charges sectors in their place",
	counters.L1WriteHitSectors:  "charged by transaction: l1_write_hits; calibration accelwattch charges sectors in their place",
	counters.L1WriteMissSectors: "charged by transaction: l1_writes; calibration accelwattch charges sectors in their place",
	counters.L2WriteSectorMiss:  "among l2_write_hits",
	counters.LLCWriteSectorMiss: "among llc_write_hits",
	counters.L1ReservationFail:  "time: waiting transactions do not look up again",
	counters.RequestPackets:     "charged by flit",
	counters.ReplyPackets:       "charged by flit",

	counters.RequestInjectionCycles: "time",
	counters.RequestTraversalCycles: "time",
	counters.RequestEjectionCycles:  "time",
	counters.ReplyInjectionCycles:   "time",
	counters.ReplyTraversalCycles:   "time",
	counters.ReplyEjectionCycles:    "time",
	counters.RouterBufferedFlits:    "time: writing and reading buffers is charged by router_flits",
	counters.RouterCreditStalls:     "time",
	counters.RequestQueueCycles:     "time",
	counters.L2ServiceCycles:        "time",
	counters.ReplyQueueCycles:       "time",

	counters.DRAMRead:          "charged by byte",
	counters.DRAMWrite:         "charged by byte",
	counters.DRAMRowHit:        "commands are charged",
	counters.DRAMRowMiss:       "commands are charged",
	counters.DRAMBusCycles:     "bytes are charged",
	counters.DRAMChannelCycles: "time: background power",

	counters.LoadLatencySum:   "time",
	counters.LoadRequests:     "the accesses are charged where they are made",
	counters.RequestsSent:     "the accesses are charged where they are made",
	counters.RequestsAnswered: "the accesses are charged where they are made",

	counters.CopyCycles: "time on the link, which is not on the chip, nor is the host",
}

// freeClasses are the operation classes whose lanes do no arithmetic.
var freeClasses = map[string]string{
	"invalid": "an instruction of no known class", "load": "charged by op.address and where the access goes",
	"store": "charged by op.address and where the access goes", "atomic": "charged by op.address and where the access goes",
	"texture": "charged by op.address and where the access goes", "barrier": "front end only", "fence": "front end only",
	"branch": "front end only", "call": "front end only", "exit": "front end only", "nop": "front end only",
	"bulk": "charged where its lines go",
}

// Free gives the reason for which a counter costs nothing of its own; false for
// counters that components are charged for.
func Free(id counters.ID) (reason string, ok bool) {
	if reason, ok := freeCounters[id]; ok {
		return reason, true
	}
	for class, reason := range freeClasses {
		if counters.Declared(id).Name == "lane_ops_"+class {
			return reason, true
		}
	}
	reason = counters.FreeReason(id)
	return reason, reason != ""
}

// Unpriced names the counters of the machine's mechanisms that no component of
// the model is charged for and that are not free.
func (m *Model) Unpriced(mechanisms []string) []string {
	charged := map[counters.ID]bool{}
	for i := range m.Components {
		for _, ch := range m.Components[i].Charges {
			charged[ch.Counter] = true
		}
	}
	for _, g := range m.gates {
		charged[g.cycles] = true
	}
	var names []string
	for _, key := range mechanisms {
		g, _ := counters.GroupOf(key)
		for i, row := range g.Rows {
			id := g.First + counters.ID(i)
			if _, free := Free(id); !free && !charged[id] {
				names = append(names, row.Name)
			}
		}
	}
	return names
}
