// SPDX-License-Identifier: Apache-2.0

// Package arch describes architectures as data: a YAML machine plus any number
// of overlays (gtx480+lrr), typed, with units, ranges and sources. Unknown
// keys, values out of range and impossible combinations are refused with the
// position in the file.
//
// Every number in a built-in file carries a trailing comment that says where it
// comes from ("Buddy SM Table III", "assumed: ..."); a loaded Machine keeps
// them, and Show prints them.
//
// The struct tags of Machine are the schema: yaml names the key; unit the unit
// that Show prints (bytes also lets the file say 48KiB); range the inclusive limits;
// pow2 says that the value is a power of two; oneof lists the legal words; default is
// what a key has that the file does not give; digest "used" makes the key a part of
// Digest only where it has a meaning, and "never" nowhere.
package arch

import (
	"cmp"
	"fmt"
)

// Machine is one complete architecture. Field names carry units; sizes in YAML
// may be written 48KiB. It is immutable after loading.
type Machine struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Clocks      Clocks `yaml:"clocks"`
	GPU         GPU    `yaml:"gpu"`
	SM          SM     `yaml:"sm"`
	Shared      Shared `yaml:"shared_memory"`
	L1          Cache  `yaml:"l1"`
	Constant    Cache  `yaml:"constant_cache"`
	Instruction Cache  `yaml:"instruction_cache"`
	// Texture is what texture reads go through; zero bytes: through the L1.
	Texture Cache   `yaml:"texture_cache"`
	Network Network `yaml:"network"`
	L2      L2      `yaml:"l2"`
	// LLC is a last-level cache between the L2 slices of a partition and its
	// DRAM channel, in L2 cycles; zero bytes: none.
	LLC  Cache `yaml:"llc"`
	DRAM DRAM  `yaml:"dram"`
	Link Link  `yaml:"link"`
	Host Host  `yaml:"host"`
	// Technology is for the energy model only.
	Technology Technology `yaml:"technology"`

	sections map[string]Section // of mechanisms, by key
	origins  map[string]Origin  // by dotted key; nil for a machine built in Go
	written  int                // values set so far, overridden ones included
}

// Clocks are the frequencies of the domains in MHz (fractions of a MHz down to
// 1 kHz are allowed).
type Clocks struct {
	CoreMHz    float64 `yaml:"core_mhz" unit:"MHz" range:"1..20000"`
	NetworkMHz float64 `yaml:"network_mhz" unit:"MHz" range:"1..20000"`
	L2MHz      float64 `yaml:"l2_mhz" unit:"MHz" range:"1..20000"`
	DRAMMHz    float64 `yaml:"dram_mhz" unit:"MHz" range:"1..20000"` // command clock
}

// GPU is what is common to all SMs.
type GPU struct {
	SMs int `yaml:"sms" unit:"SMs" range:"1..1024"`
	// Core is the kind of the cores, which sms counts: "simt" (the default), an SM that
	// issues warps to SIMT units, or one that is registered (see timing/core).
	Core string `yaml:"core" oneof:"simt" default:"simt" digest:"used"`
	// Dispatch is the thread-block dispatch policy: "round_robin", which goes on from launch to
	// launch, "round_robin_anew", which begins with the first SM for each, or one that is registered.
	Dispatch string `yaml:"dispatch" oneof:"round_robin,round_robin_anew"`
	// BlocksPerCycle bounds thread blocks dispatched per core cycle, over all SMs.
	BlocksPerCycle int `yaml:"blocks_per_cycle" unit:"thread blocks" range:"1..1024"`
	// DispatchCycles pass between two cycles in which thread blocks are dispatched, if
	// more than one.
	DispatchCycles int `yaml:"dispatch_cycles" unit:"core cycles" range:"1..1024" default:"1" digest:"used"`
	// LaunchCycles pass between the end of one kernel and the first block of the
	// next in the same stream.
	LaunchCycles int `yaml:"launch_cycles" unit:"core cycles" range:"0..1000000"`
	// LaunchGapMicroseconds pass from the end of what a launch waits for to its start, while
	// the front end fetches it. They are part of the run's time and of no kernel's, as
	// profilers' durations of kernels have it; launch_cycles are part of the kernel's.
	LaunchGapMicroseconds float64 `yaml:"launch_gap_us" unit:"us" range:"0..1000000" default:"0" digest:"used"`
	// ConcurrentKernels launches of different streams may run at the same time,
	// each SM with thread blocks of one of them; with 1 the host's steps follow
	// one another in program order.
	ConcurrentKernels int `yaml:"concurrent_kernels" unit:"kernels" range:"1..1024"`
	// KernelOrder says whose thread block is dispatched next: "leftover" (the
	// launch that began first until it has none left) or "round_robin".
	KernelOrder string `yaml:"kernel_order" oneof:"leftover,round_robin"`
	// Divergence is how lanes run that take different paths. "pdom" runs one path after the
	// other, up to the immediate post-dominator; "serial" runs each to the thread's end or a
	// barrier. "serial-rounds" runs a basic block of each in turn; lanes that come to the same
	// one at a time run together. Other policies are registered (see timing/divergence).
	Divergence string `yaml:"divergence" oneof:"pdom,serial,serial-rounds"`
	// Lowering is the generation to whose machine operations kernels are lowered (see
	// timing/lowering); "none" executes PTX instructions as they were recorded.
	Lowering string `yaml:"lowering" oneof:"none,fermi,volta,turing,ampere,hopper" default:"none" digest:"used"`
	// LoweringStages says how far kernels are lowered, to see what each stage does: up to
	// "selection", "scheduling" or "allocation", which is all of it. Registers are without
	// a limit up to allocation.
	LoweringStages string `yaml:"lowering_stages" oneof:"selection,scheduling,allocation" default:"allocation" digest:"used"`
	// LoweringDivisions says which way divisions in single precision go, which a trace does
	// not: "ordinary", or "nan" through the subroutine for operands that include one that is no number.
	LoweringDivisions string `yaml:"lowering_divisions" oneof:"ordinary,nan" default:"ordinary" digest:"used"`
	// KernelRegisters gives kernels the registers of a thread that a compiler reported, in
	// the place of the number that is found here: "given(KERNEL=NUMBER,...)", or "none".
	// Machine operations are made for that number, and thread blocks need it.
	KernelRegisters string `yaml:"kernel_registers" default:"none" digest:"used"`
	// Clusters is how thread blocks of a cluster meet.
	Clusters Clusters `yaml:"clusters"`
	// ComputeCapability is what a program that is recorded on this machine's device sees of
	// its generation. A replay does not depend on it.
	ComputeCapability string `yaml:"compute_capability" oneof:"7.0,7.2,7.5,8.0,8.6,8.7,8.9,9.0,10.0,12.0" default:"7.0" digest:"never"`
}

