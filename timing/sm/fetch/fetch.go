// SPDX-License-Identifier: Apache-2.0

// Package fetch is the first stages of an SM. It has the warps that want instructions,
// the line that each waits for, and the instruction buffers. Their entries can issue
// once they are decoded.
//
//	wanted ─▶ instruction cache ─▶ decode ─▶ buffered, ready to issue
//	              │ miss: awaits the line
//
// A warp is fetched for as far as its path goes on in memory; behind a change of path
// fetch begins anew, when the branch is resolved.
package fetch

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/warpset"
)

// Buffers are the instruction buffers of an SM and what fetch knows of its warps.
type Buffers struct {
	width int // instructions per fetch
	most  int // instructions in a buffer that has room for a fetch
	bytes int // of an instruction
	line  int // bytes of a line, a power of two; zero: there are no lines
	// across says that a fetch goes on beyond its line, past that what is behind a branch is
	// fetched as if it were not taken.
	across, past bool
	base         uint64
	warps        []warp
	// decoding holds the deliveries that cannot issue yet.
	decoding pipe
	// wanted holds the warps with room for a whole fetch, instructions ahead on their
	// path, and no fetch under way; awaiting those that wait for an instruction line.
	wanted, awaiting warpset.Set
	// followers are the slots of warps for which nothing is fetched: they issue what
	// was fetched for another one, here or on another SM.
	followers warpset.Set
	// inTurn says that warps take a line that has come one after the other, each in a fetch
	// of its own. asked are then those that wait, in the order in which they asked, and
	// arrived those of them whose line has come.
	inTurn         bool
	asked, arrived []uint8
	// urgent are the warps that are fetched for before all others.
	urgent warpset.Set
}

// warp is fetch's part of a warp.
type warp struct {
	next, end uint32 // the instructions still to fetch
	buffered  int16  // instructions in the buffer, also those still being decoded
	decoded   int16  // of these, ready to issue
	count     int16  // instructions to take from the line that the warp waits for
	off       reason // nothing is fetched for the warp
	awaited   uint64 // address of the line that it waits for
	// short says that the path ended inside the last fetch: instructions behind it are in the
	// buffer, for nothing. stray says that the next fetch, of instruction astray, is for
	// nothing.
	short, stray bool
	astray       uint32
}

// reason is why nothing is fetched for a warp, one bit each.
type reason uint8

const (
	redirected reason = 1 << iota // fetch waits for the resolution of a branch
	waits                         // for an instruction line: it is among those awaiting
	follows                       // another warp: it is a follower
	arrived                       // what it waits for has come, and is taken in turn
)

// New makes the buffers of so many warps.
func New(m *arch.Machine, warps int) Buffers {
	width := min(m.SM.FetchWidth, m.SM.InstructionBuffer)
	return Buffers{
		width: width, most: m.SM.InstructionBuffer - width,
		bytes: m.SM.InstructionBytes, line: m.Instruction.LineBytes, across: m.SM.FetchAcrossLines, past: m.SM.FetchPastBranches, inTurn: m.SM.FetchArrivals, warps: make([]warp, warps), decoding: newPipe(),
	}
}

// Grow makes room for so many warps.
func (f *Buffers) Grow(warps int) {
	f.warps = append(f.warps, make([]warp, warps-len(f.warps))...)
	f.Follow(f.followers)
}

// Begin readies fetch for a program whose first instruction is at base.
func (f *Buffers) Begin(base uint64) { f.base, f.urgent = base, warpset.Set{} }

// Start is a warp that has come into slot w.
func (f *Buffers) Start(w int) {
	f.warps[w] = warp{off: f.warps[w].off & (follows | waits | arrived)}
}

// Enter tells that warp w goes on with instruction index, and then in memory up to, not
// including, end. What is in the buffer is fetched from there on.
func (f *Buffers) Enter(w int, index, end uint32) {
	p := &f.warps[w]
	p.next, p.end = index+uint32(p.buffered), end
}

// Redirect holds fetch for warp w, whose path has changed, until Resolved.
func (f *Buffers) Redirect(w int) { f.warps[w].off |= redirected }

// Stray holds fetch for warp w, whose path has changed, until Resolved, on machines that
// fetch past branches. What they fetch behind the branch, from instruction index on, is for
// nothing. It reports whether that has been fetched already; else it is fetched next (see
// TakeStray).
func (f *Buffers) Stray(w int, index uint32) (fetched bool) {
	p := &f.warps[w]
	p.off |= redirected
	if p.short {
		return true
	}
	p.stray, p.astray = true, index
	return false
}

// TakeStray reports whether what comes for warp w is for nothing.
func (f *Buffers) TakeStray(w int) bool {
	p := &f.warps[w]
	stray := p.stray
	if p.stray = false; stray {
		f.Update(w)
	}
	return stray
}

// Resolved lets fetch for warp w go on.
func (f *Buffers) Resolved(w int) {
	f.warps[w].off &^= redirected
	f.Update(w)
}

// End tells that warp w has issued its last instruction.
func (f *Buffers) End(w int) {
	if f.warps[w].off&arrived == 0 {
		f.wanted.Remove(w)
	}
}

// Update looks whether warp w wants instructions, after Enter, Take or Redirect.
func (f *Buffers) Update(w int) {
	p := &f.warps[w]
	if p.off&arrived != 0 || p.off == 0 && int(p.buffered) <= f.most && p.next < p.end || p.stray && p.off&^redirected == 0 {
		f.wanted.Add(w)
	} else {
		f.wanted.Remove(w)
	}
}

