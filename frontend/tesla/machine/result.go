// SPDX-License-Identifier: Apache-2.0

package machine

import "github.com/warptape/warptape/frontend/tesla/language"

// Lanes is a set of lanes of a warp.
type Lanes uint64

// first are the lanes below n.
func first(n int) Lanes { return Lanes(1)<<n - 1 }

// Result is what a kernel has done.
type Result struct {
	// Cycles pass from START until all thread blocks are dispatched, nothing is
	// initialised and no warp is there.
	Cycles uint64
	// Issues counts the warps that entered the pipeline, and Replays those of them
	// that came again for lanes that shared memory had not served. Divergences counts
	// the branches at which lanes did not agree.
	Issues, Replays, Divergences uint64
	// Width is the threads of a warp, WarpsPerBlock the warps of a thread block.
	Width, WarpsPerBlock int
	// Shared is the shared memory of each multiprocessor at the end.
	Shared [][]uint32
	// Warps has what every warp did, thread block by thread block.
	Warps []Warp
	// Dependences say why the same kernel may do something else elsewhere.
	Dependences []Dependence
	// Joins holds, by instruction, the labels at which the lanes of a branch that parted
	// met, ascending.
	Joins map[int][]int
	// SharedWords and ConstantWords are one more than the highest word that was
	// initialised or accessed; Wraps says that an address was beyond the memory.
	SharedWords, ConstantWords int
	Wraps                      bool
	// Log is nil unless it was asked for.
	Log *Log
}

// Warp is the path of one warp.
type Warp struct {
	Visits   []Visit
	Accesses []Access
	// Taken has, for each execution of a branch to the next instruction, the lanes that
	// took it: the visits do not show them.
	Taken []Taken
}

// Taken has the lanes that executed a branch to the next instruction, and those of them
// that took it.
type Taken struct{ Mask, Takers Lanes }

// Visit is a run of instructions that one set of lanes executes.
type Visit struct {
	First int // instruction
	Mask  Lanes
}

// Access has the lanes of an executed LD, ST or LDC, and the word addresses.
type Access struct {
	Mask    Lanes
	Address [language.MaxWarpWidth]uint32
}

// Log is what happened in which cycle, for comparison.
type Log struct {
	Dispatches []Dispatch
	Inits      []Init
	Issues     []Issue
}

// Dispatch of a thread block to a multiprocessor.
type Dispatch struct {
	Cycle uint64
	MP    int
	Block uint64
}

// Init of a warp.
type Init struct {
	Cycle              uint64
	MP, Slot, BlockPos int
	Mask               Lanes
	Base               int // of its registers
}

// Issue of a warp.
type Issue struct {
	Cycle              uint64
	MP, Slot, BlockPos int
	PC                 int
	Mask               Lanes
}
