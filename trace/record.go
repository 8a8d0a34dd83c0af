package trace

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// recording is the state between BeginLaunch and EndLaunch.
type recording struct {
	active, inBlock bool
	plan            *plan
	launch          *Launch
	warps           int
	block           uint64 // current or last
	anyBlock        bool
	blocks, stored  uint64 // ended so far, and how many of those the trace stores
	job             *frameJob
	behaviour       behaviour
}

// BeginLaunch adds a launch and its event in the host timeline, and returns the
// index of the launch. Between it and EndLaunch come the thread blocks. after lists
// earlier events that the launch waits for beyond the order of its stream.
func (w *Writer) BeginLaunch(l Launch, after ...int) (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	if w.recording.active {
		return 0, w.fail(fmt.Errorf("BUG: launch %d began inside launch %d", len(w.launches), len(w.launches)-1))
	}
	index := len(w.launches)
	if err := l.validate(len(w.plans)); err != nil {
		return 0, w.fail(fmt.Errorf("launch %d: %w", index, err))
	}
	w.launches = append(w.launches, l)
	if _, err := w.addEvent(HostEvent{Kind: EventLaunch, Launch: index, Stream: l.Stream, After: after}); err != nil {
		return 0, err
	}
	w.totals.Launches++
	r := &w.recording
	*r = recording{active: true, plan: w.plans[l.Kernel], launch: &w.launches[index], warps: l.Warps(), behaviour: r.behaviour}
	w.block.reset(r.warps)
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
	w.block.reset(r.warps)
}

// Visit records that a warp of the current thread block executes a basic block
// with the active lanes in mask. For each warp the order of its Visit calls is the
// order of execution, and likewise for Guard and for Access; warps may interleave.
func (w *Writer) Visit(warp int, block, mask uint32) {
	b := &w.block
	if b.visits > maxThreadBlockVisits {
		return
	}
	b.visits++
	r := &b.warps[warp]
	r.blocks = append(r.blocks, block)
	r.masks = append(r.masks, mask)
}

// Guard records the guard mask of one execution of a guarded instruction
// (Instruction.Guarded): the active lanes whose guard holds.
func (w *Writer) Guard(warp int, mask uint32) {
	b := &w.block
	if b.guards > maxThreadBlockVisits {
		return
	}
	b.guards++
	r := &b.warps[warp]
	r.guards = append(r.guards, mask)
}

// Access records the byte addresses of one execution of a memory instruction for
// the lanes in mask, which is the guard mask of a guarded instruction and the
// active mask of any other. The other elements of addresses do not matter, and
// none is used after the call. The mask may be empty.
func (w *Writer) Access(warp int, mask uint32, addresses *[WarpSize]uint64) {
	if mask == 0 {
		w.AccessStrided(warp, 0, 0, 0)
		return
	}
	if base, stride, ok := lanecode.DetectStride(mask, addresses); ok {
		w.AccessStrided(warp, mask, base, int64(stride))
		return
	}
	b := &w.block
	if b.memory > maxThreadBlockAccesses || b.sets > maxThreadBlockLaneSets {
		return
	}
	b.memory++
	r := &b.warps[warp]
	base, pattern := b.lanes.Add(mask, addresses)
	b.sets++
	r.accesses = append(r.accesses, lanecode.Access{Base: base, Lanes: pattern, Mask: mask})
}

// AccessStrided is Access for a caller that knows the pattern: lane i of the mask
// is at base + i*stride. A stride of 2 GiB and more is stored as explicit
// addresses.
func (w *Writer) AccessStrided(warp int, mask uint32, base uint64, stride int64) {
	if int64(int32(stride)) != stride {
		var addresses [WarpSize]uint64
		for lane := range addresses {
			addresses[lane] = base + uint64(int64(lane)*stride)
		}
		w.Access(warp, mask, &addresses)
		return
	}
	b := &w.block
	if b.memory > maxThreadBlockAccesses {
		return
	}
	b.memory++
	r := &b.warps[warp]
	r.accesses = append(r.accesses, lanecode.Access{Base: base, Stride: int32(stride), Lanes: -1, Mask: mask})
}

var errNoBlock = errors.New("BUG: a thread block ended that had not begun")

// EndBlock ends the thread block. It fails with an error that starts with "BUG:"
// when what was recorded contradicts itself: a visit of an unknown basic block or
// of lanes that the warp does not have, guard or access masks that do not fit the
// visits.
func (w *Writer) EndBlock() error {
	if err := w.check(); err != nil {
		return err
	}
	r := &w.recording
	if !r.inBlock {
		return w.fail(errNoBlock)
	}
	if r.job == nil {
		r.job = w.out.take()
		r.job.kind = wtapepb.FrameKind_FRAME_KIND_CHUNK
		r.job.chunk.reset(r.plan, len(w.launches)-1, r.warps)
		r.behaviour.reset()
	}
	if err := w.endBlock(&r.job.chunk); err != nil {
		return err
	}
	r.stored++
	if r.job.chunk.full() {
		w.flushChunk()
	}
	return w.err
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
	r.behaviour.reset() // sequence numbers of another chunk
	w.counted.reset(r.plan, len(w.launches)-1, r.warps)
	if err := w.endBlock(&w.counted); err != nil {
		return err
	}
	r.behaviour.reset()
	w.block.lanes.Drop()
	w.perPath, w.perBlock = w.counted.addVisits(&w.totals, w.perPath, w.perBlock)
	return nil
}

// endBlock moves the recorded thread block into a chunk.
func (w *Writer) endBlock(c *rawChunk) error {
	r := &w.recording
	r.inBlock = false
	if w.block.tooLarge() {
		return w.fail(fmt.Errorf("launch %d, thread block %d: more than %d basic-block visits or guards, %d memory instructions or %d irregular ones in one thread block; record a smaller input",
			len(w.launches)-1, r.block, maxThreadBlockVisits, maxThreadBlockAccesses, maxThreadBlockLaneSets))
	}
	if err := w.commitBlock(c); err != nil {
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

// beginChunk ends the pending chunk early, so that a copy has the chunks of its
// original.
func (w *Writer) beginChunk() {
	if w.err == nil && !w.ended {
		w.flushChunk()
	}
}

// flushChunk submits what is pending, after the events before it.
func (w *Writer) flushChunk() {
	r := &w.recording
	if r.job == nil {
		return
	}
	w.perPath, w.perBlock = r.job.chunk.addVisits(&w.totals, w.perPath, w.perBlock)
	w.flushTimeline()
	w.block.lanes.Exchange(&r.job.chunk.lanes)
	w.leaders.addChunk(&r.job.chunk, r.launch.Kernel)
	if w.references {
		w.memories.addChunk(r.job, r.launch.Kernel)
	}
	w.out.submit(r.job)
	r.job = nil
}
