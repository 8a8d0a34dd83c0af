// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"sort"

	"github.com/warptape/warptape/frontend/ptx"
)

// buildIntervals gives the intervals of all registers that instructions name,
// by start. Going backwards through each segment, a register
// is live from its read up to the write before it.
func buildIntervals(k *Kernel) ([]interval, error) {
	l := newLiveness(k)
	b := intervalBuilder{spans: make([][]span, len(k.PTX.Registers)), end: make([]int32, len(k.PTX.Registers))}
	for first := 0; first == 0 || first < len(l.global); first += l.group {
		if err := l.solve(first); err != nil {
			return nil, err
		}
		for i := len(k.Segments) - 1; i >= 0; i-- {
			b.segment(k, &k.Segments[i], l, i)
		}
	}
	b.unreached(k)
	var list []interval
	for i, spans := range b.spans {
		if len(spans) == 0 {
			continue
		}
		reverseSpans(spans)
		list = append(list, interval{k.PTX.Registers[i], spans})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].spans[0].from < list[j].spans[0].from })
	return list, nil
}

// intervalBuilder collects spans, last first.
type intervalBuilder struct {
	spans [][]span
	end   []int32 // where the register's open span ends, zero when it is dead
	live  []int32 // registers with an open span, some closed meanwhile
}

func (b *intervalBuilder) segment(k *Kernel, s *Segment, l *liveness, id int) {
	first, last := int32(2*s.First), int32(2*(s.First+s.Count))
	b.live = b.live[:0]
	l.eachOut(id, func(r *ptx.Register) { b.open(r, last) })
	// Registers that stay inside their segments come with the first group.
	ours := func(r *ptx.Register) bool {
		_, _, ok := l.at(r)
		return ok || l.first == 0 && l.number[r.Index] < 0
	}
	for j := s.First + s.Count - 1; j >= s.First; j-- {
		in := &k.PTX.Body[j]
		write, read := int32(2*j+1), int32(2*j)
		guarded := in.Guard.Register != nil
		Writes(in, func(r *ptx.Register) {
			if !ours(r) {
				return
			}
			b.open(r, write+1)
			if !guarded {
				b.close(int32(r.Index), write)
			}
		})
		Reads(in, func(r *ptx.Register) {
			if ours(r) {
				b.open(r, read+1)
			}
		})
	}
	for _, r := range b.live {
		b.close(r, first)
	}
}

// unreached gives the registers that only unreachable instructions name a span
// there: the instruction table lists those instructions too.
func (b *intervalBuilder) unreached(k *Kernel) {
	named := make([]bool, len(b.spans))
	for i, spans := range b.spans {
		named[i] = len(spans) > 0
	}
	for j := range k.PTX.Body {
		at := span{int32(2 * j), int32(2*j + 2)}
		visit := func(r *ptx.Register) {
			if !named[r.Index] {
				named[r.Index] = true
				b.spans[r.Index] = []span{at}
			}
		}
		Reads(&k.PTX.Body[j], visit)
		Writes(&k.PTX.Body[j], visit)
	}
}

// open makes r live up to end, unless it already lives longer.
func (b *intervalBuilder) open(r *ptx.Register, end int32) {
	if b.end[r.Index] == 0 {
		b.end[r.Index] = end
		b.live = append(b.live, int32(r.Index))
	}
}

// close ends the backward walk of a register's span at from, and joins it with
// the span behind it where they touch.
func (b *intervalBuilder) close(r, from int32) {
	end := b.end[r]
	if end == 0 {
		return
	}
	b.end[r] = 0
	spans := b.spans[r]
	if n := len(spans); n > 0 && spans[n-1].from == end {
		spans[n-1].from = from
		return
	}
	b.spans[r] = append(spans, span{from, end})
}

func reverseSpans(s []span) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}
