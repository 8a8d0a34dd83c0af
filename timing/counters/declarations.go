// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"strings"

	"github.com/warptape/warptape/trace"
)

// declarations is the one table of all counters.
var declarations = withLaneOps([end]Declaration{
	IssuedWarp:           {"issued_warp_instructions", Instructions, "warp instructions issued, also those whose guard holds in no lane"},
	IssuedThread:         {"issued_thread_instructions", Threads, "lanes of issued instructions that were active and whose guard held"},
	IssueSlots:           {"issue_slots", Slots, "schedulers x instructions per scheduler x core cycles, over all SMs"},
	SlotIssued:           {"slots_issued", Slots, "issue slots in which an instruction issued"},
	StallIdle:            {"stall_idle", Slots, "issue slots of a scheduler that has no warp with instructions left"},
	StallFetch:           {"stall_fetch", Slots, "issue slots lost to empty instruction buffers"},
	StallBarrier:         {"stall_barrier", Slots, "issue slots lost to warps that wait at a barrier, or for a phase of an mbarrier"},
	StallMemory:          {"stall_memory", Slots, "issue slots lost to a register that a load or atomic has yet to write"},
	StallCompute:         {"stall_compute", Slots, "issue slots lost to a register that a functional unit has yet to write"},
	StallUnit:            {"stall_unit", Slots, "issue slots lost to a busy functional unit"},
	StallLSU:             {"stall_lsu", Slots, "issue slots lost to a busy load-store unit"},
	StallOperand:         {"stall_operand", Slots, "issue slots lost to a lack of operand collectors, or to a register whose old value is yet to be read"},
	StallFence:           {"stall_fence", Slots, "issue slots lost to warps that wait at a memory fence"},
	ResidentWarpCycles:   {"resident_warp_cycles", Warps, "sum over core cycles of the warps resident on all SMs"},
	ActiveSMCycles:       {"active_sm_cycles", Cycles, "sum over SMs of the core cycles with a resident thread block"},
	FetchInstruction:     {"fetched_instructions", Instructions, "instructions fetched into instruction buffers"},
	FetchMiss:            {"fetch_misses", Accesses, "fetches that had to wait for the instruction line"},
	RegisterRead:         {"register_reads", Accesses, "32-bit registers of a warp read"},
	RegisterWrite:        {"register_writes", Accesses, "32-bit registers of a warp written"},
	RegisterBankConflict: {"register_bank_conflict_cycles", Cycles, "cycles by which register bank conflicts prolong operand reads; with sm.collectors summed over collectors and write-backs that wait for a bank"},

	UnitSP:      {"issued_sp", Instructions, "warp instructions issued to SP units"},
	UnitInt:     {"issued_int", Instructions, "warp instructions issued to integer units"},
	UnitDP:      {"issued_dp", Instructions, "warp instructions issued to double-precision units"},
	UnitSFU:     {"issued_sfu", Instructions, "warp instructions issued to special-function units"},
	UnitTensor:  {"issued_tensor", Instructions, "warp instructions issued to tensor units"},
	UnitLDST:    {"issued_ldst", Instructions, "warp instructions issued to load-store units"},
	UnitControl: {"issued_control", Instructions, "branches, barriers, fences, exits and other instructions that need no unit"},

	BlocksDispatched: {"blocks_dispatched", Blocks, "thread blocks placed on SMs"},
	BlocksRetired:    {"blocks_retired", Blocks, "thread blocks that have ended"},

	SharedAccess:         {"shared_accesses", Accesses, "warp accesses to shared memory"},
	SharedConflictCycles: {"shared_conflict_cycles", Cycles, "cycles of shared-memory accesses behind those of their first wavefront: bank conflicts, and wide accesses"},
	SharedWideCycles:     {"shared_wide_cycles", Cycles, "of shared_conflict_cycles, those that accesses of several words a lane take without a conflict"},
	SharedBusyCycles:     {"shared_busy_cycles", Cycles, "cycles for which accesses hold the port of shared memory"},
	RemoteSharedAccess:   {"remote_shared_accesses", Accesses, "accesses of a warp to the shared memory of another SM, one for each SM that an instruction reaches"},

	GlobalTransactions: {"global_transactions", Accesses, "line transactions made of global and local accesses by the coalescer"},
	L1Read:             {"l1_reads", Accesses, "read transactions at L1"},
	L1ReadHit:          {"l1_read_hits", Accesses, "read transactions that found their data in L1"},
	L1ReadMiss:         {"l1_read_misses", Accesses, "read transactions that fetched their data"},
	L1ReadMerge:        {"l1_read_merges", Accesses, "read transactions that joined an outstanding miss"},
	L1Write:            {"l1_writes", Accesses, "write transactions at L1"},
	L1WriteHit:         {"l1_write_hits", Accesses, "write transactions that found their line in L1"},
	L1ReservationFail:  {"l1_reservation_fails", Cycles, "cycles in which a transaction waited for a line, an MSHR or the miss queue"},
	ConstantRead:       {"constant_reads", Accesses, "distinct addresses read through the constant cache"},
	ConstantMiss:       {"constant_misses", Accesses, "constant reads that missed"},

	RequestPackets: {"request_packets", Requests, "packets from SMs to memory partitions"},
	RequestFlits:   {"request_flits", Flits, "flits from SMs to memory partitions"},
	ReplyPackets:   {"reply_packets", Requests, "packets from memory partitions to SMs"},
	ReplyFlits:     {"reply_flits", Flits, "flits from memory partitions to SMs"},

	L2Read:      {"l2_reads", Accesses, "reads at L2"},
	L2ReadHit:   {"l2_read_hits", Accesses, "reads that found their data in L2"},
	L2ReadMiss:  {"l2_read_misses", Accesses, "reads that fetched their data from DRAM"},
	L2ReadMerge: {"l2_read_merges", Accesses, "reads that joined an outstanding miss"},
	L2Write:     {"l2_writes", Accesses, "writes at L2"},
	L2WriteHit:  {"l2_write_hits", Accesses, "writes that found their line in L2"},
	L2WriteMiss: {"l2_write_misses", Accesses, "writes that did not find their line in L2"},
	L2WriteBack: {"l2_write_backs", Accesses, "dirty lines or sectors written back to DRAM"},
	L2Atomic:    {"l2_atomics", Accesses, "atomic transactions performed at L2"},

	LLCRead:      {"llc_reads", Accesses, "reads at the last-level cache"},
	LLCReadHit:   {"llc_read_hits", Accesses, "reads that found their data in the last-level cache"},
	LLCReadMiss:  {"llc_read_misses", Accesses, "reads that the last-level cache fetched from DRAM"},
	LLCReadMerge: {"llc_read_merges", Accesses, "reads that joined an outstanding miss of the last-level cache"},
	LLCWrite:     {"llc_writes", Accesses, "writes at the last-level cache"},
	LLCWriteHit:  {"llc_write_hits", Accesses, "writes that found their line in the last-level cache"},
	LLCWriteMiss: {"llc_write_misses", Accesses, "writes that did not find their line in the last-level cache"},
	LLCWriteBack: {"llc_write_backs", Accesses, "dirty sectors that the last-level cache wrote back to DRAM"},

	DRAMRead:          {"dram_reads", Commands, "column read commands"},
	DRAMWrite:         {"dram_writes", Commands, "column write commands"},
	DRAMRowHit:        {"dram_row_hits", Accesses, "column commands that found their row open"},
	DRAMRowMiss:       {"dram_row_misses", Accesses, "column commands for which a row had to be opened"},
	DRAMActivate:      {"dram_activates", Commands, "row activate commands"},
	DRAMPrecharge:     {"dram_precharges", Commands, "precharge commands"},
	DRAMReadBytes:     {"dram_read_bytes", Bytes, "bytes read from DRAM"},
	DRAMWriteBytes:    {"dram_write_bytes", Bytes, "bytes written to DRAM"},
	DRAMBusCycles:     {"dram_bus_cycles", DRAMCycles, "cycles in which a channel's data bus moved data"},
	DRAMChannelCycles: {"dram_channel_cycles", DRAMCycles, "channels x DRAM cycles of the run"},

	LoadLatencySum:   {"load_latency_cycles", Cycles, "sum over answered loads and atomics of global and local memory of the time from the load-store unit to the register"},
	LoadRequests:     {"load_requests", Requests, "loads and atomics whose latency is in load_latency_cycles"},
	RequestsSent:     {"requests_sent", Requests, "requests sent into the memory system"},
	RequestsAnswered: {"requests_answered", Requests, "requests that the memory system has answered"},

	FetchAccess:        {"fetch_accesses", Accesses, "reads of the instruction cache for instruction buffers, each of up to sm.fetch_width instructions of one line"},
	RegisterLaneRead:   {"register_lane_reads", Lanes, "32-bit registers read, counted per lane that was active and whose guard held"},
	RegisterLaneWrite:  {"register_lane_writes", Lanes, "32-bit registers written, counted per lane that was active and whose guard held"},
	SharedLaneRead:     {"shared_lane_reads", Threads, "lanes that read shared memory, atomics included"},
	SharedLaneWrite:    {"shared_lane_writes", Threads, "lanes that write shared memory, atomics included"},
	GlobalLane:         {"global_lanes", Threads, "lanes that access global, local or texture memory"},
	L2WriteSectorMiss:  {"l2_write_sector_misses", Accesses, "writes that found their line in L2 without the sector; they are also among l2_write_hits"},
	TextureRead:        {"texture_reads", Accesses, "read transactions at the texture cache"},
	TextureMiss:        {"texture_misses", Accesses, "texture reads that fetched their data"},
	TextureMerge:       {"texture_merges", Accesses, "texture reads that joined an outstanding miss"},
	LLCWriteSectorMiss: {"llc_write_sector_misses", Accesses, "writes that found their line in the last-level cache without the sector; they are also among llc_write_hits"},
	DRAMRefresh:        {"dram_refreshes", Commands, "refresh commands, of all banks or of one; those of a channel that stays idle to the end are left out"},
	CopyToDeviceBytes:  {"copy_to_device_bytes", Bytes, "bytes that the host has copied to the device; of the run, no launch has any"},
	CopyToHostBytes:    {"copy_to_host_bytes", Bytes, "bytes that the host has copied from the device; of the run, no launch has any"},
	CopyCycles:         {"copy_cycles", Cycles, "sum over the host's copies of their time on the link; of the run, no launch has any"},

	RequestInjectionCycles: {"request_injection_cycles", NetCycles, "sum over requests of the time in the injection queue of their SM"},
	RequestTraversalCycles: {"request_traversal_cycles", NetCycles, "sum over requests of the time from the injection queue to the arrival of the last flit"},
	RequestEjectionCycles:  {"request_ejection_cycles", NetCycles, "sum over requests of the time in the network's queue in front of their L2 slice"},
	RequestFlitHops:        {"request_flit_hops", Flits, "links between routers that flits of requests have crossed (weighted hop count; a crossbar has none)"},
	ReplyInjectionCycles:   {"reply_injection_cycles", NetCycles, "sum over replies of the time in the injection queue of their L2 slice"},
	ReplyTraversalCycles:   {"reply_traversal_cycles", NetCycles, "sum over replies of the time from the injection queue to the arrival of the last flit"},
	ReplyEjectionCycles:    {"reply_ejection_cycles", NetCycles, "sum over replies of the time in the network's queue in front of their SM"},
	ReplyFlitHops:          {"reply_flit_hops", Flits, "links between routers that flits of replies have crossed (weighted hop count; a crossbar has none)"},
	RouterFlits:            {"router_flits", Flits, "flits through the switches of routers, buffered, allocated and sent on in each"},
	RouterBufferedFlits:    {"router_buffered_flit_cycles", NetCycles, "sum over network cycles of the flits in the buffers of routers"},
	RouterCreditStalls:     {"router_credit_stall_cycles", NetCycles, "sum over network cycles of the virtual channels of routers with a flit that waits for a credit only"},

	RequestQueueCycles: {"request_queue_cycles", Cycles, "sum over requests of the time in the miss queues of their SM, in front of the injection queue"},
	L2ServiceCycles:    {"l2_service_cycles", L2Cycles, "sum over replies of the time from their request's leaving the network to their being ready, in L2 and below"},
	ReplyQueueCycles:   {"reply_queue_cycles", L2Cycles, "sum over replies of the time that they wait in their L2 slice for a place in the injection queue"},

	L1ReadHitSectors:   {"l1_read_hit_sectors", Accesses, "sectors of 32 bytes that read transactions found in L1"},
	L1ReadMissSectors:  {"l1_read_miss_sectors", Accesses, "sectors of 32 bytes that read transactions fetched, or that were on their way"},
	L1WriteHitSectors:  {"l1_write_hit_sectors", Accesses, "sectors of 32 bytes of write transactions that found their line in L1"},
	L1WriteMissSectors: {"l1_write_miss_sectors", Accesses, "sectors of 32 bytes of other write transactions"},
})

// withLaneOps completes the table with the counters of operation classes.
func withLaneOps(d [end]Declaration) [end]Declaration {
	for c := range trace.OpClass(trace.ClassCount) {
		d[LaneOps(c)] = Declaration{
			Name: "lane_ops_" + strings.ReplaceAll(c.String(), "-", "_"), Unit: Threads,
			Meaning: "lanes of issued instructions of class " + c.String() + " that were active and whose guard held",
		}
	}
	for f := trace.NotSpecial + 1; int(f) < trace.SpecialFunctionCount; f++ {
		d[SpecialOps(f)] = Declaration{
			Name: "lane_ops_special_" + f.String(), Unit: Threads,
			Meaning: "of lane_ops_special, those that compute " + specialMeanings[f],
		}
	}
	return d
}

var specialMeanings = [trace.SpecialFunctionCount]string{
	trace.SpecialRoot: "a square root, or one over it", trace.SpecialLogarithm: "a logarithm", trace.SpecialSine: "a sine or cosine",
	trace.SpecialExponential: "a power of two", trace.SpecialReciprocal: "a reciprocal",
}
