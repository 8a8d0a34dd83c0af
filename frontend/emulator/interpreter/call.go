// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/trace"
)

// callState is what a warp has to know of the calls that its lanes are in.
type callState struct {
	// activations are the calls that have not been left by all lanes; free are
	// the indices of those to be used again.
	activations []activation
	free        []int32
	// current is each lane's innermost activation, -1 outside of functions.
	current [trace.WarpSize]int32
	// values holds what is passed in registers, one argument behind the other.
	values [][trace.WarpSize]uint64
}

// activation is one execution of a call by some lanes of a warp.
type activation struct {
	site   *callOperation
	parent int32
	// frame is the caller's frame pointer.
	frame uint64
	// live are the lanes that have not returned; lanes that end inside stay.
	live uint32
	// registers, predicates and carry are the caller's, where the call may
	// come back to the caller's code.
	registers  []uint64
	predicates []uint32
	carry      uint32
}

func (s *callState) reset() {
	s.free = s.free[:0]
	for i := range s.activations {
		s.free = append(s.free, int32(i))
	}
	for i := range s.current {
		s.current[i] = -1
	}
}

// appendState adds what tells apart two states of the calls.
func (s *callState) appendState(b []byte) []byte {
	for _, n := range s.current {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	for i := range s.activations {
		a := &s.activations[i]
		b = binary.LittleEndian.AppendUint32(b, uint32(a.parent))
		b = binary.LittleEndian.AppendUint64(b, a.frame)
		b = binary.LittleEndian.AppendUint32(b, a.live)
		for _, v := range a.registers {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		for _, p := range a.predicates {
			b = binary.LittleEndian.AppendUint32(b, p)
		}
	}
	return b
}

// enter takes an unused activation.
func (s *callState) enter(site *callOperation, mask uint32) int32 {
	if len(s.free) == 0 {
		s.activations = append(s.activations, activation{})
		s.free = append(s.free, int32(len(s.activations)-1))
	}
	n := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	a := &s.activations[n]
	a.site, a.parent, a.live = site, s.current[lanes.FirstLane(mask)], mask
	return n
}

// runCall enters functions, the lanes in groups by what they call. All lanes of
// a path are in the same activation, so that one frame pointer serves them.
func runCall(c *warpContext, op *operation, mask uint32) error {
	k, r := op.extra.(*callOperation), c.record
	r.FallThrough = c.active
	if mask == 0 {
		return nil
	}
	if !k.indirect {
		return c.callOne(k, &k.targets[0], mask)
	}
	var activation int32 = -1
	for rest := mask; rest != 0; {
		first := lanes.FirstLane(rest)
		pointer := c.lane(k.pointer, k.wide, first)
		var group uint32
		for m := rest; m != 0; m &= m - 1 {
			if i := lanes.FirstLane(m); c.lane(k.pointer, k.wide, i) == pointer {
				group |= 1 << i
			}
		}
		rest &^= group
		t := k.target(pointer)
		if t == nil {
			return &laneFault{lane: first, fault: coexecution.Fault{Kind: coexecution.FaultCall,
				Detail: fmt.Sprintf("call through 0x%x, which is the address of no function that fits the prototype", pointer)}}
		}
		if t.provided() {
			if err := c.callExternal(k, t, group); err != nil {
				return err
			}
			continue
		}
		if activation < 0 {
			activation = c.activate(k, group)
		}
		c.calls.activations[activation].live |= group
		if err := c.enterFunction(k, t, group, activation); err != nil {
			return err
		}
	}
	return nil
}

// callOne enters the one function of a direct call.
func (c *warpContext) callOne(k *callOperation, t *callTarget, mask uint32) error {
	if t.provided() {
		return c.callExternal(k, t, mask)
	}
	return c.enterFunction(k, t, mask, c.activate(k, mask))
}

// target finds the function that a pointer holds the address of.
func (k *callOperation) target(pointer uint64) *callTarget {
	for i := range k.targets {
		if coexecution.FunctionAddress(k.targets[i].function) == pointer {
			return &k.targets[i]
		}
	}
	return nil
}

// activate notes a call, and saves the registers that the caller may lose.
func (c *warpContext) activate(k *callOperation, mask uint32) int32 {
	n := c.calls.enter(k, mask)
	a := &c.calls.activations[n]
	a.frame = c.lane(k.frame, true, lanes.FirstLane(mask))
	if k.saves {
		a.registers = append(a.registers[:0], c.file[k.firstByte/8:k.endByte/8]...)
		a.predicates = append(a.predicates[:0], c.predicates[k.firstPredicate:k.endPredicate]...)
		a.carry = c.carry
	}
	return n
}

// enterFunction passes the arguments of the lanes in mask and moves their
// frame pointers.
func (c *warpContext) enterFunction(k *callOperation, t *callTarget, mask uint32, activation int32) error {
	frame := lanes.Of[uint64](c.at(k.frame))
	first := lanes.FirstLane(mask)
	below := frame[first] + k.frameBytes
	if k.saves {
		below = memory.AlignUp(below+t.stackBytes-t.frameBytes, k.frameAlign)
	}
	if below+t.frameBytes > c.program.localBytes {
		return &laneFault{lane: first, fault: coexecution.Fault{Kind: coexecution.FaultStack, Detail: fmt.Sprintf(
			"function %s needs %d bytes of stack, the thread has used %d of %d and is %d calls deep; does a recursion not end?",
			t.function.Name, t.frameBytes, below, c.program.localBytes, c.callDepth(first)+1)}}
	}
	c.passMemory(k.arguments, t.params, frame[first], below, mask)
	c.readValues(k.arguments, t.params, frame[first], mask)
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		frame[i] = below
		c.calls.current[i] = activation
	}
	c.writeValues(k.arguments, t.params, below, mask)
	c.record.Call = true
	c.record.AddTarget(t.segment, mask)
	return nil
}

// callDepth counts the calls that a lane is in.
func (c *warpContext) callDepth(lane int) int {
	n := 0
	for a := c.calls.current[lane]; a >= 0; a = c.calls.activations[a].parent {
		n++
	}
	return n
}

// runReturn leaves a function: its results go to where the call wants them.
func runReturn(c *warpContext, op *operation, mask uint32) error {
	k, r := op.extra.(*returnOperation), c.record
	r.FallThrough = c.active &^ mask
	if mask == 0 {
		return nil
	}
	r.Returned = mask
	frame := lanes.Of[uint64](c.at(k.frame))
	first := lanes.FirstLane(mask)
	n := c.calls.current[first]
	a := &c.calls.activations[n]
	above := a.frame
	c.passMemory(k.results, a.site.results, frame[first], above, mask)
	c.readValues(k.results, a.site.results, frame[first], mask)
	if a.site.saves {
		c.restore(a, mask)
	}
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		frame[i] = above
		c.calls.current[i] = a.parent
	}
	c.writeValues(k.results, a.site.results, above, mask)
	if a.live &^= mask; a.live == 0 {
		c.calls.free = append(c.calls.free, n)
	}
	return nil
}

