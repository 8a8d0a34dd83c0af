// Package scoreboard keeps, per warp, the registers that have yet to be written, and
// those that have yet to be read.
//
// An instruction waits while a register that it reads (read after write) or writes
// (write after write) is yet to be written by an instruction that has issued before
// it. Where operands are read in a fixed time after issue, in order, a write after a
// read needs no check; operand collectors read later, and reserve what they have yet to
// read. Who asks is told the farther of the reasons: a load, a functional unit, an
// operand.
package scoreboard

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

// Set is a set of registers: the parts from From up to, not including, To of the list
// that Begin names.
type Set struct{ From, To uint32 }

// Empty reports whether no register is in the set.
func (s Set) Empty() bool { return s.From == s.To }

// Board is the scoreboard of an SM. Reserving a register that is reserved already, and
// releasing one that is not, changes nothing: an instruction that would write a
// reserved register does not issue.
type Board struct {
	words                int // of a warp's row
	parts                []Part
	units, loads, unread []uint64
}

// Begin readies the scoreboard of so many warps for a program whose registers take so
// many words, and whose sets are made of parts. Nothing is reserved then.
func (b *Board) Begin(warps, words int, parts []Part) {
	b.words, b.parts = words, parts
	n := warps * words
	b.units, b.loads, b.unread = zeros(b.units, n), zeros(b.loads, n), zeros(b.unread, n)
}

// zeros gives n zeros in the memory of a where it suffices.
func zeros(a []uint64, n int) []uint64 {
	if cap(a) < n {
		return make([]uint64, n)
	}
	a = a[:n]
	clear(a)
	return a
}

// ReserveUnit notes that a functional unit will write the registers of a set.
func (b *Board) ReserveUnit(w int, set Set) { b.reserve(b.units, w, set) }

// ReleaseUnit notes that it has.
func (b *Board) ReleaseUnit(w int, set Set) { b.release(b.units, w, set) }

// ReserveLoad notes that a memory access will write the registers of a set.
func (b *Board) ReserveLoad(w int, set Set) { b.reserve(b.loads, w, set) }

// ReleaseLoad notes that it has.
func (b *Board) ReleaseLoad(w int, set Set) { b.release(b.loads, w, set) }

// ReserveRead notes that the registers of a set have yet to be read.
func (b *Board) ReserveRead(w int, set Set) { b.reserve(b.unread, w, set) }

// ReleaseReads notes that warp w has read all its operands.
func (b *Board) ReleaseReads(w int) { clear(b.row(b.unread, w)) }

func (b *Board) row(board []uint64, w int) []uint64 { return board[w*b.words : w*b.words+b.words] }

func (b *Board) reserve(board []uint64, w int, set Set) {
	row := b.row(board, w)
	for _, r := range b.parts[set.From:set.To] {
		row[r.Word] |= r.Mask
	}
}

func (b *Board) release(board []uint64, w int, set Set) {
	row := b.row(board, w)
	for _, r := range b.parts[set.From:set.To] {
		row[r.Word] &^= r.Mask
	}
}

// Check gives the hazard of an instruction of warp w that uses the registers of a
// set, for reading or for writing.
func (b *Board) Check(w int, used Set) Hazard {
	units, loads := b.row(b.units, w), b.row(b.loads, w)
	onUnit := false
	for _, r := range b.parts[used.From:used.To] {
		if loads[r.Word]&r.Mask != 0 {
			return Memory
		}
		onUnit = onUnit || units[r.Word]&r.Mask != 0
	}
	if onUnit {
		return Unit
	}
	return None
}

// CheckReads gives the hazard of an instruction that writes the registers of a set,
// on machines that read operands late.
func (b *Board) CheckReads(w int, written Set) Hazard {
	unread := b.row(b.unread, w)
	for _, r := range b.parts[written.From:written.To] {
		if unread[r.Word]&r.Mask != 0 {
			return Unread
		}
	}
	return None
}
