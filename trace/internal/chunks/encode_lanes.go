// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/wire"
)

// fewLanes is the number of values that no model can shorten by much.
const fewLanes = 64

// lanesForm says how the explicit lanes of a stream are stored.
type lanesForm struct {
	shift, width int // of units
	fixed        bool
	choice       lanecode.Choice
	packing      lanePacking
	bits         float64 // about what they take
}

// chooseForm finds the form of the explicit lanes of a stream, and writes the codes
// unless they are of a fixed width.
func (e *Encoder) chooseForm(c *Raw, memory int) lanesForm {
	if !e.formed {
		e.form = e.findForm(c, memory)
	}
	return e.form
}

// findForm is chooseForm for a stream that no form was found for.
func (e *Encoder) findForm(c *Raw, memory int) (f lanesForm) {
	s, z := &e.streams[memory], &e.lanes
	z.Units, f.shift, f.width = s.units(z.Units, c)
	z.Written = lanecode.Choice{}
	f.fixed, f.bits = true, float64(f.width*len(z.Units))
	if len(z.Units) < fewLanes || f.width == 64 {
		return f
	}
	f.choice = e.chooseLanes(c, memory, f.shift)
	if z.Written != f.choice {
		e.writeLanes(c, s, f.choice, patience{})
	}
	f.packing = e.packLike(c, s, &e.precedents[memory])
	if lanecode.UsesTable(f.choice.Model) || f.bits > worthIt*f.packing.bits {
		f.fixed, f.bits = false, f.packing.bits
	}
	return f
}

// appendLanes appends the fields of the explicit lanes of a stream.
func (e *Encoder) appendLanes(dst []byte, c *Raw, memory int) []byte {
	s, z := &e.streams[memory], &e.lanes
	f := e.chooseForm(c, memory)
	dst = wire.AppendNumber(dst, fieldLaneMinimum, s.low)
	dst = wire.AppendNumber(dst, fieldLaneShift, uint64(f.shift))
	if !f.fixed {
		return e.appendCodes(dst, c, s, f.choice, f.packing)
	}
	start := len(dst)
	z.Packed.Reset()
	for _, u := range z.Units {
		z.Packed.Put(u, uint(f.width))
	}
	dst = wire.AppendNumber(dst, fieldLaneBits, uint64(f.width))
	dst = wire.AppendNumber(dst, fieldLaneCount, uint64(len(z.Units)))
	dst = wire.AppendColumn(dst, fieldLanes, z.Packed.Bytes())
	e.cut(start, len(dst))
	return dst
}

// longColumn is the least number of bytes that are worth a cut before and behind.
const longColumn = 2048

// cut notes that a stream has random bits from one place to another.
func (e *Encoder) cut(from, to int) {
	if to-from >= longColumn {
		e.partCuts = append(e.partCuts, from, to)
	}
}

// appendCodes appends the codes that are written, as it was decided.
func (e *Encoder) appendCodes(dst []byte, c *Raw, s *accessEncoder, choice lanecode.Choice, packing lanePacking) []byte {
	z := &e.lanes
	if lanecode.UsesTable(choice.Model) {
		e.used.successors++
	}
	dst = wire.AppendNumber(dst, fieldLaneModel, uint64(choice.Model))
	start := len(dst)
	switch {
	case packing.listed():
		e.used.classes += packing.classTables
		e.used.nibbles += packing.nibbleTables
		z.Column = z.Symbols.Append(z.Column[:0], s.runs, z.Codes, z.Classes, packing.context, packing.openCoded)
		dst = wire.AppendColumn(dst, fieldLaneSymbols, z.Column)
		dst = wire.AppendNumber(dst, fieldLaneContext, uint64(packing.context))
	case packing.plain:
		dst = wire.AppendColumn(dst, fieldLaneClass, z.Classes)
		start = len(dst)
	default:
		z.Column = z.Entropy.Append(z.Column[:0], z.Classes, z.Counted.Used())
		dst = wire.AppendColumn(dst, fieldLaneCoded, z.Column)
	}
	if packing.openCoded {
		dst = wire.AppendNumber(dst, fieldLaneOpenCoded, 1)
	} else if z.Counted.All >= lanecode.ExactClasses { // some have open bits
		dst = wire.AppendColumn(dst, fieldLaneOpen, z.OpenBits())
	}
	e.cut(start, len(dst))
	dst = wire.AppendNumber(dst, fieldLaneStep, uint64(choice.Step))
	if lanecode.UsesCompanion(choice.Model) {
		dst = wire.AppendNumber(dst, fieldCompanion, uint64(c.plan.Memory[choice.Companion]))
		dst = wire.AppendNumber(dst, fieldCompanionUnit, uint64(choice.Unit))
	}
	return dst
}

