// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"slices"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/trace"
)

// Asynchronous copies are in groups: those of cp.async (PTX ISA 9.7.9.25.3.2), and apart from
// them those of bulk copies to global memory (9.7.9.25.4.2). So are the products of warpgroups
// (9.7.15.7), which read shared memory until they end. Groups are of threads there, and
// of warps here: their lanes execute the instructions together (docs/deviations.md, D178).

// asyncRole is what an instruction has to do with such groups.
type asyncRole struct {
	role     groupRole
	bulk     bool // the groups are those of bulk copies
	products bool // they are those of products of warpgroups
	reads    bool // wait_group.read: for the copies' sources only
	open     bool // wait_all: also for what is not committed
	left     int  // of the latest groups, that may be under way behind a wait
}

type groupRole uint8

const (
	groupNone groupRole = iota
	groupMember
	groupCommitted
	groupAwaited
)

// asyncRoleOf reads cp.async, cp.async.bulk and wgmma.
func asyncRoleOf(in *trace.Instruction) (r asyncRole) {
	has := func(modifier string) bool { return slices.Contains(in.Modifiers, modifier) }
	if r.products = in.Opcode == "wgmma"; !r.products && (in.Opcode != "cp" || !has("async")) {
		return asyncRole{}
	}
	r.bulk = has("bulk")
	switch {
	case has("commit_group"):
		r.role = groupCommitted
	case has("wait_group"):
		r.role, r.reads = groupAwaited, has("read")
		for i := range in.Operands {
			if in.Operands[i].Kind == trace.OperandImmediate {
				r.left = int(min(uint64(in.Operands[i].Value), 1<<20))
			}
		}
	case has("wait_all"):
		r.role, r.open = groupAwaited, true
	case has("bulk_group") && in.Class == trace.ClassBulk, in.Class == trace.ClassLoad, has("mma_async"):
		r.role = groupMember
	}
	return r
}

// groups are a warp's, and its arrivals at mbarriers behind copies of cp.async.
type groups struct {
	copies, bulk, products loadstore.Groups
	behind                 loadstore.Behind
	multiplying            products
}

func (g *groups) reset() {
	g.copies.Reset()
	g.bulk.Reset()
	g.products.Reset()
	g.multiplying.reset()
	g.behind.Reset()
}

func (s *SM) groupsOf(w int, op *operation) *loadstore.Groups {
	switch g := &s.groups[w]; {
	case op.async.products:
		return &g.products
	case op.async.bulk:
		return &g.bulk
	default:
		return &g.copies
	}
}

// grouped adds an instruction that goes into flight to its group, if it has one.
func (s *SM) grouped(w int, op *operation, f loadstore.InFlight) loadstore.InFlight {
	if op.async.role == groupMember {
		f.Group, f.Grouped = s.groupsOf(w, op).Start(), true
		if !op.async.bulk {
			f.Serial = s.groups[w].behind.Start()
		}
	}
	return f
}

// finishGrouped ends a copy of a group. One to global memory has been read then, and is
// performed later.
func (s *SM) finishGrouped(now clock.Cycle, f *loadstore.InFlight) {
	w := int(f.Warp)
	op := &s.program.code[f.Instruction]
	s.groupsOf(w, op).Finish(f.Group)
	if !op.async.bulk {
		slot := s.warps[w].block
		s.groups[w].behind.Finish(f.Serial, func(place uint64, count int64) { s.changeBehind(now, slot, place, -count) })
	}
	s.checkGroups(now, w)
}

// awaitGroups holds warp w until groups are complete.
func (s *SM) awaitGroups(now clock.Cycle, w int) {
	p := &s.warps[w]
	if op := &s.program.code[p.index]; op.async.open {
		s.groupsOf(w, op).Commit()
	}
	p.holdAt(holdGroup, p.index)
	s.checkGroups(now, w)
}

// checkGroups lets warp w go on if it waits for groups that are complete. Stores of a warp to
// global memory are performed about in order, so that those of the latest groups are the last.
func (s *SM) checkGroups(now clock.Cycle, w int) {
	p := &s.warps[w]
	if p.hold != holdGroup {
		return
	}
	op := &s.program.code[p.heldAt]
	g, r := s.groupsOf(w, op), &op.async
	if g.Over(r.left) && (!r.bulk || r.reads || s.port.PendingWrites(w) <= g.Latest(r.left)) {
		s.resume(now, w)
	}
}
