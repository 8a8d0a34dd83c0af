package contaminator

import (
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// markDivergent finds the segments whose lanes can leave for different
// successors. A register is uniform when all lanes that execute together read
// the same value from it; what comes from parameters, thread-block coordinates
// and constants is, what comes from thread coordinates, memory and other lanes
// is not. A value that a divergent branch makes some lanes write and others not
// varies too, as soon as it is seen where those lanes are together again.
func markDivergent(k *Kernel) {
	d := newDivergence(k)
	for changed := true; changed; {
		changed = d.spreadThroughData()
		if d.spreadThroughBranches() {
			changed = true
		}
	}
}

// divergence is the state of the analysis: it only ever grows.
type divergence struct {
	k       *Kernel
	varying []bool // by Register.Index
	// touched lists the segments that read or write a register, by
	// Register.Index; written those of a segment.
	touched [][]int
	written [][]*ptx.Register
	inside  []int // by segment: one more than the branch whose region it is in
}

func newDivergence(k *Kernel) *divergence {
	n := len(k.PTX.Registers)
	d := &divergence{k: k, varying: make([]bool, n), touched: make([][]int, n), written: make([][]*ptx.Register, len(k.Segments)), inside: make([]int, len(k.Segments))}
	for _, u := range k.PTX.Units {
		for _, f := range u.Params {
			if f.Register != nil {
				d.varying[f.Register.Index] = true
			}
		}
	}
	for i := range k.Segments {
		touch := func(r *ptx.Register) {
			list := d.touched[r.Index]
			if len(list) == 0 || list[len(list)-1] != i {
				d.touched[r.Index] = append(list, i)
			}
		}
		d.eachInstruction(i, func(in *ptx.Instruction) {
			Reads(in, touch)
			Writes(in, touch)
			Writes(in, func(r *ptx.Register) { d.written[i] = append(d.written[i], r) })
		})
	}
	return d
}

func (d *divergence) eachInstruction(segment int, visit func(in *ptx.Instruction)) {
	s := &d.k.Segments[segment]
	for j := s.First; j < s.First+s.Count; j++ {
		visit(&d.k.PTX.Body[j])
	}
}

// spreadThroughData marks what is computed from varying values, to the fixed
// point.
func (d *divergence) spreadThroughData() bool {
	any := false
	for changed := true; changed; {
		changed = false
		for i := range d.k.Segments {
			d.eachInstruction(i, func(in *ptx.Instruction) {
				if !d.resultVaries(in) {
					return
				}
				Writes(in, func(r *ptx.Register) {
					if !d.varying[r.Index] {
						d.varying[r.Index] = true
						changed, any = true, true
					}
				})
			})
		}
	}
	return any
}

// resultVaries reports whether the lanes can get different results.
func (d *divergence) resultVaries(in *ptx.Instruction) bool {
	varies := sourceVaries(in)
	Reads(in, func(r *ptx.Register) { varies = varies || d.varying[r.Index] })
	return varies
}

// sourceVaries reports whether the instruction is itself a source of values
// that differ between lanes. Parameters and constants do not change, so equal
// addresses give equal values; other memory can change between two lanes'
// reads, and lanes' exchanges depend on who takes part.
func sourceVaries(in *ptx.Instruction) bool {
	switch in.Class() {
	case trace.ClassLoad:
		return in.Space != ptx.SpaceParam && in.Space != ptx.SpaceConst
	case trace.ClassAtomic, trace.ClassShuffle, trace.ClassCall:
		return true
	}
	if in.Space == ptx.SpaceArgument {
		return true
	}
	for i := range in.Operands {
		if in.Operands[i].Kind == ptx.OperandSpecial && !uniformSpecial(in.Operands[i].Special) {
			return true
		}
	}
	return false
}

// uniformSpecial reports whether a special register is the same for all lanes
// of a warp.
func uniformSpecial(s ptx.Special) bool {
	switch s {
	case ptx.NtidX, ptx.NtidY, ptx.NtidZ, ptx.CtaidX, ptx.CtaidY, ptx.CtaidZ, ptx.NctaidX, ptx.NctaidY, ptx.NctaidZ,
		ptx.Warpid, ptx.Nwarpid, ptx.Smid, ptx.Nsmid, ptx.Gridid, ptx.DynamicSmemSize, ptx.TotalSmemSize:
		return true
	}
	return s >= ptx.ClusteridX
}

// spreadThroughBranches marks segments whose terminators have come to diverge,
// and the registers that their regions write and the outside sees.
func (d *divergence) spreadThroughBranches() bool {
	any := false
	for i := range d.k.Segments {
		s := &d.k.Segments[i]
		if s.Divergent || !d.splits(s) {
			continue
		}
		s.Divergent = true
		if d.k.terminator(s).Class() == trace.ClassBranch && d.markRegion(i) {
			any = true
		}
	}
	return any
}

// splits reports whether the terminator can send lanes different ways.
func (d *divergence) splits(s *Segment) bool {
	in := d.k.terminator(s)
	ways := len(s.Successors)
	if endsKernel(d.k, s) {
		ways++
	}
	if ways < 2 {
		return false
	}
	varies := false
	Reads(in, func(r *ptx.Register) { varies = varies || d.varying[r.Index] })
	return varies
}

// markRegion visits the segments between a divergent branch and its
// post-dominator. A register that they write, and that others touch, varies.
func (d *divergence) markRegion(branch int) bool {
	any := false
	for _, i := range d.region(branch) {
		for _, r := range d.written[i] {
			if d.varying[r.Index] {
				continue
			}
			for _, t := range d.touched[r.Index] {
				if d.inside[t] != branch+1 {
					d.varying[r.Index], any = true, true
					break
				}
			}
		}
	}
	return any
}

// region lists what the branch reaches before its post-dominator, and marks it
// in inside with branch+1.
func (d *divergence) region(branch int) []int {
	end := d.k.Segments[branch].PostDominator
	var members []int
	work := append([]int(nil), d.k.Segments[branch].Successors...)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n == end || d.inside[n] == branch+1 {
			continue
		}
		d.inside[n] = branch + 1
		members = append(members, n)
		work = append(work, d.k.Segments[n].Successors...)
	}
	return members
}
