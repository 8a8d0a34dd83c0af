// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// lanePacking says how codes are stored.
type lanePacking struct {
	plain     bool // classes one byte each, for the compressor
	context   int
	openCoded bool
	bits      float64 // about what it takes

	classTables, nibbleTables int
}

// listed reports whether the codes become lane_symbols.
func (p *lanePacking) listed() bool { return p.context != lanecode.ContextNone || p.openCoded }

// What shorter forms must save, for they are slower to decode: contexts of classes, and
// coded open bits, as fractions of what they replace, and both together of everything.
const (
	contextGain = 0.9
	openGain    = 0.94
	symbolGain  = 0.95
)

// choosePacking decides how the codes that are written are stored, and counts what
// symbols needs for it. The codes take so many bits as classes and as open bits.
func (e *Encoder) choosePacking(c *Raw, s *accessEncoder, choice lanecode.Choice, classes, open float64) lanePacking {
	z := &e.lanes
	p := lanePacking{bits: classes + open}
	if p.bits == 0 { // all lanes have one class
		return p
	}
	if len(z.Classes) >= 4*fewLanes {
		if better := e.chooseSymbols(c, s, choice, classes, open); better.bits < symbolGain*p.bits {
			p = better
		}
	}
	// What follows is the last to be tried, since it only says about what a compressor
	// makes of it.
	pattern := z.PatternBits(classes)/lanecode.PatternGain + open
	if pattern < p.bits {
		return lanePacking{plain: true, bits: pattern}
	}
	if p.listed() && p.context == lanecode.ContextNone {
		e.noContext()
	}
	return p
}

// chooseSymbols finds the best context, and whether to code the open bits.
func (e *Encoder) chooseSymbols(c *Raw, s *accessEncoder, choice lanecode.Choice, classes, open float64) lanePacking {
	w, end := &e.lanes.Symbols, len(e.lanes.Counted.Used())
	best, counted := lanePacking{bits: classes}, lanecode.ContextNone
	for context := lanecode.ContextSameLane; context < lanecode.ContextEnd; context++ {
		if context == lanecode.ContextKey && !lanecode.UsesTable(choice.Model) {
			continue
		}
		counted = lanecode.ContextNone
		if !e.promising(c, s, choice, context) {
			continue
		}
		e.setContexts(c, s, choice, context, len(s.runs))
		tables, bits := w.CountContexts(context, e.lanes.Classes, end)
		counted = context
		if bits < contextGain*best.bits && e.used.classes+tables <= lanecode.MaxClassTables {
			best = lanePacking{context: context, bits: bits, classTables: tables}
		}
	}
	if best.context != counted && best.context != lanecode.ContextNone {
		e.setContexts(c, s, choice, best.context, len(s.runs))
		w.CountContexts(best.context, e.lanes.Classes, end)
	}
	best.bits += open
	if tables, bits := e.countOpenSymbols(open); tables > 0 {
		best.openCoded, best.nibbleTables = true, tables
		if best.bits += bits - open; best.context == lanecode.ContextNone {
			best.classTables = 1
		}
	}
	return best
}

// noContext counts the classes without contexts.
func (e *Encoder) noContext() {
	w := &e.lanes.Symbols
	n := len(e.lanes.Classes)
	w.Contexts = columns.Zeroed(w.Contexts, n)
	w.CountContexts(lanecode.ContextNone, e.lanes.Classes, len(e.lanes.Counted.Used()))
}

// setContexts finds the contexts of the classes of the first runs.
func (e *Encoder) setContexts(c *Raw, s *accessEncoder, choice lanecode.Choice, context, runs int) {
	if context == lanecode.ContextKey {
		e.noteKeys(c, s, choice, runs)
		return
	}
	e.lanes.Symbols.SameLane(s.runs[:runs], e.lanes.Classes)
}

// promising reports whether a context helps the first classes of a long column. The
// tables count for nothing here: in all of the column they will weigh less.
func (e *Encoder) promising(c *Raw, s *accessEncoder, choice lanecode.Choice, context int) bool {
	z := &e.lanes
	if len(z.Classes) < 4*lanecode.PackingSample {
		return true
	}
	runs := min(len(s.runs), lanecode.PackingSample/lanecode.WarpLanes)
	e.setContexts(c, s, choice, context, runs)
	w := &z.Symbols
	n, end := min(len(w.Contexts), lanecode.PackingSample), len(z.Counted.Used())
	tables, bits := w.CountContexts(context, z.Classes[:n], end)
	with := bits - float64(lanecode.TableBits*tables)
	var counts [lanecode.MaxClass + 1]uint32
	for _, class := range z.Classes[:n] {
		counts[class]++
	}
	for context := range w.Classes[:lanecode.ContextCount[context]] {
		for _, count := range w.Classes[context][:end] {
			if count > 0 {
				with -= lanecode.TableBits
			}
		}
	}
	without := lanecode.TableEntropy(counts[:end])
	return with < (contextGain+0.04)*without
}

// countOpenSymbols counts the open bits if it is worth to code them; else it returns 0
// tables.
func (e *Encoder) countOpenSymbols(open float64) (tables int, bits float64) {
	z, end := &e.lanes, len(e.lanes.Counted.Used())
	if open < 8*fewLanes {
		return 0, 0
	}
	if n := lanecode.PackingSample; len(z.Codes) > 4*n {
		sampled := 0.0
		for _, class := range z.Classes[:n] {
			sampled += float64(lanecode.Classes[class].Open)
		}
		if _, bits := z.Symbols.CountNibbles(z.Codes[:n], z.Classes[:n], end); bits > float64(sampled*openGain)+2048 {
			return 0, 0
		}
	}
	tables, bits = z.Symbols.CountNibbles(z.Codes, z.Classes, end)
	if bits > openGain*open || e.used.nibbles+tables > lanecode.MaxNibbleTables || e.used.classes >= lanecode.MaxClassTables {
		return 0, 0
	}
	return tables, bits
}
