// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"slices"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// Some instructions wait for other lanes of the warp, which may come on another path: shuffles,
// votes, products of matrices. By segments each path is a launch of its own. So where lanes are
// elsewhere, those that come to such an instruction stop before it, as they do before a segment.
// When all have come, one launch executes it for all of them, and they stop right behind. Then
// each path goes on by itself.

// What lanes do at instructions that wait for others.
const (
	StopNever  = 0 // all lanes of the warp are there
	StopBefore = 1 // the next such instruction
	StopBehind = 2 // the one where the lanes stand
)

// meeting is an instruction that waits for lanes, with the registers that live before it and
// behind it.
type meeting struct {
	instruction    int
	before, behind []*ptx.Register
}

// Meets reports whether an instruction waits for other lanes of the warp.
func (s *Site) Meets() bool { return s.Members != nil || s.Whole }

// meetingsOf finds such instructions of a unit's segments, by the segments' numbers.
func (s *State) meetingsOf(k *contaminator.Kernel, segments []int) (all []meeting) {
	for _, id := range segments {
		segment := &k.Segments[id]
		live := map[*ptx.Register]bool{}
		for _, next := range segment.Successors {
			for _, r := range s.live[next] {
				live[r] = true
			}
		}
		list := func() (registers []*ptx.Register) {
			for r := range live {
				registers = append(registers, r)
			}
			slices.SortFunc(registers, func(a, b *ptx.Register) int { return a.Index - b.Index })
			return registers
		}
		from := len(all)
		for i := segment.First + segment.Count - 1; i >= segment.First; i-- {
			in := &k.PTX.Body[i]
			site := SiteOf(k, i)
			if site.Meets() {
				all = append(all, meeting{instruction: i, behind: list()})
			}
			if in.Guard.Register == nil {
				contaminator.Writes(in, func(r *ptx.Register) { delete(live, r) })
			}
			contaminator.Reads(in, func(r *ptx.Register) { live[r] = true })
			if in.Op == ptx.OpRet && segment.Unit > 0 {
				for _, f := range k.Units[segment.Unit].PTX.Returns {
					if f.Register != nil {
						live[f.Register] = true
					}
				}
			}
			if site.Meets() {
				all[len(all)-1].before = list()
			}
		}
		slices.Reverse(all[from:])
	}
	return all
}

// meets reports whether kernels have such instructions.
func meets(kernels []*contaminator.Kernel) bool {
	return slices.ContainsFunc(kernels, func(k *contaminator.Kernel) bool {
		for i := range k.PTX.Body {
			if site := SiteOf(k, i); site.Meets() {
				return true
			}
		}
		return false
	})
}

// meetingLabels are the places in a unit's entry switch of its meetings: before each, and behind.
func (r *rewriter) meetingLabels(f *Frame) (labels []string) {
	for at := range f.meetings {
		labels = append(labels, r.label("meets", f, at), r.label("met", f, at))
	}
	return labels
}

// meetingPlace is the first place of meetings in a unit's entry switch.
func meetingPlace(f *Frame, unit int) int {
	return len(f.Segments) + len(f.landings) + min(unit, 1)
}

// loadMeetings writes the code that gets back the registers that live at meetings.
func (r *rewriter) loadMeetings(k *Kernel, unit int) {
	f := &k.Frames[unit]
	for at := range f.meetings {
		m := &f.meetings[at]
		for i, list := range [][]*ptx.Register{m.before, m.behind} {
			r.b.WriteString(r.label([]string{"meets", "met"}[i], f, at) + ":\n")
			r.line("// added: back %s %s, at which lanes meet", []string{"before", "behind"}[i], mnemonic(&k.PTX.Body[m.instruction]))
			for _, register := range list {
				r.move(register, frameBase(unit), k.Slots[register.Index], true)
			}
			r.moveCarry(f, frameBase(unit), true)
			r.line("bra %s;", verbatim(r.label([]string{"meet", "behind"}[i], f, at)))
		}
	}
}

// meet writes what lanes do before and behind an instruction at which they wait for others.
func (r *rewriter) meet(k *Kernel, index, to int) {
	unit := k.UnitAt(index)
	f := &k.Frames[unit]
	at := slices.IndexFunc(f.meetings, func(m meeting) bool { return m.instruction == index })
	if at < 0 {
		return
	}
	m := &f.meetings[at]
	in := &k.PTX.Body[index]
	r.line("// added: where lanes of %s are elsewhere, those that come stop", mnemonic(in))
	r.stopAtMeeting(k, unit, meetingPlace(f, unit)+2*at, StopBefore, m.before, r.label("meet", f, at))
	before := r.take()
	r.line("// added: they have met")
	r.stopAtMeeting(k, unit, meetingPlace(f, unit)+2*at+1, StopBehind, m.behind, r.label("behind", f, at))
	r.behind(in, to, before)
}

// stopAtMeeting writes the code by which lanes stop if the host says so, and the label where they
// go on.
func (r *rewriter) stopAtMeeting(k *Kernel, unit, place, stop int, live []*ptx.Register, goes string) {
	r.line("ld.global.u32 $u, [%s_control+%d];", r.name(), ControlRunStops)
	r.line("setp.ne.u32 $more, $u, %d;", stop)
	r.line("@$more bra %s;", verbatim(goes))
	r.line("activemask.b32 $active;")
	for _, register := range live {
		r.move(register, frameBase(unit), k.Slots[register.Index], false)
	}
	r.moveCarry(&k.Frames[unit], frameBase(unit), false)
	r.line("mov.u32 $next, %d;", place)
	r.line("st.global.u32 [$state], $next;")
	if k.StackBytes > 0 {
		r.stop(k, unit)
	} else {
		r.copyLocal(k, false)
		r.keepShared(k)
		r.line("exit;")
	}
	r.b.WriteString(goes + ":\n")
}
