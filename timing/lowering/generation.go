// SPDX-License-Identifier: Apache-2.0

package lowering

import "github.com/warptape/warptape/timing/lowering/selection"

// Generation is what a lowering knows of a generation of GPUs.
type Generation struct {
	Name string
	// Registers are those that a thread may have.
	Registers int
	// Kept are registers of a thread that hold nothing of the program's: one for the stack,
	// and from Volta on two for the thread's own program counter. The note to table 2 of
	// NVIDIA's white paper on the V100 names those two, and Mesa's compiler for these GPUs
	// (NAK, hw_reserved_gprs) takes them off.
	Kept int
	// LoadsInFlight are the loads that a compiler lets go ahead at a time.
	LoadsInFlight int
	// Latency is that of arithmetic in core cycles, Late that of shared memory and the
	// special functions.
	Latency, Late int
	// Controlled says that instructions carry stall counts and dependency barriers, which
	// hardware has in place of a scoreboard.
	Controlled bool
	Selection  selection.Target
}

// inFlight was chosen after seeing all given rows of the convolution on the RTX 2080 Ti,
// so none of them is held out for it. Where loads are each used once, the vendor's
// registers are the sums, five for addresses, two for the program counter, and 34.
const inFlight = 34

// quotients are the registers of a thread up to which what needs no quotient goes first. The
// figure was chosen after seeing all given rows of the points on both cards, so none of them
// is held out for it.
const quotients = 64

// Generations are the generations by the word of gpu.lowering. The limits of registers
// are those of the CUDA C programming guide's table of compute capabilities: 63 for 2.x,
// 255 from 3.5 on. Latencies are those of microbenchmarks: of arithmetic 18 cycles on Fermi
// (H. Wong et al., ISPASS 2010, for its predecessor), 4 from Volta on, and of shared memory
// 26 and 19 to 23 (Z. Jia et al., arXiv 1804.06826 and 1903.07486).
var Generations = map[string]*Generation{
	"fermi":  {Name: "fermi", Registers: 63, Kept: 1, LoadsInFlight: inFlight, Latency: 18, Late: 26, Selection: selection.Target{}},
	"volta":  {Name: "volta", Registers: 255, Kept: 3, LoadsInFlight: inFlight, Latency: 4, Late: 22, Controlled: true, Selection: scoped},
	"turing": {Name: "turing", Registers: 255, Kept: 3, LoadsInFlight: inFlight, Latency: 4, Late: 22, Controlled: true, Selection: scoped},
	"ampere": {Name: "ampere", Registers: 255, Kept: 3, LoadsInFlight: inFlight, Latency: 4, Late: 22, Controlled: true, Selection: scoped},
	"hopper": {Name: "hopper", Registers: 255, Kept: 3, LoadsInFlight: inFlight, Latency: 4, Late: 22, Controlled: true, Selection: scoped},
}

// scoped has what Volta has and those after it.
var scoped = selection.Target{ThreeInputs: true, WideMultiply: true, Scoped: true}
