// SPDX-License-Identifier: Apache-2.0

package organisation

import "math"

// line is a wire without repeaters: pitch in micrometres, ohm and farad a micrometre.
type line struct{ pitch, ohm, farad float64 }

// vacuum is the permittivity of free space in farad a micrometre.
const vacuum = 8.854e-18

func newLine(w *wiring, pitch float64) line {
	width := float64(pitch / 2)
	thick := float64(w.aspect * width)
	return line{
		pitch: pitch,
		ohm:   w.scatter * w.copper / ((thick - w.barrierUM) * (width - float64(2*w.barrierUM))),
		farad: float64(2*vacuum*w.vertical*width/w.layerUM) + float64(2*vacuum*w.miller*w.horizontal*thick/(float64(pitch)-width)) + w.fringeF,
	}
}

// repeated is a wire with inverters in it: the cheapest wire that takes at most 30 % longer than the fastest
// (Global_30 of CACTI). Values are for a metre of wire; the spacing is in metres.
type repeated struct {
	seconds, joule, channel, gate float64
	spacing                       float64 // metres from inverter to inverter
	size                          float64 // of the inverters, relative to the smallest
	farad                         float64
}

// slower is the share of time that wires may take beyond the fastest.
const slower = 0.3

// repeaters chooses the repeated wire of a process. Widths of its wires are a quarter of the pitch,
// and their resistance and capacitance other than those of lines, as in CACTI's wire.cc.
func (p *process) repeaters(w *wiring) repeated {
	const scatter, permittivity, shortCircuit = 1.05, 8.8542e-12, 65e-6
	width := p.matWire.pitch / 2 * 1e-6 / 2
	farad := float64(w.miller*w.horizontal*w.aspect*permittivity) + float64(w.miller*w.vertical*width/(w.layerUM*1e-6)*permittivity) + float64(w.fringeF*1e6)
	ohm := scatter * w.copper * 1e-6 / (w.aspect * width * width)
	in, out := p.both(p.minimum), p.drain(p.ratio*p.minimum, pChannel, 1, p.rowHeight)+p.drain(p.minimum, nChannel, 1, p.rowHeight)
	drive := float64((p.ohm(p.minimum, nChannel, 1) + p.ohm(p.ratio*p.minimum, pChannel, 1)) / 2)
	made := func(spacing, size float64) repeated {
		swing := float64((float64(size*(in+out)) + float64(spacing*farad)) * p.vdd * p.vdd)
		tau := float64(drive*(in+out)) + float64(drive*farad*spacing/size) + float64(ohm*spacing*out*size) + float64(0.5*ohm*farad*spacing*spacing)
		short := float64(p.vdd * p.minimum * shortCircuit * 1.0986 * size * tau)
		l := p.inverter(p.minimum*size, p.ratio*p.minimum*size)
		return repeated{0.693 * tau / spacing, (swing + short) / spacing, l.channel / spacing, l.gate / spacing, spacing, size, farad}
	}
	fastest := made(math.Sqrt(2*drive*(float64(out)+float64(in))/(ohm*farad)), math.Sqrt(drive*farad/(ohm*in)))
	best, least := fastest, math.Inf(1)
	from := float64(fastest.spacing * 1e6)
	for um := from; um < 4*from; um += 100 {
		for size := fastest.size; size > 1; size-- {
			r := made(um*1e-6, size)
			if cost := r.joule/fastest.joule + r.channel/fastest.channel; r.seconds <= fastest.seconds*(1+slower) && cost < least {
				best, least = r, cost
			}
		}
	}
	return best
}

// cut is how large the inverters of a wire with a length in micrometres are, and how long
// the last of its pieces.
func (r *repeated) cut(um float64) (size, piece float64) {
	if um > r.spacing*1e6 {
		return r.size, float64(r.spacing * 1e6)
	}
	return float64(um / (r.spacing * 1e6) * r.size), um
}

// edge is the time in which the end of a wire of some micrometres rises.
func (p *process) edge(um float64) float64 {
	return p.repeated.seconds * um * 1e-6 * p.repeated.spacing / p.vth
}