// Capability is the compute capability that programs see. Machines before Volta have that of Volta:
// programs of today refuse less, and the emulator executes what it has.
func (g *GPU) Capability() string { return cmp.Or(g.ComputeCapability, "7.0") }

// NoLowering is the word of GPU.Lowering for kernels that are executed as PTX.
const NoLowering = "none"

// Lowers reports whether kernels are lowered to machine operations.
func (g *GPU) Lowers() bool { return g.Lowering != "" && g.Lowering != NoLowering }

// unusedLowering reports whether a key of the lowering says what it is without.
func (g *GPU) unusedLowering(key string) bool {
	switch key {
	case "kernel_registers":
		return !g.GivesRegisters()
	case "lowering_stages":
		return !g.Lowers() || g.LoweringStages == "" || g.LoweringStages == "allocation"
	case "lowering_divisions":
		return !g.Lowers() || g.LoweringDivisions == "" || g.LoweringDivisions == "ordinary"
	}
	return false
}

// SIMTCore is the kind of core that a machine has whose description names none.
const SIMTCore = "simt"

// NoCores is the kind of core of a chip that has no SMs, but CPU cores: it executes no kernel,
// and what the machine says of SMs, networks and L2 slices means nothing.
const NoCores = "none"

// CoreKind is the kind of the cores.
func (g *GPU) CoreKind() string {
	if g.Core == "" {
		return SIMTCore
	}
	return g.Core
}

