// SPDX-License-Identifier: Apache-2.0

package organisation

// built is an organisation with its costs: seconds, joule, watts, micrometres.
type built struct {
	Partition
	width, height  float64
	access, cycle  float64
	beforeOut, out float64 // parts of the access: until a mat's output, and from there
	selected       float64 // until the decoders of multiplexers are done
	read, write    float64
	leak           leak // of one bank
}

// build computes an organisation of data or tags; false, where CACTI has no circuit for it.
func (a *Array) build(m *mat, tags bool) (built, bool) {
	p, s, l := m.p, m.side, &m.layout
	if s.rowPre.fails || m.column.pre.fails || m.first.pre.fails || m.second.pre.fails {
		return built{}, false
	}
	b := built{Partition: l.Partition}
	of := spread{
		width: m.width, height: m.height, across: l.across, down: l.down,
		address: (l.addressMat + l.subbankBits) * m.all, in: l.inBank * m.write, out: l.outBank * m.read,
	}
	address, in, out := p.newTree(&of, of.address, false), p.newTree(&of, of.in, false), p.newTree(&of, of.out, true)
	o := a.banks(in.width, in.height, of)
	toBank, inBank, outBank := p.newTree(&o, of.address, false), p.newTree(&o, of.in, false), p.newTree(&o, of.out, true)
	b.width, b.height = inBank.width, inBank.height
	x := m.access()
	b.time(&x, toBank.delay+address.delay, out.delay+outBank.delay)
	active := float64(l.active)
	b.read = float64(x.read*active) + address.joule + out.joule + toBank.joule + outBank.joule
	b.write = b.read - float64((x.bitRead+x.amplify)*active) + float64(x.bitWrite*active)
	if tags { // CACTI counts the trees of a read for data that are written
		b.write += inBank.joule - outBank.joule + in.joule - out.joule
	}
	b.leak.add(x.leak, float64(l.across*l.down))
	for _, t := range []*tree{&toBank, &inBank, &outBank} {
		b.leak.add(t.leak, 1)
	}
	return b, true
}

// banks spreads the banks: square as far as possible.
func (a *Array) banks(width, height float64, of spread) spread {
	n := log2(a.Banks)
	down := n - n/2
	if height > width {
		down = n / 2
	}
	of.width, of.height, of.down, of.across, of.banks = width, height, 1<<down, a.Banks>>down, true
	return of
}

// time adds up the paths through a mat.
func (b *built) time(x *access, to, from float64) {
	inside := x.rowGate + x.bitLine + x.sense
	b.selected = max(to+x.first.delay+x.firstGate, to+x.second.delay+x.secondGate)
	b.beforeOut = max(to+x.row.delay+inside, to+x.column.delay+x.columnGate+x.sense, b.selected)
	b.out = x.out + from
	b.access = b.beforeOut + b.out
	b.cycle = max(inside+x.wordReset+x.bitRestore, x.row.delay, x.column.delay, x.first.delay, x.second.delay)
}
