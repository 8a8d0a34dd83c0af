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

// surfaceOperation is suld, sust or sured (9.7.11).
type surfaceOperation struct {
	access      accessOperation // where the handle is
	surface     memory.SurfaceAccess
	coordinates [3]uint32
	mode        ptx.Mod
	width       int // bytes of an element in memory
	elements    []element
	// update is sured.b's, and sured.p's of unsigned samples; signed that of
	// signed ones.
	update, signed func(old, b, c uint64) uint64
	in             *ptx.Instruction
	run            func(c *warpContext, k *surfaceOperation, t *memory.BoundTexture, memory []byte, lane int)
}

// surface lowers suld, sust and sured. The memory of a surface is that of a
// texture, and the trace has global accesses; a lane that is outside appears at
// the nearest place inside, whatever its mode.
func (l *lowering) surface(in *ptx.Instruction, traced bool) (operation, error) {
	first := 0
	if in.Op == ptx.OpSuld {
		first = 1
	}
	k := &surfaceOperation{in: in, surface: memory.SurfaceAccessOf(in), width: in.Type().Bytes(), mode: ptx.ModTrap}
	for _, m := range []ptx.Mod{ptx.ModClamp, ptx.ModZero} {
		if in.Mods.Has(m) {
			k.mode = m
		}
	}
	k.access = l.handleAccess(&in.Operands[first], traced)
	k.access.space, k.access.verb, k.access.bytes = ptx.SpaceGlobal, "surface access", uint64(k.surface.Bytes)
	var err error
	for i := range k.surface.Count() {
		if k.coordinates[i], err = l.source(&in.Operands[first+1].Elements[i], 32); err != nil {
			return operation{}, err
		}
	}
	value := &in.Operands[2-2*first]
	switch in.Op {
	case ptx.OpSuld:
		k.run = loadSurface
		k.elements, err = l.elements(value, in.Type(), false)
	case ptx.OpSust:
		k.run = storeSurface
		k.elements, err = l.elements(value, in.Type(), true)
	default:
		k.run, k.elements = reduceSurface, make([]element, 1)
		k.elements[0].wide = in.Type().Bits() == 64
		k.elements[0].slot, err = l.source(value, in.Type().Bits())
		k.update = updateOf(in, ptx.SpaceGlobal)
		if k.surface.Samples {
			k.update, k.signed = sampleUpdate(in, false), sampleUpdate(in, true)
		}
	}
	return operation{kind: kindRun, run: runSurface, always: traced, extra: k}, err
}

func runSurface(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*surfaceOperation)
	s := &c.access
	c.locate(&k.access, mask) // the handles
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		handle := s.address(i)
		t := c.launch.Memory.Texture(handle)
		if err := textureFault(&k.surface.Geometry, t, handle, i); err != nil {
			return err
		}
		place, inside := t.SurfacePlace(&k.surface, c.coordinates(&k.surface.Geometry, &k.coordinates, i))
		if !inside && k.mode == ptx.ModTrap {
			return k.outside(t, i)
		}
		s.addresses[i] = t.Memory.Base + place // takes the place of the handle
		switch {
		case inside || k.mode == ptx.ModClamp:
			if c.launch.Footprint != nil && !c.launch.Touch(t.Memory, place, uint64(k.surface.BytesIn(t)), k.in.Op != ptx.OpSuld) {
				return coexecution.ErrOrder
			}
			if place%uint64(k.surface.BytesIn(t)) != 0 {
				f := coexecution.Fault{Kind: coexecution.FaultMisaligned, Space: ptx.SpaceGlobal, Address: s.addresses[i], Detail: fmt.Sprintf("%s of texture %s at a place that is no multiple of its %d bytes", k.in.Op, t.Name, k.surface.BytesIn(t))}
				return &laneFault{lane: i, fault: f}
			}
			k.run(c, k, t, t.Memory.Data[place:], i)
		case k.in.Op == ptx.OpSuld: // outside reads zeros
			k.run(c, k, t, zeros[:], i)
		}
	}
	if mask != 0 {
		s.findStride(mask)
	}
	c.trace(&k.access, mask)
	return nil
}

// zeros are what lies outside with .zero.
var zeros [16]byte

// outside is the fault of .trap.
func (k *surfaceOperation) outside(t *memory.BoundTexture, lane int) error {
	return &laneFault{lane: lane, fault: coexecution.Fault{Kind: coexecution.FaultOutOfBounds, Space: ptx.SpaceGlobal,
		Detail: fmt.Sprintf("%s.trap outside of texture %s of %d x %d x %d texels", k.in.Op, t.Name, t.Sides()[0], t.Sides()[1], t.Sides()[2])}}
}

func loadSurface(c *warpContext, k *surfaceOperation, _ *memory.BoundTexture, memory []byte, lane int) {
	for i := range k.elements {
		e := &k.elements[i]
		if e.slot != sink {
			c.setLane(e.slot, e.wide, lane, lanes.LoadRaw(memory[i*k.width:], k.width))
		}
	}
}

func storeSurface(c *warpContext, k *surfaceOperation, t *memory.BoundTexture, memory []byte, lane int) {
	if k.surface.Samples {
		for i := range min(len(k.elements), t.Channels) {
			v := uint32(c.lane(k.elements[i].slot, k.elements[i].wide, lane))
			lanes.StoreRaw(memory[t.ChannelAt(i)*t.ElementBytes:], t.ElementBytes, t.Channel(v))
		}
		return
	}
	for i := range k.elements {
		e := &k.elements[i]
		lanes.StoreRaw(memory[i*k.width:], k.width, c.lane(e.slot, e.wide, lane))
	}
}

// reduceSurface is sured: .b on the bytes by the instruction's type, .p on the
// sample by the texture's.
func reduceSurface(c *warpContext, k *surfaceOperation, t *memory.BoundTexture, memory []byte, lane int) {
	width, update := k.width, k.update
	if k.surface.Samples {
		width = min(t.TexelBytes, k.width)
		if t.Element.Signed() {
			update = k.signed
		}
	}
	old := lanes.LoadRaw(memory, width)
	lanes.StoreRaw(memory, width, update(old, c.lane(k.elements[0].slot, k.elements[0].wide, lane), math.MaxUint64))
}

// sampleUpdate is the operation of sured.p on samples of either sign.
func sampleUpdate(in *ptx.Instruction, signed bool) func(old, b, c uint64) uint64 {
	as := *in
	as.Types[0] = ptx.U32
	switch {
	case in.Type() == ptx.B64 && signed:
		as.Types[0] = ptx.S64
	case in.Type() == ptx.B64:
		as.Types[0] = ptx.U64
	case signed:
		as.Types[0] = ptx.S32
	}
	return updateOf(&as, ptx.SpaceGlobal)
}
