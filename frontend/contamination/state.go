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
// segment that comes next, then the registers that live across segments, and its local
// memory.
type State struct {
	// Bytes is the size of a thread's state, SharedBytes that of what a thread block
	// keeps of shared memory beside its dynamic part.
	Bytes, SharedBytes uint64
	// Slots are the registers' places, by Register.Index.
	Slots map[int]uint64
	// live are the registers that each segment needs at its begin.
	live  [][]*ptx.Register
	local map[*ptx.Variable]uint64
}

// stateOf lays out the state of a kernel's threads.
func stateOf(k *contaminator.Kernel) (State, error) {
	s := State{Slots: map[int]uint64{}, local: map[*ptx.Variable]uint64{}, live: liveIn(k), Bytes: 16}
	for _, list := range s.live {
		for _, r := range list {
			if _, placed := s.Slots[r.Index]; placed {
				continue
			}
			if strings.Contains(r.Name, ".") {
				return s, fmt.Errorf("%s: kernel %s cannot be contaminated: register %s is an element of a vector, which is not saved", k.PTX.Position, k.PTX.Name, r.Name)
			}
			n := uint64(max(r.Type.Bits()/8, 4))
			s.Bytes = (s.Bytes + n - 1) / n * n
			s.Slots[r.Index] = s.Bytes
			s.Bytes += n
		}
	}
	for _, v := range k.PTX.Variables {
		switch v.Space {
		case ptx.SpaceLocal:
			s.Bytes = (s.Bytes + 15) &^ 15
			s.local[v] = s.Bytes
			s.Bytes += v.Bytes
		}
	}
	s.Bytes = (s.Bytes + 15) &^ 15
	s.SharedBytes = (k.SharedBytes + 15) &^ 15
	return s, nil
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
	e.line(".reg .b32 $next, $thread, $threads, $count;")
	e.line(".reg .b64 $state, $shared, $from, $to;")
}

// enter writes the entry switch: lanes that do not run end, the others get their state back
// and go on with their next segment.
func (r *rewriter) enter(k *Kernel) {
	c := r.name()
	r.line("// added: the entry switch. Lanes whose turn it is not end here")
	r.line("mov.u32 $u, %%ntid.x;")
	r.line("mov.u32 $threads, %%ntid.y;")
	r.line("mul.lo.u32 $u, $u, $threads;")
	r.line("mov.u32 $threads, %%ntid.z;")
	r.line("mul.lo.u32 $threads, $threads, $u;")
	r.line("mov.u32 $thread, %%tid.z;")
	r.line("mov.u32 $high, %%ntid.x;")
	r.line("mul.lo.u32 $thread, $thread, $u;")
	r.line("mov.u32 $low, %%tid.y;")
	r.line("mad.lo.u32 $thread, $low, $high, $thread;")
	r.line("mov.u32 $low, %%tid.x;")
	r.line("add.u32 $thread, $thread, $low;")
	r.line("ld.global.u64 $shared, [%s_control+%d];", c, ControlRunShared)
	r.copyShared(k, true)
	r.line("bar.sync 0;")
	r.line("shr.u32 $t, $thread, 5;")
	r.line("ld.global.u32 $u, [%s_control+%d];", c, ControlRunWarp)
	r.line("setp.ne.u32 $others, $t, $u;")
	r.line("@$others exit;")
	r.line("ld.global.u32 $u, [%s_control+%d];", c, ControlRunLanes)
	r.line("and.b32 $t, $thread, 31;")
	r.line("shr.u32 $u, $u, $t;")
	r.line("and.b32 $u, $u, 1;")
	r.line("setp.eq.u32 $others, $u, 0;")
	r.line("@$others exit;")
	r.line("ld.global.u64 $state, [%s_control+%d];", c, ControlState)
	r.line("mul.wide.u32 $d, $thread, %d;", k.State.Bytes)
	r.line("add.s64 $state, $state, $d;")
	r.copyLocal(k, true)
	r.line("ld.global.u32 $next, [$state];")
	var labels []string
	for id := range k.Segments {
		labels = append(labels, r.label("load", k, id))
	}
	fmt.Fprintf(&r.b, "$%s_targets_%s: .branchtargets %s;\n", c, k.PTX.Name, strings.Join(labels, ", "))
	r.b.WriteString(r.indent + fmt.Sprintf("brx.idx %%%snext, $%s_targets_%s;\n", r.prefix, c, k.PTX.Name))
	for id := range k.Segments {
		r.b.WriteString(r.label("load", k, id) + ":\n")
		for _, register := range k.live[id] {
			r.move(register, k.Slots[register.Index], true)
		}
		r.b.WriteString(r.indent + "bra " + r.label("run", k, id) + ";\n")
	}
}

