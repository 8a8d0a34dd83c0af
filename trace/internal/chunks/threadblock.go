// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"fmt"

	"github.com/warptape/warptape/trace/internal/lanecode"
)

// ThreadBlock buffers one thread block while it executes: warps interleave, so
// each has its own columns. The memory is reused from block to block.
type ThreadBlock struct {
	Warps []WarpRecord
	lanes lanecode.PatternPool
	// Most is the memory that the thread block may take decoded; zero means
	// LargestBytes.
	Most   int64
	visits int
	guards int
	memory int // accesses
	sets   int // of explicit lanes
}

// WarpRecord holds one warp's columns in execution order.
type WarpRecord struct {
	Blocks, masks, guards []uint32
	accesses              []lanecode.Access
}

// Begin empties the record for a thread block of n warps.
func (b *ThreadBlock) Begin(n int) {
	for len(b.Warps) < n {
		b.Warps = append(b.Warps, WarpRecord{})
	}
	for i := range b.Warps[:n] {
		r := &b.Warps[i]
		r.Blocks, r.masks, r.guards, r.accesses = r.Blocks[:0], r.masks[:0], r.guards[:0], r.accesses[:0]
	}
	b.lanes.Begin()
	b.visits, b.guards, b.memory, b.sets = 0, 0, 0, 0
}

// TooLarge reports whether the thread block exceeds what a chunk may hold. What is
// recorded past that and one more visit is dropped, so that a thread block that never
// ends does not eat the memory.
func (b *ThreadBlock) TooLarge() bool {
	return size(b.visits, b.guards, b.memory, b.sets) > b.most()
}

func (b *ThreadBlock) most() int64 {
	if b.Most > 0 {
		return b.Most
	}
	return LargestBytes
}

// Alone reports whether the thread block must have a chunk to itself.
func (b *ThreadBlock) Alone() bool {
	return b.visits > maxSharedVisits || b.guards > maxSharedVisits || b.memory > maxSharedAccesses || b.sets > maxSharedLaneSets
}

// Visits is the number of visits that are recorded.
func (b *ThreadBlock) Visits() int { return b.visits }

// overflows reports whether the thread block takes no more accesses, or guards.
func (b *ThreadBlock) overflows() bool {
	return size(0, 0, b.memory, b.sets) > b.most()+maxVisitAccesses*(accessBytes+laneSetBytes)
}

// ErrTooLarge says that the thread block exceeds what a chunk may hold.
func (b *ThreadBlock) ErrTooLarge() error {
	return fmt.Errorf("one thread block of %d basic-block visits, %d guards, %d memory instructions and %d irregular ones takes more than %d MiB in a replay",
		b.visits, b.guards, b.memory, b.sets, b.most()>>20)
}

// Visit records that a warp executes a basic block.
func (b *ThreadBlock) Visit(warp int, block, mask uint32) {
	if b.TooLarge() {
		return
	}
	b.visits++
	r := &b.Warps[warp]
	r.Blocks = append(r.Blocks, block)
	r.masks = append(r.masks, mask)
}

// Guard records the guard mask of one execution of a guarded instruction.
func (b *ThreadBlock) Guard(warp int, mask uint32) {
	if guardBytes*int64(b.guards) > b.most()+maxVisitAccesses*guardBytes {
		return
	}
	b.guards++
	r := &b.Warps[warp]
	r.guards = append(r.guards, mask)
}

// Access records the addresses of one execution of a memory instruction.
func (b *ThreadBlock) Access(warp int, mask uint32, addresses *[lanecode.WarpLanes]uint64) {
	if mask == 0 {
		b.AccessStrided(warp, 0, 0, 0)
		return
	}
	if base, stride, ok := lanecode.DetectStride(mask, addresses); ok {
		b.AccessStrided(warp, mask, base, int64(stride))
		return
	}
	if b.overflows() {
		return
	}
	b.memory++
	r := &b.Warps[warp]
	base, pattern := b.lanes.Add(mask, addresses)
	b.sets++
	r.accesses = append(r.accesses, lanecode.Access{Base: base, Lanes: pattern, Mask: mask})
}

// AccessStrided is access where lane i of the mask is at base + i*stride.
func (b *ThreadBlock) AccessStrided(warp int, mask uint32, base uint64, stride int64) {
	if int64(int32(stride)) != stride {
		var addresses [lanecode.WarpLanes]uint64
		for lane := range addresses {
			addresses[lane] = base + uint64(int64(lane)*stride)
		}
		b.Access(warp, mask, &addresses)
		return
	}
	if b.overflows() {
		return
	}
	b.memory++
	r := &b.Warps[warp]
	r.accesses = append(r.accesses, lanecode.Access{Base: base, Stride: int32(stride), Lanes: -1, Mask: mask})
}

// Epoch counts how many times patterns were numbered anew.
func (b *ThreadBlock) Epoch() uint64 { return b.lanes.Epoch }

// Number gives a pattern its number in this epoch.
func (b *ThreadBlock) Number(mask uint32, offsets *[lanecode.WarpLanes]uint64) int32 {
	return b.lanes.AddPattern(mask, offsets)
}

// HasRoom reports whether the thread block may have another irregular access.
func (b *ThreadBlock) HasRoom() bool {
	return !b.overflows()
}

// AccessPattern records lanes that lie in a pattern of this epoch.
func (b *ThreadBlock) AccessPattern(warp int, mask uint32, base uint64, number int32) {
	b.memory++
	b.sets++
	r := &b.Warps[warp]
	r.accesses = append(r.accesses, lanecode.Access{Base: base, Lanes: number, Mask: mask})
}

// Exchange gives the patterns to the chunk that they are complete for.
func (b *ThreadBlock) Exchange(c *Raw) { b.lanes.Exchange(&c.lanes) }

// Split copies the patterns that there were before this thread block to the chunk of the
// thread blocks before it. This one keeps them as well, since its accesses may have them.
func (b *ThreadBlock) Split(c *Raw) { b.lanes.CopyEarlier(&c.lanes) }

// Release gives the memory of a thread block that was large back.
func (b *ThreadBlock) Release() { b.Warps = nil }

// Drop forgets the patterns of a thread block that no chunk has.
func (b *ThreadBlock) Drop() { b.lanes.Drop() }
