// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64) && !static

package measure

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// lockClocks keeps the clock of the SMs where it is told, by the management library; it
// needs the right to, which is root's on most machines. release puts it back.
func lockClocks(ordinal int, megahertz uint32) (release func(), err error) {
	handle, err := purego.Dlopen("libnvidia-ml.so.1", purego.RTLD_NOW)
	if err != nil {
		return nil, fmt.Errorf("the clock is not locked: no management library is here: %w", err)
	}
	var (
		start  func() int32
		device func(index uint32, device *uintptr) int32
		lock   func(device uintptr, least, most uint32) int32
		reset  func(device uintptr) int32
	)
	for name, function := range map[string]any{
		"nvmlInit_v2": &start, "nvmlDeviceGetHandleByIndex_v2": &device, "nvmlDeviceSetGpuLockedClocks": &lock, "nvmlDeviceResetGpuLockedClocks": &reset,
	} {
		symbol, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("the clock is not locked: the management library has no %s", name)
		}
		purego.RegisterFunc(function, symbol)
	}
	var of uintptr
	for _, call := range []func() int32{start, func() int32 { return device(uint32(ordinal), &of) }, func() int32 { return lock(of, megahertz, megahertz) }} {
		if code := call(); code != 0 {
			return nil, fmt.Errorf("the clock is not locked: the management library says error %d (4: not permitted)", code)
		}
	}
	return func() { reset(of) }, nil
}
