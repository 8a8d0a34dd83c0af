package trace

// AccessPattern is where the lanes of a memory instruction lie to each other, for a
// caller that meets the same pattern again and again.
type AccessPattern struct {
	// Mask are the lanes that take part; there is one at least.
	Mask uint32
	// Offsets are the distances of these lanes from the lowest of them; those of the
	// other lanes are zero.
	Offsets [WarpSize]uint64
	// Note is of whoever records the pattern. The caller clears it when the
	// pattern becomes another one.
	Note PatternNote
}

// PatternNote says by which number a recorder knows a pattern in one thread block.
type PatternNote struct {
	Recorder any
	Block    uint64 // how many blocks the recorder had begun
	Number   int32
}

// Place computes the lane addresses of the pattern; base is that of the lowest lane.
func (p *AccessPattern) Place(base uint64, addresses *[WarpSize]uint64) {
	placePattern(addresses, base, &p.Offsets)
}

// AccessPattern is Access for lanes that lie in a pattern; base is the address of the
// lowest one. The pattern is looked at once for each thread block.
func (w *Writer) AccessPattern(warp int, base uint64, p *AccessPattern) {
	b := &w.block
	if p.Note.Recorder != w || p.Note.Block != w.recording.begun {
		w.firstOfPattern(warp, base, p)
		return
	}
	if b.memory > maxThreadBlockAccesses || b.sets > maxThreadBlockLaneSets {
		return
	}
	b.memory++
	b.sets++
	r := &b.warps[warp]
	r.accesses = append(r.accesses, accessRecord{base: base, lanes: p.Note.Number, mask: p.Mask})
}

// firstOfPattern is AccessPattern for a pattern that the thread block has not met.
func (w *Writer) firstOfPattern(warp int, base uint64, p *AccessPattern) {
	var addresses [WarpSize]uint64
	p.Place(base, &addresses)
	before := w.block.sets
	w.Access(warp, p.Mask, &addresses)
	if w.block.sets > before { // neither strided nor too much
		accesses := w.block.warps[warp].accesses
		p.Note = PatternNote{w, w.recording.begun, accesses[len(accesses)-1].lanes}
	}
}