// Wanted gives the warps for which instructions can be fetched.
func (f *Buffers) Wanted() warpset.Set { return f.wanted }

// Awaiting gives the warps that wait for an instruction line.
func (f *Buffers) Awaiting() warpset.Set { return f.awaiting }

// Busy reports whether instructions are fetched or decoded.
func (f *Buffers) Busy() bool { return !f.awaiting.Empty() || f.decoding.count > 0 }

// Awaited is the address of the line that warp w waits for.
func (f *Buffers) Awaited(w int) uint64 { return f.warps[w].awaited &^ onItsWay }

// Urgent gives the warps that are fetched for before all others, SetUrgent names them.
func (f *Buffers) Urgent() warpset.Set     { return f.urgent }
func (f *Buffers) SetUrgent(s warpset.Set) { f.urgent = s }

// Next is the warp to fetch for, round robin after the one that was fetched for last;
// urgent warps go before others. Some warp wants instructions.
func (f *Buffers) Next(last int) int {
	if f.wanted.Meets(f.urgent) {
		return f.wanted.And(f.urgent).After(last)
	}
	return f.wanted.After(last)
}

// Request gives the address of the line, or instruction, to fetch for warp w, and how
// many instructions come with it. They are as many as are fetched at a time, but not
// beyond the end of the line, nor of the path.
func (f *Buffers) Request(w int) (address uint64, count int) {
	p := &f.warps[w]
	first := p.next
	if count = min(f.width, int(p.end-p.next)); p.stray {
		first, count = p.astray, 1
	}
	address = f.base + uint64(first)*uint64(f.bytes)
	if f.line == 0 {
		return address, count
	}
	into := int(address) & (f.line - 1)
	if left := f.line - into; count*f.bytes > left && !f.across {
		count = max(int(uint32(left)/uint32(f.bytes)), 1)
	}
	return address - uint64(into), count
}

// Await has warp w wait for what Request gave.
func (f *Buffers) Await(w int, address uint64, count int) {
	p := &f.warps[w]
	p.awaited, p.count = address, int16(count)
	p.off |= waits
	f.awaiting.Add(w)
	f.wanted.Remove(w)
	if f.inTurn {
		f.asked = append(f.asked, uint8(w))
	}
}

// InTurn reports whether warps take a line that has come in turn: Arrive and NextArrived
// stand in the place of Arrived.
func (f *Buffers) InTurn() bool { return f.inTurn }

// Arrive tells that the line at address has come. Fetch is wanted for the warps that wait
// for it.
func (f *Buffers) Arrive(address uint64) {
	rest := f.asked[:0]
	for _, w := range f.asked {
		if f.warps[w].awaited != address {
			rest = append(rest, w)
			continue
		}
		f.arrived = append(f.arrived, w)
		f.warps[w].off |= arrived
		f.wanted.Add(int(w))
	}
	f.asked = rest
}

// NextArrived takes the warp that takes its line next, and the instructions that it takes
// from it; false when there is none.
func (f *Buffers) NextArrived() (w, count int, ok bool) {
	if len(f.arrived) == 0 {
		return 0, 0, false
	}
	w = int(f.arrived[0])
	f.arrived = f.arrived[:copy(f.arrived, f.arrived[1:])]
	f.awaiting.Remove(w)
	f.wanted.Remove(w)
	p := &f.warps[w]
	p.off &^= waits | arrived
	return w, int(p.count), true
}

// Arrived takes one of the warps that wait for the line at address, and the instructions
// that it takes from it; false when there is none left.
func (f *Buffers) Arrived(address uint64) (w, count int, ok bool) {
	for rest := f.awaiting; !rest.Empty(); rest = rest.Rest() {
		w := rest.Lowest()
		if p := &f.warps[w]; p.awaited == address {
			f.awaiting.Remove(w)
			p.off &^= waits
			return w, int(p.count), true
		}
	}
	return 0, 0, false
}

// Ready reports whether warp w's next instruction is there.
func (f *Buffers) Ready(w int) bool {
	p := &f.warps[w]
	return p.decoded > 0 || p.off&follows != 0
}

// Take takes the instruction that warp w issues from its buffer. Update, or Enter and
// Update, follow.
func (f *Buffers) Take(w int) {
	if p := &f.warps[w]; p.off&follows == 0 {
		p.decoded--
		p.buffered--
	}
}

// Follow sets the warps for which nothing is fetched, and gives those that are changed:
// each has lost what was in its buffer. No fetch for them may be under way; Restart
// follows for those that are there.
func (f *Buffers) Follow(followers warpset.Set) (changed warpset.Set) {
	changed = f.followers.AndNot(followers).Or(followers.AndNot(f.followers))
	f.followers = followers
	for w := range f.warps {
		f.warps[w].off &^= follows
		if followers.Has(w) {
			f.warps[w].off |= follows
		}
	}
	return changed
}

// Restart empties the buffer of warp w, whose next instruction is index.
func (f *Buffers) Restart(w int, index uint32) {
	p := &f.warps[w]
	p.next, p.buffered, p.decoded, p.short = index, 0, 0, false
	f.Update(w)
}

// Quiet reports whether no fetch for the given warps is under way.
func (f *Buffers) Quiet(of warpset.Set) bool {
	for ; !of.Empty(); of = of.Rest() {
		if p := &f.warps[of.Lowest()]; p.buffered != p.decoded {
			return false
		}
	}
	return f.awaiting.Empty()
}
