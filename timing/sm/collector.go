package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// collectors is the stage between issue and execution on machines whose operand
// collectors compete for register banks (arch.Collectors). An instruction issues
// into the latch of its set, takes a collector, receives an operand a cycle as
// the banks allow, moves to the set's dispatch latch, and leaves it when its unit
// (and a result bus), or the memory port, takes it. Each step takes a cycle; the
// oldest goes first. Nothing happens here in cycles in which nothing can move.
type collectors struct {
	sets    []collectorSet
	setOf   [unitCount]uint8
	entries []staged
	free    []uint16
	reading []uint16 // entries with operands to read, in the order in which they took their collector
	// next is the next cycle in which something can move by itself; portWanted says
	// that a memory instruction may when the port becomes ready.
	next       clock.Cycle
	portWanted bool
	// moved says that something has moved since the front end last asked.
	moved bool
	banks bankPorts
	buses resultBuses
	// war says that registers yet to be read keep younger instructions from
	// issuing that write them; unread holds them, shaped like the scoreboard.
	war    bool
	unread []uint64
}

// collectorSet is the collectors that some kinds of unit share. Its lists are
// entries, the oldest first.
type collectorSet struct {
	count, ports int
	room         int      // of latch: ports, and as many for each cycle of transfer
	memory       bool     // of memory instructions alone
	latch        []uint16 // issued, without a collector
	held         []uint16 // in a collector
	out          []uint16 // all operands read, waiting for a unit
}

// staged is an instruction between issue and execution.
type staged struct {
	at     clock.Cycle // from which a collector can take it
	unread uint64      // bit per place of operation.sources: operands to read
	index  uint32      // of the instruction
	warp   uint8
	access seam.MemoryAccess // of a memory instruction
}

// newCollectors gives nil for a machine without an arbiter.
func newCollectors(m *arch.SM, span int) *collectors {
	if !m.Collects() {
		return nil
	}
	c := &collectors{next: clock.Never, banks: bankPorts{banks: m.RegisterBanks}, buses: newResultBuses(m.ResultBuses, span), war: m.WARHazards}
	k := &m.Collectors
	own := [unitCount]arch.CollectorSet{UnitSP: k.SP, UnitInt: k.Int, UnitDP: k.DP, UnitSFU: k.SFU, UnitTensor: k.Tensor, UnitLDST: k.LDST}
	if k.General.Count > 0 {
		c.addSet(k.General)
	}
	for u, set := range own {
		if set.Count > 0 {
			c.setOf[u] = uint8(len(c.sets))
			c.addSet(set)
			c.sets[c.setOf[u]].memory = Unit(u) == UnitLDST
		}
	}
	c.reading = make([]uint16, 0, len(c.entries))
	return c
}

func (c *collectors) addSet(a arch.CollectorSet) {
	c.sets = append(c.sets, collectorSet{
		count: a.Count, ports: a.Ports, room: a.Ports,
		latch: make([]uint16, 0, a.Ports), held: make([]uint16, 0, a.Count), out: make([]uint16, 0, a.Ports),
	})
	for range a.Count + 2*a.Ports {
		c.free = append(c.free, uint16(len(c.entries)))
		c.entries = append(c.entries, staged{})
	}
}

// full reports whether no instruction can issue to units of kind u.
func (c *collectors) full(u Unit) bool {
	s := &c.sets[c.setOf[u]]
	return len(s.latch) == s.room
}

// cause is what keeps the latch of the set of kind u full: units when those that
// have their operands wait for one, or else operand read.
func (c *collectors) cause(u Unit) counters.Cause {
	s := &c.sets[c.setOf[u]]
	switch {
	case !c.full(u):
		return counters.CauseUnit // issue is narrower than what is ready
	case len(s.out) < s.ports:
		return counters.CauseOperand
	case u == UnitLDST:
		return counters.CauseLSU
	}
	return counters.CauseUnit
}

// moved reports whether an instruction has moved in the collectors since it was
// asked last.
func (s *SM) moved() bool {
	if s.collectors == nil {
		return false
	}
	moved := s.collectors.moved
	s.collectors.moved = false
	return moved
}

func (c *collectors) busy() bool { return len(c.free) < len(c.entries) }

// stage puts an instruction that issues now into the latch of its set.
func (s *SM) stage(now clock.Cycle, w int, index uint32, op *operation) *staged {
	c := s.collectors
	i := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	set := &c.sets[c.setOf[op.unit]]
	set.latch = append(set.latch, i)
	e := &c.entries[i]
	e.index, e.warp, e.at = index, uint8(w), now+1+s.units.transfer
	e.unread = 1<<(op.sources.to-op.sources.from) - 1
	if c.war {
		s.pend(c.unread, w, op.read)
	}
	c.next = now + 1
	return e
}

