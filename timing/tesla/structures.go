// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/timing/arch"
)

// Cost is what hardware takes after synthesis in 65 nm for 300 MHz.
type Cost struct{ AreaMM2, PowerW float64 }

// cellsPerMM2 is how many library cells lie in a square millimetre, by Table 5.2 alone.
const cellsPerMM2 = 4.912e6 / 25.41

// Cells is the number of library cells.
func (c Cost) Cells() float64 { return c.AreaMM2 * cellsPerMM2 }

func (c Cost) times(n float64) Cost { return Cost{c.AreaMM2 * n, c.PowerW * n} }

// Sizes are the parameters of Table 4.2 that the hardware of a multiprocessor depends on.
type Sizes struct {
	Processors, WarpWidth, WarpSlots                                                    int
	InstructionAddressBits, RegisterAddressBits, ConstantAddressBits, SharedAddressBits int
}

// The coefficients. What Lies gives is Table 5.2, which is met, and four figures for each
// of area and power, Table 5.3. Those of area are fitted so that the largest deviation is
// the least, 5 points; those of power by least squares. None is negative. Synthesis of a
// single part would tell them better.
var (
	// memoryBit is a bit of the memories and of the warps' stacks.
	memoryBit = Cost{6.926789e-6, 3.472630e-6}
	// processorPart is a processor with its partition of the registers and its bank of
	// shared memory, for each bit of the address in the bank. The more banks, the less
	// their decoders take.
	processorPart = Cost{3.318387e-3, 3.966731e-4}
	// comparatorPart is what a processor has in a bank to detect conflicts, for each of
	// the levels in which it is put together with the others (section 5.2).
	comparatorPart = Cost{9.976134e-5, 3.253395e-5}
	// wholeWarp is what a multiprocessor takes more that has a row for all threads of a
	// warp, and has to schedule and update one in every cycle (section 4.2.1).
	wholeWarp = Cost{0.2188529, 0.1166967}
)

const dataBits = 32

// What uses cost that are no accesses to a memory, in picojoules in 65 nm.
const (
	// operationPJ is a multiplication and an addition of 32 bits: 3.1 and 0.1 pJ in 45 nm
	// (Horowitz, ISSCC 2014), times feature size and the square of the voltage. All units
	// of a processor see the operands (rtl/pipeline/execute.sv), whatever is computed.
	operationPJ = 3.2 * (65.0 / 45) * (1.1 / 1.0) * (1.1 / 1.0)
	// comparisonPJ is, for each bit of an address, that of the addition (assumed). Each
	// processor compares in each bank (section 5.2).
	comparisonPJ = 0.1 / 32 * (65.0 / 45) * (1.1 / 1.0) * (1.1 / 1.0)
	// activity is in how many cycles of one hardware is used where the power of the
	// synthesis holds (assumed: tools take a part of all nets to switch).
	activity = 0.5
)

// part is hardware of a multiprocessor: so many of one kind.
type part struct {
	name                  string
	kind                  arch.StructureKind
	count, entries, width int
	ports                 int
	cost                  Cost // of all
	usePJ                 float64
	charges               []arch.StructureCharge
}

// uses are charges of one use for counters; the first is what a synthesis knows of.
func uses(of arch.StructureUse, perCycle float64, names ...string) (list []arch.StructureCharge) {
	for i, name := range names {
		list = append(list, arch.StructureCharge{Counter: name, Use: of})
		if i == 0 {
			list[0].PerCycle = perCycle * activity
		}
	}
	return list
}

