// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

const maxWarps = affine.MaxWarps

// maxSlots is the most warp slots, that of the affine warp among them.
const maxSlots = maxWarps + 1

// engine is the affine warp of an SM with its queues and expansion units. It implements
// sm.Assistant.
type engine struct {
	chip   *chip
	sm     assistedSM
	counts *counters.Set
	port   *port

	kernel    *compiled     // of the launch; nil when it has no affine stream
	launch    *trace.Launch // of the evaluator; nil for none
	evaluator *affine.Evaluator
	wrapped   uint64 // Evaluator.Wrapped when last counted
	visit     affine.Visit
	stream    affineStream
	addresses [trace.WarpSize]uint64 // of an access

	waiting []int       // slots of thread blocks that no batch has had
	placed  clock.Cycle // when the last one came
	came    clock.Cycle // when the first did
	freed   clock.Cycle // when one last left its place
	began   clock.Cycle // when the affine warp began last
	lasted  clock.Cycle // and for how long it ran
	batch   uint64      // slots of the thread blocks of the batch that runs, or ran last
	running bool
	warpOf  [maxWarps]uint8 // warps of the batch: their slots
	blockOf [maxWarps]uint8
	blocks  []blockState // by slot

	upcoming  ring.Ring[*tuple] // enqueues that have yet to issue
	queue     ring.Ring[*tuple] // the affine tuple queue
	spare     []*tuple
	decisions ring.Ring[decision]
	supplied  [maxSlots]uint32 // by warp slot: outcomes that the warp has supplied
	demanded  [maxSlots]uint32 // and that visits of the affine warp want
	warps     [maxSlots]warpQueues
	records   pool

	addressRoom, predicateRoom int32 // of each warp
	addressing, predicating    uint64
	lastAddress, lastPredicate int
	moved                      bool
	access                     seam.MemoryAccess // of ask
	part                       [1]seam.LinePart
	local                      []uint64 // lines, of ask
}

// decision is a branch of the affine warp whose outcome the warps supply.
type decision struct {
	warps  uint64 // slots
	needed [maxSlots]uint32
}

// assistedSM is an SM with the hook of its assistant.
type assistedSM struct {
	*sm.SM
	sm.Assistance
}

func newEngine(c *chip, s *sm.SM) (*engine, error) {
	e := &engine{
		chip: c, sm: assistedSM{SM: s}, counts: s.Counters(), port: c.ports[s.ID()],
		upcoming: ring.New[*tuple](64), queue: ring.New[*tuple](c.section.TupleEntries), decisions: ring.New[decision](4),
		blocks: make([]blockState, max(c.machine.SM.MaxBlocks, 1)),
	}
	e.port.engine = e
	e.stream = affineStream{engine: e, parameters: ring.New[uint64](16), compares: ring.New[seam.Visit](16)}
	for w := range e.warps {
		e.warps[w].addresses, e.warps[w].predicates = ring.New[int32](4), ring.New[bitVector](4)
	}
	for b := range e.blocks {
		e.blocks[b].addresses, e.blocks[b].predicates = ring.New[work](4), ring.New[work](4)
	}
	var err error
	e.sm.Assistance, err = s.Assist(e)
	return e, err
}

// begin readies for the launch that the SM works for.
func (e *engine) begin() {
	e.kernel = nil
	for _, k := range e.chip.kernels {
		if k != nil && k.rewriting.Kernel == e.sm.Program().Kernel() {
			e.kernel = k
		}
	}
}

// awaits reports whether thread blocks wait for the affine warp, and it does not run.
func (e *engine) awaits() bool { return e.kernel != nil && len(e.waiting) > 0 && !e.running }

// step does the cycle of the units, behind that of the front end; it gives the next.
func (e *engine) step(now clock.Cycle) clock.Cycle {
	if e.kernel == nil {
		return clock.Never
	}
	e.expandAddress(now)
	e.expandPredicate()
	if e.moved || e.addressing != 0 || e.predicating != 0 {
		return now + 1
	}
	return clock.Never
}

