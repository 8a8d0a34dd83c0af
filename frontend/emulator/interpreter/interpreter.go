// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/trace"
)

// Interpreter is the coexecutor that walks lowered instructions, one typed
// loop over 32 lanes for each.
type Interpreter struct {
	// Literal executes each instruction as it stands, where it stands: the slow twin of
	// scheduled runs.
	Literal bool
}

// Program is a kernel loaded into the Interpreter. It does not change any more.
type Program struct {
	kernel     *contaminator.Kernel
	layout     *layout
	operations []operation // parallel to the kernel's body
	// segments are the operations that a run of each segment executes, invariants
	// those that are executed once for each launch.
	segments   [][]operation
	invariants []operation
	localBytes uint64
	calls      bool // the kernel has functions
	caches     int
	patterns   int
	reductions int
}

// warpContext is a warp's registers and local memory.
type warpContext struct {
	program *Program
	// file backs the register file that starts at base.
	file       []uint64
	base       unsafe.Pointer
	predicates []uint32
	// carry is the condition code register's carry flag (9.7.2), by lane.
	carry uint32
	// local holds the threads' local memories one after the other, once they
	// are used; dirty says that the warp has written to it.
	local []byte
	dirty bool

	identity *coexecution.WarpIdentity
	// launch is the launch that the constant slots were filled for.
	launch *coexecution.LaunchState
	// checksGlobal says that races in global memory are looked for.
	checksGlobal bool
	warp         int
	record       *coexecution.Record
	active       uint32
	scratch      lanes.Scratch
	access       accessState
	// reached is the access that reachAt looks at; tensors is for bulk copies of
	// tensors.
	reached  accessOperation
	tensors  tensorScratch
	sums     []float32        // of a warpgroup's product
	product  *productMatrices // of the products of matrices; nil before the first one
	filter   memory.Filter
	moved    trace.BulkCopy         // by the bulk copy at hand, of all lanes
	numbers  [trace.WarpSize]uint32 // of the words of the access at hand
	patterns []lanePattern
	// runs counts the runs of segments. The lanes of patterns that the last one's record
	// refers to, and the patterns do not, are in referred, those that nothing refers to
	// in spare.
	runs            uint64
	referred, spare []*patternLanes
	calls           callState
	results         []func(mask, value uint32)
	// present are the lanes that take part in an exchange between lanes; together is the
	// record of an instruction that lanes of several runs execute together.
	present  uint32
	together coexecution.Record
}

// Saved tells how many instructions of the kernel are executed once for a launch, and by
// how many fewer operations than instructions the runs of segments have.
func (p *Program) Saved() (once, left int) {
	for i := range p.segments {
		left += p.kernel.Segments[i].Count - len(p.segments[i])
	}
	return len(p.invariants), left
}

// NewContext makes a warp's registers and local memory.
func (p *Program) NewContext() coexecution.Context {
	c := &warpContext{
		program:    p,
		file:       make([]uint64, (p.layout.bytes+7)/8+1),
		predicates: make([]uint32, p.layout.predicates+2),
		warp:       -1,
		results:    make([]func(mask, value uint32), p.reductions),
	}
	c.base = unsafe.Pointer(&c.file[0])
	c.access.cached = make([]*memory.Allocation, p.caches)
	c.patterns = make([]lanePattern, p.patterns)
	c.predicates[p.layout.constantPredicate(true)] = lanes.FullMask
	for _, k := range p.layout.constants {
		if k.wide {
			lanes.Broadcast(c.at(k.offset), k.value)
		} else {
			lanes.Broadcast(c.at(k.offset), uint32(k.value))
		}
	}
	return c
}

// at is the slot at a byte offset of the register file.
func (c *warpContext) at(offset uint32) unsafe.Pointer { return unsafe.Add(c.base, offset) }

// Reset readies the context for a warp of a thread block. Registers and local
// memory start as zeros, so that a kernel which reads them uninitialised does
// the same in every run.
func (c *warpContext) Reset(w *coexecution.WarpIdentity) {
	l := c.program.layout
	clear(c.file[:l.zeroed/8])
	clear(c.predicates[:l.zeroedPredicates])
	c.carry = 0
	if c.dirty {
		clear(c.local)
		c.dirty = false
	}
	if c.program.calls {
		c.calls.reset()
	}
	c.identity = w
	if c.launch != w.Launch || c.warp != w.Warp {
		c.launch, c.warp = w.Launch, w.Warp
		c.startLaunch()
	}
	c.startBlock()
}

// startLaunch fills the slots that stay the same for all blocks of a launch.
func (c *warpContext) startLaunch() {
	clear(c.access.cached)
	races := c.identity.Block.Races
	c.checksGlobal = races != nil && races.Global != nil
	for _, s := range c.program.layout.symbols {
		address := c.launch.VariableAddress(s.variable) + uint64(s.addend)
		if s.wide {
			lanes.Broadcast(c.at(s.offset), address)
		} else {
			lanes.Broadcast(c.at(s.offset), uint32(address))
		}
	}
	for _, s := range c.program.layout.specials {
		c.fillLaunchSpecial(s)
	}
	c.runInvariants()
}

// startBlock fills the slots that differ from block to block.
func (c *warpContext) startBlock() {
	for _, s := range c.program.layout.specials {
		c.fillBlockSpecial(s)
	}
}

