// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"errors"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/cpuchunks"
)

// salvage is the content of a damaged file, whose index lists what is saved, and what is
// not. Kernels and launches keep their numbers: one that is lost has no plan, or no
// kernel.
type salvage struct {
	content *content.Content
	survey  *survey
	chunk   *content.Chunk
	cpu     *content.CPUChunk

	losses    []Loss
	used      []container.FrameInfo // in the new trace
	usedBytes int64
	blocks    uint64 // saved
	threads   int    // CPU threads with a whole chunk

	headed bool
	// unsureKernels and unsureLaunches mean that it is not known how many came before:
	// bytes that are no frame may have been some.
	unsureKernels, unsureLaunches bool
	held                          []*wtapepb.Timeline // until their launches can be numbered
	events                        int                 // that still have the number that they were recorded with
	unsureEvents                  bool
	lostEvents                    bool // and no wait stands for them yet
}

var (
	errDamaged      = errors.New("damaged")
	errLostKernel   = errors.New("its kernel is lost")
	errLostLaunch   = errors.New("the event of its launch is lost")
	errContradicts  = errors.New("the launches before it are not those that it follows")
	errMisplaced    = errors.New("does not belong here")
	errUnsureKernel = errors.New("which kernel it is cannot be told behind bytes that are no frame")
)

// takeAll takes up what is whole and notes what is not.
func (s *salvage) takeAll(pieces []piece) error {
	for i := range pieces {
		if s.survey.indexed {
			s.announce(&s.survey.expected[pieces[i].expected])
		}
		if err := s.take(&pieces[i]); err != nil {
			return err
		}
	}
	s.release(int(min(s.content.Totals.Launches, maxLostLaunches)))
	if n := s.content.Totals.CPU.Threads; !s.content.Summarised || n > cpuchunks.MaxThreads || n < uint64(s.threads) {
		s.content.Totals.CPU.Threads = uint64(s.threads)
	}
	if !s.headed {
		s.content.Initial = s.content.Header
	}
	return nil
}

// announce numbers launches by a chunk of the index, also if the chunk is lost.
func (s *salvage) announce(e *expectedFrame) {
	if e.chunk != nil {
		s.release(e.chunk.Launch + 1)
	}
}

func (s *salvage) take(p *piece) error {
	if !p.whole {
		s.lose(p, errDamaged)
		s.missed(p.Kind)
		return nil
	}
	if p.Kind >= 128 || p.Kind == wtapepb.FrameKind_FRAME_KIND_INDEX {
		s.usedBytes += p.Length
		return nil
	}
	err := s.takeWhole(p)
	if err != nil {
		s.lose(p, err)
		if !errors.Is(err, errMisplaced) && !errors.Is(err, errUnsureKernel) {
			s.missed(p.Kind)
		}
		return nil
	}
	s.used = append(s.used, p.FrameInfo)
	s.usedBytes += p.Length
	return nil
}

func (s *salvage) takeWhole(p *piece) error {
	switch p.Kind {
	case wtapepb.FrameKind_FRAME_KIND_CHUNK:
		return s.takeChunk(p)
	case wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK, wtapepb.FrameKind_FRAME_KIND_CPU_SYNC_CHUNK:
		return s.takeCPUChunk(p)
	case wtapepb.FrameKind_FRAME_KIND_TIMELINE:
		return s.takeTimeline(p)
	case wtapepb.FrameKind_FRAME_KIND_KERNEL:
		return s.takeKernel(p)
	}
	if p.Kind == wtapepb.FrameKind_FRAME_KIND_HEADER && s.headed || p.Kind == wtapepb.FrameKind_FRAME_KIND_SUMMARY && s.content.Summarised {
		return errMisplaced
	}
	if err := s.content.ReadMetadata(p.FrameInfo, &s.chunk.Frame); err != nil {
		return err
	}
	s.headed = s.headed || p.Kind == wtapepb.FrameKind_FRAME_KIND_HEADER
	return nil
}

// missed keeps the numbers of kernels and launches right, or notes that they are not.
func (s *salvage) missed(kind wtapepb.FrameKind) {
	switch kind {
	case wtapepb.FrameKind_FRAME_KIND_KERNEL:
		s.addLostKernel()
	case wtapepb.FrameKind_FRAME_KIND_TIMELINE:
		s.missEvents()
	case 0:
		if s.content.Summarised {
			return // only CPU chunks and the index can follow
		}
		s.unsureKernels = true
		s.missEvents()
	}
}

func (s *salvage) missEvents() {
	s.release(0)
	s.unsureLaunches, s.unsureEvents, s.lostEvents = true, true, true
}

func (s *salvage) addLostKernel() {
	s.content.Kernels, s.content.Plans = append(s.content.Kernels, trace.Kernel{}), append(s.content.Plans, nil)
	s.content.File.Index.Others = append(s.content.File.Index.Others, container.FrameInfo{Kind: wtapepb.FrameKind_FRAME_KIND_KERNEL, Offset: s.lastOffset()})
}

