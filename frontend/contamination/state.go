// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// State is where the state of a thread lies between segments: first the number of the
// segment that comes next, then the kernel's registers that live across segments, and local
// memory. Behind it are the frames of functions (see Frame).
type State struct {
	// Bytes is the size of a thread's state without frames, SharedBytes that of what a
	// thread block keeps of shared memory beside its dynamic part.
	Bytes, SharedBytes uint64
	// Slots are the registers' places, by Register.Index: in the state, or in the
	// function's frame.
	Slots map[int]uint64
	// Frames are those of the units; the kernel's is the state itself.
	Frames []Frame
	// StackBytes is the size of the variable in local memory that has the variables and
	// arguments of a kernel with calls and of its functions, where the trace has them;
	// zero for kernels without calls.
	StackBytes uint64
	// Products are those of warpgroups, by segment.
	Products map[int]*Products
	// live are the registers that each segment needs at its begin.
	live  [][]*ptx.Register
	local map[*ptx.Variable]uint64
	stack uint64 // where the state has the stack
}

// stateOf lays out the state of a kernel's threads. Of traced, the kernel as it was read, is
// the size of its local memory.
func stateOf(k, traced *contaminator.Kernel) State {
	s := State{Slots: map[int]uint64{}, local: map[*ptx.Variable]uint64{}, live: liveIn(k), Bytes: stateHead, Products: productsOf(k)}
	calls := hasCalls(k)
	if calls {
		s.Bytes = stateHeadCalls
	}
	s.Frames = framesOf(k)
	for u := range s.Frames {
		end := &s.Bytes
		if u > 0 {
			end = &s.Frames[u].Bytes
		}
		for _, id := range s.Frames[u].Segments {
			s.place(s.live[id], end)
		}
		s.Frames[u].meetings = s.meetingsOf(k, s.Frames[u].Segments)
		for _, m := range s.Frames[u].meetings {
			s.place(append(slices.Clone(m.before), m.behind...), end)
		}
		if savesCarry(k, s.Frames[u].Segments) {
			*end = (*end + 3) &^ 3
			s.Frames[u].carry = *end
			*end += 4
		}
		*end = (*end + 15) &^ 15
	}
	if calls {
		align := uint64(max(traced.FrameAlign, 16)) // frames are multiples of it, the last one too
		s.StackBytes, s.stack = (max(traced.LocalBytes, 16)+align-1)&^(align-1), s.Bytes
		s.Bytes += s.StackBytes
	} else {
		for _, v := range k.PTX.Variables {
			if v.Space == ptx.SpaceLocal {
				s.Bytes = (s.Bytes + 15) &^ 15
				s.local[v] = s.Bytes
				s.Bytes += v.Bytes
			}
		}
	}
	s.Bytes = (s.Bytes + 15) &^ 15
	s.Frames[0].Bytes = s.Bytes
	s.SharedBytes = (k.SharedBytes + 15) &^ 15
	return s
}

// place gives registers slots that have none, from an end on.
func (s *State) place(list []*ptx.Register, end *uint64) {
	for _, r := range list {
		if _, placed := s.Slots[r.Index]; placed {
			continue
		}
		n := uint64(max(r.Type.Bits()/8, 4))
		*end = (*end + n - 1) / n * n
		s.Slots[r.Index] = *end
		*end += n
	}
}

