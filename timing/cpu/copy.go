package cpu

import "github.com/warptape/warptape/trace"

// Copy is the Stream of a core that copies memory: a loop of eight loads and eight
// stores of 16 bytes (SSE2, as memcpy does on x86-64), the moves of the two pointers and a branch. What is left over
// at the end is copied byte by byte.
type Copy struct {
	to, from, bytes uint64
	at              uint64 // bytes copied
	step            int    // of the iteration
}

// NewCopy makes the stream of a copy of bytes from one virtual address to another.
func NewCopy(to, from, bytes uint64) *Copy { return &Copy{to: to, from: from, bytes: bytes} }

// The copy loop: its place, the words of an iteration, and its registers.
const (
	copyCode        = 0x7f00_0000_0000 // where the loop lies; no recorded program does
	copyBytesCode   = copyCode + 0x100
	copyWords       = 8
	copyWord        = 16 // bytes
	copyIteration   = copyWords * copyWord
	copyStep        = 4 // bytes of an instruction of the loop
	registerFrom    = 1
	registerTo      = 2
	registerLeft    = 3
	registerData    = 8 // to registerData+copyWords-1
	registerFlags   = 25
	iterationLength = 2*copyWords + 3
)

// Rewind implements Stream.
func (c *Copy) Rewind() error {
	c.at, c.step = 0, 0
	return nil
}

// Next implements Stream.
func (c *Copy) Next(into []Instruction) (int, error) {
	n := 0
	for ; n < len(into) && c.at < c.bytes; n++ {
		if c.bytes-c.at >= copyIteration {
			c.word(&into[n])
		} else {
			c.byte(&into[n])
		}
	}
	return n, nil
}

// word is a step of the loop over words.
func (c *Copy) word(in *Instruction) {
	*in = Instruction{IP: copyCode + uint64(c.step)*copyStep}
	k := uint64(c.step) / 2
	switch {
	case c.step == iterationLength-1:
		c.step = 0
		c.at += copyIteration
		loop(in, c.bytes-c.at >= copyIteration)
		return
	case c.step == iterationLength-2:
		move(in, registerTo)
	case c.step == iterationLength-3:
		move(in, registerFrom)
	case c.step%2 == 0:
		loadWord(in, c.from+c.at+copyWord*k, uint8(registerData+k))
	default:
		storeWord(in, c.to+c.at+copyWord*k, uint8(registerData+k))
	}
	c.step++
}

// byte is a step of the loop over bytes: load, store, two moves, branch.
func (c *Copy) byte(in *Instruction) {
	*in = Instruction{IP: copyBytesCode + uint64(c.step)*copyStep}
	switch c.step {
	case 0:
		loadWord(in, c.from+c.at, registerData)
	case 1:
		storeWord(in, c.to+c.at, registerData)
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

func loadWord(in *Instruction, address uint64, register uint8) {
	in.Loads, in.LoadAddresses[0] = 1, address
	in.Sources[0], in.Destinations[0] = registerFrom, register
}

func storeWord(in *Instruction, address uint64, register uint8) {
	in.Stores, in.StoreAddresses[0] = 1, address
	in.Sources[0], in.Sources[1] = registerTo, register
}

func move(in *Instruction, register uint8) {
	in.Sources[0], in.Destinations[0] = register, register
}

// loop counts down and goes on.
func loop(in *Instruction, taken bool) {
	in.Branch, in.Taken = trace.CPUConditional, taken
	in.Sources[0], in.Destinations[0], in.Destinations[1] = registerLeft, registerLeft, registerFlags
}
