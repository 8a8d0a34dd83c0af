// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/chunks"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/output"
)

// recording is the state between BeginLaunch and EndLaunch.
type recording struct {
	active, inBlock bool
	plan            *content.Plan
	launch          *trace.Launch
	warps           int
	block           uint64 // current or last
	anyBlock        bool
	blocks, stored  uint64 // ended so far, and how many of those the trace stores
	job             *output.Job
	behaviour       chunks.Behaviour
}

// BeginLaunch adds a launch and its event in the host timeline, and returns the
// index of the launch. Between it and EndLaunch come the thread blocks. after lists
// earlier events that the launch waits for beyond the order of its stream.
func (w *Writer) BeginLaunch(l trace.Launch, after ...int) (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	if w.recording.active {
		return 0, w.fail(fmt.Errorf("BUG: launch %d began inside launch %d", len(w.launches), len(w.launches)-1))
	}
	index := len(w.launches)
	if err := l.Validate(len(w.plans)); err != nil {
		return 0, w.fail(fmt.Errorf("launch %d: %w", index, err))
	}
	w.launches = append(w.launches, l)
	if _, err := w.addEvent(trace.HostEvent{Kind: trace.EventLaunch, Launch: index, Stream: l.Stream, After: after}); err != nil {
		return 0, err
	}
	w.totals.Launches++
	r := &w.recording
	*r = recording{active: true, plan: w.plans[l.Kernel], launch: &w.launches[index], warps: l.Warps(), behaviour: r.behaviour}
	w.block.Begin(r.warps)
	return index, nil
}

// BeginBlock starts a thread block, given by its linear id. Ids ascend within a
// launch; some may be missing when the trace is a sample. An error is reported by
// EndBlock.
func (w *Writer) BeginBlock(block uint64) {
	r := &w.recording
	switch {
	case w.err != nil:
	case !r.active || r.inBlock:
		w.fail(fmt.Errorf("BUG: thread block %d began outside a launch or inside another", block))
	case r.anyBlock && block <= r.block:
		w.fail(fmt.Errorf("BUG: launch %d: thread block %d came after %d", len(w.launches)-1, block, r.block))
	case block >= r.launch.Grid.Count():
		w.fail(fmt.Errorf("BUG: launch %d: thread block %d of %d", len(w.launches)-1, block, r.launch.Grid.Count()))
	}
	r.block, r.anyBlock, r.inBlock = block, true, true
	w.block.Begin(r.warps)
}

// Visit records that a warp of the current thread block executes a basic block
// with the active lanes in mask. For each warp the order of its Visit calls is the
// order of execution, and likewise for Guard and for Access; warps may interleave.
func (w *Writer) Visit(warp int, block, mask uint32) {
	if w.large.count && w.largeSoFar() {
		w.countPart()
	}
	w.block.Visit(warp, block, mask)
}

// Guard records the guard mask of one execution of a guarded instruction
// (Instruction.Guarded): the active lanes whose guard holds.
func (w *Writer) Guard(warp int, mask uint32) { w.block.Guard(warp, mask) }

// Access records the byte addresses of one execution of a memory instruction for
// the lanes in mask. The mask of a guarded instruction is its guard mask, that of
// any other the active mask. The other elements of addresses do not matter, and
// none is used after the call. The mask may be empty.
func (w *Writer) Access(warp int, mask uint32, addresses *[trace.WarpSize]uint64) {
	w.block.Access(warp, mask, addresses)
}

// AccessStrided is Access for a caller that knows the pattern: lane i of the mask
// is at base + i*stride. A stride of 2 GiB and more is stored as explicit
// addresses.
func (w *Writer) AccessStrided(warp int, mask uint32, base uint64, stride int64) {
	w.block.AccessStrided(warp, mask, base, stride)
}

var errNoBlock = errors.New("BUG: a thread block ended that had not begun")

// EndBlock ends the thread block. It fails with an error that starts with "BUG:"
// when what was recorded contradicts itself. Examples are a visit of an unknown
// basic block or of lanes that the warp does not have, and guard or access masks
// that do not fit the visits.
func (w *Writer) EndBlock() error {
	if err := w.check(); err != nil {
		return err
	}
	r := &w.recording
	if !r.inBlock {
		return w.fail(errNoBlock)
	}
	if w.large.count && (w.large.parts > 0 || w.block.TooLarge()) {
		return w.endLarge()
	}
	if w.block.Alone() && !w.block.TooLarge() {
		return w.endAlone()
	}
	if r.job == nil {
		r.job = w.takeChunk()
	}
	if err := w.endBlock(&r.job.Chunk); err != nil {
		return err
	}
	r.stored++
	if r.job.Chunk.Full() {
		w.flushChunk()
	}
	return w.err
}

// takeChunk gives a job with an empty chunk of the launch.
func (w *Writer) takeChunk() *output.Job {
	r := &w.recording
	j := w.out.Take()
	j.Kind = wtapepb.FrameKind_FRAME_KIND_CHUNK
	j.Chunk.Reset(r.plan.Plan, len(w.launches)-1, r.warps)
	r.behaviour.Reset()
	return j
}

