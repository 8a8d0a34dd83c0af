// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// Module is a PTX module on a device: its variables have addresses, its
// kernels are contaminated and loaded into the coexecutor.
type Module struct {
	device *Device
	source *ptx.Module
	// addresses of the module's .global and .const variables, as the host and
	// generic accesses see them; of .texref variables, once they are bound, the
	// textures' handles.
	addresses map[*ptx.Variable]uint64
	kernels   map[string]*LoadedKernel
	// refused are kernels that a device of its own cannot run, which others of the module
	// need not know.
	refused map[string]error
}

// LoadedKernel is a kernel that is ready to be launched.
type LoadedKernel struct {
	module       *Module
	contaminated *contaminator.Kernel
	program      coexecution.Program
	paramBytes   uint32
	// outer marks the segments that are joins if some branch has a join that is not
	// its post-dominator; nil if none has.
	outer []bool
	// tails marks the segments from which lanes only leave.
	tails []bool
	// waits marks the segments of loops that end by what other threads do; nil without
	// any.
	waits []bool
	// contexts, by worker and warp index, are reused by all launches of the kernel.
	contexts [][]coexecution.Context
	// idle is the scheduler of the kernel's last launch, nil while one runs.
	idle *scheduler
	// conflicts counts the claimShifts at which blocks of the kernel were seen to
	// depend on each other.
	conflicts int
}

// LoadModule places the module's variables in device memory, with their
// initial values, and prepares its kernels. What the coexecutor cannot run is
// refused here, with its position; every complaint is in the error. A kernel that a native
// coexecutor refuses is refused when it is asked for.
func (d *Device) LoadModule(m *ptx.Module) (*Module, error) {
	mod := &Module{device: d, source: m, addresses: map[*ptx.Variable]uint64{}, kernels: map[string]*LoadedKernel{}, refused: map[string]error{}}
	if err := mod.placeVariables(); err != nil {
		return nil, err
	}
	var complaints []error
	_, native := d.options.Coexecutor.(coexecution.Native)
	instructions := 0
	for _, k := range m.Kernels {
		if instructions > maxModuleInstructions {
			complaints = append(complaints, fmt.Errorf("%s: the kernels up to %s have, with the functions that they call, more than %d instructions; load the kernels in several modules",
				k.Position, k.Name, maxModuleInstructions))
			break
		}
		loaded, err := mod.loadKernel(k)
		if err != nil && native {
			mod.refused[k.Name] = err // the others may run
			continue
		}
		if err != nil {
			complaints = append(complaints, err)
			continue
		}
		instructions += len(loaded.contaminated.PTX.Body)
		mod.kernels[k.Name] = loaded
	}
	if len(complaints) > 0 {
		return nil, errors.Join(complaints...)
	}
	return mod, nil
}

// maxModuleInstructions bounds the kernels of a module together: each has a
// copy of the functions that it calls.
const maxModuleInstructions = 1 << 22

// placeVariables allocates all variables first, since initialisers may refer
// to later ones, then fills them in.
func (m *Module) placeVariables() error {
	var placed []*memory.Allocation
	var variables []*ptx.Variable
	for _, v := range m.source.Variables {
		h, align := &m.device.Global, max(uint64(v.Align), memory.AllocationAlign)
		switch v.Space {
		case ptx.SpaceGlobal:
		case ptx.SpaceConst:
			h, align = &m.device.Constant, max(uint64(v.Align), 1)
		default:
			continue // shared variables belong to thread blocks
		}
		if v.Extern {
			return fmt.Errorf("%s: .extern .%s %s is defined in no other module; define it in this one", v.Position, v.Space, v.Name)
		}
		a, err := h.Allocate(v.Name, v.Bytes, align)
		if err != nil {
			return fmt.Errorf("%s: %w", v.Position, err)
		}
		a.ReadOnly = v.Space == ptx.SpaceConst
		m.addresses[v] = a.Base
		placed, variables = append(placed, a), append(variables, v)
	}
	for i, v := range variables {
		copy(placed[i].Data, v.Initial)
		if err := m.relocate(v, placed[i].Data); err != nil {
			return err
		}
	}
	return nil
}

