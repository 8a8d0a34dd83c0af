// SPDX-License-Identifier: Apache-2.0

// Package operand is operand read on machines whose operand collectors compete for
// register banks (arch.Collectors): the stage between issue and execution.
//
//	issue ─▶ latch ─▶ collector ─▶ dispatch latch ─▶ unit, or memory port
//	                  ▲ an operand a cycle
//	              register banks ◀─ write-back
//
// An instruction issues into a latch and takes a collector. It receives an operand a cycle
// (or one from every bank, arch.Collectors.ParallelReads) as the banks allow. It moves to a
// dispatch latch, and leaves that when its unit (and a result bus), or the memory port,
// takes it. Each step takes a cycle, or a part of one (arch.Collectors.Steps); the oldest
// goes first. Nothing happens here in cycles in which nothing can move.
//
// A lane is a latch with its dispatch latch, a pool the collectors that lanes share. Each
// set of the machine has one lane and one pool. In sub-cores, each set and scheduler has a
// pool, with a lane for each kind of unit.
package operand

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/units"
)

// Operands are what an instruction reads: Sources are the registers, one access to a
// bank each, 63 at most; Read is the set of them on the scoreboard.
type Operands struct {
	Sources []uint16
	Read    scoreboard.Set
}

// Instruction is what the collectors know of an instruction that issues.
type Instruction struct {
	Index uint32
	Warp  uint8
	Kind  units.Kind
	*Operands
}

// Staged is an instruction between issue and execution.
type Staged struct {
	Instruction
	Access *seam.MemoryAccess // of a memory instruction; the issuer fills it in

	at     clock.Cycle // from which a collector can take it
	number uint64      // in the order of issue
	lane   uint8
	unread uint64 // bit per place of Sources: operands to read
}

// Execution is what lies behind the collectors.
type Execution interface {
	// Execute takes an instruction that has its operands; false when it has to wait.
	Execute(now clock.Cycle, x *Staged) bool
	// PortReady reports whether the memory port takes an instruction in the cycle now.
	PortReady(now clock.Cycle) bool
	// OperandsRead tells that an instruction of warp w has read its last operand, on
	// machines where a write waits for that.
	OperandsRead(w int)
}

// Collectors are the operand collectors of an SM.
type Collectors struct {
	pools []pool
	lanes []lane
	// laneOf has the lane of each kind of unit, by sub-core; parts is their number.
	laneOf  [arch.MaxSubCores][units.Kinds]uint8
	parts   uint8
	entries []Staged
	free    []uint16
	reading []uint16 // entries with operands to read, in the order in which they took their collector
	next    clock.Cycle
	// open has a bit per kind of unit to which an instruction can issue, by sub-core.
	open [arch.MaxSubCores]uint8
	// Bits per lane: latched those with something in their latch, leaving those with
	// something in their dispatch latch.
	latched, leaving uint32
	// complete has a bit per pool with something that has its operands.
	complete uint32
	// port holds the lanes of memory instructions, a bit each.
	port uint32
	// portWanted says that a memory instruction may move when the port becomes ready.
	portWanted bool
	// moved says that something has moved since Moved was called last.
	moved  bool
	banks  Banks
	steps  int
	issued uint64
	// parallel says that a collector receives operands from all banks in a cycle, pass that
	// what units have computed does not wait for banks.
	parallel, pass bool
	// war says that registers yet to be read keep younger instructions from
	// issuing that write them.
	war       bool
	board     *scoreboard.Board
	units     *units.Units
	conflicts *uint64 // counts collectors that a taken bank has kept waiting for a cycle
}

// pool is collectors. Its list is entries, the oldest first.
type pool struct {
	count    int
	held     []uint16 // in a collector
	complete int      // of these, with all operands read
}

// lane is a latch that instructions issue into, and the one behind the collectors. Its
// lists are entries, the oldest first.
type lane struct {
	pool  uint8
	part  uint8 // the sub-core
	ports int
	room  int      // of latch: ports, and as many for each cycle of transfer
	kinds uint8    // of unit, a bit each
	latch []uint16 // issued, without a collector
	out   []uint16 // all operands read, waiting for a unit
}

