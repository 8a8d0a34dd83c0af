// SPDX-License-Identifier: Apache-2.0

package allocate

import (
	"slices"
	"sort"

	"github.com/warptape/warptape/timing/lowering/ir"
)

// span is a range of positions [from, to) in which a register is live. Operation i of the
// function reads at position 2i and writes at 2i+1.
type span struct{ from, to int32 }

// event is a span of a register, by its first position.
type event struct {
	at int32
	r  ir.Register
	to int32
}

// spansOf gives the spans of all registers, ascending.
func spansOf(f *ir.Function, l *Liveness) [][]span {
	w := walker{last: make([]int32, len(f.Registers)), count: make([]int32, len(f.Registers))}
	end := int32(0)
	for _, b := range f.Blocks {
		if b != nil {
			end += 2 * int32(len(b.Ops))
		}
	}
	w.found = make([]event, 0, end)
	for r := range w.last {
		w.last[r] = -1
	}
	for n := len(f.Blocks) - 1; n >= 0; n-- {
		if b := f.Blocks[n]; b != nil {
			w.open = l.Out(n, w.open[:0])
			w.block(b, end)
			end -= 2 * int32(len(b.Ops))
		}
	}
	return w.sorted()
}

// walker goes through a function from its last operation back to its first, and finds
// spans.
type walker struct {
	last  []int32 // by register: where the open span ends; -1: none is open
	open  []ir.Register
	reads []ir.Register
	found []event
	count []int32 // by register: spans that have been found
}

// block goes through a block that ends at a position. The registers behind it are open.
func (w *walker) block(b *ir.Block, end int32) {
	for _, r := range w.open {
		w.last[r] = end
	}
	at := end
	for i := len(b.Ops) - 1; i >= 0; i-- {
		at -= 2
		op := &b.Ops[i]
		for _, r := range op.Dst {
			switch {
			case w.last[r] < 0:
				w.add(r, at+1, at+2)
				if op.Partial {
					w.last[r] = at + 1
					w.open = append(w.open, r)
				}
			case !op.Partial:
				w.add(r, at+1, w.last[r])
				w.last[r] = -1
			}
		}
		w.reads = op.AppendReads(w.reads[:0])
		for _, r := range w.reads {
			if w.last[r] < 0 {
				w.last[r] = at + 1
				w.open = append(w.open, r)
			}
		}
	}
	for _, r := range w.open {
		if w.last[r] >= 0 {
			w.add(r, at, w.last[r])
			w.last[r] = -1
		}
	}
}

func (w *walker) add(r ir.Register, from, to int32) {
	w.found = append(w.found, event{from, r, to})
	w.count[r]++
}

// sorted gives the spans of each register. They lie in one array, and were found in descending
// order.
func (w *walker) sorted() [][]span {
	all, spans := make([]span, len(w.found)), make([][]span, len(w.count))
	end := int32(0)
	for r, n := range w.count {
		spans[r] = all[end : end+n : end+n]
		end += n
	}
	for _, e := range w.found {
		w.count[e.r]--
		spans[e.r][w.count[e.r]] = span{e.at, e.to}
	}
	for r := range spans {
		spans[r] = joined(spans[r])
	}
	return spans
}

// joined joins spans that meet.
func joined(list []span) []span {
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && out[n-1].to >= s.from {
			out[n-1].to = max(out[n-1].to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// disjoint reports whether no span of b meets one of a.
func disjoint(a, b []span) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	i := sort.Search(len(a), func(i int) bool { return a[i].to > b[0].from })
	for j := 0; i < len(a) && j < len(b); {
		switch {
		case a[i].to <= b[j].from:
			i++
		case b[j].to <= a[i].from:
			j++
		default:
			return false
		}
	}
	return true
}

// merge joins two ascending disjoint lists, the second into the first where it can.
func merge(a, b []span) []span {
	if len(a) == 0 || len(b) == 0 || a[len(a)-1].to <= b[0].from {
		return append(a, b...)
	}
	if len(b) == 1 {
		at := sort.Search(len(a), func(i int) bool { return a[i].from > b[0].from })
		return slices.Insert(a, at, b[0])
	}
	all := make([]span, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].from < b[0].from {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// file is a register file.
type file struct {
	spans [][]span // by register: those in which it is taken
	last  []span   // the last of these
	steps uint64   // registers that were looked at
}

// place takes the lowest registers that are free in all spans, words in a row at a
// multiple of their number; wish is tried first where it is one.
func (f *file) place(spans []span, words, wish int) int {
	if wish >= 0 && wish%words == 0 && f.free(spans, wish, words) {
		return f.take(spans, wish, words)
	}
	for n := 0; ; n += words {
		if f.free(spans, n, words) {
			return f.take(spans, n, words)
		}
	}
}

func (f *file) free(spans []span, n, words int) bool {
	f.steps++
	for len(f.spans) < n+words {
		f.spans, f.last = append(f.spans, nil), append(f.last, span{})
	}
	for w := range words {
		switch last := f.last[n+w]; {
		case last.to <= spans[0].from: // all are in front
		case last.from < spans[0].to || !disjoint(f.spans[n+w], spans):
			return false
		}
	}
	return true
}

func (f *file) take(spans []span, n, words int) int {
	for w := range words {
		f.spans[n+w] = merge(f.spans[n+w], spans)
		f.last[n+w] = f.spans[n+w][len(f.spans[n+w])-1]
	}
	return n
}
