// SPDX-License-Identifier: Apache-2.0

// Package units is the functional units of an SM. It says when one of a kind can start
// an instruction, for how long it cannot start another (its initiation interval), and
// how long the way there from issue is.
//
// On machines whose operands are read in a fixed time after issue, a unit is reserved
// at issue (Reserve). One of a pool of operand collectors is reserved with it, for the
// time of operand read. On machines with an arbiter of register banks (package operand)
// a unit is taken when the operands are there (Start), with a result bus for the cycle
// of the write-back.
package units

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
)

// MaxTransfer bounds the cycles from issue to operand read (SetTransfer).
const MaxTransfer = 64

// Timing is an instruction as its unit sees it, in cycles. Start runs from operand read
// to the start of execution, Result from the same to write-back. Interval runs from
// start to start in one unit. Units with an arbiter of register banks count Result from
// the start of execution.
type Timing struct {
	Start, Result, Interval int32
}

// Units is when functional units and operand collectors are free.
type Units struct {
	read clock.Cycle // operand read without conflicts
	// transfer is what instructions take from issue to operand read.
	transfer clock.Cycle
	// freeAt holds, per unit, the cycle in which the next execution can start;
	// earliest, per sub-core and kind, the cycle from which one can issue to it.
	freeAt   [Kinds][]clock.Cycle
	earliest [arch.MaxSubCores][Kinds]clock.Cycle
	// collectors holds the cycle in which each operand collector is free,
	// collectorAt the first of these; limited says that there are not always
	// enough. They are one pool for all kinds of unit.
	collectors  []clock.Cycle
	collectorAt clock.Cycle
	limited     bool
	buses       resultBuses
	// results are the buses of each unit, on machines where they are limited.
	results [Kinds][]resultBuses
	// parts is the number of sub-cores between which units are divided.
	parts int
}

// New makes the units of a machine; results are written back less than span cycles
// after an instruction starts.
func New(m *arch.SM, span int) Units {
	u := Units{read: clock.Cycle(m.OperandReadCycles), buses: newResultBuses(m.ResultBuses, span), parts: m.SubCoreCount()}
	for k, n := range Counts(&m.Units) {
		u.freeAt[k] = make([]clock.Cycle, n)
		u.results[k] = make([]resultBuses, n)
		for i := range u.results[k] {
			u.results[k][i] = newResultBuses(m.UnitResults, span)
		}
		if n == 0 && Kind(k) != Control {
			for part := range u.parts {
				u.earliest[part][k] = clock.Never
			}
		}
	}
	u.collectors = make([]clock.Cycle, max(m.OperandCollectors, 0))
	return u
}

// Begin readies the units for a program whose operand reads have at most so many bank
// conflicts. When more collectors exist than instructions of it can be in operand
// read, they need no bookkeeping.
func (u *Units) Begin(m *arch.SM, mostConflicts int) {
	most := m.Schedulers * m.IssuePerScheduler * (m.OperandReadCycles + mostConflicts)
	u.limited = m.OperandCollectors > 0 && m.OperandCollectors < most
	u.collectorAt = 0
}

// Parts is the number of sub-cores between which units are divided. Warp slot w is in w
// modulo it.
func (u *Units) Parts() int { return u.parts }

// Earliest is the cycle from which an instruction of a sub-core can issue to a unit of kind
// k, as far as the units are concerned.
func (u *Units) Earliest(k Kind, part int) clock.Cycle { return u.earliest[part][k] }

// CollectorAt is the cycle from which an instruction that goes to a unit can issue, as
// far as the pool of operand collectors is concerned.
func (u *Units) CollectorAt() clock.Cycle { return u.collectorAt }

// Transfer is what instructions take from issue to operand read.
func (u *Units) Transfer() clock.Cycle { return u.transfer }

// Reserve takes a unit of kind k, and a collector, for an instruction of a sub-core that
// issues now.
func (u *Units) Reserve(now clock.Cycle, k Kind, part int, t *Timing) {
	start := now + u.transfer + clock.Cycle(t.Start)
	if u.limited {
		u.collectors[earliestOf(u.collectors)] = start
		u.collectorAt = u.collectors[earliestOf(u.collectors)] - u.transfer
	}
	first, end := u.of(k, part)
	free := u.freeAt[k][first:end]
	free[earliestOf(free)] = start + clock.Cycle(t.Interval)
	u.issueFrom(k, part, free[earliestOf(free)]-u.read-u.transfer)
}

