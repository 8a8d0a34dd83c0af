// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// accessSlot is one access of a path: what to decode, and under which mask.
type accessSlot struct {
	stream int32 // place in Decoder.streams
	visit  int32 // place of the mask in the warp's masks
	guard  int32 // or in its guards, -1 for none
	bulk   bool  // see accessPlan
}

// mask is the lanes of a warp that take part.
func (s *accessSlot) mask(masks, guards []uint32) uint32 {
	mask := masks[s.visit]
	if s.guard >= 0 {
		mask = guards[s.guard]
	}
	if s.bulk && mask != 0 {
		return ^uint32(0)
	}
	return mask
}

// Fill decodes the accesses of all warps, as many as accesses says.
func (c *Decoder) Fill(p *Plan, out []trace.Access) error {
	if err := c.decodeAccesses(p, out); err != nil {
		return fmt.Errorf("addresses: %w", err)
	}
	return nil
}

func (c *Decoder) decodeAccesses(p *Plan, out []trace.Access) error {
	if err := c.startStreams(p); err != nil {
		return err
	}
	if err := c.layOutSlots(p); err != nil {
		return err
	}
	c.Lanes.Reset()
	c.explicit = 0
	for w := range c.warpPath {
		slots := c.slots[c.slotStart[c.warpPath[w]]:c.slotStart[c.warpPath[w]+1]]
		masks, guards := c.masks.at(int(c.warpMasks[w])), c.guards.at(int(c.warpGuards[w]))
		block := w / c.Warps
		for i := range slots {
			slot := &slots[i]
			s := &c.streams[slot.stream]
			if s.strided() {
				s.predicted(block, w, &out[i])
				continue
			}
			mask := slot.mask(masks, guards)
			if err := s.next(c, block, w, mask, &out[i]); err != nil {
				return fmt.Errorf("instruction %d: %w", s.instruction, err)
			}
			if s.watched {
				c.watch(&s.watch, w, mask, out[i])
			}
		}
		out = out[len(slots):]
	}
	for i := range c.Columns.Streams {
		if err := c.streams[i].check(); err != nil {
			return fmt.Errorf("instruction %d: %w", c.streams[i].instruction, err)
		}
	}
	return nil
}

// watch shows an access to the streams that have its stream as their companion.
func (c *Decoder) watch(watch *lanecode.Watch, warp int, mask uint32, a trace.Access) {
	if a.Lanes >= 0 {
		c.Lanes.Place(a.Lanes, a.Base, &c.watchedLanes)
	} else {
		lanecode.PlaceStride(&c.watchedLanes, a.Base, a.Stride)
	}
	watch.Note(warp, mask, &c.watchedLanes)
}

// startStreams prepares one decoder per stream; c.streamOf maps memory
// instructions to streams.
func (c *Decoder) startStreams(p *Plan) error {
	c.streamOf = c.streamOf[:0]
	for range p.Memory {
		c.streamOf = append(c.streamOf, -1)
	}
	c.laneClasses = c.laneClasses[:0]
	c.tables.Reset()
	memory := 0
	for i := range c.Columns.Streams {
		columns := &c.Columns.Streams[i]
		for memory < len(p.Memory) && uint64(p.Memory[memory]) < columns.instruction {
			memory++
		}
		if memory == len(p.Memory) || uint64(p.Memory[memory]) != columns.instruction || c.streamOf[memory] >= 0 {
			return fmt.Errorf("instruction %d has addresses but is no memory instruction or is out of order", columns.instruction)
		}
		c.streamOf[memory] = int32(i)
		if i == len(c.streams) {
			c.streams = append(c.streams, accessDecoder{})
		}
		if err := c.streams[i].start(columns, int32(p.laneBytes[memory])); err != nil {
			return fmt.Errorf("instruction %d: %w", columns.instruction, err)
		}
		if err := c.startLaneCodes(columns, &c.streams[i]); err != nil {
			return fmt.Errorf("instruction %d: %w", columns.instruction, err)
		}
	}
	return c.findCompanions(p)
}

