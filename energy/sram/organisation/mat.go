// SPDX-License-Identifier: Apache-2.0

package organisation

import "github.com/warptape/warptape/trace/samefloat"

// side is what a subarray's rows and columns decide of a mat: its cells, and the decoder of rows. All degrees of
// multiplexing share it.
type side struct {
	read, write, all int // ports
	rows, columns    int
	cellW, cellH     float64
	subW, subH       float64 // a subarray
	wordF, bitF      float64 // capacitance of a word line and a bit line
	row              decoder
	rowPre           predecoder
	area, wires      float64 // of decoders; of predecoders
	decoded          decoded
	delay, rise      float64 // of the decoder
	wordReset        float64
	bitRestore       float64
	joule            float64
	leak             leak
}

func newSide(p *process, a *Array, l *layout) *side {
	s := &side{rows: l.rows, columns: l.columns}
	s.read, s.write, s.all = a.ports()
	more := float64(float64(2*p.local.pitch) * float64(s.all-1))
	s.cellW, s.cellH = p.cellWidth+more, p.cellHeight+more
	rows, columns := float64(l.rows), float64(l.columns)
	s.subH = float64(s.cellH * rows)
	s.subW = float64(s.cellW*columns) + float64(float64(l.columns/16)*p.stitch)
	access := float64(cellAccess * p.feature)
	s.wordF = float64((float64(2*p.gate(access)) + float64(s.cellW*p.local.farad)) * columns)
	s.bitF = float64(rows * (float64(p.foldedDrain(access, 1, s.cellW)/2) + float64(s.cellH*p.local.farad)))
	s.row = p.newDecoder(l.rows, false, s.wordF, columns*s.cellW*p.local.ohm, s.cellH)
	along := float64(float64(subarraysOfRow) * rows * s.cellH)
	s.rowPre = p.newPredecoder(l.rows, &s.row, along*p.matWire.farad, along*p.matWire.ohm, subarraysOfMat)
	s.area, s.wires = s.row.area(p), s.rowPre.area(p)
	s.decode(p)
	s.restore(p)
	return s
}

// decode runs the decoder of rows, one in each subarray.
func (s *side) decode(p *process) {
	var joule float64
	s.decoded = s.rowPre.run(p, 0)
	s.delay, s.rise, joule = s.row.run(p, s.decoded.rise)
	s.joule = s.decoded.joule + float64(joule*subarraysOfMat)
	s.leak.add(s.rowPre.leak(p), 1)
	s.leak.add(s.row.leak, float64(s.rows*subarraysOfMat))
}

// restore is the time in which a word line falls and bit lines are charged again.
func (s *side) restore(p *process) {
	columns := float64(s.columns)
	d := p.newDriver(columns*p.gate(float64(2*p.prechargeP)+p.equaliseP), columns*s.cellW*p.matWire.farad, columns*s.cellW*p.matWire.ohm)
	delay, joule, l := p.run(&d)
	s.joule += float64(joule * subarraysOfMat)
	s.leak.add(l, subarraysOfMat)
	s.wordReset = s.decoded.slowest
	if d := &s.row; d.exists {
		i := d.gates - 1
		own := p.drain(d.p[i], pChannel, 1, d.height) + p.drain(d.n[i], nChannel, 1, d.height)
		s.wordReset = half(0, float64(p.ohm(d.n[i], nChannel, 1)*(own+d.load))+float64(d.wire*d.load/2))
	}
	v := p.senseVolt
	ohm := float64(float64(s.rows) * s.cellH * p.local.ohm)
	s.bitRestore = delay + float64(samefloat.Log((p.vdd-float64(0.1*v))/(p.vdd-v))*(float64(p.ohm(p.prechargeP, pChannel, 1)*s.bitF)+float64(ohm*s.bitF/2)))
}

// selector is a decoder of a multiplexer with its predecoder, and what an access of it takes.
type selector struct {
	decoder decoder
	pre     predecoder
	decoded decoded
	delay   float64 // of the decoder
	joule   float64
	leak    leak
	area    float64
}

