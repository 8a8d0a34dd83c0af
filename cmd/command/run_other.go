// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package command

import (
	"context"
	"errors"

	"github.com/warptape/warptape/frontend/native/recorder"
)

// launchProgram says that programs run on Linux only.
func launchProgram(context.Context, *programStart, recorder.Options) (int, recorder.Result, error) {
	return 0, recorder.Result{}, errors.New("warptape run needs Linux, for the memory that a program shares with its device; record a host program (warptape record) here")
}

func openclFolder() (string, error) { return "", errors.New("programs in OpenCL run on Linux only") }
