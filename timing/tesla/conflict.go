// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
)

// access sends a warp through the banks of shared memory (3.5). In each row and bank the
// lowest lane's address wins, and all lanes of the row with that address are served. When
// lanes are left over, the warp comes again: of the rows with such lanes those, of all
// others the lanes that it had.
func (p *multiprocessor) access(now clock.Cycle, w *warp, s *step) (again bool) {
	next, lost, banks, rows := lanes(0), lanes(0), 0, 0
	for row := range int(p.nr) {
		of := w.serves & p.lanesOf(row)
		if of == 0 {
			continue
		}
		rows++
		losers, used := p.losers(w, of)
		banks += used
		if losers != 0 {
			next |= losers
			lost |= losers
		} else {
			next |= of
		}
	}
	again = lost != 0
	p.countBanks(w, s, w.serves&^lost, banks, rows)
	w.serves, w.replay = next, again
	if there := p.program.kernel.Tesla.RecordedIn.WarpWidth; again && s.rereads && p.nr > 1 && p.Processors > there {
		p.fail(now, w, "a bank conflict makes rows without one load again, from the addresses that they have loaded; it was recorded on warps of %d: record it on this machine", there)
	}
	if again {
		p.count(w.index, counters.SharedConflictCycles, uint64(p.nr))
	}
	return again
}

// losers are the lanes of a row that its banks do not serve; banks is how many work.
func (p *multiprocessor) losers(w *warp, of lanes) (losers lanes, banks int) {
	var won [maxWidth]uint32 // addresses, by bank
	var taken uint64
	last := uint32(p.Processors - 1)
	for ; of != 0; of &= of - 1 {
		lane := bits.TrailingZeros64(uint64(of))
		address := w.path.address[lane]
		bank := address & last
		switch {
		case taken>>bank&1 == 0:
			taken |= 1 << bank
			won[bank] = address
		case won[bank] != address:
			losers |= 1 << lane
		}
	}
	return losers, bits.OnesCount64(taken)
}

// countBanks counts a pass through the banks that has served some lanes.
func (p *multiprocessor) countBanks(w *warp, s *step, served lanes, banks, rows int) {
	p.count(w.index, firstCounter+countAccessRow, uint64(rows))
	p.count(w.index, firstCounter+countBankAccess, uint64(banks))
	if !s.stores {
		p.count(w.index, counters.RegisterLaneWrite, served.count())
	}
}
