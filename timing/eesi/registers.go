// SPDX-License-Identifier: Apache-2.0

package eesi

import "github.com/warptape/warptape/timing/counters"

// maxUpper is the most registers of a thread in the upper level of the register file.
const maxUpper = 16

// upper is the registers of a thread that are in the upper level of its lane's register
// file (Gebhart et al., ISCA 2011, which section 6.3 adopts). They are results of the
// lane's own units, the oldest leaving first. Results of loads go to the lower level. They
// are in the order in which they came; noRegister is a place that has been given up.
type upper struct {
	count   uint8
	numbers [maxUpper]uint16
}

const noRegister = ^uint16(0)

// uppers are the contents of the threads of a warp set, by number (levels).
type uppers []holding

// holding is threads that have the same contents.
type holding struct{ lanes, contents uint32 }

// begin is that of threads with nothing there.
func (u uppers) begin() uppers { return append(u[:0], holding{lanes: ^uint32(0)}) }

// find gives the place of a register, -1 when it is not there.
func (u *upper) find(number uint16) int {
	for i := range int(u.count) {
		if u.numbers[i] == number {
			return i
		}
	}
	return -1
}

// put makes room for a register; it reports whether another one leaves.
func (u *upper) put(number uint16, size int) (leaves bool) {
	if int(u.count) < size {
		u.numbers[u.count] = number
		u.count++
		return false
	}
	leaves = u.numbers[0] != noRegister
	copy(u.numbers[:size-1], u.numbers[1:size])
	u.numbers[size-1] = number
	return leaves
}

// drop forgets a register, which the lower level has anew.
func (u *upper) drop(number uint16) {
	if i := u.find(number); i >= 0 {
		u.numbers[i] = noRegister
	}
}

// use counts what a thread reads and writes, by level.
func (u *upper) use(op *operation, size int) (n registerUse) {
	for _, r := range op.reads {
		if u.find(r) >= 0 {
			n.upperReads++
		} else {
			n.lowerReads++
		}
	}
	for _, r := range op.writes {
		switch {
		case op.what == loads || size == 0:
			u.drop(r)
			n.lowerWrites++
		case u.find(r) >= 0:
			n.upperWrites++
		default:
			n.upperWrites++
			if u.put(r, size) {
				n.upperReads++
				n.lowerWrites++
			}
		}
	}
	return n
}

// registerUse is how many registers of a level an instruction reads and writes.
type registerUse struct{ lowerReads, lowerWrites, upperReads, upperWrites uint16 }

// useRegisters counts what so many threads of a warp set read and write.
func (s *laneCore) useRegisters(p *warpSet, lanes uint32, threads uint64, instruction uint32, op *operation) {
	if s.UpperRegisters == 0 {
		s.count(instruction, counters.RegisterLaneRead, threads*uint64(len(op.reads)))
		s.count(instruction, counters.RegisterLaneWrite, threads*uint64(len(op.writes)))
		return
	}
	if len(op.reads)+len(op.writes) == 0 {
		return
	}
	moved := false
	for i := 0; lanes != 0; i++ {
		x := &p.uppers[i]
		of := x.lanes & lanes
		if of == 0 {
			continue
		}
		u := s.levels.step(x.contents, instruction, op)
		if lanes &^= of; lanes == 0 {
			u.threads += threads
		} else {
			u.threads += uint64(count(of))
			threads -= uint64(count(of))
		}
		switch {
		case u.next == x.contents:
		case of == x.lanes:
			x.contents = u.next
			moved = true
		default:
			x.lanes &^= of
			p.uppers = append(p.uppers, holding{of, u.next})
			moved = true
		}
	}
	if moved && len(p.uppers) > 1 {
		p.uppers = p.uppers.merge()
	}
	if s.levels.full() {
		s.collectRegisters()
		s.levels.drop(s.warps)
	}
}

// collectRegisters counts what threads have read and written since it was last called.
func (s *laneCore) collectRegisters() {
	s.levels.collect(func(u *step) {
		s.count(u.instruction, counters.RegisterLaneRead, u.threads*uint64(u.lowerReads))
		s.count(u.instruction, counters.RegisterLaneWrite, u.threads*uint64(u.lowerWrites))
		s.count(u.instruction, firstCounter+countUpperRead, u.threads*uint64(u.upperReads))
		s.count(u.instruction, firstCounter+countUpperWrite, u.threads*uint64(u.upperWrites))
	})
}

// merge joins the holdings of the same contents.
func (u uppers) merge() uppers {
	kept := u[:0]
next:
	for _, x := range u {
		for i := range kept {
			if kept[i].contents == x.contents {
				kept[i].lanes |= x.lanes
				continue next
			}
		}
		kept = append(kept, x)
	}
	return kept
}
