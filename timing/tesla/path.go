// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"math/bits"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// lanes is a set of lanes of a warp.
type lanes uint64

// maxWidth is the threads of the widest warps.
const maxWidth = 64

func (l lanes) count() uint64 { return uint64(bits.OnesCount64(uint64(l))) }

// below are the lanes below n.
func below(n int) lanes { return lanes(1)<<n - 1 }

// path is what the threads of a warp do. A thread's own path is the recorded one in every
// configuration; a warp's is not, so each lane goes its own way here. A warp has lanes of
// one recorded warp, or of two.
type path struct {
	parts   [maxWidth / trace.WarpSize]recordedWarp
	used    int // parts
	shift   int // recorded lane of lane 0
	chunk   *wtape.Chunk
	sources []source         // of the visit that goes on
	address [maxWidth]uint32 // words, of the access that goes on
}

// recordedWarp is a recorded warp. Its groups are lanes whose next visit is the same.
type recordedWarp struct {
	warp   trace.Warp
	groups []group
}

// group is lanes with the recorded visit that they come to next, and the places of its
// first guard and access.
type group struct {
	lanes                uint32
	visit, guard, access int
}

// source is a group that makes the present visit.
type source struct {
	group
	part int
}

// open starts the path of warp h of a thread block; it reads the chunk until its end.
func (t *path) open(p *program, chunk *wtape.Chunk, block uint64, h, width int) {
	first := h * width
	t.chunk, t.shift, t.used, t.sources = chunk, first%trace.WarpSize, max(1, width/trace.WarpSize), t.sources[:0]
	all := uint32(below(min(width, trace.WarpSize))) << t.shift
	for n := range t.used {
		r := &t.parts[n]
		r.warp, r.groups = chunk.Warp(block, first/trace.WarpSize+n), r.groups[:0]
		r.follow(p, group{lanes: all, visit: -1})
	}
}

// follow moves lanes to the visits that each makes next. Those that make none are gone.
func (r *recordedWarp) follow(p *program, g group) {
	rest := g.lanes
	for {
		if g.visit >= 0 {
			b := &p.visits[r.warp.Blocks[g.visit]]
			g.guard += b.guards
			g.access += b.accesses
		}
		if g.visit++; rest == 0 || g.visit >= len(r.warp.Masks) {
			return
		}
		if hit := rest & r.warp.Masks[g.visit]; hit != 0 {
			rest &^= hit
			g.lanes = hit
			r.join(g)
		}
	}
}

// join adds lanes to those that come to the same visit.
func (r *recordedWarp) join(g group) {
	for i := range r.groups {
		if r.groups[i].visit == g.visit {
			r.groups[i].lanes |= g.lanes
			return
		}
	}
	r.groups = append(r.groups, g)
}

// begin starts a visit of lanes; false when one of them goes elsewhere, or nowhere.
func (t *path) begin(block uint32, mask lanes) bool {
	t.sources = t.sources[:0]
	for n := range t.used {
		r := &t.parts[n]
		rest := t.recorded(n, mask)
		for i := 0; i < len(r.groups) && rest != 0; i++ {
			g := r.groups[i]
			if g.lanes &= rest; g.lanes == 0 {
				continue
			}
			if r.warp.Blocks[g.visit] != block {
				return false
			}
			rest &^= g.lanes
			t.sources = append(t.sources, source{g, n})
		}
		if rest != 0 {
			return false
		}
	}
	return true
}

// end moves the lanes of the visit on.
func (t *path) end(p *program) {
	for i := range t.sources {
		s := &t.sources[i]
		r := &t.parts[s.part]
		kept := r.groups[:0]
		for _, g := range r.groups {
			if g.lanes &^= s.lanes; g.lanes != 0 {
				kept = append(kept, g)
			}
		}
		r.groups = kept
		r.follow(p, s.group)
	}
}

// going are the lanes that come to a block next; with any block, those that come to one.
func (t *path) going(block uint32, any bool) (to lanes) {
	for n := range t.used {
		r := &t.parts[n]
		for _, g := range r.groups {
			if any || r.warp.Blocks[g.visit] == block {
				to |= t.lanes(n, g.lanes)
			}
		}
	}
	return to
}

// recorded are the lanes of a recorded warp; lanes those of the warp.
func (t *path) recorded(part int, l lanes) uint32 { return uint32(l>>(part*trace.WarpSize)) << t.shift }

func (t *path) lanes(part int, recorded uint32) lanes {
	return lanes(recorded>>t.shift) << (part * trace.WarpSize)
}

// guard are the lanes for which the guard of the visit's i-th guarded instruction held.
func (t *path) guard(i int) (held lanes) {
	for k := range t.sources {
		s := &t.sources[k]
		held |= t.lanes(s.part, t.parts[s.part].warp.Guards[s.guard+i]&s.lanes)
	}
	return held
}

// addresses finds the words that lanes access with the visit's i-th memory instruction.
func (t *path) addresses(i int) {
	var of [trace.WarpSize]uint64
	for k := range t.sources {
		s := &t.sources[k]
		t.chunk.Addresses(t.parts[s.part].warp.Accesses[s.access+i], s.lanes, &of)
		to := s.part*trace.WarpSize - t.shift
		for m := s.lanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			t.address[to+lane] = uint32(of[lane] / wordBytes)
		}
	}
}

// close lets the chunk go.
func (t *path) close() {
	t.chunk, t.sources = nil, t.sources[:0]
	for n := range t.parts {
		t.parts[n].warp = trace.Warp{}
	}
}