// liveIn finds the registers that live at the begin of each segment, in the order of
// their indices: going back from reads to writes until nothing is new.
func liveIn(k *contaminator.Kernel) [][]*ptx.Register {
	n := len(k.Segments)
	use, def, in := make([]map[int]bool, n), make([]map[int]bool, n), make([]map[int]bool, n)
	for i := range k.Segments {
		use[i], def[i], in[i] = map[int]bool{}, map[int]bool{}, map[int]bool{}
		s := &k.Segments[i]
		for j := s.First; j < s.First+s.Count; j++ {
			instruction := &k.PTX.Body[j]
			contaminator.Reads(instruction, func(r *ptx.Register) {
				if !def[i][r.Index] {
					use[i][r.Index] = true
				}
			})
			if instruction.Op == ptx.OpRet && s.Unit > 0 {
				for _, f := range k.Units[s.Unit].PTX.Returns {
					if f.Register != nil && !def[i][f.Register.Index] {
						use[i][f.Register.Index] = true
					}
				}
			}
			if instruction.Guard.Register == nil {
				contaminator.Writes(instruction, func(r *ptx.Register) { def[i][r.Index] = true })
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			before := len(in[i])
			for r := range use[i] {
				in[i][r] = true
			}
			for _, next := range k.Segments[i].Successors {
				for r := range in[next] {
					if !def[i][r] {
						in[i][r] = true
					}
				}
			}
			changed = changed || len(in[i]) > before
		}
	}
	lists := make([][]*ptx.Register, n)
	for i := range in {
		for r := range in[i] {
			lists[i] = append(lists[i], k.PTX.Registers[r])
		}
		slices.SortFunc(lists[i], func(a, b *ptx.Register) int { return a.Index - b.Index })
	}
	return lists
}

func (e *emitter) declareState() {
	e.line("// added: registers of the state between segments")
	e.line(".reg .pred $others, $more;")
	e.line(".reg .b32 $next, $thread, $threads, $count, $running;")
	e.line(".reg .b64 $state, $shared, $from, $to;")
}

// findThread writes the code that finds the thread's number in its block, and those of its
// block.
func (e *emitter) findThread() {
	e.line("mov.u32 $u, %%ntid.x;")
	e.line("mov.u32 $threads, %%ntid.y;")
	e.line("mul.lo.u32 $u, $u, $threads;")
	e.line("mov.u32 $threads, %%ntid.z;")
	e.line("mul.lo.u32 $threads, $threads, $u;")
	e.line("mov.u32 $thread, %%tid.z;")
	e.line("mov.u32 $high, %%ntid.x;")
	e.line("mul.lo.u32 $thread, $thread, $u;")
	e.line("mov.u32 $low, %%tid.y;")
	e.line("mad.lo.u32 $thread, $low, $high, $thread;")
	e.line("mov.u32 $low, %%tid.x;")
	e.line("add.u32 $thread, $thread, $low;")
}

// findState writes the code that finds the thread's state.
func (e *emitter) findState(k *Kernel) {
	e.line("ld.global.u64 $state, [%s_control+%d];", e.name(), ControlState)
	if k.StackBytes > 0 {
		e.line("ld.global.u32 $u, [%s_control+%d];", e.name(), ControlStride)
		e.line("mul.wide.u32 $d, $thread, $u;")
	} else {
		e.line("mul.wide.u32 $d, $thread, %d;", k.State.Bytes)
	}
	e.line("add.s64 $state, $state, $d;")
}

// enter writes the entry switch: lanes that do not run end, the others get their state back
// and go on with their next segment.
func (r *rewriter) enter(k *Kernel) {
	c := r.name()
	r.line("// added: the entry switch. Lanes whose turn it is not end here")
	r.findThread()
	r.line("ld.global.u64 $shared, [%s_control+%d];", c, ControlRunShared)
	if r.clustered(k) {
		r.enterCluster(k)
	} else {
		r.copyShared(k, true)
		r.fenceCopies(k)
		r.line("bar.sync 0;")
	}
	r.line("shr.u32 $t, $thread, 5;")
	r.line("ld.global.u32 $u, [%s_control+%d];", c, ControlRunWarp)
	if len(k.Products) > 0 {
		r.enterProducts(k)
	} else {
		r.line("setp.ne.u32 $others, $t, $u;")
		r.line("@$others exit;")
	}
	r.line("ld.global.u32 $running, [%s_control+%d];", c, ControlRunLanes)
	r.line("and.b32 $t, $thread, 31;")
	r.line("shr.u32 $u, $running, $t;")
	r.line("and.b32 $u, $u, 1;")
	r.line("setp.eq.u32 $others, $u, 0;")
	r.line("@$others exit;")
	r.findState(k)
	if k.StackBytes > 0 {
		r.enterCalls(k)
		return
	}
	r.copyLocal(k, true)
	r.line("ld.global.u32 $next, [$state];")
	r.entrySwitch(k, 0)
}

// maxTargets bounds the targets of one indexed branch: a trace holds at most 1000, and so does what
// the emulated device loads.
const maxTargets = 512

// switchOf writes the branch to the label whose number comes next, by several tables where there
// are many.
func (r *rewriter) switchOf(f *Frame, labels []string) {
	index := "%" + r.prefix + "next"
	for part := 0; len(labels) > 0; part++ {
		here := labels[:min(len(labels), maxTargets)]
		labels = labels[len(here):]
		targets := fmt.Sprintf("$%s_targets_%s", r.name(), f.name)
		if part > 0 {
			targets = r.label("targets", f, part)
		}
		fmt.Fprintf(&r.b, "%s: .branchtargets %s;\n", targets, strings.Join(here, ", "))
		if len(labels) == 0 {
			r.b.WriteString(r.indent + fmt.Sprintf("brx.idx %s, %s;\n", index, targets))
			return
		}
		r.line("setp.ge.u32 $others, $next, %d;", (part+1)*maxTargets)
		r.b.WriteString(r.indent + fmt.Sprintf("@!%%%sothers brx.idx %s, %s;\n", r.prefix, index, targets))
		r.line("sub.u32 $u, $next, %d;", (part+1)*maxTargets)
		index = "%" + r.prefix + "u"
	}
}

// entrySwitch writes the code that gets back the registers of the segment that comes next,
// and goes on there.
func (r *rewriter) entrySwitch(k *Kernel, unit int) {
	f := &k.Frames[unit]
	var labels []string
	for at := range f.Segments {
		labels = append(labels, r.label("load", f, at))
	}
	for at := range f.landings {
		labels = append(labels, r.label("land", f, at))
	}
	if unit > 0 {
		labels = append(labels, r.label("begin", f, 0))
	}
	labels = append(labels, r.meetingLabels(f)...)
	r.switchOf(f, labels)
	for at, id := range f.Segments {
		r.b.WriteString(r.label("load", f, at) + ":\n")
		r.line("// added: back to basic block %d, with the registers that live there", id)
		r.loadLive(k, unit, id, nil)
	}
	for at := range f.landings {
		r.b.WriteString(r.label("land", f, at) + ":\n")
		r.line("// added: back from the call of line %d", k.PTX.Body[f.landings[at].call].Line)
		r.land(k, unit, &f.landings[at])
	}
	if unit > 0 {
		r.b.WriteString(r.label("begin", f, 0) + ":\n")
		r.line("// added: the function's begin, with its arguments")
		r.begin(k, unit)
	}
	r.loadMeetings(k, unit)
}

// loadLive gets the registers back that a segment needs, but for those that come otherwise,
// and goes there.
func (r *rewriter) loadLive(k *Kernel, unit, id int, otherwise []*ptx.Register) {
	for _, register := range k.live[id] {
		if !slices.Contains(otherwise, register) {
			r.move(register, frameBase(unit), k.Slots[register.Index], true)
		}
	}
	f := &k.Frames[unit]
	r.moveCarry(f, frameBase(unit), true)
	r.b.WriteString(r.indent + "bra " + r.label("run", f, slices.Index(f.Segments, id)) + ";\n")
}

// frameBase is the register that has the address of the slots of a unit's registers.
func frameBase(unit int) string {
	if unit == 0 {
		return "state"
	}
	return "frame"
}

// label names a place of a unit: a segment or landing by its place in the entry switch.
func (r *rewriter) label(what string, f *Frame, at int) string {
	return fmt.Sprintf("$%s_%s_%s_%d", r.name(), what, f.name, at)
}

// move writes the code that loads or saves a register, at a slot from a base on.
func (r *rewriter) move(register *ptx.Register, base string, slot uint64, load bool) {
	name := register.Name
	put := func(format string, a ...any) {
		r.b.WriteString(r.indent + strings.NewReplacer("\x01state", "%"+r.prefix+base, "\x01", "%"+r.prefix).Replace(fmt.Sprintf(format, a...)) + "\n")
	}
	bits := register.Type.Bits()
	switch {
	case register.Type == ptx.Pred && load:
		put("ld.global.u32 \x01u, [\x01state+%d];", slot)
		put("setp.ne.u32 %s, \x01u, 0;", name)
	case register.Type == ptx.Pred:
		put("selp.u32 \x01u, 1, 0, %s;", name)
		put("st.global.u32 [\x01state+%d], \x01u;", slot)
	case bits == 128 && load:
		put("ld.global.v2.u64 {\x01from, \x01to}, [\x01state+%d];", slot)
		put("mov.b128 %s, {\x01from, \x01to};", name)
	case bits == 128:
		put("mov.b128 {\x01from, \x01to}, %s;", name)
		put("st.global.v2.u64 [\x01state+%d], {\x01from, \x01to};", slot)
	case strings.Contains(name, ".") && bits >= 32: // an element of a vector
		word := map[bool]string{true: "t", false: "from"}[bits == 32]
		if load {
			put("ld.global.b%d \x01%s, [\x01state+%d];", bits, word, slot)
			put("mov.b%d %s, \x01%s;", bits, name, word)
		} else {
			put("mov.b%d \x01%s, %s;", bits, word, name)
			put("st.global.b%d [\x01state+%d], \x01%s;", bits, slot, word)
		}
	case load:
		put("ld.global.b%d %s, [\x01state+%d];", bits, name, slot)
	default:
		put("st.global.b%d [\x01state+%d], %s;", bits, slot, name)
	}
}

// boundary writes the end of what runs before a segment: the state is saved, and the lanes
// end. The entry switch leads behind it.
func (r *rewriter) boundary(k *Kernel, id, number int) {
	r.line("// added: the boundary before basic block %d. Lanes that come here stop", id)
	r.visit(KindNext, number)
	unit := k.Segments[id].Unit
	f := &k.Frames[unit]
	at := slices.Index(f.Segments, id)
	for _, register := range k.live[id] {
		r.move(register, frameBase(unit), k.Slots[register.Index], false)
	}
	r.moveCarry(f, frameBase(unit), false)
	r.line("mov.u32 $next, %d;", at)
	r.line("st.global.u32 [$state], $next;")
	if k.StackBytes > 0 {
		r.stop(k, unit)
	} else {
		r.copyLocal(k, false)
		r.keepShared(k)
		r.line("exit;")
	}
	r.b.WriteString(r.label("run", f, at) + ":\n")
}

// ends writes what lanes do before they end: the block keeps their shared memory.
func (r *rewriter) ends(k *Kernel, unit int, in *ptx.Instruction) {
	on := ""
	if in.Guard.Register != nil {
		on = "@" + map[bool]string{true: "!"}[in.Guard.Negated] + in.Guard.Register.Name + " "
	}
	switch {
	case unit > 0:
		r.line("// added: lanes that end leave the function before")
		r.b.WriteString(r.indent + on + "ret;\n")
	case k.StackBytes > 0:
		r.line("// added: lanes that end keep shared memory before")
		r.b.WriteString(r.indent + on + "bra " + r.stopLabel(k) + ";\n")
	case keepsShared(k):
		r.line("// added: lanes that end keep shared memory before")
		skip := ""
		if on != "" {
			skip = r.newLabel("stays")
			r.unless(in, skip)
		}
		r.line("activemask.b32 $active;")
		r.keepShared(k)
		if skip != "" {
			r.b.WriteString(skip + ":\n")
		}
	}
}

// unless writes a branch of the lanes for which the guard of an instruction does not hold.
func (r *rewriter) unless(in *ptx.Instruction, to string) {
	r.b.WriteString(r.indent + "@" + map[bool]string{false: "!"}[in.Guard.Negated] + in.Guard.Register.Name + " bra " + to + ";\n")
}

// newLabel makes a label that is nowhere else.
func (r *rewriter) newLabel(what string) string {
	r.loops++
	return fmt.Sprintf("$%s_%s_%d", r.name(), what, r.loops)
}

// leave takes a barrier out of what the device executes: the host waits for the warps of
// the block or cluster, and tells what a reduction gives.
func (r *rewriter) leave(k *Kernel, index, from, to int) {
	in := &k.PTX.Body[index]
	if (in.Op == ptx.OpBar || in.Op == ptx.OpBarrier) && (k.Static.Instructions[index].Class == trace.ClassBarrier || in.Mods.Has(ptx.ModCluster)) {
		r.leftToHost(from, to)
	}
}

func (r *rewriter) leftToHost(from, to int) { r.comment("left to the host", from, to) }

// comment makes a comment of a statement.
func (r *rewriter) comment(why string, from, to int) {
	text := strings.NewReplacer("/*", "/ *", "*/", "* /").Replace(string(r.module.Text[from:to]))
	r.edits = append(r.edits, edit{from, to, "/* " + why + ": " + text + " */"})
}

// keepShared writes the code by which lanes that stop keep the block's shared memory. Lanes on
// several paths each copy all of it. From sm_70 on they may take turns between any two
// instructions. So all that run come to the barrier before one of them copies, and what they copy
// is the same. Before, a path runs to its end before the next one begins.
func (r *rewriter) keepShared(k *Kernel) {
	r.endCopies(k)
	lanes := "$running"
	if !keepsShared(k) || k.PTX.Module.Lockstep() {
		lanes = "$active"
	}
	r.line("bar.warp.sync %s;", lanes)
	r.copyShared(k, false)
	r.leaveCluster(k)
}

// endCopies writes the code that waits for the thread's own copies.
func (r *rewriter) endCopies(k *Kernel) {
	if usesCopies(k) {
		r.line("cp.async.wait_all;")
	}
	if usesBulkGroups(k.Kernel) {
		r.line("cp.async.bulk.commit_group;")
		r.line("cp.async.bulk.wait_group 0;")
	}
}

// keepsShared reports whether a kernel has shared memory. Then lanes that end keep it, too.
func keepsShared(k *Kernel) bool {
	return slices.ContainsFunc(k.Layout, func(v *ptx.Variable) bool { return v.Space == ptx.SpaceShared })
}

// usesBulkGroups reports whether a kernel has bulk copies from shared memory, for whose end a
// thread waits by groups. They read it to the end of the segment.
func usesBulkGroups(k *contaminator.Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return in.Bulk() && in.Mods.Has(ptx.ModBulkGroup) })
}

