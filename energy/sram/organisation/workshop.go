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

// candidates makes all organisations without the trees between their mats, in CACTI's order.
func (w *workshop) candidates() []candidate {
	sets := 0.125
	if !w.tags {
		sets = float64(w.OutBytes) / float64(w.LineBytes)
	}
	var list []candidate
	for ; sets <= mostSets; sets = float64(sets * 2) {
		for word := 2; word <= mostCuts; word *= 2 {
			for bit := 2; bit <= mostCuts; bit *= 2 {
				part := Partition{WordCuts: word, BitCuts: bit, SetsPerRow: sets}
				if l, ok := w.subarray(w.tags, part); ok {
					list = w.multiplexed(&l, list)
				}
			}
		}
	}
	return list
}

// multiplexed adds the organisations of a subarray with all degrees of multiplexers.
func (w *workshop) multiplexed(of *layout, list []candidate) []candidate {
	part := of.Partition
	for part.Columns = 1; part.Columns <= min(mostColumns, of.columns); part.Columns *= 2 {
		for part.FirstLevel = 1; part.FirstLevel <= min(mostColumns, of.columns/part.Columns); part.FirstLevel *= 2 {
			for part.SecondLevel = 1; part.SecondLevel <= min(mostColumns, of.columns/part.Columns/part.FirstLevel); part.SecondLevel *= 2 {
				l, ok := w.lay(w.tags, part)
				if !ok {
					continue
				}
				if m, ok := w.mat(&l); ok {
					list = append(list, candidate{mat: m, least: w.assembled(&m, &trees{})})
				}
			}
		}
	}
	return list
}

// candidate is an organisation whose trees may not be made yet.
type candidate struct {
	mat
	// least has the costs without trees between mats, so that with them each is as large or larger.
	least built
	whole bool // least has the trees
}

// built has all costs of a candidate.
func (w *workshop) built(c *candidate) *built {
	if !c.whole {
		c.least, c.whole = w.build(&c.mat), true
	}
	return &c.least
}