// New gives the collectors that a machine describes, nil for one without an arbiter.
// They reserve on the scoreboard what has yet to be read, look at the units to see when
// one is free, and count conflicts.
func New(m *arch.SM, board *scoreboard.Board, u *units.Units, conflicts *uint64) *Collectors {
	if !m.Collects() {
		return nil
	}
	k := &m.Collectors
	c := &Collectors{
		next: clock.Never, banks: newBanks(m.RegisterBanks, m.SubCoreCount()), war: m.WARHazards, board: board, units: u, conflicts: conflicts,
		steps: max(k.Steps, 1), parallel: k.ParallelReads, pass: k.ResultsPass, parts: uint8(m.SubCoreCount()),
	}
	own := [units.Kinds]arch.CollectorSet{units.SP: k.SP, units.Int: k.Int, units.DP: k.DP, units.SFU: k.SFU, units.Tensor: k.Tensor, units.LDST: k.LDST}
	counts := units.Counts(&m.Units)
	for part := range c.parts {
		if k.General.Count > 0 {
			shared := uint8(0)
			for kind, n := range counts {
				if n > 0 && own[kind].Count == 0 {
					shared |= 1 << kind
				}
			}
			c.addSet(k.General, part, shared)
		}
		for kind, set := range own {
			if set.Count > 0 {
				kinds := uint8(0)
				if counts[kind] > 0 {
					kinds = 1 << kind
				}
				c.addSet(set, part, kinds)
			}
		}
	}
	c.SetTransfer(0)
	c.reading = make([]uint16, 0, len(c.entries))
	return c
}

// addSet adds a set's part for a sub-core: a pool, and a lane for all kinds that use it, or
// for each in sub-cores.
func (c *Collectors) addSet(a arch.CollectorSet, part, kinds uint8) {
	count := a.Count / int(c.parts)
	c.pools = append(c.pools, pool{count: count, held: make([]uint16, 0, count)})
	if c.parts == 1 {
		c.addLane(a.Ports, part, kinds)
		return
	}
	for m := kinds; m != 0; m &= m - 1 {
		c.addLane(a.Ports, part, m&-m)
	}
}

// addLane adds a lane of the last pool.
func (c *Collectors) addLane(ports int, part, kinds uint8) {
	at := uint8(len(c.lanes))
	c.lanes = append(c.lanes, lane{
		pool: uint8(len(c.pools) - 1), part: part, ports: ports, kinds: kinds,
		latch: make([]uint16, 0, ports), out: make([]uint16, 0, ports),
	})
	c.open[part] |= kinds
	for m := kinds; m != 0; m &= m - 1 {
		c.laneOf[part][bits.TrailingZeros8(m)] = at
	}
	if kinds>>units.LDST&1 != 0 {
		c.port |= 1 << at
	}
}

// SetTransfer makes room for what is on its way from issue for so many cycles; nothing
// is staged.
func (c *Collectors) SetTransfer(cycles int) {
	n := 0
	for i := range c.pools {
		n += c.pools[i].count
	}
	for i := range c.lanes {
		l := &c.lanes[i]
		l.room = l.ports * (1 + cycles)
		n += l.ports + l.room
	}
	c.entries, c.free = make([]Staged, n), make([]uint16, n)
	accesses := make([]seam.MemoryAccess, n)
	for i := range n {
		c.entries[i].Access, c.free[i] = &accesses[i], uint16(i)
	}
}

// ReadLate reports whether a write waits for the reads of older instructions; they do
// not without collectors.
func (c *Collectors) ReadLate() bool { return c != nil && c.war }

// Parts is the number of sub-cores. Warp slot w is in w modulo it.
func (c *Collectors) Parts() int { return int(c.parts) }

// Open has a bit per kind of unit to which an instruction of a sub-core can issue, as far
// as the collectors are concerned.
func (c *Collectors) Open(part int) uint8 { return c.open[part] }

// laneFor is the lane of instructions of warp w for units of kind k.
func (c *Collectors) laneFor(w uint8, k units.Kind) uint8 {
	if c.parts == 1 {
		return c.laneOf[0][k]
	}
	return c.laneOf[w%c.parts][k]
}

// Full reports whether no instruction of warp w can issue to units of kind k.
func (c *Collectors) Full(w int, k units.Kind) bool {
	l := &c.lanes[c.laneFor(uint8(w), k)]
	return len(l.latch) == l.room
}

