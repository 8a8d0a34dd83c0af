package contaminator

import (
	"fmt"
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

// liveness finds the registers that are live at the segments' ends. Only
// registers that some segment reads before it writes them can be live between
// segments, mostly few: sets are over those, and over one group of them at a time,
// so that the sets of a kernel of many segments and registers fit into memory.
type liveness struct {
	k       *Kernel
	global  []*ptx.Register // by number
	number  []int           // Register.Index to that number, -1 for others
	first   int             // number of the group's first register
	group   int             // registers of a group, a multiple of 64
	liveIn  []bitset        // by segment, of the group
	liveOut []bitset
	use     []bitset
	def     []bitset
	// predecessors of the segments, queue those that a register has come alive in.
	predecessors graph
	queue        []int
	pairs        int
}

const (
	// livenessWords is what the sets of one group take together, in words of 64 bits.
	livenessWords = 1 << 23
	// maxLivePairs bounds the pairs of a segment and a register that is live at its
	// begin. Compiled kernels have some ten thousand.
	maxLivePairs = 1 << 28
)

func newLiveness(k *Kernel) *liveness {
	l := &liveness{k: k, number: make([]int, len(k.PTX.Registers)), predecessors: k.flowGraph().reverse()}
	l.findGlobal(k)
	n := len(k.Segments)
	words := max(min((len(l.global)+63)/64, livenessWords/(4*n)), 1)
	l.group = 64 * words
	pool := make(bitset, 4*n*words)
	for _, sets := range []*[]bitset{&l.use, &l.def, &l.liveIn, &l.liveOut} {
		*sets = make([]bitset, n)
		for i := range *sets {
			(*sets)[i], pool = pool[:words:words], pool[words:]
		}
	}
	return l
}

// solve finds where the registers of the group from first on are live, each by
// going back from its reads to its writes (Appel, "Modern Compiler Implementation",
// section 17.4): the work is that of the answer, whatever the graph. A guarded
// write does not end what was live before it.
func (l *liveness) solve(first int) error {
	l.first = first
	for i := range l.k.Segments {
		for _, s := range []bitset{l.use[i], l.def[i], l.liveIn[i], l.liveOut[i]} {
			clear(s)
		}
		l.summarise(l.k, &l.k.Segments[i], l.use[i], l.def[i])
	}
	for i := range l.k.Segments {
		l.use[i].each(func(n int) { l.spread(i, n) })
		if l.pairs > maxLivePairs {
			return fmt.Errorf("%s: kernel %s keeps more than %d registers alive, counted in each of its %d basic blocks; split it into kernels that share fewer values",
				l.k.PTX.Position, l.k.PTX.Name, maxLivePairs, len(l.k.Segments))
		}
	}
	return nil
}

// spread makes register n live at the begin of a segment that reads it, and wherever
// that is seen from.
func (l *liveness) spread(segment, n int) {
	if l.liveIn[segment].has(n) {
		return
	}
	l.liveIn[segment].add(n)
	l.queue = append(l.queue[:0], segment)
	for i := 0; i < len(l.queue); i++ {
		for _, p := range l.predecessors[l.queue[i]] {
			if l.liveOut[p].has(n) {
				continue
			}
			l.liveOut[p].add(n)
			if !l.def[p].has(n) && !l.liveIn[p].has(n) {
				l.liveIn[p].add(n)
				l.queue = append(l.queue, p)
			}
		}
	}
	l.pairs += len(l.queue)
}

// at is the number of a register in the group's sets; ok is false for those that
// are not in the group.
func (l *liveness) at(r *ptx.Register) (n int, ok bool) {
	n = l.number[r.Index] - l.first
	return n, l.number[r.Index] >= l.first && n < l.group
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
			if n, ok := l.at(r); ok && !def.has(n) {
				use.add(n)
			}
		})
		if in.Guard.Register == nil {
			Writes(in, func(r *ptx.Register) {
				if n, ok := l.at(r); ok {
					def.add(n)
				}
			})
		}
	}
}
