// SPDX-License-Identifier: Apache-2.0

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package pending

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file until it is closed, unless another process has. known is false where
// there are no locks.
func lock(f *os.File) (locked, known bool) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, true
		case errors.Is(err, syscall.EINTR):
			continue
		}
		return false, errors.Is(err, syscall.EWOULDBLOCK)
	}
}

// hold keeps the lock of a file beyond its Close, until release: a lock belongs to all
// descriptors that are copies of each other (flock(2)).
func hold(f *os.File) (release func()) {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {} // no other process is likely to come between Close and Rename
	}
	syscall.CloseOnExec(fd)
	return func() { syscall.Close(fd) }
}
