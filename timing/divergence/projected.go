// SPDX-License-Identifier: Apache-2.0

package divergence

import (
	"fmt"

	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
	"github.com/warptape/warptape/trace/wtape"
)

// LanesApart refuses kernels whose results depend on which lanes of a warp execute an
// instruction together: the policy runs lanes apart that were recorded together.
func LanesApart(k *trace.Kernel) error {
	plan := projection.NewPlan(k)
	if i, ok := plan.WarpLevel(); ok {
		in := &k.Instructions[i]
		return fmt.Errorf("kernel %s (%s:%d): %s depends on which lanes execute it together, and the divergence policy runs lanes apart that were recorded together; replay the kernel on a machine with gpu.divergence: pdom (gpsim-eesi-base is that of eesi and gpsim-sbi)", k.Name, k.File, in.Line, in.Name())
	}
	_, err := plan.Projector(trace.WarpSize, projection.Serial) // bulk copies
	return err
}

// projected lays recorded warps of 32 lanes out under another rule than the recording's;
// it implements seam.Divergence.
type projected struct {
	rule projection.Rule
	of   map[*trace.Kernel]*projection.Projector
	free []*stream
}

func newProjection(rule projection.Rule) *projected {
	return &projected{rule: rule, of: map[*trace.Kernel]*projection.Projector{}}
}

// HardwareWarps implements seam.Divergence.
func (d *projected) HardwareWarps(n int) int { return n }

// Open implements seam.Divergence.
func (d *projected) Open(k *trace.Kernel, chunk *wtape.Chunk, block uint64, h int) seam.Stream {
	p := d.of[k]
	if p == nil {
		var err error
		if p, err = projection.New(k, trace.WarpSize, d.rule); err != nil {
			panic("BUG: divergence: " + err.Error()) // LanesApart refuses such kernels
		}
		d.of[k] = p
	}
	var s *stream
	if n := len(d.free); n > 0 {
		s, d.free = d.free[n-1], d.free[:n-1]
	} else {
		s = &stream{owner: d}
	}
	s.plan, s.warp = p.Plan(), p.Open(chunk, block, h)
	s.read, s.guard, s.access = 0, cursor{}, cursor{}
	return s
}

// window is how many visits a stream keeps: the one whose instructions issue, and the one
// after that.
const window = 2

// stream is what a projected warp issues; it implements seam.Stream.
type stream struct {
	owner  *projected
	plan   *projection.Plan
	warp   *projection.Warp
	visits [window]projection.Visit
	read   int // visits handed out
	guard  cursor
	access cursor
	gather Gatherer
}

// cursor is a place among the instructions of one kind of all visits.
type cursor struct{ visit, next int }

// Next implements seam.Stream.
func (s *stream) Next(v *seam.Visit) bool {
	x := &s.visits[s.read%window]
	if !s.warp.Next(x) {
		return false
	}
	s.read++
	v.BasicBlock, v.Mask = x.Block, x.Lanes[0]
	s.guard.begin(s.read - window)
	s.access.begin(s.read - window)
	return true
}

// begin leaves the visits before v behind.
func (c *cursor) begin(v int) {
	if c.visit < v {
		*c = cursor{visit: v}
	}
}

// take steps to the next instruction and gives its visit and its place there; of says how
// many a basic block has.
func (c *cursor) take(s *stream, of func(*projection.Plan, uint32) int) (*projection.Visit, int) {
	for c.next == of(s.plan, s.visits[c.visit%window].Block) {
		*c = cursor{visit: c.visit + 1}
	}
	c.next++
	return &s.visits[c.visit%window], c.next - 1
}

// Guard implements seam.Stream.
func (s *stream) Guard() uint32 {
	v, i := s.guard.take(s, (*projection.Plan).Guards)
	return s.warp.Guard(v, i)[0]
}

// Access implements seam.Stream. Lanes that were recorded in one visit have an access of
// the recording, whichever of them take part.
func (s *stream) Access() (trace.Access, *wtape.Chunk) {
	v, i := s.access.take(s, (*projection.Plan).Accesses)
	if _, several := s.warp.Recorded(v, 0, 1); !several {
		r, _ := s.warp.Recorded(v, 0, 0)
		return s.warp.Part(0).Accesses[r.Access+i], nil
	}
	lanes := s.warp.Addresses(v, i, &s.gather.Addresses)
	return s.gather.Access(lanes[0])
}

// Arrives implements seam.Stream.
func (s *stream) Arrives(mask uint32, _ bool) uint32 { return mask }

// Resumes implements seam.Stream.
func (s *stream) Resumes(waiting uint32) (lanes uint32, came bool) {
	next := &s.visits[(s.read-1)%window]
	return next.Lanes[0] & waiting, next.Resumes
}

// Close implements seam.Stream.
func (s *stream) Close() {
	s.warp.Close()
	s.warp, s.plan = nil, nil
	s.gather.chunk = nil
	s.owner.free = append(s.owner.free, s)
}
