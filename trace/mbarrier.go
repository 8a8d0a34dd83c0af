// SPDX-License-Identifier: Apache-2.0

package trace

// What happens at an mbarrier depends on values that a path does not have. So the words
// of its accesses say more than an address. A lane's word has a place in shared memory below,
// as in all accesses there, and above it a number:
//
//   - of mbarrier.init, arrive and arrive_drop: the count
//   - of expect_tx and complete_tx, and of arrive and arrive_drop with .expect_tx: the bytes
//   - of cp.async.mbarrier.arrive: one
//   - of test_wait and try_wait: a Look
//   - of st.async and red.async: the place of the mbarrier, whose thread block is that of the
//     memory
//
// Words of older traces have no number.
const (
	numberShift = 32
	numberBits  = 23
	numbered    = 1 << (numberShift + numberBits)
	numberMask  = (1<<numberBits - 1) << numberShift
)

// WithNumber is the word of an address with a number, whose lowest 23 bits it keeps.
func WithNumber(address uint64, number uint32) uint64 {
	return address | uint64(number)<<numberShift&numberMask | numbered
}

// NumberOf gives the number of a word, if it has one.
func NumberOf(word uint64) (number uint32, ok bool) {
	return uint32(word & numberMask >> numberShift), word>>(numberShift+numberBits) == 1
}

// AddressOf is the address of a word, with or without a number. Addresses of global memory have
// no number.
func AddressOf(word uint64) uint64 {
	if _, ok := NumberOf(word); ok {
		word &= 1<<numberShift - 1
	}
	return word
}

// Look is what a lane asks at an mbarrier, as the number of its word: whether a phase of a
// parity has completed (PTX ISA 9.7.13.15.16).
type Look struct {
	Parity uint8 // of the phase
	Passed bool  // it had
	// Known says that the recorder knows what the answer was.
	Known bool
}

// Number is the number of a word.
func (l Look) Number() uint32 {
	n := uint32(l.Parity & 1)
	if l.Passed {
		n |= 2
	}
	if l.Known {
		n |= 4
	}
	return n
}

// LookOf is the look of a number.
func LookOf(number uint32) Look {
	return Look{Parity: uint8(number & 1), Passed: number&2 != 0, Known: number&4 != 0}
}
