package trace

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// accessSlot is one access of a path: what to decode, and under which mask.
type accessSlot struct {
	stream int32 // place in Chunk.streams
	visit  int32 // place of the mask in the warp's masks
	guard  int32 // or in its guards, -1 for none
}

// mask is the lanes of a warp that take part.
func (s *accessSlot) mask(masks, guards []uint32) uint32 {
	if s.guard >= 0 {
		return guards[s.guard]
	}
	return masks[s.visit]
}

// decodeAccesses fills the accesses of all warps, whose number is bounded already.
func (c *Chunk) decodeAccesses(p *plan) error {
	if err := c.startStreams(p); err != nil {
		return err
	}
	if err := c.layOutSlots(p); err != nil {
		return err
	}
	c.LaneAddresses = c.LaneAddresses[:0]
	out := c.accesses
	for w := range c.warpPath {
		slots := c.slots[c.slotStart[c.warpPath[w]]:c.slotStart[c.warpPath[w]+1]]
		masks, guards := c.masks.at(int(c.warpMasks[w])), c.guards.at(int(c.warpGuards[w]))
		block := w / c.warps
		for i := range slots {
			slot := &slots[i]
			s := &c.streams[slot.stream]
			if s.strided() {
				s.predicted(block, w, &out[i])
				continue
			}
			if s.companion >= 0 {
				s.model.meet(&c.streams[s.companion].watch, w, uint(s.companionUnit))
			}
			mask := slot.mask(masks, guards)
			if err := s.next(c, block, w, mask, &out[i]); err != nil {
				return fmt.Errorf("instruction %d: %w", s.instruction, err)
			}
			if s.watched {
				c.Addresses(out[i], mask, &c.watchedLanes)
				s.watch.note(w, mask, &c.watchedLanes)
			}
		}
		out = out[len(slots):]
	}
	for i := range c.columns.streams {
		if err := c.streams[i].check(); err != nil {
			return fmt.Errorf("instruction %d: %w", c.streams[i].instruction, err)
		}
	}
	return nil
}

// startStreams prepares one decoder per stream; c.streamOf maps memory
// instructions to streams.
func (c *Chunk) startStreams(p *plan) error {
	c.streamOf = c.streamOf[:0]
	for range p.memory {
		c.streamOf = append(c.streamOf, -1)
	}
	c.laneClasses = c.laneClasses[:0]
	memory := 0
	for i := range c.columns.streams {
		columns := &c.columns.streams[i]
		for memory < len(p.memory) && uint64(p.memory[memory]) < columns.instruction {
			memory++
		}
		if memory == len(p.memory) || uint64(p.memory[memory]) != columns.instruction || c.streamOf[memory] >= 0 {
			return fmt.Errorf("instruction %d has addresses but is no memory instruction or is out of order", columns.instruction)
		}
		c.streamOf[memory] = int32(i)
		if i == len(c.streams) {
			c.streams = append(c.streams, accessDecoder{})
		}
		if err := c.streams[i].start(columns, int32(p.kernel.Instructions[columns.instruction].LaneBytes)); err != nil {
			return fmt.Errorf("instruction %d: %w", columns.instruction, err)
		}
		if err := c.startLaneCodes(columns, &c.streams[i].codes); err != nil {
			return fmt.Errorf("instruction %d: %w", columns.instruction, err)
		}
	}
	return c.findCompanions(p)
}

// startLaneCodes decodes the lane classes of a stream.
func (c *Chunk) startLaneCodes(columns *streamColumns, codes *laneCodeReader) error {
	classes := columns.laneClass
	if len(columns.laneCoded) > 0 {
		start := len(c.laneClasses)
		var err error
		if c.laneClasses, err = c.entropy.append(c.laneClasses, columns.laneCoded, maxChunkLaneSets*WarpSize-start); err != nil {
			return err
		}
		classes = c.laneClasses[start:]
	}
	*codes = newLaneCodeReader(classes, columns.laneOpen)
	return nil
}

