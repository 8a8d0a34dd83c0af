// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/trace"
)

// splitter decouples a kernel that has been analysed (section 4.7, "Decoupling").
type splitter struct {
	*analysis
	plan *Plan
	// wanted marks what the affine stream needs, needed the values that the non-affine
	// stream reads.
	wanted, needed []bool // per instruction
	seen           []bool // per value, scratch
	follows        []bool // per block: it is executed under a branch that is not affine
}

func (s *splitter) split() {
	n := len(s.k.Instructions)
	s.wanted, s.needed = make([]bool, n), make([]bool, n)
	s.follows = s.dataDependent()
	for i := range s.k.Instructions {
		s.judge(uint32(i))
	}
	s.gather()
	for s.plan.options.DataDependent == StopAtData && s.stop() {
		s.gather()
	}
	s.remain()
	for i := range s.plan.Fates {
		f := &s.plan.Fates[i]
		if f.Enqueue == Predicate && !s.needed[i] {
			f.Enqueue = NoQueue // only the affine stream reads it
		}
	}
	s.gather()
	s.place()
	s.embed()
	if !slices.ContainsFunc(s.plan.Fates, func(f Fate) bool { return f.Enqueue != NoQueue }) {
		s.nothing()
	}
}

// judge decides whether a memory access or predicate computation is a candidate that
// can be decoupled.
func (s *splitter) judge(i uint32) {
	in := &s.k.Instructions[i]
	f := &s.plan.Fates[i]
	if s.g.rank[s.g.blockOf[i]] < 0 {
		return
	}
	if id := s.defs[i]; id != none {
		f.Type = s.facts[s.find(id)].typ
	}
	switch {
	case s.plan.options.DataDependent != FollowData && s.follows[s.g.blockOf[i]] && s.candidate(i, in):
		f.Reason = "it is executed under a branch that depends on data, and stays with the warps"
	case s.deep[s.g.blockOf[i]] && s.candidate(i, in):
		f.Reason = s.tooDeep()
	case in.Class == trace.ClassLoad || in.Class == trace.ClassStore:
		s.judgeAccess(i, in, f)
	case in.Class == trace.ClassAtomic || in.Class == trace.ClassTexture:
		f.Reason = "atomic and texture accesses are not decoupled (4: loads, stores and predicates are)"
	case s.defs[i] != none && s.list[s.defs[i]].predicate:
		known := &s.facts[s.find(s.defs[i])]
		if known.typ == NonAffine || known.typ == unknown || !s.operations[i].isPredicate() {
			f.Reason = s.explain(i, known.cause)
			return
		}
		f.Enqueue = Predicate
	}
}

