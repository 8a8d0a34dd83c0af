//go:build !unix

package command

import "time"

var processStart = time.Now()

// processorSeconds is the time since the start of the process, where the system
// does not tell how much of it the process has used.
func processorSeconds() float64 { return time.Since(processStart).Seconds() }
