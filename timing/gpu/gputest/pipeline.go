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

// Pipeline is a ring of stages between producers and consumers. The first warps of the first
// thread blocks of each cluster are the producers, all others consumers. An item is in a stage
// when its mbarrier full says so, in each thread block. A producer fills the stage again when all
// consumers have arrived at its mbarrier empty. Each leaves a mark in memory when it has looked,
// before it arrives.
type Pipeline struct {
	Stages, Items, Ranks, Warps int
	// Producers is how many thread blocks have one; zero stands for one.
	Producers int
	// Bytes come to all thread blocks with each item of a producer, by a bulk copy; zero: none do.
	Bytes uint32
	// Stored bytes come to each by st.async; zero: none do.
	Stored bool
	// Behind has a producer copy by cp.async, and arrive in its own thread block behind that, too:
	// "noinc", or "inc" for an arrival that no count expects.
	Behind string
	// Apart has bytes expected before the arrival, Drop consumers leave with the last item, and
	// Generic addresses are those of the generic window.
	Apart, Drop, Generic bool
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
	p.Producers = 1 + r.IntN(p.Ranks)
	p.Behind = []string{"", "", "inc", "noinc"}[r.IntN(4)]
	p.Apart, p.Drop, p.Generic = r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(3) == 0
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
	pipelineExpectApart
	pipelineDrop
	pipelineFetch
	pipelineBehind
	pipelineEnd
)

// Launch is a launch of some clusters of the pipeline.
func (p *Pipeline) Launch(clusters int) Launch {
	p.Producers = max(p.Producers, 1)
	k := NewKernel("pipeline")
	k.Mbarrier("init", "shared::cta")
	k.Block()
	k.ClusterArrive(false)
	k.Block()
	k.ClusterWait()
	look := "try_wait"
	if p.Apart {
		look = "test_wait"
	}
	k.Mbarrier(look, "parity", "shared::cta")
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
	k.Mbarrier("expect_tx", "relaxed", of)
	k.Block()
	k.Mbarrier("arrive_drop", of)
	p.copies(k)
	k.Block()
	k.Exit()
	if p.Generic {
		for i := range k.Instructions {
			if in := &k.Instructions[i]; in.Opcode == "mbarrier" {
				in.Space = trace.SpaceGeneric
			}
		}
	}
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

// copies adds what a producer does with cp.async.
func (p *Pipeline) copies(k *Kernel) {
	k.Block()
	if p.Behind == "" { // which machines may refuse
		k.Op(trace.ClassIntAdd, 1, 1)
		k.Block()
		k.Op(trace.ClassIntAdd, 1, 1)
		return
	}
	k.AsyncCopy(2)
	k.Block()
	k.Mbarrier("async", "mbarrier", "arrive", "shared::cta")
	in := &k.Instructions[len(k.Instructions)-1]
	if in.Opcode = "cp"; p.Behind == "noinc" {
		in.Modifiers = []string{"async", "mbarrier", "arrive", "noinc", "shared::cta"}
	}
}

// Places of mbarriers in shared memory.
func (p *Pipeline) full(stage int) uint64  { return uint64(8 * stage) }
func (p *Pipeline) empty(stage int) uint64 { return uint64(8 * (p.Stages + stage)) }

// mark is the line of memory that a warp marks when it has an item.
func (p *Pipeline) mark(block, warp, item int) uint64 {
	return 0xC000_0000 + uint64((block*p.Warps+warp)*p.Items+item)*128
}

// source is what a bulk copy of a producer's item reads, fetched what its cp.async does.
func (p *Pipeline) source(block, item int) uint64 {
	return 0xD000_0000 + uint64(block*p.Items+item)<<12
}

func (p *Pipeline) fetched(block, item int) uint64 { return p.source(block, item) + 0x1000_0000 }

// produces tells whether a warp of a thread block is a producer.
func (p *Pipeline) produces(block, warp int) bool { return warp == 0 && block%p.Ranks < p.Producers }

// counts are the arrivals that mbarriers of a rank expect.
func (p *Pipeline) counts(rank int) (full, empty uint32) {
	if full = uint32(p.Producers); p.Behind == "noinc" && rank < p.Producers {
		full++
	}
	return full, uint32(p.Ranks*p.Warps - p.Producers)
}

// pipelineVisit visits a basic block, all of whose lanes have a word.
type pipelineVisit func(block, mask uint32, word uint64)

func (p *Pipeline) visits(w *Warp) pipelineVisit {
	return func(block, mask uint32, word uint64) {
		for range w.Before[block] {
			w.Visit(pipelineWork, w.Lanes)
		}
		first := w.launch.Kernel.Blocks[block].First
		if p.Generic && w.launch.Kernel.Instructions[first].Space == trace.SpaceGeneric {
			word |= trace.SharedWindowBase
		}
		if w.Word != nil && block != pipelineMark && block != pipelineFetch {
			word = w.Word(word)
		}
		w.VisitWith(block, mask, func(int) (uint64, int64, *[32]uint64) { return word, 0, nil })
	}
}

func (p *Pipeline) record(w *Warp) {
	r := rand.New(rand.NewPCG(p.seed, uint64(w.Block*64+w.Warp)))
	at := p.visits(w)
	if w.Warp == 0 {
		full, empty := p.counts(w.Block % p.Ranks)
		for s := range p.Stages {
			at(pipelineInit, 1, trace.WithNumber(p.full(s), full))
			at(pipelineInit, 1, trace.WithNumber(p.empty(s), empty))
		}
	}
	w.Visit(pipelineMeet, w.Lanes)
	w.Visit(pipelineMet, w.Lanes)
	producer := p.produces(w.Block, w.Warp)
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
			continue
		}
		leave := uint32(pipelineArrive)
		if p.Drop && item+p.Stages >= p.Items {
			leave = pipelineDrop
		}
		for rank := range p.Producers {
			at(leave, 1, trace.WithNumber(p.empty(stage)|uint64(rank+1)<<trace.ClusterRankShift, 1))
		}
	}
	w.Visit(pipelineMeet, w.Lanes) // no thread block leaves while others reach its memory
	w.Visit(pipelineMet, w.Lanes)
	w.Visit(pipelineEnd, w.Lanes)
}