// Cause is what keeps the latch that warp w issues into for kind k full: units when those
// that have their operands wait for one, or else operand read.
func (c *Collectors) Cause(w int, k units.Kind) counters.Cause {
	l := &c.lanes[c.laneFor(uint8(w), k)]
	switch {
	case len(l.latch) < l.room:
		return counters.CauseUnit // issue is narrower than what is ready
	case len(l.out) < l.ports:
		return counters.CauseOperand
	case k == units.LDST:
		return counters.CauseLSU
	}
	return counters.CauseUnit
}

// Moved reports whether an instruction has moved since it was asked last.
func (c *Collectors) Moved() bool {
	moved := c.moved
	c.moved = false
	return moved
}

// Busy reports whether anything is between issue and execution.
func (c *Collectors) Busy() bool { return len(c.free) < len(c.entries) }

// Next is the next cycle in which something can move by itself.
func (c *Collectors) Next() clock.Cycle { return c.next }

// Stage puts an instruction that issues now, for whose kind the latch is not full, into
// it. The caller fills in the access of a memory instruction.
func (c *Collectors) Stage(now clock.Cycle, in Instruction) *Staged {
	i := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	at := c.laneFor(in.Warp, in.Kind)
	l := &c.lanes[at]
	l.latch = append(l.latch, i)
	if len(l.latch) == l.room {
		c.open[l.part] &^= l.kinds
	}
	c.latched |= 1 << (at % 32)
	e := &c.entries[i]
	e.Instruction, e.at, e.lane, e.number = in, now+1+c.units.Transfer(), at, c.issued
	c.issued++
	e.unread = 1<<(len(in.Sources)%64) - 1
	if c.war {
		c.board.ReserveRead(int(in.Warp), in.Read)
	}
	c.next = now + 1
	return e
}

// Write writes registers of a warp back, as many in turn as the banks take in the cycle
// now; it gives their number. What a unit has computed may take its banks and go on.
func (c *Collectors) Write(now clock.Cycle, warp uint8, registers []uint16, computed bool) int {
	for n, register := range registers {
		if !c.banks.Take(now, register, warp) && !(computed && c.pass) {
			return n
		}
	}
	return len(registers)
}

// Step moves what can move in the cycle now, from the units backwards. It does not look
// into a stage that is empty, or behind which there is no room.
func (c *Collectors) Step(now clock.Cycle, to Execution) {
	if c.next > now && !(c.portWanted && to.PortReady(now)) {
		return
	}
	moved := false
	if c.leaving != 0 {
		moved = c.leave(now, to)
	}
	for n := range c.steps {
		if n > 0 {
			c.banks.Release()
		}
		moved = c.step(now, to) || moved
	}
	c.moved = c.moved || moved
	switch c.next, c.portWanted = now+1, false; {
	case !c.Busy():
		c.next = clock.Never
	case !moved:
		c.next, c.portWanted = c.wait(now)
	}
}

// step is what the collectors do once, or several times in a cycle.
func (c *Collectors) step(now clock.Cycle, to Execution) (moved bool) {
	for pools := c.complete; pools != 0; pools &= pools - 1 {
		moved = c.dispatch(bits.TrailingZeros32(pools)) || moved
	}
	if len(c.reading) > 0 {
		c.read(now, to)
		moved = true
	}
	for lanes := c.latched; lanes != 0; lanes &= lanes - 1 {
		moved = c.allocate(now, bits.TrailingZeros32(lanes)) || moved
	}
	return moved
}

// leave starts what the units take. In sub-cores the memory instructions of all wait for
// one port, and the oldest goes first.
func (c *Collectors) leave(now clock.Cycle, to Execution) (moved bool) {
	lanes := c.leaving
	if c.parts > 1 {
		lanes &^= c.port
		if c.leaving&c.port != 0 && to.PortReady(now) {
			moved = c.execute(now, c.oldest(c.leaving&c.port), to)
		}
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		moved = c.execute(now, bits.TrailingZeros32(lanes), to) || moved
	}
	return moved
}

// oldest is the one of lanes, given as bits, whose dispatch latch has the oldest head.
func (c *Collectors) oldest(lanes uint32) int {
	best := bits.TrailingZeros32(lanes)
	for lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1 {
		at := bits.TrailingZeros32(lanes)
		if c.entries[c.lanes[at].out[0]].number < c.entries[c.lanes[best].out[0]].number {
			best = at
		}
	}
	return best
}

