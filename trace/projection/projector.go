// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"fmt"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Projector lays the threads of a kernel's thread blocks out as hardware warps. It
// is used by one goroutine; share the Plan between several (Plan.Projector).
type Projector struct {
	plan  *Plan
	width int
	rule  Rule
	free  []*Warp
}

// New makes the Projector of a kernel for warps of width lanes, a power of two from
// 1 to MaxWidth.
func New(k *trace.Kernel, width int, rule Rule) (*Projector, error) {
	return NewPlan(k).Projector(width, rule)
}

// Projector is New for a kernel whose Plan is there.
func (p *Plan) Projector(width int, rule Rule) (*Projector, error) {
	if width < 1 || width > MaxWidth || width&(width-1) != 0 {
		return nil, fmt.Errorf("warps of %d lanes: want a power of two from 1 to %d", width, MaxWidth)
	}
	for i := range p.kernel.Instructions {
		if in := &p.kernel.Instructions[i]; in.Class == trace.ClassBulk {
			return nil, fmt.Errorf("kernel %s: %s (line %d) is a bulk copy, whose one thread is not recorded, so that its warps cannot be laid out anew", p.kernel.Name, in.Name(), in.Line)
		}
	}
	if rule >= ruleEnd {
		return nil, fmt.Errorf("%v does not exist", rule)
	}
	if rule == Interleaved {
		p.joins.Do(p.frontier)
	}
	return &Projector{plan: p, width: width, rule: rule}, nil
}

// Plan is the kernel's.
func (p *Projector) Plan() *Plan { return p.plan }

// Warps is how many hardware warps a thread block of so many threads has.
func (p *Projector) Warps(threads uint64) int {
	return int((threads + uint64(p.width) - 1) / uint64(p.width))
}

// Open starts hardware warp h of a thread block. It reads the chunk until Close.
func (p *Projector) Open(chunk *wtape.Chunk, block uint64, h int) *Warp {
	var w *Warp
	if n := len(p.free); n > 0 {
		w, p.free = p.free[n-1], p.free[:n-1]
	} else {
		w = &Warp{owner: p, plan: p.plan, parts: make([]part, max(1, p.width/trace.WarpSize))}
	}
	w.chunk = chunk
	first := h * p.width
	w.shift = first % trace.WarpSize
	for n := range w.parts {
		lanes := ^uint32(0)
		if p.width < trace.WarpSize {
			lanes = (1<<p.width - 1) << w.shift
		}
		w.parts[n].open(p.plan, chunk.Warp(block, first/trace.WarpSize+n), lanes)
	}
	w.start(p.rule)
	return w
}
