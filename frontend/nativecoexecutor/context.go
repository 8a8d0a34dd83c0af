// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// context reads one warp's log. Each lane has a place of its own in it: the next record that
// the lane has written.
type context struct {
	loaded   *program
	program  *program // loaded, or what a thread block goes on with by segments
	identity *coexecution.WarpIdentity
	block    uint64
	place    uint64 // of the block among those that run in a row
	err      error  // that a call which cannot fail met
	records  []contamination.Record
	next     [trace.WarpSize]int
	// frames are the places of each lane's frame, the innermost last.
	frames      [trace.WarpSize][]frame
	values      [trace.WarpSize]uint64
	numbers     [trace.WarpSize]uint32 // of the words of addresses at mbarriers
	coordinates [trace.WarpSize]coordinates
	factors     []byte // of the products of the segment that ran
	stops       uint32 // of the launch whose log is read
}

// frame is where one activation of a unit has its variables, in local memory as the trace has
// it, and by segments its registers, in the thread's state; back is the segment that its call
// comes back to.
type frame struct {
	variables, state uint64
	back             int
}

// Reset readies the context for a warp of a thread block.
func (c *context) Reset(w *coexecution.WarpIdentity) {
	p, g := c.loaded, w.Launch.Grid
	c.program = p
	c.identity = w
	c.block = (uint64(w.Block.Index.Z)*uint64(g.Y)+uint64(w.Block.Index.Y))*uint64(g.X) + uint64(w.Block.Index.X)
	c.place = p.placeInRow(w.Block.Index)
	for i := range c.frames {
		c.frames[i] = append(c.frames[i][:0], frame{})
	}
	c.records, c.err = c.records[:0], nil
	if p.mode == contamination.Straight {
		var log []byte
		if log, c.program, c.err = p.logOf(c.place, w.Warp); c.program == p {
			if c.err == nil {
				c.read(log, w.Lanes)
			}
			return
		}
	}
	if c.err == nil {
		c.err = c.program.beginBlock(c.place)
	}
}

// read takes the log of the lanes that ran, from its begin for all.
func (c *context) read(log []byte, ran uint32) {
	c.records, c.err = contamination.ReadLog(log, c.program.module.rewritten.Count(), c.records)
	for i := range c.records {
		if more := c.records[i].Mask &^ ran; more != 0 && c.err == nil {
			c.err = c.wrong(c.records[i].Statement, more, "the log has a record of a lane that did not run")
		}
	}
	c.advance(c.identity.Lanes, 0)
}

// advance moves lanes to their next records from an index on.
func (c *context) advance(lanes uint32, from int) {
	for i := from; lanes != 0 && i < len(c.records); i++ {
		for m := c.records[i].Mask & lanes; m != 0; m &= m - 1 {
			c.next[bits.TrailingZeros32(m)] = i
		}
		lanes &^= c.records[i].Mask
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		c.next[bits.TrailingZeros32(lanes)] = len(c.records)
	}
}

// take takes the next record of each lane. It must be of the statement and of one of two
// kinds. use is shown each record with the lanes that it is for.
func (c *context) take(number int, lanes uint32, kind, or contamination.Kind, use func(r *contamination.Record, lanes uint32)) error {
	for lanes != 0 {
		i := c.next[bits.TrailingZeros32(lanes)]
		if i == len(c.records) {
			return c.wrong(number, lanes, "the log has nothing more of it")
		}
		r := &c.records[i]
		group := uint32(0)
		for m := lanes & r.Mask; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m); c.next[lane] == i {
				group |= 1 << lane
			}
		}
		if r.Statement != number || r.Kind != kind && r.Kind != or {
			return c.wrong(number, group, fmt.Sprintf("the log has a record of kind %d of line %d", r.Kind, c.lineOf(r.Statement)))
		}
		if use != nil {
			use(r, group)
		}
		c.advance(group, i+1)
		lanes &^= group
	}
	return nil
}

// lineOf is the line of a statement.
func (c *context) lineOf(number int) int {
	for i, n := range c.program.numbers {
		if n == number {
			return c.program.kernel.PTX.Body[i].Line
		}
	}
	return 0
}

