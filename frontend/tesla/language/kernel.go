// SPDX-License-Identifier: Apache-2.0

package language

import "github.com/warptape/warptape/trace"

// Kernel is a program with how it is launched and what memories hold before: all that
// a kernel image says.
type Kernel struct {
	// File names the program or image; Lines are the lines of the instructions in it.
	File         string
	Instructions []Instruction
	Lines        []int
	// Labels are the names of addresses, in the order of the program.
	Labels      []Label
	Grid, Block trace.Dim3
	// WarpsPerBlock is what the word WARP says. When it is implied, no line of the program
	// says it: it is that of warps of WarpWidth threads, and For gives that of others.
	WarpsPerBlock      int
	WarpsImplied       bool
	RegistersPerThread int
	Parameters         []uint32
	Constants          []uint32 // from address 0 on
	Data               []uint32 // of shared memory, from address 0 on
}

// Label is the name of an instruction's address.
type Label struct {
	Name    string
	Address int
}

// WarpWidth is the number of threads of a warp of the thesis' machines (Table 5.1),
// unless they have more processors; MaxWarpWidth is that with 64 (section 5.2).
const (
	WarpWidth    = 32
	MaxWarpWidth = 64
)

// Limits are the sizes of the memories that a kernel has to fit, by the parameters of
// Table 4.2.
type Limits struct {
	InstructionAddressBits, ConstantAddressBits, SharedAddressBits int // I_, C_, L_ADDR_WIDTH
	Parameters                                                     int // NUM_PARAMS
	WarpsPerMultiprocessor                                         int // NUM_WARPS
	WarpWidth                                                      int // WARP_WIDTH
}

// Reference are the limits of the reference runs.
var Reference = Limits{InstructionAddressBits: 10, ConstantAddressBits: 8, SharedAddressBits: 10, Parameters: 8, WarpsPerMultiprocessor: 16, WarpWidth: WarpWidth}

// warpsOf is the number of warps, of a width, of a thread block.
func warpsOf(block trace.Dim3, width int) int {
	return int((block.Count() + uint64(width) - 1) / uint64(width))
}

// For gives the kernel for a machine with warps of a width.
func (k *Kernel) For(width int) *Kernel {
	if !k.WarpsImplied || width < 1 {
		return k
	}
	of := *k
	of.WarpsPerBlock = warpsOf(k.Block, width)
	return &of
}

// Words are the encoded instructions.
func (k *Kernel) Words() []uint32 {
	words := make([]uint32, len(k.Instructions))
	for i, in := range k.Instructions {
		words[i] = in.Encode()
	}
	return words
}

// Place is the file and line of an instruction, for messages.
func (k *Kernel) Place(instruction int) Place {
	p := Place{File: k.File}
	if instruction < len(k.Lines) {
		p.Line = k.Lines[instruction]
	}
	return p
}
