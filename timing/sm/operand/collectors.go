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

// Instruction is what the collectors know of an instruction that issues.
type Instruction struct {
	Index uint32
	Warp  uint8
	Kind  units.Kind
	// Sources are the registers that are read, one access to a bank each, 64 at most;
	// Read is the set of them on the scoreboard.
	Sources []uint16
	Read    scoreboard.Set
}

// Staged is an instruction between issue and execution.
type Staged struct {
	Instruction
	Access seam.MemoryAccess // of a memory instruction; the issuer fills it in

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
	memory       bool     // of memory instructions alone
	latch        []uint16 // issued, without a collector
	held         []uint16 // in a collector
	out          []uint16 // all operands read, waiting for a unit
}

// New gives the collectors that a machine describes, nil for one without an arbiter.
// They reserve on the scoreboard what has yet to be read, look at the units to see when
// one is free, and count conflicts.
func New(m *arch.SM, board *scoreboard.Board, u *units.Units, conflicts *uint64) *Collectors {
	if !m.Collects() {
		return nil
	}
	c := &Collectors{next: clock.Never, banks: Banks{banks: m.RegisterBanks}, war: m.WARHazards, board: board, units: u, conflicts: conflicts}
	k := &m.Collectors
	own := [units.Kinds]arch.CollectorSet{units.SP: k.SP, units.Int: k.Int, units.DP: k.DP, units.SFU: k.SFU, units.Tensor: k.Tensor, units.LDST: k.LDST}
	if k.General.Count > 0 {
		c.addSet(k.General)
	}
	for kind, set := range own {
		if set.Count > 0 {
			c.setOf[kind] = uint8(len(c.sets))
			c.addSet(set)
			c.sets[c.setOf[kind]].memory = units.Kind(kind) == units.LDST
		}
	}
	c.reading = make([]uint16, 0, len(c.entries))
	return c
}

func (c *Collectors) addSet(a arch.CollectorSet) {
	c.sets = append(c.sets, set{
		count: a.Count, ports: a.Ports, room: a.Ports,
		latch: make([]uint16, 0, a.Ports), held: make([]uint16, 0, a.Count), out: make([]uint16, 0, a.Ports),
	})
	for range a.Count + 2*a.Ports {
		c.free = append(c.free, uint16(len(c.entries)))
		c.entries = append(c.entries, Staged{})
	}
}

// SetTransfer makes room for what is on its way from issue for so many cycles; nothing
// is staged.
func (c *Collectors) SetTransfer(cycles int) {
	c.entries, c.free = c.entries[:0], c.free[:0]
	for i := range c.sets {
		set := &c.sets[i]
		set.room = set.ports * (1 + cycles)
		for range set.count + set.ports + set.room {
			c.free = append(c.free, uint16(len(c.entries)))
			c.entries = append(c.entries, Staged{})
		}
	}
}

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
	set := &c.sets[c.setOf[in.Kind]]
	set.latch = append(set.latch, i)
	e := &c.entries[i]
	e.Instruction, e.at = in, now+1+c.units.Transfer()
	e.unread = 1<<len(in.Sources) - 1
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
// into a stage behind which there is no room, or no port that is ready.
func (c *Collectors) Step(now clock.Cycle, to Execution) {
	if c.next > now && !(c.portWanted && to.PortReady(now)) {
		return
	}
	moved := false
	for i := range c.sets {
		set := &c.sets[i]
		if len(set.out) > 0 && (!set.memory || to.PortReady(now)) {
			moved = c.execute(now, set, to) || moved
		}
		if len(set.held) > 0 && len(set.out) < set.ports {
			moved = c.dispatch(set) || moved
		}
	}
	if len(c.reading) > 0 {
		c.read(now, to)
		moved = true
	}
	for i := range c.sets {
		if set := &c.sets[i]; len(set.latch) > 0 && len(set.held) < set.count {
			moved = c.allocate(now, set) || moved
		}
	}
	c.moved = c.moved || moved
	switch c.next, c.portWanted = now+1, false; {
	case !c.Busy():
		c.next = clock.Never
	case !moved:
		c.next, c.portWanted = c.wait(now)
	}
}

// execute starts what the units take, in order of age.
func (c *Collectors) execute(now clock.Cycle, set *set, to Execution) bool {
	moved := 0
	for k, i := range set.out {
		if to.Execute(now, &c.entries[i]) {
			c.free = append(c.free, i)
			moved++
		} else if moved > 0 {
			set.out[k-moved] = i
		}
	}
	set.out = set.out[:len(set.out)-moved]
	return moved > 0
}

// dispatch moves instructions that have all operands to the dispatch latch.
func (c *Collectors) dispatch(set *set) bool {
	moved := 0
	for k, i := range set.held {
		if c.entries[i].unread == 0 && len(set.out) < set.ports {
			set.out = append(set.out, i)
			moved++
		} else if moved > 0 {
			set.held[k-moved] = i
		}
	}
	set.held = set.held[:len(set.held)-moved]
	return moved > 0
}

// allocate gives free collectors to instructions in the latch.
func (c *Collectors) allocate(now clock.Cycle, set *set) bool {
	n := 0
	for room := min(len(set.latch), set.count-len(set.held)); n < room && c.entries[set.latch[n]].at <= now; n++ {
	}
	for _, i := range set.latch[:n] {
		set.held = append(set.held, i)
		if c.entries[i].unread != 0 {
			c.reading = append(c.reading, i)
		}
	}
	set.latch = set.latch[:copy(set.latch, set.latch[n:])]
	return n > 0
}

// read gives every collector at most one operand, the oldest first.
func (c *Collectors) read(now clock.Cycle, to Execution) {
	read := 0
	for k, i := range c.reading {
		e := &c.entries[i]
		before := e.unread
		for m := e.unread; m != 0; m &= m - 1 {
			place := bits.TrailingZeros64(m)
			if c.banks.Take(now, e.Sources[place], e.Warp) {
				e.unread &^= 1 << place
				break
			}
		}
		if e.unread == before {
			*c.conflicts++
		}
		if e.unread == 0 {
			read++
			if c.war {
				c.releaseReads(int(e.Warp))
				to.OperandsRead(int(e.Warp))
			}
		} else if read > 0 {
			c.reading[k-read] = i
		}
	}
	c.reading = c.reading[:len(c.reading)-read]
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
