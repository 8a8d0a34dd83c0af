// SPDX-License-Identifier: Apache-2.0

package cae

import (
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// tracker holds the tags of the registers of all warps of an SM.
type tracker struct {
	set     *counters.Set
	scalars bool // only scalars are tracked
	nothing bool
	rules   *rules
	known   map[*trace.Kernel]*rules // of the kernels met so far
	warps   []tracked
	// decided holds the warps with a next instruction that has been looked at, eligible
	// those with one that an affine unit executes.
	decided, eligible warpset.Set
}

// tracked is one warp.
type tracked struct {
	arrival uint64
	shape   shape
	tags    []tag // by register
	// of the next instruction
	instruction, lanes uint32
	result             tag
}

func newTracker(s *Section, warps int, set *counters.Set) *tracker {
	return &tracker{set: set, scalars: s.Tracks == "scalar", nothing: s.Tracks == "none", known: map[*trace.Kernel]*rules{}, warps: make([]tracked, warps)}
}

// begin readies for a launch: no warp is there, and the kernel is another.
func (t *tracker) begin() { t.rules, t.decided, t.eligible = nil, warpset.Set{}, warpset.Set{} }

func (t *tracker) count(which counters.ID, n int) { t.set[firstCounter+which] += uint64(n) }

// decide looks at the next instruction of warp w, which is unblocked.
func (t *tracker) decide(s sm.SideUnits, w int) {
	t.decided = t.decided.With(w)
	t.eligible = t.eligible.Without(w)
	p := &t.warps[w]
	p.instruction, p.lanes = s.Peek(w)
	if t.nothing {
		return
	}
	if o := s.Origin(w); o.Arrival != p.arrival || t.rules == nil {
		t.start(p, &o)
	}
	if t.look(p) {
		t.eligible = t.eligible.With(w)
	}
}

// look finds the tag that a warp's next instruction gives when all lanes take part,
// and whether an affine unit executes it.
func (t *tracker) look(p *tracked) bool {
	r := &t.rules.list[p.instruction]
	if r.form == formNone {
		p.result = vector
		return false
	}
	var able bool
	p.result, able = r.result(p.sources(r))
	return able && (p.lanes == p.shape.lanes || p.lanes == 0 && r.guard.words > 0 && p.tagOf(&r.guard) == scalar)
}

// start makes a warp one whose registers hold nothing known.
func (t *tracker) start(p *tracked, o *sm.Origin) {
	if t.rules == nil {
		r := t.known[o.Kernel]
		if r == nil {
			r = newRules(o.Kernel)
			t.known[o.Kernel] = r
		}
		t.rules = r
	}
	b := o.Launch.Block
	p.arrival, p.shape = o.Arrival, shapeOf(b.X, b.Y, b.Z, o.Warp)
	p.shape.limit(t.scalars)
	if cap(p.tags) < t.rules.registers {
		p.tags = make([]tag, t.rules.registers)
	}
	p.tags = p.tags[:t.rules.registers]
	clear(p.tags)
}

// sources gives the tags of what an instruction reads.
func (p *tracked) sources(r *rule) [4]tag {
	var t [4]tag
	for i := range r.count {
		t[i] = p.tagOf(&r.sources[i])
	}
	return t
}

func (p *tracked) tagOf(s *source) tag {
	switch s.kind {
	case sourceRegister:
		least := scalar
		for _, x := range p.tags[s.first : s.first+uint16(s.words)] {
			least = min(least, x)
		}
		return least
	case sourceThreadX:
		return p.shape.x
	case sourceThreadY:
		return p.shape.y
	case sourceThreadZ:
		return p.shape.z
	case sourceLane:
		return p.shape.lane
	}
	return s.fixed
}

// toAffineUnit takes the next instruction of warp w, which is eligible, as executed by an
// affine unit.
func (t *tracker) toAffineUnit(w int) {
	t.decided = t.decided.Without(w)
	p := &t.warps[w]
	r := &t.rules.list[p.instruction]
	least, registers := scalar, 0
	for i := range r.count {
		least = min(least, p.tagOf(&r.sources[i]))
		if r.sources[i].kind == sourceRegister {
			registers += int(r.sources[i].words)
		}
	}
	if least == scalar {
		t.count(countScalar, 1)
	} else {
		t.count(countAffine, 1)
	}
	t.count(countRegisterRead, registers)
	if p.lanes == 0 {
		return
	}
	if p.result != vector {
		t.count(countRegisterWrite, len(r.written))
	}
	p.write(r, p.result)
}

// onLanes takes the next instruction of warp w as executed by the lanes, and gives the
// number of registers that they have to expand first.
func (t *tracker) onLanes(w int) (expansions int) {
	t.decided = t.decided.Without(w)
	p := &t.warps[w]
	if t.nothing || p.lanes == 0 {
		return 0
	}
	r := &t.rules.list[p.instruction]
	if p.lanes == p.shape.lanes {
		if p.result != vector {
			t.count(countRegisterWrite, len(r.written))
		}
		p.write(r, p.result)
		return 0
	}
	if r.form != formNone {
		if _, able := r.result(p.sources(r)); able {
			t.count(countDivergent, 1)
		}
	}
	n := p.expand(r)
	t.count(countExpansion, n)
	return n
}

func (p *tracked) write(r *rule, result tag) {
	for _, x := range r.written {
		p.tags[x] = result
	}
}

// expand makes vectors of the affine registers that a divergent instruction reads, and
// of all registers that it writes in some lanes only. All lanes read a scalar as it is.
func (p *tracked) expand(r *rule) int {
	n := 0
	for i := range r.reads {
		s := &r.reads[i]
		if p.tagOf(s) == affine {
			n++
			for x := range uint16(s.words) {
				p.tags[s.first+x] = vector
			}
		}
	}
	for _, x := range r.written {
		if p.tags[x] != vector {
			n++
			p.tags[x] = vector
		}
	}
	return n
}
