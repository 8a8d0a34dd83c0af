// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/memory/cache"
)

// tagsOf makes the tags of a level. A level without a cache has those of one line, and
// uses their geometry only.
func tagsOf(c *arch.Cache) (tags *cache.Tags, through bool) {
	if c.Bytes > 0 {
		return cache.NewTags(c), false
	}
	one := arch.Cache{Bytes: c.LineBytes, Ways: 1, LineBytes: c.LineBytes, SectorBytes: c.SectorBytes}
	return cache.NewTags(&one), true
}

// pass sends a sector of an access to the level below as it is: no two accesses
// share what comes back. False when it has to wait.
func (l *level) pass(a *levelAccess, line uint64, sector int) bool {
	if l.limit.Full(l.queue.Len()) || a.kind != write && l.misses.Lacks(1, 0) {
		return false
	}
	m := levelMiss{address: line, mshr: none, sectors: 1 << sector}
	if a.kind == write {
		l.counts.add(l.counts.write)
		l.counts.add(l.counts.writeMiss)
		l.reply(a.origin, line, sector, false)
	} else {
		m.mshr = int32(l.misses.TakeFor(0, sector, a.origin))
		l.countRead(a, l.counts.readMiss)
	}
	l.queue.Push(m)
	return true
}
