package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// loadStoreQueue is the ring of memory instructions between issue and the
// memory path: they read operands there and wait, in order, for the port.
type loadStoreQueue struct {
	entries []queued
	head    int
	count   int
}

type queued struct {
	at     clock.Cycle // from which operands have been read
	access seam.MemoryAccess
}

// newLoadStoreQueue makes room for what issues during operand read, and two more:
// the registers in front of and behind it.
func newLoadStoreQueue(m *arch.SM, transfer int) loadStoreQueue {
	return loadStoreQueue{entries: make([]queued, max(m.Units.LDST, 1)*(m.OperandReadCycles+transfer)+2)}
}

func (q *loadStoreQueue) full() bool { return q.count == len(q.entries) }

func (q *loadStoreQueue) headAt() clock.Cycle { return q.entries[q.head].at }

// push gives the next free entry.
func (q *loadStoreQueue) push(at clock.Cycle) *seam.MemoryAccess {
	i := q.head + q.count
	if i >= len(q.entries) {
		i -= len(q.entries)
	}
	q.count++
	q.entries[i].at = at
	return &q.entries[i].access
}

// pop removes the head, whose entry stays readable until the next push.
func (q *loadStoreQueue) pop() *seam.MemoryAccess {
	a := &q.entries[q.head].access
	q.count--
	if q.head++; q.head == len(q.entries) {
		q.head = 0
	}
	return a
}

// drainQueue hands memory instructions to the port while it takes them.
func (s *SM) drainQueue(now clock.Cycle) {
	for s.queue.count > 0 && s.queue.headAt() <= now && s.port.Ready(now) {
		s.enterPort(now, s.queue.pop())
	}
}

// enterPort hands a memory instruction to the port, which is ready.
func (s *SM) enterPort(now clock.Cycle, a *seam.MemoryAccess) {
	s.port.Issue(now, a)
	s.portWake = min(s.portWake, now+1)
	s.handed(now, a)
	if a.Token == seam.NoToken {
		p := &s.warps[a.WarpSlot]
		p.outstanding--
		p.memory--
		s.checkFence(a.WarpSlot)
		s.tryRetire(a.WarpSlot)
	}
}

// countLanes counts the lanes of an access by what they reach.
func countLanes(set *counters.Set, op *operation, space trace.Space, mask uint32) {
	lanes := uint64(bits.OnesCount32(mask))
	switch space {
	case trace.SpaceShared:
		if op.kind == kindLoad {
			set[counters.SharedLaneRead] += lanes
		}
		if op.kind == kindStore || op.class == trace.ClassAtomic {
			set[counters.SharedLaneWrite] += lanes
		}
	case trace.SpaceGlobal, trace.SpaceLocal, trace.SpaceTexture:
		set[counters.GlobalLane] += lanes
	}
}

// startAccess sends a memory instruction of warp w to operand read. One in which
// no lane takes part has issued, and that is all.
func (s *SM) startAccess(now clock.Cycle, w int, op *operation, mask uint32) {
	p := &s.warps[w]
	access := s.takeAccess(w)
	if mask == 0 {
		return
	}
	b := &s.blocks.slots[p.block]
	space := op.space
	if space == trace.SpaceGeneric {
		space = resolve(b.Chunk, &access, mask)
	}
	if !s.entry.FiltersLanes {
		countLanes(s.set, op, space, mask)
	}
	if s.byLine != nil {
		countLanes(&s.byLine[s.program.Original(p.index)], op, space, mask)
	}
	token := seam.NoToken
	if op.kind == kindLoad {
		token = s.tokens.give(inFlight{warp: uint8(w), instruction: p.index})
		s.pend(s.memory, w, op.written)
	}
	p.outstanding++
	p.memory++
	b.waiting[b.phase]++
	a := s.placeAccess(now, w, op)
	s.describeAccess(a, w, op, mask)
	a.Space, a.Access, a.Token = space, access, token
	if op.awaitsCopies {
		s.awaitCopies(w, &access, mask)
	}
}

// describeAccess fills in a memory instruction of warp w, all but its space,
// addresses and token.
func (s *SM) describeAccess(a *seam.MemoryAccess, w int, op *operation, mask uint32) {
	p := &s.warps[w]
	b := &s.blocks.slots[p.block]
	*a = seam.MemoryAccess{
		Class: op.class, LaneBytes: op.laneBytes, Mask: mask, Chunk: b.Chunk, Bypass: op.bypass,
		WarpSlot: w, BlockSlot: p.block, ThreadBase: w * trace.WarpSize, LocalBytes: s.program.kernel.LocalBytes,
		Instruction: s.program.Original(p.index), Phase: b.phase,
	}
}

// placeAccess makes room for a memory instruction that issues now.
func (s *SM) placeAccess(now clock.Cycle, w int, op *operation) *seam.MemoryAccess {
	if s.collectors != nil {
		return &s.stage(now, w, s.warps[w].index, op).access
	}
	return s.queue.push(now + s.units.transfer + clock.Cycle(op.startCycles))
}

// resolve gives the space of a generic access by the address of its first lane
// (the lanes of one instruction that point into different spaces would be split
// by hardware; the trace of a compiled kernel has none), and makes the addresses
// of a strided access relative to that space.
func resolve(c *trace.Chunk, a *trace.Access, mask uint32) trace.Space {
	lane := lowest(uint64(mask))
	if !a.Strided() {
		space, _ := trace.ResolveGeneric(c.LaneAddresses[int(a.Lanes)+lane])
		return space
	}
	first := a.Base + uint64(int64(a.Stride)*int64(lane))
	space, relative := trace.ResolveGeneric(first)
	a.Base -= first - relative
	return space
}

// inFlight is a load or atomic that has yet to complete.
type inFlight struct {
	instruction uint32
	next        uint32 // in the list of free ones
	warp        uint8
	live        bool
	// copied is a bulk copy's number in its thread block, from 1; 0 for others.
	copied uint32
}

// tokens names the loads in flight.
type tokens struct {
	entries []inFlight
	free    uint32
	live    int
}

func newTokens() tokens { return tokens{free: seam.NoToken} }

func (t *tokens) give(f inFlight) uint32 {
	f.live = true
	t.live++
	if i := t.free; i != seam.NoToken {
		t.free = t.entries[i].next
		t.entries[i] = f
		return i
	}
	t.entries = append(t.entries, f)
	return uint32(len(t.entries) - 1)
}

func (t *tokens) take(i uint32) (inFlight, bool) {
	if int(i) >= len(t.entries) || !t.entries[i].live {
		return inFlight{}, false
	}
	f := t.entries[i]
	t.entries[i] = inFlight{next: t.free}
	t.free = i
	t.live--
	return f, true
}
