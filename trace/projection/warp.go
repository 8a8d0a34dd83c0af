// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"math/bits"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Visit is one stretch of instructions of a hardware warp: a basic block with the
// lanes that execute it together. Keep one and let Warp.Next fill it; a reader may
// hold several, each good until it is filled again or the warp is closed.
type Visit struct {
	Block uint32
	Lanes Lanes
	// Slot is 1 for the second of two interleaved paths (Interleaved), else 0.
	Slot int
	// Arrives says that the warp comes to a barrier with the visit. Lanes wait at its
	// end, and no others of the warp have waited since it left a barrier last.
	Arrives bool
	// Resumes says that lanes of the warp have waited since it left a barrier last, and
	// go on from here.
	Resumes bool

	sources []source
}

// source is where some lanes of a visit were recorded.
type source struct {
	part           int
	lanes          uint32 // recorded lanes
	guards, access int32  // places of the first of the recorded visit
}

// Warp is what one hardware warp issues, visit by visit.
type Warp struct {
	owner *Projector
	plan  *Plan
	chunk *wtape.Chunk
	rule  Rule
	shift int // recorded lane of the warp's lane 0, within a part
	parts []part

	live   Lanes // that have not ended
	parked Lanes // that wait at a barrier for the others
	// waited says that lanes have waited since the warp went on from a barrier last, and
	// that they go on now.
	waited bool
	paths  []path
	ids    int
	turn   int

	targets []target               // scratch of Next
	lanes   [trace.WarpSize]uint64 // scratch of Addresses
	ended   Lanes
	waits   Lanes
}

// target is where lanes go after a visit.
type target struct {
	block uint32
	lanes Lanes
}

// start puts all lanes at the entry.
func (w *Warp) start(rule Rule) {
	w.rule, w.turn, w.ids = rule, 0, 0
	w.live, w.parked, w.waited, w.paths = Lanes{}, Lanes{}, false, w.paths[:0]
	for i := range w.parts {
		w.live[i] = w.parts[i].lanes >> w.shift
	}
	if rule != Independent {
		w.push(path{reconverge: trace.NoBlock, lanes: w.live})
		return
	}
	for l := range MaxWidth {
		if w.live.Has(l) {
			alone := path{reconverge: trace.NoBlock}
			alone.lanes[l/32] = 1 << (l % 32)
			w.push(alone)
		}
	}
}

// Next fills v with the next visit; false when all lanes have ended.
func (w *Warp) Next(v *Visit) bool {
	for {
		i := w.choose(&v.Slot)
		if i < 0 {
			return false
		}
		v.Block = w.paths[i].block
		w.collect(v, i)
		if !v.Lanes.Empty() {
			v.Resumes, w.waited = w.waited, false
			w.depart(v, i)
			return true
		}
		w.settle()
	}
}

// collect fills v with the lanes of path i that are at its basic block. Lanes that
// are elsewhere become paths of their own: a trace may have them begin anywhere.
func (w *Warp) collect(v *Visit, i int) {
	v.Lanes, v.sources = Lanes{}, v.sources[:0]
	for n := range w.parts {
		p := &w.parts[n]
		for rest := w.paths[i].lanes[n] << w.shift; rest != 0; {
			visit, same := p.together(rest)
			rest &^= same
			if block := p.warp.Blocks[visit]; block != v.Block {
				w.stray(i, block, n, same>>w.shift)
				continue
			}
			v.Lanes[n] |= same >> w.shift
			v.sources = append(v.sources, source{n, same, p.guards[visit], p.accesses[visit]})
		}
	}
}

// stray takes lanes of one part from path i and makes them a path at a basic block.
func (w *Warp) stray(i int, block uint32, part int, lanes uint32) {
	w.paths[i].lanes[part] &^= lanes
	stray := path{block: block, reconverge: w.paths[i].reconverge, parent: w.paths[i].parent}
	stray.lanes[part] = lanes
	w.push(stray)
}

