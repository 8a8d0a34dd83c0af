// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// Model is a machine in a technology: what each of its events costs.
type Model struct {
	Machine    string
	Technology Technology
	// Calibration says what dynamic energies are scaled to.
	Calibration string
	Components  []Component
	gates       []gate
	given       []string // structures whose dynamic energy the machine gives
	die         Die      // of a card whose chip is known, in its own technology
	// pipelinePJ is what withPipeline charges for a warp instruction, pipelineCyclePJ what
	// withPipelineCycles does for a cycle; pipelineFront is the front end's share of either.
	pipelinePJ, pipelineFront, pipelineCyclePJ float64
}

// NewModel prices a machine. It fails when a structure or the technology lies
// outside what the model covers.
func NewModel(m *arch.Machine, t Technology, c *Coefficients) (*Model, error) {
	if err := t.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	memories, err := sram.Default()
	if err != nil {
		return nil, err
	}
	given, err := parseGiven(m.Technology.Given)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	b := &builder{machine: m, tech: t, coefficients: c, memories: memories, given: given}
	if !wholeChip(m) {
		b.baseline()
		b.shape()
	}
	b.structures()
	if b.err != nil {
		return nil, b.err
	}
	if err := given.unused(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	die, _ := dieAt(m, t)
	return &Model{die: die, Machine: m.Name, Technology: t, Calibration: c.calibration, Components: b.components, gates: b.gates, given: given.dynamic(), pipelinePJ: b.pipelinePJ, pipelineFront: b.pipelineFront, pipelineCyclePJ: b.pipelineCyclePJ}, nil
}

// wholeChip reports whether a mechanism brings all that the machine consists of.
func wholeChip(m *arch.Machine) bool {
	for _, key := range m.Mechanisms() {
		if _, ok := m.Section(key).(arch.WholeChip); ok {
			return true
		}
	}
	return false
}

// baseline prices what machines have without mechanisms.
func (b *builder) baseline() {
	if b.machine.GPU.CoreKind() == arch.NoCores {
		b.lastLevel()
		b.dram()
		return
	}
	b.frontEnd()
	b.pipeline()
	b.registers()
	b.functionalUnits()
	b.onChipMemory()
	b.network()
	b.lowerLevels()
	b.dram()
	b.constant()
	b.clocks()
}

// Account prices the counts of a run that took that many seconds.
func (m *Model) Account(set *counters.Set, seconds float64) (Report, error) {
	if !(seconds >= 0) || math.IsInf(seconds, 0) {
		return Report{}, fmt.Errorf("%s: the run took %g s; energy needs a time of zero or more", m.Machine, seconds)
	}
	r := Report{Machine: m.Machine, Technology: m.Technology, Calibration: m.Calibration, Seconds: seconds, ThreadInstructions: set[counters.IssuedThread]}
	for i := range m.Components {
		c := &m.Components[i]
		off := m.offSeconds(c.Path, set)
		if off > seconds*(1+1e-9) {
			return Report{}, fmt.Errorf("BUG: %s: %s is switched off for %g s of a run of %g s", m.Machine, c.Path, off, seconds)
		}
		r.Leaves = append(r.Leaves, Leaf{Path: c.Path, DynamicJ: c.dynamicJ(set) - m.sparedJ(c, set), StaticJ: c.StaticW * (seconds - off), GatedJ: c.StaticW * off, AreaMM2: c.AreaMM2, Added: c.Added, Hierarchy: c.Hierarchy})
	}
	return r, nil
}

// Account prices a run on a machine under the default coefficients.
func Account(m *arch.Machine, set *counters.Set, seconds float64, t Technology) (Report, error) {
	model, err := NewModel(m, t, DefaultCoefficients())
	if err != nil {
		return Report{}, err
	}
	return model.Account(set, seconds)
}
