// SPDX-License-Identifier: Apache-2.0

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
// of 64 bits take an even pair, those of 128 four in a row, and everything narrower than 32
// bits takes a whole register. Predicates are a file of their own.
func allocate(k *Kernel) (*allocation, error) {
	if len(k.PTX.Body) > math.MaxInt32/4 {
		return nil, fmt.Errorf("%s: kernel %s has %d instructions; at most %d are supported", k.PTX.Position, k.PTX.Name, len(k.PTX.Body), math.MaxInt32/4)
	}
	a := &allocation{registers: make([]trace.Register, len(k.PTX.Registers))}
	byUnit := make([][]interval, len(k.Units))
	intervals, err := buildIntervals(k)
	if err != nil {
		return nil, err
	}
	for _, iv := range intervals {
		u := k.UnitAt(int(iv.spans[0].from / 2))
		byUnit[u] = append(byUnit[u], iv)
	}
	bases := make([]registerBase, len(k.Units))
	for _, u := range k.callersFirst() {
		files, ok := placeUnit(a, byUnit[u], bases[u])
		if !ok {
			return nil, fmt.Errorf("%s: kernel %s has %d registers, too many of them live at once to be allocated; split it into kernels that need fewer", k.PTX.Position, k.PTX.Name, len(k.PTX.Registers))
		}
		general, predicates := bases[u].general+len(files[0].busy), bases[u].predicates+len(files[1].busy)
		if most := max(general, predicates); most > math.MaxUint16 {
			return nil, fmt.Errorf("%s: kernel %s needs %d registers a thread; at most %d are supported", k.PTX.Position, k.PTX.Name, most, math.MaxUint16)
		}
		a.general, a.predicates = max(a.general, uint32(general)), max(a.predicates, uint32(predicates))
		k.Units[u].Registers = uint32(len(files[0].busy))
		k.raiseBases(bases, u, &files)
	}
	return a, nil
}

// registerBase is where a unit's registers start in the two files.
type registerBase struct{ general, predicates int }

// maxPlaceWork bounds how many registers place looks at in one unit. Kernels for real
// machines, which have 255 registers a thread, need some hundred thousand.
const maxPlaceWork = 1 << 27

// placeUnit assigns the registers of one unit from its base on, and gives its
// two files, general and predicates; ok is false where that takes too long.
func placeUnit(a *allocation, intervals []interval, base registerBase) (files [2]file, ok bool) {
	for _, iv := range intervals {
		if files[0].work+files[1].work > maxPlaceWork {
			return files, false
		}
		r := trace.Register{Words: 1, Virtual: iv.register.Name}
		if iv.register.Type == ptx.Pred {
			r.File = trace.FilePredicate
			r.Number = uint16(base.predicates + files[1].place(iv.spans, 1))
		} else {
			r.Words = uint8(max(iv.register.Type.Bits()/32, 1))
			r.Number = uint16(base.general + files[0].place(iv.spans, int(r.Words)))
		}
		a.registers[iv.register.Index] = r
	}
	return files, true
}

// maxCrossingWork bounds the search of raiseBases; beyond it a callee starts
// above all registers of its caller.
const maxCrossingWork = 1 << 24

// raiseBases makes the functions that unit u calls start above the registers
// that live across the calls, so that no call overwrites them. Units that can
// call each other share a base: their calls save registers on the stack.
func (k *Kernel) raiseBases(bases []registerBase, u int, files *[2]file) {
	if len(k.Units[u].Callees) == 0 {
		return
	}
	numbers := len(files[0].busy) + len(files[1].busy)
	work := 0
	for _, i := range k.callsOf(u) {
		crossing := registerBase{len(files[0].busy), len(files[1].busy)}
		if work += numbers; work < maxCrossingWork {
			crossing = registerBase{files[0].above(int32(2*i + 2)), files[1].above(int32(2*i + 2))}
		}
		for _, v := range k.calleesOf(i) {
			if k.Units[v].Cycle == k.Units[u].Cycle {
				continue
			}
			// All of a cycle start together; an odd base would split pairs.
			for w := range bases {
				if k.Units[w].Cycle == k.Units[v].Cycle {
					bases[w].general = max(bases[w].general, (bases[u].general+crossing.general+1)&^1)
					bases[w].predicates = max(bases[w].predicates, bases[u].predicates+crossing.predicates)
				}
			}
		}
	}
}

// above is one more than the highest register that is taken at a position.
func (f *file) above(at int32) int {
	for n := len(f.busy) - 1; n >= 0; n-- {
		spans := f.busy[n]
		i := sort.Search(len(spans), func(i int) bool { return spans[i].to > at })
		if i < len(spans) && spans[i].from < at {
			return n + 1
		}
	}
	return 0
}

// file is a register file: for each register the spans in which it is taken,
// ascending and disjoint.
type file struct {
	busy [][]span
	work int // registers that place has looked at
}

// place takes the lowest register (an aligned group of words) that is free in
// all spans.
func (f *file) place(spans []span, words int) int {
	for n := 0; ; n += words {
		f.work++
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
