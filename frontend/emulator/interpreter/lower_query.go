// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// queryOperation is txq or suq (9.7.10.5, 9.7.11.4).
type queryOperation struct {
	access accessOperation
	d      uint32
	value  func(t *memory.BoundTexture) uint32
}

// query lowers txq and suq. Textures have one level, whatever .level asks for.
func (l *lowering) query(in *ptx.Instruction) (operation, error) {
	k := &queryOperation{access: l.handleAccess(&in.Operands[1], false), value: queryOf(in)}
	var err error
	k.d, err = l.destination(&in.Operands[0], 32)
	return operation{kind: kindRun, run: runQuery, extra: k}, err
}

func runQuery(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*queryOperation)
	c.locate(&k.access, mask) // the handles
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		handle := c.access.address(i)
		t := c.launch.Memory.Texture(handle)
		if t == nil {
			return unbound(handle, i)
		}
		lanes.Of[uint32](c.at(k.d))[i] = k.value(t)
	}
	return nil
}

// queryOf gives the property that is asked for. Types and orders of channels
// are OpenCL's numbers (5.3.2), modes those of the table of txq (9.7.10.5).
func queryOf(in *ptx.Instruction) func(t *memory.BoundTexture) uint32 {
	size := func(f func(t *memory.BoundTexture) int) func(t *memory.BoundTexture) uint32 {
		return func(t *memory.BoundTexture) uint32 { return uint32(f(t)) }
	}
	flag := func(f func(t *memory.BoundTexture) bool) func(t *memory.BoundTexture) uint32 {
		return func(t *memory.BoundTexture) uint32 {
			if f(t) {
				return 1
			}
			return 0
		}
	}
	switch {
	case in.Mods.Has(ptx.ModWidth):
		return size(func(t *memory.BoundTexture) int { return t.Width })
	case in.Mods.Has(ptx.ModHeight):
		return size(func(t *memory.BoundTexture) int { return t.Height })
	case in.Mods.Has(ptx.ModDepth):
		return size(func(t *memory.BoundTexture) int { return t.Depth })
	case in.Mods.Has(ptx.ModArraySize):
		return size(func(t *memory.BoundTexture) int { return t.Layers })
	case in.Mods.Has(ptx.ModChannelDataType):
		return func(t *memory.BoundTexture) uint32 { return memory.ChannelTypes[t.Element] }
	case in.Mods.Has(ptx.ModChannelOrder):
		return func(t *memory.BoundTexture) uint32 { return t.ImageOrder() }
	case in.Mods.Has(ptx.ModNormalizedCoords):
		return flag(func(t *memory.BoundTexture) bool { return t.Normalized })
	case in.Mods.Has(ptx.ModForceUnnormalizedCoords):
		return flag(func(t *memory.BoundTexture) bool { return !t.Normalized })
	case in.Mods.Has(ptx.ModFilterMode):
		return flag(func(t *memory.BoundTexture) bool { return t.Linear })
	case in.Mods.Has(ptx.ModNumMipmapLevels), in.Mods.Has(ptx.ModNumSamples):
		return func(*memory.BoundTexture) uint32 { return 1 }
	case in.Mods.Has(ptx.ModMemoryLayout):
		return func(*memory.BoundTexture) uint32 { return 0 } // row by row
	}
	dimension := 0
	switch {
	case in.Mods.Has(ptx.ModAddrMode1):
		dimension = 1
	case in.Mods.Has(ptx.ModAddrMode2):
		dimension = 2
	}
	return func(t *memory.BoundTexture) uint32 { return addressModes[t.Modes[dimension]] }
}

// addressModes number the modes as txq does: wrap, mirror, clamp_ogl,
// clamp_to_edge, clamp_to_border.
var addressModes = [...]uint32{memory.AddressWrap: 0, memory.AddressMirror: 1, memory.AddressClamp: 3, memory.AddressBorder: 4}