// restore gives the lanes that return the caller's registers back.
func (c *warpContext) restore(a *activation, mask uint32) {
	k := a.site
	for i, v := range a.predicates {
		c.setPredicate(k.firstPredicate+uint32(i), v, mask)
	}
	c.carry = c.carry&^mask | a.carry&mask
	for _, s := range k.savedSlots {
		old := unsafe.Pointer(&a.registers[(s.offset-k.firstByte)/8])
		if s.wide {
			lanes.Keep64(c.at(s.offset), old, mask)
		} else {
			lanes.Keep32(c.at(s.offset), old, mask)
		}
	}
}

// frameBytes gives n bytes of a lane's local memory.
func (c *warpContext) frameBytes(lane int, at uint64, n int) []byte {
	at += uint64(lane) * c.program.localBytes
	return c.localMemory()[at : at+uint64(n)]
}

// passMemory copies what lies in frames on both sides.
func (c *warpContext) passMemory(from, to []passPlace, source, target uint64, mask uint32) {
	for p := range from {
		if from[p].kind != passMemory || to[p].kind != passMemory {
			continue
		}
		c.dirty = true
		for m := mask; m != 0; m &= m - 1 {
			i := lanes.FirstLane(m)
			copy(c.frameBytes(i, target+to[p].offset, to[p].bytes), c.frameBytes(i, source+from[p].offset, from[p].bytes))
		}
	}
}

// readValues reads what a register takes part in; writeValues writes it, after
// everything has been read: in a recursion both sides have the same registers.
func (c *warpContext) readValues(from, to []passPlace, frame uint64, mask uint32) {
	for len(c.calls.values) < len(from) {
		c.calls.values = append(c.calls.values, [trace.WarpSize]uint64{})
	}
	for p := range from {
		if to != nil && from[p].kind == passMemory && to[p].kind == passMemory {
			continue
		}
		for m := mask; m != 0; m &= m - 1 {
			i := lanes.FirstLane(m)
			c.calls.values[p][i] = c.readPlace(&from[p], frame, i)
		}
	}
}

func (c *warpContext) readPlace(p *passPlace, frame uint64, lane int) uint64 {
	switch p.kind {
	case passRegister:
		return c.lane(p.slot, p.wide, lane)
	case passPredicate:
		return uint64(c.predicates[p.slot] >> lane & 1)
	case passMemory:
		var raw [8]byte
		copy(raw[:], c.frameBytes(lane, frame+p.offset, min(p.bytes, 8)))
		return binary.LittleEndian.Uint64(raw[:])
	}
	return 0
}

func (c *warpContext) writeValues(from, to []passPlace, frame uint64, mask uint32) {
	for p := range to {
		if from != nil && from[p].kind == passMemory && to[p].kind == passMemory {
			continue
		}
		for m := mask; m != 0; m &= m - 1 {
			i := lanes.FirstLane(m)
			c.writePlace(&to[p], frame, i, c.calls.values[p][i])
		}
	}
}

func (c *warpContext) writePlace(p *passPlace, frame uint64, lane int, v uint64) {
	switch p.kind {
	case passRegister:
		c.setLane(p.slot, p.wide, lane, truncate(v, 8*p.bytes))
	case passPredicate:
		c.setPredicate(p.slot, uint32(v&1)<<lane, 1<<lane)
	case passMemory:
		var raw [8]byte
		binary.LittleEndian.PutUint64(raw[:], v)
		copy(c.frameBytes(lane, frame+p.offset, min(p.bytes, 8)), raw[:])
		c.dirty = true
	}
}
