// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/trace/internal/chunks"
)

// largeBlocks is what a writer knows of thread blocks that are larger than a chunk may be.
// They are counted part by part as they execute, so that their memory is bounded.
type largeBlocks struct {
	count  bool   // rather than fail
	parts  int    // of the present thread block that were counted
	blocks uint64 // that were counted
}

// largePart is how many visits a part has, once a thread block is known to be large.
const largePart = 1 << 18

// largeSoFar reports whether what is recorded of the thread block is to be counted now,
// at the beginning of a visit.
func (w *Writer) largeSoFar() bool {
	return w.block.TooLarge() || w.large.parts > 0 && w.block.Visits() >= largePart
}

// countPart counts what is recorded of the thread block, and forgets it. Errors stick.
func (w *Writer) countPart() {
	r := &w.recording
	if w.err != nil || !r.inBlock {
		return
	}
	r.behaviour.Reset() // sequence numbers of another chunk
	w.counted.Reset(r.plan.Plan, len(w.launches)-1, r.warps)
	threads, err := w.counted.CommitBlock(&w.block, r.block, &r.behaviour, r.launch.FullMask)
	w.totals.ThreadInstructions += threads
	if err != nil {
		w.fail(fmt.Errorf("launch %d, thread block %d: %w", len(w.launches)-1, r.block, err))
		return
	}
	r.behaviour.Reset()
	w.block.Drop()
	w.block.Begin(r.warps)
	w.addVisits(&w.counted)
	if w.large.parts == 0 {
		w.counted = chunks.Raw{} // the first part is as large as a thread block may be
	}
	w.large.parts++
}

// endAlone ends a thread block that has a chunk to itself.
func (w *Writer) endAlone() error {
	r := &w.recording
	if r.job != nil {
		w.block.Split(&r.job.Chunk)
		w.submitChunk()
	}
	j := w.takeChunk()
	if err := w.endBlock(&j.Chunk); err != nil {
		return err
	}
	r.stored++
	r.behaviour = chunks.Behaviour{}
	r.behaviour.Reset()
	w.addVisits(&j.Chunk)
	w.flushTimeline()
	w.block.Exchange(&j.Chunk)
	w.block.Release()
	j.Optional = w.large.count
	if w.out.SubmitAlone(j) {
		r.stored--
		w.large.blocks++
	}
	return w.check()
}

// endLarge ends a thread block that is counted and not stored.
func (w *Writer) endLarge() error {
	w.countPart()
	w.recording.inBlock = false
	w.recording.blocks++
	w.large.parts = 0
	w.large.blocks++
	return w.err
}

// CountsLarge reports whether thread blocks are counted where they cannot be stored.
func (w *Writer) CountsLarge() bool { return w.large.count }

// CountPart counts a part of what a thread block of the launch does, which record tells by
// Visit, Guard, Access and their like. The thread block begins later, if it is not the only
// one that runs at the time; CountedParts follows its BeginBlock.
func (w *Writer) CountPart(block uint64, record func()) error {
	if err := w.check(); err != nil {
		return err
	}
	r := &w.recording
	if !r.active || r.inBlock || !w.large.count {
		return w.fail(fmt.Errorf("BUG: a part of thread block %d is counted outside a launch or inside another", block))
	}
	before := r.block
	r.block, r.inBlock = block, true
	w.block.Begin(r.warps)
	record()
	w.countPart()
	r.block, r.inBlock, w.large.parts = before, false, 0
	return w.err
}

// CountedParts says that parts of the thread block that has begun were counted: the rest of
// it will be, too.
func (w *Writer) CountedParts() { w.large.parts++ }

// Large is the number of thread blocks so far that are larger than a chunk may be, and so
// counted and not stored.
func (w *Writer) Large() uint64 { return w.large.blocks }

// describeLarge says in the header what the trace lacks.
func (w *Writer) describeLarge() {
	if n := w.large.blocks; n > 0 {
		note := fmt.Sprintf("%d thread blocks are larger than the trace may hold: they are counted and not stored", n)
		w.header.Sampling = strings.TrimPrefix(w.header.Sampling+"; "+note, "; ")
	}
}
