// SPDX-License-Identifier: Apache-2.0

// Package gputest builds what tests of the timing model are made of: small
// machines, micro-kernels with their traces, and a memory of constant latency.
package gputest

import "github.com/warptape/warptape/timing/arch"

// Timing of the machine that Machine makes.
const (
	LaunchCycles  = 5
	OperandRead   = 2
	DecodeCycles  = 2
	ALULatency    = 4
	BranchLatency = 1
)

// Machine is a small machine with one SM and one scheduler: one unit of each kind,
// instructions of ALULatency cycles and interval 1 (SFU: 20 and 8), no
// instruction cache. Tests change what they are about.
func Machine() *arch.Machine {
	alu := arch.Latency{Cycles: ALULatency, Interval: 1}
	slow := arch.Latency{Cycles: 20, Interval: 8}
	one := arch.Latency{Cycles: BranchLatency, Interval: 1}
	m := &arch.Machine{Name: "test"}
	m.Clocks = arch.Clocks{CoreMHz: 1000, NetworkMHz: 1000, L2MHz: 1000, DRAMMHz: 1000}
	m.GPU = arch.GPU{SMs: 1, Dispatch: "round_robin", BlocksPerCycle: 1, LaunchCycles: LaunchCycles, Divergence: "pdom"}
	m.SM = arch.SM{
		MaxThreads: 1536, MaxWarps: 48, MaxBlocks: 8, Registers: 32768, RegisterAllocationUnit: 64,
		FetchWidth: 2, InstructionBuffer: 4, InstructionBytes: 8, DecodeCycles: DecodeCycles,
		Schedulers: 1, Scheduler: "lrr", IssuePerScheduler: 1, OperandReadCycles: OperandRead,
		Units: arch.Units{SP: 1, Int: 1, DP: 1, SFU: 1, Tensor: 1, LDST: 1},
		Latencies: arch.Latencies{
			IntAdd: alu, IntMinMax: alu, IntMul: alu, IntMad: alu, IntDiv: slow,
			F16: alu, F32Add: alu, F32MinMax: alu, F32Mul: alu, F32Fma: alu, F32Div: slow,
			F64Add: alu, F64MinMax: alu, F64Mul: alu, F64Fma: alu, F64Div: slow,
			Special: slow, Convert: alu, Move: alu, Predicate: alu, Shuffle: alu, Tensor: slow,
			Branch: one, Barrier: one, Fence: one, Nop: one,
		},
	}
	m.Shared = arch.Shared{Bytes: 48 << 10, Banks: 32, BankBytes: 4, LatencyCycles: 20, AllocationUnit: 128}
	return m
}
