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

// trees lead from the port to the banks, and in a bank to its mats.
type trees struct {
	address, in, out        tree
	toBank, inBank, outBank tree
}

// build computes all costs of an organisation.
func (w *workshop) build(m *mat) built {
	p, l := w.p, &m.layout
	of := spread{
		across: l.across, down: l.down,
		address: (l.addressMat + l.subbankBits) * m.all, in: l.inBank * m.write, out: l.outBank * m.read,
	}
	of.width, of.height = m.size()
	t := trees{address: p.newTree(&of, of.address, false), in: p.newTree(&of, of.in, false), out: p.newTree(&of, of.out, true)}
	o := w.banks(t.in.width, t.in.height, of)
	t.toBank, t.inBank, t.outBank = p.newTree(&o, of.address, false), p.newTree(&o, of.in, false), p.newTree(&o, of.out, true)
	return w.assembled(m, &t)
}

// assembled adds up what mats and trees cost.
func (w *workshop) assembled(m *mat, t *trees) built {
	b := built{Partition: m.Partition, width: t.inBank.width, height: t.inBank.height}
	x := m.access()
	b.time(&x, t.toBank.delay+t.address.delay, t.out.delay+t.outBank.delay)
	active := float64(m.active)
	b.read = float64(x.read*active) + t.address.joule + t.out.joule + t.toBank.joule + t.outBank.joule
	b.write = b.read - float64((x.bitRead+x.amplify)*active) + float64(x.bitWrite*active)
	if w.tags { // CACTI counts the trees of a read for data that are written
		b.write += t.inBank.joule - t.outBank.joule + t.in.joule - t.out.joule
	}
	b.leak.add(x.leak, float64(m.across*m.down))
	for _, t := range []*tree{&t.toBank, &t.inBank, &t.outBank} {
		b.leak.add(t.leak, 1)
	}
	return b
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