// newSelector makes a decoder for some outputs that drive a load; degree is how many of them the multiplexer has.
func (p *process) newSelector(outputs, degree int, selectsWay bool, load, ohm, cellHeight float64) (s selector) {
	s.decoder = p.newDecoder(outputs, selectsWay, load, ohm, cellHeight)
	s.pre = p.newPredecoder(outputs, &s.decoder, 0, 0, 1)
	s.decoded = s.pre.run(p, 0)
	var joule float64
	s.delay, _, joule = s.decoder.run(p, s.decoded.rise)
	s.joule = s.decoded.joule + joule
	s.leak = s.pre.leak(p)
	s.leak.add(s.decoder.leak, float64(degree))
	s.area = s.decoder.area(p) + s.pre.area(p)
	return s
}

// mat is two by two subarrays with their decoders in the middle.
type mat struct {
	*side
	column, first, second *selector
	layout
	p *process
}

// selectLines are capacitance and resistance of the lines to the multiplexers of a mat.
func (s *side) selectLines(p *process) (farad, ohm float64) {
	across := float64(subarraysOfRow * float64(s.columns) * s.cellW)
	return float64(across * p.matWire.farad), across * p.matWire.ohm / 2
}

// selectLoad is what a line drives: the gates of multiplexers of some degree, and itself.
func (s *side) selectLoad(p *process, degree int, gates float64) float64 {
	if degree <= 1 {
		return 0
	}
	farad, _ := s.selectLines(p)
	return float64(gates*p.gate(p.muxWidth)) + farad
}

// size computes the width and the height of the mat. They hold the subarrays, the circuits below their columns
// and next to their rows, and the circuits in the middle.
func (m *mat) size() (width, height float64) {
	p, l := m.p, &m.layout
	ports, read := float64(m.all), float64(m.read)
	pitch := p.matWire.pitch
	rowWires := float64(m.rowPre.wires() * pitch * ports)
	decoders := m.area * float64(l.rows) * ports / m.subH
	outputs := float64(l.columns / (l.Columns * l.FirstLevel * l.SecondLevel))
	below := m.columnCircuits() + float64(m.outWireArea()*outputs/m.subW*read)
	selects := 0
	for _, degree := range [...]int{l.Columns, l.FirstLevel, l.SecondLevel} {
		if degree > 1 {
			selects += degree
		}
	}
	wires := float64(float64(l.addressMat+l.selects+(l.inMat+l.outMat)/subarraysOfRow)*pitch*ports) + float64(float64(selects)*pitch*read)
	ways := p.newWaySelector(l.selects, &m.first.decoder)
	middle := ways.area(p) + m.wires + m.column.area + m.first.area + m.second.area
	const high = subarraysOfMat / subarraysOfRow
	height = float64(high*m.subH) + float64(below*high) + wires
	width = float64(subarraysOfRow*m.subW) + max(rowWires, float64(subarraysOfRow*decoders))
	return width + middle*ports/height, height
}

// outWireArea is the area of the inverters in the wire from a subarray's output.
func (m *mat) outWireArea() float64 {
	r := &m.p.repeated
	return float64(m.subW * 1e-6 / r.spacing * m.p.gateArea(1, m.p.ratio*m.p.minimum*r.size, m.p.minimum*r.size, m.p.rowHeight))
}

// columnCircuits is the height of precharge, multiplexers and sense amplifiers.
func (m *mat) columnCircuits() float64 {
	p, l := m.p, &m.layout
	w := m.cellW / float64(m.read)
	h := p.folded(p.prechargeP, w/2) + p.folded(p.equaliseP, w)
	if l.Columns > 1 {
		h += p.folded(p.muxWidth, w/2)
	}
	sense := float64(w * float64(l.Columns))
	h += float64(2*p.folded(p.senseP, sense)) + p.folded(p.isolation, sense) + float64(2*p.folded(p.senseN, sense)) + p.folded(p.senseOn, sense) +
		float64(4*p.betweenAlike) + p.betweenTypes
	if l.FirstLevel > 1 {
		h += p.folded(p.muxWidth, w*float64(l.FirstLevel))
	}
	if l.SecondLevel > 1 {
		h += p.folded(p.muxWidth, w*float64(l.Columns*l.FirstLevel))
		h += float64(2*p.folded(p.ratio*p.minimum, w*float64(l.SecondLevel))) + float64(2*p.folded(p.minimum, w*float64(l.SecondLevel)))
	}
	return h
}
