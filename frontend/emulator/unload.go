// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"errors"
	"maps"
	"slices"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/ptx"
)

// Variables are the addresses of the module's .global and .const variables, in its order.
func (m *Module) Variables() []uint64 {
	var list []uint64
	for _, v := range m.source.Variables {
		if address, placed := m.addresses[v]; placed && v.Space != ptx.SpaceTexture {
			list = append(list, address)
		}
	}
	return list
}

// Unload gives back the memory of the module's variables, and what a native coexecutor has
// of its kernels. Neither its kernels nor its variables may be used after it.
func (m *Module) Unload() error {
	var failed []error
	for _, v := range m.source.Variables { // in this order, so that the heap is the same in each run
		address, placed := m.addresses[v]
		switch {
		case !placed:
		case v.Space == ptx.SpaceGlobal:
			failed = append(failed, m.device.Free(address))
		case v.Space == ptx.SpaceConst:
			failed = append(failed, m.device.Constant.Release(address))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.kernels)) {
		if p, ok := m.kernels[name].program.(coexecution.Unloader); ok {
			failed = append(failed, p.Unload())
		}
	}
	m.addresses, m.kernels = nil, nil
	return errors.Join(failed...)
}
