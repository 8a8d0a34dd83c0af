// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"slices"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// markDivergent finds the segments whose lanes can leave for different
// successors. A register is uniform when all lanes that execute together read
// the same value from it. What comes from parameters, thread-block coordinates
// and constants is, what comes from thread coordinates, memory and other lanes
// is not. A value that a divergent branch makes some lanes write and others not
// varies too, as soon as it is seen where those lanes are together again.
func markDivergent(k *Kernel) {
	d := newDivergence(k)
	for {
		d.spread()
		if len(d.branches) == 0 {
			return
		}
		branch := d.branches[len(d.branches)-1]
		d.branches = d.branches[:len(d.branches)-1]
		d.markRegion(branch)
	}
}

// maxRegionVisits bounds what markRegion looks at in all regions of a kernel. Beyond
// it every register counts as varying, which is always safe to assume: regions of
// compiled kernels together are a few thousand segments.
const maxRegionVisits = 1 << 24

// divergence is the state of the analysis: it only ever grows.
type divergence struct {
	k       *Kernel
	varying []bool // by Register.Index
	// readers lists the instructions that read a register, touched the segments that
	// read or write it, by Register.Index; written the registers of a segment.
	readers [][]int
	touched [][]int
	written [][]*ptx.Register
	inside  []int // by segment: the number of the last region that it was in
	regions int
	// segment is that of a terminator, -1 for other instructions.
	segment []int
	// fresh are registers that have come to vary, branches divergent branches whose
	// regions are not marked yet.
	fresh    []*ptx.Register
	branches []int
	// uniform counts the written registers that do not vary, visits what
	// markRegion has looked at.
	uniform, visits int
	// members and work are the memory of region.
	members, work []int
}

func newDivergence(k *Kernel) *divergence {
	n := len(k.PTX.Registers)
	d := &divergence{k: k, varying: make([]bool, n), readers: make([][]int, n), touched: make([][]int, n), written: make([][]*ptx.Register, len(k.Segments)),
		inside: make([]int, len(k.Segments)), segment: make([]int, len(k.PTX.Body))}
	for i := range d.segment {
		d.segment[i] = -1
	}
	counted := make([]bool, n)
	for i := range k.Segments {
		d.index(i, counted)
	}
	for _, u := range k.PTX.Units {
		for _, f := range u.Params {
			if f.Register != nil {
				d.vary(f.Register)
			}
		}
	}
	for i := range k.Segments {
		s := &k.Segments[i]
		for j := s.First; j < s.First+s.Count; j++ {
			if in := &k.PTX.Body[j]; sourceVaries(in) {
				Writes(in, d.vary)
			}
		}
	}
	return d
}

// index notes what the instructions of a segment read and write.
func (d *divergence) index(i int, counted []bool) {
	s := &d.k.Segments[i]
	touch := func(r *ptx.Register) {
		list := d.touched[r.Index]
		if len(list) == 0 || list[len(list)-1] != i {
			d.touched[r.Index] = append(list, i)
		}
	}
	for j := s.First; j < s.First+s.Count; j++ {
		in := &d.k.PTX.Body[j]
		Reads(in, func(r *ptx.Register) {
			touch(r)
			d.readers[r.Index] = append(d.readers[r.Index], j)
		})
		Writes(in, func(r *ptx.Register) {
			touch(r)
			d.written[i] = append(d.written[i], r)
			if !counted[r.Index] {
				counted[r.Index] = true
				d.uniform++
			}
		})
	}
	d.segment[s.First+s.Count-1] = i
}

// vary marks a register.
func (d *divergence) vary(r *ptx.Register) {
	if !d.varying[r.Index] {
		d.varying[r.Index] = true
		d.uniform--
		d.fresh = append(d.fresh, r)
	}
}

// spread marks what is computed from varying values, and the branches that depend
// on them, to the fixed point.
func (d *divergence) spread() {
	for len(d.fresh) > 0 {
		r := d.fresh[len(d.fresh)-1]
		d.fresh = d.fresh[:len(d.fresh)-1]
		for _, j := range d.readers[r.Index] {
			Writes(&d.k.PTX.Body[j], d.vary)
			if i := d.segment[j]; i >= 0 {
				d.diverge(i)
			}
		}
	}
}

// diverge marks a segment whose terminator reads a varying register, if it can send
// lanes different ways.
func (d *divergence) diverge(i int) {
	s := &d.k.Segments[i]
	if s.Divergent || !d.splits(s) {
		return
	}
	s.Divergent = true
	if d.k.terminator(s).Class() == trace.ClassBranch {
		d.branches = append(d.branches, i)
	}
}

// sourceVaries reports whether the instruction is itself a source of values
// that differ between lanes. Parameters and constants do not change, so equal
// addresses give equal values; other memory can change between two lanes'
// reads, and lanes' exchanges depend on which lanes take part.
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

// splits reports whether a segment has more than one way to go.
func (d *divergence) splits(s *Segment) bool {
	ways := len(s.Successors)
	if endsKernel(d.k, s) {
		ways++
	}
	return ways >= 2
}

// markRegion visits the segments between a divergent branch and each of its joins. A
// register that they write, and that others touch, varies.
func (d *divergence) markRegion(branch int) {
	if d.uniform <= 0 {
		return
	}
	if d.visits > maxRegionVisits {
		for _, r := range d.k.PTX.Registers {
			d.vary(r)
		}
		return
	}
	joins := d.k.Segments[branch].Joins
	d.markWithin(branch, joins)
	if len(joins) > 1 { // lanes that went to the outer join are not at the inner one
		d.markWithin(branch, joins[:1])
	}
}

func (d *divergence) markWithin(branch int, ends []int) {
	for _, i := range d.region(branch, ends) {
		for _, r := range d.written[i] {
			if !d.varying[r.Index] && d.touchedOutside(r) {
				d.vary(r)
			}
		}
	}
}

// touchedOutside reports whether a segment outside the last region reads or writes a
// register.
func (d *divergence) touchedOutside(r *ptx.Register) bool {
	for n, t := range d.touched[r.Index] {
		if d.inside[t] != d.regions {
			d.visits += n
			return true
		}
	}
	d.visits += len(d.touched[r.Index])
	return false
}

// region lists what the branch reaches before the ends, and marks it in inside with the
// number of the region. The list holds until the next call.
func (d *divergence) region(branch int, ends []int) []int {
	d.regions++
	members, work := d.members[:0], append(d.work[:0], d.k.Segments[branch].Successors...)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if slices.Contains(ends, n) || d.inside[n] == d.regions {
			continue
		}
		d.inside[n] = d.regions
		members = append(members, n)
		work = append(work, d.k.Segments[n].Successors...)
	}
	d.visits += len(members)
	d.members, d.work = members, work
	return members
}
