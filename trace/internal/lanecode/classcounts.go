// SPDX-License-Identifier: Apache-2.0

package lanecode

// ClassCounts counts the classes of codes. Codes are mostly small, and so what is done
// with the counts ends with the largest class that may have occurred.
type ClassCounts struct {
	counts [MaxClass + 1]uint32
	odd    [MaxClass + 1]uint32 // that are not yet in counts
	All    uint64               // all codes, one or the other: none has a higher class
}

func (t *ClassCounts) Reset() {
	clear(t.Used())
	t.All = 0
}

// Used is the counts of the classes up to the largest one.
func (t *ClassCounts) Used() []uint32 { return t.counts[:int(classOf(t.All))+1] }

// Add counts the codes of an execution.
func (t *ClassCounts) Add(mask uint32, codes *[WarpLanes]uint64) {
	if mask == AllWarpLanes && isZero(codes) {
		t.counts[0] += WarpLanes
		return
	}
	all := t.All
	if mask == AllWarpLanes {
		for l := 0; l < WarpLanes; l += 2 {
			a, b := codes[l], codes[l+1]
			t.counts[classOf(a)]++
			t.odd[classOf(b)]++
			all |= a | b
		}
		mask = 0
	}
	for ; mask != 0; mask &= mask - 1 {
		code := codes[Lane(mask)]
		t.counts[classOf(code)]++
		all |= code
	}
	t.All = all
}

// AddOdd completes counts. Every other lane is counted apart: lanes that are next to
// each other are mostly of one class, and adding to one number twice takes longer than
// to two.
func (t *ClassCounts) AddOdd() {
	odd := t.odd[:len(t.Used())]
	for class, n := range odd {
		t.counts[class] += n
	}
	clear(odd)
}

// isZero reports whether all lanes are as predicted.
func isZero(codes *[WarpLanes]uint64) bool {
	var some uint64
	for l := 0; l < WarpLanes; l += 8 {
		c := (*[8]uint64)(codes[l:])
		if some |= c[0] | c[1] | c[2] | c[3] | c[4] | c[5] | c[6] | c[7]; some != 0 {
			return false
		}
	}
	return true
}
