// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/warptape/warptape/frontend/ptx"
)

// StackBytes is the stack that a thread has for calls where their depth is not
// known before the kernel runs. CUDA's default is 1 KiB beyond the frames that
// the compiler knows; the limit can be set up to the local memory of a thread.
const StackBytes = 32 << 10

// setUnits fills Units from the linked kernel: entries, which unit calls which, and where
// calls return to.
func (k *Kernel) setUnits() {
	if len(k.PTX.Units) == 0 {
		k.Units = []Unit{{PTX: &ptx.Unit{Count: len(k.PTX.Body), Variables: k.PTX.Variables, ArgumentAlign: 1}}}
		return
	}
	for i := range k.PTX.Units {
		u := &k.PTX.Units[i]
		k.Units = append(k.Units, Unit{PTX: u, Entry: k.SegmentAt(u.First)})
	}
	for i := range k.Segments {
		s := &k.Segments[i]
		if k.terminator(s).Op != ptx.OpCall {
			continue
		}
		for _, callee := range k.calleesOf(s.First + s.Count - 1) {
			k.Units[s.Unit].Callees = insert(k.Units[s.Unit].Callees, callee)
			if s.FallThrough != Exit {
				k.Units[callee].Returns = insert(k.Units[callee].Returns, s.FallThrough)
			}
		}
	}
	k.findCycles()
}

// insert puts n into an ascending list, once.
func insert(list []int, n int) []int {
	i, found := slices.BinarySearch(list, n)
	if found {
		return list
	}
	return slices.Insert(list, i, n)
}

// UnitOf finds the unit of a function that a call can reach; 0, which is the kernel's, if it has none.
func (k *Kernel) UnitOf(f *ptx.Function) int {
	if k.unitNumbers == nil {
		k.unitNumbers = make(map[*ptx.Function]int, len(k.Units))
		for i := range k.Units {
			k.unitNumbers[k.Units[i].PTX.Function] = i
		}
	}
	return k.unitNumbers[f]
}

// UnitAt is the unit that an instruction belongs to.
func (k *Kernel) UnitAt(instruction int) int {
	return sort.Search(len(k.Units), func(i int) bool { return k.Units[i].PTX.First > instruction }) - 1
}

// calleesOf lists the units that the call at an instruction can reach.
func (k *Kernel) calleesOf(instruction int) []int {
	var list []int
	for _, f := range k.PTX.Body[instruction].Callees(k.PTX.Module) {
		if f.Defined {
			list = append(list, k.UnitOf(f))
		}
	}
	return list
}

// callsOf lists the calls in a unit.
func (k *Kernel) callsOf(unit int) []int {
	var list []int
	u := k.Units[unit].PTX
	for i := u.First; i < u.First+u.Count; i++ {
		if k.PTX.Body[i].Op == ptx.OpCall {
			list = append(list, i)
		}
	}
	return list
}

// findCycles numbers the strongly connected components of the call graph
// (Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972), callees
// before callers.
func (k *Kernel) findCycles() {
	n := len(k.Units)
	t := tarjan{k: k, index: make([]int, n), low: make([]int, n), onStack: make([]bool, n)}
	for i := range k.Units {
		if t.index[i] == 0 {
			t.visit(i)
		}
	}
}

type tarjan struct {
	k          *Kernel
	index, low []int
	onStack    []bool
	stack      []int
	next       int
	cycles     int
}

func (t *tarjan) visit(u int) {
	t.next++
	t.index[u], t.low[u] = t.next, t.next
	t.stack, t.onStack[u] = append(t.stack, u), true
	for _, v := range t.k.Units[u].Callees {
		if t.index[v] == 0 {
			t.visit(v)
			t.low[u] = min(t.low[u], t.low[v])
		} else if t.onStack[v] {
			t.low[u] = min(t.low[u], t.index[v])
		}
	}
	if t.low[u] != t.index[u] {
		return
	}
	first := slices.Index(t.stack, u)
	members := t.stack[first:]
	for _, v := range members {
		t.onStack[v] = false
		t.k.Units[v].Cycle = t.cycles
		t.k.Units[v].Recursive = len(members) > 1 || slices.Contains(t.k.Units[v].Callees, v)
	}
	t.cycles++
	t.stack = t.stack[:first]
}

// callersFirst orders the units so that every one stands behind its callers,
// but for those of its own cycle.
func (k *Kernel) callersFirst() []int {
	order := make([]int, len(k.Units))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return k.Units[order[i]].Cycle > k.Units[order[j]].Cycle })
	return order
}

