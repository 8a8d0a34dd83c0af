// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Share is what the chains of a kernel have of what its thread blocks in a trace
// do. Requests are distinct lines of trace.LineBytes of global and local memory
// per warp instruction, as a coalescer makes them.
type Share struct {
	Plan *Plan
	// By place in Plan.Chains.
	ChainInstructions, ChainRequests []uint64
	// Of the whole kernel.
	Instructions, Requests uint64
}

// Measure counts, for each kernel of a trace, what the chains of its plan do in
// the thread blocks that the trace stores.
func Measure(r *wtape.Reader, plans []*Plan) ([]Share, error) {
	m := &measure{shares: make([]Share, len(plans))}
	for i, p := range plans {
		m.shares[i] = Share{Plan: p, ChainInstructions: make([]uint64, len(p.Chains)), ChainRequests: make([]uint64, len(p.Chains))}
	}
	chunk := wtape.NewChunk()
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, chunk); err != nil {
			return nil, err
		}
		kernel := r.Launches()[chunk.Launch()].Kernel
		for _, block := range chunk.Blocks() {
			for w := range chunk.WarpsPerBlock() {
				m.warp(&r.Kernels()[kernel], &m.shares[kernel], chunk, chunk.Warp(block, w))
			}
		}
	}
	return m.shares, nil
}

type measure struct {
	shares []Share
	lanes  [trace.WarpSize]uint64
	lines  []uint64 // of one access
}

func (m *measure) warp(k *trace.Kernel, s *Share, c *wtape.Chunk, warp trace.Warp) {
	for e := range warp.Executed(k) {
		requests := uint64(0)
		if e.Access != nil {
			requests = m.requests(c, *e.Access, e.In, e.Mask)
		}
		s.Instructions++
		s.Requests += requests
		if chain := s.Plan.ChainOf[e.Index]; chain >= 0 {
			s.ChainInstructions[chain]++
			s.ChainRequests[chain] += requests
		}
	}
}

// requests counts the lines of one access.
func (m *measure) requests(c *wtape.Chunk, a trace.Access, in *trace.Instruction, mask uint32) uint64 {
	if mask == 0 {
		return 0
	}
	if in.Class == trace.ClassBulk {
		var b trace.BulkCopy
		c.Bulk(a, &b)
		return (b.Bytes() + trace.LineBytes - 1) / trace.LineBytes
	}
	c.Addresses(a, mask, &m.lanes)
	m.lines = m.lines[:0]
	for rest := mask; rest != 0; rest &= rest - 1 {
		address, space := m.lanes[bits.TrailingZeros32(rest)], in.Space
		if space == trace.SpaceGeneric {
			space, _ = trace.ResolveGeneric(address)
		}
		if space != trace.SpaceGlobal && space != trace.SpaceLocal && space != trace.SpaceTexture {
			continue
		}
		first, last := address/trace.LineBytes, (address+uint64(max(in.LaneBytes, 1))-1)/trace.LineBytes
		for _, line := range [...]uint64{first, last} {
			if n := len(m.lines); n == 0 || m.lines[n-1] != line && !slices.Contains(m.lines, line) {
				m.lines = append(m.lines, line)
			}
		}
	}
	return uint64(len(m.lines))
}