// stop takes out of the affine stream what comes behind a branch of it that the warps
// decide; false when there was nothing.
func (s *splitter) stop() bool {
	behind := make([]bool, len(s.k.Blocks))
	var work []uint32
	enter := func(b uint32) {
		for _, next := range s.k.Blocks[b].Successors {
			if !behind[next] {
				behind[next] = true
				work = append(work, next)
			}
		}
	}
	for i := range s.k.Instructions {
		if (s.wanted[i] || s.k.Instructions[i].Class == trace.ClassExit) && s.supplied(uint32(i)) {
			enter(s.g.blockOf[i])
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		enter(b)
	}
	found := false
	for i := range s.plan.Fates {
		if f := &s.plan.Fates[i]; f.Enqueue != NoQueue && behind[s.g.blockOf[i]] {
			f.Enqueue, f.Conditions = NoQueue, 0
			f.Reason = "it is behind a branch that depends on data, at which the affine warp stops"
			found = true
		}
	}
	return found
}

// candidate reports whether an instruction is one of those that could be decoupled.
func (s *splitter) candidate(i uint32, in *trace.Instruction) bool {
	return (in.Class == trace.ClassLoad || in.Class == trace.ClassStore) && in.Space != trace.SpaceParam ||
		s.defs[i] != none && s.list[s.defs[i]].predicate
}

// dataDependent marks the blocks whose execution a branch decides that is not affine,
// perhaps through others.
func (s *splitter) dataDependent() []bool {
	follows := make([]bool, len(s.k.Blocks))
	for changed := true; changed; {
		changed = false
		for b, branches := range s.control {
			for _, c := range branches {
				if !follows[b] && (follows[c] && c != uint32(b) || s.supplied(s.g.last(c))) {
					follows[b], changed = true, true
				}
			}
		}
	}
	return follows
}

func (s *splitter) judgeAccess(i uint32, in *trace.Instruction, f *Fate) {
	at, why := s.expandable(in)
	if at < 0 || why != "" {
		f.Reason = why
		return
	}
	if in.Guard.Present {
		if g := s.use(s.guards[i], s.g.blockOf[i]); g.typ == NonAffine || g.typ == unknown {
			f.Reason = "its guard is not affine: " + s.explain(i, g.cause)
			return
		}
	}
	address := s.address(i, at)
	if address.typ == NonAffine || address.typ == unknown {
		f.Reason = "its address is not affine: " + s.explain(i, address.cause)
		return
	}
	if f.Reason = address.conditions.tooMany(); f.Reason != "" {
		return
	}
	f.Conditions = int(address.conditions.n)
	f.Enqueue = Address
	if isLoad(in) && !mustWait(in) {
		f.Enqueue = Data
	}
}

// expandable gives the operand of a load or store that is an address which could be
// expanded if it were affine; or -1, or says why there is none.
func (a *analysis) expandable(in *trace.Instruction) (at int, why string) {
	at = slices.IndexFunc(in.Operands, func(o trace.Operand) bool { return o.Kind == trace.OperandAddress })
	switch {
	case in.Space == trace.SpaceParam:
		return -1, ""
	case at >= 0 && in.Operands[at].HasBase && in.Operands[at].Register.File != trace.FileGeneral:
		return at, "its address is no general register"
	case at < 0 || in.Opcode != "ld" && in.Opcode != "st" && in.Opcode != "ldu":
		return at, in.Opcode + " is no plain load or store"
	case slices.Contains(in.Modifiers, "async"): // its words are no addresses alone (trace.WithNumber)
		return at, "st.async is no plain store"
	case a.options.KeepScratchpad && (in.Space == trace.SpaceShared || in.Space == trace.SpaceConst):
		return at, "accesses to shared and constant memory stay with the warps"
	}
	return at, ""
}

// mustWait reports whether a load must see memory as it is when the load executes.
func mustWait(in *trace.Instruction) bool {
	for _, m := range in.Modifiers {
		switch m {
		case "volatile", "cv", "cg", "relaxed", "acquire":
			return true
		}
	}
	return false
}

// explain names the instruction at the root of a reason.
func (s *splitter) explain(i uint32, c cause) string {
	if c.text == "" {
		return "nothing defines it"
	}
	if c.instr == i {
		return c.text
	}
	in := &s.k.Instructions[c.instr]
	return fmt.Sprintf("line %d (%s): %s", in.Line, in.Name(), c.text)
}

// gather marks what the affine stream needs for its enqueues: predecessors, and the
// branches that decide whether they are executed, with their predicates.
func (s *splitter) gather() {
	clear(s.wanted)
	s.seen = make([]bool, len(s.list))
	branches := make([]bool, len(s.k.Blocks))
	blocks := make([]bool, len(s.k.Blocks))
	var work []uint32 // blocks whose control flow is to be followed
	enter := func(i uint32) {
		if b := s.g.blockOf[i]; !blocks[b] {
			blocks[b] = true
			work = append(work, b)
		}
	}
	for i := range s.k.Instructions {
		in := &s.k.Instructions[i]
		switch {
		case s.plan.Fates[i].Enqueue != NoQueue:
			s.wantSources(uint32(i), enter)
		case in.Class == trace.ClassBarrier:
			enter(uint32(i))
		case in.Class == trace.ClassExit && in.Guard.Present:
			s.wantGuard(uint32(i), enter)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range s.control[b] {
			if branches[c] {
				continue
			}
			branches[c] = true
			last := s.g.last(c)
			s.wanted[last] = true
			s.wantGuard(last, enter)
		}
	}
}

// wantGuard marks what the predicate of a branch or exit needs, if it is affine.
func (s *splitter) wantGuard(i uint32, enter func(uint32)) {
	enter(i)
	if s.guards[i] != none && s.use(s.guards[i], s.g.blockOf[i]).typ != NonAffine {
		s.want(s.guards[i], enter)
	}
}

// wantSources marks what an enqueue reads. A predicate's own computation is in the
// affine stream, too.
func (s *splitter) wantSources(i uint32, enter func(uint32)) {
	enter(i)
	in := &s.k.Instructions[i]
	if s.plan.Fates[i].Enqueue == Predicate {
		s.want(s.find(s.defs[i]), enter)
		return
	}
	if in.Guard.Present {
		s.want(s.guards[i], enter)
	}
	for k := range in.Operands {
		if in.Operands[k].Kind == trace.OperandAddress {
			s.want(s.uses[i][k], enter)
		}
	}
}

// want marks the instructions that define a value, and those that define their
// sources, and so on.
func (s *splitter) want(id valueID, enter func(uint32)) {
	work := []valueID{id}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if id == none || s.seen[id] {
			continue
		}
		s.seen[id] = true
		x := &s.list[id]
		if x.kind != valueOperation {
			work = append(work, x.in...)
			if x.kind == valueMerge {
				work = append(work, s.guards[x.instr])
			}
			continue
		}
		s.wanted[x.instr] = true
		enter(x.instr)
		work = append(work, s.uses[x.instr]...)
	}
}

// remain finds what the non-affine stream needs: everything that is not in the
// affine stream, and what that reads. An address that is dequeued needs no
// predecessors there.
func (s *splitter) remain() {
	clear(s.needed)
	s.seen = make([]bool, len(s.list))
	for i := range s.k.Instructions {
		if i := uint32(i); !s.removable(i) {
			s.need(i)
		}
	}
}

// removable reports whether an instruction may leave the non-affine stream.
func (s *splitter) removable(i uint32) bool {
	return s.wanted[i] && s.operations[i].code != codeNone || s.plan.Fates[i].Enqueue == Predicate
}

// need marks what an instruction of the non-affine stream reads.
func (s *splitter) need(i uint32) {
	if s.needed[i] {
		return
	}
	s.needed[i] = true
	work := []uint32{i}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		in := &s.k.Instructions[i]
		f := &s.plan.Fates[i]
		if f.Enqueue == Predicate {
			continue
		}
		work = s.needValue(s.guards[i], work)
		for k, id := range s.uses[i] {
			if in.Operands[k].Kind != trace.OperandAddress || f.Enqueue == NoQueue {
				work = s.needValue(id, work)
			}
		}
		for _, id := range s.extra[i] {
			work = s.needValue(id, work)
		}
	}
}

