// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
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
	// updates combine elements of each number of memory.TensorElement; nil for a plain copy, a
	// nil entry for a type that has no such reduction.
	updates []func(old, b, c uint64) uint64
}

// tensorScratch is a context's working space for copies of tensors.
type tensorScratch struct {
	memory.TensorCopy
	box []byte // as it lies in shared memory without swizzle
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
		for n := uint64(0); ; n++ {
			element, ok := memory.TensorElementOf(n)
			if !ok {
				break
			}
			t.updates = append(t.updates, tensorReduction(in, element))
		}
	}
	return t, nil
}

// tensorReduction is the reduction of elements of a type; nil where there is none
// (9.7.9.25.5.3). What a reduction makes of elements that loads convert is not documented.
func tensorReduction(of *ptx.Instruction, element memory.TensorElement) func(old, b, c uint64) uint64 {
	if element.Converts() {
		return nil
	}
	in, t := *of, element.Type
	in.Types[0] = t
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
	return updateOf(&in, ptx.SpaceGlobal)
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
	s.Find()
	for _, r := range s.Runs {
		c.moved.Add(r.Global, uint32(r.Bytes))
	}
	bytes := s.Bytes()
	if t.store {
		return c.storeTensor(k, i, bytes)
	}
	s.clearBox(bytes)
	for _, r := range s.Runs {
		b, err := c.reachAt(&k.from, i, r.Global, r.Bytes, 1)
		if err != nil {
			return err
		}
		copy(s.box[r.Place:], b)
		if s.Layout.Element.Converts() {
			s.Layout.Element.Load(s.box[r.Place:][:r.Bytes])
		}
	}
	c.noteBarrier(k, i, c.laneAddress(&k.barrier, i), bytes)
	return c.eachBlock(k, i, c.laneAddress(&k.to, i), c.laneAddress(&k.barrier, i), func(to, barrier uint64) error {
		b, err := c.sharedBox(&k.to, i, to, bytes)
		if err != nil {
			return err
		}
		for at := uint64(0); at < bytes; at += 16 {
			copy(b[memory.Swizzled(to+at, s.Layout.Swizzle)-to:][:16], s.box[at:][:16])
		}
		return c.completeTx(&k.barrier, i, barrier, bytes)
	})
}

// tensorAlignment is that of boxes in shared memory (9.7.9.25.5.2).
const tensorAlignment = 128

// sharedBox gives the bytes of a box in shared memory, up to the end of a swizzle's
// span.
func (c *warpContext) sharedBox(k *accessOperation, i int, at, bytes uint64) ([]byte, error) {
	return c.reachAt(k, i, at, memory.AlignUp(bytes, uint64(max(c.tensors.Layout.Swizzle, 1))), tensorAlignment)
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
		copy(s.box[at:][:16], b[memory.Swizzled(from+at, s.Layout.Swizzle)-from:][:16])
	}
	var update func(old, b, c uint64) uint64
	width := s.Layout.Element.Type.Bytes()
	if k.tensor.updates != nil {
		if update = k.tensor.updates[s.Layout.Element.Number()]; update == nil {
			return c.tensorFault(k, i, fmt.Sprintf("elements of .%s have no such reduction", s.Layout.Element))
		}
	}
	k2 := k.tensor.mapAt
	k2.space, k2.write, k2.verb, k2.copies = ptx.SpaceGlobal, true, "bulk copy", true
	for _, r := range s.Runs {
		target, err := c.reachAt(&k2, i, r.Global, r.Bytes, 1)
		if err != nil {
			return err
		}
		if update == nil {
			copy(target, s.box[r.Place:])
			continue
		}
		for at := 0; at < len(target); at += width {
			lanes.StoreRaw(target[at:], width, update(lanes.LoadRaw(target[at:], width), lanes.LoadRaw(s.box[int(r.Place)+at:], width), 0))
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
	if err := s.Layout.Decode(b); err != nil {
		return c.tensorFault(k, i, err.Error())
	}
	s.Im2col, s.FourRows = t.im2col, t.fourRows
	if why := s.Against(len(t.coordinates)); why != "" {
		return c.tensorFault(k, i, why)
	}
	for d, slot := range t.coordinates {
		s.Coordinates[d] = int64(int32(c.lane(slot, false, i)))
	}
	s.Offsets = s.Offsets[:0]
	for _, slot := range t.offsets {
		s.Offsets = append(s.Offsets, uint16(c.lane(slot, false, i)))
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
	if !s.Layout.FillNaN {
		return
	}
	width := s.Layout.Element.Type.Bytes()
	nan := uint64(math.MaxUint64) >> (65 - 8*width) // that of arithmetic: all ones but the sign
	if width == 8 {
		nan = math.Float64bits(lanes.Canonical64)
	}
	for at := 0; at < len(s.box); at += width {
		lanes.StoreRaw(s.box[at:], width, nan)
	}
}