// SM is a streaming multiprocessor.
type SM struct {
	MaxThreads int `yaml:"max_threads" unit:"threads" range:"32..4096"`
	MaxWarps   int `yaml:"max_warps" unit:"warps" range:"1..128"`
	MaxBlocks  int `yaml:"max_blocks" unit:"thread blocks" range:"1..128"`
	Registers  int `yaml:"registers" unit:"32-bit registers" range:"256..4194304"` // 32-bit
	// RegisterAllocationUnit is the granularity, in registers per warp, in
	// which registers are handed out.
	RegisterAllocationUnit int `yaml:"register_allocation_unit" unit:"32-bit registers" range:"1..4096"`
	// RegistersPerThread replaces the number that a kernel's threads need when
	// it sets the occupancy; zero: what the kernel needs. What a kernel would
	// spill with fewer is not modelled.
	RegistersPerThread int `yaml:"registers_per_thread" unit:"32-bit registers" range:"0..1024"`

	// FetchWidth instructions are fetched for one warp a cycle into its
	// instruction buffer of InstructionBuffer entries.
	FetchWidth int `yaml:"fetch_width" unit:"instructions" range:"1..16"`
	// FetchesPerCycle is for how many warps, one after the other, the SM fetches in a cycle.
	FetchesPerCycle int `yaml:"fetches_per_cycle" unit:"warps" range:"1..16" default:"1" digest:"used"`
	// FetchPastBranches fetches behind a branch as if it were not taken. When it is, a warp
	// goes on when what was fetched for it has been decoded and thrown away; else fetch waits
	// for the branch.
	FetchPastBranches bool `yaml:"fetch_past_branches" default:"false" digest:"used"`
	// FetchArrivals gives a line that has come to the warps that wait for it one after the
	// other, in the order in which they asked. Each has a fetch of its own, before those of
	// other warps. Without it the line goes to all at once.
	FetchArrivals bool `yaml:"fetch_arrivals" default:"false" digest:"used"`
	// FetchAcrossLines lets a fetch take instructions from beyond the end of its line.
	FetchAcrossLines bool `yaml:"fetch_across_lines" default:"false" digest:"used"`
	// L0 are instruction caches of the sub-cores, one for each scheduler, in front of the
	// instruction cache that they share.
	L0                L0  `yaml:"l0_instructions"`
	InstructionBuffer int `yaml:"instruction_buffer" unit:"instructions" range:"1..64"`
	// InstructionBytes is the size of one instruction in memory.
	InstructionBytes int `yaml:"instruction_bytes" unit:"bytes" range:"1..64"`
	// KernelAlignment is the granularity at which kernels begin in memory, one behind the
	// other in the order of their first launch: those that share a line of the instruction
	// cache fetch it for each other.
	KernelAlignment int `yaml:"kernel_alignment" unit:"bytes" range:"1..65536" pow2:"yes" default:"4096" digest:"used"`
	// CodeAddress is the address of the first kernel's code, which says in which slices of
	// the L2 its lines lie. Zero: code begins in a space of its own, and its lines lie where
	// that puts them.
	CodeAddress int `yaml:"code_address" unit:"bytes" range:"0..1099511627775" default:"0" digest:"used"`
	// DecodeCycles pass between fetch and readiness to issue; with 0 an instruction can issue
	// in the cycle in which it is fetched.
	DecodeCycles int `yaml:"decode_cycles" unit:"core cycles" range:"0..1000"`

	Schedulers int `yaml:"schedulers" unit:"schedulers" range:"1..32"`
	// Scheduler is the warp scheduling policy: "lrr" (loose round-robin), "gto"
	// (greedy, then oldest), "oldest", "two-level" (round-robin in an active set),
	// "warp-limit" (gto among the oldest) or "srr" (strict round-robin: the next warp
	// alone, also while it waits for anything but a barrier or fence; GPSim thesis section
	// 3.4: the emulator orders the instructions of an SM, whose core executes them in order).
	Scheduler string `yaml:"scheduler" oneof:"gto,lrr,oldest,two-level,warp-limit,srr"`
	// SchedulerWarps is, per scheduler, the size of the active set of two-level,
	// and the number of warps that warp-limit lets issue.
	SchedulerWarps int `yaml:"scheduler_warps" unit:"warps" range:"1..64"`
	// WarpSwitch, when given, keeps a scheduler with one warp, also while that
	// warp waits, until it has issued what triggers a switch: "non" nothing,
	// "mem" long-latency memory instructions, "bra" branches, "mbr" both, "all"
	// every instruction (GPSim thesis Table 6.5). A barrier and the warp's end
	// always do. "mem" are loads and atomics from beyond the SM. Other readings are
	// "mem-every", all memory instructions, and "mem-miss", those with a lane that misses
	// in 192 lines of 32 bytes, as in the thesis's simulator; likewise "mbr-every" and
	// "mbr-miss".
	WarpSwitch string `yaml:"warp_switch" oneof:"non,mem,mem-every,mem-miss,bra,mbr,mbr-every,mbr-miss,all"`
	// IssuePerScheduler instructions may issue from one warp in a cycle (dual
	// issue when 2).
	IssuePerScheduler int `yaml:"issue_per_scheduler" unit:"instructions" range:"1..2"`
	// DualIssueDifferentUnits requires that the instructions of one dual issue
	// go to different kinds of unit.
	DualIssueDifferentUnits bool `yaml:"dual_issue_different_units"`

	// OperandReadCycles is the time from issue to execution when no register
	// bank conflicts; RegisterBanks of zero switches bank conflicts off.
	OperandReadCycles int `yaml:"operand_read_cycles" unit:"core cycles" range:"0..1000"`
	RegisterBanks     int `yaml:"register_banks" unit:"banks" range:"0..256"`
	// OperandCollectors hold issued instructions while their operands are read.
	// They and OperandReadCycles have no meaning on a machine with Collectors.
	OperandCollectors int `yaml:"operand_collectors" unit:"collectors" range:"1..256"`
	// Collectors, when any are given, read operands through an arbiter in which
	// all instructions and write-backs compete for the register banks.
	Collectors Collectors `yaml:"collectors"`
	// WARHazards keeps an instruction from issuing while an older one of its
	// warp has yet to read, in a collector, a register that it writes.
	WARHazards bool `yaml:"war_hazards" default:"false"`
	// ResultBuses is how many units can write back in the same cycle; an
	// execution starts when the cycle of its write-back has one left. Zero: any
	// number.
	ResultBuses int `yaml:"result_buses" unit:"write-backs a cycle" range:"0..64" default:"0"`
	// UnitResults is how many results one unit delivers in a cycle; an execution starts when
	// its unit delivers fewer in the cycle of its result. Zero: any number.
	UnitResults int `yaml:"unit_results" unit:"results a cycle" range:"0..64" default:"0" digest:"used"`
	// WriteBackCycles are those from the end of execution in a unit to the write-back of the
	// result. Accesses to memory have them in their own latencies.
	WriteBackCycles int `yaml:"write_back_cycles" unit:"core cycles" range:"1..16" digest:"used"`

	// Coalescing is how the lanes of a global access become transactions: "lines"
	// of the L1 (compute capability 2.0 and later; the default), or segments of
	// half warps by the rules of "cc1.0" (in order, or each lane alone) or "cc1.2".
	Coalescing string `yaml:"coalescing" oneof:"lines,cc1.0,cc1.2" default:"lines"`

	// VectorAccesses says which bytes of an access of several elements a lane (.v2, .v4)
	// moves: "whole" (the default), or those of the "first" element, as GPGPU-Sim has it.
	VectorAccesses string `yaml:"vector_accesses" oneof:"whole,first" default:"whole" digest:"used"`

	// FloatConversions is the kind of unit to which conversions from, to and between floats
	// go: "int" (the default) or "sfu". With "sfu" conversions between integers, which only
	// change widths, take what moves take.
	FloatConversions string `yaml:"float_conversions" oneof:"int,sfu" default:"int" digest:"used"`

	// IntegerProducts is the kind of unit to which integer multiplications go, with an
	// addition or without: "int" (the default) or "sp".
	IntegerProducts string `yaml:"integer_products" oneof:"int,sp" default:"int" digest:"used"`

	Units Units `yaml:"units"`
	// Lacks names what kernels may not use on this machine, whatever units it has.
	Lacks       Lacks       `yaml:"lacks"`
	TensorRates TensorRates `yaml:"tensor_rates"`
	// MMARatePercent is how much of the tensor rates products of a single warp reach (mma and
	// wmma), of types that products of warpgroups have (wgmma); these reach all.
	MMARatePercent int       `yaml:"mma_rate_percent" unit:"%" range:"1..100" default:"100" digest:"used"`
	Latencies      Latencies `yaml:"latencies"`
}

