// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package cputime measures processor time.
package cputime

import "syscall"

// Seconds is the processor time that this process has used so far.
func Seconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
}
