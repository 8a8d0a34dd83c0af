// SPDX-License-Identifier: Apache-2.0

package frames

// What a reader accepts: see the limits of package trace.
const (
	MaxChunkRawBytes    = 1 << 30  // one chunk message, uncompressed
	MaxMetadataRawBytes = 16 << 20 // one message of any other kind, uncompressed
	maxIndexRawBytes    = 32 << 20 // the index, uncompressed
)
