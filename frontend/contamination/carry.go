// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// The carry (CC.CF, 9.7.2) lives between segments as registers do, where one begins before what
// reads it. An addition of zeros gives it, and one that overflows where it was set brings it
// back.

// readsCarry reports whether an instruction reads the carry.
func readsCarry(in *ptx.Instruction) bool {
	return in.Op == ptx.OpAddc || in.Op == ptx.OpSubc || in.Op == ptx.OpMadc
}

// setsCarry reports whether an instruction sets the carry of all lanes that come to it.
func setsCarry(in *ptx.Instruction) bool {
	return in.Mods.Has(ptx.ModCC) && in.Guard.Register == nil
}

// savesCarry reports whether a unit has instructions that read a carry from before the segment,
// or from before an instruction that waits for other lanes.
func savesCarry(k *contaminator.Kernel, segments []int) bool {
	for _, id := range segments {
		s := &k.Segments[id]
		set := false
		for i := s.First; i < s.First+s.Count; i++ {
			in := &k.PTX.Body[i]
			if readsCarry(in) && !set {
				return true
			}
			if site := SiteOf(k, i); site.Meets() {
				set = false
			}
			set = set || setsCarry(in)
		}
	}
	return false
}

// carriesIn finds the segments at whose begin the carry lives, with the instruction that reads it.
func carriesIn(k *contaminator.Kernel) []*ptx.Instruction {
	in, sets := make([]*ptx.Instruction, len(k.Segments)), make([]bool, len(k.Segments))
	for id := range k.Segments {
		s := &k.Segments[id]
		for i := s.First; i < s.First+s.Count && !sets[id]; i++ {
			if at := &k.PTX.Body[i]; readsCarry(at) && in[id] == nil {
				in[id] = at
			}
			sets[id] = setsCarry(&k.PTX.Body[i])
		}
	}
	for changed := true; changed; {
		changed = false
		for id := range k.Segments {
			for _, next := range k.Segments[id].Successors {
				if in[id] == nil && !sets[id] && in[next] != nil {
					in[id], changed = in[next], true
				}
			}
		}
	}
	return in
}

// refuseCarries refuses carries from before a call, which does not preserve them (9.7.2).
func refuseCarries(k *contaminator.Kernel) (all []error) {
	in := carriesIn(k)
	refuse := func(id int) {
		if id >= 0 && in[id] != nil {
			all = append(all, fmt.Errorf("%s: %s cannot be contaminated: the carry that it reads is from before a call, which does not preserve it (PTX ISA 9.7.2); put it into a register before", in[id].Position, mnemonic(in[id])))
		}
	}
	for id := range k.Segments {
		s := &k.Segments[id]
		if k.PTX.Body[s.First+s.Count-1].Op == ptx.OpCall {
			refuse(s.FallThrough)
		}
	}
	for _, u := range k.Units[min(1, len(k.Units)):] {
		refuse(u.Entry)
	}
	return all
}

// moveCarry writes the code that loads or saves the carry.
func (r *rewriter) moveCarry(f *Frame, base string, load bool) {
	switch {
	case f.carry == 0:
	case load:
		r.line("ld.global.u32 $u, [$%s+%d];", base, f.carry)
		r.line("add.cc.u32 $u, $u, 0xffffffff;")
	default:
		r.line("mov.u32 $u, 0;")
		r.line("addc.u32 $u, $u, 0;")
		r.line("st.global.u32 [$%s+%d], $u;", base, f.carry)
	}
}
