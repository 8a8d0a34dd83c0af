// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"fmt"

	"github.com/warptape/warptape/trace/internal/lanecode"
)

// What a reader accepts of a chunk of several thread blocks. A writer stays within all of
// these.
const (
	maxWarps    = 1 << 20
	MaxVisits   = 1 << 25 // summed over the warps of a chunk; also guard masks
	maxAccesses = 1 << 23
)

// What a writer allows a thread block that shares its chunk with others: half of the above,
// since a chunk is what is pending plus one thread block. A larger one has a chunk to itself.
const (
	maxSharedVisits   = MaxVisits / 2
	maxSharedAccesses = maxAccesses / 2
	maxSharedLaneSets = lanecode.MaxChunkLaneSets / 2
	// maxVisitAccesses is what one visit may add: a kernel has no more instructions.
	maxVisitAccesses = 1 << 18
)

// A chunk of one thread block is bounded by the memory that it takes decoded, at most
// LargestBytes. These are the bytes of what it holds.
const (
	LargestBytes = 2 << 30
	visitBytes   = 8                     // a basic block and a mask
	guardBytes   = 4                     // a mask
	accessBytes  = 32                    // trace.Access, and accessSlot while it is decoded
	laneSetBytes = 32 + lanesetsMax + 24 // classes of its lanes, the set, and laneShape
	lanesetsMax  = 264                   // lanesets.MaxBytes, rounded up
)

// size is the memory that so much of a thread block takes decoded.
func size(visits, guards, accesses, laneSets int) int64 {
	return visitBytes*int64(visits) + guardBytes*int64(guards) + accessBytes*int64(accesses) + laneSetBytes*int64(laneSets)
}

// room is what a reader accepts of the chunk at hand.
type room struct {
	single   bool // the chunk has one thread block
	left     int64
	laneSets int
}

func newRoom(blocks uint64) room {
	return room{single: blocks == 1, left: LargestBytes, laneSets: lanecode.MaxChunkLaneSets}
}

// elements is how many elements of a sequence table there is room for. Of paths and masks
// there are as many as visits, which need both.
func (r *room) elements() int {
	if r.single {
		return int(min(r.left/guardBytes, LargestBytes/visitBytes))
	}
	return MaxVisits
}

// take notes the elements of a sequence table.
func (r *room) take(elements int) { r.left -= guardBytes * int64(elements) }

// hold checks what the warps of the chunk have all together, and leaves the rest to their
// lane sets.
func (r *room) hold(visits, guards, accesses int) error {
	if !r.single {
		if visits > MaxVisits || accesses > maxAccesses {
			return fmt.Errorf("more than %d visits or %d memory instructions", MaxVisits, maxAccesses)
		}
		return nil
	}
	left := LargestBytes - size(visits, guards, accesses, 0)
	if left < 0 {
		return fmt.Errorf("%d visits, %d guards and %d memory instructions of one thread block take more than %d bytes", visits, guards, accesses, int64(LargestBytes))
	}
	r.laneSets = max(int(left/laneSetBytes), lanecode.MaxChunkLaneSets)
	return nil
}

// When a writer ends a chunk: small enough that chunks decode in parallel and in
// cache, large enough that per-chunk state costs nothing per warp instruction.
const (
	flushWarpInstructions = 128 << 10
	FlushBlocks           = 4096
)