// needValue appends the instructions that define a value and have not been needed yet.
func (s *splitter) needValue(id valueID, work []uint32) []uint32 {
	values := []valueID{id}
	for len(values) > 0 {
		id := values[len(values)-1]
		values = values[:len(values)-1]
		if id == none || s.seen[id] {
			continue
		}
		s.seen[id] = true
		x := &s.list[id]
		if x.kind != valueOperation {
			values = append(values, x.in...)
			continue
		}
		if !s.needed[x.instr] {
			s.needed[x.instr] = true
			work = append(work, x.instr)
		}
	}
	return work
}

// place decides which stream has an instruction.
func (s *splitter) place() {
	for i := range s.plan.Fates {
		f := &s.plan.Fates[i]
		in := &s.k.Instructions[i]
		f.Affine = s.wanted[i] || in.Class == trace.ClassBarrier || in.Class == trace.ClassExit
		switch f.Enqueue {
		case Predicate:
			f.Dequeue = Predicate
		case Data, Address:
			f.Dequeue = f.Enqueue
		default:
			f.Stays = s.needed[i]
		}
		f.Supplied = f.Affine && s.supplied(uint32(i))
	}
}

// supplied reports whether an instruction decides where threads go on by something
// that is not affine.
func (s *splitter) supplied(i uint32) bool {
	in := &s.k.Instructions[i]
	if in.Class != trace.ClassBranch && in.Class != trace.ClassExit {
		return false
	}
	return s.guards[i] != none && s.use(s.guards[i], s.g.blockOf[i]).typ == NonAffine
}

// embed lets an instruction dequeue a predicate itself that is computed in its block
// and that it is the first to read (figure 7b, line 5). The computation needs no
// instruction of its own then.
func (s *splitter) embed() {
	for i := range s.plan.Fates {
		f := &s.plan.Fates[i]
		if f.Enqueue != Predicate {
			continue
		}
		b := s.k.Blocks[s.g.blockOf[i]]
		for j := uint32(i) + 1; j < b.First+b.Count; j++ {
			user := &s.plan.Fates[j]
			if !s.reads(j, s.defs[i]) || !user.Stays || user.Dequeue == Predicate {
				continue
			}
			if user.Predicate == 0 {
				user.Predicate, f.EmbeddedIn, f.Stays = uint32(i)+1, j+1, false
			}
			break
		}
	}
}

// reads reports whether an instruction reads a value as its guard or an operand.
func (s *splitter) reads(i uint32, id valueID) bool {
	return s.guards[i] == id || slices.Contains(s.uses[i], id)
}

// nothing undoes the split of a kernel in which nothing is enqueued.
func (s *splitter) nothing() {
	s.plan.Reason = "no memory access and no predicate of the kernel is affine"
	for i := range s.plan.Fates {
		f := &s.plan.Fates[i]
		f.Affine, f.Stays, f.Supplied = false, true, false
	}
}

// controlDependence lists, per block, the blocks whose branches decide whether it is
// executed (Ferrante, Ottenstein and Warren, 1987).
func controlDependence(g *graph) [][]uint32 {
	on := make([][]uint32, len(g.k.Blocks))
	for _, b := range g.order {
		block := &g.k.Blocks[b]
		if len(block.Successors) < 2 {
			continue
		}
		for _, at := range block.Successors {
			for steps := 0; at != trace.NoBlock && at != block.PostDominator && steps <= len(g.k.Blocks); steps++ {
				if !slices.Contains(on[at], b) {
					on[at] = append(on[at], b)
				}
				at = g.k.Blocks[at].PostDominator
			}
		}
	}
	return on
}
