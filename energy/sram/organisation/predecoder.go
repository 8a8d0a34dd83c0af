// SPDX-License-Identifier: Apache-2.0

package organisation

// shape lists the gates of the block for some address bits. Its first level has NAND gates of two
// inputs, of three, or of both kinds; behind them may be a second level.
type shape struct {
	first  [2]bool // there are gates of two inputs; of three
	second int     // inputs of a gate of the second level, 0: there is none
	fans   [2]int  // gates of the second level behind one of the first
	count  [2]int  // gates of the first level
	last   int     // gates of the second level
	active [2]int  // gates of the first level that switch in an access
	lines  [2]int  // drivers of address bits
	drives [2]int  // gates that one drives
}

// shapes are those of CACTI for one to nine bits.
var shapes = [...]shape{
	1: {first: [2]bool{true, false}, fans: [2]int{1, 1}, count: [2]int{2, 0}, active: [2]int{1, 0}, lines: [2]int{1, 0}, drives: [2]int{2, 0}},
	2: {first: [2]bool{true, false}, fans: [2]int{1, 1}, count: [2]int{4, 0}, active: [2]int{1, 0}, lines: [2]int{2, 0}, drives: [2]int{4, 0}},
	3: {first: [2]bool{false, true}, fans: [2]int{1, 1}, count: [2]int{0, 8}, active: [2]int{0, 1}, lines: [2]int{0, 3}, drives: [2]int{0, 8}},
	4: {first: [2]bool{true, false}, second: 2, fans: [2]int{4, 1}, count: [2]int{8, 0}, last: 16, active: [2]int{2, 0}, lines: [2]int{4, 0}, drives: [2]int{4, 0}},
	5: {first: [2]bool{true, true}, second: 2, fans: [2]int{8, 4}, count: [2]int{4, 8}, last: 32, active: [2]int{1, 1}, lines: [2]int{2, 3}, drives: [2]int{4, 8}},
	6: {first: [2]bool{false, true}, second: 2, fans: [2]int{1, 8}, count: [2]int{0, 16}, last: 64, active: [2]int{0, 2}, lines: [2]int{0, 6}, drives: [2]int{0, 8}},
	7: {first: [2]bool{true, true}, second: 3, fans: [2]int{32, 16}, count: [2]int{8, 8}, last: 128, active: [2]int{2, 1}, lines: [2]int{4, 3}, drives: [2]int{4, 8}},
	8: {first: [2]bool{true, true}, second: 3, fans: [2]int{64, 32}, count: [2]int{4, 16}, last: 256, active: [2]int{2, 2}, lines: [2]int{2, 6}, drives: [2]int{4, 8}},
	9: {first: [2]bool{false, true}, second: 3, fans: [2]int{1, 64}, count: [2]int{0, 24}, last: 512, active: [2]int{0, 3}, lines: [2]int{0, 9}, drives: [2]int{0, 8}},
}

// inputsOf is how many inputs the gates of a path have.
var inputsOf = [2]int{2, 3}

// block decodes some address bits and drives the gates of decoders; before it are drivers
// of its address bits.
type block struct {
	bits       int
	shape      *shape
	load, wire float64
	first      [2]chain
	second     chain
	drivers    [2]chain
	driverLoad [2]float64
}

// predecoder is no, one or two blocks before a decoder.
type predecoder struct {
	blocks []block
	fails  bool // more bits than CACTI has circuits for
}

// newPredecoder makes the blocks for outputs of a decoder: wires have a capacitance and a resistance,
// and one output drives the gates of some decoders.
func (p *process) newPredecoder(outputs int, d *decoder, farad, ohm float64, decoders int) (r predecoder) {
	bits := log2(outputs)
	a, b := (bits+1)/2, bits-(bits+1)/2
	switch {
	case bits <= 0:
		return r
	case bits < 4:
		r.blocks = make([]block, 1)
		r.blocks[0].make(p, bits, d.load, d.wire)
		return r
	case a >= len(shapes):
		r.fails = true
		return r
	}
	gate := float64(float64(decoders) * d.in(p))
	r.blocks = make([]block, 2)
	r.blocks[0].make(p, a, float64(float64(int(1)<<b)*gate)+farad, ohm)
	r.blocks[1].make(p, b, float64(float64(int(1)<<a)*gate)+farad, ohm)
	return r
}

func (b *block) make(p *process, bits int, load, wire float64) {
	b.bits, b.shape, b.load, b.wire = bits, &shapes[bits], load, wire
	if b.shape.second > 0 {
		b.second = p.newNAND(b.shape.second, load)
	}
	for k := range 2 {
		if !b.shape.first[k] {
			continue
		}
		b.first[k] = p.newNAND(inputsOf[k], b.behind(p, k))
		b.driverLoad[k] = float64(float64(b.shape.drives[k]) * b.first[k].in(p))
		b.drivers[k] = p.newChain(p.minimum, p.ratio*p.minimum, 1, b.driverLoad[k])
	}
}

// behind is the load of a gate of the first level.
func (b *block) behind(p *process, k int) float64 {
	if b.shape.second == 0 {
		return b.load
	}
	return float64(float64(b.shape.fans[k]) * (p.gate(b.second.n[0]) + p.gate(b.second.p[0])))
}

// result is what happens in a block: delay and rise time by path, energies of one
// driver, of one gate of the first level, and of the second level.
type result struct {
	delay, rise  [2]float64
	driver, gate [2]float64
	second       float64
}