// findCompanions resolves the companions of the streams.
func (c *Chunk) findCompanions(p *plan) error {
	successors := 0
	for i := range c.columns.streams {
		columns, s := &c.columns.streams[i], &c.streams[i]
		if usesTable(s.model.kind) {
			if successors++; successors > maxSuccessorStreams {
				return fmt.Errorf("more than %d instructions with tables of successors", maxSuccessorStreams)
			}
		}
		s.model.start(s.model.kind, len(s.codes.classes))
		if usesCompanion(s.model.kind) {
			memory, ok := slices.BinarySearchFunc(p.memory, columns.companion, func(instruction uint32, want uint64) int {
				return cmp.Compare(uint64(instruction), want)
			})
			if !ok || c.streamOf[memory] < 0 || columns.companion == columns.instruction {
				return fmt.Errorf("instruction %d: its companion %d has no addresses or is itself", columns.instruction, columns.companion)
			}
			s.companion = c.streamOf[memory]
			c.streams[s.companion].watched = true
		}
	}
	return nil
}

// layOutSlots lists the accesses of each distinct path once, so that the work per
// warp is proportional to its accesses.
func (c *Chunk) layOutSlots(p *plan) error {
	c.slots, c.slotStart = c.slots[:0], append(c.slotStart[:0], 0)
	for i := range c.paths.ends {
		guards := int32(0)
		for v, id := range c.paths.at(i) {
			b := &p.blocks[id]
			for _, a := range b.accesses {
				stream := c.streamOf[a.memory]
				if stream < 0 {
					return fmt.Errorf("instruction %d executes but has no addresses", p.memory[a.memory])
				}
				slot := accessSlot{stream, int32(v), -1}
				if a.guard >= 0 {
					slot.guard = guards + a.guard
				}
				c.slots = append(c.slots, slot)
			}
			guards += int32(b.guards)
		}
		c.slotStart = append(c.slotStart, len(c.slots))
	}
	return nil
}

// accessDecoder decodes one AccessStream; compare accessEncoder.
type accessDecoder struct {
	kinds                    zeroRunReader
	predictor                basePredictor
	stride                   int32
	shape                    int32 // place in shapes, -1 for a stride
	instruction              uint32
	residuals, strides, refs column
	residualShift            uint8
	laneShift, laneBits      uint8
	laneMinimum              uint64
	lanesLeft                uint64
	lanes                    bitReader
	model                    laneModel
	codes                    laneCodeReader
	companion                int32 // place in Chunk.streams, -1 for none
	companionUnit            uint8
	watched                  bool // is a companion
	watch                    laneWatch
	shapes                   []laneShape
	cache                    laneCache
}

// laneShape is the offsets from the base for the known lanes.
type laneShape struct {
	known   uint32
	offsets [WarpSize]uint64
}

func (s *accessDecoder) start(c *streamColumns, stride int32) error {
	s.kinds = zeroRunReader{column: column{data: c.kind}}
	s.residuals, s.strides, s.refs = column{data: c.residual}, column{data: c.stride}, column{data: c.shape}
	s.predictor.reset()
	s.stride, s.shape, s.instruction = stride, -1, uint32(c.instruction)
	s.shapes = s.shapes[:0]
	s.cache.used = false
	if c.residualShift > 63 || c.laneShift > 63 || c.laneBits > 64 || c.companionUnit > 63 {
		return fmt.Errorf("shift or width of more than 64 bits")
	}
	if c.laneModel >= modelEnd {
		return fmt.Errorf("unknown lane model %d", c.laneModel)
	}
	s.model.kind = int(c.laneModel)
	s.companion, s.companionUnit = -1, uint8(c.companionUnit)
	s.watched, s.watch.warp = false, -1
	s.residualShift, s.laneShift, s.laneBits = uint8(c.residualShift), uint8(c.laneShift), uint8(c.laneBits)
	s.laneMinimum, s.lanesLeft = c.laneMinimum, c.laneCount
	s.lanes = bitReader{data: c.lanes}
	high, low := bits.Mul64(c.laneCount, c.laneBits)
	if high != 0 || low > math.MaxUint64-7 || (low+7)/8 != uint64(len(c.lanes)) {
		return fmt.Errorf("%d lane addresses of %d bits do not fill %d bytes", c.laneCount, c.laneBits, len(c.lanes))
	}
	return nil
}

// strided is the hot case: the next access is a stride, predicted exactly.
func (s *accessDecoder) strided() bool { return s.kinds.zeros > 0 && s.shape < 0 && !s.watched }

func (s *accessDecoder) predicted(block, warp int, out *Access) {
	s.kinds.zeros--
	base := s.predictor.predict(block, warp)
	s.predictor.update(block, warp, base)
	*out = Access{Base: base, Stride: s.stride, Lanes: -1}
}

