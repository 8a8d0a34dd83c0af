package trace

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// Chunk is the decoded content of one chunk: what the warps of some thread blocks
// of one launch did. Make one with NewChunk and let Reader.ReadChunk fill it; its
// memory is reused. A Chunk is read by one goroutine or several, but not while it
// is being filled.
type Chunk struct {
	// LaneAddresses holds the explicit addresses of irregular accesses, 32 each;
	// Access.Lanes is an offset into it. Equal accesses may share one set.
	LaneAddresses []uint64

	launch     int
	warps      int // per thread block
	blocks     []uint64
	warpPath   []uint32
	warpMasks  []uint32
	warpGuards []uint32
	paths      sequences
	masks      sequences
	guards     sequences
	pathCounts []pathCounts
	accesses   []Access
	start      []int // per warp: its first access; one more at the end

	columns   chunkColumns
	next      []uint32
	streams   []accessDecoder
	streamOf  []int32
	slots     []accessSlot
	slotStart []int

	laneClasses  []byte // decoded
	entropy      lanecode.EntropyDecoder
	tables       lanecode.SymbolTables
	units        [WarpSize]uint64 // of an execution with explicit lanes
	watchedLanes [WarpSize]uint64

	stored, raw []byte // the frame, compressed and uncompressed

	// The payload of the frame that was referred to last, and which that is.
	reference     []byte
	referenceOf   *Reader
	referenceAt   int64
	referenceKind wtapepb.FrameKind
}

// NewChunk returns an empty chunk.
func NewChunk() *Chunk { return &Chunk{} }

// Launch is the index of the chunk's launch.
func (c *Chunk) Launch() int { return c.launch }

// Blocks lists the linear ids of the chunk's thread blocks, ascending. The slice
// is valid until the chunk is reused.
func (c *Chunk) Blocks() []uint64 { return c.blocks }

// WarpsPerBlock is the number of warps of each thread block.
func (c *Chunk) WarpsPerBlock() int { return c.warps }

// Warp is the path of one warp of a thread block. It is empty when the chunk does
// not hold the thread block or the block has no such warp.
func (c *Chunk) Warp(block uint64, warp int) Warp {
	i, ok := c.blockPlace(block)
	if !ok || warp < 0 || warp >= c.warps {
		return Warp{}
	}
	return c.warpAt(i*c.warps + warp)
}

func (c *Chunk) blockPlace(block uint64) (int, bool) {
	if len(c.blocks) == 0 {
		return 0, false
	}
	if i := block - c.blocks[0]; i < uint64(len(c.blocks)) && c.blocks[i] == block {
		return int(i), true
	}
	return slices.BinarySearch(c.blocks, block)
}

func (c *Chunk) warpAt(w int) Warp {
	return Warp{
		Blocks:   c.paths.at(int(c.warpPath[w])),
		Masks:    c.masks.at(int(c.warpMasks[w])),
		Guards:   c.guards.at(int(c.warpGuards[w])),
		Accesses: c.accesses[c.start[w]:c.start[w+1]],
	}
}

// Addresses writes the addresses of the lanes in mask to out, zero for the others.
// The mask must be one under which the access was recorded, or a part of it.
func (c *Chunk) Addresses(a Access, mask uint32, out *[WarpSize]uint64) {
	if a.Lanes >= 0 {
		*out = [WarpSize]uint64(c.LaneAddresses[a.Lanes : a.Lanes+WarpSize])
	} else {
		expand(out, a.Base, a.Stride)
	}
	if mask == ^uint32(0) {
		return
	}
	for l := range out {
		if mask>>l&1 == 0 {
			out[l] = 0
		}
	}
}

// decode fills the chunk from c.raw, a Chunk message that the index attributes to
// the given launch.
func (c *Chunk) decode(launches []Launch, plans []*plan) error {
	if err := c.columns.parse(c.raw); err != nil {
		return err
	}
	if c.columns.launch >= uint64(len(launches)) {
		return fmt.Errorf("launch %d of %d does not exist", c.columns.launch, len(launches))
	}
	c.launch = int(c.columns.launch)
	l := &launches[c.launch]
	p := plans[l.Kernel]
	c.warps = l.Warps()
	if err := c.decodeBlocks(l.Grid.Count()); err != nil {
		return fmt.Errorf("thread blocks: %w", err)
	}
	if err := c.decodePaths(p); err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	if err := c.decodeMasks(); err != nil {
		return fmt.Errorf("masks: %w", err)
	}
	if err := c.guards.readLengths(&c.columns.guards); err != nil {
		return fmt.Errorf("guards: %w", err)
	}
	if err := c.decodeReferences(); err != nil {
		return fmt.Errorf("warps: %w", err)
	}
	c.pathCounts = c.pathCounts[:0]
	for i := range c.paths.ends {
		c.pathCounts = append(c.pathCounts, p.count(c.paths.at(i)))
	}
	if err := c.layOutWarps(); err != nil {
		return err
	}
	if err := c.decodeGuards(p); err != nil {
		return fmt.Errorf("guards: %w", err)
	}
	if err := c.decodeAccesses(p); err != nil {
		return fmt.Errorf("addresses: %w", err)
	}
	return nil
}

