// SPDX-License-Identifier: Apache-2.0

package eesi

// levels are the contents that upper levels of register files have had, by number, and what
// instructions have made of them. A kernel's threads go through few contents again and
// again, so that what an instruction reads and writes at which level is looked up.
type levels struct {
	size   int
	most   int // contents that are kept
	known  []contents
	steps  []step
	number map[upper]uint32
	// recent has, by contents and instruction, steps that were looked up last: those of
	// others may be in their places.
	recent [1 << recentBits]uint32
}

const recentBits = 10

// mostContents are more than kernels without very many paths have.
const mostContents = 1 << 14

// contents are one, and the first of what instructions have made of them; zero is none.
type contents struct {
	upper
	first uint32
}

// step is what an instruction reads and writes where it finds some contents, and the
// contents that it leaves.
type step struct {
	from, instruction, next uint32
	sibling                 uint32 // another one of the same contents; zero is none
	registerUse
	threads uint64 // that have taken it, since they were last collected
}

// begin forgets all: instructions and registers are those of another kernel. Number zero is
// nothing, and step zero none.
func (v *levels) begin(size, most int) {
	v.size, v.most = size, most
	v.known = v.known[:0]
	v.steps = append(v.steps[:0], step{instruction: ^uint32(0)})
	clear(v.recent[:])
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
	at := &v.recent[(from*61+instruction)%(1<<recentBits)]
	if x := &v.steps[*at]; x.from == from && x.instruction == instruction {
		return x
	}
	i := v.known[from].first
	for i != 0 && v.steps[i].instruction != instruction {
		i = v.steps[i].sibling
	}
	if i == 0 {
		i = v.add(from, instruction, op)
	}
	*at = i
	return &v.steps[i]
}

// add finds out what an instruction does that finds contents.
func (v *levels) add(from, instruction uint32, op *operation) uint32 {
	u := v.known[from].upper
	x := step{from: from, instruction: instruction, sibling: v.known[from].first}
	x.registerUse = u.use(op, v.size)
	x.next = v.numberOf(u)
	i := uint32(len(v.steps))
	v.steps = append(v.steps, x)
	v.known[from].first = i
	return i
}

// collect gives the steps with the threads that have taken them since the last call.
func (v *levels) collect(to func(*step)) {
	for i := range v.steps {
		x := &v.steps[i]
		if x.threads != 0 {
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
