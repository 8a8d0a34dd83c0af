// SPDX-License-Identifier: Apache-2.0

package cpu

import "github.com/warptape/warptape/trace"

// Copy is the Stream of a core that copies memory, in the loop that GPSim has its
// cores execute for a copy between host and device. That is ARM's memcpy, which loads
// eight words, counts down and stores them (its published source, to which section 3.1
// of the thesis points: emul/libgpu/GPUInterface.cpp, GPUReader_mapcudaMemcpy). A word
// of a load or store of several is an instruction of its own, besides the one that
// makes its address. What is left over at the end is copied byte by byte.
type Copy struct {
	to, from, bytes uint64
	at              uint64        // bytes copied
	step            int           // of the iteration
	loop            []Instruction // an iteration over words; addresses count from its first
	iteration       uint64        // bytes
}

// NewCopy makes the stream of a copy of bytes from one virtual address to another in
// words of so many bytes (Section.CopyBytes).
func NewCopy(to, from, bytes uint64, word int) *Copy {
	return &Copy{to: to, from: from, bytes: bytes, loop: copyLoop(uint64(word)), iteration: copyWords * uint64(word)}
}

// The copy loop: its place, the words of an iteration, and its registers.
const (
	copyCode        = 0x7f00_0000_0000 // where the loop lies; no recorded program does
	copyBytesCode   = copyCode + 0x100
	copyWords       = 8
	copyStep        = 4 // bytes of an instruction of the loop
	registerFrom    = 1
	registerTo      = 2
	registerLeft    = 3
	registerData    = 8 // to registerData+copyWords-1
	registerAddress = 16
	registerFlags   = 25
)

// copyLoop is pld, ldm, subs, stm and bge of ARM's memcpy. Nothing is prefetched: the
// source gives pld no address.
func copyLoop(word uint64) []Instruction {
	ip := uint64(copyCode)
	var list []Instruction
	add := func(in Instruction) {
		in.IP = ip
		list = append(list, in)
	}
	alu := func(source, destination uint8) {
		var in Instruction
		in.Sources[0], in.Destinations[0] = source, destination
		add(in)
	}
	alu(registerFrom, registerAddress)
	ip += copyStep
	for k := range uint64(copyWords) {
		alu(registerFrom, registerAddress)
		var in Instruction
		loadWord(&in, word*k, registerAddress, uint8(registerData+k))
		add(in)
	}
	alu(registerFrom, registerFrom)
	ip += copyStep
	alu(registerLeft, registerLeft)
	alu(registerLeft, registerFlags)
	ip += copyStep
	for k := range uint64(copyWords) {
		alu(registerTo, registerAddress)
		var in Instruction
		storeWord(&in, word*k, registerAddress, uint8(registerData+k))
		add(in)
	}
	alu(registerTo, registerTo)
	ip += copyStep
	var in Instruction
	in.Branch, in.Sources[0] = trace.CPUConditional, registerFlags
	add(in)
	return list
}

// Rewind implements Stream.
func (c *Copy) Rewind() error {
	c.at, c.step = 0, 0
	return nil
}

// Next implements Stream.
func (c *Copy) Next(into []Instruction) (int, error) {
	n := 0
	for ; n < len(into) && c.at < c.bytes; n++ {
		if c.bytes-c.at >= c.iteration {
			c.word(&into[n])
		} else {
			c.byte(&into[n])
		}
	}
	return n, nil
}

// word is a step of the loop over words.
func (c *Copy) word(in *Instruction) {
	*in = c.loop[c.step]
	in.LoadAddresses[0] += c.from + c.at
	in.StoreAddresses[0] += c.to + c.at
	if c.step++; c.step == len(c.loop) {
		c.step = 0
		c.at += c.iteration
		in.Taken = c.bytes-c.at >= c.iteration
	}
}

// byte is a step of the loop over bytes: load, store, two moves, branch.
func (c *Copy) byte(in *Instruction) {
	*in = Instruction{IP: copyBytesCode + uint64(c.step)*copyStep}
	switch c.step {
	case 0:
		loadWord(in, c.from+c.at, registerFrom, registerData)
	case 1:
		storeWord(in, c.to+c.at, registerTo, registerData)
	case 2:
		move(in, registerFrom)
	case 3:
		move(in, registerTo)
	default:
		c.step = 0
		c.at++
		loop(in, c.at < c.bytes)
		return
	}
	c.step++
}

func loadWord(in *Instruction, address uint64, base, register uint8) {
	in.Loads, in.LoadAddresses[0] = 1, address
	in.Sources[0], in.Destinations[0] = base, register
}

func storeWord(in *Instruction, address uint64, base, register uint8) {
	in.Stores, in.StoreAddresses[0] = 1, address
	in.Sources[0], in.Sources[1] = base, register
}

func move(in *Instruction, register uint8) {
	in.Sources[0], in.Destinations[0] = register, register
}

// loop counts down and goes on.
func loop(in *Instruction, taken bool) {
	in.Branch, in.Taken = trace.CPUConditional, taken
	in.Sources[0], in.Destinations[0], in.Destinations[1] = registerLeft, registerLeft, registerFlags
}