// L0 is the instruction cache of a sub-core. Its lines are those of the instruction cache, from
// which one comes after instruction_cache.latency_cycles, one a cycle to one sub-core. Each
// sub-core fetches for its own warps, so often in a cycle as FetchesPerCycle says.
type L0 struct {
	Bytes int `yaml:"bytes" unit:"bytes" range:"0..1048576" default:"0" digest:"used"` // zero: no such caches
	Ways  int `yaml:"ways" unit:"ways" range:"1..64" digest:"used"`
	// StreamLines is the size of a stream buffer (Jouppi, ISCA 1990): so many lines behind one
	// that is missed are asked for, as far as the instruction cache has them, and one more for each line that
	// is then fetched.
	StreamLines int `yaml:"stream_lines" unit:"lines" range:"0..64" default:"0" digest:"used"`
}

// FetchesACycle is for how many warps an SM fetches in a cycle at most.
func (s *SM) FetchesACycle() int {
	n := max(s.FetchesPerCycle, 1)
	if s.L0.Bytes > 0 {
		n *= max(s.Schedulers, 1)
	}
	return n
}

// Lacks are instructions that the SM does not have: a kernel with one of them is
// refused before its replay. By default none is lacking.
type Lacks struct {
	// Double is arithmetic and conversion in double precision, without which
	// Units.DP of zero does not send it to the SFUs.
	Double bool `yaml:"double" default:"false" digest:"used"`
	// Atomics are atomic operations and reductions on memory.
	Atomics bool `yaml:"atomics" default:"false" digest:"used"`
	// Shuffles are exchanges of registers between the lanes of a warp.
	Shuffles bool `yaml:"shuffles" default:"false" digest:"used"`
	// AsyncCopies are cp.async, from global to shared memory past the registers (sm_80).
	AsyncCopies bool `yaml:"async_copies" default:"false" digest:"used"`
	// BulkCopies are cp.async.bulk, of a tensor memory accelerator too (sm_90).
	BulkCopies bool `yaml:"bulk_copies" default:"false" digest:"used"`
	// Clusters are thread blocks that reach each other's shared memory (sm_90).
	Clusters bool `yaml:"clusters" default:"false" digest:"used"`
	// Warpgroups are matrix products of four warps, from shared memory (wgmma, sm_90a).
	Warpgroups bool `yaml:"warpgroups" default:"false" digest:"used"`
	// SparseProducts are matrix products with a factor that is half zeros (mma.sp, sm_80).
	SparseProducts bool `yaml:"sparse_products" default:"false" digest:"used"`
}

// Units are the counts of functional units of an SM; DP zero sends double
// precision to the SFUs, Int zero sends integers to the SP units, Tensor zero
// means that tensor instructions cannot run. LDST is one: an SM has one port.
type Units struct {
	SP     int `yaml:"sp" unit:"units" range:"1..16"`
	Int    int `yaml:"int" unit:"units" range:"0..16"`
	DP     int `yaml:"dp" unit:"units" range:"0..16"`
	SFU    int `yaml:"sfu" unit:"units" range:"1..16"`
	Tensor int `yaml:"tensor" unit:"units" range:"0..16"`
	LDST   int `yaml:"ldst" unit:"units" range:"1..1"`
}

// Latency is the time in core cycles from the start of execution to write-back,
// and the interval after which the unit can start the next warp instruction.
type Latency struct {
	Cycles   int `yaml:"cycles" unit:"core cycles" range:"1..10000"`
	Interval int `yaml:"interval" unit:"core cycles" range:"1..10000"`
}

// OptionalLatency is a Latency that need not be given.
type OptionalLatency struct {
	Cycles   int `yaml:"cycles" unit:"core cycles" range:"1..10000" digest:"used"`
	Interval int `yaml:"interval" unit:"core cycles" range:"1..10000" digest:"used"`
}

