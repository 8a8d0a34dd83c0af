package sm

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
)

// units keeps when functional units and operand collectors are free.
type units struct {
	read clock.Cycle // operand read without conflicts
	// transfer is what instructions take from issue to operand read.
	transfer clock.Cycle
	// freeAt holds, per unit, the cycle in which the next execution can start;
	// earliest, per kind, the cycle from which one can issue to it.
	freeAt   [unitCount][]clock.Cycle
	earliest [unitCount]clock.Cycle
	// collectors holds the cycle in which each operand collector is free,
	// collectorAt the first of these; limited says that there are not always
	// enough. They are one pool for all kinds of unit.
	collectors  []clock.Cycle
	collectorAt clock.Cycle
	limited     bool
}

func newUnits(m *arch.SM) units {
	u := units{read: clock.Cycle(m.OperandReadCycles)}
	for k, n := range unitCounts(&m.Units) {
		u.freeAt[k] = make([]clock.Cycle, n)
		if n == 0 && Unit(k) != UnitControl {
			u.earliest[k] = clock.Never
		}
	}
	u.collectors = make([]clock.Cycle, max(m.OperandCollectors, 0))
	return u
}

// begin readies the units for a program. When more collectors exist than
// instructions of it can be in operand read, they need no bookkeeping.
func (u *units) begin(m *arch.SM, p *Program) {
	most := m.Schedulers * m.IssuePerScheduler * (m.OperandReadCycles + p.mostConflicts)
	u.limited = m.OperandCollectors > 0 && m.OperandCollectors < most
	u.collectorAt = 0
}

// reserve takes a unit, and a collector, for an operation that issues now.
func (u *units) reserve(now clock.Cycle, op *operation) {
	start := now + u.transfer + clock.Cycle(op.startCycles)
	if u.limited {
		u.collectors[earliestOf(u.collectors)] = start
		u.collectorAt = u.collectors[earliestOf(u.collectors)] - u.transfer
	}
	free := u.freeAt[op.unit]
	free[earliestOf(free)] = start + clock.Cycle(op.intervalCycles)
	u.earliest[op.unit] = free[earliestOf(free)] - u.read - u.transfer
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