// Run executes a segment for the lanes in mask.
func (c *warpContext) Run(segment int, mask uint32, r *coexecution.Record) error {
	r.Taken, r.FallThrough, r.Exited, r.Returned, r.Call, r.Yield = 0, mask, 0, 0, false, false
	r.Targets, r.Guards, r.Accesses = r.Targets[:0], r.Guards[:0], r.Accesses[:0]
	r.Barrier.Kind, r.Meeting.Waits = coexecution.BarrierNone, false
	r.Await.Memory = nil
	c.record, c.active = r, mask
	c.startRun()
	if c.launch.Watch != nil {
		return c.runStepwise(segment, mask)
	}
	err := c.execute(c.program.segments[segment], mask)
	r.Resume.Segment = segment
	return err
}

// execute runs operations for the lanes in mask.
func (c *warpContext) execute(operations []operation, mask uint32) error {
	r := c.record
	for i := range operations {
		op := &operations[i]
		m := mask
		if op.guarded {
			m &= c.predicates[op.guard] ^ op.guardFlip
			if op.traceGuard {
				r.Guards = append(r.Guards, m)
			}
			if m == 0 && !op.always {
				continue
			}
		}
		switch op.kind {
		case kindLanes:
			if m == lanes.FullMask { // as runLanes, which is too large for the compiler to put here
				op.loop(&c.scratch, c.at(op.d), c.at(op.a), c.at(op.b), c.at(op.c))
			} else {
				c.runSomeLanes(op, m)
			}
		case kindCompare:
			c.runCompare(op, m)
		case kindBranch:
			c.branch(op, m)
		case kindParameter:
			c.noteParameter(op, m)
		case kindCompareBranch:
			c.runCompare(op, m)
			c.branch(op.branch, m&(c.predicates[op.branch.guard]^op.branch.guardFlip))
		case kindMeeting:
			if !c.allPresent(op, m) {
				c.suspend(i)
				return nil
			}
			c.present = m
			if err := op.run(c, op, m); err != nil {
				return c.place(err, op.instruction, m)
			}
		default:
			if err := op.run(c, op, m); err != nil {
				return c.place(err, op.instruction, m)
			}
		}
	}
	return nil
}

func (c *warpContext) runLanes(op *operation, mask uint32) {
	if mask != lanes.FullMask {
		c.runSomeLanes(op, mask)
		return
	}
	op.loop(&c.scratch, c.at(op.d), c.at(op.a), c.at(op.b), c.at(op.c))
}

// runSomeLanes computes all lanes and keeps those in mask.
func (c *warpContext) runSomeLanes(op *operation, mask uint32) {
	t := unsafe.Pointer(&c.scratch.Result)
	op.loop(&c.scratch, t, c.at(op.a), c.at(op.b), c.at(op.c))
	lanes.Keep(c.at(op.d), t, op.wide, mask)
}

func (c *warpContext) runCompare(op *operation, mask uint32) {
	k := op.compare
	c.setPredicates(k, c.relate(op), mask)
}

// relate gives the lanes for which an operation's relation holds.
func (c *warpContext) relate(op *operation) uint32 {
	k := op.compare
	a, b := op.a, op.b
	if k.swap {
		a, b = b, a
	}
	t := k.relation(unsafe.Add(c.base, a), unsafe.Add(c.base, b))
	if k.invert {
		t = ^t
	}
	return t
}

// setPredicates stores a comparison's results: p = t op c, q = !t op c.
func (c *warpContext) setPredicates(k *comparison, t, mask uint32) {
	p, q := t, ^t
	if k.combine != combineNone {
		third := c.predicates[k.third] ^ k.thirdFlip
		p, q = k.combine.apply(t, third), k.combine.apply(q, third)
	}
	if k.p != sink {
		c.setPredicate(k.p, p, mask)
	}
	if k.q != sink {
		c.setPredicate(k.q, q, mask)
	}
}

// setPredicate replaces the lanes in mask of a predicate register.
func (c *warpContext) setPredicate(index, value, mask uint32) {
	old := &c.predicates[index]
	*old = *old&^mask | value&mask
}

// place completes a fault with the instruction that it happened at; its
// thread is the lane that the fault names, or the first of mask.
func (c *warpContext) place(err error, instruction int, mask uint32) error {
	f, ok := err.(*laneFault)
	if !ok {
		return err
	}
	lane := f.lane
	if lane < 0 {
		lane = bits.TrailingZeros32(mask) & (trace.WarpSize - 1)
	}
	f.fault.Locate(c.program.kernel.PTX, instruction, c.identity, lane)
	return &f.fault
}

// laneFault is a fault that does not know its place yet.
type laneFault struct {
	fault coexecution.Fault
	lane  int // -1 for the first active lane
}

func (f *laneFault) Error() string { return f.fault.Error() }

// isTraced reports whether the trace has accesses of an instruction.
func isTraced(k *contaminator.Kernel, instruction int) bool {
	return k.Static.Instructions[instruction].HasAccess()
}

// AppendRegisters implements Stater. The bytes are those of this host's order: states are
// compared inside one process.
func (c *warpContext) AppendRegisters(b []byte) []byte {
	if registers := c.file[:c.program.layout.zeroed/8]; len(registers) > 0 {
		b = append(b, unsafe.Slice((*byte)(unsafe.Pointer(&registers[0])), 8*len(registers))...)
	}
	for _, p := range c.predicates {
		b = binary.LittleEndian.AppendUint32(b, p)
	}
	b = binary.LittleEndian.AppendUint32(b, c.carry)
	return c.calls.appendState(b)
}

// RegisterWord implements Stater.
func (c *warpContext) RegisterWord(i int) (uint64, bool) {
	if i >= int(c.program.layout.zeroed/8) {
		return 0, false
	}
	return c.file[i], true
}

// AppendLocal implements Stater.
func (c *warpContext) AppendLocal(b []byte) []byte { return append(b, c.local...) }
