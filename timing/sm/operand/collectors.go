// Package operand is operand read on machines whose operand collectors compete for
// register banks (arch.Collectors): the stage between issue and execution.
//
//	issue ─▶ latch ─▶ collector ─▶ dispatch latch ─▶ unit, or memory port
//	                  ▲ an operand a cycle
//	              register banks ◀─ write-back
//
// An instruction issues into the latch of its set, takes a collector, receives an
// operand a cycle as the banks allow, moves to the set's dispatch latch, and leaves it
// when its unit (and a result bus), or the memory port, takes it. Each step takes a
// cycle; the oldest goes first. Nothing happens here in cycles in which nothing can move.
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
	unread uint64      // bit per place of Sources: operands to read
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
	sets    []set
	setOf   [units.Kinds]uint8
	entries []Staged
	free    []uint16
	reading []uint16 // entries with operands to read, in the order in which they took their collector
	next    clock.Cycle
	// open has a bit per kind of unit to which an instruction can issue.
	open uint8
	// Bits per set: latched those with something in their latch, complete those with
	// something in a collector that has its operands, and leaving those with something
	// in their dispatch latch.
	latched, complete, leaving uint8
	// portWanted says that a memory instruction may move when the port becomes ready.
	portWanted bool
	// moved says that something has moved since Moved was called last.
	moved bool
	banks Banks
	// war says that registers yet to be read keep younger instructions from
	// issuing that write them.
	war       bool
	board     *scoreboard.Board
	units     *units.Units
	conflicts *uint64 // counts collectors that a taken bank has kept waiting for a cycle
}

// set is the collectors that some kinds of unit share. Its lists are entries, the
// oldest first.
type set struct {
	count, ports int
	room         int      // of latch: ports, and as many for each cycle of transfer
	kinds        uint8    // of unit, a bit each
	latch        []uint16 // issued, without a collector
	held         []uint16 // in a collector
	complete     int      // of these, with all operands read
	out          []uint16 // all operands read, waiting for a unit
}

// New gives the collectors that a machine describes, nil for one without an arbiter.
// They reserve on the scoreboard what has yet to be read, look at the units to see when
// one is free, and count conflicts.
func New(m *arch.SM, board *scoreboard.Board, u *units.Units, conflicts *uint64) *Collectors {
	if !m.Collects() {
		return nil
	}
	c := &Collectors{next: clock.Never, banks: newBanks(m.RegisterBanks), war: m.WARHazards, board: board, units: u, conflicts: conflicts}
	k := &m.Collectors
	own := [units.Kinds]arch.CollectorSet{units.SP: k.SP, units.Int: k.Int, units.DP: k.DP, units.SFU: k.SFU, units.Tensor: k.Tensor, units.LDST: k.LDST}
	if k.General.Count > 0 {
		c.addSet(k.General)
	}
	for kind, set := range own {
		if set.Count > 0 {
			c.setOf[kind] = uint8(len(c.sets))
			c.addSet(set)
		}
	}
	for kind, n := range units.Counts(&m.Units) {
		if n > 0 {
			c.sets[c.setOf[kind]].kinds |= 1 << kind
			c.open |= 1 << kind
		}
	}
	c.SetTransfer(0)
	c.reading = make([]uint16, 0, len(c.entries))
	return c
}

func (c *Collectors) addSet(a arch.CollectorSet) {
	c.sets = append(c.sets, set{
		count: a.Count, ports: a.Ports,
		latch: make([]uint16, 0, a.Ports), held: make([]uint16, 0, a.Count), out: make([]uint16, 0, a.Ports),
	})
}