// execute starts what the units take of a lane, in order of age.
func (c *Collectors) execute(now clock.Cycle, at int, to Execution) bool {
	l := &c.lanes[at]
	kept := l.out[:0]
	for _, i := range l.out {
		if to.Execute(now, &c.entries[i]) {
			c.free = append(c.free, i)
		} else {
			kept = append(kept, i)
		}
	}
	moved := len(kept) < len(l.out)
	if l.out = kept; len(kept) == 0 {
		c.leaving &^= 1 << (at % 32)
	}
	return moved
}

// dispatch moves instructions of a pool that have all operands to their dispatch latches.
func (c *Collectors) dispatch(at int) (moved bool) {
	p := &c.pools[at]
	kept := p.held[:0]
	for _, i := range p.held {
		e := &c.entries[i]
		l := &c.lanes[e.lane]
		if e.unread != 0 || len(l.out) == l.ports {
			kept = append(kept, i)
			continue
		}
		l.out = append(l.out, i)
		c.leaving |= 1 << (e.lane % 32)
		p.complete--
		moved = true
	}
	p.held = kept
	if p.complete == 0 {
		c.complete &^= 1 << (at % 32)
	}
	return moved
}

// allocate gives free collectors to instructions in the latch of a lane.
func (c *Collectors) allocate(now clock.Cycle, at int) bool {
	l := &c.lanes[at]
	p := &c.pools[l.pool]
	n := 0
	for _, i := range l.latch {
		e := &c.entries[i]
		if len(p.held) == p.count || e.at > now {
			break
		}
		p.held = append(p.held, i)
		if e.unread != 0 {
			c.reading = append(c.reading, i)
		} else {
			p.complete++
			c.complete |= 1 << (l.pool % 32)
		}
		n++
	}
	switch n {
	case 0:
		return false
	case len(l.latch):
		l.latch = l.latch[:0]
		c.latched &^= 1 << (at % 32)
	default:
		l.latch = l.latch[:copy(l.latch, l.latch[n:])]
	}
	c.open[l.part] |= l.kinds
	return true
}

// read gives every collector an operand, or one from every bank, the oldest first.
func (c *Collectors) read(now clock.Cycle, to Execution) {
	kept := c.reading[:0]
	for _, i := range c.reading {
		e := &c.entries[i]
		if !c.collect(now, e) {
			*c.conflicts++
		}
		if e.unread != 0 {
			kept = append(kept, i)
			continue
		}
		at := c.lanes[e.lane].pool
		c.pools[at].complete++
		c.complete |= 1 << (at % 32)
		if c.war {
			c.releaseReads(int(e.Warp))
			to.OperandsRead(int(e.Warp))
		}
	}
	c.reading = kept
}

// collect reads operands of one collector; false when taken banks leave it none.
func (c *Collectors) collect(now clock.Cycle, e *Staged) (some bool) {
	for m := e.unread; m != 0; m &= m - 1 {
		if !c.banks.Take(now, e.Sources[bits.TrailingZeros64(m)], e.Warp) {
			continue
		}
		e.unread &^= m & -m
		if some = true; !c.parallel {
			break
		}
	}
	return some
}

// releaseReads finds which registers of warp w have yet to be read: other instructions
// of it may read those that have been.
func (c *Collectors) releaseReads(w int) {
	c.board.ReleaseReads(w)
	for i := range c.lanes {
		c.reserveReads(w, c.lanes[i].latch)
	}
	for i := range c.pools {
		c.reserveReads(w, c.pools[i].held)
	}
}

func (c *Collectors) reserveReads(w int, list []uint16) {
	for _, k := range list {
		if e := &c.entries[k]; int(e.Warp) == w && e.unread != 0 {
			c.board.ReserveRead(w, e.Read)
		}
	}
}

// wait is the next cycle in which something can move by itself when nothing has: that
// of the first unit; and whether a memory instruction waits for the port.
func (c *Collectors) wait(now clock.Cycle) (next clock.Cycle, port bool) {
	next = clock.Never
	for i := range c.lanes {
		l := &c.lanes[i]
		if p := &c.pools[l.pool]; len(l.latch) > 0 && len(p.held) < p.count {
			next = min(next, max(c.entries[l.latch[0]].at, now+1))
		}
		for _, k := range l.out {
			if kind := c.entries[k].Kind; kind != units.LDST {
				next = min(next, max(c.units.FreeIn(kind, int(l.part)), now+1))
			} else {
				port = true
			}
		}
	}
	return next, port
}
