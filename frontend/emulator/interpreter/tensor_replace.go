// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// tensormapOperation is tensormap.replace or tensormap.cp_fenceproxy (9.7.9.26).
type tensormapOperation struct {
	at, from accessOperation
	value    uint32 // slot
	wide     bool
	field    func(b []byte, v uint64) error
	copies   bool
}

func (l *lowering) tensormap(in *ptx.Instruction, traced bool) (operation, error) {
	k := &tensormapOperation{copies: in.Mods.Has(ptx.ModCpFenceproxy)}
	place := *in
	place.Types[0] = ptx.B8
	if k.copies {
		place.Space = in.Into
	}
	at, err := l.access(&place, &in.Operands[0], traced)
	if err != nil {
		return operation{}, err
	}
	k.at = *at
	k.at.write, k.at.verb = true, "change of a tensor map"
	if k.copies {
		place.Space = in.Space
		from, err := l.access(&place, &in.Operands[1], false)
		if err != nil {
			return operation{}, err
		}
		k.from = *from
		k.from.verb = "copy of a tensor map"
		return operation{kind: kindRun, run: runTensormap, extra: k}, nil
	}
	k.wide = in.Types[0].Bits() == 64
	k.value, err = l.source(in.Named("new_val"), in.Types[0].Bits())
	ord := 0
	if o := in.Named("ord"); o != nil {
		ord = int(o.Value)
	}
	k.field = tensorField(in, ord, strideUnit(l.kernel.Module))
	return operation{kind: kindRun, run: runTensormap, always: traced, extra: k}, err
}

// strideUnit is the bytes that a stride of a new value counts. The ISA says bytes. The assemblers of CUDA
// before release 12.5, which came with PTX 8.5, took units of 16 bytes, and programs give them these (CUTLASS,
// copy_sm90_desc.hpp; github.com/triton-lang/triton/pull/5408).
func strideUnit(m *ptx.Module) uint64 {
	if m.Before(8, 5) {
		return 16
	}
	return 1
}

// tensorField gives what replaces a field of a tensor map by a value, whose strides count a number of bytes.
func tensorField(in *ptx.Instruction, ord int, strideBytes uint64) func(b []byte, v uint64) error {
	le := binary.LittleEndian
	octet := func(at int, limit uint64) func([]byte, uint64) error {
		return func(b []byte, v uint64) error {
			if v > limit {
				return fmt.Errorf("the value %d is above %d", v, limit)
			}
			b[at] = byte(v)
			return nil
		}
	}
	switch {
	case in.Mods.Has(ptx.ModGlobalAddress):
		return func(b []byte, v uint64) error { le.PutUint64(b[memory.MapAddress:], v); return nil }
	case in.Mods.Has(ptx.ModRank): // one less than the rank
		return func(b []byte, v uint64) error { return octet(memory.MapRank, 5)(b, v+1) }
	case in.Mods.Has(ptx.ModBoxDim):
		return func(b []byte, v uint64) error {
			le.PutUint16(b[memory.MapBox+2*ord:], uint16(min(v, 1<<16-1)))
			return nil
		}
	case in.Mods.Has(ptx.ModGlobalDim):
		return func(b []byte, v uint64) error { le.PutUint32(b[memory.MapSizes+4*ord:], uint32(v)-1); return nil }
	case in.Mods.Has(ptx.ModGlobalStride):
		return func(b []byte, v uint64) error {
			if ord > 3 {
				return fmt.Errorf("stride %d of a tensor; there are 0 to 3", ord)
			}
			if v >= 1<<40 {
				return fmt.Errorf("stride %d is %d, which is not below 2^40", ord, v)
			}
			le.PutUint64(b[memory.MapStrides+8*ord:], v*strideBytes)
			return nil
		}
	case in.Mods.Has(ptx.ModElementStride):
		return octet(memory.MapElementStrides+ord, 255)
	case in.Mods.Has(ptx.ModElemtype):
		return octet(memory.MapElement, 255)
	case in.Mods.Has(ptx.ModInterleaveLayout):
		return octet(memory.MapInterleave, 2)
	case in.Mods.Has(ptx.ModSwizzleMode):
		return octet(memory.MapSwizzle, 255)
	}
	return octet(memory.MapFill, 1)
}

func runTensormap(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*tensormapOperation)
	if k.copies {
		return c.copyTensormap(k, mask)
	}
	c.locate(&k.at, mask)
	c.trace(&k.at, mask)
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		b, err := c.reachAt(&k.at, i, c.laneAddress(&k.at, i), memory.TensorMapBytes, memory.TensorMapAlign)
		if err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(b[memory.MapMagic:]) != memory.TensorMagic {
			return c.accessFault(&k.at, coexecution.FaultTexture, i, "no tensor map lies there; the host makes them with gpu.tensor_map")
		}
		if err := k.field(b, c.lane(k.value, k.wide, i)); err != nil {
			return c.accessFault(&k.at, coexecution.FaultTexture, i, err.Error())
		}
	}
	return nil
}

// copyTensormap copies a tensor map, once for the warp.
func (c *warpContext) copyTensormap(k *tensormapOperation, mask uint32) error {
	if mask == 0 {
		return nil
	}
	i := lanes.FirstLane(mask)
	from, err := c.reachAt(&k.from, i, c.laneAddress(&k.from, i), memory.TensorMapBytes, memory.TensorMapAlign)
	if err != nil {
		return err
	}
	to, err := c.reachAt(&k.at, i, c.laneAddress(&k.at, i), memory.TensorMapBytes, memory.TensorMapAlign)
	copy(to, from)
	return err
}
