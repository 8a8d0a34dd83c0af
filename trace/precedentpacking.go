package trace

// packLike is choosePacking that takes over the packing of the precedent that the
// stream follows, if its codes are like there.
func (e *chunkEncoder) packLike(c *rawChunk, s *accessEncoder, now *precedent) lanePacking {
	z := &e.lanes
	n := float64(len(z.classes))
	classes, open := z.classBits(), z.countOpen()
	if now.lanes > 0 && now.packs(len(z.classes), classes/n, open/n) {
		if p, ok := e.takePacking(c, s, now, classes, open); ok {
			return p
		}
	}
	now.packing = e.choosePacking(c, s, now.choice, classes, open)
	now.lanes, now.classes, now.open = len(z.classes), classes/n, open/n
	return now.packing
}

// packs reports whether so many codes, which take so much, are like those of the
// precedent.
func (p *precedent) packs(lanes int, classes, open float64) bool {
	const slack = 0.02 // bits
	return !usesTable(p.choice.model) && !longer(lanes, p.lanes) && !longer(p.lanes, lanes) &&
		similar(classes, p.classes, similarPacking, slack) && similar(open, p.open, similarPacking, slack)
}

// takePacking counts what the precedent's packing needs, unless the chunk has too many
// tables for it.
func (e *chunkEncoder) takePacking(c *rawChunk, s *accessEncoder, p *precedent, classes, open float64) (lanePacking, bool) {
	z, w, end := &e.lanes, &e.lanes.symbols, len(e.lanes.counted.used())
	like := p.packing
	if like.plain {
		like.bits *= float64(len(z.classes)) / float64(p.lanes)
		return like, true
	}
	if like.bits = classes; like.context != contextNone {
		e.setContexts(c, s, p.choice, like.context, len(s.runs))
		like.classTables, like.bits = w.countContexts(like.context, z.classes, end)
	} else if like.listed() {
		e.noContext()
	}
	if like.openCoded {
		var bits float64
		like.nibbleTables, bits = w.countNibbles(z.codes, z.classes, end)
		like.bits += bits
	} else {
		like.bits += open
	}
	return like, e.used.classes+like.classTables <= maxClassTables && e.used.nibbles+like.nibbleTables <= maxNibbleTables
}
