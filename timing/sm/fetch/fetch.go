// Package fetch is the first stages of an SM: which warps want instructions, the line
// that each waits for, and the instruction buffers, whose entries can issue once they
// are decoded.
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
	width, room int    // instructions per fetch, and of a buffer
	bytes, line uint64 // of an instruction, of a line; line 0: there are no lines
	base        uint64
	warps       []warp
	// wanted holds the warps with room for a whole fetch, instructions ahead on their
	// path, and no fetch under way; awaiting those that wait for an instruction line.
	wanted, awaiting warpset.Set
	// followers are the slots of warps for which nothing is fetched: they issue what
	// was fetched for another one, here or on another SM.
	followers warpset.Set
	// urgent are the warps that are fetched for before all others.
	urgent warpset.Set
}

// warp is fetch's part of a warp.
type warp struct {
	next, end  uint32 // the instructions still to fetch
	buffered   int    // instructions in the buffer, also those still being decoded
	decoded    int    // of these, ready to issue
	redirected bool   // fetch waits for the resolution of a branch
	awaited    uint64 // address of the instruction line that the warp waits for
	count      int    // instructions to take from it
}

// New makes the buffers of so many warps.
func New(m *arch.Machine, warps int) Buffers {
	return Buffers{
		width: min(m.SM.FetchWidth, m.SM.InstructionBuffer), room: m.SM.InstructionBuffer,
		bytes: uint64(m.SM.InstructionBytes), line: uint64(m.Instruction.LineBytes), warps: make([]warp, warps),
	}
}

// Grow makes room for so many warps.
func (f *Buffers) Grow(warps int) { f.warps = append(f.warps, make([]warp, warps-len(f.warps))...) }

// Begin readies fetch for a program whose first instruction is at base.
func (f *Buffers) Begin(base uint64) { f.base, f.urgent = base, warpset.Set{} }

// Start is a warp that has come into slot w.
func (f *Buffers) Start(w int) { f.warps[w] = warp{} }

// Enter tells that warp w goes on with instruction index, and then in memory up to, not
// including, end. What is in the buffer is fetched from there on.
func (f *Buffers) Enter(w int, index, end uint32) {
	p := &f.warps[w]
	p.next, p.end = index+uint32(p.buffered), end
}

// Redirect holds fetch for warp w, whose path has changed, until Resolved.
func (f *Buffers) Redirect(w int) { f.warps[w].redirected = true }

// Resolved lets fetch for warp w go on.
func (f *Buffers) Resolved(w int) {
	f.warps[w].redirected = false
	f.Update(w)
}

// End tells that warp w has issued its last instruction.
func (f *Buffers) End(w int) { f.wanted = f.wanted.Without(w) }

// Update looks whether warp w wants instructions, after Enter, Take or Redirect.
func (f *Buffers) Update(w int) {
	p := &f.warps[w]
	if p.buffered+f.width <= f.room && p.next < p.end && !p.redirected && !f.followers.Has(w) && !f.awaiting.Has(w) {
		f.wanted = f.wanted.With(w)
	} else {
		f.wanted = f.wanted.Without(w)
	}
}

// Wanted gives the warps for which instructions can be fetched.
func (f *Buffers) Wanted() warpset.Set { return f.wanted }

// Awaiting gives the warps that wait for an instruction line.
func (f *Buffers) Awaiting() warpset.Set { return f.awaiting }

// Awaited is the address of the line that warp w waits for.
func (f *Buffers) Awaited(w int) uint64 { return f.warps[w].awaited }

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
// many instructions come with it: as many as are fetched at a time, not beyond the end
// of the line, nor of the path.
func (f *Buffers) Request(w int) (address uint64, count int) {
	p := &f.warps[w]
	address = f.base + uint64(p.next)*f.bytes
	count = min(f.width, int(p.end-p.next))
	if f.line > 0 {
		line := address / f.line * f.line
		count = min(count, max(int((line+f.line-address)/f.bytes), 1))
		address = line
	}
	return address, count
}

// Await has warp w wait for what Request gave.
func (f *Buffers) Await(w int, address uint64, count int) {
	p := &f.warps[w]
	p.awaited, p.count = address, count
	f.awaiting = f.awaiting.With(w)
	f.wanted = f.wanted.Without(w)
}

// Arrived takes one of the warps that wait for the line at address, and the instructions
// that it takes from it; false when there is none left.
func (f *Buffers) Arrived(address uint64) (w, count int, ok bool) {
	for rest := f.awaiting; !rest.Empty(); rest = rest.Rest() {
		w := rest.Lowest()
		if p := &f.warps[w]; p.awaited == address {
			f.awaiting = f.awaiting.Without(w)
			return w, p.count, true
		}
	}
	return 0, 0, false
}

// Deliver puts fetched instructions into the buffer of warp w, where they can issue
// after Decoded; it gives the first.
func (f *Buffers) Deliver(w, count int) (first uint32) {
	p := &f.warps[w]
	first = p.next
	p.buffered += count
	p.next += uint32(count)
	f.Update(w)
	return first
}

// Decoded lets instructions of warp w issue that have been delivered.
func (f *Buffers) Decoded(w, count int) { f.warps[w].decoded += count }

// Ready reports whether warp w's next instruction is there.
func (f *Buffers) Ready(w int) bool { return f.warps[w].decoded > 0 || f.followers.Has(w) }

// Take takes the instruction that warp w issues from its buffer. Update, or Enter and
// Update, follow.
func (f *Buffers) Take(w int) {
	if !f.followers.Has(w) {
		f.warps[w].decoded--
		f.warps[w].buffered--
	}
}

// Follow sets the warps for which nothing is fetched, and gives those that are changed:
// each has lost what was in its buffer. No fetch for them may be under way; Restart
// follows for those that are there.
func (f *Buffers) Follow(followers warpset.Set) (changed warpset.Set) {
	changed = f.followers.AndNot(followers).Or(followers.AndNot(f.followers))
	f.followers = followers
	return changed
}

// Restart empties the buffer of warp w, whose next instruction is index.
func (f *Buffers) Restart(w int, index uint32) {
	p := &f.warps[w]
	p.next, p.buffered, p.decoded = index, 0, 0
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
