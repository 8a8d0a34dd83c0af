// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/lanes"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// tensorOperation is what cp.async.bulk.tensor and its reduction have beyond a bulk
// copy (9.7.9.25.5).
type tensorOperation struct {
	mapAt       accessOperation // the tensor map
	coordinates []uint32        // slots
	offsets     []uint32        // slots of im2colOffsets
	im2col      bool
	fourRows    bool // gather4 and scatter4 (5.5.3.4): a column and four rows
	store       bool
	// updates combine elements of each of tensorElements; nil for a plain copy, a
	// nil entry for a type that has no such reduction.
	updates []func(old, b, c uint64) uint64
}

// tensorScratch is a context's working space for copies of tensors.
type tensorScratch struct {
	layout      memory.TensorMap
	coordinates [5]int64
	box         []byte // as it lies in shared memory without swizzle
	runs        []tensorRun
}

// tensorRun is a piece of the box that lies in one piece in global memory too.
type tensorRun struct {
	global uint64
	place  uint64 // in the box
	bytes  uint64
}

func (l *lowering) tensor(in *ptx.Instruction, reach func(name string, space ptx.Space, into *accessOperation) bool) (*tensorOperation, error) {
	t := &tensorOperation{store: in.Into == ptx.SpaceGlobal, im2col: in.Mods.Has(ptx.ModIm2col) || in.Mods.Has(ptx.ModIm2colNoOffs), fourRows: in.Mods.Has(ptx.ModGather4) || in.Mods.Has(ptx.ModScatter4)}
	if !reach("[tensorMap]", ptx.SpaceGeneric, &t.mapAt) {
		return nil, errUnsupported
	}
	t.mapAt.verb = "read of a tensor map"
	for _, list := range []struct {
		name string
		bits int
		into *[]uint32
	}{{"tensorCoords", 32, &t.coordinates}, {"im2colOffsets", 16, &t.offsets}} {
		o := in.Named(list.name)
		if o == nil {
			continue
		}
		for i := range o.Elements {
			slot, err := l.source(&o.Elements[i], list.bits)
			if err != nil {
				return nil, err
			}
			*list.into = append(*list.into, slot)
		}
	}
	if in.Mods.Has(ptx.ModReduce) {
		for _, element := range memory.TensorElements {
			typed := *in
			typed.Types[0] = element
			t.updates = append(t.updates, tensorReduction(&typed))
		}
	}
	return t, nil
}

// tensorReduction is the reduction of elements of a type; nil where there is none
// (9.7.9.25.5.3).
func tensorReduction(in *ptx.Instruction) func(old, b, c uint64) uint64 {
	t := in.Types[0]
	bits, whole := t.Bits(), !t.Float() && t != ptx.TypeNone
	switch {
	case in.Mods.Has(ptx.ModAdd):
		if bits < 16 || bits == 16 && whole {
			return nil
		}
	case in.Mods.Has(ptx.ModInc), in.Mods.Has(ptx.ModDec):
		if t != ptx.U32 {
			return nil
		}
	case bits < 32 && whole, t == ptx.TypeNone, t.Float() && bits > 16,
		t.Float() && !in.Mods.Has(ptx.ModMin) && !in.Mods.Has(ptx.ModMax):
		return nil
	}
	return updateOf(in, ptx.SpaceGlobal)
}

func runTensor(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*bulkOperation)
	c.beginBulk()
	for m := mask; m != 0; m &= m - 1 {
		if err := c.copyTensor(k, lanes.FirstLane(m)); err != nil {
			return err
		}
	}
	c.traceBulk(k, mask)
	return nil
}

// copyTensor does the copy of one lane.
func (c *warpContext) copyTensor(k *bulkOperation, i int) error {
	t, s := k.tensor, &c.tensors
	if err := c.openTensor(k, i); err != nil {
		return err
	}
	s.runs = s.runs[:0]
	switch {
	case t.im2col:
		s.unroll(c, t, i)
	case t.fourRows:
		s.fourRows()
	default:
		s.tile()
	}
	for _, r := range s.runs {
		c.moved.Add(r.global, uint32(r.bytes))
	}
	bytes := t.bytes(&s.layout)
	if t.store {
		return c.storeTensor(k, i, bytes)
	}
	s.clearBox(bytes)
	for _, r := range s.runs {
		b, err := c.reachAt(&k.from, i, r.global, r.bytes, 1)
		if err != nil {
			return err
		}
		copy(s.box[r.place:], b)
	}
	c.noteBarrier(c.laneAddress(&k.barrier, i))
	return c.eachBlock(k, i, c.laneAddress(&k.to, i), c.laneAddress(&k.barrier, i), func(to, barrier uint64) error {
		b, err := c.sharedBox(&k.to, i, to, bytes)
		if err != nil {
			return err
		}
		for at := uint64(0); at < bytes; at += 16 {
			copy(b[memory.Swizzled(to+at, s.layout.Swizzle)-to:][:16], s.box[at:][:16])
		}
		return c.completeTx(&k.barrier, i, barrier, bytes)
	})
}

