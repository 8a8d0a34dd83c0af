// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/frontend/ptx"
)

// liveness finds the registers that are live at the segments' ends. Only registers
// that some segment reads before it writes them can be live between segments,
// mostly few. Sets are over those, and over one group of them at a time, so that
// the sets of a kernel of many segments and registers fit into memory.
type liveness struct {
	k      *Kernel
	global []*ptx.Register // by number
	number []int           // Register.Index to that number, -1 for others
	first  int             // number of the group's first register
	group  int             // registers of a group, a multiple of 64
	// columns hold the sets of 64 registers each.
	columns []liveColumn
	// predecessors of the segments, queue those at whose begin more has come alive.
	predecessors graph
	queue        []int
	queued       []bool
	steps        int
}

// liveColumn has, by segment, the sets of 64 registers. They are those read before
// they are written, written, live at the begin, live at the end, and live at the
// begin without the predecessors knowing yet.
type liveColumn struct{ use, def, in, out, news []uint64 }

const (
	// livenessWords is what the sets of one group take together, in words of 64 bits.
	livenessWords = 1 << 23
	// maxLiveSteps bounds how often solve looks from a segment at one before it, and how
	// many registers are live at the ends of the segments together. Compiled kernels need
	// some ten thousand.
	maxLiveSteps = 1 << 26
)

func newLiveness(k *Kernel) *liveness {
	n := len(k.Segments)
	l := &liveness{k: k, number: make([]int, len(k.PTX.Registers)), predecessors: k.flowGraph().reverse(), queued: make([]bool, n)}
	l.findGlobal(k)
	words := max(min((len(l.global)+63)/64, livenessWords/(5*n)), 1)
	l.group = 64 * words
	l.columns = make([]liveColumn, words)
	pool := make([]uint64, 5*n*words)
	for i := range l.columns {
		c := &l.columns[i]
		for _, set := range []*[]uint64{&c.use, &c.def, &c.in, &c.out, &c.news} {
			*set, pool = pool[:n:n], pool[n:]
		}
	}
	return l
}

// solve finds where the registers of the group from first on are live, going back
// from their reads to their writes. A segment is looked at again only for what has
// come alive at its begin since. A guarded write does not end what was live before
// it.
func (l *liveness) solve(first int) error {
	l.first = first
	for i := range l.columns {
		c := &l.columns[i]
		for _, set := range [][]uint64{c.use, c.def, c.in, c.out, c.news} {
			clear(set)
		}
	}
	for i := range l.k.Segments {
		l.summarise(i)
	}
	for i := range l.columns {
		c := &l.columns[i]
		l.spread(c)
		for _, out := range c.out {
			l.steps += bits.OnesCount64(out)
		}
		if l.steps > maxLiveSteps {
			return fmt.Errorf("%s: kernel %s keeps too many of its %d registers alive across its %d basic blocks to be analysed; split it into kernels that share fewer values",
				l.k.PTX.Position, l.k.PTX.Name, len(l.global), len(l.k.Segments))
		}
	}
	return nil
}

// spread solves one column.
func (l *liveness) spread(c *liveColumn) {
	l.queue = l.queue[:0]
	copy(c.in, c.use)
	copy(c.news, c.use)
	for i := len(c.in) - 1; i >= 0; i-- {
		if c.in[i] != 0 {
			l.queue = append(l.queue, i)
			l.queued[i] = true
		}
	}
	for next := 0; next < len(l.queue); next++ {
		s := l.queue[next]
		news := c.news[s]
		c.news[s], l.queued[s] = 0, false
		l.steps += len(l.predecessors[s])
		for _, p := range l.predecessors[s] {
			c.out[p] |= news
			more := news &^ c.def[p] &^ c.in[p]
			if more == 0 {
				continue
			}
			c.in[p] |= more
			c.news[p] |= more
			if !l.queued[p] {
				l.queued[p] = true
				l.queue = append(l.queue, p)
			}
		}
		if next > len(c.in) { // give the room of what is done back
			l.queue = l.queue[:copy(l.queue, l.queue[next+1:])]
			next = -1
		}
		if l.steps > maxLiveSteps {
			return
		}
	}
}

// eachOut calls visit for the registers that are live at the end of a segment.
func (l *liveness) eachOut(segment int, visit func(r *ptx.Register)) {
	for w := range l.columns {
		for word := l.columns[w].out[segment]; word != 0; word &= word - 1 {
			visit(l.global[l.first+64*w+bits.TrailingZeros64(word)])
		}
	}
}

// at is the column and the bit of a register; ok is false for those that are not in
// the group.
func (l *liveness) at(r *ptx.Register) (c *liveColumn, bit uint64, ok bool) {
	n := l.number[r.Index] - l.first
	if n < 0 || n >= l.group || l.number[r.Index] < 0 {
		return nil, 0, false
	}
	return &l.columns[n/64], 1 << (n % 64), true
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

// summarise notes what a segment reads before writing, and what it writes.
func (l *liveness) summarise(id int) {
	s := &l.k.Segments[id]
	for j := s.First; j < s.First+s.Count; j++ {
		in := &l.k.PTX.Body[j]
		Reads(in, func(r *ptx.Register) {
			if c, bit, ok := l.at(r); ok {
				c.use[id] |= bit &^ c.def[id]
			}
		})
		if in.Guard.Register == nil {
			Writes(in, func(r *ptx.Register) {
				if c, bit, ok := l.at(r); ok {
					c.def[id] |= bit
				}
			})
		}
	}
}
