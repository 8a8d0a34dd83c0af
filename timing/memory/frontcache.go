// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/limits"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/ring"
)

// frontCache is a cache of a port with its MSHRs and miss queue. Without tags
// (no such cache) it is a miss queue only.
type frontCache struct {
	tags      *cache.Tags
	misses    *cache.MSHRs
	limit     limits.Limit // of queue and refills
	lateAfter clock.Cycle
	// reserved are registers that are no access's: a stream buffer's.
	reserved int
	// perfect says that the cache has everything.
	perfect bool
	// refills are misses of the constant cache that look into the instruction cache behind
	// it, where it is behind.
	behind bool
	target fillTarget
	// lineBytes and sectorBytes are those of the tags.
	lineBytes, sectorBytes uint64
	queue                  ring.Ring[int32] // requests that wait for the network
	refills                ring.Ring[lineAccess]
	// late holds the accesses that end some cycles after their line has come (arch.Cache,
	// FillCycles).
	late  ring.Ring[lateEnd]
	fills [1 << (cache.BlockBytes / 32)]part // what is read to fill each set of sectors
}

// lateEnd is an operation one of whose accesses ends at a cycle.
type lateEnd struct {
	at clock.Cycle
	op int32
}

// part is bytes of a line of L2, and the packets in which it answers a request for
// them: one per sector.
type part struct {
	bytes   cache.Bytes
	answers int16
}

// partOf is the part with the given bytes.
func (s *System) partOf(b cache.Bytes) part {
	return part{b, int16(s.Sectors(b))}
}

func newFrontCache(s *System, c *arch.Cache, target fillTarget) frontCache {
	f := frontCache{target: target, perfect: c.Perfect, limit: limits.New(max(c.MissQueue, 1)), queue: ring.New[int32](max(c.MissQueue, 1) + 1)}
	f.behind, f.refills = c.Behind == arch.BehindInstructions, ring.New[lineAccess](1)
	f.lateAfter, f.late = clock.Cycle(c.FillCycles), ring.New[lateEnd](16)
	if c.Bytes > 0 {
		f.tags = cache.NewTags(c)
		f.lineBytes, f.sectorBytes = uint64(c.LineBytes), uint64(c.SectorBytes)
		f.reserved = c.StreamRegisters()
		f.misses = cache.NewMSHRs(c.MSHRs+f.reserved, c.MSHRMerges)
		for sectors := range f.fills {
			f.fills[sectors] = s.partOf(f.bytes(cache.Sectors(sectors)))
		}
	}
	return f
}

// bytes is the bytes of sectors of the tags.
func (f *frontCache) bytes(sectors cache.Sectors) (b cache.Bytes) {
	for m := sectors; m != 0; m &= m - 1 {
		b = b.Or(f.tags.Bytes(bits.TrailingZeros8(uint8(m))))
	}
	return b
}

func (f *frontCache) full() bool { return f.limit.Full(f.queue.Len() + f.refills.Len()) }

// lookup is what a cache knows about the bytes of a transaction.
type lookup struct {
	line            int // -1 when absent
	needed, missing cache.Sectors
	pending         cache.Sectors // on their way, and not readable yet
}

// find looks a transaction up.
func (f *frontCache) find(line uint64, b cache.Bytes) lookup {
	l := lookup{line: f.tags.Find(line), needed: f.tags.Touched(b)}
	if l.line < 0 {
		l.missing = l.needed
		return l
	}
	l.pending = l.needed & f.tags.Pending(l.line)
	l.missing = l.needed &^ f.tags.Valid(l.line) &^ l.pending
	for m := l.missing; m != 0; m &= m - 1 {
		s := bits.TrailingZeros8(uint8(m))
		if f.tags.Readable(l.line, s, b.And(f.tags.Bytes(s))) {
			l.missing &^= 1 << s
		}
	}
	return l
}

// admits reports whether a read with that lookup can go on now: MSHRs, merges
// and the miss queue have room.
func (f *frontCache) admits(l *lookup) bool {
	if l.missing != 0 && (f.full() || f.misses.Lacks(bits.OnesCount8(uint8(l.missing)), f.reserved)) {
		return false
	}
	for m := l.pending; m != 0; m &= m - 1 {
		if !f.misses.CanMerge(f.tags.MSHR(l.line, bits.TrailingZeros8(uint8(m)))) {
			return false
		}
	}
	return true
}
