// SPDX-License-Identifier: Apache-2.0

// Package lowering makes of a recorded kernel, which has PTX instructions, the operations
// of a machine's generation: what a GPU executes.
//
// It works on the static tables of the trace alone, in stages: hammock forms the lowered
// blocks, selection chooses their operations, schedule orders them, and allocate gives
// registers a place. What comes out is a kernel that cores decode like a recorded one
// (core.Lowering), with the recorded instruction that each operation belongs to. Divergence
// hands out the recorded masks and addresses in the operations' order.
package lowering

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/lowering/allocate"
	"github.com/warptape/warptape/timing/lowering/hammock"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/timing/lowering/join"
	"github.com/warptape/warptape/timing/lowering/schedule"
	"github.com/warptape/warptape/timing/lowering/selection"
	"github.com/warptape/warptape/trace"
)

// Target is what a lowering has to know of a machine.
type Target struct {
	Generation *Generation
	// File is the registers of an SM, Threads those that it has at most: a compiler lets
	// loads go ahead as far as all of them still fit.
	File, Threads int
	// Unit is the granularity of registers, in those of a warp.
	Unit int
	// Until is the last stage; NaN says that divisions go through the subroutine for
	// operands that are no numbers.
	Until Stage
	NaN   bool
	// Predicate says that short branches may become predicates: lanes run together as
	// they were recorded.
	Predicate bool
}

// Stage is a stage of lowering.
type Stage uint8

// The stages, the last one first: a target without a word has all of them.
const (
	Allocation Stage = iota
	Scheduling
	Selection
)

// stages are the values of gpu.lowering_stages.
var stages = map[string]Stage{"selection": Selection, "scheduling": Scheduling, "allocation": Allocation}

// Budget is how many registers a thread may have.
type Budget struct {
	// BlockThreads are those of the largest thread block that is launched, whose registers
	// have to fit into the file; zero: none is known.
	BlockThreads int
	// Registers are those that the vendor's compiler took, or that a user allows; zero: none
	// given.
	Registers int
}

// Lowered is a lowered kernel.
type Lowered struct {
	core.Lowering
	Generation *Generation
	// Function has the operations before they were made instructions, Place their
	// registers.
	Function *ir.Function
	Place    []int
	// SpillBytes is what a thread spills, Budget the registers that it could have had.
	SpillBytes, Budget int
	// Steps counts what scheduling and allocation have looked at.
	Steps uint64
}

// TargetOf is the target that a machine is.
func TargetOf(m *arch.Machine, together bool) (Target, error) {
	g := Generations[m.GPU.Lowering]
	if g == nil {
		return Target{}, fmt.Errorf("gpu.lowering: there is no generation %q", m.GPU.Lowering)
	}
	return Target{
		Generation: g, Until: stages[m.GPU.LoweringStages], NaN: m.GPU.LoweringDivisions == "nan",
		File: m.SM.Registers, Threads: max(m.SM.MaxThreads, trace.WarpSize), Unit: max(m.SM.RegisterAllocationUnit, 1), Predicate: together,
	}, nil
}

// For lowers a recorded kernel for a machine; nil for one that is in machine code already.
// threads are those of its largest thread block, together says that lanes run together as
// they were recorded.
func For(m *arch.Machine, k *trace.Kernel, threads int, together bool) (*core.Lowering, error) {
	if MachineCode(k) {
		return nil, nil
	}
	t, err := TargetOf(m, together)
	if err != nil {
		return nil, err
	}
	return process.lower(k, t, Budget{BlockThreads: threads, Registers: m.GPU.RegistersOf(k.Name)})
}

// MachineCode reports whether a kernel is no PTX: one of the Tesla-like GPGPU, or of a
// trace of machine instructions that was imported.
func MachineCode(k *trace.Kernel) bool {
	if k.Tesla != nil {
		return true
	}
	for i := range k.Instructions {
		if op := k.Instructions[i].Opcode; op != strings.ToLower(op) {
			return true
		}
	}
	return false
}

// limit is how many registers a thread of a kernel may have: those of the generation, those
// with which its largest thread block fits, and those that its directives allow (PTX ISA
// 11.4). Thread blocks an SM (.minnctapersm) count where .maxntid or .reqntid says how large
// they are, and where so many threads fit.
func (t *Target) limit(k *trace.Kernel, b Budget) int {
	n := t.Generation.Registers
	if b.Registers > 0 {
		n = min(n, max(b.Registers, minimum))
	}
	if k.MaxRegisters > 0 {
		n = min(n, int(k.MaxRegisters))
	}
	n = min(n, t.fits(max(b.BlockThreads, int(k.MaxThreads)), 1))
	if blocks := int(k.MinBlocksPerSM); blocks > 1 && k.MaxThreads > 0 && blocks*int(k.MaxThreads) <= t.Threads {
		n = min(n, max(t.fits(int(k.MaxThreads), blocks), minimum))
	}
	return n
}