// tensorAlignment is that of boxes in shared memory (9.7.9.25.5.2).
const tensorAlignment = 128

// sharedBox gives the bytes of a box in shared memory, up to the end of a swizzle's
// span.
func (c *warpContext) sharedBox(k *accessOperation, i int, at, bytes uint64) ([]byte, error) {
	return c.reachAt(k, i, at, memory.AlignUp(bytes, uint64(max(c.tensors.layout.Swizzle, 1))), tensorAlignment)
}

// storeTensor moves or combines a box of shared memory into the tensor. What lies
// beyond the tensor stays as it is.
func (c *warpContext) storeTensor(k *bulkOperation, i int, bytes uint64) error {
	s, from := &c.tensors, c.laneAddress(&k.from, i)
	b, err := c.sharedBox(&k.from, i, from, bytes)
	if err != nil {
		return err
	}
	s.clearBox(bytes)
	for at := uint64(0); at < bytes; at += 16 {
		copy(s.box[at:][:16], b[memory.Swizzled(from+at, s.layout.Swizzle)-from:][:16])
	}
	var update func(old, b, c uint64) uint64
	width := s.layout.Element.Bytes()
	if k.tensor.updates != nil {
		if update = k.tensor.updates[memory.IndexOf(memory.TensorElements, s.layout.Element)]; update == nil {
			return c.tensorFault(k, i, fmt.Sprintf("elements of .%s have no such reduction", s.layout.Element))
		}
	}
	k2 := k.tensor.mapAt
	k2.space, k2.write, k2.verb = ptx.SpaceGlobal, true, "bulk copy"
	for _, r := range s.runs {
		target, err := c.reachAt(&k2, i, r.global, r.bytes, 1)
		if err != nil {
			return err
		}
		if update == nil {
			copy(target, s.box[r.place:])
			continue
		}
		for at := 0; at < len(target); at += width {
			lanes.StoreRaw(target[at:], width, update(lanes.LoadRaw(target[at:], width), lanes.LoadRaw(s.box[int(r.place)+at:], width), 0))
		}
	}
	return nil
}

func (c *warpContext) tensorFault(k *bulkOperation, i int, detail string) error {
	return &laneFault{lane: i, fault: coexecution.Fault{Kind: coexecution.FaultTexture, Access: "copy by the tensor map", Address: c.laneAddress(&k.tensor.mapAt, i), Space: ptx.SpaceGeneric, Detail: detail}}
}

// openTensor reads the tensor map and the coordinates of one lane.
func (c *warpContext) openTensor(k *bulkOperation, i int) error {
	t, s := k.tensor, &c.tensors
	b, err := c.reachAt(&t.mapAt, i, c.laneAddress(&t.mapAt, i), memory.TensorMapBytes, memory.TensorMapAlign)
	if err != nil {
		return err
	}
	if err := s.layout.Decode(b); err != nil {
		return c.tensorFault(k, i, err.Error())
	}
	switch {
	case t.fourRows && (len(s.layout.Sizes) != 2 || s.layout.Im2col != nil || s.layout.Box[1] != 1):
		return c.tensorFault(k, i, "a copy of four rows takes a tensor of two dimensions, and a box of one row of it (PTX ISA 5.5.3.4)")
	case !t.fourRows && len(s.layout.Sizes) != len(t.coordinates):
		return c.tensorFault(k, i, fmt.Sprintf("%d coordinates in a tensor of %d dimensions", len(t.coordinates), len(s.layout.Sizes)))
	case t.im2col != (s.layout.Im2col != nil):
		return c.tensorFault(k, i, "the map and the copy are not both in tile mode, or both in im2col mode")
	case t.bytes(&s.layout) > coexecution.MaxSharedBytes:
		return c.tensorFault(k, i, fmt.Sprintf("its box has %d bytes; shared memory has at most %d", t.bytes(&s.layout), coexecution.MaxSharedBytes))
	}
	for d, slot := range t.coordinates {
		s.coordinates[d] = int64(int32(c.lane(slot, false, i)))
	}
	return nil
}

