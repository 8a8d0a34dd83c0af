// SPDX-License-Identifier: Apache-2.0

// Package scoreboard keeps, per warp, the registers that have yet to be written, and
// those that have yet to be read.
//
// An instruction waits while a register that it reads (read after write) or writes
// (write after write) is yet to be written by an instruction that has issued before
// it. Where operands are read in a fixed time after issue, in order, a write after a
// read needs no check. Operand collectors read later, and reserve what they have yet to
// read. A query gets the farther of the reasons: a load, a functional unit, an operand.
package scoreboard

import "iter"

// Hazard is why an instruction cannot issue.
type Hazard uint8

// The hazards: none; a register to write is yet to be read; a register is yet to be
// written by a functional unit; by a load or atomic operation.
const (
	None Hazard = iota
	Unread
	Unit
	Memory
)

// Part is the registers of a set that lie in one word of a warp's row.
type Part struct {
	Word uint32
	Mask uint64
}

// Set is a set of registers: those that lie in one word, as nearly all sets do, and
// for the others parts of the list that Begin names.
type Set struct {
	mask       uint64
	from       uint32 // of the parts that follow, more of them
	word, more uint16
}

// Gather makes a set of the registers whose bits are set in a row; it appends to parts
// what lies behind the first word that has any.
func Gather(row []uint64, parts []Part) (Set, []Part) {
	s := Set{from: uint32(len(parts))}
	for word, mask := range row {
		switch {
		case mask == 0:
		case s.mask == 0:
			s.word, s.mask = uint16(word), mask
		default:
			parts = append(parts, Part{uint32(word), mask})
			s.more++
		}
	}
	return s, parts
}

// Empty reports whether no register is in the set.
func (s Set) Empty() bool { return s.mask == 0 }

// All goes through the parts of the set; parts has all but the first.
func (s Set) All(parts []Part) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		if s.Empty() || !yield(Part{uint32(s.word), s.mask}) {
			return
		}
		for _, p := range parts[s.from : s.from+uint32(s.more)] {
			if !yield(p) {
				return
			}
		}
	}
}

// Board is the scoreboard of an SM. Reserving a register that is reserved already, and
// releasing one that is not, changes nothing: an instruction that would write a
// reserved register does not issue.
type Board struct {
	words   int // of a warp's row
	parts   []Part
	pending []pending // by warp and word
	unread  []uint64  // likewise
}

// pending is the registers of a word that are yet to be written.
type pending struct{ units, loads uint64 }

// Begin readies the scoreboard of so many warps for a program whose registers take so
// many words, and whose sets are made of parts. Nothing is reserved then.
func (b *Board) Begin(warps, words int, parts []Part) {
	b.words, b.parts = words, parts
	b.pending, b.unread = zeros(b.pending, warps*words), zeros(b.unread, warps*words)
}

// zeros gives n zeros in the memory of a where it suffices.
func zeros[T any](a []T, n int) []T {
	if cap(a) < n {
		return make([]T, n)
	}
	a = a[:n]
	clear(a)
	return a
}

// ReserveUnit notes that a functional unit will write the registers of a set.
func (b *Board) ReserveUnit(w int, s Set) {
	b.pending[w*b.words+int(s.word)].units |= s.mask
	for i := range uint32(s.more) {
		p := &b.parts[s.from+i]
		b.pending[w*b.words+int(p.Word)].units |= p.Mask
	}
}

// ReleaseUnit notes that it has.
func (b *Board) ReleaseUnit(w int, s Set) {
	b.pending[w*b.words+int(s.word)].units &^= s.mask
	for i := range uint32(s.more) {
		p := &b.parts[s.from+i]
		b.pending[w*b.words+int(p.Word)].units &^= p.Mask
	}
}

// ReserveLoad notes that a memory access will write the registers of a set.
func (b *Board) ReserveLoad(w int, s Set) {
	b.pending[w*b.words+int(s.word)].loads |= s.mask
	for i := range uint32(s.more) {
		p := &b.parts[s.from+i]
		b.pending[w*b.words+int(p.Word)].loads |= p.Mask
	}
}

// ReleaseLoad notes that it has.
func (b *Board) ReleaseLoad(w int, s Set) {
	b.pending[w*b.words+int(s.word)].loads &^= s.mask
	for i := range uint32(s.more) {
		p := &b.parts[s.from+i]
		b.pending[w*b.words+int(p.Word)].loads &^= p.Mask
	}
}

// ReserveRead notes that the registers of a set have yet to be read.
func (b *Board) ReserveRead(w int, s Set) {
	b.unread[w*b.words+int(s.word)] |= s.mask
	for i := range uint32(s.more) {
		p := &b.parts[s.from+i]
		b.unread[w*b.words+int(p.Word)] |= p.Mask
	}
}

// ReleaseReads notes that warp w has read all its operands.
func (b *Board) ReleaseReads(w int) { clear(b.unread[w*b.words : (w+1)*b.words]) }

// Check gives the hazard of an instruction of warp w that uses the registers of a
// set, for reading or for writing.
func (b *Board) Check(w int, used Set) Hazard {
	row := &b.pending[w*b.words+int(used.word)]
	units, loads := row.units&used.mask, row.loads&used.mask
	for i := range uint32(used.more) {
		p := &b.parts[used.from+i]
		row := &b.pending[w*b.words+int(p.Word)]
		units |= row.units & p.Mask
		loads |= row.loads & p.Mask
	}
	switch {
	case loads != 0:
		return Memory
	case units != 0:
		return Unit
	}
	return None
}

// CheckReads gives the hazard of an instruction that writes the registers of a set,
// on machines that read operands late.
func (b *Board) CheckReads(w int, written Set) Hazard {
	unread := b.unread[w*b.words+int(written.word)] & written.mask
	for i := range uint32(written.more) {
		p := &b.parts[written.from+i]
		unread |= b.unread[w*b.words+int(p.Word)] & p.Mask
	}
	if unread != 0 {
		return Unread
	}
	return None
}
