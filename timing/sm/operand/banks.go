package operand

import "github.com/warptape/warptape/timing/clock"

// Banks says which register banks have served an access in the present cycle: each
// has one port, for a register of a whole warp.
type Banks struct {
	banks int // zero: registers never conflict
	cycle clock.Cycle
	taken [4]uint64 // bit per bank
}

// Take takes the bank of a register of a warp for the cycle now; false when it is
// taken. Register r of warp w is in bank (r+w) mod banks, so that warps that
// execute the same instruction differ.
func (b *Banks) Take(now clock.Cycle, register uint16, warp uint8) bool {
	if b.banks == 0 {
		return true
	}
	if b.cycle != now {
		b.cycle, b.taken = now, [4]uint64{}
	}
	bank := (uint32(register) + uint32(warp)) % uint32(b.banks)
	word, bit := &b.taken[bank/64&3], uint64(1)<<(bank%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}
