// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// mirror is the emulated device's memory on the GPU.
type mirror struct {
	gpu     *driver.Device
	modules map[*ptx.Module]*driver.Module
	copies  map[uint64]buffer // by address in the emulator
}

type buffer struct{ address, bytes uint64 }

func newMirror(g *driver.Device) *mirror {
	return &mirror{gpu: g, modules: map[*ptx.Module]*driver.Module{}, copies: map[uint64]buffer{}}
}

func (m *mirror) close() {
	for _, b := range m.copies {
		if b.address != 0 {
			m.gpu.Release(b.address)
		}
	}
	for _, module := range m.modules {
		module.Unload()
	}
}

// prepared is a launch on the GPU.
type prepared struct {
	function    *driver.Function
	grid, block trace.Dim3
	shared      uint32 // dynamic
	arguments   []byte
	uploads     []upload
}

// upload is memory that the launch finds.
type upload struct {
	to   uint64
	data []byte
}

// prepare makes a launch of the GPU of one of the emulator.
func (m *mirror) prepare(l *host.LaunchView) (*prepared, error) {
	k := l.Request.Kernel
	if len(l.Device.Textures()) > 0 {
		return nil, errors.New("the program has textures, which measure does not put on a GPU")
	}
	if k.ClusterBlocks(l.Request.Cluster) > 1 {
		return nil, errors.New("it runs in clusters, which measure does not launch")
	}
	module, ok := m.modules[l.Module]
	if !ok {
		var err error
		if module, err = m.gpu.Load(l.Module.Text); err != nil {
			return nil, fmt.Errorf("%s: %w", l.Module.File, err)
		}
		m.modules[l.Module] = module
	}
	p := &prepared{grid: l.Request.Grid, block: l.Request.Block, shared: l.Request.DynamicShared}
	var err error
	if p.function, err = module.Function(l.Kernel); err != nil {
		return nil, err
	}
	if err := m.memory(p, l.Device, module, k); err != nil {
		return nil, err
	}
	p.arguments, err = m.translate(l.Request.Arguments, k.PTX().Params, l.Device.Buffers())
	return p, err
}

// memory notes what the kernel's module and the program's buffers hold.
func (m *mirror) memory(p *prepared, d *emulator.Device, module *driver.Module, k *emulator.LoadedKernel) error {
	of := k.Addresses()
	for name, address := range of {
		to, bytes, err := module.Variable(name)
		if err != nil {
			continue // one that the compiler has thrown out: nothing uses it
		}
		data := make([]byte, bytes)
		if err := d.Read(address, data); err != nil {
			return err
		}
		m.copies[address] = buffer{} // not allocated here
		p.uploads = append(p.uploads, upload{to, data})
	}
	for _, b := range d.Buffers() {
		if memory.InWindow(b.Address, memory.ConstWindowBase) || slices.Contains(values(of), b.Address) {
			continue
		}
		at, ok := m.copies[b.Address]
		if !ok || at.bytes != b.Bytes {
			var err error
			if at.address, err = m.gpu.Allocate(max(b.Bytes, 1)); err != nil {
				return fmt.Errorf("buffer %s: %w", b.Name, err)
			}
			at.bytes = b.Bytes
			m.copies[b.Address] = at
		}
		data := make([]byte, b.Bytes)
		if err := d.Read(b.Address, data); err != nil {
			return err
		}
		p.uploads = append(p.uploads, upload{at.address, data})
	}
	return nil
}

func values(of map[string]uint64) []uint64 {
	var list []uint64
	for _, v := range of {
		list = append(list, v)
	}
	return list
}

// translate replaces addresses in the emulator by those of the copies: in 64-bit integer
// parameters whose value lies in a buffer.
func (m *mirror) translate(arguments []byte, params []*ptx.Param, buffers []memory.Buffer) ([]byte, error) {
	out := slices.Clone(arguments)
	for _, p := range params {
		if p.Bytes != 8 || p.Type.Bits() != 64 || p.Type.Float() {
			continue
		}
		value := binary.LittleEndian.Uint64(out[p.Offset:])
		for _, b := range buffers {
			if value < b.Address || value >= b.Address+max(b.Bytes, 1) {
				continue
			}
			at, ok := m.copies[b.Address]
			if !ok || at.address == 0 {
				return nil, fmt.Errorf("parameter %s is the address of %s, a variable of a module, which measure does not translate", p.Name, b.Name)
			}
			binary.LittleEndian.PutUint64(out[p.Offset:], at.address+value-b.Address)
			break
		}
	}
	return out, nil
}

// run launches once from the memory as prepared, and gives the nanoseconds.
func (p *prepared) run(g *driver.Device) (float64, error) {
	for i := range p.uploads {
		if err := g.Write(p.uploads[i].to, p.uploads[i].data); err != nil {
			return 0, err
		}
	}
	return p.function.Time(p.grid, p.block, p.shared, p.arguments)
}
