// SPDX-License-Identifier: Apache-2.0

package container

// ChunkInfo is what the index says of one chunk.
type ChunkInfo struct {
	Launch                int
	FirstBlock, LastBlock uint64 // linear thread block ids
	Blocks                int    // stored; fewer than the range holds when the trace is a sample
	Offset, Length        int64  // of the frame in the file, in bytes
	RawBytes              int64  // uncompressed
	WarpInstructions      uint64
}

// before reports whether all of the chunk precedes a thread block of a launch.
func (c *ChunkInfo) before(launch int, block uint64) bool {
	return c.Launch < launch || c.Launch == launch && c.LastBlock < block
}

// CPUChunkInfo is what the index says of one CPU chunk.
type CPUChunkInfo struct {
	Thread         int
	First          uint64 // instruction of the thread, from 0
	Instructions   int
	Offset, Length int64 // of the frame in the file, in bytes
	RawBytes       int64 // uncompressed
}

// follows reports whether a CPU chunk can come after those in the list.
func (c *CPUChunkInfo) follows(before []CPUChunkInfo) bool {
	if len(before) == 0 {
		return c.First == 0
	}
	last := &before[len(before)-1]
	if c.Thread == last.Thread {
		return c.First == last.First+uint64(last.Instructions)
	}
	return c.Thread > last.Thread && c.First == 0
}
