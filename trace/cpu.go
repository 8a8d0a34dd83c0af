// SPDX-License-Identifier: Apache-2.0

package trace

import "math/bits"

// CPUInstruction is a distinct instruction of a CPU thread. The fields are those of
// ChampSim's records; registers are its numbers, 0 is none.
type CPUInstruction struct {
	IP uint64
	// Branch marks control flow; BranchKind says which. MarkedTaken is set for the
	// rare record that is marked as taken and not as a branch.
	Branch, MarkedTaken   bool
	Destinations, Sources [CPUOperands]uint8
	// StoreSlots and LoadSlots say which of the memory operands there are, bit i for
	// operand i.
	StoreSlots, LoadSlots uint8
	ASID                  uint16 // address space, 0 where the source does not know
}

// CPUPageBytes is the argument (Header.Arguments) that tells the page size of the
// machine on which CPU threads were captured, in bytes, where that is known.
const CPUPageBytes = "cpu.page_bytes"

// CPUOperands is the largest number of registers written, registers read, stores
// and loads of a CPU instruction each.
const CPUOperands = 4

// Stores and Loads are the numbers of memory operands.
func (in *CPUInstruction) Stores() int { return bits.OnesCount8(in.StoreSlots) }

// Loads is the number of addresses read.
func (in *CPUInstruction) Loads() int { return bits.OnesCount8(in.LoadSlots) }

// MemoryOperands is the number of addresses written and read.
func (in *CPUInstruction) MemoryOperands() int { return in.Stores() + in.Loads() }

// CPUTotals are counts of the CPU threads of a trace.
type CPUTotals struct {
	Threads       uint64 `json:"threads"`
	Instructions  uint64 `json:"instructions"`
	Branches      uint64 `json:"branches"`
	TakenBranches uint64 `json:"taken_branches"`
	Loads         uint64 `json:"loads"`          // addresses read
	Stores        uint64 `json:"stores"`         // addresses written
	Syncs         uint64 `json:"syncs,omitzero"` // events of synchronisation (CPUSync)
}

// Add adds the counts of b to t.
func (t *CPUTotals) Add(b *CPUTotals) {
	t.Threads += b.Threads
	t.Instructions += b.Instructions
	t.Branches += b.Branches
	t.TakenBranches += b.TakenBranches
	t.Loads += b.Loads
	t.Stores += b.Stores
	t.Syncs += b.Syncs
}

// Count adds one execution.
func (t *CPUTotals) Count(in *CPUInstruction, taken bool) {
	t.Instructions++
	t.Stores += uint64(in.Stores())
	t.Loads += uint64(in.Loads())
	if in.Branch {
		t.Branches++
		if taken {
			t.TakenBranches++
		}
	}
}

// CountSteps adds executions of instructions of a table.
func (t *CPUTotals) CountSteps(table []CPUInstruction, steps []uint32, taken []bool) {
	for i, entry := range steps {
		t.Count(&table[entry], taken[i])
	}
}
