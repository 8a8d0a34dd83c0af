// SPDX-License-Identifier: Apache-2.0

package lanevector

import (
	"math"
	"math/bits"
)

// Ways is the number of states that symbols take turns among.
const Ways = 4

// Coder puts one symbol of a frequency into the state of an rANS coder, which moves 16 bits at a time. The
// state is divided by the frequency, which is done by a multiplication with its reciprocal.
type Coder struct {
	reciprocal uint64 // 2^64 divided by the frequency, rounded up; for a frequency of 1 the largest number
	most       uint32 // the largest state that need not lose a word first
	bias       uint32 // what else is added to the state
	complement uint32 // what is added for each time that the frequency goes into the state
}

// NewCoder makes the coder of a symbol whose frequency is out of 2^scale, after symbols of
// frequencies that add up to start.
func NewCoder(frequency, start uint32, scale uint) Coder {
	c := Coder{most: uint32(uint64(frequency)<<(32-scale) - 1), bias: start, complement: 1<<scale - frequency}
	switch {
	case frequency > 1:
		// Rounding makes the quotient too large by less than state/2^64, below 2^-32, and
		// it is 1/4096 or more below the next whole number.
		c.reciprocal = math.MaxUint64/uint64(frequency) + 1
	case frequency == 1:
		// The quotient is one less than the state, so what it lacks is added always.
		c.reciprocal, c.bias = math.MaxUint64, start+c.complement
	}
	return c
}

// Put puts the symbol into a state, which may lose a word first, and returns how many
// words there are then. Whether it does is as good as random, so there is no branch for
// a processor to guess.
func (c *Coder) Put(state uint32, words []uint16, n int) (uint32, int) {
	words[n] = uint16(state)
	large := uint32((uint64(c.most) - uint64(state)) >> 63) // 1 or 0
	return c.next(state >> (16 * large & 31)), n + int(large)
}

// next is the state with the symbol in it: state/f<<scale + state%f + start.
func (c *Coder) next(state uint32) uint32 {
	high, _ := bits.Mul64(uint64(state), c.reciprocal)
	return state + c.bias + uint32(high)*c.complement
}

// CodeClasses codes classes, the last one first. There is a state for each of four of them, and
// room for as many words as classes. It returns how many words there are then, n before.
func CodeClasses(coders *[256]Coder, classes []byte, words []uint16, n int, states *[Ways]uint32) int {
	if groups := len(classes) / Ways; availableBits && groups > 0 {
		room := words[n : n+Ways*groups]
		return n + int(codeClassesBMI2(&coders[0].reciprocal, &classes[0], uint64(groups), &room[0], states))
	}
	return codeClasses(coders, classes, words, n, states)
}

func codeClasses(coders *[256]Coder, classes []byte, words []uint16, n int, states *[Ways]uint32) int {
	a, b, c, d := states[0], states[1], states[2], states[3]
	for ; len(classes) >= Ways; classes = classes[:len(classes)-Ways] {
		group := (*[Ways]byte)(classes[len(classes)-Ways:])
		d, n = coders[group[3]].Put(d, words, n) // the states do not wait for each other
		c, n = coders[group[2]].Put(c, words, n)
		b, n = coders[group[1]].Put(b, words, n)
		a, n = coders[group[0]].Put(a, words, n)
	}
	*states = [Ways]uint32{a, b, c, d}
	return n
}

const (
	// MaxContexts is the largest number of contexts of classes.
	MaxContexts = 32
	// nibbleBits is how many open bits are one symbol, and nibbleTables the number of their tables.
	nibbleBits   = 4
	nibbleTables = nibbleBits * 64 / nibbleBits
	// MaxSymbols is the most symbols of a code.
	MaxSymbols = 1 + nibbleTables/nibbleBits
)

// Symbols are the coders of classes by their contexts, and of open bits.
type Symbols struct {
	Classes [MaxContexts][256]Coder
	Opens   [nibbleTables][1 << nibbleBits]Coder
}

// NibbleTable is the number of the table of the symbol whose last open bit is before a place.
func NibbleTable(end uint) uint { return (end - 1) % nibbleTables }

// CodeLanes codes the codes of the first lanes, the last lane first: the class of each by its context, and
// before that its open bits, the last of them first, if openCoded says so. Lanes take turns among the
// states. There must be room for MaxSymbols words of each lane.
func (s *Symbols) CodeLanes(codes []uint64, classes, contexts []byte, openCoded bool, words []uint16, n int, states *[Ways]uint32) int {
	groups := len(codes) / Ways
	if !availableBits || groups == 0 {
		return s.codeLanes(codes, classes, contexts, 0, openCoded, words, n, states)
	}
	n = s.codeLanes(codes, classes, contexts, groups*Ways, openCoded, words, n, states)
	var open *[256]uint8
	if openCoded {
		open = &openBits
	}
	words = words[n : n+groups*Ways*MaxSymbols]
	return n + int(codeLanesBMI2(&s.Classes[0][0].reciprocal, &s.Opens[0][0].reciprocal, open, &codes[0], &classes[:len(codes)][0], &contexts[:len(codes)][0], uint64(groups), &words[0], states))
}

// codeLanes is CodeLanes down to a lane.
func (s *Symbols) codeLanes(codes []uint64, classes, contexts []byte, down int, openCoded bool, words []uint16, n int, states *[Ways]uint32) int {
	for l := len(codes) - 1; l >= down; l-- {
		state := states[l%Ways]
		if openCoded {
			state, n = s.CodeOpen(state, codes[l], classes[l], words, n)
		}
		states[l%Ways], n = s.Classes[contexts[l]%MaxContexts][classes[l]].Put(state, words, n)
	}
	return n
}

// CodeOpen codes the open bits of a code, the last of them first.
func (s *Symbols) CodeOpen(state uint32, code uint64, class byte, words []uint16, n int) (uint32, int) {
	open := uint(openBits[class])
	for low := code & (1<<open - 1); open > 0; {
		place := (open - 1) / nibbleBits * nibbleBits
		state, n = s.Opens[NibbleTable(open)][low>>(place&63)%(1<<nibbleBits)].Put(state, words, n)
		open = place
	}
	return state, n
}

// maxClass is the class of the largest codes.
const maxClass = ExactClasses + 4*60 + 3

// openBits is how many low bits of its codes each class leaves open; 0 for what is no class.
var openBits = func() (t [256]uint8) {
	for class := ExactClasses; class <= maxClass; class++ {
		t[class] = uint8((class-ExactClasses)/4 + 1)
	}
	return t
}()
