package trace

// classCounts counts the classes of codes. Codes are mostly small, and so what is done
// with the counts ends with the largest class that may have occurred.
type classCounts struct {
	counts [maxLaneClass + 1]uint32
	odd    [maxLaneClass + 1]uint32 // that are not yet in counts
	all    uint64                   // all codes, one or the other: none has a higher class
}

func (t *classCounts) reset() {
	clear(t.used())
	t.all = 0
}

// used is the counts of the classes up to the largest one.
func (t *classCounts) used() []uint32 { return t.counts[:int(classOf(t.all))+1] }

// add counts the codes of an execution.
func (t *classCounts) add(mask uint32, codes *[warpLanes]uint64) {
	if mask == allWarpLanes && isZero(codes) {
		t.counts[0] += warpLanes
		return
	}
	all := t.all
	if mask == allWarpLanes {
		for l := 0; l < warpLanes; l += 2 {
			a, b := codes[l], codes[l+1]
			t.counts[classOf(a)]++
			t.odd[classOf(b)]++
			all |= a | b
		}
		mask = 0
	}
	for ; mask != 0; mask &= mask - 1 {
		code := codes[lane(mask)]
		t.counts[classOf(code)]++
		all |= code
	}
	t.all = all
}

// addOdd completes counts. Every other lane is counted apart: lanes that are next to
// each other are mostly of one class, and adding to one number twice takes longer than
// to two.
func (t *classCounts) addOdd() {
	odd := t.odd[:len(t.used())]
	for class, n := range odd {
		t.counts[class] += n
	}
	clear(odd)
}

// isZero reports whether all lanes are as predicted.
func isZero(codes *[warpLanes]uint64) bool {
	var some uint64
	for l := 0; l < warpLanes; l += 8 {
		c := (*[8]uint64)(codes[l:])
		if some |= c[0] | c[1] | c[2] | c[3] | c[4] | c[5] | c[6] | c[7]; some != 0 {
			return false
		}
	}
	return true
}
