// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package cputime measures processor time.
package cputime

import (
	"syscall"
	"time"
)

// Used is the processor time that this process has used so far, its system calls included.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