// wrong is the error of a log that no run of the kernel writes.
func (c *context) wrong(number int, lanes uint32, what string) error {
	k := c.program.kernel.PTX
	return deviceError(c.program.kernel, &contamination.ErrLog{What: fmt.Sprintf("thread block %d, warp %d, lane %d, at %s:%d: %s",
		c.block, c.identity.Warp, bits.TrailingZeros32(lanes), k.Module.File, c.lineOf(number), what)})
}

// Run gives what the lanes in mask did in a segment.
func (c *context) Run(segment int, mask uint32, r *coexecution.Record) error {
	r.Taken, r.FallThrough, r.Exited, r.Returned, r.Call, r.Yield = 0, 0, 0, 0, false, false
	r.Targets, r.Guards, r.Accesses = r.Targets[:0], r.Guards[:0], r.Accesses[:0]
	r.Barrier.Kind, r.Meeting.Waits = coexecution.BarrierNone, false
	r.Await.Memory = nil
	if c.err == nil && c.program.mode == contamination.Segments {
		c.err = c.runSegment(segment, mask, r)
	}
	if c.err != nil {
		return c.err
	}
	first := c.program.numbers[c.program.kernel.Segments[segment].First]
	if err := c.take(first, mask, contamination.KindVisit, contamination.KindVisit, nil); err != nil {
		return err
	}
	return c.walk(segment, 0, false, mask, r)
}

// walk follows the instructions of a segment from one on; met says that it is the one at
// which the run was suspended.
func (c *context) walk(segment, from int, met bool, mask uint32, r *coexecution.Record) error {
	k := c.program.kernel
	s := &k.Segments[segment]
	executes := mask
	for i := s.First + from; i < s.First+s.Count; i++ {
		in, site := &k.PTX.Body[i], &c.program.sites[i]
		resumed := met
		if met {
			met, executes = false, r.Meeting.Mask
		} else {
			predicate, m, err := c.guard(i, site, mask, r)
			if err != nil {
				return err
			}
			executes = m
			if present, err := c.present(i, site, executes, r); err != nil {
				return err
			} else if !present {
				r.Resume = coexecution.Resumption{Segment: segment, At: i - s.First, Mask: mask}
				return nil
			}
			if site.Barrier != nil && executes != 0 {
				if err := c.barrier(i, site, executes, predicate, r); err != nil {
					return err
				}
			}
		}
		if in.Op == ptx.OpNanosleep {
			r.Yield = r.Yield || executes != 0
		}
		if c.program.mode == contamination.Segments && executes != 0 && in.MultipliesGroups() {
			if err := c.multiply(segment, i, r); err != nil {
				return deviceError(k, err)
			}
		}
		if k.Static.Instructions[i].Values {
			r.BarrierAccess(i, executes)
		}
		if site.ClusterBarrier && executes != 0 {
			r.Barrier = coexecution.BarrierRequest{Kind: coexecution.BarrierSync, ID: coexecution.ClusterBarrierID, Mask: executes, Aligned: in.Mods.Has(ptx.ModAligned)}
		}
		if site.Address != nil || site.Bulk != nil {
			if err := c.access(i, site, executes, r); err != nil {
				return err
			}
			if site.AtMbarrier {
				if err := c.atMbarrier(i, site, mask, executes, r); err != nil {
					return err
				}
			}
		}
		if !resumed {
			if err := c.passOn(site, mask); err != nil {
				return err
			}
		}
	}
	return c.leave(s, mask, executes, r)
}

// guard gives the lanes that execute an instruction.
func (c *context) guard(i int, site *contamination.Site, mask uint32, r *coexecution.Record) (predicate, executes uint32, err error) {
	number := c.program.numbers[i]
	holds := func(into *uint32) func(r *contamination.Record, lanes uint32) {
		return func(r *contamination.Record, lanes uint32) { *into |= r.Holds & lanes }
	}
	if p := site.Predicate; contamination.Logged(p) {
		if err := c.take(number, mask, contamination.KindGuard, contamination.KindGuard, holds(&predicate)); err != nil {
			return 0, 0, err
		}
	} else if p != nil && (p.Value != 0) != p.Negated {
		predicate = ^uint32(0)
	}
	if !site.Guard && !site.Jumps {
		return predicate, mask, nil
	}
	err = c.take(number, mask, contamination.KindGuard, contamination.KindGuard, holds(&executes))
	if site.Guard {
		r.Guards = append(r.Guards, executes)
	}
	return predicate, executes, err
}

