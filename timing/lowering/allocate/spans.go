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

// spansOf gives the spans of all registers, ascending.
func spansOf(f *ir.Function, l *Liveness) [][]span {
	spans := make([][]span, len(f.Registers))
	end := int32(0)
	for _, b := range f.Blocks {
		if b != nil {
			end += 2 * int32(len(b.Ops))
		}
	}
	last := make([]int32, len(f.Registers)) // where the open span ends; -1: none is open
	for r := range last {
		last[r] = -1
	}
	var open []ir.Register
	for n := len(f.Blocks) - 1; n >= 0; n-- {
		b := f.Blocks[n]
		if b == nil {
			continue
		}
		begin := end - 2*int32(len(b.Ops))
		open = l.Out(n, open[:0])
		for _, r := range open {
			last[r] = end
		}
		at := end
		for i := len(b.Ops) - 1; i >= 0; i-- {
			at -= 2
			op := &b.Ops[i]
			for _, r := range op.Dst {
				switch {
				case last[r] < 0:
					spans[r] = append(spans[r], span{at + 1, at + 2})
					if op.Partial {
						last[r] = at + 1
						open = append(open, r)
					}
				case !op.Partial:
					spans[r] = append(spans[r], span{at + 1, last[r]})
					last[r] = -1
				}
			}
			op.EachRead(func(r ir.Register) {
				if last[r] < 0 {
					last[r] = at + 1
					open = append(open, r)
				}
			})
		}
		for _, r := range open {
			if last[r] >= 0 {
				spans[r] = append(spans[r], span{begin, last[r]})
				last[r] = -1
			}
		}
		end = begin
	}
	for r := range spans {
		slices.Reverse(spans[r])
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

// merge joins two ascending disjoint lists.
func merge(a, b []span) []span {
	if len(a) == 0 || len(b) == 0 || a[len(a)-1].to <= b[0].from {
		return append(a, b...)
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
		f.spans = append(f.spans, nil)
	}
	for w := range words {
		if !disjoint(f.spans[n+w], spans) {
			return false
		}
	}
	return true
}

func (f *file) take(spans []span, n, words int) int {
	for w := range words {
		f.spans[n+w] = merge(f.spans[n+w], spans)
	}
	return n
}
