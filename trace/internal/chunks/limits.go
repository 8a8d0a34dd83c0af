// SPDX-License-Identifier: Apache-2.0

package chunks

import "github.com/warptape/warptape/trace/internal/lanecode"

// What a reader accepts of one chunk. A writer stays within all of these.
const (
	maxWarps    = 1 << 20
	MaxVisits   = 1 << 25 // summed over the warps of a chunk; also guard masks
	maxAccesses = 1 << 23
)

// What a writer allows one thread block: half of the above, since a chunk is what
// is pending plus one thread block.
const (
	MaxThreadBlockVisits   = MaxVisits / 2
	maxThreadBlockAccesses = maxAccesses / 2
	maxThreadBlockLaneSets = lanecode.MaxChunkLaneSets / 2
	// maxVisitAccesses is what one visit may add: a kernel has no more instructions.
	maxVisitAccesses = 1 << 18
)

// When a writer ends a chunk: small enough that chunks decode in parallel and in
// cache, large enough that per-chunk state costs nothing per warp instruction.
const (
	flushWarpInstructions = 128 << 10
	FlushBlocks           = 4096
)
