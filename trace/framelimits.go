package trace

// What a reader accepts: see the limits of package trace.
const (
	maxChunkRawBytes    = 256 << 20 // one chunk message, uncompressed
	maxMetadataRawBytes = 16 << 20  // one message of any other kind, uncompressed
	maxIndexRawBytes    = 32 << 20  // the index, uncompressed
)
