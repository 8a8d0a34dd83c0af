// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/prefetch"
)

// backward asks for the lines in front of one that misses, for kernels that go through
// an array from its end.
type backward struct {
	lineBytes uint64
	degree    int
}

// Access implements prefetch.Prefetcher.
func (p backward) Access(a *prefetch.Access, lines []uint64) []uint64 {
	if a.Hit && !a.First {
		return lines
	}
	for i := range p.degree {
		lines = append(lines, a.Line-uint64(i+1)*p.lineBytes)
	}
	return lines
}

// Filled and Reset implement prefetch.Prefetcher: nothing is remembered.
func (backward) Filled(uint64, bool) {}
func (backward) Reset()              {}

// A name that is registered is a word of the keys l1.prefetcher and l2.slice.prefetcher.
func init() {
	prefetch.Register("backward", &prefetch.Policy{
		Parameters: []arch.CallParameter{{Name: "degree", Unit: "lines", Min: 1, Max: 8, Default: 1}},
		New: func(a prefetch.Arguments, lineBytes int) prefetch.Prefetcher {
			return backward{uint64(lineBytes), a["degree"]}
		},
		Source: "an example",
	})
}
