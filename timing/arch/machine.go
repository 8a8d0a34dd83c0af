// Package arch describes architectures as data: a YAML machine plus any number
// of overlays (gtx480+lrr), typed, with units, defaults and sources. Unknown
// keys, values out of range and impossible combinations are refused with the
// position in the file.
//
// Every number in a built-in file carries a trailing comment that says where it
// comes from ("Buddy SM Table III", "assumed: ..."); Sources keeps them, and
// "warptape arch show" prints them.
package arch

// Machine is one complete architecture. Field names carry units; sizes in YAML
// may be written 48KiB. It is immutable after loading.
type Machine struct {
	Name        string  `yaml:"name"`
	Description string  `yaml:"description"`
	Clocks      Clocks  `yaml:"clocks"`
	GPU         GPU     `yaml:"gpu"`
	SM          SM      `yaml:"sm"`
	Shared      Shared  `yaml:"shared_memory"`
	L1          Cache   `yaml:"l1"`
	Constant    Cache   `yaml:"constant_cache"`
	Instruction Cache   `yaml:"instruction_cache"`
	Network     Network `yaml:"network"`
	L2          L2      `yaml:"l2"`
	DRAM        DRAM    `yaml:"dram"`
}

// Clocks are the frequencies of the domains in MHz (fractions of a MHz down to
// 1 kHz are allowed).
type Clocks struct {
	CoreMHz    float64 `yaml:"core_mhz"`
	NetworkMHz float64 `yaml:"network_mhz"`
	L2MHz      float64 `yaml:"l2_mhz"`
	DRAMMHz    float64 `yaml:"dram_mhz"` // command clock
}

// GPU is what is common to all SMs.
type GPU struct {
	SMs int `yaml:"sms"`
	// Dispatch is the thread-block dispatch policy: "round_robin".
	Dispatch string `yaml:"dispatch"`
	// BlocksPerCycle bounds thread blocks dispatched per core cycle, over all SMs.
	BlocksPerCycle int `yaml:"blocks_per_cycle"`
	// LaunchCycles pass between the end of one kernel and the first block of the
	// next in the same stream.
	LaunchCycles int `yaml:"launch_cycles"`
	// Divergence is the divergence policy: "pdom".
	Divergence string `yaml:"divergence"`
}

// SM is a streaming multiprocessor.
type SM struct {
	MaxThreads int `yaml:"max_threads"`
	MaxWarps   int `yaml:"max_warps"`
	MaxBlocks  int `yaml:"max_blocks"`
	Registers  int `yaml:"registers"` // 32-bit
	// RegisterAllocationUnit is the granularity, in registers per warp, in
	// which registers are handed out.
	RegisterAllocationUnit int `yaml:"register_allocation_unit"`

	// FetchWidth instructions are fetched for one warp a cycle into its
	// instruction buffer of InstructionBuffer entries.
	FetchWidth        int `yaml:"fetch_width"`
	InstructionBuffer int `yaml:"instruction_buffer"`
	// InstructionBytes is the size of one instruction in memory.
	InstructionBytes int `yaml:"instruction_bytes"`
	// DecodeCycles pass between fetch and readiness to issue.
	DecodeCycles int `yaml:"decode_cycles"`

	Schedulers int `yaml:"schedulers"`
	// Scheduler is the warp scheduling policy: "gto" or "lrr".
	Scheduler string `yaml:"scheduler"`
	// IssuePerScheduler instructions may issue from one warp in a cycle (dual
	// issue when 2).
	IssuePerScheduler int `yaml:"issue_per_scheduler"`
	// DualIssueUnits requires that the instructions of one dual issue go to
	// different kinds of unit.
	DualIssueDifferentUnits bool `yaml:"dual_issue_different_units"`

	// OperandReadCycles is the time from issue to execution when no register
	// bank conflicts; RegisterBanks of zero switches bank conflicts off.
	OperandReadCycles int `yaml:"operand_read_cycles"`
	RegisterBanks     int `yaml:"register_banks"`
	// OperandCollectors hold issued instructions while their operands are read.
	OperandCollectors int `yaml:"operand_collectors"`

	Units     Units     `yaml:"units"`
	Latencies Latencies `yaml:"latencies"`
}

// Units are the counts of functional units of an SM; DP zero sends double
// precision to the SFUs, Int zero sends integers to the SP units.
type Units struct {
	SP     int `yaml:"sp"`
	Int    int `yaml:"int"`
	DP     int `yaml:"dp"`
	SFU    int `yaml:"sfu"`
	Tensor int `yaml:"tensor"`
	LDST   int `yaml:"ldst"`
}

// Latency is the time in core cycles from the start of execution to write-back,
// and the interval after which the unit can start the next warp instruction.
type Latency struct {
	Cycles   int `yaml:"cycles"`
	Interval int `yaml:"interval"`
}

