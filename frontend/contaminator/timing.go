package contaminator

import (
	"fmt"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// timingDependence gives the reasons why what the kernel does can depend on
// when it does it, or on the machine: reads of clocks and of places in the
// machine, and loops that end when another thread has done something. Such a
// kernel's trace holds for the recorded interleaving only.
func timingDependence(k *Kernel) []string {
	var reasons []string
	for i := range k.Segments {
		s := &k.Segments[i]
		for j := s.First; j < s.First+s.Count; j++ {
			in := &k.PTX.Body[j]
			for _, o := range in.Operands {
				if o.Kind == ptx.OperandSpecial && machineDependent(o.Special) {
					reasons = append(reasons, fmt.Sprintf("reads %%%s at line %d", o.Special, in.Line))
				}
			}
		}
	}
	return append(reasons, waitingLoops(k)...)
}

// machineDependent reports whether a special register tells of time or of the
// place in the machine.
func machineDependent(s ptx.Special) bool {
	switch s {
	case ptx.Clock, ptx.ClockHi, ptx.Clock64, ptx.Globaltimer, ptx.GlobaltimerLo, ptx.GlobaltimerHi,
		ptx.Smid, ptx.Nsmid, ptx.Warpid, ptx.Nwarpid:
		return true
	}
	return false
}

// waitingLoops finds loops with an exit whose condition depends, by
// definitions inside the loop, on what another thread writes: on an atomic's
// result or on a load that is volatile or ordered.
func waitingLoops(k *Kernel) []string {
	var reasons []string
	told := make(map[*ptx.Instruction]bool)
	for _, l := range findLoops(k) {
		slice := newSlicer(k, l)
		for _, id := range l.members {
			s := &k.Segments[id]
			if !l.leaves(k, s) {
				continue
			}
			in := slice.waitsFor(k.terminator(s))
			if in == nil || told[in] {
				continue
			}
			told[in] = true
			reasons = append(reasons, fmt.Sprintf("the loop at line %d ends by what %s at line %d reads, which other threads write",
				k.PTX.Body[k.Segments[l.header].First].Line, in.Op, in.Line))
		}
	}
	return reasons
}

// slicer follows registers back through the definitions inside one loop.
type slicer struct {
	definitions map[*ptx.Register][]*ptx.Instruction
}

func newSlicer(k *Kernel, l *loop) *slicer {
	s := &slicer{definitions: make(map[*ptx.Register][]*ptx.Instruction)}
	for _, id := range l.members {
		segment := &k.Segments[id]
		for j := segment.First; j < segment.First+segment.Count; j++ {
			in := &k.PTX.Body[j]
			Writes(in, func(r *ptx.Register) { s.definitions[r] = append(s.definitions[r], in) })
		}
	}
	return s
}

// waitsFor finds the first instruction, on the way back from in's sources,
// whose result other threads decide; nil when there is none.
func (s *slicer) waitsFor(in *ptx.Instruction) *ptx.Instruction {
	seen := make(map[*ptx.Register]bool)
	var work []*ptx.Register
	push := func(r *ptx.Register) {
		if !seen[r] {
			seen[r] = true
			work = append(work, r)
		}
	}
	Reads(in, push)
	for len(work) > 0 {
		r := work[0]
		work = work[1:]
		for _, d := range s.definitions[r] {
			if decidedElsewhere(d) {
				return d
			}
			Reads(d, push)
		}
	}
	return nil
}

// decidedElsewhere reports whether the instruction reads memory as other
// threads change it.
func decidedElsewhere(in *ptx.Instruction) bool {
	switch in.Class() {
	case trace.ClassAtomic:
		return true
	case trace.ClassLoad:
		for _, m := range []ptx.Mod{ptx.ModVolatile, ptx.ModRelaxed, ptx.ModAcquire, ptx.ModCv} {
			if in.Mods.Has(m) {
				return true
			}
		}
	}
	return false
}