// writeLanes codes all runs and counts their classes. It gives up, and returns false,
// where a table does not please the patience.
func (e *Encoder) writeLanes(c *Raw, s *accessEncoder, choice lanecode.Choice, p patience) bool {
	z := &e.lanes
	n := len(z.Units)
	z.Codes, z.Classes, z.Written = columns.Sized(z.Codes, n), columns.Sized(z.Classes, n), choice
	z.Counted.Reset()
	at := 0
	e.codeLanes(c, s, choice, len(s.runs), func(run int, mask uint32, codes *[lanecode.WarpLanes]uint64) bool {
		at += z.Classify(at, mask, codes)
		if !p.asks(run) {
			return true
		}
		z.Counted.AddOdd()
		return p.goOn(run, z.Counted.Used())
	})
	z.Counted.AddOdd()
	if p.ended {
		z.Written = lanecode.Choice{}
	}
	return !p.ended
}

// codeLanes gives the codes of the first runs of a stream, one run after the other,
// until emit returns false.
func (e *Encoder) codeLanes(c *Raw, s *accessEncoder, choice lanecode.Choice, runs int, emit func(run int, mask uint32, codes *[lanecode.WarpLanes]uint64) bool) {
	z := &e.lanes
	z.Model.Start(choice.Model, len(z.Units), &z.Watch, choice.Unit, choice.Step)
	z.Watch.Warp = -1
	var before []int32 // positions of the companion that are not noted
	if lanecode.UsesCompanion(choice.Model) {
		before = e.streams[choice.Companion].positions
	}
	units := z.Units
	var codes [lanecode.WarpLanes]uint64
	for i := range s.runs[:runs] {
		run := &s.runs[i]
		if lanecode.UsesCompanion(choice.Model) {
			before = e.noteCompanion(c, before, run)
		}
		if run.Mask == lanecode.AllWarpLanes {
			codes = [lanecode.WarpLanes]uint64(units)
			units = units[lanecode.WarpLanes:]
		} else if n, ok := lanecode.Prefix(run.Mask); ok {
			copy(codes[:], units[:n])
			units = units[n:]
		} else {
			for m := run.Mask; m != 0; m &= m - 1 {
				codes[lanecode.Lane(m)] = units[0]
				units = units[1:]
			}
		}
		z.Model.Codes(int(run.Warp), run.Mask, &codes)
		if !emit(i, run.Mask, &codes) {
			return
		}
	}
}

// noteKeys finds the contexts by key of the first runs. A key is the lane's units before,
// or a companion's address, so neither codes nor a table is made.
func (e *Encoder) noteKeys(c *Raw, s *accessEncoder, choice lanecode.Choice, runs int) {
	z := &e.lanes
	contexts := columns.Sized(z.Symbols.Contexts, len(z.Units))[:0]
	z.Model.StartKeys(choice.Model, &z.Watch, choice.Unit)
	z.Watch.Warp = -1
	var before []int32
	if choice.Model == lanecode.ModelMap {
		before = e.streams[choice.Companion].positions
	}
	units := z.Units
	for i := range s.runs[:runs] {
		run := &s.runs[i]
		if choice.Model == lanecode.ModelMap {
			before = e.noteCompanion(c, before, run)
		}
		z.Model.KeyContexts(int(run.Warp), &z.Contexts)
		if run.Mask == lanecode.AllWarpLanes {
			contexts = append(contexts, z.Contexts[:]...)
			z.Model.LearnKeys(run.Mask, (*[lanecode.WarpLanes]uint64)(units))
			units = units[lanecode.WarpLanes:]
			continue
		}
		var lanes [lanecode.WarpLanes]uint64
		for m := run.Mask; m != 0; m &= m - 1 {
			contexts = append(contexts, z.Contexts[lanecode.Lane(m)])
			lanes[lanecode.Lane(m)] = units[0]
			units = units[1:]
		}
		z.Model.LearnKeys(run.Mask, &lanes)
	}
	z.Symbols.Contexts = contexts
}

// noteCompanion notes the executions of a companion in the warp of a run and before
// it, and returns the positions after them. Both lists ascend.
func (e *Encoder) noteCompanion(c *Raw, positions []int32, run *lanecode.Run) []int32 {
	n := 0
	for n < len(positions) && positions[n] < run.Position {
		n++
	}
	first := n
	for start := e.warpStart[run.Warp]; first > 0 && positions[first-1] >= start; {
		// One of all lanes leaves nothing of those before it.
		if first--; c.accesses[positions[first]].Mask == lanecode.AllWarpLanes {
			break
		}
	}
	for _, position := range positions[first:n] {
		e.noteAccess(c, int(run.Warp), &c.accesses[position])
	}
	return positions[n:]
}

func (e *Encoder) noteAccess(c *Raw, warp int, a *lanecode.Access) {
	z := &e.lanes
	to := &z.Addresses
	if a.Mask == lanecode.AllWarpLanes {
		to = &z.Watch.Addresses
	}
	if a.Lanes >= 0 {
		lanecode.PlacePattern(to, a.Base, c.lanes.At(a.Lanes))
	} else {
		lanecode.PlaceStride(to, a.Base, a.Stride)
	}
	z.Watch.Note(warp, a.Mask, to)
}
