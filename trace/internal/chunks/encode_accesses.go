// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"encoding/binary"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/lanevector"
	"github.com/warptape/warptape/trace/internal/wire"
)

// The kinds of an AccessStream: see wtape.proto.
const (
	accessPredicted = iota
	accessMoved
	accessStride
	accessLanes
	accessShape
	accessEmpty
)

// encodeAccesses writes one AccessStream per memory instruction that executed.
// The streams are filled side by side in one walk over the warps.
func (e *Encoder) encodeAccesses(dst []byte, c *Raw) []byte {
	for len(e.streams) < len(c.plan.Memory) {
		e.streams = append(e.streams, accessEncoder{})
	}
	for i, bytes := range c.plan.laneBytes {
		e.streams[i].reset(int32(bytes))
		e.streams[i].spare = &e.spare
	}
	e.spare = max(lanecode.MaxChunkLaneSets-c.Sets, 0)
	e.makeRoom(c)
	e.warpStart = columns.Sized(e.warpStart, len(c.WarpPath))[:0]
	position := int32(0)
	for w, p := range c.WarpPath {
		e.warpStart = append(e.warpStart, position)
		for _, id := range c.Paths.At(int(p)) {
			for _, a := range c.plan.Blocks[id].Accesses {
				e.streams[a.Memory].add(w/c.warps, w, position, &c.accesses[position], &c.lanes)
				position++
			}
		}
	}
	e.used = tablesUsed{}
	e.precedents = columns.Zeroed(e.precedents, len(c.plan.Memory))
	for i := range c.plan.Memory {
		if e.streams[i].executions() > 0 {
			e.part = e.appendStream(e.part[:0], c, i)
			dst = e.appendPart(dst, fieldAccesses)
		}
		c.Precedents.add(&e.precedents[i])
	}
	return dst
}

// makeRoom makes room for the executions of each memory instruction.
func (e *Encoder) makeRoom(c *Raw) {
	e.warps = columns.Zeroed(e.warps, c.Paths.Len())
	for _, p := range c.WarpPath {
		e.warps[p]++
	}
	e.executions = columns.Zeroed(e.executions, len(c.plan.Memory))
	for p, warps := range e.warps {
		for _, id := range c.Paths.At(p) {
			for _, a := range c.plan.Blocks[id].Accesses {
				e.executions[a.Memory] += warps
			}
		}
	}
	for i, n := range e.executions {
		e.streams[i].positions = columns.Sized(e.streams[i].positions, int(n))[:0]
	}
}

// accessEncoder builds one AccessStream.
type accessEncoder struct {
	positions []int32 // of the executions in Raw.accesses
	kinds     columns.ZeroRunWriter
	residuals []int64
	strides   []int32
	shapeRefs []uint32
	explicit  int            // lane addresses of kind accessLanes
	runs      []lanecode.Run // one per execution of that kind

	spare *int // Encoder.spare

	shapes lanecode.ShapeTable
	// shapeNumbers has the number in the stream of each of shapes; written counts
	// those numbers. They differ because a shape may be written twice where that
	// is cheaper than a reference to it.
	shapeNumbers []uint32
	written      uint32
	shape        int // current place in shapes, -1 for a stride, unknownShape
	streak       int // new shapes without another kind between them
	fitted       fitted
	// interned has patterns whose shapes are known, with 1 + the shape, by the low bits
	// of the pattern's number.
	interned  [64]fitted
	stride    int32
	predictor columns.BasePredictor
	low, high uint64 // of all explicit lane addresses

	scratch []byte
}

func (s *accessEncoder) reset(stride int32) {
	s.positions = s.positions[:0]
	s.kinds.Reset()
	s.residuals, s.strides, s.shapeRefs = s.residuals[:0], s.strides[:0], s.shapeRefs[:0]
	s.explicit, s.runs = 0, s.runs[:0]
	s.shapes.Reset()
	s.shapeNumbers, s.written = s.shapeNumbers[:0], 0
	s.shape, s.stride, s.streak = -1, stride, 0
	s.fitted = fitted{pattern: -1}
	clear(s.interned[:])
	s.predictor.Reset()
	s.low, s.high = ^uint64(0), 0
}

func (s *accessEncoder) executions() int { return len(s.positions) }

func (s *accessEncoder) add(block, warp int, position int32, a *lanecode.Access, lanes *lanecode.Patterns) {
	s.positions = append(s.positions, position)
	if a.Mask == 0 {
		s.kinds.Put(accessEmpty)
		return
	}
	predicted := s.predictor.Predict(block, warp)
	before := s.explicit
	base := s.encode(a, lanes, predicted)
	if s.explicit > before {
		s.runs = append(columns.Doubled(s.runs, 1), lanecode.Run{Position: position, Warp: int32(warp), Mask: a.Mask})
	}
	s.predictor.Update(block, warp, base)
}

