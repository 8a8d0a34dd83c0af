package sm

import "github.com/warptape/warptape/timing/counters"

// list says what a warp waits for. A warp is on exactly one list.
type list uint8

// The lists. The first ones, one per kind of unit, hold warps whose next
// instruction has everything but, perhaps, its unit.
const (
	listReady   = list(0)
	listOperand = list(unitCount) + iota - 1 // a register to write is yet to be read (WAR)
	listCompute
	listMemory
	listFetch
	listFence
	listBarrier
	listNone // no warp, or one that has issued everything

	listCount

	lastReady = listReady + list(unitCount) - 1
)

// lists is the state of all warps of an SM: per list the warps on it.
type lists struct {
	members [listCount]uint64
	of      [maxWarps]list
	changed bool // a warp has been put on a list since settled last said so
}

// settled reports whether nothing has happened to any warp since it was called
// last, and none lacks only a unit or a collector, or all that do are blocked as
// they were then: whoever could not issue then cannot now, for the same cause.
func (l *lists) settled(blocked bool) bool {
	changed := l.changed
	l.changed = false
	if changed || blocked {
		return !changed
	}
	return l.ready() == 0
}

// ready is the warps that lack nothing but, perhaps, a unit or a collector.
func (l *lists) ready() uint64 {
	m := &l.members
	return m[UnitSP] | m[UnitInt] | m[UnitDP] | m[UnitSFU] | m[UnitTensor] | m[UnitLDST] | m[UnitControl]
}

// maxWarps is the most warps that an SM can have: a list is one machine word.
const maxWarps = 64

func newLists() lists {
	var l lists
	for i := range l.of {
		l.of[i] = listNone
	}
	l.members[listNone] = ^uint64(0)
	return l
}

func (l *lists) move(w int, to list) {
	bit := uint64(1) << w
	l.members[l.of[w]] &^= bit
	l.members[to] |= bit
	l.changed = true
	l.of[w] = to
}

// blameOrder lists the waiting lists from the closest to issue to the farthest:
// a stalled slot is charged to the first that has a warp (of these the one in the
// lowest slot). Before them come warps that lack only a unit.
var blameOrder = [...]struct {
	list  list
	cause counters.Cause
}{
	{listOperand, counters.CauseOperand},
	{listCompute, counters.CauseCompute},
	{listMemory, counters.CauseMemory},
	{listFetch, counters.CauseFetch},
	{listFence, counters.CauseFence},
	{listBarrier, counters.CauseBarrier},
}