// beginAt is when a batch may begin. It should have all thread blocks that the SM can
// hold, because those that come later wait until its end; but it does not wait for them
// for ever. No thread block is left for an SM on which a place stays free. Where all are
// taken, those of the batch before end soon after one another, since one affine warp has
// led them. A share of the time that it took for them is worth waiting. That time begins
// when the affine warp is free. Before, the thread blocks wait anyway, and by then those
// that have been led have little left. A batch without them would make them wait for its
// whole length, and theirs the others, in turns with half of the SM each.
func (e *engine) beginAt() clock.Cycle {
	a, _ := e.sm.Assigned(e.waiting[0])
	s := e.chip.section
	gather := clock.Cycle(s.GatherCycles)
	switch {
	case s.Batch == wholeBatch && e.sm.Resident() > len(e.waiting):
		return clock.Never // when the batch before has ended, it wakes the front end
	case e.sm.Fits(&a.Need):
		return max(e.placed, e.freed) + gather
	case e.sm.Resident() > len(e.waiting):
		free := e.began + e.lasted
		return max(e.came, free) + max(clock.Cycle(float64(e.lasted)*s.GatherShare), gather)
	}
	return 0
}

// start launches the affine warp for the thread blocks that wait.
func (e *engine) start(now clock.Cycle) {
	e.evaluator.Begin()
	batch := uint64(0)
	for _, slot := range e.waiting {
		a, warps := e.sm.Assigned(slot)
		first, ok := e.evaluator.Add(a.Chunk, a.Block)
		if !ok {
			e.chip.fail(fmt.Errorf("BUG: SM %d has more than %d warps for its affine warp", e.sm.ID(), maxWarps))
			return
		}
		for rest := warps; !rest.Empty(); rest = rest.Rest() {
			e.warpOf[first], e.blockOf[first] = uint8(rest.Lowest()), uint8(slot)
			first++
		}
		batch |= 1 << slot
	}
	e.waiting, e.batch = e.waiting[:0], batch
	e.running, e.moved, e.began = true, true, now
	e.count(countBatch, 1)
	e.sm.StartExtra(now, &e.stream)
}

// Placed implements sm.Assistant.
func (e *engine) Placed(now clock.Cycle, slot int) {
	a, warps := e.sm.Assigned(slot)
	if e.kernel == nil {
		return
	}
	if l := &e.chip.launches[a.Chunk.Launch()]; l != e.launch || e.evaluator.Plan() != e.kernel.plan {
		if err := e.prepare(l); err != nil {
			e.chip.fail(err)
			return
		}
	}
	e.blocks[slot].opened = 0
	for rest := warps; !rest.Empty(); rest = rest.Rest() {
		w := rest.Lowest()
		e.supplied[w], e.demanded[w] = 0, 0
	}
	if len(e.waiting) == 0 {
		e.came = now
	}
	e.waiting = append(e.waiting, slot)
	e.placed = now
	e.divide(&a.Need)
}

// prepare makes the evaluator of a launch.
func (e *engine) prepare(l *trace.Launch) error {
	evaluator, err := affine.NewEvaluator(e.kernel.plan, l)
	if err != nil {
		return err
	}
	e.evaluator, e.launch, e.wrapped = evaluator, l, 0
	return nil
}

// divide gives each warp its part of the queues: section 4.8 partitions them among warps,
// and section 4.1 has a queue for each concurrent warp, so that fewer have more.
func (e *engine) divide(need *seam.Footprint) {
	warps := max(e.sm.ResidentWarps(need), 1)
	e.addressRoom = int32(max(e.chip.section.AddressEntries/warps, 1))
	e.predicateRoom = int32(max(e.chip.section.PredicateEntries/warps, 1))
}

// Opened implements sm.Assistant: the unit may ask memory for what follows the barrier.
func (e *engine) Opened(_ clock.Cycle, slot int) {
	if slot < len(e.blocks) {
		e.blocks[slot].opened++
		e.resumeAddresses(slot)
	}
}

// Ended implements sm.Assistant. A thread block that has ended leaves the SM although the
// affine warp still runs for others of its batch, or has yet to run for this one. There is
// nothing left that could be enqueued for it. Only the last of a batch waits for the affine
// warp, which is a warp of the kernel like others.
func (e *engine) Ended(now clock.Cycle, slot int) bool {
	e.freed = now
	switch i := slices.Index(e.waiting, slot); {
	case e.kernel == nil:
	case i >= 0:
		e.waiting = slices.Delete(e.waiting, i, i+1)
		a, _ := e.sm.Assigned(slot)
		for w := range a.Need.Warps {
			e.passOver(slot, a.Chunk.Warp(a.Block, w).Blocks)
		}
	case e.running && e.batch == 1<<slot:
		return true
	case e.running && e.batch>>slot&1 != 0:
		e.release(slot)
	}
	return false
}