// encode chooses the cheapest kind for an access and returns its base.
func (s *accessEncoder) encode(a *lanecode.Access, lanes *lanecode.Patterns, predicted uint64) uint64 {
	if base, ok := s.fits(a, lanes); ok {
		if base == predicted {
			s.streak = 0
			s.kinds.Put(accessPredicted)
			return base
		}
		if a.Lanes < 0 && *s.spare == 0 || !s.explicitIsCheaper(a.Mask, base-predicted, 0) {
			s.streak = 0
			s.kinds.Put(accessMoved)
			s.residuals = append(s.residuals, int64(base-predicted))
			return base
		}
	}
	if a.Lanes < 0 && (*s.spare == 0 || !s.explicitIsCheaper(a.Mask, a.Base-predicted, a.Stride)) {
		s.streak = 0
		s.kinds.Put(accessStride)
		s.shape, s.stride = -1, a.Stride
		s.strides = append(s.strides, a.Stride)
		s.residuals = append(s.residuals, int64(a.Base-predicted))
		return a.Base
	}
	if a.Lanes < 0 {
		*s.spare--
	}
	return s.encodeLanes(a, lanes, predicted)
}

// fits tells with which base the current shape yields the access, if any.
func (s *accessEncoder) fits(a *lanecode.Access, lanes *lanecode.Patterns) (base uint64, ok bool) {
	lo := bits.TrailingZeros32(a.Mask)
	single := a.Mask&(a.Mask-1) == 0
	if s.shape == unknownShape {
		return 0, false
	}
	if s.shape < 0 {
		if a.Lanes >= 0 || !single && a.Stride != s.stride {
			return 0, false
		}
		return a.Base + uint64(int64(lo))*uint64(int64(a.Stride)) - uint64(int64(lo))*uint64(int64(s.stride)), true
	}
	shape := &s.shapes.Shapes[s.shape]
	if a.Mask&^shape.Mask != 0 {
		return 0, false
	}
	now := fitted{a.Lanes, a.Mask, s.shape}
	if a.Lanes >= 0 && s.fitted == now {
		return a.Base - shape.Offset(lo, lanes), true
	}
	if base, ok = shape.Place(a, lanes); ok {
		s.fitted = now
	}
	return base, ok
}

// fitted is a pattern, under a mask, that a shape yields.
type fitted struct {
	pattern int32 // place in Raw.lanes
	mask    uint32
	shape   int
}

// explicitIsCheaper compares the bits of explicit lanes with those of a residual
// and a stride (zero: none). Only a stream that has explicit lanes already is
// irregular enough for the comparison to matter; its range so far tells the width.
func (s *accessEncoder) explicitIsCheaper(mask uint32, residual uint64, stride int32) bool {
	if s.explicit == 0 {
		return false
	}
	const alignment = 2 // most accesses are words, so the low 2 bits cost nothing
	lanes := bits.OnesCount32(mask) * bits.Len64((s.high-s.low)>>alignment)
	bytes := protowire.SizeVarint(protowire.EncodeZigZag(int64(residual) >> alignment))
	if stride != 0 {
		bytes += protowire.SizeVarint(protowire.EncodeZigZag(int64(stride)))
	}
	return lanes+1 < 8*bytes
}

// A stream whose last shapes were all new is not likely to repeat one: after a long
// streak only one in so many is looked for among the earlier ones and remembered.
const (
	longStreak   = 64
	unknownShape = -2 // current shape that is not in the table
)

// encodeLanes writes the access as a known shape or with all its lanes.
func (s *accessEncoder) encodeLanes(a *lanecode.Access, lanes *lanecode.Patterns, predicted uint64) uint64 {
	base := a.Lowest()
	if s.streak++; s.streak > longStreak && s.streak%longStreak != 0 {
		s.written++
		s.shape = unknownShape
		s.appendExplicit(a, lanes)
		return base
	}
	added := s.internShape(a, lanes)
	if !added {
		s.streak = 0
	}
	if !added && !s.explicitIsCheaper(a.Mask, base-predicted, int32(s.shape)) {
		s.kinds.Put(accessShape)
		s.shapeRefs = append(s.shapeRefs, s.shapeNumbers[s.shape])
		s.residuals = append(s.residuals, int64(base-predicted))
		return base
	}
	if added {
		s.shapeNumbers = append(s.shapeNumbers, s.written)
	}
	s.written++
	s.appendExplicit(a, lanes)
	return base
}

