// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"slices"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// graph says which operations of a stretch of a block have to stay behind which: by
// registers, by memory that may be the same, and by what meets other threads.
type graph struct {
	ops   []ir.Op
	table *table
	first int32 // place of the first operation in the table
	// next are the operations behind each, and previous those in front of each. The lists of one
	// begin where behinds and befores say.
	next, behinds     []int32
	previous, befores []int32
	scratch           *scratch
	// lastEdge is, by operation, the one that an edge leads to last, from 1 on.
	lastEdge []int32
	memory   memoryOrder
	stored   []int32 // operations that stay in front of a store
	values   values
	start    start
}

// scratch is what graphs of one kernel share, by register.
type scratch struct {
	writer  []int32 // the last, from 1 on; zero: none
	reader  []int32 // the last since then, a place in readers from 1 on
	readers []reader
	touched []ir.Register
	is      []bool // live
	made    []bool
	always  []bool // live all the time
	listed  []ir.Register
	local   []int32 // its number in the stretch at hand, from 1 on
	value   []int32 // that in front of the operation at hand, from 1 on; zero: not known
}

// reader is an operation that reads a register, and the reader before it.
type reader struct{ op, before int32 }

func newScratch(registers int) *scratch {
	return &scratch{writer: make([]int32, registers), reader: make([]int32, registers), is: make([]bool, registers), made: make([]bool, registers), always: make([]bool, registers), local: make([]int32, registers), value: make([]int32, registers)}
}

// behind are the operations that have to stay behind one, ascending.
func (g *graph) behind(i int32) []int32 { return g.next[g.behinds[i]:g.behinds[i+1]] }

// before are the operations that one has to stay behind.
func (g *graph) before(i int32) []int32 { return g.previous[g.befores[i]:g.befores[i+1]] }

// counts gives how many stand in front of each, in the place of a list.
func (g *graph) counts(list []int32) []int32 {
	list = list[:0]
	for i := range g.length() {
		list = append(list, g.befores[i+1]-g.befores[i])
	}
	return list
}

// reads and writes are the registers of an operation.
func (g *graph) reads(i int32) []read         { return g.table.readsOf(g.first + i) }
func (g *graph) writes(i int32) []ir.Register { return g.table.writesOf(g.first + i) }
func (g *graph) partial(i int32) bool         { return g.table.partial[g.first+i] }
func (g *graph) length() int32                { return int32(len(g.ops)) }
func (g *graph) edges() uint64                { return uint64(len(g.next)) }

// allReads and allWrites are those of all operations.
func (g *graph) allReads() []read {
	return g.table.read[g.table.reads[g.first]:g.table.reads[g.first+g.length()]]
}

func (g *graph) allWrites() []ir.Register {
	return g.table.written[g.table.writes[g.first]:g.table.writes[g.first+g.length()]]
}

// readPlaces and writePlaces are where the registers of an operation lie in these.
func (g *graph) readPlaces(i int32) (from, to int32) { return within(g.table.reads, g.first, i) }

func (g *graph) writePlaces(i int32) (from, to int32) { return within(g.table.writes, g.first, i) }

func within(begin []int32, first, i int32) (from, to int32) {
	return begin[first+i] - begin[first], begin[first+i+1] - begin[first]
}

// build makes the graph of the operations of a table from first on.
func (g *graph) build(ops []ir.Op, t *table, first int, s *scratch) {
	n := len(ops)
	g.ops, g.table, g.first, g.scratch = ops, t, int32(first), s
	g.previous, g.befores = g.previous[:0], append(g.befores[:0], 0)
	g.lastEdge = zeros(g.lastEdge, n)
	g.memory.reset(g)
	g.stored = g.stored[:0]
	s.readers = s.readers[:0]
	control, call := int32(-1), int32(-1)
	for i := range ops {
		op := &ops[i]
		g.edge(call, int32(i))
		if op.Code == ir.CALL { // ends a block of the machine's: nothing passes it
			for before := max(call, 0); before < int32(i); before++ {
				g.edge(before, int32(i))
			}
			call = int32(i)
		}
		g.registers(int32(i))
		if op.Stored {
			g.stored = append(g.stored, int32(i))
		}
		if op.Behind {
			for _, before := range g.stored {
				g.edge(before, int32(i))
			}
		}
		g.memory.add(int32(i), op)
		if op.Code.Class == trace.ClassNop && op.Keep == nil {
			g.edge(control, int32(i))
			control = int32(i)
		}
		g.befores = append(g.befores, int32(len(g.previous)))
	}
	for _, r := range s.touched {
		s.writer[r], s.reader[r] = 0, 0
	}
	s.touched = s.touched[:0]
	g.turn()
}