// next decodes an access of any kind.
func (s *accessDecoder) next(c *Chunk, block, warp int, mask uint32, out *Access) error {
	kind := s.kinds.next()
	if kind == accessEmpty {
		*out = Access{Lanes: -1}
		return nil
	}
	base := s.predictor.predict(block, warp)
	switch kind {
	case accessPredicted:
	case accessMoved:
		base += s.residual()
	case accessStride:
		base += s.residual()
		stride := s.strides.svarint()
		if stride != int64(int32(stride)) {
			return fmt.Errorf("stride %d does not fit 32 bits", stride)
		}
		s.stride, s.shape = int32(stride), -1
	case accessLanes:
		if err := s.readLanes(warp, mask, &base); err != nil {
			return err
		}
	case accessShape:
		base += s.residual()
		number := s.refs.uvarint()
		if number >= uint64(len(s.shapes)) {
			return fmt.Errorf("shape %d of %d does not exist", number, len(s.shapes))
		}
		s.shape = int32(number)
	default:
		return fmt.Errorf("unknown kind %d", kind)
	}
	s.predictor.update(block, warp, base)
	if s.shape < 0 {
		*out = Access{Base: base, Stride: s.stride, Lanes: -1}
		return nil
	}
	return s.place(c, base, mask, kind == accessLanes, out)
}

func (s *accessDecoder) residual() uint64 { return uint64(s.residuals.svarint() << s.residualShift) }

// readLanes reads explicit addresses as the next shape and makes it the current one.
func (s *accessDecoder) readLanes(warp int, mask uint32, base *uint64) error {
	count, left := uint64(bits.OnesCount32(mask)), s.lanesLeft
	if s.model.kind != modelFixed {
		left = uint64(len(s.codes.classes))
	}
	if mask == 0 || count > left {
		return fmt.Errorf("%d explicit lane addresses where %d are left", count, left)
	}
	if len(s.shapes) >= maxChunkLaneSets {
		return fmt.Errorf("more than %d sets of lane addresses", maxChunkLaneSets)
	}
	s.shape = int32(len(s.shapes))
	s.shapes = append(s.shapes, laneShape{known: mask})
	offsets := &s.shapes[s.shape].offsets
	if s.model.kind == modelFixed {
		s.lanesLeft -= count
		for m := mask; m != 0; m &= m - 1 {
			offsets[bits.TrailingZeros32(m)] = s.lanes.next(uint(s.laneBits)) << s.laneShift
		}
	} else {
		s.model.begin(warp)
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			offsets[l] = s.model.units(l, s.codes.next()) << s.laneShift
		}
	}
	lowest := offsets[bits.TrailingZeros32(mask)]
	for m := mask; m != 0; m &= m - 1 {
		offsets[bits.TrailingZeros32(m)] -= lowest
	}
	*base = s.laneMinimum + lowest
	return nil
}

// place turns base and shape into lane addresses of the chunk, shared with an
// earlier access of this stream where the cache knows an equal one.
func (s *accessDecoder) place(c *Chunk, base uint64, mask uint32, fresh bool, out *Access) error {
	shape := &s.shapes[s.shape]
	if mask == 0 || mask&^shape.known != 0 {
		return fmt.Errorf("shape %d knows lanes %08x, not %08x", s.shape, shape.known, mask)
	}
	if mask&(mask-1) == 0 { // one lane: no need for 32 addresses
		*out = Access{Base: base + shape.offsets[bits.TrailingZeros32(mask)], Lanes: -1}
		return nil
	}
	if !fresh {
		if lanes, ok := s.cache.find(base, s.shape, mask); ok {
			*out = Access{Lanes: lanes}
			return nil
		}
	}
	start := len(c.LaneAddresses)
	if start >= maxChunkLaneSets*WarpSize {
		return fmt.Errorf("more than %d sets of lane addresses", maxChunkLaneSets)
	}
	c.LaneAddresses = append(c.LaneAddresses, zeroLanes[:]...)
	lanes := c.LaneAddresses[start : start+WarpSize]
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		lanes[l] = base + shape.offsets[l]
	}
	s.cache.add(base, s.shape, mask, int32(start))
	*out = Access{Lanes: int32(start)}
	return nil
}

var zeroLanes [WarpSize]uint64

// check reports elements that were missing or are left over.
func (s *accessDecoder) check() error {
	for _, c := range []*column{&s.residuals, &s.strides, &s.refs} {
		if err := c.check(); err != nil {
			return err
		}
	}
	if s.lanesLeft > 0 {
		return errColumnLong
	}
	if err := s.codes.check(); err != nil {
		return err
	}
	return s.kinds.check()
}