// relocate stores the addresses in a variable's initialiser (5.4.4).
func (m *Module) relocate(v *ptx.Variable, data []byte) error {
	for i := range v.Relocations {
		r := &v.Relocations[i]
		if r.Function != nil {
			r.Store(data[r.Offset:], coexecution.FunctionAddress(r.Function)+uint64(r.Addend), m.source.AddressSize)
			continue
		}
		address, ok := m.addresses[r.Symbol]
		if !ok {
			return fmt.Errorf("%s: the initialiser of %s takes the address of %s, which has none in memory", v.Position, v.Name, r.Symbol.Name)
		}
		if !r.Generic {
			address = memory.SpaceRelative(r.Symbol.Space, address)
		}
		r.Store(data[r.Offset:], address+uint64(r.Addend), m.source.AddressSize)
	}
	return nil
}

// ConstantParams says which of the kernel's parameters are pointers to constant
// memory.
func (k *LoadedKernel) ConstantParams() []bool { return k.contaminated.ConstantParams() }

// BindTexture makes a .texref variable of the module stand for a texture, or a
// .surfref variable for its memory.
func (m *Module) BindTexture(name string, handle uint64) error {
	for _, v := range m.source.Variables {
		if v.Space == ptx.SpaceTexture && v.Name == name {
			if m.device.Texture(handle) == nil {
				return fmt.Errorf("%d is no texture of this device", handle)
			}
			m.addresses[v] = handle
			return nil
		}
	}
	return fmt.Errorf("%s has no .texref or .surfref variable %q", m.source.File, name)
}

func (m *Module) loadKernel(k *ptx.Kernel) (*LoadedKernel, error) {
	c, err := contaminator.Contaminate(k)
	if err != nil {
		return nil, err
	}
	p, err := m.device.options.Coexecutor.Load(c)
	if err != nil {
		return nil, err
	}
	return &LoadedKernel{module: m, contaminated: c, program: p, paramBytes: paramSpace(k), outer: outerJoins(c.Segments), tails: tailsOf(c.Segments), waits: c.WaitingSegments()}, nil
}

// paramSpace is the size of a kernel's packed parameters in bytes.
func paramSpace(k *ptx.Kernel) uint32 {
	var end uint32
	for _, p := range k.Params {
		end = max(end, p.Offset+p.Bytes)
	}
	return end
}

// Kernel finds a kernel by name; the error lists those that there are.
func (m *Module) Kernel(name string) (*LoadedKernel, error) {
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	if err := m.refused[name]; err != nil {
		return nil, err
	}
	names := make([]string, 0, len(m.kernels))
	for n := range m.kernels {
		names = append(names, n)
	}
	sort.Strings(names)
	return nil, fmt.Errorf("%s has no kernel %q; it has %s", m.source.File, name, strings.Join(names, ", "))
}

// Symbol gives address and size in bytes of a .global or .const variable of
// the module, for Device.Write and Device.Read.
func (m *Module) Symbol(name string) (address, bytes uint64, err error) {
	for _, v := range m.source.Variables {
		if a, ok := m.addresses[v]; ok && v.Name == name && v.Space != ptx.SpaceTexture {
			return a, v.Bytes, nil
		}
	}
	return 0, 0, fmt.Errorf("%s has no .global or .const variable %q", m.source.File, name)
}

// Static is the kernel's static part of a trace.
func (k *LoadedKernel) Static() *trace.Kernel { return k.contaminated.Static }

// Params are the kernel's parameters, in order.
func (k *LoadedKernel) Params() []*ptx.Param { return k.contaminated.PTX.Params }

// ParamBytes is the size of the packed parameter space that a launch's
// arguments must have.
func (k *LoadedKernel) ParamBytes() uint32 { return k.paramBytes }

// Addresses gives the addresses of the module's .global and .const variables, by name.
func (k *LoadedKernel) Addresses() map[string]uint64 {
	named := map[string]uint64{}
	for v, address := range k.module.addresses {
		if v.Space == ptx.SpaceGlobal || v.Space == ptx.SpaceConst {
			named[v.Name] = address
		}
	}
	return named
}

// PTX is the kernel as it was parsed.
func (k *LoadedKernel) PTX() *ptx.Kernel { return k.contaminated.PTX }