// operand gives each lane's value of an operand.
func (c *context) operand(i int, o *ptx.Operand, lanes uint32) error {
	if !contamination.Logged(o) {
		for m := lanes; m != 0; m &= m - 1 {
			c.values[bits.TrailingZeros32(m)] = o.Value
		}
		return nil
	}
	return c.take(c.program.numbers[i], lanes, contamination.KindStrided, contamination.KindList, func(r *contamination.Record, lanes uint32) {
		for m := lanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			c.values[lane] = r.Value(lane)
		}
	})
}

// present reports whether all lanes that execute an instruction together are there; else it
// leaves a request in the record.
func (c *context) present(i int, site *contamination.Site, executes uint32, r *coexecution.Record) (bool, error) {
	if site.Members == nil && !site.Whole {
		return true, nil
	}
	members, mixed := ^uint32(0), false
	if site.Members != nil {
		if err := c.operand(i, site.Members, executes); err != nil {
			return false, err
		}
		if executes != 0 {
			members = uint32(c.values[bits.TrailingZeros32(executes)])
		}
		for m := executes; m != 0; m &= m - 1 {
			if v := uint32(c.values[bits.TrailingZeros32(m)]); v != members {
				members |= v
				mixed = true
			}
		}
	}
	if executes == 0 || r.Live&^executes == 0 || members&r.Live&^executes == 0 {
		return true, nil
	}
	in := &c.program.kernel.PTX.Body[i]
	r.Meeting = coexecution.MeetingRequest{Waits: true, Instruction: i, Mask: executes, Members: members, Mixed: mixed, Whole: site.Whole, Name: mnemonic(in)}
	return false, nil
}

func (c *context) barrier(i int, site *contamination.Site, executes, predicate uint32, r *coexecution.Record) error {
	in := &c.program.kernel.PTX.Body[i]
	first := bits.TrailingZeros32(executes)
	if err := c.operand(i, site.Barrier, executes); err != nil {
		return err
	}
	b := coexecution.BarrierRequest{Kind: coexecution.KindOfBarrier(in), ID: uint32(c.values[first]), Mask: executes, Predicate: predicate,
		Aligned: in.Op == ptx.OpBar || in.Mods.Has(ptx.ModAligned)}
	if b.ID >= coexecution.NamedBarriers {
		return c.wrong(c.program.numbers[i], executes, fmt.Sprintf("barrier %d", b.ID))
	}
	if site.Threads != nil {
		if err := c.operand(i, site.Threads, executes); err != nil {
			return err
		}
		if b.Threads = uint32(c.values[first]); b.Threads == 0 || b.Threads%trace.WarpSize != 0 {
			return c.wrong(c.program.numbers[i], executes, fmt.Sprintf("a barrier for %d threads", b.Threads))
		}
	}
	if site.Predicate != nil {
		b.Result = c.reduced(in)
	}
	r.Barrier = b
	return nil
}

// following is the segment that a lane comes to next, Exit if it has ended.
func (c *context) following(lane int) int {
	i := c.next[lane]
	if i == len(c.records) {
		return contaminator.Exit
	}
	r := &c.records[i]
	segment, ok := c.program.segments[r.Statement]
	switch {
	case !ok:
	case c.program.mode == contamination.Straight && r.Kind == contamination.KindVisit:
		return segment
	case c.program.mode == contamination.Segments && r.Kind == contamination.KindNext && !c.logsBehind(lane, i):
		return segment
	}
	return unknownSegment
}

// logsBehind reports whether a lane has records behind one.
func (c *context) logsBehind(lane, i int) bool {
	return slices.ContainsFunc(c.records[i+1:], func(r contamination.Record) bool { return r.Mask>>lane&1 != 0 })
}

const unknownSegment = -2