func (b *block) run(p *process, rise float64) (r result) {
	var edge [2]float64
	square := float64(p.vdd * p.vdd)
	for k := range 2 {
		if !b.shape.first[k] {
			continue
		}
		d, e, f := p.through(&b.drivers[k], 1, b.driverLoad[k], 0, p.rowHeight, rise)
		r.driver[k] = float64(f * 0.5 * square)
		wire := 0.0
		if b.shape.second == 0 {
			wire = b.wire * b.load / 2
		}
		g, e, f := p.through(&b.first[k], inputsOf[k], b.behind(p, k), wire, p.rowHeight, e)
		r.delay[k], edge[k], r.gate[k] = d+g, e, float64(f*square)
		if b.shape.second == 0 {
			r.rise[k] = e
		}
	}
	if b.shape.second > 0 {
		b.runSecond(p, &r, edge)
	}
	return r
}

// runSecond passes both paths through the second level. Its first gate delays the path
// whose gates have as many inputs.
func (b *block) runSecond(p *process, r *result, edge [2]float64) {
	farad := 0.0
	for i := range b.second.gates {
		load, wire := b.load, b.wire*b.load/2
		if i < b.second.gates-1 {
			load, wire = p.gate(b.second.n[i+1]+b.second.p[i+1]), 0
		}
		for k := range 2 {
			if i == 0 && inputsOf[k] != b.shape.second {
				continue
			}
			d, f := p.stage(&b.second, i, b.shape.second, load, wire, p.rowHeight, edge[k])
			r.delay[k] += d
			edge[k] = d / 0.5
			if k == 0 || i == 0 {
				farad += f
			}
		}
	}
	r.rise, r.second = edge, float64(farad*p.vdd*p.vdd)
}

func (b *block) area(p *process) (a float64) {
	for k, inputs := range inputsOf {
		if !b.shape.first[k] {
			continue
		}
		g := p.area(&b.first[k], inputs, p.rowHeight)
		if k == 1 && b.shape.first[0] {
			g -= p.gateArea(inputs, b.first[k].p[0], b.first[k].n[0], p.rowHeight) // CACTI counts no area for them where there are gates of two inputs
		}
		a += float64(g * float64(b.shape.count[k]))
		a += float64(p.area(&b.drivers[k], 1, p.rowHeight) * float64(b.shape.lines[k]))
	}
	if b.shape.second > 0 {
		a += float64(p.area(&b.second, b.shape.second, p.rowHeight) * float64(b.shape.last))
	}
	return a
}

func (b *block) leak(p *process) (l leak) {
	for k, inputs := range inputsOf {
		if !b.shape.first[k] {
			continue
		}
		c, count := &b.first[k], float64(b.shape.count[k])
		if k == 0 || !b.shape.first[0] {
			l.add(p.nand(c.n[0], c.p[0], inputs), count)
		}
		for i := 1; i < c.gates; i++ {
			l.add(p.nand(c.n[i], c.p[i], inputs), count) // inverters, counted as gates
		}
		for i := range b.drivers[k].gates {
			l.add(p.inverter(b.drivers[k].n[i], b.drivers[k].p[i]), float64(b.shape.lines[k]))
		}
	}
	if b.shape.second > 0 {
		l.add(p.nand(b.second.n[0], b.second.p[0], b.shape.second), float64(b.shape.last))
		for i := 1; i < b.second.gates; i++ {
			l.add(p.inverter(b.second.n[i], b.second.p[i]), float64(b.shape.last))
		}
	}
	return l
}

// decoded is the slowest path through a predecoder, and the energy of an access.
type decoded struct {
	delay, rise, joule float64
	slowest            float64 // the longest rise time at the end of a block
}

func (r *predecoder) run(p *process, rise float64) decoded {
	var d decoded
	for i := range r.blocks {
		active := r.blocks[0].shape.active // of both blocks, as CACTI has it
		b := &r.blocks[i]
		o := b.run(p, rise)
		for k := range 2 {
			if (i == 0 && k == 0) || o.delay[k] > d.delay {
				d.delay, d.rise = o.delay[k], o.rise[k]
			}
			d.slowest = max(d.slowest, o.rise[k])
			d.joule += float64(float64(b.shape.lines[k])*o.driver[k]) + float64(o.gate[k]*float64(active[k]))
		}
		d.joule += o.second
	}
	return d
}

func (r *predecoder) area(p *process) (a float64) {
	for i := range r.blocks {
		a += r.blocks[i].area(p)
	}
	return a
}

func (r *predecoder) leak(p *process) (l leak) {
	for i := range r.blocks {
		l.add(r.blocks[i].leak(p), 1)
	}
	return l
}

// wires are the lines that a predecoder sends to its decoders; a block that is missing counts as one.
func (r *predecoder) wires() float64 {
	n := 2 - float64(len(r.blocks))
	for i := range r.blocks {
		n += float64(int(1) << r.blocks[i].bits)
	}
	return n
}

// waySelector are the drivers of the signals that select a way at a decoder.
type waySelector struct {
	chain
	lines int
}

func (p *process) newWaySelector(signals int, d *decoder) waySelector {
	if signals <= 1 || !d.exists {
		return waySelector{}
	}
	return waySelector{p.newChain(p.minimum, p.ratio*p.minimum, 1, d.in(p)), signals}
}

func (s *waySelector) area(p *process) float64 {
	if s.lines == 0 {
		return 0
	}
	return float64(p.area(&s.chain, 1, p.rowHeight) * float64(s.lines))
}
