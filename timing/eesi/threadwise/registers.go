// SPDX-License-Identifier: Apache-2.0

package threadwise

import "github.com/warptape/warptape/timing/counters"

// maxUpper is the most registers of a thread in the upper level of the register file.
const maxUpper = 16

// upper is the registers of a thread that are in the upper level of its lane's register
// file (Gebhart et al., ISCA 2011, which section 6.3 adopts). They are results of the
// lane's own units, the oldest leaving first. Results of loads go to the lower level.
type upper struct {
	numbers [maxUpper]uint16
	count   uint8
	next    uint8 // to leave
}

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
	leaves = u.numbers[u.next] != noRegister
	u.numbers[u.next] = number
	if u.next++; int(u.next) == size {
		u.next = 0
	}
	return leaves
}

// drop forgets a register, which the lower level has anew.
func (u *upper) drop(number uint16) {
	if i := u.find(number); i >= 0 {
		u.numbers[i] = noRegister
	}
}

const noRegister = ^uint16(0)

// useRegisters counts what a thread reads and writes, by level.
func (s *laneCore) useRegisters(t *thread, instruction uint32, op *operation) {
	var lowerReads, lowerWrites, upperReads, upperWrites uint64
	for _, r := range op.reads {
		if t.upper.find(r) >= 0 {
			upperReads++
		} else {
			lowerReads++
		}
	}
	for _, r := range op.writes {
		switch {
		case op.what == loads || s.UpperRegisters == 0:
			t.upper.drop(r)
			lowerWrites++
		case t.upper.find(r) >= 0:
			upperWrites++
		default:
			upperWrites++
			if t.upper.put(r, s.UpperRegisters) {
				upperReads++
				lowerWrites++
			}
		}
	}
	s.count(instruction, counters.RegisterLaneRead, lowerReads)
	s.count(instruction, counters.RegisterLaneWrite, lowerWrites)
	s.count(instruction, firstCounter+countUpperRead, upperReads)
	s.count(instruction, firstCounter+countUpperWrite, upperWrites)
}