// startLaneCodes decodes the lane classes of a stream.
func (c *Decoder) startLaneCodes(columns *streamColumns, s *accessDecoder) error {
	classes := columns.LaneClass
	s.listed = len(columns.LaneSymbols) > 0
	if s.listed {
		if len(classes) > 0 || len(columns.LaneCoded) > 0 || columns.LaneOpenCoded != 0 && len(columns.LaneOpen) > 0 {
			return errors.New("lane symbols beside classes or open bits that they replace")
		}
		s.codes = lanecode.NewCodeReader(nil, columns.LaneOpen)
		return s.symbols.Start(columns.LaneSymbols, int(columns.LaneContext), columns.LaneOpenCoded != 0, c.room.laneSets*lanecode.WarpLanes, &c.tables)
	}
	if len(columns.LaneCoded) > 0 {
		start := len(c.laneClasses)
		var err error
		if c.laneClasses, err = c.entropy.Append(c.laneClasses, columns.LaneCoded, c.room.laneSets*lanecode.WarpLanes-start); err != nil {
			return err
		}
		classes = c.laneClasses[start:]
	}
	s.codes = lanecode.NewCodeReader(classes, columns.LaneOpen)
	return nil
}

// findCompanions resolves the companions of the streams.
func (c *Decoder) findCompanions(p *Plan) error {
	successors := 0
	for i := range c.Columns.Streams {
		columns, s := &c.Columns.Streams[i], &c.streams[i]
		if lanecode.UsesTable(s.model.Kind) {
			if successors++; successors > lanecode.MaxSuccessorStreams {
				return fmt.Errorf("more than %d instructions with tables of successors", lanecode.MaxSuccessorStreams)
			}
		}
		var companion *lanecode.Watch
		if lanecode.UsesCompanion(s.model.Kind) {
			memory, ok := slices.BinarySearchFunc(p.Memory, columns.companion, func(instruction uint32, want uint64) int {
				return cmp.Compare(uint64(instruction), want)
			})
			if !ok || c.streamOf[memory] < 0 || columns.companion == columns.instruction {
				return fmt.Errorf("instruction %d: its companion %d has no addresses or is itself", columns.instruction, columns.companion)
			}
			other := &c.streams[c.streamOf[memory]]
			other.watched, companion = true, &other.watch
		}
		s.model.Start(s.model.Kind, s.codesLeft(), companion, uint(columns.companionUnit), uint(columns.LaneStep))
	}
	return nil
}

// layOutSlots lists the accesses of each distinct path once, so that the work per
// warp is proportional to its accesses.
func (c *Decoder) layOutSlots(p *Plan) error {
	all := 0
	for i := range c.pathCounts {
		all += c.pathCounts[i].accesses
	}
	c.slots, c.slotStart = columns.Sized(c.slots, all)[:0], append(c.slotStart[:0], 0)
	for i := range c.paths.ends {
		guards := int32(0)
		for v, id := range c.paths.at(i) {
			b := &p.Blocks[id]
			for _, a := range b.Accesses {
				stream := c.streamOf[a.Memory]
				if stream < 0 {
					return fmt.Errorf("instruction %d executes but has no addresses", p.Memory[a.Memory])
				}
				slot := accessSlot{stream, int32(v), -1, a.bulk}
				if a.guard >= 0 {
					slot.guard = guards + a.guard
				}
				c.slots = append(c.slots, slot)
			}
			guards += int32(b.Guards)
		}
		c.slotStart = append(c.slotStart, len(c.slots))
	}
	return nil
}

// accessDecoder decodes one AccessStream; compare accessEncoder.
type accessDecoder struct {
	kinds                    columns.ZeroRunReader
	predictor                columns.BasePredictor
	stride                   int32
	shape                    int32 // place in shapes, -1 for a stride
	instruction              uint32
	residuals, strides, refs columns.Reader
	residualShift            uint8
	laneShift, laneBits      uint8
	laneMinimum              uint64
	lanesLeft                uint64
	lanes                    columns.BitReader
	model                    lanecode.Model
	codes                    lanecode.CodeReader
	listed                   bool // codes are those of symbols
	symbols                  lanecode.SymbolReader
	watched                  bool // is a companion
	watch                    lanecode.Watch
	shapes                   []laneShape
}

