// SPDX-License-Identifier: Apache-2.0

package container

import (
	"fmt"
	"sort"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/cpuchunks"
	"github.com/warptape/warptape/trace/internal/frames"
)

// FrameInfo locates a frame that is no chunk.
type FrameInfo struct {
	Kind           wtapepb.FrameKind
	Offset, Length int64
}

// Index lists all frames before the index frame.
type Index struct {
	Chunks []ChunkInfo
	Others []FrameInfo
	CPU    []CPUChunkInfo // those of Others
}

// Marshal is the message of the index.
func (x *Index) Marshal() ([]byte, error) {
	m := new(wtapepb.Index)
	for i := range x.Chunks {
		c := &x.Chunks[i]
		m.ChunkLaunch = append(m.ChunkLaunch, uint32(c.Launch))
		m.ChunkFirstBlock = append(m.ChunkFirstBlock, c.FirstBlock)
		m.ChunkLastBlock = append(m.ChunkLastBlock, c.LastBlock)
		m.ChunkBlocks = append(m.ChunkBlocks, uint32(c.Blocks))
		m.ChunkOffset = append(m.ChunkOffset, uint64(c.Offset))
		m.ChunkLength = append(m.ChunkLength, uint64(c.Length))
		m.ChunkRawBytes = append(m.ChunkRawBytes, uint64(c.RawBytes))
		m.ChunkWarpInstructions = append(m.ChunkWarpInstructions, c.WarpInstructions)
	}
	for _, o := range x.Others {
		m.OtherKind = append(m.OtherKind, uint32(o.Kind))
		m.OtherOffset = append(m.OtherOffset, uint64(o.Offset))
		m.OtherLength = append(m.OtherLength, uint64(o.Length))
	}
	for i := range x.CPU {
		c := &x.CPU[i]
		m.CpuThread = append(m.CpuThread, uint32(c.Thread))
		m.CpuFirstInstruction = append(m.CpuFirstInstruction, c.First)
		m.CpuInstructions = append(m.CpuInstructions, uint32(c.Instructions))
		m.CpuRawBytes = append(m.CpuRawBytes, uint64(c.RawBytes))
	}
	return proto.Marshal(m)
}

// Unmarshal reads the index of a file whose frames lie in [MagicBytes, end).
func (x *Index) Unmarshal(raw []byte, end int64) error {
	m := new(wtapepb.Index)
	if err := proto.Unmarshal(raw, m); err != nil {
		return err
	}
	n, others := len(m.ChunkLaunch), len(m.OtherKind)
	for _, have := range []int{len(m.ChunkFirstBlock), len(m.ChunkLastBlock), len(m.ChunkBlocks), len(m.ChunkOffset),
		len(m.ChunkLength), len(m.ChunkRawBytes), len(m.ChunkWarpInstructions)} {
		if have != n {
			return fmt.Errorf("chunk columns of %d and %d elements", n, have)
		}
	}
	if len(m.OtherOffset) != others || len(m.OtherLength) != others {
		return fmt.Errorf("frame columns of %d, %d and %d elements", others, len(m.OtherOffset), len(m.OtherLength))
	}
	for i := range n {
		x.Chunks = append(x.Chunks, ChunkInfo{
			Launch: int(m.ChunkLaunch[i]), FirstBlock: m.ChunkFirstBlock[i], LastBlock: m.ChunkLastBlock[i], Blocks: int(m.ChunkBlocks[i]),
			Offset: int64(m.ChunkOffset[i]), Length: int64(m.ChunkLength[i]),
			RawBytes: int64(m.ChunkRawBytes[i]), WarpInstructions: m.ChunkWarpInstructions[i],
		})
	}
	for i := range others {
		kind := wtapepb.FrameKind(min(m.OtherKind[i], 255))
		x.Others = append(x.Others, FrameInfo{kind, int64(m.OtherOffset[i]), int64(m.OtherLength[i])})
	}
	if err := x.unmarshalCPU(m); err != nil {
		return err
	}
	return x.validate(end)
}

// unmarshalCPU reads the columns of the CPU chunks, whose frames are among the others.
func (x *Index) unmarshalCPU(m *wtapepb.Index) error {
	n := len(m.CpuThread)
	if len(m.CpuFirstInstruction) != n || len(m.CpuInstructions) != n || len(m.CpuRawBytes) != n {
		return fmt.Errorf("CPU chunk columns of %d, %d, %d and %d elements", n, len(m.CpuFirstInstruction), len(m.CpuInstructions), len(m.CpuRawBytes))
	}
	for _, o := range x.Others {
		if !frames.CPUChunk(o.Kind) {
			continue
		}
		i := len(x.CPU)
		if i == n {
			return fmt.Errorf("%d CPU chunks are described, there are more", n)
		}
		c := CPUChunkInfo{
			Thread: int(m.CpuThread[i]), First: m.CpuFirstInstruction[i], Instructions: int(m.CpuInstructions[i]),
			Offset: o.Offset, Length: o.Length, RawBytes: int64(m.CpuRawBytes[i]),
		}
		if !c.follows(x.CPU) || c.Instructions < 1 || c.Instructions > cpuchunks.MaxInstructions {
			return fmt.Errorf("CPU chunk %d: %d instructions of thread %d from %d do not follow the chunk before", i, c.Instructions, c.Thread, c.First)
		}
		x.CPU = append(x.CPU, c)
	}
	if len(x.CPU) < n {
		return fmt.Errorf("%d CPU chunks are described, there are %d", n, len(x.CPU))
	}
	return nil
}

func (x *Index) validate(end int64) error {
	last := int64(frames.MagicBytes)
	for i := range x.Chunks {
		c := &x.Chunks[i]
		if err := checkExtent(c.Offset, c.Length, last, end); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
		last = c.Offset + c.Length
		if c.LastBlock < c.FirstBlock || c.Blocks < 1 || uint64(c.Blocks-1) > c.LastBlock-c.FirstBlock {
			return fmt.Errorf("chunk %d: %d thread blocks from %d to %d", i, c.Blocks, c.FirstBlock, c.LastBlock)
		}
		if i > 0 && !x.Chunks[i-1].before(c.Launch, c.FirstBlock) {
			return fmt.Errorf("chunk %d: not after the chunk before it", i)
		}
	}
	last = int64(frames.MagicBytes)
	for i, o := range x.Others {
		if err := checkExtent(o.Offset, o.Length, last, end); err != nil {
			return fmt.Errorf("frame %d: %w", i, err)
		}
		last = o.Offset + o.Length
	}
	return nil
}

func checkExtent(offset, length, low, end int64) error {
	if offset < low || length < frames.HeaderBytes || offset > end || length > end-offset {
		return fmt.Errorf("%d bytes at offset %d do not lie between %d and %d", length, offset, low, end)
	}
	return nil
}

// ChunkName names chunk i in messages.
func (x *Index) ChunkName(i int) string {
	c := &x.Chunks[i]
	return fmt.Sprintf("chunk %d (launch %d, thread blocks %d to %d, offset %d)", i, c.Launch, c.FirstBlock, c.LastBlock, c.Offset)
}

// Precedes reports whether all chunks precede a thread block of a launch.
func (x *Index) Precedes(launch int, block uint64) bool {
	n := len(x.Chunks)
	return n == 0 || x.Chunks[n-1].before(launch, block)
}

// Find returns the first chunk that does not lie before the thread block.
func (x *Index) Find(launch int, block uint64) int {
	return sort.Search(len(x.Chunks), func(i int) bool { return !x.Chunks[i].before(launch, block) })
}
