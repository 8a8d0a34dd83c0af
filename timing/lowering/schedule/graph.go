// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// graph says which operations of a stretch of a block have to stay behind which: by
// registers, by memory that may be the same, and by what meets other threads.
type graph struct {
	ops     []ir.Op
	next    [][]int32 // operations behind each
	before  []int32   // how many stand before each
	scratch *scratch
	edges   uint64
	// read are the registers that operations read, and end where those of each end.
	read []read
	end  []int32
}

// read is a register that an operation reads, and how often.
type read struct {
	register ir.Register
	times    int32
}

// findReads lists what operations read.
func (g *graph) findReads() {
	g.end = make([]int32, len(g.ops))
	for i := range g.ops {
		begin := len(g.read)
		g.ops[i].EachRead(func(r ir.Register) {
			for k := begin; k < len(g.read); k++ {
				if g.read[k].register == r {
					g.read[k].times++
					return
				}
			}
			g.read = append(g.read, read{r, 1})
		})
		g.end[i] = int32(len(g.read))
	}
}

// reads are those of an operation, after findReads.
func (g *graph) reads(i int32) []read {
	if i == 0 {
		return g.read[:g.end[0]]
	}
	return g.read[g.end[i-1]:g.end[i]]
}

// scratch is what graphs of one kernel share, by register.
type scratch struct {
	writer  []int32 // the last, from 1 on; zero: none
	readers [][]int32
	touched []ir.Register
	is      []bool // live, or made
	made    []bool
	listed  []ir.Register
}

func newScratch(registers int) *scratch {
	return &scratch{writer: make([]int32, registers), readers: make([][]int32, registers), is: make([]bool, registers), made: make([]bool, registers)}
}

func newGraph(ops []ir.Op, s *scratch) *graph {
	g := &graph{ops: ops, next: make([][]int32, len(ops)), before: make([]int32, len(ops)), scratch: s}
	m := memoryOrder{g: g, ordered: -1, store: [spaces]int32{-1, -1, -1}}
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
		g.registers(int32(i), op)
		m.add(int32(i), op)
		if op.Code.Class == trace.ClassNop && op.Keep == nil {
			g.edge(control, int32(i))
			control = int32(i)
		}
	}
	for _, r := range s.touched {
		s.writer[r], s.readers[r] = 0, s.readers[r][:0]
	}
	s.touched = s.touched[:0]
	return g
}

// edge puts operation b behind a; none for a below zero.
func (g *graph) edge(a, b int32) {
	if a < 0 || a == b {
		return
	}
	if n := len(g.next[a]); n > 0 && g.next[a][n-1] == b {
		return
	}
	g.next[a] = append(g.next[a], b)
	g.before[b]++
	g.edges++
}

// registers adds the order by registers.
func (g *graph) registers(i int32, op *ir.Op) {
	s := g.scratch
	op.EachRead(func(r ir.Register) {
		g.edge(s.writer[r]-1, i)
		s.readers[r] = append(s.readers[r], i)
		s.touched = append(s.touched, r)
	})
	for _, r := range op.Dst {
		g.edge(s.writer[r]-1, i)
		for _, reader := range s.readers[r] {
			g.edge(reader, i)
		}
		s.readers[r] = s.readers[r][:0]
		s.writer[r] = i + 1
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

// memoriesOf lists which an access may be in.
func memoriesOf(space trace.Space) []int {
	switch space {
	case trace.SpaceShared:
		return []int{sharedMemory}
	case trace.SpaceLocal:
		return []int{localMemory}
	case trace.SpaceGlobal:
		return []int{globalMemory}
	}
	return []int{sharedMemory, localMemory, globalMemory}
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

func (m *memoryOrder) add(i int32, op *ir.Op) {
	switch op.Effect {
	case ir.Ordered, ir.Ends:
		for _, x := range m.since {
			m.g.edge(x, i)
		}
		m.g.edge(m.ordered, i)
		g := m.g
		*m = memoryOrder{g: g, ordered: i, store: [spaces]int32{-1, -1, -1}, since: m.since[:0]}
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
	for _, space := range memoriesOf(op.Space) {
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
