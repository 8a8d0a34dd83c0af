package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/ring"
)

// frontCache is a cache of a port with its MSHRs and miss queue. Without tags
// (no such cache) it is a miss queue only.
type frontCache struct {
	tags   *cache.Tags
	misses *cache.Registers
	queue  ring.Ring[int32] // requests that wait for the network
	limit  int              // of queue
	target fillTarget
}

func newFrontCache(c *arch.Cache, target fillTarget) frontCache {
	f := frontCache{target: target, limit: max(c.MissQueue, 1), queue: ring.New[int32](max(c.MissQueue, 1) + 1)}
	if c.Bytes > 0 {
		f.tags = cache.NewTags(c)
		f.misses = cache.NewRegisters(c.MSHRs, c.MSHRMerges)
	}
	return f
}

func (f *frontCache) full() bool { return f.queue.Len() >= f.limit }

// lookup is what a cache knows about the bytes of a transaction.
type lookup struct {
	line            int // -1 when absent
	needed, missing cache.Sectors
	pending         cache.Sectors // on their way, and not readable yet
}

// absent is the lookup of a transaction whose line is not there.
func (f *frontCache) absent(b cache.Bytes) lookup {
	needed := f.tags.Touched(b)
	return lookup{line: -1, needed: needed, missing: needed}
}

// find looks a transaction up.
func (f *frontCache) find(line uint64, b cache.Bytes) lookup {
	i := f.tags.Find(line)
	if i < 0 {
		return f.absent(b)
	}
	l := lookup{line: i, needed: f.tags.Touched(b)}
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
	if l.missing != 0 && (f.full() || f.misses.Free() < bits.OnesCount8(uint8(l.missing))) {
		return false
	}
	for m := l.pending; m != 0; m &= m - 1 {
		if !f.misses.CanMerge(f.tags.Register(l.line, bits.TrailingZeros8(uint8(m)))) {
			return false
		}
	}
	return true
}
