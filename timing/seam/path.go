// SPDX-License-Identifier: Apache-2.0

package seam

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/limits"
	"github.com/warptape/warptape/timing/memory/block"
)

// Path is a memory path: a system, and what it can do beyond [MemorySystem]. A nil
// field is an ability that the path lacks. A mechanism between SMs and
// a path copies the value by In, replaces the abilities that it changes, and sets to nil
// those that it hides. It leaves the others alone: they go on to what lies behind, so
// that no mechanism has to hand on what it does not change.
//
// An ability that a mechanism cannot do without is among its needs (arch.Need), and the
// machine is refused when it is missing. One that serves the user's curiosity (Links,
// Watchable) may be nil, and then shows nothing.
type Path struct {
	MemorySystem
	// Preloader hears what the host copies. Only what keeps copied data changes it.
	Preloader Preloader
	// Links and Watchable show networks and queues.
	Links     LinkReporter
	Watchable Watchable
	// Lookahead lets the parts of a machine run apart. In takes it away; what acts between an
	// SM and the path, and for that SM alone, gives it back.
	Lookahead Lookahead
	// LastLevel and L2Cleaner let others use the last-level cache, stand behind the
	// L2, and empty it. What keeps no lines behind the SMs leaves them alone.
	LastLevel LastLevel
	L2Cleaner L2Cleaner
	// Offloaders takes units at the ends of the networks. It may have one offloader.
	Offloaders OffloadHost
	// HostSteps executes steps of the host; nil: the replay gives them their time.
	HostSteps HostSteps
	// LaunchEnder ends launches; nil: they end with their last thread block.
	LaunchEnder LaunchEnder
	// Entered are told the finished entry of each SM, as the SM uses it, before the first cycle. A
	// mechanism that recalls lines asks there, so that no level in front is missed.
	Entered []func(sm int, front Entry)
	// Certifier says to which limits the system has come; nil: nothing knows.
	Certifier Certifier

	owners uint32
}

// Certifier is a system that knows to which of its machine's limits it has come.
type Certifier interface {
	Certify(c *limits.Certificate)
}

// In is the path with a system in front of it.
func (p Path) In(front MemorySystem) Path {
	p.MemorySystem, p.Lookahead = front, nil
	p.Entered = p.Entered[:len(p.Entered):len(p.Entered)]
	return p
}

// Entry is an SM's way into a memory path: a port, and what it can do beyond [Port],
// as for [Path]. What stands in front copies the value by Behind, or by BehindKeeper
// when it keeps lines.
type Entry struct {
	Port
	// FiltersLanes says that the port keeps accesses of lanes from what lies behind. It
	// counts those that go on by what they reach (shared_lane_reads and the like), which
	// the SM does for other ports.
	FiltersLanes bool
	// ByLanes, when not nil, has the port take several accesses in a cycle from then on, of
	// lanes that differ: each lane has its own way in. The caller sees to it that they do.
	ByLanes func()
	// ByInstruction counts by instruction; nil: the port's part is missing from such counts.
	ByInstruction InstructionCounter
	// Early and Locks are of the cache that keeps lines of global memory for the SM.
	Early EarlyReader
	Locks LineLocker
	// Cleaner empties all that keeps lines, the frontmost first.
	Cleaner Cleaner
	// Offloader is for an offloader's unit at the SM.
	Offloader OffloadPort
}

// Behind is the entry with a port in front that keeps no lines.
func (e Entry) Behind(front Port) Entry {
	e.Port, e.ByLanes = front, nil
	return e
}

// Keeper is a Port that keeps lines of global memory, or words of them, in front of
// what else does. A recall of lines from an SM has to reach it.
type Keeper interface {
	Port
	// Clean begins to hand on what is modified of the lines, and to drop them; when the
	// port behind has taken that it lets behind clean in the same way.
	Clean(now clock.Cycle, l Lines, to PortCleaned, id uint32, behind Cleaner)
	// Keeps reports whether a load would find one of its lines, or wait for it.
	Keeps(a *MemoryAccess) bool
	// Withdraw hands on what is modified of the lines of an access, and drops them: it
	// is performed elsewhere.
	Withdraw(now clock.Cycle, a *MemoryAccess)
}

// BehindKeeper is the entry with a port in front that keeps lines: recalls and
// look-ups go through it.
func (e Entry) BehindKeeper(front Keeper) Entry {
	e.Port, e.ByLanes = front, nil
	if e.Cleaner != nil {
		e.Cleaner = keptCleaner{e.Cleaner, front}
	}
	if e.Offloader != nil {
		e.Offloader = keptOffloader{e.Offloader, front}
	}
	return e
}

// keptCleaner cleans a keeper first. Probes are between data caches that are kept
// coherent. No keeper stands in front of those: probes bypass it.
type keptCleaner struct {
	Cleaner
	keeper Keeper
}

// Clean implements Cleaner.
func (c keptCleaner) Clean(now clock.Cycle, l Lines, to PortCleaned, id uint32) {
	c.keeper.Clean(now, l, to, id, c.Cleaner)
}

// keptOffloader looks a keeper up first.
type keptOffloader struct {
	OffloadPort
	keeper Keeper
}

// Lookup implements OffloadPort.
func (g keptOffloader) Lookup(a *MemoryAccess, out []block.Transaction) (list []block.Transaction, cached bool) {
	list, cached = g.OffloadPort.Lookup(a, out)
	return list, cached || g.keeper.Keeps(a)
}

// Withdraw implements OffloadPort.
func (g keptOffloader) Withdraw(now clock.Cycle, a *MemoryAccess) {
	g.keeper.Withdraw(now, a)
	g.OffloadPort.Withdraw(now, a)
}

// TokenOwner tells the tokens of one mechanism in front of a path from those of
// others: the SM's are small, and each mechanism has a number of its own.
type TokenOwner uint32

// ownerShift leaves 28 bits to a token's number; owner 15 has NoToken.
const (
	ownerShift = 28
	maxOwners  = 14
)

// Tokens gives a mechanism in front of the path an owner's number.
func (p *Path) Tokens() TokenOwner {
	if p.owners == maxOwners {
		panic("BUG: seam: more parts of a memory path make accesses of their own than tokens can tell apart")
	}
	p.owners++
	return TokenOwner(p.owners << ownerShift)
}

// Token is the owner's token with a number, below 1<<28.
func (o TokenOwner) Token(n uint32) uint32 { return uint32(o) | n }

// Number takes the number out of a token; false when it is another's.
func (o TokenOwner) Number(token uint32) (n uint32, ok bool) {
	const mask = uint32(1)<<ownerShift - 1
	return token & mask, token&^mask == uint32(o)
}