// parts lists the hardware of a multiprocessor.
func (s *Sizes) parts() []part {
	memory := func(name string, count, entries, width int, charges ...arch.StructureCharge) part {
		return part{name: name, kind: arch.RAM, count: count, entries: entries, width: width, ports: 1, cost: memoryBit.times(float64(count * entries * width)), charges: charges}
	}
	n, levels := s.Processors, bits.Len(uint(s.Processors))-1
	bankBits := max(s.SharedAddressBits-levels, 0)
	// An entry of a stack has a mask, two addresses of instructions and the state; there
	// are as many as a warp has threads (section 2.2.2).
	entry := s.WarpWidth + 2*s.InstructionAddressBits + 2
	registers := memory("registers", n, 1<<s.RegisterAddressBits, dataBits,
		slices.Concat(uses(arch.Read, 3, "register_lane_reads"), uses(arch.Write, 1, "register_lane_writes"))...)
	registers.ports = 4 // bram_3_1.sv: three are read, one is written
	list := []part{
		registers,
		memory("instruction memory", 1, 1<<s.InstructionAddressBits, dataBits, uses(arch.Read, 1, "tesla_rows")...),
		memory("constant memory", 1, 1<<s.ConstantAddressBits, dataBits, uses(arch.Read, 1, "constant_reads")...),
		memory("shared memory", min(n, 1<<s.SharedAddressBits), 1<<bankBits, dataBits, uses(arch.Read, 1, "tesla_bank_accesses")...),
		memory("stacks", 1, s.WarpSlots*s.WarpWidth, entry, uses(arch.Write, float64(n)/float64(s.WarpWidth), "issued_warp_instructions", "tesla_replays")...),
		{
			name: "processors", kind: arch.Logic, count: n, entries: 1, width: dataBits, cost: processorPart.times(float64(n * bankBits)),
			usePJ: operationPJ, charges: uses(arch.Operate, 1, "lane_ops_int_mad", "lane_ops_int_mul", "lane_ops_int_add"),
		},
		{
			name: "conflict detection", kind: arch.Logic, count: 1, entries: n, width: n, cost: comparatorPart.times(float64(n * n * levels)),
			usePJ: comparisonPJ * float64(n*n*s.SharedAddressBits), charges: uses(arch.Operate, 1, "tesla_access_rows"),
		},
	}
	if n >= s.WarpWidth {
		list = append(list, part{name: "whole warps", kind: arch.Logic, count: 1, entries: 1, width: s.WarpWidth, cost: wholeWarp, usePJ: operationPJ})
	}
	return list
}

// Multiprocessor is what one multiprocessor takes.
func (s *Sizes) Multiprocessor() Cost {
	var sum Cost
	for _, p := range s.parts() {
		sum.AreaMM2 += p.cost.AreaMM2
		sum.PowerW += p.cost.PowerW
	}
	return sum
}

// Sizes of a machine of this kind.
func (s *Section) Sizes() Sizes {
	return Sizes{
		Processors: s.Processors, WarpWidth: s.WarpWidth, WarpSlots: s.WarpSlots, InstructionAddressBits: s.InstructionAddressBits,
		RegisterAddressBits: s.RegisterAddressBits, ConstantAddressBits: s.ConstantAddressBits, SharedAddressBits: s.SharedAddressBits,
	}
}

// The conditions of the synthesis.
const (
	synthesisNM  = 65
	synthesisMHz = 300
)

// Structures implements arch.Section. The power is that of the synthesis. What the counted
// uses take is taken off it, and the rest, clocks and leakage, is drawn all the time.
func (s *Section) Structures(m *arch.Machine) []arch.Structure {
	sizes := s.Sizes()
	var list []arch.Structure
	for _, p := range sizes.parts() {
		one := p.cost.times(1 / float64(p.count))
		list = append(list, arch.Structure{
			Path: "chip/multiprocessor/" + p.name, Kind: p.kind, Count: m.GPU.SMs * p.count, Entries: p.entries, EntryBits: p.width, Ports: p.ports, Operation: "op.int_mad",
			ReadPJ: p.usePJ, AreaMM2: one.AreaMM2, PowerW: one.PowerW, PowerMHz: synthesisMHz, GivenNM: synthesisNM, Charges: p.charges,
			Source: "fitted to Lies (2019), Tables 5.2 and 5.3: docs/tesla.md",
		})
	}
	return list
}

// WholeChip implements arch.WholeChip: the machine has no other hardware.
func (*Section) WholeChip() {}
