// SPDX-License-Identifier: Apache-2.0

package emulated

import (
	"io"
	"time"
)

// Options say what the device is like.
type Options struct {
	// Say takes what the device complains of.
	Say io.Writer
	// MaxInstructions bounds each launch; zero means no limit.
	MaxInstructions uint64
	// Timeout is that of driver.Open.
	Timeout time.Duration
	// Turn is how many basic blocks a warp executes before the next one has its turn; zero
	// lets it go on until it waits.
	Turn int
}
