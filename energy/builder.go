// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// builder makes the components of a machine; the first error stays.
type builder struct {
	machine      *arch.Machine
	tech         Technology
	coefficients *Coefficients
	memories     *sram.Model
	components   []Component
	gates        []gate
	given        *givenValues
	err          error
	// of the pipeline's registers
	pipelinePJ, pipelineFront, pipelineCyclePJ float64
}

// add opens a component; the result is valid until the next add.
func (b *builder) add(path string) *Component {
	b.components = append(b.components, Component{Path: "chip/" + path})
	return &b.components[len(b.components)-1]
}

// charge adds pJ per event of each counter.
func (c *Component) charge(pj float64, ids ...counters.ID) {
	for _, id := range ids {
		c.Charges = append(c.Charges, Charge{Counter: id, PJ: pj})
	}
}

// structure adds the static power and area of instances of a memory structure.
func (c *Component) structure(e sram.Estimate, instances float64) {
	c.StaticW += float64(e.LeakageMW * instances * 1e-3)
	c.AreaMM2 += float64(e.AreaMM2 * instances)
}

// value is a coefficient that does not depend on technology.
func (b *builder) value(key string) float64 { return b.coefficients.get(key).Value }

// count is a coefficient that counts something.
func (b *builder) count(key string) int { return int(b.value(key)) }

// energy is a coefficient in picojoules, scaled to the technology.
func (b *builder) energy(key string) float64 {
	c := b.coefficients.get(key)
	if c.NodeNM == 0 {
		return c.Value
	}
	return c.Value * logicScale(c.NodeNM, b.tech.NodeNM) * b.tech.dynamic()
}

// area is a coefficient in square millimetres, scaled to the technology.
func (b *builder) area(key string) float64 {
	c := b.coefficients.get(key)
	return c.Value * areaScale(c.NodeNM, b.tech.NodeNM)
}

// logic adds an area of logic and its leakage.
func (b *builder) logic(c *Component, mm2 float64) {
	c.AreaMM2 += mm2
	c.StaticW += float64(mm2 * b.value("logic.leakage_mw_per_mm2") * 1e-3 * b.tech.leakage())
}

// memory estimates a memory structure in the technology; key says which, for the
// error.
func (b *builder) memory(key string, q sram.Query) sram.Estimate {
	q.NodeNM, q.LowPower = b.tech.NodeNM, b.tech.LowPower
	e, err := b.memories.Estimate(q)
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("%s: %s has no energy: %w", b.machine.Name, key, err)
	}
	e.ReadPJ *= b.tech.dynamic()
	e.WritePJ *= b.tech.dynamic()
	e.SearchPJ *= b.tech.dynamic()
	e.LeakageMW *= b.tech.leakage()
	b.replace(key, &e)
	return e
}

// smallestRAM is the capacity in bytes below which an array costs no less: the
// model knows none that is smaller.
const smallestRAM = 128

// ram estimates one port to one bank of a RAM.
func (b *builder) ram(key string, bytes, out int) sram.Estimate {
	return b.memory(key, sram.Query{Class: sram.RAM, Bytes: max(bytes, smallestRAM), OutBytes: out})
}

// cam estimates entries that are searched by content.
func (b *builder) cam(key string, entries, entryBytes int) sram.Estimate {
	return b.memory(key, sram.Query{Class: sram.CAM, Bytes: entries * entryBytes, LineBytes: entryBytes})
}

// sms is the number of SMs as a factor.
func (b *builder) sms() float64 { return float64(b.machine.GPU.SMs) }
