// SPDX-License-Identifier: Apache-2.0

package organisation

import (
	"math"

	"github.com/warptape/warptape/trace/samefloat"
)

// Thresholds of the comparator's gates, relative to the supply (CACTI 1, Wilton and Jouppi).
const (
	compareThreshold  = 0.437
	evaluateThreshold = 0.452
	muxThreshold      = 0.548
)

// compares is the comparator of tags: three inverters time the evaluation, and a quarter of the tag's bits
// pull a line down.
func (a *access) compares(m *mat) {
	p, ways := m.p, float64(m.waysOfTags)
	f := p.feature
	square := float64(p.vdd * p.vdd)
	widths := [...]struct{ n, p float64 }{{float64(7.5 * f), float64(12.5 * f)}, {float64(15 * f), float64(25 * f)}, {float64(30 * f), float64(50 * f)}, {float64(50 * f), float64(100 * f)}}
	h := p.rowHeight
	own := func(n, pw float64) float64 { return p.drain(pw, pChannel, 1, h) + p.drain(n, nChannel, 1, h) }
	var joule, rise float64
	var l leak
	for i := range 3 {
		farad := p.gate(widths[i+1].n+widths[i+1].p) + own(widths[i].n, widths[i].p)
		var d float64
		switch i {
		case 0:
			d = falling(0, p.ohm(widths[i].p, pChannel, 1)*farad, compareThreshold, compareThreshold)
			rise = d / compareThreshold
		case 1:
			d = rising(rise, p.ohm(widths[i].n, nChannel, 1)*farad, compareThreshold, compareThreshold)
			rise = d / (1 - compareThreshold)
		case 2:
			d = falling(rise, p.ohm(widths[i].p, pChannel, 1)*farad, compareThreshold, evaluateThreshold)
			rise = d / evaluateThreshold
		}
		a.compare += d
		joule += float64(0.5 * farad * square * 4 * ways)
		l.add(p.inverter(widths[i].n, widths[i].p), 4*ways)
	}
	width, pull := float64(12.5*f), float64(37.5*f)
	evaluate := widths[3]
	bits := float64(float64(m.tagBits/4) * (p.drain(width, nChannel, 1, h) + p.drain(width, nChannel, 2, h)))
	c2 := bits + own(evaluate.n, evaluate.p)
	c1 := bits + p.drain(pull, pChannel, 1, h)
	joule += float64(0.5*c2*square*4*ways) + float64(c1*square*(ways-1))
	l.add(p.inverter(evaluate.n, evaluate.p), 4*ways)
	l.add(p.inverter(width, width), 4*ways)
	r1, r2 := p.ohm(width, nChannel, 2), p.ohm(evaluate.n, nChannel, 1)
	step := float64((float64(r2*c2) + float64((r1+r2)*c1)) * samefloat.Log(1/muxThreshold))
	a.compare += p.evaluation(step, p.vdd/rise)
	a.read += joule
	a.leak.add(l, float64(m.outMat*m.read))
}

// evaluation is the time until a line with a time constant falls, after an input of some slope.
func (p *process) evaluation(step, slope float64) float64 {
	over, at := p.vdd-p.vth, float64(p.vdd*evaluateThreshold)-p.vth
	if step > 0.5*over/slope {
		return step + (p.vdd+p.vth)/(2*slope) - float64(p.vdd*evaluateThreshold)/slope
	}
	b := float64(2 * at)
	c := float64(-2*step*over) + float64(1/slope*at*at)
	return (-b + math.Sqrt(float64(b*b)-float64(4*slope*c))) / (2 * slope)
}