// fenceCopies writes the fence between shared memory that was taken and bulk copies, which read it
// through another proxy (PTX ISA 9.1, 9.7.9.25.2). The kernel's own fence was in a launch before.
func (r *rewriter) fenceCopies(k *Kernel) {
	if slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return in.Bulk() }) {
		r.line("fence.proxy.async;")
	}
}

// copyShared writes the code that copies the block's shared memory from its place between
// segments, by all threads, or back to there, by the lanes that stop.
func (r *rewriter) copyShared(k *Kernel, in bool) {
	by := copiers{to: "$shared", step: "$threads"}
	if in {
		by.first = "$thread"
	}
	r.copySharedBy(k, in, by)
}

// copiers say where shared memory is copied to or from, and by which threads: the number of
// each, and how many they are. Without a number they are the active lanes.
type copiers struct{ to, first, step string }

func (r *rewriter) copySharedBy(k *Kernel, in bool, by copiers) {
	for i, v := range k.Layout {
		if v.Space != ptx.SpaceShared {
			continue
		}
		at, bytes := k.SharedOffsets[v], fmt.Sprint(v.Bytes)
		if v.Extern && v.Bytes == 0 {
			at, bytes = k.State.SharedBytes, "%"+r.prefix+"word"
			r.line("ld.global.u32 $word, [%s_control+%d];", r.name(), ControlDynamic)
		}
		if by.first != "" {
			r.line("mov.u32 $count, %s;", by.first)
		} else {
			r.line("and.b32 $below, $active, $lt;")
			r.line("popc.b32 $count, $below;")
			r.line("popc.b32 $threads, $active;")
		}
		r.copyLoop(fmt.Sprintf("shared%d", i), v, by.to, at, bytes, by.step, in)
	}
}

