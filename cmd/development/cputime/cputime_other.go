// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package cputime

import "time"

var processStart = time.Now()

// Used is the time since the start of the process, where the system
// does not tell how much of it the process has used.
func Used() time.Duration { return time.Since(processStart) }