// CountBlock ends the thread block like EndBlock, but only counts it: the totals
// cover it, the trace does not store it. That is how a sample is taken; it must be
// described in Header.Sampling before Finish.
func (w *Writer) CountBlock() error {
	if err := w.check(); err != nil {
		return err
	}
	r := &w.recording
	if !r.inBlock {
		return w.fail(errNoBlock)
	}
	r.behaviour.Reset() // sequence numbers of another chunk
	w.counted.Reset(r.plan.Plan, len(w.launches)-1, r.warps)
	if err := w.endBlock(&w.counted); err != nil {
		return err
	}
	r.behaviour.Reset()
	w.block.Drop()
	w.addVisits(&w.counted)
	return nil
}

// PassOver counts thread blocks of the launch that did not run, as if they did what those
// of the launch that ran do in the mean; before are the totals at its beginning. The
// totals of the run are estimates then, which Sampling says before Finish.
func (w *Writer) PassOver(blocks uint64, before *trace.Totals) error {
	if err := w.check(); err != nil {
		return err
	}
	r := &w.recording
	if !r.active || r.inBlock || r.blocks == 0 {
		return w.fail(errors.New("BUG: thread blocks are passed over of a launch without any that ran"))
	}
	if r.job != nil {
		w.flushChunk()
	}
	t, ran := &w.totals, r.blocks
	share := func(now *uint64, then uint64) uint64 {
		more := proportion(*now-then, blocks, ran)
		*now += more
		return more
	}
	t.WarpInstructions += share(&t.ByClass[0], before.ByClass[0])
	for class := 1; class < len(t.ByClass); class++ {
		t.WarpInstructions += share(&t.ByClass[class], before.ByClass[class])
	}
	share(&t.ThreadInstructions, before.ThreadInstructions)
	share(&t.Visits, before.Visits)
	share(&t.MemoryInstructions, before.MemoryInstructions)
	r.blocks += blocks
	return nil
}

// proportion is n*blocks/ran, rounded down, and at most what a uint64 holds.
func proportion(n, blocks, ran uint64) uint64 {
	high, low := bits.Mul64(n, blocks)
	if high >= ran {
		return math.MaxUint64
	}
	quotient, _ := bits.Div64(high, low, ran)
	return quotient
}

// DropBlock forgets the thread block that has begun and not ended, if there is one: a
// kernel that faulted leaves it behind. The launch then lacks blocks, which
// Header.Sampling must say before Finish.
func (w *Writer) DropBlock() {
	if w.recording.inBlock {
		w.recording.inBlock, w.large.parts = false, 0
		w.block.Drop()
	}
}

// endBlock moves the recorded thread block into a chunk.
func (w *Writer) endBlock(c *chunks.Raw) error {
	r := &w.recording
	r.inBlock = false
	if w.block.TooLarge() {
		return w.fail(fmt.Errorf("launch %d, thread block %d: %w; record a smaller input", len(w.launches)-1, r.block, w.block.ErrTooLarge()))
	}
	threads, err := c.CommitBlock(&w.block, r.block, &r.behaviour, r.launch.FullMask)
	w.totals.ThreadInstructions += threads
	if err != nil {
		return w.fail(fmt.Errorf("launch %d, thread block %d: %w", len(w.launches)-1, r.block, err))
	}
	r.blocks++
	return nil
}

// EndLaunch ends the launch.
func (w *Writer) EndLaunch() error {
	if err := w.check(); err != nil {
		return err
	}
	r := &w.recording
	if !r.active || r.inBlock {
		return w.fail(fmt.Errorf("BUG: a launch ended that had not begun, or inside a thread block"))
	}
	w.flushChunk()
	w.totals.ThreadBlocks += r.blocks
	w.totals.Warps += r.blocks * uint64(r.warps)
	w.totals.Threads += r.blocks * r.launch.Block.Count()
	w.sampled = w.sampled || r.stored != r.launch.Grid.Count()
	r.active = false
	return w.check()
}

// BeginChunk ends the pending chunk early, so that a copy has the chunks of its
// original.
func (w *Writer) BeginChunk() {
	if w.err == nil && !w.ended {
		w.flushChunk()
	}
}

// addVisits adds what the chunk's warps visited to the totals.
func (w *Writer) addVisits(c *chunks.Raw) {
	w.perPath, w.perBlock = c.CountVisits(w.perPath, w.perBlock)
	for id, n := range w.perBlock {
		if n > 0 {
			w.recording.plan.AddVisits(&w.totals, uint32(id), n)
		}
	}
}

// flushChunk submits what is pending, after the events before it.
func (w *Writer) flushChunk() {
	if w.recording.job != nil {
		w.block.Exchange(&w.recording.job.Chunk)
		w.submitChunk()
	}
}

// submitChunk submits what is pending, which has its patterns.
func (w *Writer) submitChunk() {
	r := &w.recording
	w.addVisits(&r.job.Chunk)
	w.attachTimeline(r.job)
	w.leaders.AddChunk(&r.job.Chunk, r.launch.Kernel)
	if w.references {
		w.history.AddChunk(&r.job.Frame, r.launch.Kernel, r.job.Chunk.Blocks[0], r.job.Chunk.Estimate())
	}
	w.out.Submit(r.job)
	r.job = nil
}
