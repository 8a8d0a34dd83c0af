// SPDX-License-Identifier: Apache-2.0

package offload

import "github.com/warptape/warptape/timing/counters"

// Units of what only offloading has.
const (
	executions counters.Unit = "chain executions"
	packets    counters.Unit = "packets"
)

// The counters, in the order of their declarations.
const (
	countChains = iota
	countQueueFull
	countCached
	countNowhere
	countOffloaded
	countAtSlice
	countAtCore
	countSecondFlit
	countReturned
	countRefused
	countAnswers
	countLocal
	countQueueAccess
	countServiceAccess
	countBufferAccess
	countMeetLookup
	countPartitionOp
	countCoreOp
	countContention
)

// firstCounter is the ID of the first.
var firstCounter = counters.Register(Key,
	counters.Declaration{Name: "offload_chains", Unit: executions, Meaning: "chains that warps have begun"},
	counters.Declaration{Name: "offload_queue_full", Unit: executions, Meaning: "chains left to the core: no entry of the offload queue was free"},
	counters.Declaration{Name: "offload_cached", Unit: executions, Meaning: "chains left to the core: a load hit in the L1"},
	counters.Declaration{Name: "offload_nowhere", Unit: executions, Meaning: "chains executed by the offload queue's core: the data of no lane meet at a node that computes, or no entry was free for them"},
	counters.Declaration{Name: "offload_offloaded", Unit: executions, Meaning: "chains that sent at least one packet"},
	counters.Declaration{Name: "offload_packets_to_partitions", Unit: packets, Meaning: "ComputePackets to memory partitions"},
	counters.Declaration{Name: "offload_packets_to_cores", Unit: packets, Meaning: "ComputePackets to other cores, or to routers"},
	counters.Declaration{Name: "offload_mask_flits", Unit: packets, Meaning: "of both, those with a second flit for masks: memory divergence"},
	counters.Declaration{Name: "offload_returned", Unit: packets, Meaning: "ComputePackets that found a service queue full, whose loads were sent on for their own core"},
	counters.Declaration{Name: "offload_refused", Unit: packets, Meaning: "ComputePackets that found a core's or router's service queue full and no place for their loads, and went back"},
	counters.Declaration{Name: "offload_answers", Unit: packets, Meaning: "results and acknowledgements of service queues; with the two counters above, as many as packets"},
	counters.Declaration{Name: "offload_local_parts", Unit: executions, Meaning: "parts of warps whose chain the offload queue's core executed"},
	counters.Declaration{Name: "offload_queue_accesses", Unit: counters.Accesses, Meaning: "to the status registers of offload queues"},
	counters.Declaration{Name: "offload_service_accesses", Unit: counters.Accesses, Meaning: "to the status registers of service queues"},
	counters.Declaration{Name: "offload_buffer_accesses", Unit: counters.Accesses, Meaning: "operands written to and read from the buffers in front of ALUs"},
	counters.Declaration{Name: "offload_meet_lookups", Unit: counters.Accesses, Meaning: "to the tables of meet nodes"},
	counters.Declaration{Name: "offload_partition_ops", Unit: counters.Instructions, Meaning: "ALU instructions of chains at memory partitions"},
	counters.Declaration{Name: "offload_core_ops", Unit: counters.Instructions, Meaning: "ALU instructions of chains at other cores, or at routers"},
	counters.Declaration{Name: "offload_alu_contention_cycles", Unit: counters.Cycles, Meaning: "sum over cores of cycles in which a chain was ready and the core used its ALU"},
)

func init() {
	outcome := "an outcome: what was done is charged"
	issue := "the lanes' operation is charged where it was issued, and costs the same here"
	counters.RegisterFree(map[string]string{
		"offload_chains": outcome, "offload_queue_full": outcome, "offload_cached": outcome, "offload_nowhere": outcome,
		"offload_local_parts":           outcome,
		"offload_packets_to_partitions": "charged by flit", "offload_packets_to_cores": "charged by flit", "offload_mask_flits": "charged by flit",
		"offload_returned": "charged by flit", "offload_refused": "charged by flit", "offload_answers": "charged by flit",
		"offload_partition_ops": issue, "offload_core_ops": issue,
		"offload_alu_contention_cycles": "time: static power",
	})
}