// laneShape is a set of explicit lanes, in Decoder.Lanes. An access at another base has the
// same distances from its own.
type laneShape struct {
	base   uint64 // the address of its first lane
	lowest uint64 // and that from which the set has the distances
	known  uint32
	lanes  int32 // -1: only one lane, which is at the base
}

func (s *accessDecoder) start(c *streamColumns, stride int32) error {
	s.kinds = columns.ZeroRunReader{Reader: columns.Reader{Data: c.Kind}}
	s.residuals, s.strides, s.refs = columns.Reader{Data: c.Residual}, columns.Reader{Data: c.Stride}, columns.Reader{Data: c.Shape}
	s.predictor.Reset()
	s.stride, s.shape, s.instruction = stride, -1, uint32(c.instruction)
	s.shapes = s.shapes[:0]
	if c.residualShift > 63 || c.laneShift > 63 || c.laneBits > 64 || c.companionUnit > 63 {
		return fmt.Errorf("shift or width of more than 64 bits")
	}
	if c.LaneContext >= lanecode.ContextEnd || c.LaneContext == lanecode.ContextKey && !lanecode.UsesTable(int(c.LaneModel)) {
		return fmt.Errorf("unknown lane context %d, or not one of lane model %d", c.LaneContext, c.LaneModel)
	}
	if c.LaneStep > 63 || c.LaneStep > 0 && !lanecode.UsesStep(int(c.LaneModel)) {
		return fmt.Errorf("lane step of %d bits with lane model %d", c.LaneStep, c.LaneModel)
	}
	if c.LaneModel >= lanecode.ModelEnd {
		return fmt.Errorf("unknown lane model %d", c.LaneModel)
	}
	s.model.Kind = int(c.LaneModel)
	s.watched, s.watch.Warp = false, -1
	s.residualShift, s.laneShift, s.laneBits = uint8(c.residualShift), uint8(c.laneShift), uint8(c.laneBits)
	s.laneMinimum, s.lanesLeft = c.laneMinimum, c.laneCount
	s.lanes = columns.BitReader{Data: c.Lanes}
	high, low := bits.Mul64(c.laneCount, c.laneBits)
	if high != 0 || low > math.MaxUint64-7 || (low+7)/8 != uint64(len(c.Lanes)) {
		return fmt.Errorf("%d lane addresses of %d bits do not fill %d bytes", c.laneCount, c.laneBits, len(c.Lanes))
	}
	return nil
}

// strided is the hot case: the next access is a stride, predicted exactly.
func (s *accessDecoder) strided() bool { return s.kinds.Zeros > 0 && s.shape < 0 && !s.watched }

func (s *accessDecoder) predicted(block, warp int, out *trace.Access) {
	s.kinds.Zeros--
	base := s.predictor.Predict(block, warp)
	s.predictor.Update(block, warp, base)
	*out = trace.Access{Base: base, Stride: s.stride, Lanes: -1}
}

// next decodes an access of any kind.
func (s *accessDecoder) next(c *Decoder, block, warp int, mask uint32, out *trace.Access) error {
	kind := s.kinds.Next()
	if kind == accessEmpty {
		*out = trace.Access{Lanes: -1}
		return nil
	}
	base := s.predictor.Predict(block, warp)
	if kind == accessLanes {
		if err := s.explicit(c, warp, mask, out); err != nil {
			return err
		}
		s.predictor.Update(block, warp, s.shapes[s.shape].base)
		return nil
	}
	switch kind {
	case accessPredicted:
	case accessMoved:
		base += s.residual()
	case accessStride:
		base += s.residual()
		stride := s.strides.Svarint()
		if stride != int64(int32(stride)) {
			return fmt.Errorf("stride %d does not fit 32 bits", stride)
		}
		s.stride, s.shape = int32(stride), -1
	case accessShape:
		base += s.residual()
		number := s.refs.Uvarint()
		if number >= uint64(len(s.shapes)) {
			return fmt.Errorf("shape %d of %d does not exist", number, len(s.shapes))
		}
		s.shape = int32(number)
	default:
		return fmt.Errorf("unknown kind %d", kind)
	}
	s.predictor.Update(block, warp, base)
	if s.shape < 0 {
		*out = trace.Access{Base: base, Stride: s.stride, Lanes: -1}
		return nil
	}
	return s.place(c, base, mask, out)
}

