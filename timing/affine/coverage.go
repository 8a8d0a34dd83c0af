// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Coverage counts what the affine warp takes over.
type Coverage struct {
	// Static counts instructions of the kernel, StaticAffine those that compute on
	// scalars and thread numbers only (figure 6), StaticRemoved those that are not in
	// the non-affine stream.
	Static, StaticAffine, StaticRemoved uint64
	// StaticLoads counts load instructions of global and local memory (and generic
	// ones), StaticAffineLoads those that the affine warp issues.
	StaticLoads, StaticAffineLoads uint64
	// WarpInstructions counts recorded ones, Removed those of them that the non-affine
	// stream does not have, Affine those that the affine warp executes instead.
	WarpInstructions, Removed, Affine uint64
	// Loads counts recorded warp loads of global and local memory, AffineLoads those
	// that the affine warp issues (figure 19).
	Loads, AffineLoads uint64
	// Expansions counts expanded tuples by queue and warp; Cases those of
	// predicates by case.
	Expansions [4]uint64
	Cases      [3]uint64
	// Wrapped counts expansions for which the recorded values were used.
	Wrapped uint64
}

// Add adds d to c.
func (c *Coverage) Add(d *Coverage) {
	c.Static += d.Static
	c.StaticAffine += d.StaticAffine
	c.StaticRemoved += d.StaticRemoved
	c.StaticLoads += d.StaticLoads
	c.StaticAffineLoads += d.StaticAffineLoads
	c.WarpInstructions += d.WarpInstructions
	c.Removed += d.Removed
	c.Affine += d.Affine
	c.Loads += d.Loads
	c.AffineLoads += d.AffineLoads
	for q := range c.Expansions {
		c.Expansions[q] += d.Expansions[q]
	}
	for q := range c.Cases {
		c.Cases[q] += d.Cases[q]
	}
	c.Wrapped += d.Wrapped
}

// Measure executes the affine streams, compiled with options, of all launches of a trace
// without any timing, in batches of as many thread blocks as one affine warp serves. It
// compares every expanded address and predicate with the recorded one. It returns a
// Coverage per kernel; an error names the first difference.
func Measure(r *wtape.Reader, o Options) ([]Coverage, error) {
	kernels := r.Kernels()
	out := make([]Coverage, len(kernels))
	plans := make([]*Plan, len(kernels))
	for k := range kernels {
		plans[k] = CompileWith(&kernels[k], o)
		out[k] = plans[k].Static()
	}
	chunk := wtape.NewChunk()
	for l := range r.Launches() {
		launch := &r.Launches()[l]
		m := measurement{plan: plans[launch.Kernel], coverage: &out[launch.Kernel]}
		var err error
		if m.evaluator, err = NewEvaluator(m.plan, launch); err != nil {
			return nil, err
		}
		first, end := r.LaunchChunks(l)
		for c := first; c < end; c++ {
			if err := r.ReadChunk(c, chunk); err != nil {
				return nil, err
			}
			if err := m.chunk(chunk); err != nil {
				return nil, fmt.Errorf("launch %d: %w", l, err)
			}
		}
		m.coverage.Wrapped += m.evaluator.Wrapped()
	}
	return out, nil
}

// Static counts the instructions of the kernel's text.
func (p *Plan) Static() Coverage {
	var c Coverage
	for i := range p.Fates {
		f := &p.Fates[i]
		c.Static++
		if f.Enqueue != NoQueue || f.Type != unknown && f.Type != NonAffine {
			c.StaticAffine++
		}
		if !f.Stays {
			c.StaticRemoved++
		}
		if isLoad(&p.Kernel.Instructions[i]) {
			c.StaticLoads++
			if f.Enqueue == Data {
				c.StaticAffineLoads++
			}
		}
	}
	return c
}

// isLoad reports whether an instruction loads from global or local memory, or perhaps does:
// where a generic address lies is known when it is expanded.
func isLoad(in *trace.Instruction) bool {
	return in.Class == trace.ClassLoad && (in.Space == trace.SpaceGlobal || in.Space == trace.SpaceLocal || in.Space == trace.SpaceGeneric)
}

// measurement is Measure for one launch.
type measurement struct {
	plan      *Plan
	evaluator *Evaluator
	coverage  *Coverage
	visit     Visit
}

// chunk executes the thread blocks of a chunk, batch by batch.
func (m *measurement) chunk(c *wtape.Chunk) error {
	for _, b := range c.Blocks() {
		for w := range c.WarpsPerBlock() {
			m.count(c.Warp(b, w))
		}
	}
	if !m.plan.Decoupled() {
		return nil
	}
	blocks := c.Blocks()
	for len(blocks) > 0 {
		m.evaluator.Begin()
		for len(blocks) > 0 {
			if _, ok := m.evaluator.Add(c, blocks[0]); !ok {
				break
			}
			blocks = blocks[1:]
		}
		if err := m.batch(c); err != nil {
			return err
		}
	}
	return nil
}

// count counts a recorded warp.
func (m *measurement) count(w trace.Warp) {
	k := m.plan.Kernel
	for _, b := range w.Blocks {
		block := &k.Blocks[b]
		for i := block.First; i < block.First+block.Count; i++ {
			in, f := &k.Instructions[i], &m.plan.Fates[i]
			m.coverage.WarpInstructions++
			if !f.Stays {
				m.coverage.Removed++
			}
			if !isLoad(in) || f.Enqueue == Data && in.Space == trace.SpaceGeneric {
				continue // batch counts these by where they go
			}
			m.coverage.Loads++
			if f.Enqueue == Data {
				m.coverage.AffineLoads++
			}
		}
	}
}

// batch executes the affine stream for the thread blocks of a chunk that have been added.
func (m *measurement) batch(c *wtape.Chunk) error {
	k := m.plan.Kernel
	for {
		more, err := m.evaluator.Next(&m.visit)
		if err != nil || !more {
			return err
		}
		block := &k.Blocks[m.visit.Block]
		for i := block.First; i < block.First+block.Count; i++ {
			if m.plan.Fates[i].Affine {
				m.coverage.Affine++
			}
		}
		for n := range m.visit.Enqueues {
			q := &m.visit.Enqueues[n]
			m.coverage.Affine++
			m.coverage.Expansions[q.Queue] += uint64(len(q.Expansions))
			for x := range q.Expansions {
				switch {
				case q.Queue == Predicate:
					m.coverage.Cases[q.Expansions[x].Case]++
				case q.Queue == Data && k.Instructions[q.Instruction].Space == trace.SpaceGeneric:
					m.generic(c, &q.Expansions[x])
				}
			}
		}
	}
}

// generic counts a warp's load from generic addresses.
func (m *measurement) generic(c *wtape.Chunk, x *Expansion) {
	request, early := x.Generic(c)
	if request {
		m.coverage.Loads++
	}
	if early {
		m.coverage.AffineLoads++
	}
}