// Latencies per operation class (trace.OpClass).
type Latencies struct {
	IntAdd, IntMinMax, IntMul, IntMad, IntDiv          Latency
	F16                                                Latency
	F32Add, F32MinMax, F32Mul, F32Fma, F32Div          Latency
	F64Add, F64MinMax, F64Mul, F64Fma, F64Div          Latency
	Special, Convert, Move, Predicate, Shuffle, Tensor Latency
	Branch, Barrier, Fence, Nop                        Latency
}

// Shared is the scratchpad of an SM.
type Shared struct {
	Bytes         int `yaml:"bytes"`
	Banks         int `yaml:"banks"`
	BankBytes     int `yaml:"bank_bytes"` // width of a bank
	LatencyCycles int `yaml:"latency_cycles"`
	// AllocationUnit is the granularity in bytes of allocation per block.
	AllocationUnit int `yaml:"allocation_unit"`
}

// Cache is a set-associative cache.
type Cache struct {
	Bytes         int `yaml:"bytes"` // zero: no such cache
	Ways          int `yaml:"ways"`
	LineBytes     int `yaml:"line_bytes"`
	SectorBytes   int `yaml:"sector_bytes"` // equal to LineBytes when not sectored
	LatencyCycles int `yaml:"latency_cycles"`
	Banks         int `yaml:"banks"`
	// Write is "through_no_allocate" (write hits update or evict the line, as
	// WriteHit says; misses do not allocate) or "back_allocate".
	Write string `yaml:"write"`
	// WriteHit is "update" or "evict", for write-through caches.
	WriteHit string `yaml:"write_hit"`
	// Index is the set index function: "linear" or "xor".
	Index string `yaml:"index"`
	// MSHRs hold outstanding lines; MSHRMerges requests may wait on one;
	// MissQueue requests may wait for the network.
	MSHRs      int `yaml:"mshrs"`
	MSHRMerges int `yaml:"mshr_merges"`
	MissQueue  int `yaml:"miss_queue"`
}

// Network joins SMs and memory partitions: separate request and reply networks.
type Network struct {
	Topology      string `yaml:"topology"` // "crossbar"
	FlitBytes     int    `yaml:"flit_bytes"`
	HeaderBytes   int    `yaml:"header_bytes"`
	LatencyCycles int    `yaml:"latency_cycles"` // network cycles through the switch
	InputQueue    int    `yaml:"input_queue"`    // packets
	OutputQueue   int    `yaml:"output_queue"`   // packets
}

// L2 is the second-level cache: one Cache per slice, Partitions memory
// partitions with SlicesPerPartition slices each.
type L2 struct {
	Partitions         int `yaml:"partitions"`
	SlicesPerPartition int `yaml:"slices_per_partition"`
	// Slice describes one slice; LatencyCycles is in L2 cycles.
	Slice Cache `yaml:"slice"`
	// InputQueue requests may wait in front of a slice.
	InputQueue int `yaml:"input_queue"`
	// InterleaveBytes is the address stretch that stays in one partition.
	InterleaveBytes int `yaml:"interleave_bytes"`
	// PartitionHash is "none" or "xor".
	PartitionHash string `yaml:"partition_hash"`
	// AtomicCycles is the time, in L2 cycles, for which one atomic occupies the
	// slice per line.
	AtomicCycles int `yaml:"atomic_cycles"`
}

// DRAM is one channel per memory partition. Timings are in cycles of the DRAM
// command clock, with JEDEC names.
type DRAM struct {
	// Model is "banked" (banks, row buffers, scheduler) or "simple" (bandwidth
	// and access time, as the GPSim thesis uses).
	Model     string `yaml:"model"`
	Scheduler string `yaml:"scheduler"` // "frfcfs" or "fcfs"
	Queue     int    `yaml:"queue"`     // requests per channel
	Banks     int    `yaml:"banks"`
	// BankGroups of 1 makes tCCDL and tCCD the same.
	BankGroups int `yaml:"bank_groups"`
	RowBytes   int `yaml:"row_bytes"`
	// BurstBytes move per column command, in BurstCycles on the data bus.
	BurstBytes  int `yaml:"burst_bytes"`
	BurstCycles int `yaml:"burst_cycles"`
	// ExtraCycles is a fixed delay, in DRAM cycles, in front of the channel.
	ExtraCycles int `yaml:"extra_cycles"`

	TCL   int `yaml:"tCL"`
	TRCD  int `yaml:"tRCD"`
	TRP   int `yaml:"tRP"`
	TRAS  int `yaml:"tRAS"`
	TRC   int `yaml:"tRC"`
	TRRD  int `yaml:"tRRD"`
	TCCD  int `yaml:"tCCD"`
	TCCDL int `yaml:"tCCDL"`
	TWL   int `yaml:"tWL"`
	TWR   int `yaml:"tWR"`
	TCDLR int `yaml:"tCDLR"`
	TRTPL int `yaml:"tRTPL"`

	// AccessNanoseconds and GigabytesPerSecond are those of the simple model.
	AccessNanoseconds  float64 `yaml:"access_ns"`
	GigabytesPerSecond float64 `yaml:"gigabytes_per_second"`
}
