// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"math/bits"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// A stream that is irregular throughout is mostly cheaper with explicit lanes for
// every execution. The residuals, strides and shapes of those that happen to be
// regular, and the kinds that tell which are, cost more than codes of a lane model.

// What kinds, residuals, strides and shapes must take for that to be tried: bits in
// all, and bits for each lane.
const (
	denseBits     = lanecode.ManyBits
	denseLaneBits = 0.15
)

// densePart is the part of a stream's executions on which both forms are tried.
const densePart = 8

// appendStream puts the AccessStream message of a memory instruction into dst, which
// is empty: the smaller one of two, as far as a part of the stream tells.
func (e *Encoder) appendStream(dst []byte, c *Raw, memory int) []byte {
	s := &e.streams[memory]
	side := s.sideBits(&e.lanes)
	e.known, e.formed = sampled{}, false
	if lanes := s.denseLanes(c, side); lanes > 0 {
		e.chooseDense(c, memory, side, lanes)
	}
	return e.appendForm(dst, c, memory)
}

// chooseDense makes the stream dense if that is smaller.
func (e *Encoder) chooseDense(c *Raw, memory int, side float64, lanes int) {
	s, now := &e.streams[memory], &e.precedents[memory].dense
	if p := c.Earlier.at(memory); p != nil && p.dense.fits(s.executions(), side/float64(lanes)) {
		if *now = p.dense; now.won {
			s.makeDense(c, e.warpStart)
		}
		return
	}
	*now = densePrecedent{won: true, executions: s.executions(), lane: side / float64(lanes)}
	sparse := side + e.partBits(c, memory)
	known, spare := e.known, e.spare
	e.sparse.take(s)
	s.makeDense(c, e.warpStart)
	e.known, e.formed = sampled{}, false
	dense := s.sideBits(&e.lanes) + e.partBits(c, memory)
	now.clear = max(dense, sparse) > clearForm*min(dense, sparse)
	if dense >= sparse {
		now.won = false
		e.sparse.give(s)
		e.known, e.formed, e.spare = known, false, spare
	}
}

// partBits is about how many bits the explicit lanes of a stream take: those of its
// first executions, times how many there are of them. Where those are all, their form is
// that of the stream.
func (e *Encoder) partBits(c *Raw, memory int) float64 {
	s := &e.streams[memory]
	runs, explicit := s.runs, s.explicit
	if explicit == 0 {
		return 0
	}
	lanes := 0
	s.runs = runs[:min(len(runs), max(trials[len(trials)-1].runs, len(runs)/densePart))]
	for i := range s.runs {
		lanes += bits.OnesCount32(s.runs[i].Mask)
	}
	s.explicit = lanes
	e.form, e.formed = e.findForm(c, memory), len(s.runs) == len(runs)
	s.runs, s.explicit = runs, explicit
	return e.form.bits * float64(explicit) / float64(lanes)
}

// sparseForm keeps the columns of a stream while its other form is tried.
type sparseForm struct {
	kinds     columns.ZeroRunWriter
	residuals []int64
	strides   []int32
	shapeRefs []uint32
	explicit  int
	runs      []lanecode.Run
	low, high uint64
}

// take swaps the columns with those of the stream, whose memory it uses.
func (f *sparseForm) take(s *accessEncoder) {
	f.kinds, s.kinds = s.kinds, f.kinds
	f.residuals, s.residuals = s.residuals, f.residuals
	f.strides, s.strides = s.strides, f.strides
	f.shapeRefs, s.shapeRefs = s.shapeRefs, f.shapeRefs
	f.explicit, s.explicit = s.explicit, f.explicit
	f.runs, s.runs = s.runs, f.runs
	f.low, f.high = s.low, s.high
}

// give undoes take.
func (f *sparseForm) give(s *accessEncoder) {
	low, high := f.low, f.high
	f.take(s)
	s.low, s.high = low, high
}

// sideBits is about how many bits the columns other than those of explicit lanes take.
func (s *accessEncoder) sideBits(z *lanecode.Encoder) float64 {
	total := z.ColumnBits(s.kinds.Bytes())
	s.scratch = s.appendResidualColumn(s.scratch[:0], s.residualShift())
	total += z.ColumnBits(s.scratch)
	s.scratch = s.appendStrides(s.scratch[:0])
	total += z.ColumnBits(s.scratch)
	s.scratch = s.appendShapes(s.scratch[:0])
	return total + z.ColumnBits(s.scratch)
}

// denseLanes is how many lanes the stream has with explicit lanes only, 0 if that should
// not be tried.
func (s *accessEncoder) denseLanes(c *Raw, side float64) (lanes int) {
	if side < denseBits {
		return 0
	}
	strided := 0 // of those whose lanes are not explicit
	for _, p := range s.positions {
		a := &c.accesses[p]
		lanes += bits.OnesCount32(a.Mask)
		if a.Lanes < 0 && a.Mask != 0 {
			strided++
		}
	}
	if side <= denseLaneBits*float64(lanes) || strided > *s.spare {
		return 0
	}
	return lanes
}

// makeDense makes every execution of the stream one with explicit lanes.
func (s *accessEncoder) makeDense(c *Raw, warpStart []int32) {
	s.kinds.Reset()
	s.residuals, s.strides, s.shapeRefs = s.residuals[:0], s.strides[:0], s.shapeRefs[:0]
	s.explicit, s.runs = 0, columns.Sized(s.runs, len(s.positions))[:0]
	warp := 0
	for _, p := range s.positions {
		for warp+1 < len(warpStart) && warpStart[warp+1] <= p {
			warp++
		}
		a := &c.accesses[p]
		if a.Mask == 0 {
			s.kinds.Put(accessEmpty)
			continue
		}
		if a.Lanes < 0 {
			*s.spare--
		}
		s.appendExplicit(a, &c.lanes)
		s.runs = append(s.runs, lanecode.Run{Position: p, Warp: int32(warp), Mask: a.Mask})
	}
}
