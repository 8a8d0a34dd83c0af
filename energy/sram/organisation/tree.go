// SPDX-License-Identifier: Apache-2.0

package organisation

// tree is an H-tree to mats of a bank, or to banks. Lengths are in micrometres.
type tree struct {
	width, height float64
	delay, joule  float64 // joule of all its bits
	leak          leak    // of the wires alone: CACTI counts leakage only for trees to banks, which have no gates
}

// spread is what trees of one bank have in common: sizes and numbers of what they lead to, and the bits
// of all three trees, for which there is room.
type spread struct {
	width, height    float64
	across, down     int
	address, in, out int
	banks            bool // leads to banks, not to mats
}

// size gives the extents of the whole.
func (s *spread) size(pitch float64) (width, height float64) {
	h, v := float64(log2(s.across)), float64(log2(s.down))
	wide, high := float64(s.width*float64(s.across)), float64(s.height*float64(s.down))
	address, data := float64(float64(s.address)*pitch), float64(float64(s.in+s.out)*pitch)
	if s.banks {
		all := address + data
		return wide + float64(2*all*(1-power(0.5, int(v)))), high + float64(2*all*(1-power(0.5, int(h))))
	}
	switch across, down := float64(s.across-1), float64(s.down-1); {
	case s.across == s.down:
		return wide + float64(address*across) + float64(data*v), high + float64(address*down) + float64(data*h)
	case s.across > s.down:
		n := int(h - v)
		return wide + float64(address*across) + float64(data*v),
			high + float64(address*(down+h-v)) + float64(data*(float64(2*(1-power(0.5, n)))+float64(power(2, n)*v)))
	default:
		n := int(v - h)
		return wide + float64(address*(across+v-h)) + float64(data*(h+float64(2*(1-power(0.5, n))))), high + float64(address*(across+v-h)) + float64(data*h)
	}
}

// branches are how often a tree still forks in both directions, and the lengths of its next wires. before
// are the lengths at the last fork.
type branches struct {
	h, v         int
	wide, high   float64
	beforeW      float64
	beforeH      float64
	first, after float64
	both         bool
}

// next takes one fork, or one in each direction.
func (b *branches) next() {
	b.both = false
	switch {
	case b.h > b.v:
		b.first, b.after, b.beforeW = b.wide, b.wide/2, b.wide
		b.wide /= 2
		b.h--
	case b.h > 0:
		b.first, b.after, b.beforeW, b.beforeH, b.both = b.wide, b.high, b.wide, b.high, true
		b.wide, b.high = b.wide/2, b.high/2
		b.h--
		b.v--
	default:
		b.first, b.after, b.beforeH = b.high, b.high/2, b.high
		b.high /= 2
		b.v--
	}
}

func newBranches(width, height float64, across, down int) branches {
	return branches{h: log2(across), v: log2(down), wide: width / 2, high: height / 4, beforeW: width / 2, beforeH: height / 2}
}

// length is that of the wires from the port of a tree to one of its ends.
func length(width, height float64, across, down int) (um float64) {
	b := newBranches(width, height, across, down)
	for b.v > 0 || b.h > 0 {
		b.next()
		um += b.first
		if b.both {
			um += b.after
		}
	}
	return um
}

// newTree lays a tree for some bits; those that leave have buffers at the forks, others gates.
func (p *process) newTree(s *spread, bits int, leaves bool) tree {
	var t tree
	t.width, t.height = s.size(p.matWire.pitch)
	b := newBranches(t.width, t.height, s.across, s.down)
	at := t.fork
	if leaves {
		at = t.buffer
	}
	for b.v > 0 || b.h > 0 {
		b.next()
		t.wire(p, b.first, float64(bits))
		if !s.banks {
			size, piece := p.repeated.cut(b.beforeW)
			at(p, size, p.sizeBehind(&b), piece)
		}
		if !b.both {
			continue
		}
		t.wire(p, b.after, float64(2*bits)) // twice as many wires leak as one bit uses
		if !s.banks {
			piece := min(b.beforeH, p.repeated.spacing*1e6)
			at(p, p.sizeBehind(&b), p.sizeBehind(&b), piece)
		}
	}
	t.joule = float64(t.joule * float64(bits))
	return t
}

// sizeBehind is the size of the inverters behind a fork. CACTI compares the height and then divides the width.
func (p *process) sizeBehind(b *branches) float64 {
	if b.beforeH > p.repeated.spacing*1e6 {
		return p.repeated.size
	}
	return float64(b.beforeW / (p.repeated.spacing * 1e6) * p.repeated.size)
}

func (t *tree) wire(p *process, um, lanes float64) {
	m := float64(um * 1e-6)
	t.delay += float64(p.repeated.seconds * m)
	t.joule += float64(p.repeated.joule * m)
	t.leak.add(leak{p.repeated.channel, p.repeated.gate}, m*lanes)
}

// fork is a NAND gate that lets a signal into one half: sizes of the inverters before and behind it,
// and the length of the wire before it.
func (t *tree) fork(p *process, before, behind, piece float64) {
	n := max(before*(1+p.ratio)/(2+p.ratio), 1)
	h, next := p.rowHeight, float64(2*p.gate(behind*(p.minimum+float64(p.ratio*p.minimum))))
	drain := p.drain(n*p.minimum, nChannel, 1, h)
	tau := float64(2 * p.ohm(n*p.minimum, nChannel, 1) * (float64(2*drain) + next))
	t.delay += p.threshold.delay(p.edge(piece), tau)
	t.joule += float64(0.5 * (float64(2*p.drain(p.ratio*n*p.ratio*p.minimum, pChannel, 1, h)) + drain + next) * p.vdd * p.vdd)
}

// buffer is a buffer with three states, by which one half sends: a NAND and a NOR gate before two large devices.
func (t *tree) buffer(p *process, before, behind, piece float64) {
	n, pw := p.minimum, float64(p.ratio*p.minimum)
	h := p.rowHeight
	size := before * (1 + p.ratio) / (3 + float64(3*p.ratio))
	next := p.gate(behind * (n + pw))
	effort := (next + float64(p.repeated.farad*piece*1e-6)) / next
	out := p.gate(before*(n+pw)) / 2 / (effort * p.gate(pw))
	size = max(size, 1)
	gateN, gateP := p.drain(size*n, nChannel, 1, h), p.drain(size*pw, pChannel, 1, h)
	outF := float64(2 * (p.drain(out*pw, pChannel, 1, h) + p.drain(out*n, nChannel, 1, h)))
	nor, pass := float64(2*p.ohm(size*pw, pChannel, 1)), p.ohm(out*n, nChannel, 1)
	nand := gateN + float64(2*gateP) + p.gate(out*pw)
	end := outF + p.gate(before*(n+pw))
	t.delay += p.threshold.delay(p.edge(piece), float64(nor*nand)+float64((nor+pass)*end))
	moved := nand + (gateP + gateN + p.gate(size*(n+pw))) + (gateP + float64(2*gateN) + p.gate(out*(n+pw))) + end
	t.joule += float64(0.5 * moved * p.vdd * p.vdd)
}
