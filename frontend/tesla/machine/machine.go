// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"

	"github.com/warptape/warptape/frontend/tesla/language"
)

// Options of a run.
type Options struct {
	// Log asks for Result.Log.
	Log bool
	// MaxCycles ends a kernel that runs too long; zero: DefaultMaxCycles.
	MaxCycles uint64
}

// DefaultMaxCycles is far beyond what kernels of the machine's memories take.
const DefaultMaxCycles = 1 << 28

// Run executes a kernel, which is checked before. An error names file, line and reason.
func Run(k *language.Kernel, c Config, o Options) (*Result, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	k = k.For(c.WarpWidth)
	if err := k.Check(c.Limits()); err != nil {
		return nil, err
	}
	m := newMachine(k, c, o)
	return m.result, m.run()
}

// machine is the state of a run.
type machine struct {
	Config
	kernel    *language.Kernel
	result    *Result
	watch     dependences
	leader    []bool // instructions at which a visit begins
	constants []uint32
	mps       []*multiprocessor
	cycle     uint64
	next      uint64 // thread block to dispatch
	blocks    uint64
	limit     uint64
}

func newMachine(k *language.Kernel, c Config, o Options) *machine {
	m := &machine{
		Config: c, kernel: k, leader: Leaders(k), constants: make([]uint32, 1<<c.ConstantAddressBits),
		blocks: k.Grid.Count(), limit: o.MaxCycles, result: &Result{Width: c.WarpWidth, WarpsPerBlock: k.WarpsPerBlock, Joins: map[int][]int{}, SharedWords: len(k.Data), ConstantWords: len(k.Constants)},
	}
	if m.limit == 0 {
		m.limit = DefaultMaxCycles
	}
	if o.Log {
		m.result.Log = new(Log)
	}
	copy(m.constants, k.Constants)
	m.watch = newDependences(m)
	for i := range c.Multiprocessors {
		m.mps = append(m.mps, newMultiprocessor(m, i))
	}
	return m
}

// maxWarps bounds the warps of a kernel, whose paths are kept until it ends.
const maxWarps = 1 << 22

func (m *machine) run() error {
	warps := m.blocks * uint64(m.kernel.WarpsPerBlock)
	if warps > maxWarps {
		return language.Errorf(language.Place{File: m.kernel.File}, "%d thread blocks of %d warps; at most %d warps are executed: use a smaller grid", m.blocks, m.kernel.WarpsPerBlock, maxWarps)
	}
	m.result.Warps = make([]Warp, warps)
	for ; ; m.cycle++ {
		if m.cycle > m.limit {
			return language.Errorf(language.Place{File: m.kernel.File}, "no end after %d cycles", m.limit)
		}
		for _, p := range m.mps {
			p.settle()
		}
		if m.over() {
			break
		}
		if err := m.step(); err != nil {
			return err
		}
	}
	m.result.Cycles = m.cycle
	m.result.Dependences = m.watch.list
	for _, p := range m.mps {
		m.result.Shared = append(m.result.Shared, p.shared)
	}
	return nil
}

// over: all blocks are dispatched, nothing is initialised and no warp is there (2.).
func (m *machine) over() bool {
	if m.next < m.blocks {
		return false
	}
	for _, p := range m.mps {
		if !p.init.idle() || p.live > 0 {
			return false
		}
	}
	return true
}

// step does one cycle: the global scheduler, then each multiprocessor.
func (m *machine) step() error {
	if err := m.dispatch(); err != nil {
		return err
	}
	stuck := m.next == m.blocks
	for _, p := range m.mps {
		if err := p.step(); err != nil {
			return err
		}
		stuck = stuck && p.init.idle() && p.stuck()
	}
	if stuck {
		return m.deadlock()
	}
	return nil
}

// dispatch gives one block to the lowest multiprocessor that is ready (3.7).
func (m *machine) dispatch() error {
	if m.next == m.blocks {
		return nil
	}
	for i, p := range m.mps {
		if p.init.idle() {
			if l := m.result.Log; l != nil {
				l.Dispatches = append(l.Dispatches, Dispatch{m.cycle, i, m.next})
			}
			m.next++
			return p.take(m.next - 1)
		}
	}
	return nil
}

// deadlock says where warps wait that no other warp will wake.
func (m *machine) deadlock() error {
	for _, p := range m.mps {
		for slot := range p.warps {
			if w := &p.warps[slot]; w.valid {
				return m.fault(p, w, w.pc-1, "waits at a barrier at which not all warps of its thread block arrive: the others have ended")
			}
		}
	}
	return fmt.Errorf("BUG: %s: nothing will happen any more in cycle %d", m.kernel.File, m.cycle)
}

// fault is an error at an instruction of a warp.
func (m *machine) fault(p *multiprocessor, w *warp, pc int, format string, arguments ...any) error {
	pc = max(min(pc, len(m.kernel.Instructions)-1), 0)
	return language.Errorf(m.kernel.Place(pc), "%s: thread block %d, warp %d (multiprocessor %d, cycle %d): %s",
		m.kernel.Instructions[pc], w.block, w.number, p.id, m.cycle, fmt.Sprintf(format, arguments...))
}