// frameAlign is the least alignment of frames in bytes.
const frameAlign = 16

// placeFrames lays out the frames: of a function its .local variables and then
// its argument area; the kernel's argument area lies behind its variables. It
// adds the frames of the deepest chain of calls to LocalBytes.
func (k *Kernel) placeFrames() error {
	align := uint32(frameAlign)
	for i := range k.Units {
		u := k.Units[i].PTX
		align = max(align, u.ArgumentAlign)
		for _, v := range u.Variables {
			align = max(align, v.Align)
		}
	}
	k.FrameAlign = uint64(align)
	for i := range k.Units {
		end := k.placeFrame(i)
		k.Units[i].FrameBytes = alignUp(end, align)
		if i == 0 {
			k.LocalBytes = end
		}
	}
	if len(k.Units) == 1 {
		return nil
	}
	depth := make([]uint64, len(k.Units))
	order := k.callersFirst()
	slices.Reverse(order) // callees first
	recursive := false
	for _, u := range order {
		recursive = recursive || k.Units[u].Recursive
		deepest := uint64(0)
		for _, v := range k.Units[u].Callees {
			deepest = max(deepest, depth[v])
		}
		depth[u] = k.Units[u].FrameBytes + deepest
		if depth[u] > math.MaxInt32 {
			return fmt.Errorf("%s: the frames of the functions that kernel %s calls take more than %d bytes", k.PTX.Position, k.PTX.Name, math.MaxInt32)
		}
	}
	k.LocalBytes = depth[0]
	if recursive {
		k.LocalBytes += StackBytes
	}
	return nil
}

// FrameStep is how far a callee's frame lies behind its caller's. It is behind the caller's
// own, and what a call saves of the caller's registers where it may come back to the caller.
func (k *Kernel) FrameStep(caller, callee int) uint64 {
	u := &k.Units[caller]
	if k.Units[callee].Cycle != u.Cycle {
		return u.FrameBytes
	}
	return alignUp(u.FrameBytes+4*uint64(u.Registers), uint32(k.FrameAlign))
}

// placeFrame places the variables of a unit and gives the end of its frame.
func (k *Kernel) placeFrame(unit int) uint64 {
	u, end := k.Units[unit].PTX, uint64(0)
	if unit == 0 {
		end = k.LocalBytes // its variables are placed already
	}
	for _, v := range u.Variables {
		if v.Space == ptx.SpaceLocal && unit > 0 {
			end = placeAt(k.LocalOffsets, v, end)
		}
	}
	arguments := alignUp(end, max(u.ArgumentAlign, 1))
	for _, v := range u.Variables {
		if v.Space == ptx.SpaceArgument {
			k.LocalOffsets[v] = arguments + v.Offset
		}
	}
	if u.ArgumentBytes > 0 {
		end = arguments + u.ArgumentBytes
	}
	return end
}

// pathSuccessors lists the segments that a lane can execute after s: where a
// call leads, the function's entry; where a function ends, all segments that
// follow calls of it.
func (k *Kernel) pathSuccessors(s *Segment) []int {
	in := k.terminator(s)
	switch {
	case in.Op == ptx.OpCall:
		var list []int
		through := in.Guard.Register != nil
		for _, f := range in.Callees(k.PTX.Module) {
			if !f.Defined {
				through = true
			} else {
				list = append(list, k.Units[k.UnitOf(f)].Entry)
			}
		}
		if through || len(list) == 0 {
			list = append(list, s.Successors...)
		}
		return list
	case in.Op == ptx.OpRet && s.Unit > 0:
		return append(slices.Clone(s.Successors), k.Units[s.Unit].Returns...)
	}
	return s.Successors
}

// maxReturns is how many basic blocks can follow one in a trace.
const maxReturns = 1000

// checkReturns refuses functions that are called from more places than a trace
// can name.
func (k *Kernel) checkReturns() error {
	for i := range k.Units {
		if n := len(k.Units[i].Returns); n > maxReturns {
			f := k.Units[i].PTX.Function
			return fmt.Errorf("%s: kernel %s calls function %s from %d places; a trace holds at most %d", f.Position, k.PTX.Name, f.Name, n, maxReturns)
		}
	}
	for i := range k.Segments {
		if n := len(k.pathSuccessors(&k.Segments[i])); n > maxReturns+16 {
			return fmt.Errorf("%s: this call or branch has %d targets; a trace holds at most %d", k.terminator(&k.Segments[i]).Position, n, maxReturns)
		}
	}
	return nil
}
