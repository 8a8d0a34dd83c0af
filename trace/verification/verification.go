// SPDX-License-Identifier: Apache-2.0

// Package verification checks all of a trace: what opening and reading it take on trust.
package verification

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/wtape"
)

// Verify re-reads the whole trace and checks what opening and ReadChunk take on
// trust. The file has to be frames from end to end, with an index that lists them
// all and a right digest. Paths have to follow the control-flow graph lane by lane
// from the entry block, and masks to stay within the warps' lanes. The totals have
// to be what the chunks add up to. The first fault is returned; it names file and
// place.
//
// A path is checked per lane. A lane's first block is block 0; each later one is a
// successor of the one before, so a lane that has left the kernel never returns.
func Verify(r *wtape.Reader) error {
	c := r.Content()
	v := verifier{content: c, digest: frames.NewDigester(), place: container.NewPlace(&c.File.Index)}
	if err := v.run(); err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return nil
}

type verifier struct {
	content *content.Content
	chunk   content.Chunk
	digest  frames.Digester
	totals  trace.Totals
	place   container.Place
	header  *wtapepb.Header

	flow              laneFlow
	perPath, perBlock []uint64
	cpu               content.CPUChunk
}

func (v *verifier) run() error {
	end := int64(v.content.File.Footer.IndexOffset)
	for at := int64(frames.MagicBytes); at < end; {
		h, err := v.content.File.ReadFrameHeader(at, end-at, &v.chunk.Frame)
		if err == nil {
			err = v.frame(at, &h)
		}
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = container.ErrBeyondIndex
			}
			return fmt.Errorf("frame at offset %d: %w", at, err)
		}
		at += h.Length()
	}
	if err := v.place.End(); err != nil {
		return err
	}
	if v.header == nil {
		return errors.New("the header frame is missing")
	}
	if err := v.content.CompareDigest(&v.digest); err != nil {
		return err
	}
	return v.checkTotals()
}

// frame checks the frame at the offset against the index and its content.
func (v *verifier) frame(at int64, h *frames.Header) error {
	if err := v.place.Pass(container.FrameInfo{Kind: h.Kind, Offset: at, Length: h.Length()}, h.Raw); err != nil {
		return err
	}
	if h.Kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
		i := v.place.Chunks - 1
		if err := v.checkChunk(i); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
		v.digest.Add(h.Kind, v.chunk.Frame.Raw)
		return nil
	}
	_, raw, err := v.content.File.ReadFrame(at, h.Length(), &v.chunk.Frame)
	if err != nil {
		return err
	}
	if h.Kind == wtapepb.FrameKind_FRAME_KIND_HEADER {
		if v.header != nil || v.place.Others > 1 {
			return errors.New("a header that is not the first frame")
		}
		v.header = new(wtapepb.Header)
		if err := proto.Unmarshal(raw, v.header); err != nil {
			return err
		}
	}
	if frames.CPUChunk(h.Kind) {
		if raw, err = v.checkCPUChunk(); err != nil {
			return err
		}
	}
	v.digest.Add(h.Kind, raw)
	return nil
}

func (v *verifier) checkChunk(i int) error {
	info := &v.content.File.Index.Chunks[i]
	c := &v.chunk
	d := &c.Decoded
	if err := v.content.ReadChunk(info, c); err != nil {
		return err
	}
	if s := v.content.Sampling; s != nil {
		for _, block := range d.Blocks {
			if !s.Has(d.Launch, block) {
				return fmt.Errorf("thread block %d of launch %d is in no run of the sampling", block, d.Launch)
			}
		}
	}
	l := &v.content.Launches[d.Launch]
	p := v.content.Plans[l.Kernel]
	before := v.totals.WarpInstructions
	threads, err := d.CheckWarps(p.Plan, l.FullMask, func(warp int, lanes uint32) error {
		blocks, masks, _ := d.Warp(warp)
		return v.flow.check(&v.content.Kernels[l.Kernel], blocks, masks, lanes)
	})
	if err != nil {
		return err
	}
	v.totals.ThreadInstructions += threads
	v.perPath, v.perBlock = d.CountVisits(p.Plan, v.perPath, v.perBlock)
	for id, n := range v.perBlock {
		if n > 0 {
			p.AddVisits(&v.totals, uint32(id), n)
		}
	}
	if n := v.totals.WarpInstructions - before; n != info.WarpInstructions {
		return fmt.Errorf("%d warp instructions, the index says %d", n, info.WarpInstructions)
	}
	v.totals.ThreadBlocks += uint64(len(d.Blocks))
	v.totals.Warps += uint64(len(d.Blocks)) * uint64(d.Warps)
	v.totals.Threads += uint64(len(d.Blocks)) * l.Block.Count()
	return nil
}

// checkTotals compares what the chunks add up to with the summary. A sample holds
// less than the totals say; a complete trace exactly that.
func (v *verifier) checkTotals() error {
	v.totals.Launches = uint64(len(v.content.Launches))
	v.totals.CPU.Threads = v.content.Totals.CPU.Threads // also those without instructions
	for i := range v.content.Timeline {
		switch e := &v.content.Timeline[i]; e.Kind {
		case trace.EventCopyToDevice:
			v.totals.BytesToDevice += e.Bytes
		case trace.EventCopyToHost:
			v.totals.BytesToHost += e.Bytes
		}
	}
	have, want := v.totals, v.content.Totals
	if v.content.Header.Sampling == "" {
		if have != want {
			return fmt.Errorf("the trace holds %+v, its summary says %+v", have, want)
		}
		return v.checkComplete()
	}
	if exceeds(&have, &want) {
		return fmt.Errorf("the sample holds %+v, more than the whole run's %+v", have, want)
	}
	return nil
}

// exceeds reports whether anything that thread blocks bring is more than in the whole.
func exceeds(t, whole *trace.Totals) bool {
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
	for i := range v.content.Launches {
		stored := uint64(0)
		first, end := v.content.LaunchChunks(i)
		for _, c := range v.content.File.Index.Chunks[first:end] {
			stored += uint64(c.Blocks)
		}
		if grid := v.content.Launches[i].Grid.Count(); stored != grid {
			return fmt.Errorf("launch %d has %d of %d thread blocks, but the header names no sampling", i, stored, grid)
		}
	}
	return nil
}

// checkCPUChunk decodes the CPU chunk that was passed last and counts it.
func (v *verifier) checkCPUChunk() (raw []byte, err error) {
	if err := v.content.ReadCPUChunk(&v.content.File.Index.CPU[v.place.CPU-1], &v.cpu); err != nil {
		return nil, err
	}
	v.totals.CPU.CountSteps(v.cpu.Table, v.cpu.Steps, v.cpu.Taken)
	v.totals.CPU.Syncs += uint64(len(v.cpu.Syncs))
	return v.cpu.Raw, nil
}
