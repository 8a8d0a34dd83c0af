package trace

// fewLanes is the number of values that no model can shorten by much.
const fewLanes = 64

// lanesForm says how the explicit lanes of a stream are stored.
type lanesForm struct {
	shift, width int // of units
	fixed        bool
	choice       laneChoice
	packing      lanePacking
	bits         float64 // about what they take
}

// chooseForm finds the form of the explicit lanes of a stream, and writes the codes
// unless they are of a fixed width.
func (e *chunkEncoder) chooseForm(c *rawChunk, memory int) lanesForm {
	if !e.formed {
		e.form = e.findForm(c, memory)
	}
	return e.form
}

// findForm is chooseForm for a stream that no form was found for.
func (e *chunkEncoder) findForm(c *rawChunk, memory int) (f lanesForm) {
	s, z := &e.streams[memory], &e.lanes
	z.units, f.shift, f.width = s.units(z.units, c)
	z.written = laneChoice{}
	f.fixed, f.bits = true, float64(f.width*len(z.units))
	if len(z.units) < fewLanes || f.width == 64 {
		return f
	}
	f.choice = e.chooseLanes(c, memory, f.shift)
	if z.written != f.choice {
		e.writeLanes(c, s, f.choice, patience{})
	}
	f.packing = e.packLike(c, s, &e.precedents[memory])
	if usesTable(f.choice.model) || f.bits > worthIt*f.packing.bits {
		f.fixed, f.bits = false, f.packing.bits
	}
	return f
}

// appendLanes appends the fields of the explicit lanes of a stream.
func (e *chunkEncoder) appendLanes(dst []byte, c *rawChunk, memory int) []byte {
	s, z := &e.streams[memory], &e.lanes
	f := e.chooseForm(c, memory)
	dst = appendNumber(dst, fieldLaneMinimum, s.low)
	dst = appendNumber(dst, fieldLaneShift, uint64(f.shift))
	if !f.fixed {
		return e.appendCodes(dst, c, s, f.choice, f.packing)
	}
	start := len(dst)
	z.packed.reset()
	for _, u := range z.units {
		z.packed.put(u, uint(f.width))
	}
	dst = appendNumber(dst, fieldLaneBits, uint64(f.width))
	dst = appendNumber(dst, fieldLaneCount, uint64(len(z.units)))
	dst = appendColumn(dst, fieldLanes, z.packed.bytes())
	e.cut(start, len(dst))
	return dst
}

// longColumn is the least number of bytes that are worth a cut before and behind.
const longColumn = 2048

// cut notes that a stream has random bits from one place to another.
func (e *chunkEncoder) cut(from, to int) {
	if to-from >= longColumn {
		e.partCuts = append(e.partCuts, from, to)
	}
}

// appendCodes appends the codes that are written, as it was decided.
func (e *chunkEncoder) appendCodes(dst []byte, c *rawChunk, s *accessEncoder, choice laneChoice, packing lanePacking) []byte {
	z := &e.lanes
	if usesTable(choice.model) {
		e.used.successors++
	}
	dst = appendNumber(dst, fieldLaneModel, uint64(choice.model))
	start := len(dst)
	switch {
	case packing.listed():
		e.used.classes += packing.classTables
		e.used.nibbles += packing.nibbleTables
		z.column = z.symbols.append(z.column[:0], s.runs, z.codes, z.classes, packing.context, packing.openCoded)
		dst = appendColumn(dst, fieldLaneSymbols, z.column)
		dst = appendNumber(dst, fieldLaneContext, uint64(packing.context))
	case packing.plain:
		dst = appendColumn(dst, fieldLaneClass, z.classes)
		start = len(dst)
	default:
		z.column = z.entropy.append(z.column[:0], z.classes, z.counted.used())
		dst = appendColumn(dst, fieldLaneCoded, z.column)
	}
	if packing.openCoded {
		dst = appendNumber(dst, fieldLaneOpenCoded, 1)
	} else if z.counted.all >= exactClasses { // some have open bits
		dst = appendColumn(dst, fieldLaneOpen, z.openBits())
	}
	e.cut(start, len(dst))
	dst = appendNumber(dst, fieldLaneStep, uint64(choice.step))
	if usesCompanion(choice.model) {
		dst = appendNumber(dst, fieldCompanion, uint64(c.plan.memory[choice.companion]))
		dst = appendNumber(dst, fieldCompanionUnit, uint64(choice.unit))
	}
	return dst
}

