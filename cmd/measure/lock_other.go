// SPDX-License-Identifier: Apache-2.0

//go:build !linux || (!amd64 && !arm64) || static

package measure

import (
	"errors"
	"runtime"
)

// lockClocks says that this program loads no management library.
func lockClocks(int, uint32) (release func(), err error) {
	return nil, errors.New("the clock is not locked: this program for " + runtime.GOOS + "/" + runtime.GOARCH + " cannot load a management library; measure on Linux with one that go install built")
}
