// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// divergentSegments lists which segments with two ways out are divergent.
func divergentSegments(k *Kernel) (divergent, uniform int) {
	for i := range k.Segments {
		switch s := &k.Segments[i]; {
		case s.Divergent:
			divergent++
		case len(s.Successors) > 1:
			uniform++
		}
	}
	return divergent, uniform
}

func TestDivergenceOfBranches(t *testing.T) {
	cases := []struct {
		what, body         string
		divergent, uniform int
	}{
		{"parameter", "ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r2, 1; L: ret;", 0, 1},
		{"thread block", "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r2, 1; L: ret;", 0, 1},
		{"thread", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r2, 1; L: ret;", 1, 0},
		{"thread through arithmetic", "mov.u32 %r1, %laneid; mad.lo.u32 %r2, %r1, 4, %r3; setp.eq.u32 %p1, %r2, 0; @!%p1 bra L; mov.u32 %r2, 1; L: ret;", 1, 0},
		{"memory", "ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r2, 1; L: ret;", 1, 0},
		{"constant memory", "ld.param.u64 %rd1, [out]; ld.const.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r2, 1; L: ret;", 0, 1},
		{"atomic", "ld.param.u64 %rd1, [out]; atom.global.add.u32 %r1, [%rd1], 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r2, 1; L: ret;", 1, 0},
		{"exit of some lanes", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 exit; mov.u32 %r2, 1; ret;", 1, 0},
		{"guarded write", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 0; @%p1 mov.u32 %r2, 1; setp.eq.u32 %p2, %r2, 0; @%p2 bra L; mov.u32 %r3, 1; L: ret;", 1, 0},
		{"both ways alike", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; L: ret;", 0, 0},
		{"written on one side of a divergent branch", `mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 0; @%p1 bra L; mov.u32 %r2, 1;
			L: setp.eq.u32 %p2, %r2, 0; @%p2 bra M; mov.u32 %r3, 1; M: ret;`, 2, 0},
		{"counted loop inside a divergent branch", `mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; mov.u32 %r2, 8;
			LOOP: add.u32 %r2, %r2, -1; setp.ne.u32 %p2, %r2, 0; @%p2 bra LOOP; L: ret;`, 1, 1},
		{"value of a loop that lanes leave at different times", `mov.u32 %r1, %tid.x; mov.u32 %r2, 0;
			LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;
			setp.eq.u32 %p2, %r2, 3; @%p2 bra M; mov.u32 %r3, 1; M: ret;`, 2, 0},
	}
	for _, c := range cases {
		divergent, uniform := divergentSegments(fromText(t, c.body))
		if divergent != c.divergent || uniform != c.uniform {
			t.Errorf("%s: %d divergent, %d uniform; want %d, %d", c.what, divergent, uniform, c.divergent, c.uniform)
		}
	}
}

// machine runs a random kernel on one warp with a post-dominator stack: the
// twin that shows what lanes really do.
type machine struct {
	k     *Kernel
	lanes [trace.WarpSize][]uint64 // registers by index
}

type stackEntry struct {
	segment, until int
	mask           uint32
}

// run reports the segments that sent the lanes of one visit different ways.
func (m *machine) run(steps int) map[int]bool {
	split := make(map[int]bool)
	stack := []stackEntry{{0, Exit - 1, ^uint32(0)}}
	for range steps {
		for len(stack) > 0 && (stack[len(stack)-1].mask == 0 || stack[len(stack)-1].segment == Exit || arrived(stack)) {
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			break
		}
		top := &stack[len(stack)-1]
		at := top.segment
		ways := m.visit(at, top.mask)
		if len(ways) == 1 {
			top.segment = ways[0].segment
			continue
		}
		split[at] = true
		for i := range stack { // lanes that ended are nowhere any more
			stack[i].mask &^= endedLanes(ways)
		}
		mask, until := top.mask, top.until
		stack = stack[:len(stack)-1]
		for _, join := range m.k.Segments[at].Joins {
			if until == join || ends(stack, join) >= 0 {
				continue
			}
			stack = append(stack, stackEntry{join, until, mask})
			until = join
		}
		for _, w := range ways {
			if w.segment == Exit {
				continue
			}
			stack = append(stack, stackEntry{w.segment, until, w.mask})
			if arrived(stack) {
				stack = stack[:len(stack)-1]
			}
		}
	}
	return split
}

// ends is the lowest entry that stops at a segment, -1 without one.
func ends(stack []stackEntry, segment int) int {
	return slices.IndexFunc(stack, func(e stackEntry) bool { return e.until == segment })
}

// arrived reports whether the top entry is where another waits, and takes its lanes out
// of those that wait inside of that one.
func arrived(stack []stackEntry) bool {
	top := stack[len(stack)-1]
	first := ends(stack, top.segment)
	if first < 0 {
		return false
	}
	for i := first; i < len(stack)-1; i++ {
		stack[i].mask &^= top.mask
	}
	return true
}

func endedLanes(ways []stackEntry) uint32 {
	for _, w := range ways {
		if w.segment == Exit {
			return w.mask
		}
	}
	return 0
}

// visit runs one segment and groups the lanes by where they go.
func (m *machine) visit(segment int, mask uint32) []stackEntry {
	s := &m.k.Segments[segment]
	for j := s.First; j < s.First+s.Count; j++ {
		for rest := mask; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			if in := &m.k.PTX.Body[j]; m.guardHolds(in, lane) {
				m.execute(in, lane)
			}
		}
	}
	var ways []stackEntry
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		to := m.destination(s, lane)
		found := false
		for i := range ways {
			if ways[i].segment == to {
				ways[i].mask |= 1 << lane
				found = true
			}
		}
		if !found {
			ways = append(ways, stackEntry{segment: to, mask: 1 << lane})
		}
	}
	return ways
}

func (m *machine) destination(s *Segment, lane int) int {
	in := m.k.terminator(s)
	if !m.guardHolds(in, lane) {
		return s.FallThrough
	}
	switch in.Op {
	case ptx.OpBra:
		return m.k.SegmentAt(in.Operands[0].Label.Index)
	case ptx.OpBrx:
		l := in.Operands[1].Labels
		return m.k.SegmentAt(l[m.value(&in.Operands[0], lane)%uint64(len(l))].Index)
	case ptx.OpRet, ptx.OpExit:
		return Exit
	}
	return s.FallThrough
}

func (m *machine) guardHolds(in *ptx.Instruction, lane int) bool {
	g := in.Guard
	return g.Register == nil || (m.lanes[lane][g.Register.Index] != 0) != g.Negated
}

func (m *machine) value(o *ptx.Operand, lane int) uint64 {
	switch o.Kind {
	case ptx.OperandRegister:
		return m.lanes[lane][o.Register.Index]
	case ptx.OperandSpecial:
		return uint64(lane)
	case ptx.OperandVector:
		return m.value(&o.Elements[0], lane) | m.value(&o.Elements[1], lane)<<32
	}
	return o.Value
}

func (m *machine) execute(in *ptx.Instruction, lane int) {
	set := func(o *ptx.Operand, v uint64) {
		if o.Register.Type.Bits() == 32 {
			v = uint64(uint32(v))
		}
		m.lanes[lane][o.Register.Index] = v
	}
	get := func(i int) uint64 { return m.value(&in.Operands[i], lane) }
	switch in.Op {
	case ptx.OpAdd:
		set(&in.Operands[0], get(1)+get(2))
	case ptx.OpMul:
		set(&in.Operands[0], get(1)*get(2))
	case ptx.OpSetp:
		less := uint64(0)
		if get(2) < get(3) {
			less = 1
		}
		set(&in.Operands[0], less)
		set(&in.Operands[1], 1-less)
	case ptx.OpLd:
		for i := range in.Operands[0].Elements {
			set(&in.Operands[0].Elements[i], uint64(lane*7+i)%11)
		}
	case ptx.OpSelp:
		if get(3) != 0 {
			set(&in.Operands[0], get(1))
		} else {
			set(&in.Operands[0], get(2))
		}
	case ptx.OpMov:
		set(&in.Operands[0], get(1))
	}
}

// What the analysis calls uniform never splits a warp.
func TestUniformBranchesNeverSplitAWarp(t *testing.T) {
	splits, uniform := 0, 0
	check := func(seed uint64, k *Kernel) {
		m := machine{k: k}
		for lane := range m.lanes {
			m.lanes[lane] = make([]uint64, len(k.PTX.Registers))
		}
		for segment := range m.run(1000) {
			splits++
			if !k.Segments[segment].Divergent {
				t.Fatalf("seed %d: %s: segment %d split the warp and is not divergent", seed, k.PTX.Name, segment)
			}
		}
		_, u := divergentSegments(k)
		uniform += u
	}
	for _, seed := range tracetest.Seeds(t, 1000, tracetest.Fewer(30, 100)) {
		check(seed, mustContaminate(t, randomKernel(t, seed, 9)))
		check(seed, mustContaminate(t, structuredKernel(t, seed)))
	}
	if tracetest.Whole() && (splits < 1000 || uniform < 1000) {
		t.Errorf("the test saw %d splits and %d uniform branches: too few to mean something", splits, uniform)
	}
}