func (r *rewriter) label(what string, k *Kernel, id int) string {
	return fmt.Sprintf("$%s_%s_%s_%d", r.name(), what, k.PTX.Name, id)
}

// move writes the code that loads or saves a register.
func (r *rewriter) move(register *ptx.Register, slot uint64, load bool) {
	name := register.Name
	put := func(format string, a ...any) {
		r.b.WriteString(r.indent + strings.ReplaceAll(fmt.Sprintf(format, a...), "\x01", "%"+r.prefix) + "\n")
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
	for _, register := range k.live[id] {
		r.move(register, k.Slots[register.Index], false)
	}
	r.line("mov.u32 $next, %d;", id)
	r.line("st.global.u32 [$state], $next;")
	r.copyLocal(k, false)
	r.copyShared(k, false)
	r.line("exit;")
	r.b.WriteString(r.label("run", k, id) + ":\n")
}

// leave takes a barrier out of what the device executes: the host waits for the warps of
// the block, and tells what a reduction gives.
func (r *rewriter) leave(k *Kernel, index, from, to int) {
	in := &k.PTX.Body[index]
	if (in.Op == ptx.OpBar || in.Op == ptx.OpBarrier) && k.Static.Instructions[index].Class == trace.ClassBarrier {
		r.edits = append(r.edits, edit{from, to, "/* left to the host: " + string(r.module.Text[from:to]) + " */"})
	}
}

// copyShared writes the code that copies the block's shared memory from its place between
// segments, by all threads, or back to there, by the lanes that stop.
func (r *rewriter) copyShared(k *Kernel, in bool) {
	if !in {
		if usesCopies(k) {
			r.line("cp.async.wait_all;")
		}
		r.line("bar.warp.sync $active;")
	}
	for i, v := range k.Layout {
		if v.Space != ptx.SpaceShared {
			continue
		}
		at, bytes := k.SharedOffsets[v], fmt.Sprint(v.Bytes)
		if v.Extern && v.Bytes == 0 {
			at, bytes = k.State.SharedBytes, "%"+r.prefix+"word"
			r.line("ld.global.u32 $word, [%s_control+%d];", r.name(), ControlDynamic)
		}
		if in {
			r.line("mov.u32 $count, $thread;")
		} else {
			r.line("and.b32 $below, $active, $lt;")
			r.line("popc.b32 $count, $below;")
			r.line("popc.b32 $threads, $active;")
		}
		r.copyLoop(fmt.Sprintf("shared%d", i), v, "$shared", at, bytes, "$threads", in)
	}
}

func usesCopies(k *Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return in.Op == ptx.OpCp })
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

// copyLoop copies bytes, or words where a variable has only such, from $count on.
func (r *rewriter) copyLoop(what string, v *ptx.Variable, base string, at uint64, bytes, step string, in bool) {
	unit, scale := "u8", 1
	if v.Align >= 4 && v.Bytes > 0 && v.Bytes%4 == 0 {
		unit, scale = "u32", 4
		bytes = fmt.Sprint(v.Bytes / 4)
	}
	r.loops++
	head, end := fmt.Sprintf("$%s_copy_%s_%d", r.name(), what, r.loops), fmt.Sprintf("$%s_copied_%s_%d", r.name(), what, r.loops)
	r.b.WriteString(r.indent + "mov.u64 %" + r.prefix + "to, " + v.Name + ";\n" + head + ":\n")
	r.line("setp.ge.u32 $more, $count, \x02;")
	r.line("@$more bra \x03;")
	r.line("mul.wide.u32 $d, $count, %d;", scale)
	r.line("add.s64 $from, %s, $d;", base)
	r.line("add.s64 $base, $to, $d;")
	if in {
		r.line("ld.global.%s $t, [$from+%d];", unit, at)
		r.line("st.%s.%s [$base], $t;", v.Space, unit)
	} else {
		r.line("ld.%s.%s $t, [$base];", v.Space, unit)
		r.line("st.global.%s [$from+%d], $t;", unit, at)
	}
	r.line("add.u32 $count, $count, %s;", step)
	r.line("bra \x04;")
	text := strings.NewReplacer("\x02", bytes, "\x03", end, "\x04", head).Replace(r.take())
	r.b.WriteString(text + end + ":\n")
}
