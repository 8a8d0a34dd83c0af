// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/trace"
)

// pointer is an address of a constant in global memory, as the host has it and as the device does.
// Kernels get the device's, and the host gets its own back where they have left it alone.
type pointer struct {
	buffer            *memory.Allocation
	offset            uint64
	recording, device []byte
}

// readPointers asks the device for the addresses.
func (p *program) readPointers() error {
	r := p.module.rewritten
	p.pointers = nil
	if r.TellsPointers == "" {
		return nil
	}
	if len(r.Pointers) > maxLayout {
		return fmt.Errorf("its variables have %d addresses of constants, more than %d", len(r.Pointers), maxLayout)
	}
	f, err := p.module.loaded.Function(r.TellsPointers)
	if err != nil {
		return err
	}
	if err := p.control(0, p.coexecutor.log); err != nil {
		return err
	}
	one := trace.Dim3{X: 1, Y: 1, Z: 1}
	if err := f.Launch(one, one, 0, nil); err != nil {
		return err
	}
	if err := p.coexecutor.device.Synchronize(); err != nil {
		return err
	}
	words := make([]byte, 8*len(r.Pointers))
	if err := p.coexecutor.device.Read(words, p.coexecutor.layout); err != nil {
		return err
	}
	for i, at := range r.Pointers {
		v := p.kernel.PTX.Module.Variables[at.Variable]
		relocation := &v.Relocations[at.Relocation]
		address := p.launch.Addresses[relocation.Symbol]
		if !relocation.Generic {
			address = memory.SpaceRelative(relocation.Symbol.Space, address)
		}
		stored := func(address uint64) []byte {
			var b [8]byte
			return b[:relocation.Store(b[:], address, p.kernel.PTX.Module.AddressSize)]
		}
		p.pointers = append(p.pointers, pointer{buffer: p.launch.Memory.Global.Below(p.launch.Addresses[v]), offset: relocation.Offset,
			recording: stored(address + uint64(relocation.Addend)), device: stored(binary.LittleEndian.Uint64(words[8*i:]))})
	}
	return nil
}

// givePointers puts the device's addresses in the place of the recording's.
func (p *program) givePointers() error {
	for i := range p.pointers {
		at := &p.pointers[i]
		if here := at.buffer.Data[at.offset:][:len(at.recording)]; bytes.Equal(here, at.recording) {
			if err := p.coexecutor.device.Write(at.buffer.Base+at.offset, at.device); err != nil {
				return err
			}
		}
	}
	return nil
}

// takePointers does the reverse in memory that has come back.
func (p *program) takePointers() {
	for i := range p.pointers {
		at := &p.pointers[i]
		if here := at.buffer.Data[at.offset:][:len(at.device)]; bytes.Equal(here, at.device) {
			copy(here, at.recording)
		}
	}
}