// Latencies per operation class (trace.OpClass).
type Latencies struct {
	IntAdd Latency `yaml:"int_add"`
	// Logic is of bitwise logic, shifts and bit fields, Compare of comparison and selection,
	// of integers and floats. Without them these take what the other operations of their
	// class do.
	Logic     OptionalLatency `yaml:"logic"`
	Compare   OptionalLatency `yaml:"compare"`
	IntMinMax Latency         `yaml:"int_minmax"`
	IntMul    Latency         `yaml:"int_mul"`
	IntMad    Latency         `yaml:"int_mad"`
	IntDiv    Latency         `yaml:"int_div"`
	F16       Latency         `yaml:"f16"`
	F32Add    Latency         `yaml:"f32_add"`
	F32MinMax Latency         `yaml:"f32_minmax"`
	F32Mul    Latency         `yaml:"f32_mul"`
	F32Fma    Latency         `yaml:"f32_fma"`
	F32Div    Latency         `yaml:"f32_div"`
	F64Add    Latency         `yaml:"f64_add"`
	F64MinMax Latency         `yaml:"f64_minmax"`
	F64Mul    Latency         `yaml:"f64_mul"`
	F64Fma    Latency         `yaml:"f64_fma"`
	F64Div    Latency         `yaml:"f64_div"`
	Special   Latency         `yaml:"special"`
	Convert   Latency         `yaml:"convert"`
	Move      Latency         `yaml:"move"`
	Predicate Latency         `yaml:"predicate"`
	Shuffle   Latency         `yaml:"shuffle"`
	Tensor    Latency         `yaml:"tensor"`
	Branch    Latency         `yaml:"branch"`
	Barrier   Latency         `yaml:"barrier"`
	Fence     Latency         `yaml:"fence"`
	Nop       Latency         `yaml:"nop"`
}

// Shared is the scratchpad of an SM.
type Shared struct {
	Bytes         int `yaml:"bytes" unit:"bytes" range:"0..16777216"`
	Banks         int `yaml:"banks" unit:"banks" range:"1..128" pow2:"yes"`
	BankBytes     int `yaml:"bank_bytes" unit:"bytes" range:"4..8" pow2:"yes"` // width of a bank
	LatencyCycles int `yaml:"latency_cycles" unit:"core cycles" range:"1..10000"`
	// WavefrontCycles is for how long a wavefront, which is a word of each bank at most,
	// holds the banks: shared memory serves 1/WavefrontCycles of them in a cycle.
	WavefrontCycles int `yaml:"wavefront_cycles" unit:"core cycles" range:"1..16" default:"1" digest:"used"`
	// BytesPerCycle is what goes between shared memory and the registers of all lanes in a
	// cycle: an access of few wavefronts lasts as long as its bytes do. Zero is no limit.
	BytesPerCycle int `yaml:"bytes_per_cycle" unit:"bytes per core cycle" range:"0..4096" default:"0" digest:"used"`
	// PackedReads says that a read of 8 or 16 bytes a lane is packed where neighbouring lanes
	// have the same address: two registers of all lanes come back at once.
	PackedReads bool `yaml:"packed_reads" default:"false" digest:"used"`
	// AllocationUnit is the granularity in bytes of allocation per block.
	AllocationUnit int `yaml:"allocation_unit" unit:"bytes" range:"1..65536"`
	// BlockReserve is what each thread block takes besides its own.
	BlockReserve int `yaml:"block_reserve" unit:"bytes" range:"0..65536" default:"0" digest:"used"`
	// Carveouts are the sizes of shared memory between which the driver chooses for a launch,
	// as in sizes(0,8KiB,96KiB), where L1 and shared memory divide one array; "none" (the
	// default): there is one division. See Carveout, and Cache.UnifiedBytes.
	Carveouts string `yaml:"carveouts" default:"none" digest:"used"`
}

