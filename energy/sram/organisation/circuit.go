// SPDX-License-Identifier: Apache-2.0

package organisation

import (
	"math"

	"github.com/warptape/warptape/trace/samefloat"
)

// process is a node with one kind of device: widths in micrometres, farad, ohm, seconds.
type process struct {
	device
	feature               float64 // micrometres
	gatePerUM             float64 // capacitance of a gate, a micrometre of width
	drainEdgeF            float64 // of a drain against the gate, a micrometre of width
	nOhm, pOhm            float64 // resistance of a device one micrometre wide
	local, matWire        line    // lines of a cell; lines of a mat and between mats
	repeated              repeated
	minimum, maximum      float64 // widths of n-channel devices
	rowHeight             float64 // of a row of gates
	muxWidth, isolation   float64
	senseN, senseP        float64
	senseOn, prechargeP   float64
	equaliseP             float64
	senseTransconductance float64
	senseVolt             float64 // swing that a sense amplifier needs
	cellWidth, cellHeight float64 // with one port
	betweenTypes          float64 // gap of p and n diffusion
	betweenAlike, rail    float64
	contact, polyGap      float64 // poly to contact; poly to poly
	stitch                float64 // of a word line, each 16 cells
	threshold             crossing
}

func newProcess(node int, lowPower bool) *process {
	n := nodes[node]
	d := n.performance
	if lowPower {
		d = n.lowPower
	}
	f := float64(node) / 1000
	p := &process{device: d, feature: f}
	overlap := float64(0.2 * d.gateF)
	p.gatePerUM = d.gateF + overlap + float64(3*d.fringeF)
	p.drainEdgeF = float64(2*d.fringeF) + float64(2*overlap)
	p.nOhm = d.resistance * d.vdd / d.onA
	p.pOhm = float64(d.ratio * p.nOhm)
	p.minimum, p.maximum, p.rowHeight = float64(1.5*f), float64(100*f), float64(50*f)
	p.muxWidth, p.isolation = float64(6*p.minimum), float64(12.5*f)
	p.senseN, p.senseP, p.senseOn = float64(3.75*f), float64(7.5*f), float64(5*f)
	p.prechargeP, p.equaliseP = float64(6*d.ratio*p.minimum), float64(d.ratio*p.minimum)
	n1 := float64(d.mobility / 2 * d.oxideF * (p.senseN / d.electricUM) * d.vdsat)
	p.senseTransconductance = n1 + float64(d.gain*n1)
	p.senseVolt = max(0.05*d.vdd, 0.08)
	p.cellWidth = math.Sqrt(cellArea * f * f / cellAspect)
	p.cellHeight = float64(cellAspect * p.cellWidth)
	p.betweenTypes, p.betweenAlike, p.rail = float64(5*f), float64(1.5*f), float64(2*f)
	p.contact, p.polyGap, p.stitch = f, float64(1.5*f), float64(7.5*f)
	p.threshold = newCrossing(d.vth / d.vdd)
	p.local = newLine(&n.wires, localPitch*f)
	p.matWire = newLine(&n.wires, semiGlobalPitch*f)
	p.repeated = p.repeaters(&n.wires)
	return p
}

// gate is the capacitance of a gate.
func (p *process) gate(width float64) float64 { return float64(p.gatePerUM * width) }

// both is the capacitance of an inverter's gates, with the p-channel device that belongs to n.
func (p *process) both(n float64) float64 { return p.gate(n + float64(p.ratio*n)) }

type channel bool

const (
	nChannel channel = true
	pChannel channel = false
)

// drain is the capacitance of the drain of stacked devices in a row of gates with a height.
func (p *process) drain(width float64, c channel, stack int, height float64) float64 {
	share := 1 - 2.0/3
	if c == pChannel {
		share = 2.0 / 3
	}
	return p.foldedDrain(width, stack, share*(height-float64(2*p.rail)-p.betweenTypes))
}

// foldedDrain is the capacitance of the drain of devices that are folded at a width.
func (p *process) foldedDrain(width float64, stack int, fold float64) float64 {
	folds := math.Ceil(width / fold)
	if folds < 2 {
		fold = width
	}
	s := float64(stack - 1)
	contacts := p.feature + float64(2*p.contact)
	across := contacts + float64(s*p.polyGap)
	edge, along, metal := fold, fold+float64(2*fold*s), 0.0
	if folds > 1 {
		across += float64((folds-2)*contacts) + float64((folds-1)*(s*p.polyGap))
		if int64(folds)%2 == 0 {
			edge = 0
		}
		along = float64(along * folds)
		metal = float64(p.local.farad * across)
	}
	return float64(p.junctionF*across*fold) + float64(p.sidewallF*(edge+float64(2*across))) + float64(p.drainEdgeF*along) + metal
}

// ohm is the resistance of devices in series.
func (p *process) ohm(width float64, c channel, stack int) float64 {
	r := p.pOhm
	if c == nChannel {
		r = p.nOhm
	}
	return float64(stack) * r / width
}

// crossing is a threshold of inputs and outputs, with its logarithm.
type crossing struct{ at, log float64 }

func newCrossing(at float64) crossing { return crossing{at, samefloat.Log(at)} }

// delay is that of a gate whose input rises for some time, from the threshold of the input to the same one of
// the output: Horowitz's formula for a time constant.
func (c crossing) delay(input, tau float64) float64 {
	if input == 0 {
		return float64(-tau * c.log)
	}
	return float64(tau * math.Sqrt(float64(c.log*c.log)+float64(input/tau*(1-c.at))))
}

var middle = newCrossing(0.5)

// half is the delay to the middle of the swing.
func half(input, tau float64) float64 { return middle.delay(input, tau) }

// log2 is the number of bits that tell n things apart, rounded down.
func log2(n int) int {
	bits := 0
	for ; n > 1; n >>= 1 {
		bits++
	}
	return bits
}
