package trace

// lanePacking says how codes are stored.
type lanePacking struct {
	plain     bool // classes one byte each, for the compressor
	context   int
	openCoded bool
	bits      float64 // about what it takes

	classTables, nibbleTables int
}

// listed reports whether the codes become lane_symbols.
func (p *lanePacking) listed() bool { return p.context != contextNone || p.openCoded }

// What shorter forms must save, for they are slower to decode: contexts of classes, and
// coded open bits, as fractions of what they replace, and both together of everything.
const (
	contextGain = 0.9
	openGain    = 0.94
	symbolGain  = 0.95
)

// choosePacking decides how the codes that are written are stored, and counts what
// symbols needs for it. The codes take so many bits as classes and as open bits.
func (e *chunkEncoder) choosePacking(c *rawChunk, s *accessEncoder, choice laneChoice, classes, open float64) lanePacking {
	z := &e.lanes
	p := lanePacking{bits: classes + open}
	if p.bits == 0 { // all lanes have one class
		return p
	}
	if len(z.classes) >= 4*fewLanes {
		if better := e.chooseSymbols(c, s, choice, classes, open); better.bits < symbolGain*p.bits {
			p = better
		}
	}
	// What follows is the last to be tried, since it only says about what a compressor
	// makes of it.
	pattern := z.patternBits(classes)/patternGain + open
	if pattern < p.bits {
		return lanePacking{plain: true, bits: pattern}
	}
	if p.listed() && p.context == contextNone {
		e.noContext()
	}
	return p
}

// chooseSymbols finds the best context, and whether to code the open bits.
func (e *chunkEncoder) chooseSymbols(c *rawChunk, s *accessEncoder, choice laneChoice, classes, open float64) lanePacking {
	w, end := &e.lanes.symbols, len(e.lanes.counted.used())
	best, counted := lanePacking{bits: classes}, contextNone
	for context := contextSameLane; context < contextEnd; context++ {
		if context == contextKey && !usesTable(choice.model) {
			continue
		}
		counted = contextNone
		if !e.promising(c, s, choice, context) {
			continue
		}
		e.setContexts(c, s, choice, context, len(s.runs))
		tables, bits := w.countContexts(context, e.lanes.classes, end)
		counted = context
		if bits < contextGain*best.bits && e.used.classes+tables <= maxClassTables {
			best = lanePacking{context: context, bits: bits, classTables: tables}
		}
	}
	if best.context != counted && best.context != contextNone {
		e.setContexts(c, s, choice, best.context, len(s.runs))
		w.countContexts(best.context, e.lanes.classes, end)
	}
	best.bits += open
	if tables, bits := e.countOpenSymbols(open); tables > 0 {
		best.openCoded, best.nibbleTables = true, tables
		if best.bits += bits - open; best.context == contextNone {
			best.classTables = 1
		}
	}
	return best
}

// noContext counts the classes without contexts.
func (e *chunkEncoder) noContext() {
	w := &e.lanes.symbols
	n := len(e.lanes.classes)
	w.contexts = zeroed(w.contexts, n)
	w.countContexts(contextNone, e.lanes.classes, len(e.lanes.counted.used()))
}

// setContexts finds the contexts of the classes of the first runs.
func (e *chunkEncoder) setContexts(c *rawChunk, s *accessEncoder, choice laneChoice, context, runs int) {
	if context == contextKey {
		e.noteKeys(c, s, choice, runs)
		return
	}
	e.lanes.symbols.sameLane(s.runs[:runs], e.lanes.classes)
}

// promising reports whether a context helps the first classes of a long column. The
// tables count for nothing here: in all of the column they will weigh less.
func (e *chunkEncoder) promising(c *rawChunk, s *accessEncoder, choice laneChoice, context int) bool {
	z := &e.lanes
	if len(z.classes) < 4*packingSample {
		return true
	}
	runs := min(len(s.runs), packingSample/WarpSize)
	e.setContexts(c, s, choice, context, runs)
	w := &z.symbols
	n, end := min(len(w.contexts), packingSample), len(z.counted.used())
	tables, bits := w.countContexts(context, z.classes[:n], end)
	with := bits - float64(tableBits*tables)
	var counts [maxLaneClass + 1]uint32
	for _, class := range z.classes[:n] {
		counts[class]++
	}
	for context := range w.classes[:contextCount[context]] {
		for _, count := range w.classes[context][:end] {
			if count > 0 {
				with -= tableBits
			}
		}
	}
	without := tableEntropy(counts[:end])
	return with < (contextGain+0.04)*without
}

// countOpenSymbols counts the open bits if it is worth to code them; else it returns 0
// tables.
func (e *chunkEncoder) countOpenSymbols(open float64) (tables int, bits float64) {
	z, end := &e.lanes, len(e.lanes.counted.used())
	if open < 8*fewLanes {
		return 0, 0
	}
	if n := packingSample; len(z.codes) > 4*n {
		sampled := 0.0
		for _, class := range z.classes[:n] {
			sampled += float64(laneClasses[class].open)
		}
		if _, bits := z.symbols.countNibbles(z.codes[:n], z.classes[:n], end); bits > float64(sampled*openGain)+2048 {
			return 0, 0
		}
	}
	tables, bits = z.symbols.countNibbles(z.codes, z.classes, end)
	if bits > openGain*open || e.used.nibbles+tables > maxNibbleTables || e.used.classes >= maxClassTables {
		return 0, 0
	}
	return tables, bits
}