// Cache is a set-associative cache.
type Cache struct {
	Bytes int `yaml:"bytes" unit:"bytes" range:"0..1073741824"` // zero: no such cache
	Ways  int `yaml:"ways" unit:"ways" range:"1..256"`
	// UnifiedBytes is what the L1 has, in as many sets, where shared memory takes nothing of the
	// array that both divide; Bytes is what it has with the largest of Shared.Carveouts. Zero:
	// it always has Bytes (L1 only).
	UnifiedBytes int `yaml:"unified_bytes" unit:"bytes" range:"0..16777216" default:"0" digest:"used"`
	// LineBytes is at most 128, the reach of one warp access of 4 bytes a lane.
	LineBytes int `yaml:"line_bytes" unit:"bytes" range:"32..128" pow2:"yes"`
	// SectorBytes is what a miss fetches: LineBytes when not sectored.
	SectorBytes   int `yaml:"sector_bytes" unit:"bytes" range:"32..128" pow2:"yes"`
	LatencyCycles int `yaml:"latency_cycles" unit:"cycles of its clock" range:"1..10000"`
	// Banks may each take one access a cycle (L1 only, others have one).
	Banks int `yaml:"banks" unit:"banks" range:"1..32" pow2:"yes"`
	// Allocate is when a miss takes its line: "on_miss" at once (the default), or
	// "on_fill" when the data come, so that what is replaced serves until then.
	Allocate string `yaml:"allocate" oneof:"on_miss,on_fill" default:"on_miss"`
	// Replacement is the policy that chooses what a miss replaces: "lru" (the default),
	// "fifo", "random", "tree-plru", "srrip" (ISCA 2010), "nru", or one that is
	// registered (see timing/replacement).
	Replacement string `yaml:"replacement" oneof:"lru,fifo,random,tree-plru,srrip,nru" default:"lru" digest:"used"`
	// Prefetcher asks for lines ahead of the loads that want them: "none" (the default),
	// or one that is registered (see timing/prefetch) with its arguments, as in
	// stride(degree=2,entries=64). The L1 and the slices of the L2 may have one.
	Prefetcher string `yaml:"prefetcher" oneof:"none" calls:"yes" default:"none" digest:"used"`
	// SectorTransactions makes each sector of a global or local access a transaction of its
	// own, with its own request for what misses; banks interleave sectors, not lines (L1
	// only).
	SectorTransactions bool `yaml:"sector_transactions" default:"false" digest:"used"`
	// BytesPerCycle is how many bytes, in whole sectors, the accesses of a cycle have in all: those
	// of other lines wait, and a line with more takes several cycles. With 0 they have as many as
	// the banks find. (L1 only.)
	BytesPerCycle int `yaml:"bytes_per_cycle" unit:"bytes" range:"0..4096" default:"0" digest:"used"`
	// Write says what a write does. "read_only" caches take none. With "through_no_allocate"
	// write hits update or evict the line, as WriteHit says, and misses do not allocate. With
	// "through_allocate" misses take a line without fetching it. "local_back_no_allocate" is
	// "through_no_allocate" for global memory, but local-memory write hits stay in the cache.
	// With "back_allocate" misses allocate without fetching: a sector is fetched when it is
	// read before it has been written in full. With "back_fetch" (L2 only) a write that misses
	// goes on to the level below, and its sector is fetched behind it. The sector is clean, and
	// the answer is that of the fetch; writes that hit stay in the cache.
	Write string `yaml:"write" oneof:"read_only,through_no_allocate,through_allocate,local_back_no_allocate,back_allocate,back_fetch"`
	// WriteHit is "update" or "evict", for write-through caches.
	WriteHit string `yaml:"write_hit" oneof:"update,evict"`
	// Index is the set index function: "linear", "xor", "ipoly" (the remainder by a
	// polynomial: Rau, ISCA 1991), for 32 or 64 sets "fermi" (see cache.Tags), or, of the
	// last-level cache, "modulo": the remainder by the sets, in any number.
	Index string `yaml:"index" oneof:"linear,xor,ipoly,fermi,modulo"`
	// MSHRs hold outstanding sectors; MSHRMerges accesses may wait on one;
	// MissQueue requests may wait for the level below.
	MSHRs      int `yaml:"mshrs" unit:"entries" range:"1..16384"`
	MSHRMerges int `yaml:"mshr_merges" unit:"accesses" range:"1..4096"`
	MissQueue  int `yaml:"miss_queue" unit:"requests" range:"1..4096"`
	// FillCycles are those from the arrival of the last part of a miss in the SM to the end of
	// the first access that waits for it; others that wait follow, one a cycle. With 0 all end
	// when it arrives. (Caches of SMs only.)
	FillCycles int `yaml:"fill_cycles" unit:"core cycles" range:"0..100" default:"0" digest:"used"`
	// StreamLines is the size of a stream buffer (instructions only): behind a line that is
	// missed, so many lines that follow it in memory are asked for, one a cycle, behind all
	// that a warp waits for; and one more for each line that is then fetched. They go into the
	// cache, by registers of their own.
	StreamLines int `yaml:"stream_lines" unit:"lines" range:"0..64" default:"0" digest:"used"`
	// LaunchBytes are there when an SM begins a kernel, whatever was there before: the first of its
	// code (instructions), or of its parameters (constants). The launch brings them, in no time of
	// the SM.
	LaunchBytes int `yaml:"launch_bytes" unit:"bytes" range:"0..1048576" default:"0" digest:"used"`
	// Perfect lets every access hit, after LatencyCycles (constants and instructions only): a
	// bound on what their misses cost.
	Perfect bool `yaml:"perfect" default:"false" digest:"used"`
	// Kept lets the contents outlive a kernel, parameters of the same place included
	// (constants only): else each kernel begins with an empty cache.
	Kept bool `yaml:"kept" default:"false" digest:"used"`
	// AddressCycles are those from one address of a warp's load to the next (constants only). Lanes
	// with more than eight bytes have an address for each eight. With 0 an address of any width
	// takes a cycle.
	AddressCycles int `yaml:"address_cycles" unit:"core cycles" range:"0..64" default:"0" digest:"used"`
	// Through is where loads of constants and parameters go: to this cache, or to the L1 as if
	// they were loads of global memory (constants only).
	Through string `yaml:"through" oneof:"own,l1" default:"own" digest:"used"`
	// Behind is the cache in which what this one misses is looked for (constants only): "l2"
	// (the default), or the "instructions" cache, which then has lines of both, after
	// its latency.
	Behind string `yaml:"behind" oneof:"l2,instructions" default:"l2" digest:"used"`
}

// SendsMisses is the word of Cache.Write for a cache whose writes that miss go on, and fetch.
const SendsMisses = "back_fetch"

// SendPlaces is how many places of the miss queue such a write needs: to go on, to fetch, and for
// a dirty line that it replaces.
const SendPlaces = 3

// BehindInstructions is the word of Cache.Behind for constants that the instruction cache
// has, too.
const BehindInstructions = "instructions"

// StreamRegisters are the registers of the stream buffer, beside the MSHRs: one a sector.
func (c *Cache) StreamRegisters() int {
	if c.StreamLines == 0 {
		return 0
	}
	return c.StreamLines * (c.LineBytes / c.SectorBytes)
}

