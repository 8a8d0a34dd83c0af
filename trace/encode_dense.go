package trace

import (
	"math"
	"math/bits"
	"slices"
)

// A stream that is irregular throughout is mostly cheaper with explicit lanes for
// every execution: the residuals, strides and shapes of those that happen to be
// regular, and the kinds that tell which are, cost more than codes of a lane model.

// What kinds, residuals, strides and shapes must take for that to be tried: bits in
// all, and bits for each lane.
const (
	denseBits     = 2048
	denseLaneBits = 0.15
)

// appendStream puts the AccessStream message of a memory instruction into dst, which
// is empty: the smaller one of two.
func (e *chunkEncoder) appendStream(dst []byte, c *rawChunk, memory int) []byte {
	before := e.used
	dst = e.appendForm(dst, c, memory)
	s := &e.streams[memory]
	side := s.sideBits(&e.lanes)
	if !s.dense(c, side) {
		return dst
	}
	sparse, sparseUsed, sparseCuts := side+e.lanes.bits, e.used, slices.Clone(e.partCuts)
	e.used = before
	s.makeDense(c, e.warpStart)
	e.dense = e.appendForm(e.dense[:0], c, memory)
	if s.sideBits(&e.lanes)+e.lanes.bits < sparse {
		return append(dst[:0], e.dense...)
	}
	e.used, e.partCuts = sparseUsed, sparseCuts
	return dst
}

// sideBits is about how many bits the columns other than those of explicit lanes take.
func (s *accessEncoder) sideBits(z *laneEncoder) float64 {
	total := z.columnBits(s.kinds.bytes())
	s.scratch = s.appendResidualColumn(s.scratch[:0], s.residualShift())
	total += z.columnBits(s.scratch)
	s.scratch = s.appendStrides(s.scratch[:0])
	total += z.columnBits(s.scratch)
	s.scratch = s.appendShapes(s.scratch[:0])
	return total + z.columnBits(s.scratch)
}

// columnBits is about how many bits a compressor takes for a column.
func (z *laneEncoder) columnBits(data []byte) float64 {
	if len(data) == 0 {
		return 0
	}
	var counts [256]uint32
	for _, b := range data {
		counts[b]++
	}
	each := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(data))
			each -= p * math.Log2(p)
		}
	}
	return patternBits(data, each, &z.patterns)
}

// dense reports whether the stream should be tried with explicit lanes only.
func (s *accessEncoder) dense(c *rawChunk, side float64) bool {
	if side < denseBits {
		return false
	}
	lanes := 0
	for _, p := range s.positions {
		lanes += bits.OnesCount32(c.accesses[p].mask)
	}
	return side > denseLaneBits*float64(lanes)
}

// makeDense makes every execution of the stream one with explicit lanes.
func (s *accessEncoder) makeDense(c *rawChunk, warpStart []int32) {
	s.kinds.reset()
	s.residuals, s.strides, s.shapeRefs = s.residuals[:0], s.strides[:0], s.shapeRefs[:0]
	s.explicit, s.runs = s.explicit[:0], s.runs[:0]
	warp := 0
	for _, p := range s.positions {
		for warp+1 < len(warpStart) && warpStart[warp+1] <= p {
			warp++
		}
		a := &c.accesses[p]
		if a.mask == 0 {
			s.kinds.put(accessEmpty)
			continue
		}
		s.appendExplicit(a.mask, s.addresses(a, c.lanes))
		s.runs = append(s.runs, laneRun{p, int32(warp), a.mask})
	}
}
