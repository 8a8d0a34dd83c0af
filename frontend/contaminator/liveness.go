package contaminator

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/ptx"
)

// bitset is a set of small integers.
type bitset []uint64

func (s bitset) has(i int) bool { return s[i>>6]&(1<<(i&63)) != 0 }
func (s bitset) add(i int)      { s[i>>6] |= 1 << (i & 63) }

// each calls visit for the elements, ascending.
func (s bitset) each(visit func(i int)) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			visit(w<<6 + bits.TrailingZeros64(word))
		}
	}
}

// liveness holds the registers that are live at the segments' ends. Only
// registers that some segment reads before it writes them can be live between
// segments, mostly few: sets are over those.
type liveness struct {
	global  []*ptx.Register // by number in the sets
	number  []int           // Register.Index to that number, -1 for others
	liveIn  []bitset
	liveOut []bitset
}

// computeLiveness solves the backward data-flow equations over the segments. A
// guarded write does not end what was live before it.
func computeLiveness(k *Kernel) *liveness {
	l := &liveness{number: make([]int, len(k.PTX.Registers))}
	l.findGlobal(k)
	words := (len(l.global) + 63) / 64
	n := len(k.Segments)
	pool := make(bitset, 4*n*words)
	sets := func() []bitset {
		list := make([]bitset, n)
		for i := range list {
			list[i], pool = pool[:words:words], pool[words:]
		}
		return list
	}
	use, def := sets(), sets()
	l.liveIn, l.liveOut = sets(), sets()
	for i := range k.Segments {
		l.summarise(k, &k.Segments[i], use[i], def[i])
	}
	g := k.flowGraph()
	predecessors := g.reverse()
	work := make([]int, 0, n)
	queued := make([]bool, n)
	for i := range n {
		work = append(work, i)
		queued[i] = true
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		queued[b] = false
		if !l.transfer(k, b, use[b], def[b]) {
			continue
		}
		for _, p := range predecessors[b] {
			if !queued[p] {
				queued[p] = true
				work = append(work, p)
			}
		}
	}
	return l
}

// findGlobal numbers the registers that are read before they are written in
// some segment.
func (l *liveness) findGlobal(k *Kernel) {
	for i := range l.number {
		l.number[i] = -1
	}
	written := make([]int, len(l.number)) // segment+1 of the last unguarded write
	for i := range k.Segments {
		s := &k.Segments[i]
		for j := s.First; j < s.First+s.Count; j++ {
			in := &k.PTX.Body[j]
			Reads(in, func(r *ptx.Register) {
				if written[r.Index] != i+1 && l.number[r.Index] < 0 {
					l.number[r.Index] = len(l.global)
					l.global = append(l.global, r)
				}
			})
			if in.Guard.Register == nil {
				Writes(in, func(r *ptx.Register) { written[r.Index] = i + 1 })
			}
		}
	}
}

// summarise fills what the segment reads before writing, and what it writes.
func (l *liveness) summarise(k *Kernel, s *Segment, use, def bitset) {
	for j := s.First; j < s.First+s.Count; j++ {
		in := &k.PTX.Body[j]
		Reads(in, func(r *ptx.Register) {
			if n := l.number[r.Index]; n >= 0 && !def.has(n) {
				use.add(n)
			}
		})
		if in.Guard.Register == nil {
			Writes(in, func(r *ptx.Register) {
				if n := l.number[r.Index]; n >= 0 {
					def.add(n)
				}
			})
		}
	}
}

// transfer recomputes segment b and reports whether its live-in set grew.
func (l *liveness) transfer(k *Kernel, b int, use, def bitset) bool {
	out, in := l.liveOut[b], l.liveIn[b]
	for _, s := range k.Segments[b].Successors {
		for w, word := range l.liveIn[s] {
			out[w] |= word
		}
	}
	changed := false
	for w := range in {
		now := use[w] | out[w]&^def[w]
		changed = changed || now != in[w]
		in[w] = now
	}
	return changed
}
