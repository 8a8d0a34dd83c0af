// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math/bits"

	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/consistency"
)

// grains of a line. A tinyCache knows of each whether it is there and whether it is written.
const (
	lineBytes = 64
	grains    = lineBytes / consistency.Grain
)

// values are the versions of a line's grains; nil without a checker.
type values *[grains]consistency.Version

// line is a place of a cache.
type line struct {
	address uint64 // noLine: free
	used    uint64
	state   coherence.State // of an L1's line; Modified: it has to be written back
	locked  bool            // it waits for the right to be written, and stays
	valid   uint32          // grains, of a tinyCache's line
	dirty   uint32
	values  values
}

const noLine = ^uint64(0)

// cache is a set-associative cache of whole lines, LRU.
type cache struct {
	lines []line
	ways  int
	mask  uint64
	clock uint64
}

func newCache(lines, ways int) cache {
	c := cache{lines: make([]line, lines), ways: ways, mask: uint64(lines/ways - 1)}
	for i := range c.lines {
		c.lines[i].address = noLine
	}
	return c
}

// set is where a line may be. Lines are 64 bytes long.
func (c *cache) set(address uint64) []line {
	first := int(address>>uint(bits.TrailingZeros(lineBytes))&c.mask) * c.ways
	return c.lines[first : first+c.ways]
}

// find is the place of a line, nil without one; it becomes the youngest.
func (c *cache) find(address uint64) *line {
	set := c.set(address)
	for i := range set {
		if set[i].address == address {
			c.clock++
			set[i].used = c.clock
			return &set[i]
		}
	}
	return nil
}

// victim is the place for a new line: a free one, or the least recently used that is not
// locked; nil when all are.
func (c *cache) victim(address uint64) *line {
	set := c.set(address)
	var best *line
	for i := range set {
		x := &set[i]
		if x.address == noLine {
			return x
		}
		if !x.locked && (best == nil || x.used < best.used) {
			best = x
		}
	}
	return best
}

// put makes a place hold a line without any of its grains.
func (c *cache) put(x *line, address uint64) {
	c.clock++
	*x = line{address: address, used: c.clock, values: x.values}
}

func (x *line) drop() {
	x.address, x.state, x.locked, x.valid, x.dirty = noLine, coherence.Invalid, false, 0, 0
}

// grain is that of an address in its line.
func grain(address uint64) int { return int(address % lineBytes / consistency.Grain) }
