// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// fitted is an access energy that GPUWattch's multipliers, fitted to measurements
// of a GTX480, give for that card. The charges of the nodes for the counter are
// scaled so that on the card they add up to it; with all, so are their other
// charges, by the same factor. Where the machine gives the energy of one of the
// structures itself (technology.given) its value wins, and nothing is scaled.
type fitted struct {
	structures []string
	nodes      []string
	counter    counters.ID
	pj         float64
	all        bool
	row        string // of the effective energies
}

// fits lists the rows that are used. Not used are those for L2 writes (14 nJ, five
// times a read) and L2 read misses (less than a twentieth of a hit): their
// multipliers stand for something else than an access. DRAM reads and writes have
// no row; that of operands from elsewhere than registers has no counter. The L1's row includes coalescer and crossbar, which stay as they are.
var fits = []fitted{
	{[]string{"instruction_cache", "instruction_cache.tags"}, []string{"chip/sm/front end/fetch"}, counters.FetchAccess, 63.434, true, "I-cache hit"},
	{[]string{"sm.registers", "sm.operand_collectors"}, []string{"chip/sm/register file", "chip/sm/operand collector"}, counters.RegisterLaneRead, 7.2668, false, "register read, with crossbar and collector"},
	{[]string{"sm.registers"}, []string{"chip/sm/register file"}, counters.RegisterLaneWrite, 5.986, false, "register write"},
	{[]string{"shared_memory"}, []string{"chip/sm/shared memory"}, counters.SharedLaneRead, 2119.5 / 32, true, "shared memory access, of 32 lanes"},
	{[]string{"l1", "l1.tags"}, []string{"chip/sm/L1/tags", "chip/sm/L1/data"}, counters.L1Read, 2934.6, true, "L1D read hit"},
	{[]string{"constant_cache", "constant_cache.tags"}, []string{"chip/sm/constant cache"}, counters.ConstantRead, 1291.6, true, "constant cache hit"},
	{[]string{"network.vc_flits"}, []string{"chip/network/routers", "chip/network/links"}, counters.ReplyFlits, 1938.6, true, "NoC flit of 40 bytes"},
	{[]string{"l2", "l2.tags"}, []string{"chip/L2/data"}, counters.L2ReadHit, 2805.0 / 4, true, "L2 read hit of a line of 128 bytes, a quarter for a sector of 32"},
}

// referenceMachine is the machine that GPUWattch's multipliers belong to.
const referenceMachine = "gtx480-ref"

// Calibrated gives the model with the dynamic energy of its arrays and networks
// scaled. The factors lie between CACTI's and DSENT's figures and what GPUWattch
// found a GTX480 to draw: wires, control and clocks around them. With it all
// parts are fitted to the card, without it arithmetic and scheduler only. Parts
// at or below keep stay as they are.
func (m *Model) Calibrated(keep ...string) (*Model, error) {
	card, err := arch.Load(referenceMachine)
	if err != nil {
		return nil, err
	}
	reference, err := NewModel(card, TechnologyOf(card), DefaultCoefficients())
	if err != nil {
		return nil, err
	}
	out := m.copy(gpuwattchName)
	if len(keep) > 0 {
		out.Calibration += "; as computed: " + strings.Join(keep, ", ")
	}
	if len(m.given) > 0 {
		out.Calibration += "; as the machine gives them: " + strings.Join(m.given, ", ")
	}
	out.withPipeline(keep)
	return out, out.fitAll(fits, reference, keep)
}

// copy is the model with charges of its own, under another calibration.
func (m *Model) copy(calibration string) *Model {
	out := &Model{die: m.die, Machine: m.Machine, Technology: m.Technology, Calibration: calibration, Components: make([]Component, len(m.Components)), gates: m.gates, given: m.given, pipelinePJ: m.pipelinePJ, pipelineFront: m.pipelineFront, pipelineCyclePJ: m.pipelineCyclePJ}
	for i, c := range m.Components {
		c.Charges = append([]Charge(nil), c.Charges...)
		out.Components[i] = c
	}
	return out
}

// fitAll scales what the rows are about, but for structures that the machine gives, and
// parts at or below keep.
func (m *Model) fitAll(rows []fitted, reference *Model, keep []string) error {
	for i := range rows {
		if slices.ContainsFunc(rows[i].structures, func(name string) bool { return slices.Contains(m.given, name) }) {
			continue
		}
		if underAny(rows[i].nodes[0], keep) {
			continue
		}
		if err := m.fit(&rows[i], reference); err != nil {
			return err
		}
	}
	return nil
}

// fit scales the charges that f is about.
func (m *Model) fit(f *fitted, reference *Model) error {
	sum := 0.0
	for _, path := range f.nodes {
		for i := range reference.Components {
			if c := &reference.Components[i]; under(c.Path, path) {
				sum += c.pricePJ(f.counter)
			}
		}
	}
	if sum <= 0 {
		return fmt.Errorf("BUG: %s charges nothing for %s in %v", reference.Machine, counters.Declared(f.counter).Name, f.nodes)
	}
	for _, path := range f.nodes {
		for i := range m.Components {
			c := &m.Components[i]
			for j := range c.Charges {
				if under(c.Path, path) && (f.all || c.Charges[j].Counter == f.counter) {
					c.Charges[j].PJ *= f.pj / sum
				}
			}
		}
	}
	return nil
}

// The names of calibrations.
const (
	cactiName     = "arrays and network as CACTI and DSENT give them"
	circuitName   = "operations, arrays and network as circuits"
	gpuwattchName = "arrays and network scaled to GPUWattch's GTX480"
)
