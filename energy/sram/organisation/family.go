// SPDX-License-Identifier: Apache-2.0

package organisation

// family are the organisations of equal cuts and sets, which differ in their multiplexers. Most families
// cost too much whatever their multiplexers are, so that no member of them is made.
type family struct {
	layout
	number  int
	bound   built // no member has a shorter access or cycle, or a smaller read
	members []candidate
	made    bool
}

// mostMembers are more members than a family has.
const mostMembers = 1 << 10

// list gives the families that may have members, in CACTI's order.
func (w *workshop) list() (list []family) {
	sets := 0.125
	if !w.tags {
		sets = float64(w.OutBytes) / float64(w.LineBytes)
	}
	for ; sets <= mostSets; sets = float64(sets * 2) {
		for word := 2; word <= mostCuts; word *= 2 {
			for bit := 2; bit <= mostCuts; bit *= 2 {
				l, ok := w.subarray(w.tags, Partition{WordCuts: word, BitCuts: bit, SetsPerRow: sets})
				if !ok || w.fewestActive(&l) > word/2 {
					continue
				}
				if s := w.side(&l); !s.rowPre.fails {
					list = append(list, family{layout: l, number: len(list), bound: w.bound(s, &l)})
				}
			}
		}
	}
	return list
}

// fewestActive bounds the mats of an access from below: one gives no more bits than its columns have.
func (w *workshop) fewestActive(l *layout) int {
	bits := 8 * w.OutBytes
	if w.tags {
		bits = l.tagBits * w.Ways
	}
	return max(bits/(subarraysOfMat*l.columns), 1)
}

// bound computes what all members of a family take, whatever their multiplexers add.
func (w *workshop) bound(s *side, l *layout) (b built) {
	p := w.p
	latch := p.gate(p.senseP + p.senseN)
	x := access{row: s.decoded, rowGate: s.delay, wordReset: s.wordReset, bitRestore: s.bitRestore}
	cell, line := s.bitPath(p)
	x.bitLine = p.swing(float64(cell*(s.bitF+latch))+float64(line*s.bitF/2)+float64(p.ohm(p.isolation, pChannel, 1)*latch), s.rise)
	x.sense = p.senseTime(latch)
	x.out = float64(p.repeated.seconds * s.subW * 1e-6)
	x.read = s.joule + float64(s.bitF*2*p.senseVolt*p.vdd*float64(subarraysOfMat*s.columns))
	t := w.wires(s, l)
	b.time(&x, t.address.delay, t.out.delay)
	b.read = float64(x.read*float64(w.fewestActive(l))) + t.out.joule
	return b
}

// wires are the trees to mats that are as small as their cells, without gates at the forks.
func (w *workshop) wires(s *side, l *layout) (t trees) {
	out := 8 * w.OutBytes
	if w.tags {
		out = w.dataWays()
	}
	across, down := l.WordCuts/2, l.BitCuts/2
	metres := length(float64(float64(2*across)*s.subW), float64(float64(2*down)*s.subH), across, down) * 1e-6
	t.address.delay = float64(w.p.repeated.seconds * metres)
	t.out.delay = t.address.delay
	t.out.joule = float64(w.p.repeated.joule * metres * float64(out*s.read))
	return t
}

// make makes the members of a family, without the trees between their mats.
func (w *workshop) make(f *family) {
	if f.made {
		return
	}
	f.made = true
	t := w.wires(w.side(&f.layout), &f.layout)
	part, n := f.Partition, f.number*mostMembers
	for part.Columns = 1; part.Columns <= min(mostColumns, f.columns); part.Columns *= 2 {
		for part.FirstLevel = 1; part.FirstLevel <= min(mostColumns, f.columns/part.Columns); part.FirstLevel *= 2 {
			for part.SecondLevel = 1; part.SecondLevel <= min(mostColumns, f.columns/part.Columns/part.FirstLevel); part.SecondLevel *= 2 {
				l, ok := w.lay(w.tags, part)
				if !ok {
					continue
				}
				if m, ok := w.mat(&l); ok {
					f.members = append(f.members, candidate{mat: m, costs: w.assembled(&m, &t), number: n + len(f.members)})
				}
			}
		}
	}
}

// candidate is an organisation whose trees may not be made yet.
type candidate struct {
	mat
	number int // in CACTI's order
	// costs without gates at forks, so that with them each is as large or larger, but for slack.
	costs built
	whole bool // costs have the trees
}

// built has all costs of a candidate.
func (w *workshop) built(c *candidate) *built {
	if !c.whole {
		c.costs, c.whole = w.build(&c.mat), true
	}
	return &c.costs
}
