// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package addresses

// Restore has nothing to do here.
func Restore() {}

// Left is not known here.
func Left() (bytes uint64, ok bool) { return 0, false }
