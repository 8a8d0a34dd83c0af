// SPDX-License-Identifier: Apache-2.0

package cpuchunks

// MaxInstructions and MaxThreads bound what a reader accepts. A writer ends a chunk
// after FlushInstructions.
const (
	MaxInstructions   = 1 << 20
	FlushInstructions = 1 << 16
	MaxThreads        = 1 << 16
)
