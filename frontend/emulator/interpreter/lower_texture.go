// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// textureOperation is tex (9.7.10.3) or tld4 (9.7.10.4).
type textureOperation struct {
	// access tells where the handle is, and which record the trace gets.
	access      accessOperation
	fetch       memory.Fetch
	coordinates [3]uint32
	results     [4]uint32
	moved       [2]uint32 // tld4's operand e
}

// texture lowers tex and tld4. The trace has the address of each lane's texel, of the
// one with the lowest coordinates where four are filtered or gathered, rounded down to a
// word of 4 bytes. A lane reads there a word, or the texel that starts with it, so that
// a texel of up to 16 bytes touches one memory sector either way.
func (l *lowering) texture(in *ptx.Instruction, traced bool) (operation, error) {
	k := &textureOperation{fetch: memory.FetchOf(in), access: l.handleAccess(&in.Operands[1], traced)}
	var err error
	for i := range k.fetch.Count() {
		if k.coordinates[i], err = l.source(&in.Operands[2].Elements[i], 32); err != nil {
			return operation{}, err
		}
	}
	for i := range k.results {
		if k.results[i], err = l.destination(&in.Operands[0].Elements[i], 32); err != nil {
			return operation{}, err
		}
	}
	if in.Op == ptx.OpTld4 {
		err = l.gather(in, k)
	}
	return operation{kind: kindRun, run: runTexture, always: traced, extra: k}, err
}

// gather adds what tld4 has more than tex.
func (l *lowering) gather(in *ptx.Instruction, k *textureOperation) (err error) {
	for i := range k.moved {
		k.moved[i] = l.layout.constant(0, false)
		if len(in.Operands) > 3 {
			if k.moved[i], err = l.source(&in.Operands[3].Elements[i], 32); err != nil {
				return err
			}
		}
	}
	return nil
}

// handleAccess says where a texture's handle is: in a register, or bound to a
// variable.
func (l *lowering) handleAccess(place *ptx.Operand, traced bool) accessOperation {
	k := accessOperation{space: ptx.SpaceTexture, limit: math.MaxUint64, verb: "fetch", bytes: 4, traced: traced, offset: uint64(place.Offset)}
	switch {
	case place.Register != nil:
		k.hasBase, k.baseWide = true, place.Register.Type.Bits() == 64
		k.base = l.layout.registers[place.Register.Index]
	case place.Variable != nil:
		k.hasBase, k.baseWide = true, true
		k.base = l.layout.symbol(place.Variable, 0, true)
	}
	return k
}

func runTexture(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*textureOperation)
	s := &c.access
	c.locate(&k.access, mask) // the handles
	left, err := c.filterTogether(k, mask)
	if err != nil {
		return err
	}
	var t *memory.BoundTexture
	var last uint64
	for m := left; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		if handle := s.address(i); t == nil || handle != last {
			last = handle
			if t, err = c.texture(&k.fetch.Geometry, handle, i); err != nil {
				return err
			}
		}
		v, address := t.Fetch(&k.fetch, c.coordinates(&k.fetch.Geometry, &k.coordinates, i), c.textureOffset(k, i))
		s.addresses[i] = address &^ 3 // takes the place of the handle
		for r, slot := range k.results {
			lanes.Of[uint32](c.at(slot))[i] = v[r]
		}
	}
	if mask != 0 {
		s.findStride(mask)
	}
	c.trace(&k.access, mask)
	return nil
}

// filterTogether fetches for the lanes in mask, if they have one handle, of a texture that a
// Filter serves. It gives the lanes that are left.
func (c *warpContext) filterTogether(k *textureOperation, mask uint32) (left uint32, err error) {
	s := &c.access
	if mask == 0 || !s.strided || s.stride != 0 {
		return mask, nil
	}
	t, err := c.texture(&k.fetch.Geometry, s.base, lanes.FirstLane(mask))
	if err != nil || !t.Filters(&k.fetch) {
		return mask, err
	}
	word := func(slot uint32) *[trace.WarpSize]uint32 { return lanes.Of[uint32](c.at(slot)) }
	results := [4]*[trace.WarpSize]uint32{word(k.results[0]), word(k.results[1]), word(k.results[2]), word(k.results[3])}
	left = c.filter.Fetch(t, word(k.coordinates[0]), word(k.coordinates[1]), mask, &results, &s.addresses)
	for i := range s.addresses {
		s.addresses[i] &^= 3
	}
	return left, nil
}

// texture is the texture of a lane's handle, if nothing stands against an access to it.
func (c *warpContext) texture(g *memory.Geometry, handle uint64, lane int) (*memory.BoundTexture, error) {
	t := c.launch.Memory.Texture(handle)
	if err := textureFault(g, t, handle, lane); err != nil {
		return nil, err
	}
	if c.launch.Footprint != nil && t.Memory.Claims != nil {
		return nil, coexecution.ErrOrder // the texture's memory is written to
	}
	return t, nil
}

// coordinates are those of one lane.
func (c *warpContext) coordinates(g *memory.Geometry, slots *[3]uint32, lane int) (raw [3]uint32) {
	for d := range g.Count() {
		raw[d] = lanes.Of[uint32](c.at(slots[d]))[lane]
	}
	return raw
}

// textureOffset is a lane's operand e.
func (c *warpContext) textureOffset(k *textureOperation, lane int) (raw [2]uint32) {
	if k.fetch.Gather {
		for d := range raw {
			raw[d] = lanes.Of[uint32](c.at(k.moved[d]))[lane]
		}
	}
	return raw
}

// textureFault says what stands against an access to t; nil when nothing does.
func textureFault(g *memory.Geometry, t *memory.BoundTexture, handle uint64, lane int) error {
	if t == nil {
		return unbound(handle, lane)
	}
	f := coexecution.Fault{Kind: coexecution.FaultTexture, Space: ptx.SpaceTexture, Detail: g.Against(t)}
	if t.Memory.Freed {
		f.Kind, f.Detail = coexecution.FaultUseAfterFree, fmt.Sprintf("the memory of texture %s was freed", t.Name)
	}
	if f.Detail == "" {
		return nil
	}
	return &laneFault{lane: lane, fault: f}
}

// unbound is the fault of a handle that is no texture's.
func unbound(handle uint64, lane int) error {
	f := coexecution.Fault{Kind: coexecution.FaultTexture, Space: ptx.SpaceTexture, Detail: fmt.Sprintf("0x%x is no texture's handle", handle)}
	if handle == 0 {
		f.Detail = "no texture is bound; the host program makes one and binds it, or passes its handle"
	}
	return &laneFault{lane: lane, fault: f}
}