// release takes the warps of a thread block out of the batch for which the affine warp runs.
func (e *engine) release(slot int) {
	e.batch &^= 1 << slot
	for w := range e.evaluator.Warps() {
		if int(e.blockOf[w]) != slot {
			continue
		}
		for i := range e.decisions.Len() {
			e.decisions.At(i).warps &^= 1 << e.warpOf[w]
		}
		e.passOver(slot, e.evaluator.Leave(w))
	}
	e.sm.Recheck(e.sm.ExtraSlot()) // it may have waited for one of these warps
}

// passOver counts what a warp has not issued in visits that the affine warp has not followed.
func (e *engine) passOver(slot int, visits []uint32) {
	for _, b := range visits {
		if e.evaluator.Enqueues(b) {
			e.chip.fail(fmt.Errorf("BUG: kernel %s, SM %d: thread block in slot %d has ended before the affine warp has enqueued for it at line %d",
				e.kernel.plan.Kernel.Name, e.sm.ID(), slot, e.kernel.plan.Kernel.Instructions[e.kernel.plan.Kernel.Blocks[b].First].Line))
			return
		}
		parts := &e.kernel.blocks[b]
		e.count(countRemoved, int(parts.removed))
		e.count(countLoad, int(parts.loads))
		e.count(countAffineLoad, int(parts.affineLoads))
	}
}

// ExtraEnded implements sm.Assistant.
func (e *engine) ExtraEnded(now clock.Cycle) {
	if n := e.evaluator.Wrapped(); n != e.wrapped {
		e.count(countWrapped, int(n-e.wrapped))
		e.wrapped = n
	}
	e.running, e.moved, e.lasted = false, true, now-e.began
	if last := e.sm.Assisted() & e.batch; last != 0 {
		e.freed = now
		e.sm.Release(now, bits.TrailingZeros64(last))
	}
}

// tally counts what the warps of the visit do not issue of its block, and its loads.
func (e *engine) tally(parts *blockParts) {
	active := bits.OnesCount64(e.visit.Lanes.Active)
	e.count(countRemoved, active*int(parts.removed))
	e.count(countLoad, active*int(parts.loads))
	e.count(countAffineLoad, active*int(parts.affineLoads))
}

// take readies a visit of the affine warp for issue; false when the affine stream has
// nothing of the block.
func (e *engine) take(s *affineStream) bool {
	v := &e.visit
	parts := &e.kernel.blocks[v.Block]
	e.tally(parts)
	if parts.affineEmpty {
		return false
	}
	e.count(countStack, 1)
	for rest := v.Lanes.Active; rest != 0; rest &= rest - 1 {
		if w := bits.TrailingZeros64(rest); v.Lanes.Masks[w] != e.evaluator.Threads(w) {
			e.count(countWarpStack, 1)
		}
	}
	for _, address := range v.Parameters {
		s.parameters.Push(address & (trace.WindowBytes - 1))
	}
	if parts.decides {
		d := e.decisions.Add()
		d.warps = 0
		for rest := v.Lanes.Active; rest != 0; rest &= rest - 1 {
			w := e.warpOf[bits.TrailingZeros64(rest)]
			e.demanded[w]++
			d.warps |= 1 << w
			d.needed[w] = e.demanded[w]
		}
	}
	for i := range v.Enqueues {
		s.compare(&v.Enqueues[i])
		e.keep(&v.Enqueues[i])
	}
	return true
}

// keep copies an enqueue for its issue.
func (e *engine) keep(q *affine.Enqueue) {
	var t *tuple
	if n := len(e.spare); n > 0 {
		t, e.spare = e.spare[n-1], e.spare[:n-1]
	} else {
		t = new(tuple)
	}
	t.instruction, t.queue, t.items, t.left = q.Instruction, q.Queue, t.items[:0], 0
	t.divergent = e.kernel.plan.Fates[q.Instruction].Conditions > 0
	for _, x := range q.Expansions {
		t.items = append(t.items, item{Expansion: x, warp: e.warpOf[x.Warp], block: e.blockOf[x.Warp]})
	}
	e.upcoming.Push(t)
}

// count adds n to one of the counters.
func (e *engine) count(which counters.ID, n int) { e.counts[firstCounter+which] += uint64(n) }

// describe says what the affine warp and its units wait for.
func (e *engine) describe() string {
	if !e.running && e.queue.Len() == 0 && len(e.waiting) == 0 {
		return ""
	}
	return fmt.Sprintf("runs: %v; %d thread blocks wait for it, %d tuples are queued, %d addresses", e.running, len(e.waiting), e.queue.Len(), e.records.used())
}
