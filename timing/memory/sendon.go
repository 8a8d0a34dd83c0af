// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/memory/cache"
)

// The L2 of GPGPU-Sim 3.2 does two things for a write that misses: it sends the write on to the
// DRAM, and reads the line behind it (version 3.2.1, gpu-cache.cc, data_cache::wr_miss_wa). The
// line is clean when it has come, and a write that then hits stays in the cache. A write to a line
// that is on its way goes on as well, and waits for the same register.
//
// There the answer is the DRAM's to the write. Here it is the one to the read, which
// is behind the write in the same queue, for the same row.

// sent takes the place of an MSHR in a write that goes on.
const sent = int32(-3)

// hasWhole reports whether a write to a sector of line i hits: all of it is there.
func (l *level) hasWhole(i, sector int) bool {
	return i >= 0 && l.tags.Valid(i)>>(sector&7)&1 != 0
}

// sendOn sends a sector's write on, and lets it wait for the sector.
func (l *level) sendOn(a *levelAccess, i int, line uint64, sector int) bool {
	pending := i >= 0 && l.tags.Pending(i)>>(sector&7)&1 != 0
	if pending && !l.misses.CanMerge(l.tags.MSHR(i, sector)) || !pending && l.misses.Lacks(1, 0) || l.limit.Full(l.queue.Len()+arch.SendPlaces-1) {
		return false
	}
	outcome := l.counts.writeMiss
	if i < 0 {
		if i = l.allocate(line); i < 0 {
			return false
		}
	} else {
		if l.tags.Use(i); !pending {
			outcome = l.counts.writeHit
			l.counts.add(l.counts.writeSectorMiss)
		}
	}
	l.counts.add(l.counts.write)
	l.counts.add(outcome)
	written := l.bytes(a, sector)
	if written.Empty() { // one of a.more
		written = l.tags.Bytes(sector)
	}
	first, size := cache.Segment(written)
	l.queue.Push(levelMiss{address: line&^(cache.BlockBytes-1) + uint64(first), mshr: sent, size: uint8(size)})
	if l.late != nil {
		l.late.written(line)
	}
	l.above.missed(a.origin, pending)
	if pending {
		l.misses.Wait(l.tags.MSHR(i, sector), a.origin)
		return true
	}
	mshr := l.misses.TakeFor(i, sector, a.origin)
	l.tags.Await(i, sector, mshr)
	l.queue.Push(levelMiss{address: line, mshr: int32(mshr), sectors: 1 << (sector & 7)})
	return true
}

// sendWrite hands a write that goes on to the level below.
func (l *level) sendWrite(m *levelMiss) bool {
	if !l.below.write(m.address, int(m.size)) {
		return false
	}
	l.queue.Drop()
	return true
}
