// SPDX-License-Identifier: Apache-2.0

package lanecode

import "github.com/warptape/warptape/trace/internal/lanevector"

// ClassCounts counts the classes of codes. Codes are mostly small, and so what is done
// with the counts ends with the largest class that may have occurred.
type ClassCounts struct {
	counts [256]uint32
	odd    [256]uint32 // that are not yet in counts
	All    uint64      // all codes, one or the other: none has a higher class
}

func (t *ClassCounts) Reset() {
	clear(t.Used())
	t.All = 0
}

// Used is the counts of the classes up to the largest one.
func (t *ClassCounts) Used() []uint32 { return t.counts[:int(classOf(t.All))+1] }

// Add counts the codes of an execution.
func (t *ClassCounts) Add(mask uint32, codes *[WarpLanes]uint64) {
	if n, ok := Prefix(mask); ok {
		var classes [WarpLanes]byte
		t.addClasses(&classes, codes, n)
		return
	}
	all := t.All
	for ; mask != 0; mask &= mask - 1 {
		code := codes[Lane(mask)]
		t.counts[classOf(code)]++
		all |= code
	}
	t.All = all
}

// addClasses counts the codes of the first lanes, whose classes it leaves, and clears the others.
func (t *ClassCounts) addClasses(classes *[WarpLanes]byte, codes *[WarpLanes]uint64, lanes int) {
	clear(codes[lanes:])
	all := lanevector.Classify(classes, codes)
	if all == 0 { // as predicted
		t.counts[0] += uint32(lanes)
		return
	}
	lanevector.Count(&t.counts, &t.odd, classes)
	t.counts[0] -= uint32(WarpLanes - lanes) // those behind; odd ones have some of them until AddOdd
	t.All |= all
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
