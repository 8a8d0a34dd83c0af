// SPDX-License-Identifier: Apache-2.0

package gputest

import (
	"math/rand/v2"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Mbarrier adds an instruction on an mbarrier in shared memory, whose lanes' words the
// recording gives.
func (k *Kernel) Mbarrier(modifiers ...string) *Kernel {
	k.Memory(trace.ClassAtomic, trace.SpaceShared, None, 0, None)
	in := &k.Instructions[len(k.Instructions)-1]
	in.Opcode, in.Modifiers, in.LaneBytes = "mbarrier", modifiers, 8
	return k
}

// AsyncStore adds st.async of 4 bytes per lane.
func (k *Kernel) AsyncStore() *Kernel {
	k.Store(trace.SpaceShared, 0, 1)
	in := &k.Instructions[len(k.Instructions)-1]
	in.Opcode, in.Modifiers = "st", []string{"async", "shared::cluster", "mbarrier::complete_tx::bytes"}
	return k
}

// BulkCopy adds cp.async.bulk to shared memory, which completes an mbarrier.
func (k *Kernel) BulkCopy() *Kernel {
	return k.add(trace.Instruction{Opcode: "cp", Modifiers: []string{"async", "bulk", "shared::cluster", "global", "mbarrier::complete_tx::bytes"}, Class: trace.ClassBulk, Space: trace.SpaceGlobal})
}

// BulkStore adds cp.async.bulk to global memory.
func (k *Kernel) BulkStore() *Kernel {
	return k.add(trace.Instruction{Opcode: "cp", Modifiers: []string{"async", "bulk", "global", "shared::cta", "bulk_group"}, Class: trace.ClassBulk, Space: trace.SpaceGlobal})
}

// CommitBulk adds cp.async.bulk.commit_group.
func (k *Kernel) CommitBulk() *Kernel {
	k.Commit()
	k.Instructions[len(k.Instructions)-1].Modifiers = []string{"async", "bulk", "commit_group"}
	return k
}

// AwaitBulk adds cp.async.bulk.wait_group, for the sources only or for all of a copy.
func (k *Kernel) AwaitBulk(latest int, reads bool) *Kernel {
	k.AwaitGroups(latest)
	in := &k.Instructions[len(k.Instructions)-1]
	if in.Modifiers = []string{"async", "bulk", "wait_group"}; reads {
		in.Modifiers = append(in.Modifiers, "read")
	}
	return k
}

// CopiedEach records a basic block whose memory instructions are all bulk copies.
func (w *Warp) CopiedEach(block, mask uint32, copied func(b *trace.BulkCopy)) {
	w.writer.Visit(w.Warp, block, mask)
	k := &w.launch.Kernel.Kernel
	b := k.Blocks[block]
	for i := b.First; i < b.First+b.Count; i++ {
		if k.Instructions[i].Class == trace.ClassBulk {
			var moved trace.BulkCopy
			copied(&moved)
			words := moved.Words()
			w.writer.Access(w.Warp, Full, &words)
		}
	}
}

// Copied records one execution of a basic block that has a bulk copy.
func (w *Warp) Copied(block, mask uint32, b *trace.BulkCopy) {
	w.writer.Visit(w.Warp, block, mask)
	words := b.Words()
	w.writer.Access(w.Warp, Full, &words)
}

// Pipeline is a ring of stages between one warp, the producer, and others: those of its thread
// block and of all others of its cluster. An item is in a stage when its mbarrier full says so,
// in each thread block. The producer fills the stage again when all consumers have arrived at
// its mbarrier empty. Each leaves a mark in memory when it has looked, before it arrives.
type Pipeline struct {
	Stages, Items, Ranks, Warps int
	// Bytes come to all thread blocks with each item, by a bulk copy; zero: none do.
	Bytes uint32
	// Stored bytes come to each by st.async; zero: none do.
	Stored bool
	// Work is how many operations a warp does with an item at most, and Early looks fail
	// before one passes at most.
	Work, Early int
	seed        uint64
}

// RandomPipeline is some pipeline; in a cluster of several thread blocks, if it may.
func RandomPipeline(r *rand.Rand, cluster bool) *Pipeline {
	p := &Pipeline{
		Stages: 1 + r.IntN(4), Items: 1 + r.IntN(12), Ranks: 1, Warps: 2 + r.IntN(4),
		Work: r.IntN(60), Early: r.IntN(3), seed: r.Uint64(),
	}
	if cluster {
		p.Ranks = 1 + r.IntN(4)
	}
	if r.IntN(2) == 0 {
		p.Bytes = uint32(16 * (1 + r.IntN(40)))
	}
	p.Stored = p.Ranks > 1 && r.IntN(3) == 0
	return p
}

// Basic blocks of a pipeline's kernel.
const (
	pipelineInit = iota
	pipelineMeet
	pipelineMet
	pipelineLook
	pipelineMark
	pipelineWork
	pipelineArrive
	pipelineExpect
	pipelineCopy
	pipelineStore
	pipelineEnd
)

// Launch is a launch of some clusters of the pipeline.
func (p *Pipeline) Launch(clusters int) Launch {
	k := NewKernel("pipeline")
	k.Mbarrier("init", "shared::cta")
	k.Block()
	k.ClusterArrive(false)
	k.Block()
	k.ClusterWait()
	k.Mbarrier("try_wait", "parity", "shared::cta")
	k.Block()
	k.Store(trace.SpaceGlobal, 2, 3)
	k.Block()
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Block()
	of := "shared::cta"
	if p.Ranks > 1 {
		of = "shared::cluster"
	}
	k.Mbarrier("arrive", of)
	k.Block()
	k.Mbarrier("arrive", "expect_tx", of)
	k.Block()
	if p.Bytes > 0 { // which machines may refuse
		k.BulkCopy()
	} else {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Block()
	if p.Stored {
		k.AsyncStore()
	} else {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Block()
	k.Exit()
	if p.Ranks == 1 { // without a cluster, a barrier of the thread block
		in := &k.Instructions[k.Blocks[pipelineMeet].First]
		in.Opcode, in.Modifiers, in.Class = "mov", nil, trace.ClassMove
		in = &k.Instructions[k.Blocks[pipelineMet].First]
		in.Opcode, in.Modifiers = "bar", []string{"sync"}
	}
	l := Launch{Kernel: k, Blocks: clusters * p.Ranks, Threads: p.Warps * trace.WarpSize, Record: p.record}
	if p.Ranks > 1 {
		l.Cluster = trace.Dim3{X: uint32(p.Ranks), Y: 1, Z: 1}
	}
	return l
}

// Places of mbarriers in shared memory.
func (p *Pipeline) full(stage int) uint64  { return uint64(8 * stage) }
func (p *Pipeline) empty(stage int) uint64 { return uint64(8 * (p.Stages + stage)) }

// mark is the line of memory that a warp marks when it has an item.
func (p *Pipeline) mark(block, warp, item int) uint64 {
	return 0xC000_0000 + uint64((block*p.Warps+warp)*p.Items+item)*128
}

// source is what a bulk copy of an item reads.
func (p *Pipeline) source(cluster, item int) uint64 {
	return 0xD000_0000 + uint64(cluster*p.Items+item)<<12
}

func (p *Pipeline) record(w *Warp) {
	r := rand.New(rand.NewPCG(p.seed, uint64(w.Block*64+w.Warp)))
	at := func(block, mask uint32, word uint64) {
		for range w.Before[block] {
			w.Visit(pipelineWork, w.Lanes)
		}
		if w.Forget {
			word = trace.AddressOf(word)
		}
		w.VisitWith(block, mask, func(int) (uint64, int64, *[32]uint64) { return word, 0, nil })
	}
	if w.Warp == 0 {
		for s := range p.Stages {
			at(pipelineInit, 1, trace.WithNumber(p.full(s), 1))
			at(pipelineInit, 1, trace.WithNumber(p.empty(s), uint32(p.Ranks*p.Warps-1)))
		}
	}
	w.Visit(pipelineMeet, w.Lanes)
	w.Visit(pipelineMet, w.Lanes)
	producer := w.Block%p.Ranks == 0 && w.Warp == 0
	for item := range p.Items {
		stage, parity := item%p.Stages, uint8(item/p.Stages&1)
		place := p.full(stage)
		if producer {
			place, parity = p.empty(stage), parity^1
		}
		look := trace.Look{Parity: parity, Known: true}
		if !producer || item >= p.Stages { // else it passes at once
			for range r.IntN(p.Early + 1) {
				at(pipelineLook, w.Lanes, trace.WithNumber(place, look.Number()))
			}
		}
		look.Passed = true
		at(pipelineLook, w.Lanes, trace.WithNumber(place, look.Number()))
		at(pipelineMark, 1, p.mark(w.Block, w.Warp, item))
		for range r.IntN(p.Work + 1) {
			w.Visit(pipelineWork, w.Lanes)
		}
		if producer {
			p.fill(w, at, item)
		} else { // at the producer's thread block
			at(pipelineArrive, 1, trace.WithNumber(p.empty(stage)|1<<trace.ClusterRankShift, 1))
		}
	}
	w.Visit(pipelineMeet, w.Lanes) // no thread block leaves while others reach its memory
	w.Visit(pipelineMet, w.Lanes)
	w.Visit(pipelineEnd, w.Lanes)
}

// fill has the producer fill a stage in all thread blocks.
func (p *Pipeline) fill(w *Warp, at func(block, mask uint32, word uint64), item int) {
	full := p.full(item % p.Stages)
	of := func(rank int) uint64 { return uint64(rank+1) << trace.ClusterRankShift }
	for rank := range p.Ranks {
		stored := uint32(0)
		if p.Stored && rank > 0 {
			stored = 4 * 32
		}
		if p.Bytes+stored == 0 {
			at(pipelineArrive, 1, trace.WithNumber(full|of(rank), 1))
			continue
		}
		at(pipelineExpect, 1, trace.WithNumber(full|of(rank), p.Bytes+stored))
		if stored > 0 {
			at(pipelineStore, Full, trace.WithNumber(0x400|of(rank), uint32(full)))
		}
	}
	if p.Bytes > 0 {
		var b trace.BulkCopy
		b.Add(p.source(w.Block/p.Ranks, item), p.Bytes)
		blocks := uint16(1<<p.Ranks - 1)
		if p.Ranks == 1 {
			blocks = 0
		}
		b.Completes(full, blocks, p.Bytes)
		w.Copied(pipelineCopy, 1, &b)
	}
}

// Marks are the cycles in which the marks of a pipeline have been seen, and its copies.
type Marks struct {
	pipeline *Pipeline
	at       map[uint64]clock.Cycle
}

// NewMarks is for a replay of the pipeline.
func (p *Pipeline) NewMarks() *Marks { return &Marks{p, map[uint64]clock.Cycle{}} }

// Seen is for a Memory.
func (m *Marks) Seen(now clock.Cycle, _ int, a *seam.MemoryAccess) {
	switch {
	case a.Class == trace.ClassStore && a.Space == trace.SpaceGlobal:
		m.at[a.Access.Base] = now
	case a.Lines != nil:
		m.at[a.Lines[0].Address] = now
	}
}

// Overtaken tells the first warp, with its thread block, that has an item before it was there:
// before the producer had it or before its copy came. For the producer, a consumer had the
// stage then. False when none has. Latency is that of the memory; all marks must be there.
func (m *Marks) Overtaken(clusters int, latency clock.Cycle) (block, warp, item int, overtaken bool) {
	p := m.pipeline
	for block := range clusters * p.Ranks {
		first := block - block%p.Ranks // with the producer
		for warp := range p.Warps {
			for item := range p.Items {
				mine, ok := m.at[p.mark(block, warp, item)]
				produced := m.at[p.mark(first, 0, item)]
				switch {
				case !ok:
					return block, warp, item, true
				case block != first || warp != 0:
					if mine <= produced || p.Bytes > 0 && mine < m.at[p.source(block/p.Ranks, item)]+latency {
						return block, warp, item, true
					}
				case item >= p.Stages:
					for other := first; other < first+p.Ranks; other++ {
						for consumer := range p.Warps {
							if (other != first || consumer != 0) && mine <= m.at[p.mark(other, consumer, item-p.Stages)] {
								return block, warp, item, true
							}
						}
					}
				}
			}
		}
	}
	return 0, 0, 0, false
}