// SetTransfer makes room for what is on its way from issue for so many cycles; nothing
// is staged.
func (c *Collectors) SetTransfer(cycles int) {
	n := 0
	for i := range c.sets {
		set := &c.sets[i]
		set.room = set.ports * (1 + cycles)
		n += set.count + set.ports + set.room
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

// Open has a bit per kind of unit to which an instruction can issue, as far as the
// collectors are concerned.
func (c *Collectors) Open() uint8 { return c.open }

// Full reports whether no instruction can issue to units of kind k.
func (c *Collectors) Full(k units.Kind) bool {
	s := &c.sets[c.setOf[k]]
	return len(s.latch) == s.room
}

// Cause is what keeps the latch of the set of kind k full: units when those that
// have their operands wait for one, or else operand read.
func (c *Collectors) Cause(k units.Kind) counters.Cause {
	s := &c.sets[c.setOf[k]]
	switch {
	case !c.Full(k):
		return counters.CauseUnit // issue is narrower than what is ready
	case len(s.out) < s.ports:
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
	at := c.setOf[in.Kind]
	set := &c.sets[at]
	set.latch = append(set.latch, i)
	if len(set.latch) == set.room {
		c.open &^= set.kinds
	}
	c.latched |= 1 << (at % 8)
	e := &c.entries[i]
	e.Instruction, e.at = in, now+1+c.units.Transfer()
	e.unread = 1<<(len(in.Sources)%64) - 1
	if c.war {
		c.board.ReserveRead(int(in.Warp), in.Read)
	}
	c.next = now + 1
	return e
}

// Write writes registers of a warp back, as many in turn as the banks take in the cycle
// now; it gives their number.
func (c *Collectors) Write(now clock.Cycle, warp uint8, registers []uint16) int {
	for n, register := range registers {
		if !c.banks.Take(now, register, warp) {
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
	for sets := c.leaving; sets != 0; sets &= sets - 1 {
		moved = c.execute(now, sets, to) || moved
	}
	for sets := c.complete; sets != 0; sets &= sets - 1 {
		moved = c.dispatch(sets) || moved
	}
	if len(c.reading) > 0 {
		c.read(now, to)
		moved = true
	}
	for sets := c.latched; sets != 0; sets &= sets - 1 {
		moved = c.allocate(now, sets) || moved
	}
	c.moved = c.moved || moved
	switch c.next, c.portWanted = now+1, false; {
	case !c.Busy():
		c.next = clock.Never
	case !moved:
		c.next, c.portWanted = c.wait(now)
	}
}

// first is the first of sets, given as bits, and its bit.
func (c *Collectors) first(sets uint8) (first *set, bit uint8) {
	return &c.sets[bits.TrailingZeros8(sets)], sets & -sets
}

// execute starts what the units take of the first of sets, in order of age.
func (c *Collectors) execute(now clock.Cycle, sets uint8, to Execution) bool {
	set, bit := c.first(sets)
	kept := set.out[:0]
	for _, i := range set.out {
		if to.Execute(now, &c.entries[i]) {
			c.free = append(c.free, i)
		} else {
			kept = append(kept, i)
		}
	}
	moved := len(kept) < len(set.out)
	if set.out = kept; len(kept) == 0 {
		c.leaving &^= bit
	}
	return moved
}

// dispatch moves instructions of the first of sets that have all operands to the
// dispatch latch.
func (c *Collectors) dispatch(sets uint8) bool {
	set, bit := c.first(sets)
	room := min(set.ports-len(set.out), set.complete)
	if room == 0 {
		return false
	}
	set.complete -= room
	kept := set.held[:0]
	for _, i := range set.held {
		if room > 0 && c.entries[i].unread == 0 {
			set.out = append(set.out, i)
			room--
		} else {
			kept = append(kept, i)
		}
	}
	set.held = kept
	c.leaving |= bit
	if set.complete == 0 {
		c.complete &^= bit
	}
	return true
}

// allocate gives free collectors to instructions in the latch of the first of sets.
func (c *Collectors) allocate(now clock.Cycle, sets uint8) bool {
	set, bit := c.first(sets)
	n := 0
	for _, i := range set.latch {
		e := &c.entries[i]
		if len(set.held) == set.count || e.at > now {
			break
		}
		set.held = append(set.held, i)
		if e.unread != 0 {
			c.reading = append(c.reading, i)
		} else {
			set.complete++
			c.complete |= bit
		}
		n++
	}
	switch n {
	case 0:
		return false
	case len(set.latch):
		set.latch = set.latch[:0]
		c.latched &^= bit
	default:
		set.latch = set.latch[:copy(set.latch, set.latch[n:])]
	}
	c.open |= set.kinds
	return true
}

// read gives every collector at most one operand, the oldest first.
func (c *Collectors) read(now clock.Cycle, to Execution) {
	kept := c.reading[:0]
	for _, i := range c.reading {
		e := &c.entries[i]
		m := e.unread // from the first operand on whose bank is free
		for m != 0 && !c.banks.Take(now, e.Sources[bits.TrailingZeros64(m)], e.Warp) {
			m &= m - 1
		}
		if m == 0 {
			*c.conflicts++
		}
		e.unread &^= m & -m
		if e.unread != 0 {
			kept = append(kept, i)
			continue
		}
		set := c.setOf[e.Kind]
		c.sets[set].complete++
		c.complete |= 1 << (set % 8)
		if c.war {
			c.releaseReads(int(e.Warp))
			to.OperandsRead(int(e.Warp))
		}
	}
	c.reading = kept
}

// releaseReads finds which registers of warp w have yet to be read: other instructions
// of it may read those that have been.
func (c *Collectors) releaseReads(w int) {
	c.board.ReleaseReads(w)
	for i := range c.sets {
		set := &c.sets[i]
		for _, list := range [...][]uint16{set.latch, set.held} {
			for _, k := range list {
				if e := &c.entries[k]; int(e.Warp) == w && e.unread != 0 {
					c.board.ReserveRead(w, e.Read)
				}
			}
		}
	}
}

// wait is the next cycle in which something can move by itself when nothing has: that
// of the first unit; and whether a memory instruction waits for the port.
func (c *Collectors) wait(now clock.Cycle) (next clock.Cycle, port bool) {
	next = clock.Never
	for i := range c.sets {
		if set := &c.sets[i]; len(set.latch) > 0 && len(set.held) < set.count {
			next = min(next, max(c.entries[set.latch[0]].at, now+1))
		}
		for _, k := range c.sets[i].out {
			if kind := c.entries[k].Kind; kind != units.LDST {
				next = min(next, max(c.units.FreeAt(kind), now+1))
			} else {
				port = true
			}
		}
	}
	return next, port
}
