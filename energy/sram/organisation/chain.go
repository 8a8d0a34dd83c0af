// SPDX-License-Identifier: Apache-2.0

package organisation

import "github.com/warptape/warptape/trace/samefloat"

// mostGates bounds a chain.
const mostGates = 16

// chain is a gate and the inverters behind it, each larger than the one before: widths of
// the devices from the first to the last.
type chain struct {
	n, p  [mostGates]float64
	gates int
}

// newChain sizes the inverters behind a first gate by logical effort (Sutherland and
// Sproull): effort is that of the gate, first and firstP are its devices.
func (p *process) newChain(first, firstP, effort, load float64) chain {
	c := chain{}
	c.n[0], c.p[0] = first, firstP
	total := samefloat.Log(effort * load / (p.gate(first) + p.gate(firstP)))
	c.gates = stages(total, 0)
	ratio := samefloat.Exp(total / float64(c.gates))
	last := c.gates - 1
	width := 1 / (1 + p.ratio) * (load / ratio) / p.gate(1)
	if !(width > p.minimum) {
		width = p.minimum
	}
	c.set(last, width, p.ratio)
	if width > p.maximum {
		total = samefloat.Log(effort * p.gate((1+p.ratio)*p.maximum) / p.gate(first+firstP))
		c.gates = stages(total, 1)
		ratio = samefloat.Exp(total / float64(c.gates-1))
		last = c.gates - 1
		c.set(last, p.maximum, p.ratio)
	}
	for i := last - 1; i >= 1; i-- {
		c.set(i, max(c.n[i+1]/ratio, p.minimum), p.ratio)
	}
	return c
}

// logFanout is the logarithm of the effort that a stage takes.
var logFanout = samefloat.Log(4)

// stages is the even number of gates for the logarithm of an effort, with some more.
func stages(log float64, more int) int {
	if !(log > 0) {
		return 2
	}
	n := int(log/logFanout) + more
	return min(max(n+n%2, 2), mostGates)
}

func (c *chain) set(i int, width, ratio float64) { c.n[i], c.p[i] = width, float64(ratio*width) }

// in is the capacitance of the first gate.
func (c *chain) in(p *process) float64 { return p.gate(c.n[0] + c.p[0]) }

// stage is the delay of gate i, and the capacitance that it moves.
func (p *process) stage(c *chain, i, inputs int, load, wire, height, rise float64) (delay, farad float64) {
	if i > 0 {
		inputs = 1
	}
	own := float64(float64(inputs)*p.drain(c.p[i], pChannel, 1, height)) + p.drain(c.n[i], nChannel, inputs, height)
	return half(rise, float64(p.ohm(c.n[i], nChannel, inputs)*(own+load))+wire), own + load
}

// through runs a signal through a chain whose first gate has inputs. It gives the delay, the rise time
// at the end and all capacitance that is moved. wire is the time constant that the wire behind the chain adds.
func (p *process) through(c *chain, inputs int, load, wire, height, rise float64) (delay, out, farad float64) {
	for i := range c.gates {
		next, w := load, wire
		if i < c.gates-1 {
			next, w = p.gate(c.n[i+1]+c.p[i+1]), 0
		}
		d, f := p.stage(c, i, inputs, next, w, height, rise)
		delay += d
		farad += f
		rise = d / 0.5
	}
	return delay, rise, farad
}

// area of the chain in rows of a height.
func (p *process) area(c *chain, inputs int, height float64) float64 {
	a := p.gateArea(inputs, c.p[0], c.n[0], height)
	for i := 1; i < c.gates; i++ {
		a += p.gateArea(1, c.p[i], c.n[i], height)
	}
	return a
}

// driver is a chain of inverters that drives gates at the end of a wire.
type driver struct {
	chain
	gateF, wireF, wireOhm float64
}

func (p *process) newDriver(gateF, wireF, wireOhm float64) driver {
	return driver{p.newChain(p.minimum, float64(p.ratio*p.minimum), 1, gateF+wireF), gateF, wireF, wireOhm}
}

// run gives delay and energy of the driver, and what it leaks.
func (p *process) run(d *driver) (delay, joule float64, l leak) {
	delay, _, farad := p.through(&d.chain, 1, d.gateF+d.wireF, d.wireOhm*(float64(d.wireF/2)+d.gateF), p.rowHeight, 0)
	for i := range d.gates {
		l.add(p.inverter(d.n[i], d.p[i]), 1)
	}
	return delay, float64(farad * p.vdd * p.vdd), l
}
