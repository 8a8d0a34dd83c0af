// SPDX-License-Identifier: Apache-2.0

package eesi

// levels are the contents that upper levels of register files have had, by number, and what
// instructions have made of them. A kernel's threads go through few contents again and
// again, so that what an instruction reads and writes at which level is looked up.
type levels struct {
	size   int
	most   int // contents that are kept
	known  []contents
	number map[upper]uint32
}

// mostContents are more than kernels without very many paths have.
const mostContents = 1 << 14

// contents are one, and what instructions have made of them.
type contents struct {
	upper
	steps []step
}

// step is what an instruction reads and writes where it finds some contents, and the
// contents that it leaves.
type step struct {
	instruction, next uint32
	registerUse
	threads uint64 // that have taken it, since they were last collected
}

// begin forgets all: instructions and registers are those of another kernel. Number zero is
// nothing.
func (v *levels) begin(size, most int) {
	v.size, v.most = size, most
	v.known = v.known[:0]
	if v.number == nil {
		v.number = map[upper]uint32{}
	}
	clear(v.number)
	v.numberOf(upper{})
}

// numberOf numbers contents.
func (v *levels) numberOf(u upper) uint32 {
	n, ok := v.number[u]
	if !ok {
		n = uint32(len(v.known))
		v.known = append(v.known, contents{upper: u})
		v.number[u] = n
	}
	return n
}

// step gives what an instruction does that finds contents. It is valid until the next call.
func (v *levels) step(from, instruction uint32, op *operation) *step {
	steps := v.known[from].steps
	for i := range steps {
		if steps[i].instruction == instruction {
			return &steps[i]
		}
	}
	u := v.known[from].upper
	x := step{instruction: instruction}
	x.registerUse = u.use(op, v.size)
	x.next = v.numberOf(u)
	known := &v.known[from]
	known.steps = append(known.steps, x)
	return &known.steps[len(known.steps)-1]
}

// collect gives the steps with the threads that have taken them since the last call.
func (v *levels) collect(to func(*step)) {
	for i := range v.known {
		for k := range v.known[i].steps {
			x := &v.known[i].steps[k]
			to(x)
			x.threads = 0
		}
	}
}

// full reports whether there are so many contents that those should go that no thread has.
func (v *levels) full() bool { return len(v.known) > v.most }

// drop keeps the contents of live threads alone.
func (v *levels) drop(warps []warpSet) {
	known := v.known
	v.known = nil
	v.begin(v.size, v.most)
	for w := range warps {
		if warps[w].live == 0 {
			continue
		}
		for i := range warps[w].uppers {
			x := &warps[w].uppers[i]
			x.contents = v.numberOf(known[x.contents].upper)
		}
	}
	// Threads that are in more contents than are kept have them all.
	v.most = max(v.most, 2*len(v.known))
}
