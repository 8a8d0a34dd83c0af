// SPDX-License-Identifier: Apache-2.0

package organisation

// compares adds the comparator of tags: three inverters time the evaluation, and a quarter of the tag's bits
// pull a line down. No time of the grid contains its delay.
func (a *access) compares(m *mat) {
	p, ways := m.p, float64(m.waysOfTags)
	f := p.feature
	square := float64(p.vdd * p.vdd)
	widths := [...]struct{ n, p float64 }{{float64(7.5 * f), float64(12.5 * f)}, {float64(15 * f), float64(25 * f)}, {float64(30 * f), float64(50 * f)}, {float64(50 * f), float64(100 * f)}}
	h := p.rowHeight
	own := func(n, pw float64) float64 { return p.drain(pw, pChannel, 1, h) + p.drain(n, nChannel, 1, h) }
	var joule float64
	var l leak
	for i := range 3 {
		farad := p.gate(widths[i+1].n+widths[i+1].p) + own(widths[i].n, widths[i].p)
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
	a.read += joule
	a.leak.add(l, float64(m.outMat*m.read))
}
