// SPDX-License-Identifier: Apache-2.0

package cpu

import "github.com/warptape/warptape/trace"

// Compute is the Stream of a core that computes for the host program. It goes through
// the memory that the computation accesses, word by word from the first byte to the
// last, and spreads the operations evenly over the words. An operation needs the word
// read last and the one before it, as a sum does.
type Compute struct {
	operations uint64
	accesses   []trace.HostAccess
	words      uint64 // of all accesses

	access int    // where it is
	word   uint64 // of the access
	passed uint64 // words of all accesses
	done   uint64 // operations
	loop   bool   // the branch of the word is next
}

// computeWord is the bytes of a load or store.
const computeWord = 8

// The code of a computation: a load, a store, operations and a branch. It lies behind
// that of copies.
const computeCode = copyCode + 0x1000

// NewCompute makes the stream of a computation. place gives the virtual address of a
// host address.
func NewCompute(operations uint64, accesses []trace.HostAccess, place func(host uint64) uint64) *Compute {
	c := &Compute{operations: operations}
	for _, a := range accesses {
		if a.Bytes == 0 {
			continue
		}
		a.HostAddress = place(a.HostAddress)
		c.accesses = append(c.accesses, a)
		c.words += wordsIn(a.Bytes)
	}
	return c
}

func wordsIn(bytes uint64) uint64 { return (bytes-1)/computeWord + 1 }

// Rewind implements Stream.
func (c *Compute) Rewind() error {
	c.access, c.word, c.passed, c.done, c.loop = 0, 0, 0, 0, false
	return nil
}

// Next implements Stream.
func (c *Compute) Next(into []Instruction) (int, error) {
	for n := range into {
		if !c.step(&into[n]) {
			return n, nil
		}
	}
	return len(into), nil
}

// step gives the next instruction; false at the end.
func (c *Compute) step(in *Instruction) bool {
	*in = Instruction{}
	switch {
	case c.done < c.due():
		in.IP = computeCode + 8
		in.Sources[0], in.Sources[1], in.Destinations[0] = registerLeft, registerData, registerLeft
		c.done++
	case c.loop:
		in.IP = computeCode + 12
		loop(in, c.passed < c.words)
		in.Sources[0], in.Destinations[0] = registerFrom, registerFrom
		c.loop = false
	case c.access == len(c.accesses):
		return false
	default:
		c.move(in)
	}
	return true
}

// due is how many operations belong before the next word.
func (c *Compute) due() uint64 {
	if c.passed == c.words {
		return c.operations
	}
	// operations*passed/words without overflow
	whole, rest := c.operations/c.words, c.operations%c.words
	return whole*c.passed + uint64(float64(rest)*float64(c.passed)/float64(c.words))
}

// move reads or writes the next word.
func (c *Compute) move(in *Instruction) {
	a := &c.accesses[c.access]
	address := a.HostAddress + c.word*computeWord
	if a.Writes {
		in.IP = computeCode + 4
		in.Stores, in.StoreAddresses[0] = 1, address
		in.Sources[0], in.Sources[1] = registerFrom, registerLeft
	} else {
		in.IP = computeCode
		in.Loads, in.LoadAddresses[0] = 1, address
		in.Sources[0], in.Destinations[0] = registerFrom, registerData
	}
	c.passed++
	c.loop = true
	if c.word++; c.word == wordsIn(a.Bytes) {
		c.access, c.word = c.access+1, 0
	}
}