// depart moves the lanes of visit v, which path i has just made, to where they go.
func (w *Warp) depart(v *Visit, i int) {
	w.targets, w.ended = w.targets[:0], Lanes{}
	w.waiting(v)
	for n := range v.sources {
		s := &v.sources[n]
		p := &w.parts[s.part]
		lanes := s.lanes
		for at := int(p.next[bits.TrailingZeros32(lanes)]); lanes != 0; {
			var moved uint32
			if at, moved = p.following(at, lanes); at < 0 {
				w.ended[s.part] |= lanes >> w.shift
				break
			}
			lanes &^= moved
			w.aim(p.warp.Blocks[at], s.part, moved>>w.shift)
		}
	}
	v.Arrives = !w.waits.Empty() && w.parked.Empty()
	switch {
	case w.waits.Empty():
	case w.waits == w.live:
		w.waited = true
	default:
		w.paths[i].parked = true
		w.parked.add(&v.Lanes)
	}
	w.live.remove(&w.ended)
	w.parked.remove(&w.ended)
	w.retire()
	w.follow(v.Block, i)
	if !w.parked.Empty() && w.parked == w.live {
		w.release()
	}
	w.settle()
	if w.rule == Interleaved {
		w.merge()
	}
}

// aim adds lanes of one part to the target at a basic block.
func (w *Warp) aim(block uint32, part int, lanes uint32) {
	for i := range w.targets {
		if w.targets[i].block == block {
			w.targets[i].lanes[part] |= lanes
			return
		}
	}
	t := target{block: block}
	t.lanes[part] = lanes
	w.targets = append(w.targets, t)
}

// waiting finds the lanes of a visit that wait at a barrier at its end.
func (w *Warp) waiting(v *Visit) {
	b := &w.plan.blocks[v.Block]
	switch {
	case !b.barrier:
		w.waits = Lanes{}
	case b.barrierGuard >= 0:
		w.waits = w.Guard(v, int(b.barrierGuard))
	default:
		w.waits = v.Lanes
	}
}

// Recorded is where lanes of a visit were recorded.
type Recorded struct {
	// Lanes of the recorded warp.
	Lanes uint32
	// Guard and Access are the places, in the recorded warp, of the first guard mask
	// and the first access of the recorded visit.
	Guard, Access int
}

// Recorded gives the k-th recorded visit from which lanes of part n of a visit are:
// of recorded warp n of those that the hardware warp is made of. False when there
// are not so many. Mostly there is one; lanes that meet again elsewhere than
// they did when they were recorded are from several.
func (w *Warp) Recorded(v *Visit, n, k int) (Recorded, bool) {
	for i := range v.sources {
		if s := &v.sources[i]; s.part == n {
			if k == 0 {
				return Recorded{s.lanes, int(s.guards), int(s.access)}, true
			}
			k--
		}
	}
	return Recorded{}, false
}

// Part is recorded warp n of those that the hardware warp is made of, until Close.
func (w *Warp) Part(n int) *trace.Warp { return &w.parts[n].warp }

// Guard are the lanes for which the guard of the i-th guarded instruction of a visit
// held (Plan.Guards counts them).
func (w *Warp) Guard(v *Visit, i int) (held Lanes) {
	for n := range v.sources {
		s := &v.sources[n]
		held[s.part] |= w.parts[s.part].warp.Guards[int(s.guards)+i] & s.lanes >> w.shift
	}
	return held
}

// Addresses gives the byte addresses of the i-th memory instruction of a visit and
// the lanes that take part: those for which its guard held. Elements of other lanes
// stay as they are.
func (w *Warp) Addresses(v *Visit, i int, out *[MaxWidth]uint64) (lanes Lanes) {
	guard := w.plan.blocks[v.Block].memory[i].guard
	for n := range v.sources {
		s := &v.sources[n]
		warp := &w.parts[s.part].warp
		m := s.lanes
		if guard >= 0 {
			m &= warp.Guards[s.guards+guard]
		}
		lanes[s.part] |= m >> w.shift
		access := warp.Accesses[int(s.access)+i]
		to := s.part*32 - w.shift
		w.chunk.Lanes(access, &w.lanes)
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			out[to+l] = w.lanes[l]
		}
	}
	return lanes
}

// Close releases the warp for the next Open.
func (w *Warp) Close() {
	w.chunk = nil
	for i := range w.parts {
		w.parts[i].warp = trace.Warp{}
	}
	w.owner.free = append(w.owner.free, w)
}
