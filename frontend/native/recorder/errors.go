// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// Errors of the CUDA runtime (CUDA Runtime API, "cudaError_t"), as far as the recorder
// gives them.
const (
	errInvalidValue    = 1
	errMemory          = 2
	errInvalidSymbol   = 13
	errInvalidTexture  = 18
	errUnavailable     = 46
	errInvalidFunction = 98
	errInvalidImage    = 200
	errInvalidPTX      = 218
	errNoImage         = 209
	errInvalidHandle   = 400
	errNotFound        = 500
	errIllegalAddress  = 700
	errResources       = 701
	errTimeout         = 702
	errAssert          = 710
	errMisaligned      = 716
	errLaunchFailure   = 719
	errNotSupported    = 801
	errNoCompiler      = 221
)

// cudaError is a failure that the program learns of.
type cudaError struct {
	status uint32
	sticky bool
	err    error
}

func (e *cudaError) Error() string { return e.err.Error() }
func (e *cudaError) Unwrap() error { return e.err }

func refuse(status uint32, format string, a ...any) error {
	return &cudaError{status: status, err: fmt.Errorf(format, a...)}
}

// faultStatus is the error that a kernel's fault becomes.
func faultStatus(err error) uint32 {
	var f *coexecution.Fault
	if !errors.As(err, &f) {
		return errLaunchFailure
	}
	switch f.Kind {
	case coexecution.FaultOutOfBounds, coexecution.FaultNull, coexecution.FaultUseAfterFree, coexecution.FaultReadOnly:
		return errIllegalAddress
	case coexecution.FaultMisaligned:
		return errMisaligned
	case coexecution.FaultAssert:
		return errAssert
	case coexecution.FaultBudget, coexecution.FaultEndless:
		return errTimeout
	}
	return errLaunchFailure
}
