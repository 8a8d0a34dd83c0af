// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/lanesets"
)

// Decoder decodes Chunk messages; its memory is reused from chunk to chunk.
type Decoder struct {
	// Lanes has what Access.Lanes of irregular accesses refers to.
	Lanes lanesets.Sets

	Launch     int
	Warps      int // per thread block
	Blocks     []uint64
	warpPath   []uint32
	warpMasks  []uint32
	warpGuards []uint32
	paths      sequences
	masks      sequences
	guards     sequences
	pathCounts []pathCounts
	start      []int // per warp: its first access; one more at the end
	room       room
	explicit   int // executions with explicit lanes

	*Scratch
}

// Scratch is the memory that a decoder needs while it decodes, and not to look up what it
// has decoded: several decoders may use one in turn.
type Scratch struct {
	Columns   columnViews
	next      []uint32
	streams   []accessDecoder
	streamOf  []int32
	slots     []accessSlot
	slotStart []int

	laneClasses  []byte // decoded
	entropy      lanecode.EntropyDecoder
	tables       lanecode.SymbolTables
	units        [lanecode.WarpLanes]uint64 // of an execution with explicit lanes
	watchedLanes [lanecode.WarpLanes]uint64
}

// Parse finds the columns of a message, which decode decodes; the message must not
// change until then. The launch is the one that the chunk claims to be of, one of so
// many.
func (c *Decoder) Parse(message []byte, launches int) error {
	c.provide()
	if err := c.Columns.parse(message); err != nil {
		return err
	}
	if c.Columns.launch >= uint64(launches) {
		return fmt.Errorf("launch %d of %d does not exist", c.Columns.launch, launches)
	}
	c.Launch = int(c.Columns.launch)
	return nil
}

// provide makes scratch memory if the decoder has none.
func (c *Decoder) provide() {
	if c.Scratch == nil {
		c.Scratch = new(Scratch)
	}
}

// Describe gives the launch and the thread blocks of a message, from its columns alone.
func (c *Decoder) Describe(message []byte) (launch int, first, last uint64, err error) {
	c.provide()
	m := &c.Columns
	if err := m.parse(message); err != nil {
		return 0, 0, 0, err
	}
	if m.blocks == 0 {
		return 0, 0, 0, errors.New("no thread blocks")
	}
	last = m.firstBlock + m.blocks - 1
	for gaps := (columns.Reader{Data: m.BlockGap}); len(gaps.Data) > 0; {
		last += gaps.Uvarint()
	}
	return int(m.launch), m.firstBlock, last, nil
}

// Decode decodes the message but for its accesses, which fill does. The message is of a
// launch of the plan's kernel with so many warps in a thread block and so many thread
// blocks.
func (c *Decoder) Decode(p *Plan, warps int, grid uint64) error {
	c.Warps = warps
	c.room = newRoom(c.Columns.blocks)
	if err := c.decodeBlocks(grid); err != nil {
		return fmt.Errorf("thread blocks: %w", err)
	}
	if err := c.decodePaths(p); err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	if err := c.decodeMasks(); err != nil {
		return fmt.Errorf("masks: %w", err)
	}
	if err := c.guards.readLengths(&c.Columns.Guards, &c.room); err != nil {
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
	return nil
}

func (c *Decoder) decodeBlocks(grid uint64) error {
	n := c.Columns.blocks
	if n == 0 || n > maxWarps/uint64(c.Warps) {
		return fmt.Errorf("%d of them, want 1 to %d", n, maxWarps/c.Warps)
	}
	if n > uint64(len(c.Columns.WarpPath)) { // a warp takes at least one byte
		return columns.ErrShort
	}
	gaps := columns.Reader{Data: c.Columns.BlockGap}
	consecutive := len(gaps.Data) == 0
	c.Blocks = c.Blocks[:0]
	block := c.Columns.firstBlock
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
		c.Blocks = append(c.Blocks, block)
		block++
	}
	return gaps.Check()
}

// decodeReferences reads which sequences each warp uses.
func (c *Decoder) decodeReferences() error {
	warps := len(c.Blocks) * c.Warps
	var err error
	if c.warpPath, err = readReferences(c.warpPath, c.Columns.WarpPath, warps, len(c.paths.ends)); err != nil {
		return fmt.Errorf("path: %w", err)
	}
	if c.warpMasks, err = readReferences(c.warpMasks, c.Columns.WarpMasks, warps, len(c.masks.ends)); err != nil {
		return fmt.Errorf("masks: %w", err)
	}
	if c.warpGuards, err = readReferences(c.warpGuards, c.Columns.WarpGuards, warps, len(c.guards.ends)); err != nil {
		return fmt.Errorf("guards: %w", err)
	}
	return nil
}

// readReferences reads one reference per warp into a table of n sequences.
// All must be used, in order of first use.
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
func (c *Decoder) layOutWarps() error {
	c.start = c.start[:0]
	visits, guarded, accesses := 0, 0, 0
	for w, p := range c.warpPath {
		path, counts := c.paths.at(int(p)), &c.pathCounts[p]
		masks, guards := c.masks.at(int(c.warpMasks[w])), c.guards.at(int(c.warpGuards[w]))
		if len(masks) != len(path) || len(guards) != counts.guards {
			return fmt.Errorf("warps: warp %d has %d visits, %d masks, and %d guards of %d", w, len(path), len(masks), len(guards), counts.guards)
		}
		c.start = append(c.start, accesses)
		visits += len(path)
		guarded += len(guards)
		accesses += counts.accesses
		if err := c.room.hold(visits, guarded, accesses); err != nil {
			return fmt.Errorf("warps: %w", err)
		}
	}
	c.start = append(c.start, accesses)
	return nil
}
