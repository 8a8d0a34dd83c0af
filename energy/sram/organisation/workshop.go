// SPDX-License-Identifier: Apache-2.0

package organisation

// workshop makes the mats of one array. Many organisations have equal parts, which are made once: the
// subarrays of equal rows and columns, and the selectors of equal loads.
type workshop struct {
	*Array
	p         *process
	tags      bool
	sides     map[[2]int]*side
	selectors map[selectorKey]*selector
	families  []family
}

// selectorKey is what the selectors of one array differ in: outputs, degree, whether they select a way, and the load.
type selectorKey struct {
	outputs, degree int
	selectsWay      bool
	load, ohm       float64
}

func newWorkshop(a *Array, p *process, tags bool) *workshop {
	return &workshop{Array: a, p: p, tags: tags, sides: map[[2]int]*side{}, selectors: map[selectorKey]*selector{}}
}

// mat makes the mat of a layout; false, where CACTI has no circuit for it.
func (w *workshop) mat(l *layout) (mat, bool) {
	m := mat{side: w.side(l), layout: *l, p: w.p}
	if m.rowPre.fails {
		return m, false
	}
	amplifiers := float64(subarraysOfMat * (l.columns / l.Columns))
	m.column = w.selector(&m, l.Columns, l.Columns, false, float64(2*subarraysOfMat*m.side.columns/l.Columns))
	m.first = w.selector(&m, l.senseAddresses, l.FirstLevel, l.selects > 0, amplifiers/float64(l.FirstLevel))
	m.second = w.selector(&m, l.SecondLevel, l.SecondLevel, false, amplifiers/float64(l.FirstLevel*l.SecondLevel))
	return m, !m.column.pre.fails && !m.first.pre.fails && !m.second.pre.fails
}

func (w *workshop) side(l *layout) *side {
	key := [2]int{l.rows, l.columns}
	s := w.sides[key]
	if s == nil {
		s = newSide(w.p, w.Array, l)
		w.sides[key] = s
	}
	return s
}

// selector is the decoder of a multiplexer of some degree. Each of its lines drives gates.
func (w *workshop) selector(m *mat, outputs, degree int, selectsWay bool, gates float64) *selector {
	_, ohm := m.selectLines(w.p)
	key := selectorKey{outputs, degree, selectsWay, m.selectLoad(w.p, degree, gates), ohm}
	s := w.selectors[key]
	if s == nil {
		made := w.p.newSelector(outputs, degree, selectsWay, key.load, ohm, m.cellH)
		s = &made
		w.selectors[key] = s
	}
	return s
}