// stepCollectors moves what can move in the cycle now, from the units backwards. It
// does not look into a stage behind which there is no room, or no port that is ready.
func (s *SM) stepCollectors(now clock.Cycle) {
	c := s.collectors
	moved := false
	for i := range c.sets {
		set := &c.sets[i]
		if len(set.out) > 0 && (!set.memory || s.port.Ready(now)) {
			moved = s.execute(now, set) || moved
		}
		if len(set.held) > 0 && len(set.out) < set.ports {
			moved = c.dispatch(set) || moved
		}
	}
	if len(c.reading) > 0 {
		s.readOperands(now)
		moved = true
	}
	for i := range c.sets {
		if set := &c.sets[i]; len(set.latch) > 0 && len(set.held) < set.count {
			moved = c.allocate(now, set) || moved
		}
	}
	c.moved = c.moved || moved
	switch c.next, c.portWanted = now+1, false; {
	case !c.busy():
		c.next = clock.Never
	case !moved:
		c.next, c.portWanted = s.collectorsWait(now)
	}
}

// execute starts what the units take, in order of age.
func (s *SM) execute(now clock.Cycle, set *collectorSet) bool {
	c := s.collectors
	moved := 0
	for k, i := range set.out {
		if s.startStaged(now, &c.entries[i]) {
			c.free = append(c.free, i)
			moved++
		} else if moved > 0 {
			set.out[k-moved] = i
		}
	}
	set.out = set.out[:len(set.out)-moved]
	return moved > 0
}

// startStaged starts one instruction; false when it has to wait.
func (s *SM) startStaged(now clock.Cycle, e *staged) bool {
	op := &s.program.code[e.index]
	if op.unit == UnitLDST {
		if !s.port.Ready(now) {
			return false
		}
		s.enterPort(now, &e.access)
		return true
	}
	free := s.units.freeAt[op.unit]
	at := earliestOf(free)
	if free[at] > now {
		return false
	}
	end := now + clock.Cycle(op.resultCycles)
	writes := op.written.from != op.written.to
	if writes && !s.collectors.buses.take(end) {
		return false
	}
	free[at] = now + clock.Cycle(op.intervalCycles)
	w := int(e.warp)
	if writes {
		s.events.add(end, eventWriteBack, w, e.index)
		return true
	}
	s.warps[w].outstanding--
	s.tryRetire(w)
	return true
}

// dispatch moves instructions that have all operands to the dispatch latch.
func (c *collectors) dispatch(set *collectorSet) bool {
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
func (c *collectors) allocate(now clock.Cycle, set *collectorSet) bool {
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

// readOperands gives every collector at most one operand, the oldest first.
func (s *SM) readOperands(now clock.Cycle) {
	c := s.collectors
	read := 0
	for k, i := range c.reading {
		e := &c.entries[i]
		op := &s.program.code[e.index]
		registers := s.program.ports[op.sources.from:op.sources.to]
		before := e.unread
		for m := e.unread; m != 0; m &= m - 1 {
			place := bits.TrailingZeros64(m)
			if c.banks.take(now, registers[place], e.warp) {
				e.unread &^= 1 << place
				break
			}
		}
		if e.unread == before {
			s.set[counters.RegisterBankConflict]++
		}
		if e.unread == 0 {
			read++
			if c.war {
				s.operandsRead(int(e.warp))
			}
		} else if read > 0 {
			c.reading[k-read] = i
		}
	}
	c.reading = c.reading[:len(c.reading)-read]
}

// operandsRead finds which registers of warp w have yet to be read.
func (s *SM) operandsRead(w int) {
	c := s.collectors
	clear(s.row(c.unread, w))
	for i := range c.sets {
		set := &c.sets[i]
		for _, list := range [...][]uint16{set.latch, set.held} {
			for _, k := range list {
				if e := &c.entries[k]; int(e.warp) == w && e.unread != 0 {
					s.pend(c.unread, w, s.program.code[e.index].read)
				}
			}
		}
	}
	if s.lists.of[w] == listOperand {
		s.evaluate(w)
	}
}

// collectorsWait is the next cycle in which something can move by itself when
// nothing has: that of the first unit; and whether a memory instruction waits for
// the port.
func (s *SM) collectorsWait(now clock.Cycle) (next clock.Cycle, port bool) {
	c := s.collectors
	next = clock.Never
	for i := range c.sets {
		if set := &c.sets[i]; len(set.latch) > 0 && len(set.held) < set.count {
			next = min(next, max(c.entries[set.latch[0]].at, now+1))
		}
		for _, k := range c.sets[i].out {
			op := &s.program.code[c.entries[k].index]
			if op.unit == UnitLDST {
				port = true
				continue
			}
			free := s.units.freeAt[op.unit]
			next = min(next, max(free[earliestOf(free)], now+1))
		}
	}
	return next, port
}
