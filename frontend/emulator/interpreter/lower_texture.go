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

// textureOperation is tex (9.7.10.3) or tld4 (9.7.10.4).
type textureOperation struct {
	// access tells where the handle is, and which record the trace gets.
	access      accessOperation
	dimensions  int
	layered     bool // the first coordinate is a layer
	float       bool // results are .f32
	texels      bool // coordinates are .s32
	coordinates [3]uint32
	results     [4]uint32
	// gather says that it is tld4, of the given channel; moved is its operand e.
	gather  bool
	channel int
	moved   [2]uint32
}

// texture lowers tex and tld4. The trace has the address of each lane's texel, of the
// one with the lowest coordinates where four are filtered or gathered, rounded down to a
// word of 4 bytes: what a lane reads there is a word, or the texel that starts
// with it, so that a texel of up to 16 bytes touches one memory sector either way.
func (l *lowering) texture(in *ptx.Instruction, traced bool) (operation, error) {
	k := &textureOperation{float: in.Types[0] == ptx.F32, texels: in.Types[1] == ptx.S32, access: l.handleAccess(&in.Operands[1], traced)}
	k.dimensions, k.layered = geometryOf(in)
	var err error
	for i := range k.count() {
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
	k.gather = true
	for n, m := range []ptx.Mod{ptx.ModR, ptx.ModG, ptx.ModB, ptx.ModA} {
		if in.Mods.Has(m) {
			k.channel = n
		}
	}
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

// geometryOf is the number of dimensions of a layer, and whether there are layers.
func geometryOf(in *ptx.Instruction) (dimensions int, layered bool) {
	switch {
	case in.Mods.Has(ptx.Mod2d):
		return 2, false
	case in.Mods.Has(ptx.Mod3d):
		return 3, false
	case in.Mods.Has(ptx.ModA1d):
		return 1, true
	case in.Mods.Has(ptx.ModA2d):
		return 2, true
	}
	return 1, false
}

// handleAccess says where a texture's handle is: in a register, or bound to a
// variable.
func (l *lowering) handleAccess(place *ptx.Operand, traced bool) accessOperation {
	k := accessOperation{space: ptx.SpaceTexture, verb: "fetch", bytes: 4, traced: traced, offset: uint64(place.Offset)}
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

// count is the number of coordinates.
func (k *textureOperation) count() int {
	if k.layered {
		return k.dimensions + 1
	}
	return k.dimensions
}

func runTexture(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*textureOperation)
	s := &c.access
	c.locate(&k.access, mask) // the handles
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		handle := s.address(i)
		t := c.launch.Memory.Texture(handle)
		if err := k.fault(t, handle, i); err != nil {
			return err
		}
		if c.launch.Footprint != nil && t.Memory.Claims != nil {
			return coexecution.ErrOrder // the texture's memory is written to
		}
		v, address := c.fetch(k, t, i)
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

// fetch reads the texture for one lane.
func (c *warpContext) fetch(k *textureOperation, t *memory.BoundTexture, lane int) (memory.Texel, uint64) {
	float := k.float || t.Floats
	var raw [3]uint32
	for d := range k.count() {
		raw[d] = lanes.Of[uint32](c.at(k.coordinates[d]))[lane]
	}
	if k.layered { // the layer, of type .u32, goes last
		raw = [3]uint32{raw[1], raw[2], min(raw[0], memory.MaxTextureLayers)}
		if k.dimensions == 1 {
			raw[1] = 0
		}
	}
	if k.texels {
		return t.TexelAt([3]int{int(int32(raw[0])), int(int32(raw[1])), int(int32(raw[2]))}, float)
	}
	var places [3]memory.Coordinate
	sides := t.Sides()
	for d := range k.dimensions {
		places[d] = t.Locate(math.Float32frombits(raw[d]), sides[d])
	}
	if k.layered {
		places[2] = memory.Coordinate{At: int(raw[2])}
	}
	if k.gather {
		for d := range k.moved {
			places[d] = t.Between(math.Float32frombits(raw[d]), sides[d])
			places[d].At += int(int32(lanes.Of[uint32](c.at(k.moved[d]))[lane]))
		}
		return t.Gather(places, k.channel, float)
	}
	if t.Linear && float {
		return t.Interpolate(places)
	}
	return t.At([3]int{places[0].At, places[1].At, places[2].At}, float)
}

// fault says what stands against an access to t; nil when nothing does.
func (k *textureOperation) fault(t *memory.BoundTexture, handle uint64, lane int) error {
	f := coexecution.Fault{Kind: coexecution.FaultTexture, Space: ptx.SpaceTexture}
	switch {
	case t == nil:
		return unbound(handle, lane)
	case t.Memory.Freed:
		f.Kind, f.Detail = coexecution.FaultUseAfterFree, fmt.Sprintf("the memory of texture %s was freed", t.Name)
	case k.dimensions != t.Dimensions():
		f.Detail = fmt.Sprintf("%s.%dd of texture %s, which has %d dimensions", k.mnemonic(), k.dimensions, t.Name, t.Dimensions())
	case k.layered != (t.Layers > 0):
		f.Detail = fmt.Sprintf("%s.a%dd is for textures with layers and no others; texture %s has %d", k.mnemonic(), k.dimensions, t.Name, t.Layers)
		if !k.layered {
			f.Detail = fmt.Sprintf("texture %s has %d layers, which %s.a%dd fetches from", t.Name, t.Layers, k.mnemonic(), k.dimensions)
		}
	default:
		return nil
	}
	return &laneFault{lane: lane, fault: f}
}

func (k *textureOperation) mnemonic() ptx.Opcode {
	if k.gather {
		return ptx.OpTld4
	}
	return ptx.OpTex
}

// unbound is the fault of a handle that is no texture's.
func unbound(handle uint64, lane int) error {
	f := coexecution.Fault{Kind: coexecution.FaultTexture, Space: ptx.SpaceTexture, Detail: fmt.Sprintf("0x%x is no texture's handle", handle)}
	if handle == 0 {
		f.Detail = "no texture is bound; the host program makes one and binds it, or passes its handle"
	}
	return &laneFault{lane: lane, fault: f}
}