func (c *Chunk) decodeBlocks(grid uint64) error {
	n := c.columns.blocks
	if n == 0 || n > maxChunkWarps/uint64(c.warps) {
		return fmt.Errorf("%d of them, want 1 to %d", n, maxChunkWarps/c.warps)
	}
	if n > uint64(len(c.columns.warpPath)) { // a warp takes at least one byte
		return columns.ErrShort
	}
	gaps := columns.Reader{Data: c.columns.blockGap}
	consecutive := len(gaps.Data) == 0
	c.blocks = c.blocks[:0]
	block := c.columns.firstBlock
	for i := range n {
		if i > 0 && !consecutive {
			gap := gaps.Uvarint()
			if gap >= grid {
				return fmt.Errorf("thread block %d is followed by a gap of %d in a grid of %d", block-1, gap, grid)
			}
			block += gap
		}
		if block >= grid {
			return fmt.Errorf("thread block %d in a grid of %d", block, grid)
		}
		c.blocks = append(c.blocks, block)
		block++
	}
	return gaps.Check()
}

// decodeReferences reads which sequences each warp uses.
func (c *Chunk) decodeReferences() error {
	warps := len(c.blocks) * c.warps
	var err error
	if c.warpPath, err = readReferences(c.warpPath, c.columns.warpPath, warps, len(c.paths.ends)); err != nil {
		return fmt.Errorf("path: %w", err)
	}
	if c.warpMasks, err = readReferences(c.warpMasks, c.columns.warpMasks, warps, len(c.masks.ends)); err != nil {
		return fmt.Errorf("masks: %w", err)
	}
	if c.warpGuards, err = readReferences(c.warpGuards, c.columns.warpGuards, warps, len(c.guards.ends)); err != nil {
		return fmt.Errorf("guards: %w", err)
	}
	return nil
}

// readReferences reads one reference per warp into a table of n sequences, all of
// which must be used, in order of first use.
func readReferences(dst []uint32, data []byte, warps, n int) ([]uint32, error) {
	dst = dst[:0]
	references := columns.Reader{Data: data}
	unused := 0
	for range warps {
		r := references.Uvarint()
		switch {
		case r == 0 && unused < n:
			r = uint64(unused)
			unused++
		case r == 0 || r > uint64(unused):
			return dst, fmt.Errorf("reference %d where %d of %d sequences are in use", r, unused, n)
		default:
			r--
		}
		dst = append(dst, uint32(r))
	}
	if unused < n {
		return dst, fmt.Errorf("%d of %d sequences are unused", n-unused, n)
	}
	return dst, references.Check()
}

// layOutWarps checks that every warp's sequences fit together and allots the
// accesses. All sums are bounded here, before memory is taken and before anything
// walks the path of every warp.
func (c *Chunk) layOutWarps() error {
	c.start = c.start[:0]
	visits, accesses := 0, 0
	for w, p := range c.warpPath {
		path, counts := c.paths.at(int(p)), &c.pathCounts[p]
		masks, guards := c.masks.at(int(c.warpMasks[w])), c.guards.at(int(c.warpGuards[w]))
		if len(masks) != len(path) || len(guards) != counts.guards {
			return fmt.Errorf("warps: warp %d has %d visits, %d masks, and %d guards of %d", w, len(path), len(masks), len(guards), counts.guards)
		}
		c.start = append(c.start, accesses)
		visits += len(path)
		accesses += counts.accesses
		if visits > maxChunkVisits || accesses > maxChunkAccesses {
			return fmt.Errorf("warps: more than %d visits or %d memory instructions", maxChunkVisits, maxChunkAccesses)
		}
	}
	c.start = append(c.start, accesses)
	if cap(c.accesses) < accesses {
		c.accesses = make([]Access, accesses)
	}
	c.accesses = c.accesses[:accesses]
	return nil
}
