// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// meetingOperation is what an instruction with a member mask adds to its operation:
// shfl, vote, match, redux, elect and bar.warp .sync. The lanes that the mask names wait
// until all of them that have not ended execute it (9.7.9.6, 9.7.13.9 and others). From
// sm_70 on they may come to it on different paths, and to different instructions with the
// same qualifiers and mask.
type meetingOperation struct {
	members uint32 // slot of the member mask
	// fixed masks are immediate, so that all lanes have the same one.
	fixed bool
	// whole instructions have no mask and take all lanes of the warp: what is .aligned,
	// and the matrix instructions. All lanes come to the same one.
	whole bool
	// name is the instruction with its qualifiers.
	name string
	// source is the slot or predicate that other lanes read.
	source   uint32
	exchange exchangeSource
}

type exchangeSource uint8

const (
	sourceNone exchangeSource = iota
	sourceWord
	sourceWide
	sourcePredicate
)

// meeting makes an operation one of lanes that wait for each other, if the instruction has
// a member mask.
func (l *lowering) meeting(in *ptx.Instruction, op operation) (operation, error) {
	members := memberMask(in)
	if members == nil {
		return op, nil
	}
	slot, err := l.source(members, 32)
	if err != nil {
		return op, err
	}
	k := &meetingOperation{members: slot, fixed: members.Kind == ptx.OperandImmediate, name: mnemonic(in)}
	switch x := op.extra.(type) {
	case *shuffleOperation, *reduxOperation:
		k.source, k.exchange = op.a, sourceWord
	case *matchOperation:
		k.source, k.exchange = op.a, sourceWord
		if x.wide {
			k.exchange = sourceWide
		}
	case *voteOperation:
		k.source, k.exchange = x.a, sourcePredicate
	}
	op.kind, op.meets = kindMeeting, k
	return op, nil
}

// ofWarp makes an operation one that all lanes of the warp execute together. The ISA says
// of each such instruction that a thread waits until all threads of the warp execute the
// same one (9.7.14.5.14 and others).
func (l *lowering) ofWarp(in *ptx.Instruction, op operation, err error) (operation, error) {
	op.kind = kindMeeting
	op.meets = &meetingOperation{members: l.layout.constant(uint64(lanes.FullMask), false), fixed: true, whole: true, name: mnemonic(in)}
	return op, err
}

// memberMask is the operand that names the lanes which execute the instruction together;
// nil without one.
func memberMask(in *ptx.Instruction) *ptx.Operand {
	at := -1
	switch in.Op {
	case ptx.OpShfl:
		at = in.Destinations + 3
	case ptx.OpVote, ptx.OpMatch, ptx.OpRedux:
		at = in.Destinations + 1
	case ptx.OpElect:
		at = in.Destinations
	case ptx.OpBar, ptx.OpBarrier:
		if in.Mods.Has(ptx.ModWarp) {
			at = 0
		}
	}
	if at < 0 || at >= len(in.Operands) {
		return nil
	}
	return &in.Operands[at]
}

// allPresent reports whether all lanes that the member masks of the lanes in mask name, and
// that have not ended, are among them. If not it leaves a request in the record.
func (c *warpContext) allPresent(op *operation, mask uint32) bool {
	live := c.record.Live
	if live&^mask == 0 || mask == 0 {
		return true
	}
	masks := lanes.Of[uint32](c.at(op.meets.members))
	members := masks[lanes.FirstLane(mask)]
	mixed := false
	if !op.meets.fixed {
		for m := mask; m != 0; m &= m - 1 {
			if v := masks[lanes.FirstLane(m)]; v != members {
				members |= v
				mixed = true
			}
		}
	}
	if members&live&^mask == 0 {
		return true
	}
	c.record.Meeting = coexecution.MeetingRequest{Waits: true, Instruction: op.instruction, Mask: mask, Members: members, Mixed: mixed, Whole: op.meets.whole, Name: op.meets.name}
	return false
}

// suspend keeps where the run of a segment is. What its record refers to of the context
// changes until it goes on.
func (c *warpContext) suspend(at int) {
	r := c.record
	r.Resume = coexecution.Resumption{Mask: c.active, At: at}
	c.placePatterns()
}

// placePatterns gives the record at hand addresses in the place of patterns.
func (c *warpContext) placePatterns() {
	for i := range c.record.Accesses {
		if a := &c.record.Accesses[i]; !a.Strided && a.Pattern != nil {
			a.Pattern.Place(a.Base, &a.Addresses)
			a.Pattern = nil
		}
	}
}

