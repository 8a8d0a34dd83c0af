package contaminator

import (
	"fmt"
	"math"
	"sort"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// allocation maps virtual registers to physical ones, by Register.Index.
type allocation struct {
	registers           []trace.Register
	general, predicates uint32 // registers used of each file
}

// span is a range of positions [from, to) in which a register is live.
// Instruction i reads at position 2i and writes at 2i+1, so that a source which
// dies and a destination can share a register.
type span struct{ from, to int32 }

// interval is a virtual register with its spans, ascending; the gaps between
// them are holes in which others may use its register.
type interval struct {
	register *ptx.Register
	spans    []span
}

// allocate assigns registers in one scan over the intervals by their start
// (linear scan with holes; there is no limit, so nothing is spilled). Registers
// of 64 bits take an even pair, predicates are a file of their own, and
// everything narrower than 32 bits takes a whole register.
func allocate(k *Kernel) (*allocation, error) {
	if len(k.PTX.Body) > math.MaxInt32/4 {
		return nil, fmt.Errorf("%s: kernel %s has %d instructions; at most %d are supported", k.PTX.Position, k.PTX.Name, len(k.PTX.Body), math.MaxInt32/4)
	}
	a := &allocation{registers: make([]trace.Register, len(k.PTX.Registers))}
	var general, predicates file
	for _, iv := range buildIntervals(k, computeLiveness(k)) {
		r := trace.Register{Words: 1, Virtual: iv.register.Name}
		if iv.register.Type == ptx.Pred {
			r.File = trace.FilePredicate
			r.Number = uint16(predicates.place(iv.spans, 1))
		} else {
			if iv.register.Type.Bits() == 64 {
				r.Words = 2
			}
			r.Number = uint16(general.place(iv.spans, int(r.Words)))
		}
		a.registers[iv.register.Index] = r
	}
	if most := max(len(general.busy), len(predicates.busy)); most > math.MaxUint16 {
		return nil, fmt.Errorf("%s: kernel %s needs %d registers a thread; at most %d are supported", k.PTX.Position, k.PTX.Name, most, math.MaxUint16)
	}
	a.general, a.predicates = uint32(len(general.busy)), uint32(len(predicates.busy))
	return a, nil
}

// file is a register file: for each register the spans in which it is taken,
// ascending and disjoint.
type file struct{ busy [][]span }

// place takes the lowest register (an aligned group of words) that is free in
// all spans.
func (f *file) place(spans []span, words int) int {
	for n := 0; ; n += words {
		for len(f.busy) < n+words {
			f.busy = append(f.busy, nil)
		}
		free := true
		for w := range words {
			free = free && disjoint(f.busy[n+w], spans)
		}
		if !free {
			continue
		}
		for w := range words {
			f.busy[n+w] = merge(f.busy[n+w], spans)
		}
		return n
	}
}

// disjoint reports whether no span of b meets one of a; both are ascending.
func disjoint(a, b []span) bool {
	if len(b) == 0 {
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
	if len(a) == 0 || a[len(a)-1].to <= b[0].from {
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
