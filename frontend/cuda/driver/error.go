// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"errors"
	"fmt"
)

// Error is what a call of the driver gave.
type Error struct {
	Call string // "cuModuleLoadDataEx"
	Code int32
	Name string // "CUDA_ERROR_INVALID_PTX"
	Text string // the driver's own words
	// Log is what the driver's compiler said, if it was asked.
	Log string
}

func (e *Error) Error() string {
	name := e.Name
	if name == "" {
		name = fmt.Sprintf("CUDA error %d", e.Code)
	}
	s := fmt.Sprintf("%s: %s", e.Call, name)
	if e.Text != "" {
		s += " (" + e.Text + ")"
	}
	if e.Log != "" {
		s += ":\n" + e.Log
	}
	return s
}

// Numbers of errors (cuda.h, CUresult) after which the context is lost: what kernels did,
// and the device itself.
const (
	errorIllegalAddress = 700
	errorLaunchTimeout  = 702
	errorAssert         = 710
	errorHardwareStack  = 714
	errorLaunchFailed   = 719
	errorECC            = 214
	errorDeviceLost     = 46 // CUDA_ERROR_DEVICE_UNAVAILABLE
	errorInvalidPTX     = 218
	errorUnsupportedPTX = 222
	errorInvalidImage   = 200
	errorNoBinary       = 209
	errorJITNotFound    = 221
	errorContextIsGone  = 709
)

// Lost reports whether an error ends the use of the device by this process.
func Lost(err error) bool {
	if errors.Is(err, ErrHangs) {
		return true
	}
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case errorLaunchTimeout, errorAssert, errorECC, errorDeviceLost, errorContextIsGone:
		return true
	}
	return e.Code == errorIllegalAddress || e.Code >= errorHardwareStack && e.Code <= errorLaunchFailed
}

// Hangs stands for a call that does not come back (see Device.Fail).
const Hangs = -1

// ErrHangs is behind the error of a call that does not come back in time.
var ErrHangs = errors.New("the device hangs")

// ErrNoDevice is behind the reasons why there is no GPU.
var ErrNoDevice = errors.New("there is no GPU")
