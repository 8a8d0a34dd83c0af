// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/cache"
)

// kind says what a request does.
type kind uint8

const (
	read kind = iota
	write
	atomic
	own // asks to write what is in the SM; it moves no data
)

// carries reports whether the request brings data.
func (k kind) carries() bool { return k == write || k == atomic }

// request is one packet from a port to a slice, until its last answer is back.
// The slice answers sector by sector, as GPGPU-Sim's sectored L2 does.
type request struct {
	address uint64 // of the line, inside the slice
	bytes   cache.Bytes
	sent    clock.Cycle
	op      int32 // the operation that waits; none for a fill of a cache
	line    int32 // fill: index in the tags
	slice   uint16
	sm      uint16
	more    cache.Sectors // of L2 that a write takes besides those of its bytes
	answers int16         // outstanding; zero until the slice has seen it
	kind    kind
	fill    fillTarget
	misses  uint8         // sectors that were not in L2
	merges  uint8         // sectors that were on their way to L2
	far     bool          // one came from DRAM below a last-level cache
	cause   uint32        // the instruction that caused it, or seam.NoInstruction
	sectors cache.Sectors // fill: of the cache, to fill
}

// fillTarget names the cache of a port that a read fills.
type fillTarget uint8

const (
	fillNone fillTarget = iota // the answer goes to the operation
	fillData
	fillConstant
	fillInstruction
	fillTexture
	fillTold       // the L1 that has a prefetcher, for a load
	fillPrefetched // and for the prefetcher
	fillStream     // the instruction cache, for its stream buffer
)
