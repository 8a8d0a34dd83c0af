package trace

import "github.com/warptape/warptape/trace/internal/lanecode"

// What a reader accepts. A writer stays within all of these, so that a file that
// exceeds one is damaged or hostile, and reading costs bounded memory.
const (
	maxMetadataBytes = 128 << 20 // all of those in a file together, uncompressed

	maxChunkWarps    = 1 << 20
	maxChunkVisits   = 1 << 25 // summed over the warps of a chunk; also guard masks
	maxChunkAccesses = 1 << 23

	maxBlockThreads = 1 << 16 // threads of one thread block
	maxKernelBlocks = 1 << 20 // basic blocks of one kernel

	maxKernelInstructions = 1 << 18
	maxKernelOperands     = 1 << 20 // elements of vectors included
	maxSuccessors         = 1 << 10 // of one basic block
	maxJoins              = 16      // of one basic block
	maxNames              = 1 << 16 // parameters, source files, arguments, digests
	maxFrameEvents        = 1 << 16 // events of one Timeline message
)

// What a writer allows one thread block: half of the above, since a chunk is what
// is pending plus one thread block.
const (
	maxThreadBlockVisits   = maxChunkVisits / 2
	maxThreadBlockAccesses = maxChunkAccesses / 2
	maxThreadBlockLaneSets = lanecode.MaxChunkLaneSets / 2
)

// When a writer ends a chunk: small enough that chunks decode in parallel and in
// cache, large enough that per-chunk state costs nothing per warp instruction.
const (
	flushWarpInstructions = 128 << 10
	flushBlocks           = 4096
)
