// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// follower walks the recorded path of a warp.
type follower struct {
	path    trace.Warp
	chunk   *wtape.Chunk
	block   uint64 // the thread block's number
	warp    int    // in its thread block
	visit   int
	guards  int // used up before the visit
	access  int
	barrier uint32 // barriers at which the warp has waited
}

// Visit is a basic block that the affine warp executes, with the threads of the batch
// whose tuples it computes there.
type Visit struct {
	Block uint32
	Lanes Lanes
	// Tuples is the most tuples that an instruction of the block computes at once.
	Tuples int
	// Parameters are the addresses, in their space, that the block's ld.param of the
	// affine stream read, in order.
	Parameters []uint64
	// Enqueues are in the order in which the affine stream enqueues them.
	Enqueues []Enqueue
}

// Enqueue is a tuple on its way to the expansion units, and what becomes of it there.
type Enqueue struct {
	Instruction uint32 // of the kernel: the memory access or predicate computation
	Queue       Queue
	Expansions  []Expansion // a warp each, ascending; only those with a thread
}

// Expansion is what an expansion unit makes of a tuple for one warp.
type Expansion struct {
	Warp int32 // of the batch
	// Case says how the unit did it.
	Case Case
	// Visiting are the threads at the instruction, Mask those that take part: for
	// which the guard, or the predicate itself, holds.
	Visiting, Mask uint32
	// Barriers is at how many barriers the warp has waited before.
	Barriers uint32
	Access   trace.Access // of a memory instruction
}

// Case says how a warp's predicate or addresses were expanded.
type Case uint8

// The cases of section 4.3 for predicates, and of section 4.2 for addresses.
const (
	ScalarCase Case = iota // one comparison for the thread block
	EndsCase               // two comparisons: the warp's first and last thread
	LanesCase              // thread by thread
)

// frame is an entry of the affine SIMT stack.
type frame struct {
	block, reconverge uint32
	lanes             Lanes
}

// Evaluator executes the affine stream of a kernel for one batch of thread blocks of a
// launch after the other. Use: Begin, Add for each thread block, then Next until it
// says that the batch has ended.
type Evaluator struct {
	plan    *Plan
	launch  *trace.Launch
	extent  extent
	places  [][trace.WarpSize]Point // per warp of a thread block; blockIdx is zero
	rows    []bool                  // its threads differ in threadIdx.x only
	full    []uint32                // its threads
	blocks  []blockShape
	symbols map[string]*symbol
	names   []*symbol // by number, from 1

	warps      []follower
	index      [][3]int64 // blockIdx of each warp
	alive      Lanes
	stack      []*frame
	depth      int
	registers  []register
	predicates []bitVector
	wrapped    uint64
	scratch    scratch
}

// blockShape is what a visit of a block takes from the recorded warp.
type blockShape struct {
	guards, accesses, barriers int
	enqueues                   []placedEnqueue // at its instructions
	affine                     bool            // something of it is in the affine stream
	leads                      bool            // something is enqueued in it, or in a block that it leads to
}

// lead marks the blocks from which an enqueue can be reached.
func (e *Evaluator) lead() {
	for more := true; more; {
		more = false
		for b := range e.blocks {
			s := &e.blocks[b]
			leads := len(s.enqueues) > 0
			for _, next := range e.plan.Kernel.Blocks[b].Successors {
				leads = leads || e.blocks[next].leads
			}
			more = more || leads != s.leads
			s.leads = leads
		}
	}
}

// Leads reports whether something may still be enqueued for the batch. The affine warp has
// nothing to do for it when not: it need not follow the warps to their end.
func (e *Evaluator) Leads() bool {
	if e.depth == 0 {
		return !e.alive.empty() && len(e.blocks) > 0 && e.blocks[0].leads
	}
	for _, f := range e.stack[:e.depth] {
		if e.blocks[f.block].leads {
			return true
		}
	}
	return false
}

// placedEnqueue is an enqueue and where it stands.
type placedEnqueue struct {
	before      uint32 // the instruction that dequeues
	instruction uint32
}

// symbol is a variable, whose address the loader chose: the first access tells it.
type symbol struct {
	number int32
	known  bool
	base   int64
}

// bitVector is a predicate register of the affine warp.
type bitVector struct {
	lanes Lanes
	cases [MaxWarps]Case // how the unit made the bits of each warp
	// wrapped says that a comparison has read a tuple that may have wrapped around.
	wrapped bool
}

// NewEvaluator prepares for a launch of the plan's kernel. It fails when a thread
// block has more warps than one affine warp serves.
func NewEvaluator(p *Plan, l *trace.Launch) (*Evaluator, error) {
	if l.Warps() > MaxWarps {
		return nil, fmt.Errorf("kernel %s: a thread block of %d warps; an affine warp serves at most %d", p.Kernel.Name, l.Warps(), MaxWarps)
	}
	e := &Evaluator{plan: p, launch: l, symbols: map[string]*symbol{}}
	e.extent = extent{int64(l.Block.X), int64(l.Block.Y), int64(l.Block.Z), int64(l.Grid.X), int64(l.Grid.Y), int64(l.Grid.Z)}
	for d := range e.extent {
		e.extent[d] = max(e.extent[d], 1)
	}
	e.arrange()
	e.shape()
	e.lead()
	general, predicate := registersOf(p.Kernel)
	e.registers, e.predicates = make([]register, general), make([]bitVector, predicate)
	return e, nil
}

