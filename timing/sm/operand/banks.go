// SPDX-License-Identifier: Apache-2.0

package operand

import "github.com/warptape/warptape/timing/clock"

// Banks says which register banks have served an access in the present cycle: each
// has one port, for a register of a whole warp.
type Banks struct {
	banks uint32 // of a sub-core; zero: registers never conflict
	parts uint32 // sub-cores
	mask  uint32 // banks less one, of a power of two; zero: of none
	cycle clock.Cycle
	taken [4]uint64 // bit per bank
}

func newBanks(banks, parts int) Banks {
	banks /= parts
	b := Banks{banks: uint32(banks), parts: uint32(parts)}
	if banks&(banks-1) == 0 && banks > 0 {
		b.mask = uint32(banks - 1)
	}
	return b
}

// Take takes the bank of a register of a warp for the cycle now; false when it is
// taken. Register r of warp w is in bank (r+w) mod banks, so that warps that
// execute the same instruction differ; sub-cores have banks of their own.
func (b *Banks) Take(now clock.Cycle, register uint16, warp uint8) bool {
	if b.banks == 0 {
		return true
	}
	if b.cycle != now {
		b.cycle, b.taken = now, [4]uint64{}
	}
	bank := uint32(register) + uint32(warp)
	if b.mask != 0 {
		bank &= b.mask
	} else {
		bank %= b.banks // a division costs as much as the rest
	}
	if b.parts > 1 {
		bank += uint32(warp) % b.parts * b.banks
	}
	word, bit := &b.taken[bank/64&3], uint64(1)<<(bank%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// Release lets all banks serve again in the same cycle.
func (b *Banks) Release() { b.taken = [4]uint64{} }