// turn derives the operations behind each operation from those in front of each.
func (g *graph) turn() {
	n := len(g.ops)
	g.behinds = zeros(g.behinds, n+1)
	for _, a := range g.previous {
		g.behinds[a]++
	}
	sum := int32(0)
	for i := range g.behinds {
		sum += g.behinds[i]
		g.behinds[i] = sum
	}
	g.next = slices.Grow(g.next[:0], len(g.previous))[:len(g.previous)]
	for i := n - 1; i >= 0; i-- { // the last first, as lists fill from their ends
		for _, a := range g.before(int32(i)) {
			g.behinds[a]--
			g.next[g.behinds[a]] = int32(i)
		}
	}
}

// zeros gives n zeros, in the place of a list.
func zeros(list []int32, n int) []int32 {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// edge puts operation b, the one at hand, behind a; none for a below zero.
func (g *graph) edge(a, b int32) {
	if a < 0 || a == b || g.lastEdge[a] == b+1 {
		return
	}
	g.lastEdge[a] = b + 1
	g.previous = append(g.previous, a)
}

// registers adds the order by registers.
func (g *graph) registers(i int32) {
	s := g.scratch
	for _, x := range g.reads(i) {
		r := x.register
		g.edge(s.writer[r]-1, i)
		s.readers = append(s.readers, reader{i, s.reader[r]})
		s.reader[r] = int32(len(s.readers))
		s.touched = append(s.touched, r)
	}
	for _, r := range g.writes(i) {
		g.edge(s.writer[r]-1, i)
		for at := s.reader[r]; at > 0; at = s.readers[at-1].before {
			g.edge(s.readers[at-1].op, i)
		}
		s.reader[r], s.writer[r] = 0, i+1
		s.touched = append(s.touched, r)
	}
}

// The memories that cannot be the same.
const (
	sharedMemory = iota
	localMemory
	globalMemory
	spaces
)

// memoriesOf gives the first memory that an access may be in, and the one behind the last.
func memoriesOf(space trace.Space) (from, to int) {
	switch space {
	case trace.SpaceShared:
		return sharedMemory, sharedMemory + 1
	case trace.SpaceLocal:
		return localMemory, localMemory + 1
	case trace.SpaceGlobal:
		return globalMemory, globalMemory + 1
	}
	return 0, spaces
}

// nearStores are the stores with whose addresses a load is compared; it stays behind those
// before them.
const nearStores = 8

// memoryOrder orders accesses. Stores to a memory keep their order.
type memoryOrder struct {
	g       *graph
	ordered int32   // the last Ordered operation
	since   []int32 // accesses since then
	store   [spaces]int32
	stores  [spaces][]int32
	loads   [spaces][]int32 // since the last store that is behind all before it
}

// reset forgets all accesses.
func (m *memoryOrder) reset(g *graph) {
	m.g, m.ordered, m.since = g, -1, m.since[:0]
	for space := range spaces {
		m.store[space], m.stores[space], m.loads[space] = -1, m.stores[space][:0], m.loads[space][:0]
	}
}

func (m *memoryOrder) add(i int32, op *ir.Op) {
	switch op.Effect {
	case ir.Ordered, ir.Ends:
		for _, x := range m.since {
			m.g.edge(x, i)
		}
		m.g.edge(m.ordered, i)
		m.reset(m.g)
		m.ordered = i
		return
	case ir.Loads, ir.Stores:
	default:
		if op.Memory || op.Keep != nil { // what reads constants, or lanes' registers
			m.g.edge(m.ordered, i)
			m.since = append(m.since, i)
		}
		return
	}
	m.g.edge(m.ordered, i)
	m.since = append(m.since, i)
	for space, to := memoriesOf(op.Space); space < to; space++ {
		if op.Effect == ir.Loads {
			m.load(i, op, space)
		} else {
			m.storeTo(i, op, space)
		}
	}
}

func (m *memoryOrder) load(i int32, op *ir.Op, space int) {
	list := m.stores[space]
	for n := len(list) - 1; n >= 0; n-- {
		if n < len(list)-nearStores || !m.apart(list[n], op) {
			m.g.edge(list[n], i)
			break // those before are before it
		}
	}
	m.loads[space] = append(m.loads[space], i)
}

func (m *memoryOrder) storeTo(i int32, op *ir.Op, space int) {
	m.g.edge(m.store[space], i)
	kept := m.loads[space][:0]
	for n, l := range m.loads[space] {
		if len(m.loads[space])-n <= nearStores && m.apart(l, op) {
			kept = append(kept, l)
		} else {
			m.g.edge(l, i)
		}
	}
	m.loads[space] = kept
	m.store[space] = i
	m.stores[space] = append(m.stores[space], i)
}

// apart reports whether two accesses are sure not to meet: they have the same base, which
// has not changed in between, and other offsets.
func (m *memoryOrder) apart(a int32, op *ir.Op) bool {
	x := &m.g.ops[a]
	if x.Base != op.Base || x.Space != op.Space {
		return false
	}
	if x.Base.Kind == ir.Reg && m.g.scratch.writer[x.Base.Register]-1 > a {
		return false
	}
	return x.Offset+int64(x.Bytes) <= op.Offset || op.Offset+int64(op.Bytes) <= x.Offset
}