// Resume goes on with a run behind the instruction at which it was suspended.
func (c *warpContext) Resume(r *coexecution.Record) error {
	from := r.Resume
	r.Meeting.Waits = false
	c.record, c.active = r, from.Mask
	c.startRun()
	if from.Stepwise {
		return c.stepFrom(from.Segment, from.At+1, from.Mask)
	}
	run := c.program.segments[from.Segment]
	err := c.execute(run[from.At+1:], from.Mask)
	if r.Meeting.Waits {
		r.Resume.Segment = from.Segment
		r.Resume.At += from.At + 1
	}
	return err
}

// Meet executes the instruction at which runs are suspended for the lanes of all of them.
func (c *warpContext) Meet(runs []*coexecution.Record) error {
	if op := &c.program.operations[runs[0].Meeting.Instruction]; op.meets.whole {
		return c.meetWhole(op, runs)
	}
	var values [trace.WarpSize]uint64
	present := uint32(0)
	for _, r := range runs {
		k := c.program.operations[r.Meeting.Instruction].meets
		present |= r.Meeting.Mask
		for m := r.Meeting.Mask; m != 0; m &= m - 1 {
			values[lanes.FirstLane(m)] = c.sourceOf(k, lanes.FirstLane(m))
		}
	}
	for _, r := range runs {
		op := &c.program.operations[r.Meeting.Instruction]
		c.record, c.present = r, present
		if err := c.amongOthers(op, r.Meeting.Mask, &values); err != nil {
			return c.place(err, op.instruction, r.Meeting.Mask)
		}
	}
	return nil
}

// meetWhole executes an instruction that takes all lanes of the warp once for all of them.
// Each run's record gets the accesses with the lanes that are in it.
func (c *warpContext) meetWhole(op *operation, runs []*coexecution.Record) error {
	together := &c.together
	together.Accesses, together.Live, together.Yield = together.Accesses[:0], runs[0].Live, false
	present := uint32(0)
	for _, r := range runs {
		present |= r.Meeting.Mask
	}
	c.record, c.present = together, present
	if err := op.run(c, op, present); err != nil {
		return c.place(err, op.instruction, present)
	}
	c.placePatterns()
	for _, r := range runs {
		r.Yield = r.Yield || together.Yield
		for i := range together.Accesses {
			a := r.NextAccess()
			*a = together.Accesses[i]
			a.Mask &= r.Meeting.Mask
		}
	}
	return nil
}

// amongOthers runs an operation for the lanes in mask, with what the other lanes that are
// present bring to it in the place of its own source.
func (c *warpContext) amongOthers(op *operation, mask uint32, values *[trace.WarpSize]uint64) error {
	k := op.meets
	var kept [trace.WarpSize]uint64
	for m := c.present &^ mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		kept[i] = c.sourceOf(k, i)
		c.setSource(k, i, values[i])
	}
	err := op.run(c, op, mask)
	for m := c.present &^ mask; m != 0; m &= m - 1 {
		c.setSource(k, lanes.FirstLane(m), kept[lanes.FirstLane(m)])
	}
	return err
}

func (c *warpContext) sourceOf(k *meetingOperation, lane int) uint64 {
	switch k.exchange {
	case sourceWord, sourceWide:
		return c.lane(k.source, k.exchange == sourceWide, lane)
	case sourcePredicate:
		return uint64(c.predicates[k.source] >> lane & 1)
	}
	return 0
}

func (c *warpContext) setSource(k *meetingOperation, lane int, value uint64) {
	switch k.exchange {
	case sourceWord, sourceWide:
		c.setLane(k.source, k.exchange == sourceWide, lane, value)
	case sourcePredicate:
		c.setPredicate(k.source, uint32(value)<<lane, 1<<lane)
	}
}

// peers are the lanes of rest that have the member mask of its first lane, and those of
// that mask that are present. Each mask has an exchange of its own.
func (c *warpContext) peers(op *operation, slot, rest uint32) (group, members uint32) {
	if op.meets == nil {
		return rest, rest
	}
	masks := lanes.Of[uint32](c.at(slot))
	mask := masks[lanes.FirstLane(rest)]
	group = rest
	if !op.meets.fixed {
		for m := rest; m != 0; m &= m - 1 {
			if i := lanes.FirstLane(m); masks[i] != mask {
				group &^= 1 << i
			}
		}
	}
	return group, mask & c.present
}