// Sets is the number of sets; zero when there is no such cache.
func (c *Cache) Sets() int {
	if c.Bytes == 0 {
		return 0
	}
	return c.Bytes / (c.Ways * c.LineBytes)
}

// L2 is the second-level cache: one Cache per slice, Partitions memory
// partitions with SlicesPerPartition slices each.
type L2 struct {
	Partitions         int `yaml:"partitions" unit:"partitions" range:"1..256"`
	SlicesPerPartition int `yaml:"slices_per_partition" unit:"slices" range:"1..64" pow2:"yes"`
	// Slice describes one slice; LatencyCycles is in L2 cycles.
	Slice Cache `yaml:"slice"`
	// InputQueue requests may wait in front of a slice.
	InputQueue int `yaml:"input_queue" unit:"requests" range:"1..65536"`
	// InterleaveBytes is the address stretch that stays in one slice: never less
	// than the longest line.
	InterleaveBytes int `yaml:"interleave_bytes" unit:"bytes" range:"128..1048576" pow2:"yes"`
	// PartitionHash is "none", "xor", or "ipoly", which spreads over all slices (Rau, ISCA
	// 1991).
	PartitionHash string `yaml:"partition_hash" oneof:"none,xor,ipoly"`
	// AtomicCycles is the time, in L2 cycles, for which one atomic occupies the
	// slice per line.
	AtomicCycles int `yaml:"atomic_cycles" unit:"L2 cycles" range:"0..10000"`
	// AtomicAnswerCycles is how much later than a load an atomic is answered: the time of its
	// arithmetic, and of the way there.
	AtomicAnswerCycles int `yaml:"atomic_answer_cycles" unit:"L2 cycles" range:"0..10000" default:"0" digest:"used"`
	// FarCycles is how much later a slice in one half of the chip answers an SM in the other.
	// Reads for which the SM's half has a copy come without it. The first half of the partitions
	// and of the SMs is one half of the chip. A half has copies of as many lines of the other's
	// slices as are half of what they hold; a write drops the copy. With 0 the L2 is one.
	FarCycles int `yaml:"far_cycles" unit:"L2 cycles" range:"0..10000" default:"0" digest:"used"`
	// WritePieces brings a write to a slice as whole aligned pieces, not as the sectors that
	// it has bytes of: all sectors of the smallest piece of 32, 64 or 128 bytes that holds it.
	// GPGPU-Sim has a rule for pieces of 128 bytes. A sector that is not there counts as written
	// in full when the bytes of the piece up to its end are as many as a sector has.
	WritePieces bool `yaml:"write_pieces" default:"false" digest:"used"`
	// PreloadCopies says that a copy from the host to the device leaves its data
	// in the L2, as far as they fit, without taking time.
	PreloadCopies bool `yaml:"preload_copies"`
}