func usesCopies(k *Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return in.Op == ptx.OpCp && !in.Mods.Has(ptx.ModBulk) })
}

// copyLocal does the same for the thread's local memory.
func (r *rewriter) copyLocal(k *Kernel, in bool) {
	for i, v := range k.Layout {
		if v.Space == ptx.SpaceLocal {
			r.line("mov.u32 $count, 0;")
			r.copyLoop(fmt.Sprintf("local%d", i), v, "$state", k.local[v], fmt.Sprint(v.Bytes), "1", in)
		}
	}
}

// copyLoop copies bytes of a variable, or words where it has only such, from $count on.
func (r *rewriter) copyLoop(what string, v *ptx.Variable, base string, at uint64, bytes, step string, in bool) {
	words := v.Align >= 4 && v.Bytes > 0 && v.Bytes%4 == 0
	if words {
		bytes = fmt.Sprint(v.Bytes / 4)
	}
	r.line("mov.u64 $to, %s;", verbatim(r.nameOf(v)))
	r.copyUnits(what, v.Space, words, base, at, bytes, step, in)
}

// copyUnits copies words or bytes between global memory, from base on, and what $to points
// to in another space, until $count is n.
func (r *rewriter) copyUnits(what string, space ptx.Space, words bool, base string, at uint64, n, step string, in bool) {
	unit, scale := "u8", 1
	if words {
		unit, scale = "u32", 4
	}
	r.loops++
	head, end := fmt.Sprintf("$%s_copy_%s_%d", r.name(), what, r.loops), fmt.Sprintf("$%s_copied_%s_%d", r.name(), what, r.loops)
	r.b.WriteString(head + ":\n")
	r.line("setp.ge.u32 $more, $count, \x02;")
	r.line("@$more bra \x03;")
	r.line("mul.wide.u32 $d, $count, %d;", scale)
	r.line("add.s64 $from, %s, $d;", base)
	r.line("add.s64 $base, $to, $d;")
	if in {
		r.line("ld.global.%s $t, [$from+%d];", unit, at)
		r.line("st.%s.%s [$base], $t;", space, unit)
	} else {
		r.line("ld.%s.%s $t, [$base];", space, unit)
		r.line("st.global.%s [$from+%d], $t;", unit, at)
	}
	r.line("add.u32 $count, $count, %s;", step)
	r.line("bra \x04;")
	text := strings.NewReplacer("\x02", n, "\x03", end, "\x04", head).Replace(r.take())
	r.b.WriteString(text + end + ":\n")
}