// arrange places the threads of a thread block.
func (e *Evaluator) arrange() {
	n := e.launch.Warps()
	e.places, e.rows, e.full = make([][trace.WarpSize]Point, n), make([]bool, n), make([]uint32, n)
	threads := int64(e.launch.Block.Count())
	for w := range n {
		for lane := range trace.WarpSize {
			t := int64(w*trace.WarpSize + lane)
			if t < threads {
				e.full[w] |= 1 << lane
			}
			e.places[w][lane] = Point{t % e.extent[0], t / e.extent[0] % e.extent[1], t / e.extent[0] / e.extent[1]}
		}
		last := e.places[w][31-bits.LeadingZeros32(e.full[w])]
		e.rows[w] = last[1] == e.places[w][0][1] && last[2] == e.places[w][0][2]
	}
}

// shape counts what each block takes of the recording.
func (e *Evaluator) shape() {
	k := e.plan.Kernel
	e.blocks = make([]blockShape, len(k.Blocks))
	for b := range k.Blocks {
		s := &e.blocks[b]
		for i := k.Blocks[b].First; i < k.Blocks[b].First+k.Blocks[b].Count; i++ {
			in, f := &k.Instructions[i], &e.plan.Fates[i]
			if in.Guarded() {
				s.guards++
			}
			if in.HasAccess() {
				s.accesses++
			}
			if waits(in) {
				s.barriers++
			}
			if f.Enqueue != NoQueue && f.EmbeddedIn == 0 {
				s.enqueues = append(s.enqueues, placedEnqueue{i, i})
			}
			if f.Predicate != 0 {
				s.enqueues = append(s.enqueues, placedEnqueue{i, f.Predicate - 1})
			}
			s.affine = s.affine || f.Affine || f.Enqueue != NoQueue
		}
	}
}

// waits reports whether an instruction is a barrier at which warps wait.
func waits(in *trace.Instruction) bool {
	if in.Class != trace.ClassBarrier {
		return false
	}
	for _, m := range in.Modifiers {
		if m == "arrive" {
			return false
		}
	}
	return true
}

func registersOf(k *trace.Kernel) (general, predicate int) {
	var list []trace.Register
	for i := range k.Instructions {
		list = k.Instructions[i].Writes(k.Instructions[i].Reads(list[:0]))
		for _, r := range list {
			if r.File == trace.FilePredicate {
				predicate = max(predicate, int(r.Number)+1)
			} else {
				general = max(general, int(r.Number)+1)
			}
		}
	}
	return general, predicate
}

// Begin starts a batch without thread blocks.
func (e *Evaluator) Begin() {
	e.warps, e.index = e.warps[:0], e.index[:0]
	for e.depth > 0 {
		e.pop()
	}
	e.alive.clear()
	for i := range e.registers {
		e.registers[i].n = 0
	}
	for i := range e.predicates {
		e.predicates[i].lanes.clear()
		e.predicates[i].wrapped = false
	}
}

// Plan is what the evaluator executes.
func (e *Evaluator) Plan() *Plan { return e.plan }

// Warps is how many warps the batch has.
func (e *Evaluator) Warps() int { return len(e.warps) }

// Add puts the warps of a thread block into the batch and returns the number of the
// first; false when there is no room.
func (e *Evaluator) Add(chunk *wtape.Chunk, block uint64) (first int, ok bool) {
	n := e.launch.Warps()
	first = len(e.warps)
	if first+n > MaxWarps {
		return 0, false
	}
	x := int64(block) % e.extent[3]
	y := int64(block) / e.extent[3] % e.extent[4]
	z := int64(block) / e.extent[3] / e.extent[4]
	for w := range n {
		e.warps = append(e.warps, follower{path: chunk.Warp(block, w), chunk: chunk, block: block, warp: w})
		e.index = append(e.index, [3]int64{x, y, z})
		e.alive.set(first+w, e.full[w])
	}
	return first, true
}

// Leave takes warp w, which has executed everything, out of the batch. It returns the basic
// blocks of its visits to which the affine warp has not followed it.
func (e *Evaluator) Leave(w int) []uint32 {
	at := &e.warps[w]
	rest := at.path.Blocks[at.visit:]
	at.visit = len(at.path.Blocks)
	e.alive.set(w, 0)
	for _, f := range e.stack[:e.depth] {
		f.lanes.set(w, 0)
	}
	e.settle()
	return rest
}

// Enqueues reports whether the affine stream enqueues something in basic block b.
func (e *Evaluator) Enqueues(b uint32) bool { return len(e.blocks[b].enqueues) > 0 }

// Threads are the threads that warp w of the batch has.
func (e *Evaluator) Threads(w int) uint32 { return e.full[e.warps[w].warp] }

// Wrapped is how many expansions differed from what was recorded because a value had
// wrapped around before it was made wider; the recorded ones were used.
func (e *Evaluator) Wrapped() uint64 { return e.wrapped }
