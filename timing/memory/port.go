// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/pool"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// Port is an SM's entry to the memory path; it implements seam.Port.
//
// One warp access enters at a time and holds the entry for as many cycles as
// it has transactions (or shared-memory cycles, or distinct constant
// addresses); Ready is false meanwhile. Behind the entry four pipelines of
// fixed latency work side by side: shared memory, constant cache, texture cache,
// and L1. A transaction reaches the tags at the end of its pipeline, and waits
// there in order when it finds no line, MSHR or place in the miss queue. A
// stalled L1 fills its pipeline and closes the entry.
//
// What each cycle looks at lies together, in the first lines of the host's cache.
type Port struct {
	system  *System
	counts  *counters.Set
	arrived int         // answers at the end of the network
	lates   int         // accesses in the late lists of the caches
	queued  int         // requests in early and in the miss queues
	lacks   int         // sectors for which the head of data, absent from L1, needs registers; zero when not known
	entry   clock.Cycle // first cycle in which the entry is free
	stalled clock.Cycle

	data     ring.Ring[lineAccess]
	shared   ring.Ring[sharedAccess]
	constant ring.Ring[lineAccess]
	texture  ring.Ring[lineAccess]
	fetches  ring.Ring[int32] // fetch operations that wait for an MSHR
	found    lookup           // of the head of data, when it was last looked up
	stream   instructionStream
	// transactions in data and texture beyond which the entry closes
	dataMax, textureMax int
	sm                  int
	to                  seam.Completions
	byInstruction       []counters.Set // nil unless asked for
	prefetch            *l1Prefetch    // of the L1's prefetcher, nil without one
	instruction         uint32         // the one whose transaction is looked up
	jammed              bool           // every line of its set was on its way when it was last looked up
	// observed says that the prefetcher, or the counters by instruction, look at each access of
	// the L1.
	observed       bool
	writeHitEvicts bool
	l1Write        writeMode
	l1Ways         int // of the launch, zero before the first: see divide

	operations                            pool.Pool[operation]
	requests                              pool.Pool[request]
	ahead                                 ahead
	l1, constants, instructions, textures frontCache
	early                                 ring.Ring[int32] // requests of ReadEarly that wait for the network
	sent                                  []request        // requests, as of when one was last sent
	writes                                []int32          // pending per warp slot
	cleans                                portCleans
	directory                             seam.LineDirectory // nil: no directory keeps the L1 coherent
	tag                                   uint64             // bits of addresses beyond the SM

	transactions []coalesce.Transaction // scratch
	addresses    [32]uint64             // scratch
	// conflicts is of shared memory. It is large, so what each cycle asks for lies before it.
	conflicts coalesce.Conflicts
}

// none is the index of nothing.
const none = int32(-1)

// requestsExpected is how many requests of an SM are commonly under way; more find
// room, too.
const requestsExpected = 128

// sharedAccess is a shared-memory access whose data are there at a cycle.
type sharedAccess struct {
	done clock.Cycle
	op   int32
}

// lineAccess is a transaction that reaches the tags at a cycle.
type lineAccess struct {
	coalesce.Transaction
	ready clock.Cycle
	op    int32
}

// writeMode is arch.Cache.Write of the L1.
type writeMode uint8

const (
	writeThrough writeMode = iota
	writeLocalBack
	writeBack
	writeAllocate // through, into a line that a miss takes
)

func newPort(s *System, sm int, to seam.Completions) *Port {
	m := s.machine
	l1 := m.WidestL1()
	p := &Port{
		cleans: portCleans{list: ring.New[portClean](1)},
		system: s, sm: sm, to: to, counts: s.sets[sm],
		shared: ring.New[sharedAccess](64), constant: ring.New[lineAccess](64), data: ring.New[lineAccess](128), texture: ring.New[lineAccess](64),
		l1: newFrontCache(s, &l1, fillData), constants: newFrontCache(s, &m.Constant, fillConstant), instructions: newFrontCache(s, &m.Instruction, fillInstruction), textures: newFrontCache(s, &m.Texture, fillTexture),
		writeHitEvicts: m.L1.WriteHit == "evict", fetches: ring.New[int32](m.SM.MaxWarps), early: ring.New[int32](earlyLimit),
		requests: pool.Of[request](requestsExpected), writes: make([]int32, m.SM.MaxWarps), stalled: clock.Never, ahead: newAhead(s),
	}
	if l1.Ways != m.L1.Ways {
		p.l1.tags.Uncertain() // a launch may have fewer
	}
	p.addPrefetcher(&m.L1)
	p.stream = newInstructionStream(&m.Instruction)
	p.dataMax, p.textureMax = s.l1Latency*s.l1Banks, m.Texture.LatencyCycles
	switch m.L1.Write {
	case "local_back_no_allocate":
		p.l1Write = writeLocalBack
	case "back_allocate":
		p.l1Write = writeBack
	case "through_allocate":
		p.l1Write = writeAllocate
	}
	return p
}

// Ready implements seam.Port.
func (p *Port) Ready(now clock.Cycle) bool {
	return now >= p.entry && p.data.Len() <= p.dataMax && p.texture.Len() <= p.textureMax && p.cleans.barred == 0
}

// PendingWrites implements seam.Port.
func (p *Port) PendingWrites(warpSlot int) int { return int(p.writes[warpSlot]) }

// Barrier implements seam.Port: accesses of an SM are performed in their order.
func (p *Port) Barrier(clock.Cycle, int) {}

// Fence implements seam.Port: no write waits for one.
func (p *Port) Fence(clock.Cycle, int) {}

// BlockEnd implements seam.Port: the baseline keeps nothing per thread block.
func (p *Port) BlockEnd(clock.Cycle, int, int) {}

// KernelBegin implements seam.Port: the L1 has what the launch's shared memory leaves it, and
// what the launch brings is there.
func (p *Port) KernelBegin(k seam.KernelStart) {
	m := p.system.machine
	p.divide(k.L1Ways)
	if n := m.Instruction.LaunchBytes; n > 0 {
		p.instructions.bring(p.system.code+k.Code, n)
	}
	if n := m.Constant.LaunchBytes; n > 0 {
		p.constants.bring(paramWindow, n)
	}
}

// divide gives the L1 so many ways, once nothing dirty is left to be written back of the last
// kernel's lines.
func (p *Port) divide(ways int) {
	if p.l1.tags == nil {
		return
	}
	if p.l1Ways = ways; p.cleans.barred == 0 {
		p.l1.tags.UseWays(ways)
	}
}

// KernelEnd implements seam.Port: L1, constant and texture cache are empty for the next
// kernel, but for a constant cache that is kept. Lines that a write-back L1 holds dirty of global memory are written
// back first, before the port is ready again; the local memory of threads that
// have ended is dropped.
func (p *Port) KernelEnd(now clock.Cycle) {
	if p.constants.tags != nil && !p.system.machine.Constant.Kept {
		p.constants.tags.Invalidate()
		if p.constants.behind {
			p.dropConstants()
		}
	}
	if p.textures.tags != nil {
		p.textures.tags.Invalidate()
	}
	if p.l1.tags == nil {
		return
	}
	if p.prefetch != nil {
		p.prefetch.policy.Reset()
	}
	if p.l1Write == writeBack {
		p.clean(now, portClean{whole: true})
		return
	}
	p.invalidate()
}

var _ seam.Port = (*Port)(nil)
