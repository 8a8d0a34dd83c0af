// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"slices"

	"github.com/warptape/warptape/trace"
)

// maxUndone bounds how often a block is ordered again without a chain that cannot
// be contiguous; then it keeps none.
const maxUndone = 16

// schedule orders a block so that each chain is contiguous, with what it needs
// executed before it (Fig. 6). Chains for which that is impossible are left out:
// something between their members needs one of them and is needed by another.
func (f *finder) schedule(v *values, found []Chain) (order []uint32, kept []Chain) {
	for range maxUndone {
		s := f.newScheduler(v, found)
		bad := s.run()
		if bad < 0 {
			slices.SortFunc(found, func(a, b Chain) int { return int(a.Members[0]) - int(b.Members[0]) })
			return s.order, found
		}
		found = slices.Delete(found, bad, bad+1)
	}
	for i := range v.list {
		order = append(order, uint32(v.first+i))
	}
	return order, nil
}

// scheduler emits instructions in their order, each after what it depends on.
type scheduler struct {
	v      *values
	chains []Chain
	of     []int32   // by instruction of the block: its chain, -1
	needs  [][]int32 // by instruction: those that must come before
	state  []uint8   // by instruction: untouched, being emitted, emitted
	order  []uint32
}

const (
	untouched uint8 = iota
	underWay
	emitted
)

func (f *finder) newScheduler(v *values, found []Chain) *scheduler {
	n := len(v.list)
	s := &scheduler{v: v, chains: found, of: make([]int32, n), needs: make([][]int32, n), state: make([]uint8, n)}
	for i := range s.of {
		s.of[i] = -1
	}
	for c := range found {
		for _, i := range found[c].Members {
			s.of[int(i)-v.first] = int32(c)
		}
	}
	f.dependences(s)
	return s
}

// dependences finds what each instruction of a block has to follow.
type dependences struct {
	f          *finder
	s          *scheduler
	wrote      map[int32]int32   // name: the instruction that wrote it last
	reads      map[int32][]int32 // name: the instructions that have read it since
	lastStore  int32
	loadsSince []int32
	// Guards are recorded in the order of execution, and stay in it.
	lastGuarded int32
	lastEnd     int // place of the last instruction that ends a segment
}

func (f *finder) dependences(s *scheduler) {
	d := &dependences{f: f, s: s, wrote: map[int32]int32{}, reads: map[int32][]int32{}, lastStore: -1, lastGuarded: -1, lastEnd: -1}
	for n := range s.v.list {
		d.registers(n)
		d.memory(n)
		d.control(n)
	}
}

// need lets the n-th instruction follow another, if there is one.
func (d *dependences) need(n int, before int32) {
	if before >= 0 {
		d.s.needs[n] = append(d.s.needs[n], before)
	}
}

func (d *dependences) registers(n int) {
	i := int32(d.s.v.first + n)
	for _, r := range d.f.names.reads[i] {
		if from, ok := d.wrote[r]; ok {
			d.need(n, from)
		}
		d.reads[r] = append(d.reads[r], i)
	}
	for _, w := range d.f.names.wrote[i] {
		if from, ok := d.wrote[w]; ok {
			d.need(n, from)
		}
		for _, r := range d.reads[w] {
			if r != i {
				d.need(n, r)
			}
		}
		d.reads[w] = d.reads[w][:0]
		d.wrote[w] = i
	}
}

func (d *dependences) memory(n int) {
	i := int32(d.s.v.first + n)
	switch memoryOrder(&d.f.kernel.Instructions[i]) {
	case ordersLoad:
		d.need(n, d.lastStore)
		d.loadsSince = append(d.loadsSince, i)
	case ordersStore:
		d.need(n, d.lastStore)
		for _, l := range d.loadsSince {
			d.need(n, l)
		}
		d.loadsSince, d.lastStore = d.loadsSince[:0], i
	}
}

func (d *dependences) control(n int) {
	i := int32(d.s.v.first + n)
	in := &d.f.kernel.Instructions[i]
	if in.Guarded() {
		d.need(n, d.lastGuarded)
		d.lastGuarded = i
	}
	if d.lastEnd >= 0 {
		d.need(n, int32(d.s.v.first+d.lastEnd))
	}
	if in.Class.EndsSegment() {
		for before := d.lastEnd + 1; before < n; before++ {
			d.need(n, int32(d.s.v.first+before))
		}
		d.lastEnd = n
	}
}

// ordering says how an instruction is held against the memory accesses of others.
type ordering uint8

const (
	ordersNothing ordering = iota
	ordersLoad             // after the stores before it
	ordersStore            // after everything before it
)

func memoryOrder(in *trace.Instruction) ordering {
	switch in.Class {
	case trace.ClassLoad:
		if in.Space == trace.SpaceParam || in.Space == trace.SpaceConst || slices.Contains(in.Modifiers, "nc") {
			return ordersNothing // read-only
		}
		return ordersLoad
	case trace.ClassTexture:
		return ordersLoad
	case trace.ClassStore, trace.ClassAtomic, trace.ClassFence, trace.ClassCall, trace.ClassBarrier, trace.ClassShuffle:
		return ordersStore
	}
	return ordersNothing
}

// run emits everything; it returns a chain that cannot be contiguous, or -1.
func (s *scheduler) run() int {
	for n := range s.state {
		if bad := s.emit(int32(n)); bad >= 0 {
			return bad
		}
	}
	return -1
}

// emit puts instruction n (of the block), or its whole chain, after what it needs.
func (s *scheduler) emit(n int32) int {
	switch s.state[n] {
	case emitted:
		return -1
	case underWay:
		if s.of[n] >= 0 {
			return int(s.of[n])
		}
		return s.anyUnderWay()
	}
	members := []int32{n}
	if c := s.of[n]; c >= 0 {
		members = members[:0]
		for _, i := range s.chains[c].Members {
			members = append(members, int32(i)-int32(s.v.first))
		}
	}
	for _, m := range members {
		s.state[m] = underWay
	}
	for _, m := range members {
		for _, i := range s.needs[m] {
			before := i - int32(s.v.first)
			if s.of[before] >= 0 && s.of[before] == s.of[n] {
				continue
			}
			if bad := s.emit(before); bad >= 0 {
				return bad
			}
		}
	}
	for _, m := range members {
		s.state[m] = emitted
		s.order = append(s.order, uint32(int(m)+s.v.first))
	}
	return -1
}

// anyUnderWay is a chain that is being emitted: on every cycle there is one, since
// the instructions alone have none.
func (s *scheduler) anyUnderWay() int {
	for n, state := range s.state {
		if state == underWay && s.of[n] >= 0 {
			return int(s.of[n])
		}
	}
	panic("BUG: chains: a basic block's instructions depend on each other in a circle")
}
