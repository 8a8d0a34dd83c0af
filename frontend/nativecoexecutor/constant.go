// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/memory"
)

// constantBuffer is a buffer in constant memory that a parameter points to.
type constantBuffer struct {
	buffer *memory.Allocation
	offset uint64 // in the variable that the text has for them
}

// placeConstants takes to the device what parameters point to in constant memory, and makes the
// launch's arguments.
func (p *program) placeConstants() error {
	p.buffers, p.arguments = nil, p.launch.Arguments
	constant := p.kernel.ConstantParams()
	if !slices.Contains(constant, true) {
		return nil
	}
	p.arguments = slices.Clone(p.arguments)
	at, err := p.module.loaded.Symbol(p.module.rewritten.Constants)
	if err != nil {
		return err
	}
	room := contamination.ConstantBytes(p.kernel)
	for i, param := range p.kernel.PTX.Params {
		if !constant[i] {
			continue
		}
		place := p.arguments[param.Offset : param.Offset+8]
		address := memory.ConstWindowBase + binary.LittleEndian.Uint64(place)
		a := p.launch.Memory.Constant.Find(address, 1)
		if a == nil {
			return fmt.Errorf("%s: parameter %s points to no buffer in constant memory", param.Position, param.Name)
		}
		b, err := p.placeConstant(a, room)
		if err != nil {
			return fmt.Errorf("%s: parameter %s: %w", param.Position, param.Name, err)
		}
		if err := p.coexecutor.device.Write(at+b.offset, a.Data); err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(place, b.offset+address-a.Base)
	}
	return nil
}

// placeConstant gives a buffer a place behind the others.
func (p *program) placeConstant(a *memory.Allocation, room uint64) (constantBuffer, error) {
	end := uint64(0)
	for _, b := range p.buffers {
		if b.buffer == a {
			return b, nil
		}
		end = memory.AlignUp(b.offset+b.buffer.Bytes, memory.AllocationAlign)
	}
	if end+a.Bytes > room {
		return constantBuffer{}, fmt.Errorf("its %d bytes and those of other parameters are more than the %d bytes that a module has in constant memory on a GPU; give the kernel a pointer to global memory", a.Bytes, room)
	}
	p.buffers = append(p.buffers, constantBuffer{a, end})
	return p.buffers[len(p.buffers)-1], nil
}

// addConstants tells where the buffers lie in the device's constant memory.
func (p *places) addConstants(buffers []constantBuffer, at, window uint64) {
	for _, b := range buffers {
		p.spaces[placedConst].add(placed{at + b.offset, b.buffer.Base - memory.ConstWindowBase, b.buffer.Bytes}, window)
	}
}
