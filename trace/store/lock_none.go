// SPDX-License-Identifier: Apache-2.0

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"errors"
	"os"
)

var errNoLocks = errors.New("no file locks on this system")

// lockFile says that there are no locks here; callers go without.
func lockFile(*os.File, bool, bool) error { return errNoLocks }

func wouldWait(error) bool { return false }