// writeLanes codes all runs and counts their classes. It gives up, and returns false,
// where a table does not please the patience.
func (e *chunkEncoder) writeLanes(c *rawChunk, s *accessEncoder, choice laneChoice, p patience) bool {
	z := &e.lanes
	n := len(z.units)
	z.codes, z.classes, z.written = sized(z.codes, n), sized(z.classes, n), choice
	z.counted.reset()
	at := 0
	e.codeLanes(c, s, choice, len(s.runs), func(run int, mask uint32, codes *[WarpSize]uint64) bool {
		at += z.classify(at, mask, codes)
		if !p.asks(run) {
			return true
		}
		z.counted.addOdd()
		return p.goOn(run, z.counted.used())
	})
	z.counted.addOdd()
	if p.ended {
		z.written = laneChoice{}
	}
	return !p.ended
}

// codeLanes gives the codes of the first runs of a stream, one run after the other,
// until emit returns false.
func (e *chunkEncoder) codeLanes(c *rawChunk, s *accessEncoder, choice laneChoice, runs int, emit func(run int, mask uint32, codes *[WarpSize]uint64) bool) {
	z := &e.lanes
	z.model.start(choice.model, len(z.units), &z.watch, choice.unit, choice.step)
	z.watch.warp = -1
	var before []int32 // positions of the companion that are not noted
	if usesCompanion(choice.model) {
		before = e.streams[choice.companion].positions
	}
	units := z.units
	var codes [WarpSize]uint64
	for i := range s.runs[:runs] {
		run := &s.runs[i]
		if usesCompanion(choice.model) {
			before = e.noteCompanion(c, before, run)
		}
		if run.mask == allWarpLanes {
			codes = [WarpSize]uint64(units)
			units = units[WarpSize:]
		} else {
			for m := run.mask; m != 0; m &= m - 1 {
				codes[lane(m)] = units[0]
				units = units[1:]
			}
		}
		z.model.codes(int(run.warp), run.mask, &codes)
		if !emit(i, run.mask, &codes) {
			return
		}
	}
}

// noteKeys finds the contexts by key of the first runs. A key is the lane's units before,
// or a companion's address, so neither codes nor a table is made.
func (e *chunkEncoder) noteKeys(c *rawChunk, s *accessEncoder, choice laneChoice, runs int) {
	z := &e.lanes
	contexts := sized(z.symbols.contexts, len(z.units))[:0]
	z.model.startKeys(choice.model, &z.watch, choice.unit)
	z.watch.warp = -1
	var before []int32
	if choice.model == modelMap {
		before = e.streams[choice.companion].positions
	}
	units := z.units
	for i := range s.runs[:runs] {
		run := &s.runs[i]
		if choice.model == modelMap {
			before = e.noteCompanion(c, before, run)
		}
		z.model.keyContexts(int(run.warp), &z.contexts)
		if run.mask == allWarpLanes {
			contexts = append(contexts, z.contexts[:]...)
			z.model.learnKeys(run.mask, (*[WarpSize]uint64)(units))
			units = units[WarpSize:]
			continue
		}
		var lanes [WarpSize]uint64
		for m := run.mask; m != 0; m &= m - 1 {
			contexts = append(contexts, z.contexts[lane(m)])
			lanes[lane(m)] = units[0]
			units = units[1:]
		}
		z.model.learnKeys(run.mask, &lanes)
	}
	z.symbols.contexts = contexts
}

// noteCompanion notes the executions of a companion in the warp of a run and before
// it, and returns the positions after them. Both lists ascend.
func (e *chunkEncoder) noteCompanion(c *rawChunk, positions []int32, run *laneRun) []int32 {
	n := 0
	for n < len(positions) && positions[n] < run.position {
		n++
	}
	first := n
	for start := e.warpStart[run.warp]; first > 0 && positions[first-1] >= start; {
		// One of all lanes leaves nothing of those before it.
		if first--; c.accesses[positions[first]].mask == allWarpLanes {
			break
		}
	}
	for _, position := range positions[first:n] {
		e.noteAccess(c, int(run.warp), &c.accesses[position])
	}
	return positions[n:]
}

func (e *chunkEncoder) noteAccess(c *rawChunk, warp int, a *accessRecord) {
	z := &e.lanes
	to := &z.addresses
	if a.mask == allWarpLanes {
		to = &z.watch.addresses
	}
	if a.lanes >= 0 {
		placePattern(to, a.base, c.lanes.at(a.lanes))
	} else {
		expand(to, a.base, a.stride)
	}
	z.watch.note(warp, a.mask, to)
}
