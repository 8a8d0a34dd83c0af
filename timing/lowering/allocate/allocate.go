// SPDX-License-Identifier: Apache-2.0

package allocate

import (
	"cmp"
	"math"
	"slices"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// Result is where registers are.
type Result struct {
	Place []int // by virtual register: its first machine register, or predicate; -1: unused
	// General and Predicates are how many of each file are used, SpillBytes the local
	// memory that spilled registers take.
	General, Predicates, SpillBytes int
	// Steps counts the spans that have been compared, and the operations looked at.
	Steps uint64
}

// maxRounds bounds how often registers are spilled anew.
const maxRounds = 40

// Allocate gives every register of a function a place. It puts spills and reloads where
// more than budget registers would be live, and packs predicates where more than so many
// would be. ok is false when that cannot be done: a single operation needs more. l is the function's
// liveness, nil where that is not known yet.
func Allocate(f *ir.Function, l *Liveness, budget, predicates int) (Result, bool) {
	s := spiller{pinned: map[ir.Register]bool{}, unpacked: map[ir.Register]ir.Register{}}
	limit, packed := budget, predicates
	for s.rounds = range maxRounds {
		if l == nil {
			l = NewLiveness(f)
		}
		spans, operations := spansOf(f, l), operationsOf(f)
		l = nil // what follows may change operations
		s.steps += uint64(operations)
		general, most := peaks(f, spans, operations)
		if general > limit || most > packed {
			uses := usesOf(f)
			if s.pack(f, spans, uses, packed) || s.spill(f, spans, uses, limit) {
				continue
			}
		}
		r := place(f, spans, general)
		r.SpillBytes = s.bytes()
		s.steps += r.Steps
		r.Steps = s.steps
		if r.General <= budget && r.Predicates <= predicates {
			return r, true
		}
		// Registers of several words leave gaps, and so do those that are not live all the time.
		limit -= max(r.General-budget, 0)
		packed -= max(r.Predicates-predicates, 0)
		if min(limit, packed) < 1 {
			return r, false
		}
	}
	return Result{}, false
}

func operationsOf(f *ir.Function) (n int) {
	for _, b := range f.Blocks {
		if b != nil {
			n += len(b.Ops)
		}
	}
	return n
}

// peaks gives the most general registers and predicates that are live at a time: where these
// are few, none has to go.
func peaks(f *ir.Function, spans [][]span, operations int) (general, predicates int) {
	change := make([][2]int32, 2*operations+1) // of the registers live, by position
	for r := range spans {
		info := &f.Registers[r]
		for _, x := range spans[r] {
			change[x.from][info.File] += int32(info.Words)
			change[x.to][info.File] -= int32(info.Words)
		}
	}
	var live, most [2]int32
	for i := range change {
		for file := range live {
			live[file] += change[i][file]
			most[file] = max(most[file], live[file])
		}
	}
	return int(most[trace.FileGeneral]), int(most[trace.FilePredicate])
}

// candidate is a register that a scan places.
type candidate struct {
	from  int32 // its first position
	words uint8
	r     ir.Register
}

// place assigns registers in a scan by their first position. Registers of several words leave
// gaps there. Where a second scan that places these first takes fewer registers, it counts. No scan
// takes fewer than are live at a time.
func place(f *ir.Function, spans [][]span, most int) Result {
	order, widest := make([]candidate, 0, len(spans)), uint8(0)
	for r := range spans {
		if len(spans[r]) > 0 {
			words := f.Registers[r].Words
			order = append(order, candidate{spans[r][0].from, words, ir.Register(r)})
			widest = max(widest, words)
		}
	}
	wish := wishes(f)
	slices.SortFunc(order, func(a, b candidate) int {
		if a.from != b.from {
			return cmp.Compare(a.from, b.from)
		}
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(a.r, b.r))
	})
	res := scan(f, spans, order, wish, math.MaxInt)
	if widest <= 1 || res.General <= most {
		return res
	}
	byWords := make([]candidate, 0, len(order))
	for words := int(widest); words >= 0; words-- {
		for _, c := range order {
			if int(c.words) == words {
				byWords = append(byWords, c)
			}
		}
	}
	other := scan(f, spans, byWords, wish, res.General)
	steps := res.Steps + other.Steps
	if other.General < res.General {
		res = other
	}
	res.Steps = steps
	return res
}

// scan assigns registers in an order. It stops where it takes as many as a bound.
func scan(f *ir.Function, spans [][]span, order []candidate, wish []ir.Register, bound int) Result {
	res := Result{Place: make([]int, len(f.Registers))}
	for r := range res.Place {
		res.Place[r] = -1
	}
	var general, predicates file
	for _, c := range order {
		r := c.r
		info := &f.Registers[r]
		if info.File == trace.FilePredicate {
			res.Place[r] = predicates.place(spans[r], 1, -1)
			continue
		}
		want := -1
		if w := wish[r]; w >= 0 {
			want = res.Place[w]
		}
		words := 1
		for words < int(info.Words) {
			words *= 2
		}
		if res.Place[r] = general.place(spans[r], words, want); len(general.spans) >= bound {
			break
		}
	}
	res.General, res.Predicates = len(general.spans), len(predicates.spans)
	res.Steps = general.steps + predicates.steps
	return res
}

// wishes gives, by register, one whose place it would like: that of what it is moved from.
func wishes(f *ir.Function) []ir.Register {
	wish := make([]ir.Register, len(f.Registers))
	for r := range wish {
		wish[r] = -1
	}
	for _, b := range f.Blocks {
		if b == nil {
			continue
		}
		for i := range b.Ops {
			if op := &b.Ops[i]; copies(f, op) {
				wish[op.Dst[0]] = op.Src[0].Register
			}
		}
	}
	return wish
}
