// SPDX-License-Identifier: Apache-2.0

//go:build !linux || (!amd64 && !arm64) || static

package emulated

import (
	"errors"

	"github.com/warptape/warptape/frontend/cuda/driver"
)

// Device is a driver's device, and what answers it.
type Device struct{ *driver.Device }

// Open says that the system has no such device.
func Open(Options) (*Device, error) {
	return nil, errors.New("the emulated CUDA device needs Linux on amd64 or arm64, and a program that go install built (a static one loads no libraries)")
}

// Close ends the device.
func (d *Device) Close() {}
