package trace

import (
	"fmt"
	"sort"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// ChunkInfo is what the index says of one chunk.
type ChunkInfo struct {
	Launch                int
	FirstBlock, LastBlock uint64 // linear thread block ids
	Blocks                int    // stored; fewer than the range holds when the trace is a sample
	Offset, Length        int64  // of the frame in the file, in bytes
	RawBytes              int64  // uncompressed
	WarpInstructions      uint64
}

// frameInfo locates a frame that is no chunk.
type frameInfo struct {
	kind           wtapepb.FrameKind
	offset, length int64
}

// index lists all frames before the index frame.
type index struct {
	chunks []ChunkInfo
	others []frameInfo
	cpu    []CPUChunkInfo // those of others
}

func (x *index) marshal() ([]byte, error) {
	m := new(wtapepb.Index)
	for i := range x.chunks {
		c := &x.chunks[i]
		m.ChunkLaunch = append(m.ChunkLaunch, uint32(c.Launch))
		m.ChunkFirstBlock = append(m.ChunkFirstBlock, c.FirstBlock)
		m.ChunkLastBlock = append(m.ChunkLastBlock, c.LastBlock)
		m.ChunkBlocks = append(m.ChunkBlocks, uint32(c.Blocks))
		m.ChunkOffset = append(m.ChunkOffset, uint64(c.Offset))
		m.ChunkLength = append(m.ChunkLength, uint64(c.Length))
		m.ChunkRawBytes = append(m.ChunkRawBytes, uint64(c.RawBytes))
		m.ChunkWarpInstructions = append(m.ChunkWarpInstructions, c.WarpInstructions)
	}
	for _, o := range x.others {
		m.OtherKind = append(m.OtherKind, uint32(o.kind))
		m.OtherOffset = append(m.OtherOffset, uint64(o.offset))
		m.OtherLength = append(m.OtherLength, uint64(o.length))
	}
	for i := range x.cpu {
		c := &x.cpu[i]
		m.CpuThread = append(m.CpuThread, uint32(c.Thread))
		m.CpuFirstInstruction = append(m.CpuFirstInstruction, c.First)
		m.CpuInstructions = append(m.CpuInstructions, uint32(c.Instructions))
		m.CpuRawBytes = append(m.CpuRawBytes, uint64(c.RawBytes))
	}
	return proto.Marshal(m)
}

// unmarshal reads the index of a file whose frames lie in [MagicBytes, end).
func (x *index) unmarshal(raw []byte, end int64) error {
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
		x.chunks = append(x.chunks, ChunkInfo{
			Launch: int(m.ChunkLaunch[i]), FirstBlock: m.ChunkFirstBlock[i], LastBlock: m.ChunkLastBlock[i], Blocks: int(m.ChunkBlocks[i]),
			Offset: int64(m.ChunkOffset[i]), Length: int64(m.ChunkLength[i]),
			RawBytes: int64(m.ChunkRawBytes[i]), WarpInstructions: m.ChunkWarpInstructions[i],
		})
	}
	for i := range others {
		kind := wtapepb.FrameKind(min(m.OtherKind[i], 255))
		x.others = append(x.others, frameInfo{kind, int64(m.OtherOffset[i]), int64(m.OtherLength[i])})
	}
	if err := x.unmarshalCPU(m); err != nil {
		return err
	}
	return x.validate(end)
}

// unmarshalCPU reads the columns of the CPU chunks, whose frames are among the others.
func (x *index) unmarshalCPU(m *wtapepb.Index) error {
	n := len(m.CpuThread)
	if len(m.CpuFirstInstruction) != n || len(m.CpuInstructions) != n || len(m.CpuRawBytes) != n {
		return fmt.Errorf("CPU chunk columns of %d, %d, %d and %d elements", n, len(m.CpuFirstInstruction), len(m.CpuInstructions), len(m.CpuRawBytes))
	}
	for _, o := range x.others {
		if o.kind != wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK {
			continue
		}
		i := len(x.cpu)
		if i == n {
			return fmt.Errorf("%d CPU chunks are described, there are more", n)
		}
		c := CPUChunkInfo{
			Thread: int(m.CpuThread[i]), First: m.CpuFirstInstruction[i], Instructions: int(m.CpuInstructions[i]),
			Offset: o.offset, Length: o.length, RawBytes: int64(m.CpuRawBytes[i]),
		}
		if !c.follows(x.cpu) || c.Instructions < 1 || c.Instructions > maxCPUChunkInstructions {
			return fmt.Errorf("CPU chunk %d: %d instructions of thread %d from %d do not follow the chunk before", i, c.Instructions, c.Thread, c.First)
		}
		x.cpu = append(x.cpu, c)
	}
	if len(x.cpu) < n {
		return fmt.Errorf("%d CPU chunks are described, there are %d", n, len(x.cpu))
	}
	return nil
}

func (x *index) validate(end int64) error {
	last := int64(frames.MagicBytes)
	for i := range x.chunks {
		c := &x.chunks[i]
		if err := checkExtent(c.Offset, c.Length, last, end); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
		last = c.Offset + c.Length
		if c.LastBlock < c.FirstBlock || c.Blocks < 1 || uint64(c.Blocks-1) > c.LastBlock-c.FirstBlock {
			return fmt.Errorf("chunk %d: %d thread blocks from %d to %d", i, c.Blocks, c.FirstBlock, c.LastBlock)
		}
		if i > 0 && !x.chunks[i-1].before(c.Launch, c.FirstBlock) {
			return fmt.Errorf("chunk %d: not after the chunk before it", i)
		}
	}
	last = int64(frames.MagicBytes)
	for i, o := range x.others {
		if err := checkExtent(o.offset, o.length, last, end); err != nil {
			return fmt.Errorf("frame %d: %w", i, err)
		}
		last = o.offset + o.length
	}
	return nil
}

func checkExtent(offset, length, low, end int64) error {
	if offset < low || length < frames.HeaderBytes || offset > end || length > end-offset {
		return fmt.Errorf("%d bytes at offset %d do not lie between %d and %d", length, offset, low, end)
	}
	return nil
}

// place names chunk i in messages.
func (c *ChunkInfo) place(i int) string {
	return fmt.Sprintf("chunk %d (launch %d, thread blocks %d to %d, offset %d)", i, c.Launch, c.FirstBlock, c.LastBlock, c.Offset)
}

// before reports whether all of the chunk precedes a thread block of a launch.
func (c *ChunkInfo) before(launch int, block uint64) bool {
	return c.Launch < launch || c.Launch == launch && c.LastBlock < block
}

// find returns the first chunk that does not lie before the thread block.
func (x *index) find(launch int, block uint64) int {
	return sort.Search(len(x.chunks), func(i int) bool { return !x.chunks[i].before(launch, block) })
}