// issueFrom sets the cycle from which a sub-core can issue to units of kind k.
func (u *Units) issueFrom(k Kind, part int, at clock.Cycle) {
	if !u.shared(k) {
		u.earliest[part][k] = at
		return
	}
	for part := range u.parts {
		u.earliest[part][k] = at
	}
}

// FreeAt is the cycle from which a unit of kind k can start an instruction.
func (u *Units) FreeAt(k Kind) clock.Cycle { return u.freeAt[k][earliestOf(u.freeAt[k])] }

// shared reports whether all sub-cores have the same units of kind k: the path to memory, and a
// single unit.
func (u *Units) shared(k Kind) bool { return u.parts <= 1 || k == LDST || len(u.freeAt[k]) < u.parts }

// of gives the first unit of kind k of a sub-core, and the one behind its last.
func (u *Units) of(k Kind, part int) (first, end int) {
	n := len(u.freeAt[k])
	if u.shared(k) {
		return 0, n
	}
	n /= u.parts
	return part * n, (part + 1) * n
}

// FreeIn is FreeAt for the units of a sub-core.
func (u *Units) FreeIn(k Kind, part int) clock.Cycle {
	first, end := u.of(k, part)
	free := u.freeAt[k][first:end]
	return free[earliestOf(free)]
}

// Start starts an instruction, which has its operands, in a unit of kind k of a sub-core
// now. It gives the cycle in which its result is there, and false when there is no unit or
// no bus. writes says that the result takes a bus then.
func (u *Units) Start(now clock.Cycle, k Kind, part int, t *Timing, writes bool) (result clock.Cycle, ok bool) {
	result = now + clock.Cycle(t.Result)
	first, end := u.of(k, part)
	for at := first; at < end; at++ {
		own := &u.results[k][at]
		if u.freeAt[k][at] > now || writes && !own.room(result) {
			continue
		}
		if writes {
			if !u.buses.take(result) {
				return 0, false
			}
			own.take(result)
		}
		u.freeAt[k][at] = now + clock.Cycle(t.Interval)
		return result, true
	}
	return 0, false
}

// Idle reports whether a unit of kind k starts nothing in the given cycle, for which
// everything that issues has issued; staged says that instructions are started (Start).
func (u *Units) Idle(k Kind, cycle clock.Cycle, staged bool) bool {
	if staged {
		return len(u.freeAt[k]) > 0 && u.FreeAt(k) <= cycle
	}
	for part := range u.parts {
		if u.earliest[part][k] <= cycle {
			return true
		}
	}
	return false
}

// SetTransfer sets the cycles that instructions take from issue to operand read, at
// most MaxTransfer. Nothing may be under way between them.
func (u *Units) SetTransfer(cycles clock.Cycle) {
	u.transfer = cycles
	for k := range u.freeAt {
		if len(u.freeAt[k]) == 0 {
			continue
		}
		for part := range u.parts {
			u.earliest[part][k] = u.FreeIn(Kind(k), part) - u.read - cycles
		}
	}
	if u.limited {
		u.collectorAt = u.collectors[earliestOf(u.collectors)] - cycles
	}
}

func earliestOf(cycles []clock.Cycle) int {
	best := 0
	for i := 1; i < len(cycles); i++ {
		if cycles[i] < cycles[best] {
			best = i
		}
	}
	return best
}

// resultBuses counts the write-backs of units by cycle, of the near future.
type resultBuses struct {
	limit uint8 // zero: any number
	uses  []busUse
}

// busUse is the number of buses that are taken in a cycle.
type busUse struct {
	at   clock.Cycle
	used uint8
}

func newResultBuses(limit, span int) resultBuses {
	b := resultBuses{limit: uint8(limit)}
	if limit > 0 {
		b.uses = make([]busUse, 1<<bits.Len(uint(span-1)))
	}
	return b
}

// room reports whether a bus is left in the cycle at.
func (b *resultBuses) room(at clock.Cycle) bool {
	if b.limit == 0 {
		return true
	}
	u := &b.uses[int(at)&(len(b.uses)-1)]
	return u.at != at || u.used < b.limit
}

// take reserves a bus in the cycle at, less than the span ahead; false when all
// are taken.
func (b *resultBuses) take(at clock.Cycle) bool {
	if b.limit == 0 {
		return true
	}
	u := &b.uses[int(at)&(len(b.uses)-1)]
	if u.at != at {
		*u = busUse{at: at}
	}
	if u.used == b.limit {
		return false
	}
	u.used++
	return true
}