// clearBox fills the box with what lies beyond the tensor.
func (s *tensorScratch) clearBox(bytes uint64) {
	if uint64(cap(s.box)) < bytes {
		s.box = make([]byte, bytes)
	}
	s.box = s.box[:bytes]
	clear(s.box)
	if !s.layout.FillNaN {
		return
	}
	width := s.layout.Element.Bytes()
	nan := uint64(math.MaxUint64) >> (65 - 8*width) // that of arithmetic: all ones but the sign
	if width == 8 {
		nan = math.Float64bits(lanes.Canonical64)
	}
	for at := 0; at < len(s.box); at += width {
		lanes.StoreRaw(s.box[at:], width, nan)
	}
}

// addRun notes the part of a row of elements that lies in the tensor: those from
// coordinates on in the innermost dimension, at a place of the box; at is the
// position in the other dimensions.
func (s *tensorScratch) addRun(at *[5]int64, elements uint32, place uint64) {
	m := &s.layout
	for d := 1; d < len(m.Sizes); d++ {
		if at[d] < 0 || uint64(at[d]) >= m.Sizes[d] {
			return
		}
	}
	first, end := max(at[0], 0), min(at[0]+int64(elements), int64(m.Sizes[0]))
	if first >= end {
		return
	}
	width := uint64(m.Element.Bytes())
	r := tensorRun{global: m.Address + uint64(first)*width, place: place + uint64(first-at[0])*width, bytes: uint64(end-first) * width}
	for d, stride := range m.Strides {
		r.global += uint64(at[d+1]) * stride
	}
	s.runs = append(s.runs, r)
}

// tile lists the rows of a box in tile mode (5.5.3).
func (s *tensorScratch) tile() {
	m := &s.layout
	row := uint64(m.Box[0]) * uint64(m.Element.Bytes())
	var index [5]int
	for place := uint64(0); ; place += row {
		at := s.coordinates
		for d := 1; d < len(m.Sizes); d++ {
			at[d] += int64(index[d]) * int64(m.ElementStrides[d])
		}
		s.addRun(&at, m.Box[0], place)
		d := 1
		for ; d < len(m.Sizes); d++ {
			if index[d]++; index[d] < m.Count(d) {
				break
			}
			index[d] = 0
		}
		if d >= len(m.Sizes) {
			return
		}
	}
}

// fourRows lists the parts of four rows, which lie one behind the other in shared memory.
func (s *tensorScratch) fourRows() {
	m := &s.layout
	for i := range rowsGathered {
		s.addRun(&[5]int64{s.coordinates[0], s.coordinates[1+i]}, m.Box[0], uint64(i)*m.BoxBytes())
	}
}

// rowsGathered is the number of rows of gather4 and scatter4.
const rowsGathered = 4

// bytes is what a copy moves in shared memory.
func (t *tensorOperation) bytes(m *memory.TensorMap) uint64 {
	if t.fourRows {
		return rowsGathered * m.BoxBytes()
	}
	return m.BoxBytes()
}

// unroll lists the pixels of a copy in im2col mode (5.5.4): from the coordinates on,
// each step in the innermost spatial dimension, from the end of the bounding box to
// its beginning in the next one, and at last to the next image. The offsets move
// every pixel.
func (s *tensorScratch) unroll(c *warpContext, t *tensorOperation, lane int) {
	m, p := &s.layout, s.layout.Im2col
	images := len(m.Sizes) - 1
	row := uint64(p.Channels) * uint64(m.Element.Bytes())
	at := s.coordinates
	for n := range p.Pixels {
		moved := at
		for i, slot := range t.offsets {
			moved[i+1] += int64(uint16(c.lane(slot, false, lane)))
		}
		s.addRun(&moved, p.Channels, uint64(n)*row)
		d := 1
		for ; d < images; d++ {
			if at[d] += int64(m.ElementStrides[d]); at[d] <= int64(m.Sizes[d])-1+int64(p.Upper[d-1]) {
				break
			}
			at[d] = int64(p.Lower[d-1])
		}
		if d == images {
			at[images]++
		}
	}
}
