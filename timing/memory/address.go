// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/memory/ipoly"
	"github.com/warptape/warptape/timing/seam"
)

// Windows of the physical address space for what is not global memory. The
// recorded addresses of these spaces are relative to the space.
const (
	localWindow       = uint64(1) << 60
	constWindow       = seam.ConstantWindow
	paramWindow       = seam.ParameterWindow
	instructionWindow = uint64(4) << 60
	// localBits is room for the local memory of one SM.
	localBits = 40
)

// addressMap spreads physical addresses over partitions, slices and DRAM banks.
// Stretches of InterleaveBytes go round the partitions, and within one round
// its slices. What is left is a dense address inside the slice. Its bits give
// row, bank and column as arch.DRAM.Mapping says; by default RowBytes
// consecutive bytes share a DRAM row. Each slice has its own banks of the
// partition's channel (the map of GPGPU-Sim's GTX480, dramid@8).
type addressMap struct {
	partitions uint64
	interleave uint // log2 of InterleaveBytes
	slices     uint // log2 of slices per partition
	row        uint // log2 of RowBytes
	banks      uint // log2 of the banks of a slice
	// The bits of the slice's bank number: low ones from lowAt on, the rest from highAt
	// on. Then come the masks of the low ones, of all of them, and of the slice.
	lowAt, low, highAt           uint
	lowMask, bankMask, sliceMask uint64
	hashPartitions, hashBanks    bool
	// spread is the hash over all slices (arch.L2.PartitionHash ipoly), nil for another.
	spread *ipoly.Rounds
}

func newAddressMap(m *arch.Machine) addressMap {
	a := addressMap{
		partitions: uint64(m.L2.Partitions), interleave: log2(m.L2.InterleaveBytes), slices: log2(m.L2.SlicesPerPartition),
		row: log2(m.L2.InterleaveBytes), hashPartitions: m.L2.PartitionHash == "xor",
	}
	if m.L2.PartitionHash == "ipoly" {
		a.spread = ipoly.NewRounds(m.L2.Partitions * m.L2.SlicesPerPartition)
	}
	if m.DRAM.Model == "banked" {
		a.row = log2(m.DRAM.RowBytes)
		a.banks = log2(m.DRAM.Banks) - a.slices
		a.hashBanks = m.DRAM.BankHash == "xor"
	}
	a.chooseBankBits(m)
	a.lowMask, a.bankMask, a.sliceMask = 1<<a.low-1, 1<<a.banks-1, 1<<a.slices-1
	return a
}

// chooseBankBits places the bank number among the address bits. The lines of the
// caches above stay in one bank, whose requests never cross into the next.
func (a *addressMap) chooseBankBits(m *arch.Machine) {
	line := uint(0)
	for 1<<line < m.L2.Slice.LineBytes || m.LLC.Bytes > 0 && 1<<line < m.LLC.LineBytes || 1<<line < m.DRAM.BurstBytes {
		line++
	}
	switch m.DRAM.Mapping {
	case "row_column_bank":
		a.lowAt, a.low, a.highAt = line, a.banks, a.row+a.banks
	case "row_bank_column_group":
		// Bank b is in group b modulo their number, and its lowest bits are the
		// slice's.
		groups := log2(m.DRAM.BankGroups)
		a.low = min(groups-min(groups, a.slices), a.banks)
		a.lowAt, a.highAt = line, a.row+a.low
	default:
		a.highAt = a.row
	}
}

// codeWindow is what is added to addresses of instructions. Where the machine says at
// which address code lies, that is whole rounds over the partitions: a line lies in the
// slice, and the bank, of its address.
func codeWindow(m *arch.Machine) uint64 {
	if m.SM.CodeAddress == 0 {
		return instructionWindow
	}
	round := uint64(m.L2.Partitions) << localBits
	return (instructionWindow + round - 1) / round * round
}

func log2(n int) uint { return uint(bits.TrailingZeros(uint(n))) }

// slice gives the number of the slice (over all partitions) that holds an
// address, and the address inside the slice.
func (a *addressMap) slice(address uint64) (slice int, inside uint64) {
	chunk := address >> a.interleave
	round, partition := chunk/a.partitions, chunk%a.partitions
	if a.hashPartitions {
		// A power of two of partitions: xor keeps the map one to one.
		partition = (partition ^ round ^ round>>8) & (a.partitions - 1)
	}
	slice = int(partition<<a.slices | round&(1<<a.slices-1))
	if a.spread != nil {
		slice = int(a.spread.Place(round>>a.slices, uint64(slice)))
	}
	return slice, round>>a.slices<<a.interleave | address&(1<<a.interleave-1)
}

// inPartition is the address inside the partition of an address inside a slice.
func (a *addressMap) inPartition(slice int, inside uint64) uint64 {
	chunk := inside>>a.interleave<<a.slices | uint64(slice)&(1<<a.slices-1)
	return chunk<<a.interleave | inside&(1<<a.interleave-1)
}

// fromPartition undoes inPartition; slice is that inside the partition.
func (a *addressMap) fromPartition(address uint64) (slice int, inside uint64) {
	chunk := address >> a.interleave
	return int(chunk & (1<<a.slices - 1)), chunk>>a.slices<<a.interleave | address&(1<<a.interleave-1)
}

// bank gives the DRAM bank and row of an address inside a slice.
func (a *addressMap) bank(slice int, inside uint64) (bank int, row int64) {
	// No shift is by 64 or more: to say so keeps the processor from asking.
	r := inside >> ((a.row + a.banks) & 63)
	n := inside>>(a.lowAt&63)&a.lowMask | inside>>(a.highAt&63)<<(a.low&63)
	if a.hashBanks {
		n ^= r
	}
	return int((n&a.bankMask)<<(a.slices&63) | uint64(slice)&a.sliceMask), int64(r)
}
