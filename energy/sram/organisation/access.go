// SPDX-License-Identifier: Apache-2.0

package organisation

import (
	"math"

	"github.com/warptape/warptape/trace/samefloat"
)

// access is what an access of a mat takes.
type access struct {
	row, column, first, second       decoded // predecoders
	rowGate, columnGate              float64 // delays of decoders
	firstGate, secondGate            float64
	bitLine, sense, out              float64
	wordReset, bitRestore            float64
	read, bitRead, bitWrite, amplify float64 // joule; bit lines and sense amplifiers are parts of a read
	leak                             leak
}

func (m *mat) access() access {
	a := access{
		row: m.side.decoded, rowGate: m.delay, wordReset: m.wordReset, bitRestore: m.bitRestore,
		read: m.joule, leak: m.side.leak,
	}
	a.column, a.columnGate = m.column.decoded, m.column.delay
	a.first, a.firstGate = m.first.decoded, m.first.delay
	a.second, a.secondGate = m.second.decoded, m.second.delay
	for _, s := range [...]*selector{m.column, m.first, m.second} {
		a.read += s.joule
		a.leak.add(s.leak, 1)
	}
	a.bitLines(m, m.rise)
	a.senses(m)
	a.outputs(m)
	if m.tags {
		a.compares(m)
	}
	return a
}

// amplifierF are the capacitances of an amplifier's isolation, latch and multiplexer.
func (m *mat) amplifierF() (isolation, latch, mux float64) {
	p, w := m.p, m.cellW*float64(m.Columns)/float64(m.read)
	latch = p.gate(p.senseP+p.senseN) + p.foldedDrain(p.senseN, 1, w) + p.foldedDrain(p.senseP, 1, w)
	return p.foldedDrain(p.isolation, 1, w), latch, p.foldedDrain(p.muxWidth, 1, w)
}

// bitLines is the time in which a cell moves its bit lines, after a word line that rises in some time.
func (a *access) bitLines(m *mat, rise float64) {
	p := m.p
	iso, latch, mux := m.amplifierF()
	cell, line := m.bitPath(p)
	isoOhm, c := p.ohm(p.isolation, pChannel, 1), m.bitF
	swing := float64(2 * p.senseVolt * p.vdd)
	full := 2 * float64(float64(m.active)*p.vdd*p.vdd) / float64(m.Columns*m.FirstLevel*m.SecondLevel)
	var tau float64
	if m.Columns > 1 {
		b := p.foldedDrain(p.muxWidth, 1, m.cellW/float64(2*m.read))
		after := float64(2*iso) + latch + mux
		tau = float64(cell*(c+float64(2*b)+after)) + float64(line*(float64(c/2)+float64(2*b)+after)) +
			float64(p.ohm(p.muxWidth, nChannel, 1)*(b+after)) + float64(isoOhm*(iso+latch+mux))
		a.bitRead = float64((c+float64(2*b))*swing) + float64(after*swing/float64(m.Columns))
		a.bitWrite = float64(full * (c + float64(2*b)))
	} else {
		tau = float64(cell*(c+iso+latch+mux)) + float64(line*c/2) + float64(isoOhm*(iso+latch+mux))
		a.bitRead = float64((c + float64(2*iso) + latch + mux) * swing)
		a.bitWrite = float64(full * c)
	}
	lines := float64(subarraysOfMat * m.side.columns)
	a.bitRead = float64(a.bitRead * lines)
	a.bitWrite = float64(a.bitWrite * lines)
	a.read += a.bitRead
	a.bitLine = p.swing(tau, rise)
	a.leak.add(m.cells(), float64(m.side.rows)*lines)
}

// bitPath is the resistance of a cell that discharges a bit line, and of the line.
func (s *side) bitPath(p *process) (cell, line float64) {
	cell = p.ohm(cellNMOS*p.feature, nChannel, 1) + p.ohm(cellAccess*p.feature, nChannel, 1)
	return cell, float64(float64(s.rows) * s.cellH * p.local.ohm)
}

// swing is the time in which bit lines with a time constant move as far as amplifiers need.
func (p *process) swing(tau, rise float64) float64 {
	step := float64(tau * samefloat.Log(p.vdd/(p.vdd-p.senseVolt)))
	slope, over := p.vdd/rise, p.vdd-p.vth
	if step <= 0.5*over/slope {
		return math.Sqrt(2 * step * over / slope)
	}
	return step + over/(2*slope)
}

// cells is what one cell leaks.
func (m *mat) cells() leak {
	p := m.p
	l := p.inverter(cellNMOS*p.feature, cellPMOS*p.feature)
	l.channel = float64(l.channel * 2)
	read, write := 0, 1
	if m.all > 1 {
		read = 1
	}
	port := p.pass(cellAccess * p.feature)
	l.channel += float64(port.channel * float64(write))
	l.add(p.readPort(cellAccess*p.feature), float64(read))
	return l
}

// senses is the time and energy of the amplifiers.
func (a *access) senses(m *mat) {
	p := m.p
	iso, latch, mux := m.amplifierF()
	farad := latch + iso + mux
	a.sense = p.senseTime(farad)
	count := float64(m.side.columns / m.Columns * subarraysOfMat)
	a.amplify = float64(farad * p.vdd * p.vdd * count)
	a.read += a.amplify
	a.leak.channel += float64(p.senseOn * p.offA * p.vdd * count * float64(m.read))
}

// senseTime is that of an amplifier with a capacitance.
func (p *process) senseTime(farad float64) float64 {
	return float64(farad / p.senseTransconductance * samefloat.Log(p.vdd/p.senseVolt))
}

// outputs is the way from the amplifiers through two levels of multiplexers to the mat's edge.
func (a *access) outputs(m *mat) {
	p, l := m.p, &m.layout
	w := m.cellW * float64(l.Columns) / float64(m.read)
	smallest := p.both(p.minimum)
	own := p.drain(p.minimum, nChannel, 1, p.rowHeight) + p.drain(p.ratio*p.minimum, pChannel, 1, p.rowHeight)
	first := p.foldedDrain(p.muxWidth, 1, w)
	second := p.foldedDrain(p.muxWidth, 1, w*float64(l.FirstLevel))
	r := &p.repeated
	wire := p.gate(r.size * (m.subW * 1e-6 / r.spacing) * p.minimum * (1 + p.ratio))
	rise, joule := 0.0, 0.0
	for _, s := range [...]struct{ width, farad float64 }{
		{p.muxWidth, float64(float64(l.FirstLevel)*first) + smallest},
		{p.minimum, own + smallest},
		{p.minimum, own + second},
		{p.muxWidth, float64(float64(l.SecondLevel)*second) + wire},
	} {
		d := half(rise, p.ohm(s.width, nChannel, 1)*s.farad)
		a.out += d
		rise = d / 0.5
		joule += float64(s.farad * 0.5 * p.vdd * p.vdd)
	}
	metres := float64(m.subW * 1e-6)
	a.out += float64(r.seconds * metres)
	a.read += float64((joule + float64(r.joule*metres)) * float64(l.outMat))
	one := p.inverter(p.minimum, p.ratio*p.minimum).times(2)
	one.gate += float64(2 * p.pass(p.muxWidth).gate)
	one.add(leak{r.channel, r.gate}, metres)
	a.leak.add(one, float64(l.columns/l.Columns/(l.FirstLevel*l.SecondLevel)*subarraysOfMat*m.read))
}