// fits is how many registers a thread may have for so many thread blocks to fit an SM.
func (t *Target) fits(threads, blocks int) int {
	if threads == 0 || t.File == 0 {
		return unlimited
	}
	warps := (threads + trace.WarpSize - 1) / trace.WarpSize * blocks
	return t.File / warps / t.Unit * t.Unit / trace.WarpSize
}

// unlimited are more registers than operations can have live in kernels of today.
const unlimited = 1 << 15

// minimum is the least number of registers that a kernel can be made for.
const minimum = 16

// Lower lowers a kernel.
func Lower(k *trace.Kernel, t Target, b Budget) (*Lowered, error) {
	k = placeVariables(k)
	budget := t.limit(k, b)
	if budget < minimum {
		return nil, fmt.Errorf("kernel %s: a thread may have %d registers, and the lowering needs %d at least: allow more (its .maxnreg, gpu.kernel_registers), or launch smaller thread blocks", k.Name, budget, minimum)
	}
	l, together, err := lower(k, t, budget, true)
	if together == 0 || err == nil && l.SpillBytes == 0 {
		return l, err
	}
	// Registers of joined accesses are live together, and so are raised sums: where they do not
	// fit, compilers do not join and raise them.
	other, _, e := lower(k, t, budget, false)
	if e == nil && (err != nil || other.SpillBytes < l.SpillBytes) {
		return other, nil
	}
	return l, err
}

// lower lowers a kernel to so many registers; it gives the accesses that others took in and
// the sums that were raised, which it may leave.
func lower(k *trace.Kernel, t Target, budget int, more bool) (l *Lowered, together int, err error) {
	choice := t.Generation.Selection
	choice.NaN = t.NaN
	f, err := selection.Select(k, hammock.Form(k, t.Predicate), choice)
	if err != nil {
		return nil, 0, err
	}
	if more {
		together = join.Join(f)
	}
	allocate.Coalesce(f, nil)
	if t.Until != Selection {
		schedule.KeepConditions(f)
	}
	predicates := schedule.Predicates
	if t.Until != Allocation {
		budget, predicates = unlimited, unlimited
	}
	most, steps := 0, uint64(0)
	live := allocate.NewLiveness(f) // orders of operations do not change what is live behind blocks
	if t.Until != Selection {
		s := schedule.New(f)
		if more {
			together += raise(f, s)
		}
		most = order(f, s, live, t, budget)
		steps = s.Steps
		if allocate.Coalesce(f, live) { // in the new order more registers end before others begin
			live = nil
		}
	}
	placed, ok := allocate.Allocate(f, live, budget-t.Generation.Kept, predicates)
	if !ok {
		return nil, together, fmt.Errorf("kernel %s: it cannot be made for %d registers a thread; its operations alone need more (%d are live at a time)", k.Name, budget, most)
	}
	l = &Lowered{Generation: t.Generation, Function: f, Place: placed.Place, SpillBytes: placed.SpillBytes, Budget: budget, Steps: steps + placed.Steps}
	l.Lowering = *emit(k, f, &placed, t.Generation.Kept, !t.Predicate)
	return l, together, nil
}

// raise raises the sums of all blocks, and counts them.
func raise(f *ir.Function, s *schedule.Scheduler) (n int) {
	for _, block := range f.Blocks {
		if block != nil {
			n += s.Raise(block)
		}
	}
	return n
}

// order schedules all blocks; it gives the registers that are live at most.
func order(f *ir.Function, s *schedule.Scheduler, live *allocate.Liveness, t Target, budget int) (most int) {
	var out []ir.Register
	for b, block := range f.Blocks {
		if block != nil {
			out = live.Out(b, out[:0])
			most = max(most, s.Pressure(block, out))
		}
	}
	taken := t.Generation.Kept + reserve
	ahead := schedule.Target{Registers: t.ahead(most, budget) - taken, All: budget - taken, Quotients: min(quotients, budget) - taken, InFlight: t.Generation.LoadsInFlight, Latency: t.Generation.Latency, Late: t.Generation.Late}
	for b, block := range f.Blocks {
		if block != nil {
			out = live.Out(b, out[:0])
			s.Ahead(block, out, ahead)
		}
	}
	return most
}

// reserve are registers that gaps between those of several words may cost.
const reserve = 2

// ahead is how many registers loads that go ahead may make live: those with which all
// threads of an SM fit, or as many as hardware gives out anyway.
func (t *Target) ahead(most, budget int) int {
	unit := max(t.Unit/trace.WarpSize, 1)
	all := t.File / t.Threads / unit * unit
	least := (most + t.Generation.Kept + unit - 1) / unit * unit
	return min(max(all, least), budget)
}
