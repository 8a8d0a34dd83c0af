package trace

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/frames"
)

// Verify re-reads the whole trace and checks what opening and ReadChunk take on
// trust: that the file is frames from end to end and the index lists them all, the
// digest, that paths follow the control-flow graph lane by lane from the entry
// block, that masks stay within the warps' lanes, and that the totals are what the
// chunks add up to. The first fault is returned; it names file and place.
//
// A path is checked per lane: a lane's first block is block 0, each later one is a
// successor of the one before, so a lane that has left the kernel never returns.
func Verify(r *Reader) error {
	v := verifier{r: r, chunk: NewChunk(), digest: frames.NewDigester(), place: indexPlace{x: &r.index}}
	if err := v.run(); err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return nil
}

type verifier struct {
	r      *Reader
	chunk  *Chunk
	digest frames.Digester
	totals Totals
	place  indexPlace
	header *wtapepb.Header

	flow    laneFlow
	perPath []uint64
	cpu     *CPUChunk
}

func (v *verifier) run() error {
	end := int64(v.r.footer.IndexOffset)
	for at := int64(frames.MagicBytes); at < end; {
		h, err := v.r.readFrameHeader(at, end-at, v.chunk)
		if err == nil {
			err = v.frame(at, &h)
		}
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = errBeyondIndex
			}
			return fmt.Errorf("frame at offset %d: %w", at, err)
		}
		at += h.Length()
	}
	if err := v.place.end(); err != nil {
		return err
	}
	if v.header == nil {
		return errors.New("the header frame is missing")
	}
	if err := v.r.compareDigest(&v.digest); err != nil {
		return err
	}
	return v.checkTotals()
}

// frame checks the frame at the offset against the index and its content.
func (v *verifier) frame(at int64, h *frames.Header) error {
	if err := v.place.pass(frameInfo{h.Kind, at, h.Length()}, h.Raw); err != nil {
		return err
	}
	if h.Kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
		i := v.place.chunks - 1
		if err := v.checkChunk(i); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
		v.digest.Add(h.Kind, v.chunk.raw)
		return nil
	}
	_, raw, err := v.r.readFrame(at, h.Length(), v.chunk)
	if err != nil {
		return err
	}
	if h.Kind == wtapepb.FrameKind_FRAME_KIND_HEADER {
		if v.header != nil || v.place.others > 1 {
			return errors.New("a header that is not the first frame")
		}
		v.header = new(wtapepb.Header)
		if err := proto.Unmarshal(raw, v.header); err != nil {
			return err
		}
	}
	if h.Kind == wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK {
		if raw, err = v.checkCPUChunk(); err != nil {
			return err
		}
	}
	v.digest.Add(h.Kind, raw)
	return nil
}

func (v *verifier) checkChunk(i int) error {
	info := &v.r.index.chunks[i]
	c := v.chunk
	if err := v.r.readChunk(info, c); err != nil {
		return err
	}
	if s := v.r.sampling; s != nil {
		for _, block := range c.blocks {
			if !s.has(c.launch, block) {
				return fmt.Errorf("thread block %d of launch %d is in no run of the sampling", block, c.launch)
			}
		}
	}
	l := &v.r.launches[c.launch]
	p := v.r.plans[l.Kernel]
	before := v.totals.WarpInstructions
	v.perPath = columns.Zeroed(v.perPath, len(c.paths.ends))
	if err := v.checkWarps(c, p, l); err != nil {
		return err
	}
	for path, n := range v.perPath {
		for _, id := range c.paths.at(path) {
			p.blocks[id].addVisits(&v.totals, n)
		}
	}
	if n := v.totals.WarpInstructions - before; n != info.WarpInstructions {
		return fmt.Errorf("%d warp instructions, the index says %d", n, info.WarpInstructions)
	}
	v.totals.ThreadBlocks += uint64(len(c.blocks))
	v.totals.Warps += uint64(len(c.warpPath))
	v.totals.Threads += uint64(len(c.blocks)) * l.Block.Count()
	return nil
}