// lastOffset is that of the frame that was taken last among those that are not chunks.
func (s *salvage) lastOffset() int64 {
	if n := len(s.content.File.Index.Others); n > 0 {
		return s.content.File.Index.Others[n-1].Offset
	}
	return 0
}

func (s *salvage) takeKernel(p *piece) error {
	if s.unsureKernels {
		return errUnsureKernel
	}
	if err := s.content.ReadMetadata(p.FrameInfo, &s.chunk.Frame); err != nil {
		return err
	}
	s.content.File.Index.Others = append(s.content.File.Index.Others, p.FrameInfo)
	return nil
}

// takeChunk adds the chunk to the index if it can be decoded, holds together, and
// comes after those before it.
func (s *salvage) takeChunk(p *piece) error {
	info := container.ChunkInfo{Offset: p.Offset, Length: p.Length}
	if err := s.readChunk(&info, p); err != nil {
		return err
	}
	s.content.File.Index.Chunks = append(s.content.File.Index.Chunks, info)
	s.blocks += uint64(info.Blocks)
	return nil
}

// readChunk reads a chunk and describes it.
func (s *salvage) readChunk(info *container.ChunkInfo, p *piece) error {
	r, c := s.content, s.chunk
	if err := r.DescribeChunk(info, c); err != nil {
		return err
	}
	if want := s.expectedChunk(p); want != nil && (want.Launch != info.Launch || want.FirstBlock != info.FirstBlock || want.LastBlock != info.LastBlock) {
		return errMisplaced
	}
	if !r.File.Index.Precedes(info.Launch, info.FirstBlock) {
		return errMisplaced
	}
	s.release(info.Launch + 1)
	if p.expected < 0 && info.Launch+1 != len(r.Launches) {
		return errContradicts // a piece of a timeline came or went unnoticed
	}
	switch {
	case info.Launch >= len(r.Launches) || r.Launches[info.Launch].Kernel < 0:
		return errLostLaunch
	case r.LostLaunch(info.Launch):
		return errLostKernel
	}
	if err := c.Decode(r.Launches, r.Plans); err != nil {
		return err
	}
	info.Blocks, info.RawBytes = len(c.Decoded.Blocks), int64(len(c.Frame.Raw))
	info.WarpInstructions = c.Decoded.WarpInstructions()
	l := &r.Launches[c.Decoded.Launch]
	return c.CheckMasks(r.Plans[l.Kernel], l)
}

// expectedChunk is what the index says of a chunk, nil without an index.
func (s *salvage) expectedChunk(p *piece) *container.ChunkInfo {
	if p.expected < 0 {
		return nil
	}
	return s.survey.expected[p.expected].chunk
}

// takeCPUChunk adds a CPU chunk that can be decoded and comes after those before it.
func (s *salvage) takeCPUChunk(p *piece) error {
	c := s.cpu
	if err := s.content.DecodeCPUChunk(p.Offset, p.Length, c); err != nil {
		return err
	}
	info := container.CPUChunkInfo{Thread: c.Thread, First: c.First, Instructions: len(c.Steps), Offset: p.Offset, Length: p.Length, RawBytes: int64(len(c.Raw))}
	if n := len(s.content.File.Index.CPU); n > 0 {
		last := &s.content.File.Index.CPU[n-1]
		if info.Thread < last.Thread || info.Thread == last.Thread && info.First < last.First+uint64(last.Instructions) {
			return errMisplaced
		}
	}
	s.content.File.Index.CPU = append(s.content.File.Index.CPU, info)
	s.threads = max(s.threads, c.Thread+1)
	return nil
}

// lose notes that a piece is not saved.
func (s *salvage) lose(p *piece, cause error) {
	if p.Kind == wtapepb.FrameKind_FRAME_KIND_INDEX || p.Kind >= 128 || p.Kind == 0 && s.content.Summarised {
		return // made anew, or no content, or behind all content
	}
	l := Loss{Offset: p.Offset, Bytes: p.Length, Kind: lossKind(p.Kind), Cause: cause.Error()}
	if p.expected >= 0 {
		e := &s.survey.expected[p.expected]
		switch {
		case e.chunk != nil:
			l.Known, l.Launch, l.FirstBlock, l.LastBlock, l.Blocks = true, e.chunk.Launch, e.chunk.FirstBlock, e.chunk.LastBlock, uint64(e.chunk.Blocks)
		case e.cpu != nil:
			n := uint64(e.cpu.Instructions)
			l.Known, l.Launch, l.FirstBlock, l.LastBlock, l.Blocks = true, e.cpu.Thread, e.cpu.First, e.cpu.First+n-1, n
		}
	}
	s.note(l)
}

func (s *salvage) note(l Loss) { s.losses = append(s.losses, l) }