func (s *accessDecoder) residual() uint64 { return uint64(s.residuals.Svarint() << s.residualShift) }

// explicit decodes explicit addresses as the next shape and makes it the current one.
func (s *accessDecoder) explicit(c *Decoder, warp int, mask uint32, out *trace.Access) error {
	count, left := uint64(bits.OnesCount32(mask)), s.lanesLeft
	if s.model.Kind != lanecode.ModelFixed {
		left = uint64(s.codesLeft())
	}
	if mask == 0 || count > left {
		return fmt.Errorf("%d explicit lane addresses where %d are left", count, left)
	}
	if c.explicit++; len(s.shapes) >= c.room.laneSets || c.explicit > max(c.room.laneSets, maxAccesses) {
		return fmt.Errorf("more than %d sets of lane addresses", c.room.laneSets)
	}
	units := &c.units
	if s.model.Kind == lanecode.ModelFixed {
		s.lanesLeft -= count
		for m := mask; m != 0; m &= m - 1 {
			units[lanecode.Lane(m)] = s.lanes.Next(uint(s.laneBits))
		}
	} else {
		s.takeCodes(warp, mask, units)
		s.model.Units(warp, mask, units)
	}
	shape := laneShape{base: s.laneMinimum + units[lanecode.Lane(mask)]<<s.laneShift, known: mask, lanes: -1}
	s.shape = int32(len(s.shapes))
	*out = trace.Access{Base: shape.base, Lanes: -1}
	if count > 1 {
		if c.Lanes.Count() >= c.room.laneSets {
			return fmt.Errorf("more than %d sets of lane addresses", c.room.laneSets)
		}
		var lowest uint64
		lowest, shape.lanes = c.Lanes.Add(mask, s.laneShift, units)
		shape.lowest = s.laneMinimum + lowest<<s.laneShift
		*out = trace.Access{Base: shape.lowest, Lanes: shape.lanes}
	}
	s.shapes = append(s.shapes, shape)
	return nil
}

// codesLeft is how many codes have not been taken.
func (s *accessDecoder) codesLeft() int {
	if s.listed {
		return s.symbols.Left
	}
	return len(s.codes.Classes)
}

// takeCodes takes the codes of an execution; there are as many.
func (s *accessDecoder) takeCodes(warp int, mask uint32, codes *[lanecode.WarpLanes]uint64) {
	if !s.listed {
		s.codes.Take(mask, codes)
		return
	}
	var contexts [lanecode.WarpLanes]uint8
	if s.symbols.Context == lanecode.ContextKey {
		s.model.KeyContexts(warp, &contexts)
	}
	s.symbols.Take(mask, &s.codes.Open, &contexts, codes)
}

// place puts the current shape at a base.
func (s *accessDecoder) place(c *Decoder, base uint64, mask uint32, out *trace.Access) error {
	shape := &s.shapes[s.shape]
	if mask == 0 || mask&^shape.known != 0 {
		return fmt.Errorf("shape %d knows lanes %08x, not %08x", s.shape, shape.known, mask)
	}
	if shape.lanes < 0 {
		*out = trace.Access{Base: base, Lanes: -1}
		return nil
	}
	base += shape.lowest - shape.base
	if mask&(mask-1) == 0 { // one lane is a stride
		*out = trace.Access{Base: c.Lanes.Lane(shape.lanes, base, lanecode.Lane(mask)), Lanes: -1}
		return nil
	}
	*out = trace.Access{Base: base, Lanes: shape.lanes}
	return nil
}

// check reports elements that were missing or are left over.
func (s *accessDecoder) check() error {
	for _, c := range []*columns.Reader{&s.residuals, &s.strides, &s.refs} {
		if err := c.Check(); err != nil {
			return err
		}
	}
	if s.lanesLeft > 0 {
		return columns.ErrLong
	}
	if err := s.codes.Check(); err != nil {
		return err
	}
	if s.listed {
		if err := s.symbols.Check(); err != nil {
			return err
		}
	}
	return s.kinds.Check()
}
