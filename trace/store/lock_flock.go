// SPDX-License-Identifier: Apache-2.0

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"os"
	"syscall"
)

// lockFile locks an open file until it is closed. An error means that another holds
// it (when it may not wait), or that there are no locks here.
func lockFile(f *os.File, exclusive, wait bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			return err
		}
	}
}

// wouldWait reports whether an error of lockFile means that another holds the lock.
func wouldWait(err error) bool { return err == syscall.EWOULDBLOCK }
