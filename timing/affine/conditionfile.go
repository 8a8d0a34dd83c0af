// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"

	"github.com/warptape/warptape/trace"
)

// conditionFile is the compiler's allocation of the divergent condition register file
// (section 4.7): the bit vectors by which expansion units choose among a value's tuples.
// A condition keeps its register for the whole kernel (deviation D70).
type conditionFile struct {
	entries int
	given   map[condition]bool // false: none was left for it
}

// take gives conditions registers; true when one has got none that had not been asked for
// before.
func (r *conditionFile) take(c *conditions) bool {
	refused := false
	for _, x := range c.list[:c.n] {
		if _, known := r.given[x]; known {
			continue
		}
		r.given[x] = r.entries > 0
		if r.entries == 0 {
			refused = true
			continue
		}
		r.entries--
	}
	return refused
}

// refuses reports whether a condition has no register.
func (r *conditionFile) refuses(x condition) bool {
	given, known := r.given[x]
	return known && !given
}

// allocate gives registers to the conditions of everything that expansion units could
// expand, in the order of the kernel's text, and reports whether some have got none.
func (a *analysis) allocate() bool {
	refused := false
	for i := range a.k.Instructions {
		in := &a.k.Instructions[i]
		b := a.g.blockOf[i]
		switch {
		case a.g.rank[b] < 0 || a.deep[b]:
		case a.operations[i].code == codeCompare:
			refused = a.allocateCompare(uint32(i), in) || refused
		case in.Class == trace.ClassLoad || in.Class == trace.ClassStore:
			if at, why := a.expandable(in); at >= 0 && why == "" {
				f := a.address(uint32(i), at)
				refused = a.allocateFor(&f) || refused
			}
		}
	}
	return refused
}

// allocateCompare gives registers to the conditions of what a comparison reads.
func (a *analysis) allocateCompare(i uint32, in *trace.Instruction) bool {
	if a.defs[i] == none || a.facts[a.find(a.defs[i])].typ == NonAffine {
		return false
	}
	refused := false
	for k := int(in.Destinations); k < len(in.Operands); k++ {
		f := a.operand(i, k)
		refused = a.allocateFor(&f) || refused
	}
	return refused
}

func (a *analysis) allocateFor(f *fact) bool {
	if f.typ == NonAffine || f.conditions.tooMany() != "" {
		return false
	}
	return a.file.take(&f.conditions)
}

// noRegister is the reason of a value whose divergent condition has no register.
func (a *analysis) noRegister() string {
	return fmt.Sprintf("its tuples need a divergent condition register, and all %d are taken (section 4.7, Table 1)", a.depth)
}