// DRAM is one channel per memory partition. Timings are in cycles of the DRAM
// command clock, with JEDEC names.
type DRAM struct {
	// Model is "banked" (banks, row buffers, scheduler) or "simple" (bandwidth
	// and access time, as the GPSim thesis uses).
	Model string `yaml:"model" oneof:"banked,simple"`
	// Kind is a standard: "gddr6", "gddr6x", "hbm2e" or "hbm3". It gives what the standard fixes of a
	// channel: banks, bank_groups, row_bytes, burst_bytes, burst_cycles, tCCD and tCCDL. Keys that
	// are written later may have more banks and longer tCCD and tCCDL, and no other values. With
	// "none" the keys say all.
	Kind      string `yaml:"kind" oneof:"none,gddr6,gddr6x,hbm2e,hbm3" default:"none" digest:"used"`
	Scheduler string `yaml:"scheduler" oneof:"frfcfs,fcfs,frfcfs-cap"`
	Queue     int    `yaml:"queue" unit:"requests" range:"1..4096"` // per channel
	Banks     int    `yaml:"banks" unit:"banks" range:"1..64" pow2:"yes"`
	// BankGroups of 1 makes tCCDL and tCCD the same. Bank b is in group b modulo
	// their number.
	BankGroups int `yaml:"bank_groups" unit:"groups" range:"1..16" pow2:"yes"`
	RowBytes   int `yaml:"row_bytes" unit:"bytes" range:"128..1048576" pow2:"yes"`
	// BurstBytes move per column command, in BurstCycles on the data bus.
	BurstBytes  int `yaml:"burst_bytes" unit:"bytes" range:"8..1024" pow2:"yes"`
	BurstCycles int `yaml:"burst_cycles" unit:"DRAM cycles" range:"1..64"`
	// CommandBus is "shared" (a cycle has one command) or "row_and_column": a cycle has a row
	// command (an activate, a precharge or a refresh) and a column command.
	CommandBus string `yaml:"command_bus" oneof:"shared,row_and_column" default:"shared" digest:"used"`
	// ExtraCycles is a fixed delay, in DRAM cycles, in front of the channel.
	ExtraCycles int `yaml:"extra_cycles" unit:"DRAM cycles" range:"0..10000"`

	// Mapping names the order of address bits inside a channel, from the top:
	// "row_bank_column" (a row's bytes are consecutive), "row_column_bank"
	// (consecutive lines go round the banks) or "row_bank_column_group"
	// (consecutive lines go round the bank groups).
	Mapping string `yaml:"mapping" oneof:"row_bank_column,row_column_bank,row_bank_column_group"`
	// BankHash is "none", or "xor" of the bank with the lowest bits of the row
	// (Zhang, Zhu and Zhang, MICRO 2000).
	BankHash string `yaml:"bank_hash" oneof:"none,xor"`
	// Writes is "mixed" (reads and writes wait in one queue) or "drain" (writes
	// wait until WriteHigh of them do, or nothing is to be read; then until
	// WriteLow are left only writes are served).
	Writes    string `yaml:"writes" oneof:"mixed,drain"`
	WriteHigh int    `yaml:"write_high" unit:"requests" range:"1..4096"`
	WriteLow  int    `yaml:"write_low" unit:"requests" range:"0..4096"`
	// Refresh is "none", "all_bank" (every tREFI all banks close for tRFC) or
	// "per_bank" (every tREFI / banks the next one closes for tRFC).
	Refresh string `yaml:"refresh" oneof:"none,all_bank,per_bank"`

	TCL   int `yaml:"tCL" unit:"DRAM cycles" range:"1..1000"`
	TRCD  int `yaml:"tRCD" unit:"DRAM cycles" range:"1..1000"`
	TRP   int `yaml:"tRP" unit:"DRAM cycles" range:"1..1000"`
	TRAS  int `yaml:"tRAS" unit:"DRAM cycles" range:"1..1000"`
	TRC   int `yaml:"tRC" unit:"DRAM cycles" range:"1..1000"`
	TRRD  int `yaml:"tRRD" unit:"DRAM cycles" range:"1..1000"`
	TCCD  int `yaml:"tCCD" unit:"DRAM cycles" range:"1..1000"`
	TCCDL int `yaml:"tCCDL" unit:"DRAM cycles" range:"1..1000"`
	TWL   int `yaml:"tWL" unit:"DRAM cycles" range:"1..1000"`
	TWR   int `yaml:"tWR" unit:"DRAM cycles" range:"1..1000"`
	TCDLR int `yaml:"tCDLR" unit:"DRAM cycles" range:"1..1000"`
	TRTPL int `yaml:"tRTPL" unit:"DRAM cycles" range:"1..1000"`
	// TFAW holds four activates, zero: no such limit. TRRDL and TWTRL are tRRD
	// and tCDLR inside a bank group, zero: the same as outside.
	TFAW  int `yaml:"tFAW" unit:"DRAM cycles" range:"0..1000"`
	TRRDL int `yaml:"tRRDL" unit:"DRAM cycles" range:"0..1000"`
	TWTRL int `yaml:"tWTRL" unit:"DRAM cycles" range:"0..1000"`
	TREFI int `yaml:"tREFI" unit:"DRAM cycles" range:"1..1000000"`
	TRFC  int `yaml:"tRFC" unit:"DRAM cycles" range:"1..100000"`

	// AccessNanoseconds and GigabytesPerSecond (10^9 bytes) are those of the
	// simple model, the latter for all channels together.
	AccessNanoseconds  float64 `yaml:"access_ns" unit:"ns" range:"0.001..1000000"`
	GigabytesPerSecond float64 `yaml:"gigabytes_per_second" unit:"GB/s" range:"0.001..1000000"`
}

// Link is the way of copies between host and device.
type Link struct {
	// Kind is "pcie" (a link with a bandwidth of its own in each direction) or
	// "on_die" (host and device share the DRAM: a copy reads and writes it).
	Kind string `yaml:"kind" oneof:"pcie,on_die"`
	// GigabytesPerSecond (10^9 bytes) are those of one direction; of on_die they
	// are half of what the DRAM's pins carry.
	GigabytesPerSecond float64 `yaml:"gigabytes_per_second" unit:"GB/s" range:"0.001..1000000"`
	// LatencyMicroseconds pass in every copy besides.
	LatencyMicroseconds float64 `yaml:"latency_us" unit:"us" range:"0..1000000"`
	// CopyEngines bound the copies that are under way at the same time; each
	// direction takes one.
	CopyEngines int `yaml:"copy_engines" unit:"engines" range:"1..64"`
}

// Host is the processor that runs the host program.
type Host struct {
	// GigaOperationsPerSecond is the rate of recorded host computation; zero: it
	// takes no time.
	GigaOperationsPerSecond float64 `yaml:"giga_operations_per_second" unit:"Gop/s" range:"0..1000000"`
}

// DRAMGigabytesPerSecond is what the pins of all channels carry at most, in 10^9
// bytes per second.
func (m *Machine) DRAMGigabytesPerSecond() float64 {
	d := &m.DRAM
	if d.Model == "simple" {
		return d.GigabytesPerSecond
	}
	return float64(m.L2.Partitions) * float64(d.BurstBytes) / float64(max(d.TCCD, d.BurstCycles, 1)) * m.Clocks.DRAMMHz / 1000
}

// Origin says where a value was written.
type Origin struct {
	File   string // as named by the user, or "gtx480" for a built-in file
	Line   int
	Column int
	// Source is the trailing comment of the line, without the #.
	Source string
	// Overrides names what the value replaced, nearest first: "base.yaml:7: 48".
	Overrides []string

	order int // values set later have higher ones
}

// place names file and line, or the part of a specification that gave a value.
func (o *Origin) place() string {
	if o.Line == 0 {
		return o.File
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}
