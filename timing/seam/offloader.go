// SPDX-License-Identifier: Apache-2.0

package seam

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/block"
)

// Offloader is a mechanism with units of its own at the ends of the networks, whose
// messages travel among those of the memory path and whose accesses L2 serves.
// Messages and accesses are named by numbers of the offloader's, below 1<<23.
type Offloader interface {
	// AtSlice takes a message that has come to a slice with the request network; the
	// offloader may let L2 serve it by Access.
	AtSlice(at clock.Time, slice int, id uint32)
	// AtSM takes a message that has come to an SM with the reply network.
	AtSM(now clock.Cycle, sm int, id uint32)
	// Arrived tells that a message has come to an end where only offloaders send to. Such
	// an end is an SM's of the request network, a slice's of the reply network, a router's
	// of either. It waits there until Take.
	Arrived(end End, reply bool)
	// Served tells that a slice has read or written a sector of an access; false to
	// be asked again.
	Served(at clock.Time, slice int, id uint32) bool
	// Replies says whether Served sends a message for an access, for the latency of
	// requests.
	Replies(slice int, id uint32) bool
}

// End is an end of the networks: an SM by its number, a slice behind them, or a router behind
// both.
type End uint16

// Peers says which ends an offloader's messages travel between.
type Peers uint8

// The kinds of them.
const (
	NoPeers     Peers = iota // from SMs to slices, and back
	EndPeers                 // every end of a mesh can send to every other
	RouterPeers              // routers of a butterfly are ends, too, of what they are on the way of
)

// Order is when an access of a unit next to a slice comes to the slice's tags.
type Order uint8

// The orders.
const (
	InTurn    Order = iota // it and accesses from the network take turns
	ByArrival              // when those have been served that came before it
	First                  // before accesses from the network
)

// OffloadHost is what a memory path has room for an offloader by. The offloader decides what it
// sends and what L2 serves for it; it may not touch messages of others.
type OffloadHost interface {
	// Invite gives an offloader its place, before anything is under way, and says which
	// ends it has besides SMs that send requests and slices that answer.
	Invite(g Offloader, peers Peers) error
	// Slice is the end of an L2 slice, Router that of a router, for RouterPeers.
	Slice(slice int) End
	Router(router int) End
	// Locate gives the slice of a line and its address there.
	Locate(line uint64) (slice int, inside uint64)
	// Sectors is the number of sectors of L2 that bytes of a line touch: as many times
	// is an access to them served.
	Sectors(b block.Bytes) int
	// Flits is the number of flits of a message with payload bytes behind a header,
	// SectorFlits that of an answer with a sector of L2, WriteFlits of a write.
	Flits(payload int) uint16
	SectorFlits() uint16
	WriteFlits(b block.Bytes) uint16
	// SendRequest puts a message into the request network at a time, SendReply into
	// that of replies; false when there is no place.
	SendRequest(at clock.Time, from, to End, id uint32, flits uint16) bool
	SendReply(at clock.Time, from, to End, id uint32, flits uint16) bool
	// Take gives the message that waits at an end that Arrived has named; false when
	// there is none. keep leaves it there.
	Take(at clock.Time, end End, reply, keep bool) (id uint32, ok bool)
	// Access hands an access to a slice, which serves accesses of the same order as they come.
	// For one whose answer leaves with the network only First differs from the others.
	Access(at clock.Time, slice int, inside uint64, b block.Bytes, store bool, order Order, id uint32)
	// Accepted tells that the offloader has taken a message at a slice to answer it later,
	// Answered that the answer waits for the network, Sent that it has been sent.
	Accepted(at clock.Time, slice int)
	Answered(at clock.Time, slice int)
	Sent(at clock.Time, slice int)
}

// OffloadPort is what an offloader's unit at an SM asks of the SM's entry.
type OffloadPort interface {
	// Lookup gives the transactions of an access to global memory, and whether what
	// keeps lines for the SM has one of them, or waits for it. It changes nothing.
	Lookup(a *MemoryAccess, out []block.Transaction) (list []block.Transaction, cached bool)
	// Withdraw makes what stands in front of the L1 give up the lines of an access that
	// the offloader performs.
	Withdraw(now clock.Cycle, a *MemoryAccess)
	// Addresses writes the addresses of the lanes of an access to global memory.
	Addresses(a *MemoryAccess, out *[32]uint64)
	// Forget drops lines from the L1: they are written elsewhere. A line that is on its
	// way stays.
	Forget(lines []block.Transaction)
	// Missed counts transactions that have been looked up and go another way.
	Missed(n int)
}
