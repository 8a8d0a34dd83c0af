// SPDX-License-Identifier: Apache-2.0

package buddy

import "github.com/warptape/warptape/timing/counters"

// Units of what only clusters have.
const (
	packets      counters.Unit = "packets"
	bitDistances counters.Unit = "bits times hops"
	events       counters.Unit = "events"
)

// The counters, in the order of their declarations.
const (
	lockstepCycles = iota
	gatedCycles
	rampDownCycles
	ungroups
	residueUngroups
	regroups
	wakeUps
	masterInstructions
	slaveInstructions
	trackedAccesses
	instructionPackets
	maskPackets
	ackPackets
	controlPackets
	bitHops
	networkSlots
)

var first = counters.Register(key,
	counters.Declaration{Name: "buddy_lockstep_cycles", Unit: counters.Cycles, Meaning: "sum over the SMs of cycles in which they issue together with others (Buddy SM section 6.1)"},
	counters.Declaration{Name: "buddy_gated_cycles", Unit: counters.Cycles, Meaning: "sum over the SMs of cycles in which their front end has no supply"},
	counters.Declaration{Name: "buddy_ramp_down_cycles", Unit: counters.Cycles, Meaning: "sum over the SMs of cycles between an ungroup request at the master and independent execution"},
	counters.Declaration{Name: "buddy_ungroups", Unit: events, Meaning: "groups that were ungrouped because paths of their members had parted"},
	counters.Declaration{Name: "buddy_residue_ungroups", Unit: events, Meaning: "groups that were ungrouped for thread blocks too few for all members"},
	counters.Declaration{Name: "buddy_regroups", Unit: events, Meaning: "groups that were grouped again within a kernel"},
	counters.Declaration{Name: "buddy_wake_ups", Unit: events, Meaning: "front ends that were supplied again"},
	counters.Declaration{Name: "buddy_master_instructions", Unit: counters.Instructions, Meaning: "warp instructions that masters issued for themselves and their slaves"},
	counters.Declaration{Name: "buddy_slave_instructions", Unit: counters.Instructions, Meaning: "warp instructions of slaves, issued by their masters"},
	counters.Declaration{Name: "buddy_tracked_accesses", Unit: counters.Accesses, Meaning: "loads and atomics of all members of groups: the master's scoreboard sets and clears a bit for each"},
	counters.Declaration{Name: "buddy_instruction_packets", Unit: packets, Meaning: "InstPackets with an instruction, 64 bits, one per slave"},
	counters.Declaration{Name: "buddy_mask_packets", Unit: packets, Meaning: "InstPackets with the master's thread mask after a branch, 64 bits, one per slave"},
	counters.Declaration{Name: "buddy_ack_packets", Unit: packets, Meaning: "MemPackets, 16 bits"},
	counters.Declaration{Name: "buddy_control_packets", Unit: packets, Meaning: "CtrlPackets, 16 bits"},
	counters.Declaration{Name: "buddy_bit_hops", Unit: bitDistances, Meaning: "bits on the cluster networks times the neighbouring SMs that they pass"},
	counters.Declaration{Name: "buddy_network_slots", Unit: counters.Slots, Meaning: "issue slots of masters that were lost because the network was taken; they are among stall_unit"},
)

// count adds to a counter of a set.
func count(set *counters.Set, which int, n uint64) { set[int(first)+which] += n }

func init() {
	time := "time: static power"
	counters.RegisterFree(map[string]string{
		"buddy_lockstep_cycles":     time,
		"buddy_ramp_down_cycles":    time,
		"buddy_network_slots":       time,
		"buddy_ungroups":            "its packets are charged",
		"buddy_residue_ungroups":    "its packets are charged",
		"buddy_regroups":            "its instructions are charged",
		"buddy_slave_instructions":  "spares the slaves' front ends what an instruction costs there",
		"buddy_instruction_packets": "charged by bit and distance",
		"buddy_mask_packets":        "charged by bit and distance",
		"buddy_ack_packets":         "charged by bit and distance",
		"buddy_control_packets":     "charged by bit and distance",
		"buddy_wake_ups":            "not priced unless buddy.wake_pj is given: a kernel has one for each slave at most",
	})
}