// appendExplicit writes an execution with explicit lanes. Their addresses stay where
// they are until the columns are made.
func (s *accessEncoder) appendExplicit(a *lanecode.Access, lanes *lanecode.Patterns) {
	s.kinds.Put(accessLanes)
	s.explicit += bits.OnesCount32(a.Mask)
	low, high := s.low, s.high
	if a.Mask == lanecode.AllWarpLanes && a.Lanes >= 0 {
		low, high = lanevector.Extend(lanes.At(a.Lanes), a.Base, low, high)
	} else if n, ok := lanecode.Prefix(a.Mask); ok && a.Lanes >= 0 {
		var offsets lanecode.Pattern // the others are at the lowest
		copy(offsets[:], lanes.At(a.Lanes)[:n])
		low, high = lanevector.Extend(&offsets, a.Base, low, high)
	} else {
		for m := a.Mask; m != 0; m &= m - 1 {
			v := a.At(lanecode.Lane(m), lanes)
			low, high = min(low, v), max(high, v)
		}
	}
	s.low, s.high = low, high
}

// internShape makes the shape of an access the current one and tells whether it is
// new. Most patterns come again, and then need not be searched for.
func (s *accessEncoder) internShape(a *lanecode.Access, lanes *lanecode.Patterns) (added bool) {
	known := &s.interned[uint32(a.Lanes)%uint32(len(s.interned))]
	if a.Lanes >= 0 && known.shape > 0 && known.pattern == a.Lanes && known.mask == a.Mask {
		s.shape = known.shape - 1
		return false
	}
	s.shape, added = s.shapes.Intern(lanecode.Shape{Mask: a.Mask, Pattern: a.Lanes, Stride: a.Stride}, lanes)
	*known = fitted{a.Lanes, a.Mask, s.shape + 1}
	return added
}

// appendForm appends the stream of a memory instruction as its columns are.
func (e *Encoder) appendForm(dst []byte, c *Raw, memory int) []byte {
	s := &e.streams[memory]
	dst = wire.AppendNumber(dst, fieldInstruction, uint64(c.plan.Memory[memory]))
	dst = wire.AppendColumn(dst, fieldKind, s.kinds.Bytes())
	shift := s.residualShift()
	s.scratch = s.appendResidualColumn(s.scratch[:0], shift)
	dst = wire.AppendColumn(dst, fieldResidual, s.scratch)
	dst = wire.AppendNumber(dst, fieldResidualShift, uint64(shift))
	s.scratch = s.appendStrides(s.scratch[:0])
	dst = wire.AppendColumn(dst, fieldStride, s.scratch)
	s.scratch = s.appendShapes(s.scratch[:0])
	dst = wire.AppendColumn(dst, fieldShape, s.scratch)
	e.partCuts = e.partCuts[:0]
	if s.explicit == 0 {
		return dst
	}
	return e.appendLanes(dst, c, memory)
}

// residualShift is the largest shift that loses nothing of the residuals.
func (s *accessEncoder) residualShift() int {
	var all uint64
	for _, r := range s.residuals {
		all |= uint64(r)
	}
	return bits.TrailingZeros64(all) & 63 // no residuals: 64 becomes 0
}

func (s *accessEncoder) appendResidualColumn(dst []byte, shift int) []byte {
	for _, r := range s.residuals {
		dst = binary.AppendUvarint(dst, protowire.EncodeZigZag(r>>shift))
	}
	return dst
}

func (s *accessEncoder) appendStrides(dst []byte) []byte {
	for _, v := range s.strides {
		dst = binary.AppendUvarint(dst, protowire.EncodeZigZag(int64(v)))
	}
	return dst
}

func (s *accessEncoder) appendShapes(dst []byte) []byte {
	for _, v := range s.shapeRefs {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return dst
}

// units puts the explicit lanes less their minimum, in units, into dst. The units are
// shifted by as much as loses nothing; width is the bits of the largest of them.
func (s *accessEncoder) units(dst []uint64, c *Raw) (units []uint64, shift, width int) {
	units = columns.Sized(dst, s.explicit)
	rest, all := units, uint64(0)
	for i := range s.runs {
		run := &s.runs[i]
		a := &c.accesses[run.Position]
		if run.Mask == lanecode.AllWarpLanes && a.Lanes >= 0 {
			all |= lanevector.Place((*[lanecode.WarpLanes]uint64)(rest), c.lanes.At(a.Lanes), a.Base-s.low)
			rest = rest[lanecode.WarpLanes:]
			continue
		}
		if n, ok := lanecode.Prefix(run.Mask); ok && a.Lanes >= 0 {
			var offsets, to lanecode.Pattern // the others are at the lowest
			copy(offsets[:], c.lanes.At(a.Lanes)[:n])
			all |= lanevector.Place(&to, &offsets, a.Base-s.low)
			rest = rest[copy(rest, to[:n]):]
			continue
		}
		for m := run.Mask; m != 0; m &= m - 1 {
			v := a.At(lanecode.Lane(m), &c.lanes) - s.low
			rest[0] = v
			all |= v
			rest = rest[1:]
		}
	}
	if shift = bits.TrailingZeros64(all) & 63; shift > 0 {
		lanevector.Shift(units, uint(shift))
	}
	return units, shift, bits.Len64(all >> shift)
}
