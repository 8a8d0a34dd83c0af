// SPDX-License-Identifier: Apache-2.0

package seam

import "github.com/warptape/warptape/timing/clock"

// Lower takes what a level above misses and writes back. Calls are at the time of
// an event, in its order.
type Lower interface {
	// Read asks for bytes inside one block of 128 bytes; false when it has to wait,
	// and then Upper.Room follows. Upper.Filled follows once with the id.
	Read(now clock.Time, address uint64, bytes int, id uint32) bool
	// Write takes bytes inside one block of 128 bytes; false when it has to wait, and
	// then Upper.Room follows.
	Write(now clock.Time, address uint64, bytes int) bool
}

// Upper is what asks a Lower.
type Upper interface {
	// Filled tells that the data of a read are there.
	Filled(now clock.Time, id uint32)
	// Missed tells, before Filled, that a read has to wait for DRAM.
	Missed(id uint32)
	// Room tells that what was refused may be tried again.
	Room(now clock.Time)
}

// UserIDs is the number of ids that an Upper of a last-level cache may use.
const UserIDs = 1 << 24

// LastLevel is of a path with a last-level cache that has users besides the L2 slices:
// the cores of a CPU, or what translates addresses in between.
type LastLevel interface {
	// JoinLastLevel adds a user of the last-level cache of a partition. Users take
	// turns. Called when the machine is built.
	JoinLastLevel(partition int, u Upper) Lower
	// Divert gives what an L2 slice misses and writes back to another Lower: to is
	// called once with the slice, when the machine is built.
	Divert(slice int, to func(Upper) Lower)
}

// Lines are the lines of a cache whose address, of the bits in Mask, is in First
// to Last.
type Lines struct{ Mask, First, Last uint64 }

// Holds reports whether a line is among them.
func (l *Lines) Holds(line uint64) bool { return line&l.Mask >= l.First && line&l.Mask <= l.Last }

// AllLines is every line, NoLines none.
var AllLines, NoLines = Lines{}, Lines{First: 1}

// L2Cleaner is of a path whose L2 can be made to write lines back.
type L2Cleaner interface {
	// CleanL2 begins to write back what is dirty of the lines in every slice, and to
	// drop them, behind what was begun before. Each slice tells to, with the id, when
	// the level below has taken everything of it.
	CleanL2(now clock.Time, l Lines, to L2Cleaned, id uint32)
}

// L2Cleaned is told of the ends of CleanL2.
type L2Cleaned interface {
	CleanedL2(now clock.Time, id uint32)
}

// Cleaner is of an entry whose data cache can be made to write lines back. What keeps
// lines in front of it takes part: see Keeper.
type Cleaner interface {
	// Clean begins to write back what is dirty of the lines, and to drop them, behind
	// what was begun before. With AllLines it waits for the accesses that have been
	// issued, and Ready is false until all is sent. to is told the id when the L2 has
	// answered.
	Clean(now clock.Cycle, l Lines, to PortCleaned, id uint32)
	// Listen lets a directory know what lines the data cache has, which must be a
	// write-back one that allocates on writes.
	Listen(d LineDirectory)
	// Probe takes a line from the data cache, or its modified bytes with keep, because
	// another asks for it. Modified bytes are written back. It takes effect at once.
	Probe(now clock.Cycle, line uint64, keep bool) (had, dirty bool)
	// TagRequests puts bits into the addresses that the SM's data, constant and
	// texture caches send, and takes those of before out. What follows from one
	// kernel is another line in the L2 than from another.
	TagRequests(bits uint64)
}

// PortCleaned is told of the ends of Cleaner.Clean.
type PortCleaned interface {
	Cleaned(now clock.Cycle, id uint32)
}

// LineDirectory is told of the lines of the data caches of SMs, and keeps them
// coherent. Addresses are as the SM knows them, without bits of TagRequests.
type LineDirectory interface {
	// Owns reports whether an SM may write a line without asking.
	Owns(sm int, line uint64) bool
	// Own tells that an SM asks to write a line; it sends a request that moves no data.
	Own(now clock.Cycle, sm int, line uint64)
	// Share tells that an SM fetches a line to read.
	Share(now clock.Cycle, sm int, line uint64)
	// Left tells that an SM has dropped a line.
	Left(sm int, line uint64)
}

// TagShift is the first of the bits of TagRequests, TagMask all of them.
const (
	TagShift = 50
	TagMask  = uint64(0x3ff) << TagShift
)
