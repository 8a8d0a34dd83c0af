package sm

import "github.com/warptape/warptape/timing/clock"

// bankPorts says which register banks have served an access in the present cycle:
// each has one port, for a register of a whole warp.
type bankPorts struct {
	banks int // zero: registers never conflict
	cycle clock.Cycle
	taken [4]uint64 // bit per bank
}

// take takes the bank of a register of a warp for the cycle now; false when it is
// taken. Register r of warp w is in bank (r+w) mod banks, so that warps that
// execute the same instruction differ.
func (b *bankPorts) take(now clock.Cycle, register uint16, warp uint8) bool {
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

// resultBuses counts the write-backs of units by cycle, of the near future.
type resultBuses struct {
	limit uint8 // zero: any number
	at    []clock.Cycle
	used  []uint8
}

func newResultBuses(limit, span int) resultBuses {
	b := resultBuses{limit: uint8(limit)}
	if limit > 0 {
		b.at, b.used = make([]clock.Cycle, span), make([]uint8, span)
	}
	return b
}

// take reserves a bus in the cycle at, less than the span ahead; false when all
// are taken.
func (b *resultBuses) take(at clock.Cycle) bool {
	if b.limit == 0 {
		return true
	}
	i := int(at % clock.Cycle(len(b.at)))
	if b.at[i] != at {
		b.at[i], b.used[i] = at, 0
	}
	if b.used[i] == b.limit {
		return false
	}
	b.used[i]++
	return true
}

// write writes the registers of a write-back event that are left, as many as the
// banks take in the cycle now; it gives how many have been written then.
func (s *SM) write(now clock.Cycle, op *operation, e *event) uint8 {
	done := e.from
	for _, register := range s.program.ports[op.targets.from+uint32(done) : op.targets.to] {
		if !s.collectors.banks.take(now, register, e.warp) {
			break
		}
		done++
	}
	return done
}
