// SPDX-License-Identifier: Apache-2.0

package eesi

import "github.com/warptape/warptape/timing/sm/scoreboard"

// board is the scoreboards of all lanes: for each warp set and register, the lanes that
// have yet to write it.
type board struct {
	registers int // of a thread
	pending   []pending
}

// pending is the lanes whose register a functional unit, or a load, is yet to write.
type pending struct{ units, loads uint32 }

// begin readies the board of so many warp sets.
func (b *board) begin(warps, registers int) {
	b.registers = registers
	if n := warps * registers; cap(b.pending) < n {
		b.pending = make([]pending, n)
	} else {
		b.pending = b.pending[:n]
		clear(b.pending)
	}
}

func (b *board) row(w int) []pending { return b.pending[w*b.registers : (w+1)*b.registers] }

func (b *board) reserve(w int, registers []uint16, lanes uint32, load bool) {
	row := b.row(w)
	for _, r := range registers {
		if load {
			row[r].loads |= lanes
		} else {
			row[r].units |= lanes
		}
	}
}

func (b *board) release(w int, registers []uint16, lanes uint32, load bool) {
	row := b.row(w)
	for _, r := range registers {
		if load {
			row[r].loads &^= lanes
		} else {
			row[r].units &^= lanes
		}
	}
}

// check gives the lanes that wait for any of the registers, by what writes these: a unit or
// a load.
func (b *board) check(w int, registers []uint16) (all pending) {
	row := b.pending[w*b.registers:]
	for _, r := range registers {
		x := &row[r]
		all.units |= x.units
		all.loads |= x.loads
	}
	return all
}

// of is the hazard of one lane: the load goes before the unit.
func (p pending) of(lane int) scoreboard.Hazard {
	switch {
	case p.loads>>lane&1 != 0:
		return scoreboard.Memory
	case p.units>>lane&1 != 0:
		return scoreboard.Unit
	}
	return scoreboard.None
}
