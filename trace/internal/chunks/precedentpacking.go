// SPDX-License-Identifier: Apache-2.0

package chunks

import "github.com/warptape/warptape/trace/internal/lanecode"

// packLike is choosePacking that takes over the packing of the precedent that the
// stream follows, if its codes are like there.
func (e *Encoder) packLike(c *Raw, s *accessEncoder, now *precedent) lanePacking {
	z := &e.lanes
	n := float64(len(z.Classes))
	classes, open := z.ClassBits(), z.CountOpen()
	if now.lanes > 0 && now.packs(len(z.Classes), classes/n, open/n) {
		if p, ok := e.takePacking(c, s, now, classes, open); ok {
			return p
		}
	}
	now.packing = e.choosePacking(c, s, now.choice, classes, open)
	now.lanes, now.classes, now.open = len(z.Classes), classes/n, open/n
	return now.packing
}

// packs reports whether so many codes, which take so much, are like those of the
// precedent.
func (p *precedent) packs(lanes int, classes, open float64) bool {
	const slack = 0.02 // bits
	return !lanecode.UsesTable(p.choice.Model) && !longer(lanes, p.lanes) && !longer(p.lanes, lanes) &&
		similar(classes, p.classes, similarPacking, slack) && similar(open, p.open, similarPacking, slack)
}

// takePacking counts what the precedent's packing needs, unless the chunk has too many
// tables for it.
func (e *Encoder) takePacking(c *Raw, s *accessEncoder, p *precedent, classes, open float64) (lanePacking, bool) {
	z, w, end := &e.lanes, &e.lanes.Symbols, len(e.lanes.Counted.Used())
	like := p.packing
	if like.plain {
		like.bits *= float64(len(z.Classes)) / float64(p.lanes)
		return like, true
	}
	if like.bits = classes; like.context != lanecode.ContextNone {
		e.setContexts(c, s, p.choice, like.context, len(s.runs))
		like.classTables, like.bits = w.CountContexts(like.context, z.Classes, end)
	} else if like.listed() {
		e.noContext()
	}
	if like.openCoded {
		var bits float64
		like.nibbleTables, bits = w.CountNibbles(z.Codes, z.Classes, end)
		like.bits += bits
	} else {
		like.bits += open
	}
	return like, e.used.classes+like.classTables <= lanecode.MaxClassTables && e.used.nibbles+like.nibbleTables <= lanecode.MaxNibbleTables
}