// fill has a producer fill a stage in all thread blocks.
func (p *Pipeline) fill(w *Warp, at pipelineVisit, item int) {
	full := p.full(item % p.Stages)
	of := func(rank int) uint64 { return uint64(rank+1) << trace.ClusterRankShift }
	for rank := range p.Ranks {
		if rank == w.Block%p.Ranks && p.Behind != "" {
			at(pipelineFetch, 1, p.fetched(w.Block, item))
			at(pipelineBehind, 1, trace.WithNumber(full, 1))
		}
		stored := uint32(0)
		if p.Stored && rank != w.Block%p.Ranks {
			stored = 4 * 32
		}
		switch {
		case p.Bytes+stored == 0:
			at(pipelineArrive, 1, trace.WithNumber(full|of(rank), 1))
		case p.Apart && stored == 0: // what has been stored may come before the arrival
			at(pipelineExpectApart, 1, trace.WithNumber(full|of(rank), p.Bytes))
			at(pipelineArrive, 1, trace.WithNumber(full|of(rank), 1))
		default:
			at(pipelineExpect, 1, trace.WithNumber(full|of(rank), p.Bytes+stored))
		}
		if stored > 0 {
			at(pipelineStore, Full, trace.WithNumber(0x400|of(rank), uint32(full)))
		}
	}
	if p.Bytes > 0 {
		var b trace.BulkCopy
		b.Add(p.source(w.Block, item), p.Bytes)
		blocks := uint16(1<<p.Ranks - 1)
		if p.Ranks == 1 {
			blocks = 0
		}
		b.Completes(full, blocks, p.Bytes)
		if w.Copy != nil {
			w.Copy(&b)
		}
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
	case a.Class != trace.ClassAtomic && a.Space == trace.SpaceGlobal && a.Lines == nil:
		m.at[a.Access.Base] = now
	case a.Lines != nil:
		m.at[a.Lines[0].Address] = now
	}
}

// Overtaken tells the first warp, with its thread block, that has an item before it was there:
// before each producer had it or before their copies came. For a producer, a consumer had the
// stage then. False when none has. Latency is that of the memory; all marks must be there.
func (m *Marks) Overtaken(clusters int, latency clock.Cycle) (block, warp, item int, overtaken bool) {
	p := m.pipeline
	for block := range clusters * p.Ranks {
		for warp := range p.Warps {
			for item := range p.Items {
				mine, ok := m.at[p.mark(block, warp, item)]
				if !ok || mine <= m.before(block, warp, item, latency) {
					return block, warp, item, true
				}
			}
		}
	}
	return 0, 0, 0, false
}

// before is the cycle in which the last of what an item waits for has happened.
func (m *Marks) before(block, warp, item int, latency clock.Cycle) (last clock.Cycle) {
	p := m.pipeline
	first := block - block%p.Ranks // of the cluster
	last = -1
	producer := p.produces(block, warp)
	for other := first; other < first+p.Ranks; other++ {
		for by := range p.Warps {
			switch {
			case p.produces(other, by) == producer:
			case !producer:
				last = max(last, m.at[p.mark(other, by, item)])
				if p.Bytes > 0 {
					last = max(last, m.at[p.source(other, item)]+latency-1)
				}
				if p.Behind != "" && other == block {
					last = max(last, m.at[p.fetched(other, item)]+latency-1)
				}
			case item >= p.Stages:
				last = max(last, m.at[p.mark(other, by, item-p.Stages)])
			}
		}
	}
	return last
}
