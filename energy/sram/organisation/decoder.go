// SPDX-License-Identifier: Apache-2.0

package organisation

// decoder is the last gate of a decoder with its drivers, one for each output; what comes before is a
// predecoder. With fewer than four bits the predecoder drives the outputs itself.
type decoder struct {
	chain
	exists     bool
	inputs     int
	load, wire float64 // capacitance of an output, resistance of its wire
	height     float64
	leak       leak
}

// newDecoder makes a decoder for some outputs. Those that select a way have one input more.
func (p *process) newDecoder(outputs int, selectsWay bool, load, wire, cellHeight float64) decoder {
	d := decoder{load: load, wire: wire, height: float64(4 * cellHeight)}
	switch bits := log2(outputs); {
	case bits >= 4 && selectsWay:
		d.inputs = 3
	case bits >= 4 || selectsWay:
		d.inputs = 2
	default:
		return d
	}
	d.exists = true
	d.chain = p.newNAND(d.inputs, load)
	d.leak = p.nand(d.n[0], d.p[0], d.inputs)
	for i := 1; i < d.gates; i++ {
		l := p.inverter(d.n[i], d.p[i])
		d.leak.channel += l.channel
		d.leak.gate = l.gate // as CACTI has it: that of the last one alone
	}
	return d
}

// newNAND is a chain behind a NAND gate of the smallest devices.
func (p *process) newNAND(inputs int, load float64) chain {
	k := float64(inputs)
	return p.newChain(k*p.minimum, p.ratio*p.minimum, (k+p.ratio)/(1+p.ratio), load)
}

func (d *decoder) area(p *process) float64 {
	if !d.exists {
		return 0
	}
	return p.area(&d.chain, d.inputs, d.height)
}

// run gives the delay of the decoder, its output's rise time and the energy of one access.
func (d *decoder) run(p *process, rise float64) (delay, out, joule float64) {
	if !d.exists {
		return 0, 0, 0
	}
	delay, out, farad := p.through(&d.chain, d.inputs, d.load, d.wire*d.load/2, d.height, rise)
	return delay, out, float64(farad * p.vdd * p.vdd)
}
