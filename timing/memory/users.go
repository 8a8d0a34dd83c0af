// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/seam"
)

// user is one of those that use the last-level cache of a partition besides its
// slices.
type user struct {
	to      seam.Upper
	pending levelAccess
	offered bool // pending waits to enter
	refused bool // the user waits for room
}

// The origin of a user's read: the mark, the user's number, its id.
const (
	userOrigin = uint32(1) << 31
	userShift  = 24
	// maxUsers leaves the origin of writes, all ones, apart.
	maxUsers = 1<<(31-userShift) - 1
)

// JoinLastLevel implements seam.LastLevel.
func (s *System) JoinLastLevel(n int, u seam.Upper) seam.Lower {
	p := s.partitions[n]
	if p.llc == nil || len(p.users) == maxUsers {
		panic(fmt.Sprintf("BUG: memory: partition %d has no last-level cache, or %d users of it", n, len(p.users)))
	}
	p.users = append(p.users, user{to: u})
	return &userEntry{p, len(p.users) - 1}
}

// Divert implements seam.LastLevel.
func (s *System) Divert(n int, to func(seam.Upper) seam.Lower) {
	l := s.slices[n]
	l.lower = to(&sliceEntry{l})
	l.channel = nil
}

// userEntry names a user, whose place in memory changes while users join; it
// implements seam.Lower.
type userEntry struct {
	partition *partition
	number    int
}

// Read implements seam.Lower.
func (e *userEntry) Read(now clock.Time, address uint64, bytes int, id uint32) bool {
	origin := userOrigin | uint32(e.number)<<userShift | id
	return e.offer(now, levelAccess{address: address, bytes: blockRange(address, bytes), origin: origin, kind: read})
}

// Write implements seam.Lower.
func (e *userEntry) Write(now clock.Time, address uint64, bytes int) bool {
	return e.offer(now, levelAccess{address: address, bytes: blockRange(address, bytes), origin: ^uint32(0), kind: write})
}

func blockRange(address uint64, bytes int) cache.Bytes {
	return cache.Range(int(address%cache.BlockBytes), bytes)
}

func (e *userEntry) offer(now clock.Time, a levelAccess) bool {
	u := &e.partition.users[e.number]
	if u.offered {
		u.refused = true
		return false
	}
	u.pending, u.offered = a, true
	e.partition.waiting++
	e.partition.llc.waiting++
	s := e.partition.system
	s.now = max(s.now, now)
	s.wakeLLC(e.partition)
	return true
}

// takeUser takes the access of the user whose turn it is; false when it is that of
// the slices, which come after the last user.
func (p *partition) takeUser(a *levelAccess) bool {
	n := len(p.users)
	for range n + 1 {
		i := p.turn
		if p.turn++; p.turn > n {
			p.turn = 0
		}
		if i == n {
			if p.offered {
				return false
			}
			continue
		}
		if u := &p.users[i]; u.offered {
			*a = u.pending
			u.offered = false
			p.waiting--
			p.llc.waiting--
			if u.refused {
				u.refused = false
				u.to.Room(p.system.now)
			}
			return true
		}
	}
	panic("BUG: memory: no user waits for the last-level cache")
}

// fillUser hands data to the user that asked for them.
func (p *partition) fillUser(origin uint32) {
	p.users[origin>>userShift&maxUsers].to.Filled(p.system.now, origin&(seam.UserIDs-1))
}

// sliceEntry is a slice whose misses are diverted; it implements seam.Upper.
type sliceEntry struct{ *slice }

// Filled implements seam.Upper.
func (e *sliceEntry) Filled(now clock.Time, id uint32) {
	e.fills.Push(int32(id))
	e.Room(now)
}

// Missed implements seam.Upper.
func (e *sliceEntry) Missed(id uint32) { e.distant[id] = true }

// Room implements seam.Upper.
func (e *sliceEntry) Room(now clock.Time) {
	e.system.now = max(e.system.now, now)
	e.system.wakeSlice(e.slice)
}