// checkWarps checks each warp's behaviour, once where neighbours share it.
func (v *verifier) checkWarps(c *Chunk, p *plan, l *Launch) error {
	last := behaviour{path: -1}
	for w := range c.warpPath {
		path, masks, guards := int(c.warpPath[w]), int(c.warpMasks[w]), int(c.warpGuards[w])
		lanes := l.fullMask(w % c.warps)
		v.perPath[path]++
		if !last.is(path, masks, guards, lanes) {
			warp := c.warpAt(w)
			record := warpRecord{blocks: warp.Blocks, masks: warp.Masks, guards: warp.Guards}
			err := checkMasks(p, &record, lanes)
			if err == nil {
				err = v.flow.check(p, warp.Blocks, warp.Masks, lanes)
			}
			if err != nil {
				return fmt.Errorf("thread block %d, warp %d: %w", c.blocks[w/c.warps], w%c.warps, err)
			}
			last.path, last.masks, last.guards, last.lanes = path, masks, guards, lanes
			last.threads = p.threadInstructions(warp.Blocks, warp.Masks, warp.Guards)
		}
		v.totals.ThreadInstructions += last.threads
	}
	return nil
}

// checkTotals compares what the chunks add up to with the summary. A sample holds
// less than the totals say; a complete trace exactly that.
func (v *verifier) checkTotals() error {
	v.totals.Launches = uint64(len(v.r.launches))
	v.totals.CPU.Threads = v.r.totals.CPU.Threads // also those without instructions
	for i := range v.r.timeline {
		switch e := &v.r.timeline[i]; e.Kind {
		case EventCopyToDevice:
			v.totals.BytesToDevice += e.Bytes
		case EventCopyToHost:
			v.totals.BytesToHost += e.Bytes
		}
	}
	have, want := v.totals, v.r.totals
	if v.r.header.Sampling == "" {
		if have != want {
			return fmt.Errorf("the trace holds %+v, its summary says %+v", have, want)
		}
		return v.checkComplete()
	}
	if have.exceeds(&want) {
		return fmt.Errorf("the sample holds %+v, more than the whole run's %+v", have, want)
	}
	return nil
}

// exceeds reports whether anything that thread blocks bring is more than in the whole.
func (t *Totals) exceeds(whole *Totals) bool {
	for class, n := range t.ByClass {
		if n > whole.ByClass[class] {
			return true
		}
	}
	return t.ThreadBlocks > whole.ThreadBlocks || t.Warps > whole.Warps || t.Threads > whole.Threads ||
		t.WarpInstructions > whole.WarpInstructions || t.ThreadInstructions > whole.ThreadInstructions ||
		t.Visits > whole.Visits || t.MemoryInstructions > whole.MemoryInstructions
}

// checkComplete verifies that every launch has all its thread blocks.
func (v *verifier) checkComplete() error {
	for i := range v.r.launches {
		stored := uint64(0)
		first, end := v.r.LaunchChunks(i)
		for _, c := range v.r.index.chunks[first:end] {
			stored += uint64(c.Blocks)
		}
		if grid := v.r.launches[i].Grid.Count(); stored != grid {
			return fmt.Errorf("launch %d has %d of %d thread blocks, but the header names no sampling", i, stored, grid)
		}
	}
	return nil
}

// checkCPUChunk decodes the CPU chunk that was passed last and counts it.
func (v *verifier) checkCPUChunk() (raw []byte, err error) {
	if v.cpu == nil {
		v.cpu = NewCPUChunk()
	}
	if err := v.r.readCPUChunk(&v.r.index.cpu[v.place.cpu-1], v.cpu); err != nil {
		return nil, err
	}
	totals := v.cpu.totals()
	v.totals.CPU.add(&totals)
	return v.cpu.raw, nil
}
