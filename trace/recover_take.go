package trace

import (
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
)

// salvage is a Reader of a damaged file, whose index lists what is saved, and what is
// not. Kernels and launches keep their numbers: one that is lost has no plan, or no
// kernel.
type salvage struct {
	r      *Reader
	survey *survey
	chunk  *Chunk
	cpu    *CPUChunk

	losses    []Loss
	used      []frameInfo // in the new trace
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
	s.release(int(min(s.r.totals.Launches, maxLostLaunches)))
	if n := s.r.totals.CPU.Threads; !s.r.summarised || n > maxCPUThreads || n < uint64(s.threads) {
		s.r.totals.CPU.Threads = uint64(s.threads)
	}
	if !s.headed {
		s.r.initial = s.r.header
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
		s.missed(p.kind)
		return nil
	}
	if p.kind >= 128 || p.kind == wtapepb.FrameKind_FRAME_KIND_INDEX {
		s.usedBytes += p.length
		return nil
	}
	err := s.takeWhole(p)
	if err != nil {
		s.lose(p, err)
		if !errors.Is(err, errMisplaced) && !errors.Is(err, errUnsureKernel) {
			s.missed(p.kind)
		}
		return nil
	}
	s.used = append(s.used, p.frameInfo)
	s.usedBytes += p.length
	return nil
}

func (s *salvage) takeWhole(p *piece) error {
	switch p.kind {
	case wtapepb.FrameKind_FRAME_KIND_CHUNK:
		return s.takeChunk(p)
	case wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK:
		return s.takeCPUChunk(p)
	case wtapepb.FrameKind_FRAME_KIND_TIMELINE:
		return s.takeTimeline(p)
	case wtapepb.FrameKind_FRAME_KIND_KERNEL:
		return s.takeKernel(p)
	}
	if p.kind == wtapepb.FrameKind_FRAME_KIND_HEADER && s.headed || p.kind == wtapepb.FrameKind_FRAME_KIND_SUMMARY && s.r.summarised {
		return errMisplaced
	}
	if err := s.r.readMetadata(p.frameInfo, s.chunk); err != nil {
		return err
	}
	s.headed = s.headed || p.kind == wtapepb.FrameKind_FRAME_KIND_HEADER
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
		if s.r.summarised {
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
	s.r.kernels, s.r.plans = append(s.r.kernels, Kernel{}), append(s.r.plans, nil)
	s.r.index.others = append(s.r.index.others, frameInfo{kind: wtapepb.FrameKind_FRAME_KIND_KERNEL, offset: s.lastOffset()})
}

// lastOffset is that of the frame that was taken last among those that are not chunks.
func (s *salvage) lastOffset() int64 {
	if n := len(s.r.index.others); n > 0 {
		return s.r.index.others[n-1].offset
	}
	return 0
}

func (s *salvage) takeKernel(p *piece) error {
	if s.unsureKernels {
		return errUnsureKernel
	}
	if err := s.r.readMetadata(p.frameInfo, s.chunk); err != nil {
		return err
	}
	s.r.index.others = append(s.r.index.others, p.frameInfo)
	return nil
}

func (s *salvage) takeTimeline(p *piece) error {
	h, raw, err := s.r.readFrame(p.offset, p.length, s.chunk)
	if err != nil {
		return err
	}
	if s.r.metadataBytes += int64(h.Raw); s.r.metadataBytes > maxMetadataBytes {
		return fmt.Errorf("more than %d bytes of kernels and events", maxMetadataBytes)
	}
	if err := checkMessageSize(p.kind, raw); err != nil {
		return err
	}
	m := new(wtapepb.Timeline)
	if err := proto.Unmarshal(raw, m); err != nil {
		return err
	}
	for _, e := range m.Events {
		if kind := EventKind(clampByte(uint32(e.GetKind()))); kind == EventInvalid || kind >= eventEnd {
			return fmt.Errorf("an event has the unknown kind %d", e.GetKind())
		}
	}
	s.held = append(s.held, m)
	if !s.unsureLaunches {
		s.release(0)
	}
	return nil
}

// release adds the timelines that were held. There are so many launches up to here; a
// writer puts a launch's event, and none of a later launch, before its first chunk. Those
// that are missing were lost before the timelines; timelines of more do not belong here.
func (s *salvage) release(launches int) {
	if s.unsureLaunches && launches > 0 {
		first := len(s.held) // of those that can be
		for ; first > 0; first-- {
			n := launchesOf(s.held[first-1])
			if launches-n < len(s.r.launches) {
				break
			}
			launches -= n
		}
		s.held = s.held[first:]
		for len(s.r.launches) < min(launches, maxLostLaunches) {
			s.r.launches = append(s.r.launches, Launch{Kernel: -1})
		}
		s.unsureLaunches = false
	}
	for _, m := range s.held {
		s.addEvents(m)
	}
	s.held = nil
}

func launchesOf(m *wtapepb.Timeline) (n int) {
	for _, e := range m.Events {
		if e.Kind == wtapepb.EventKind_EVENT_KIND_LAUNCH {
			n++
		}
	}
	return n
}

// maxLostLaunches bounds what a chunk with a wild launch makes of itself.
const maxLostLaunches = 1 << 22

// addEvents appends the events of a timeline. An event that waits for one whose number
// is not known, and what follows lost events, waits for all streams.
func (s *salvage) addEvents(m *wtapepb.Timeline) {
	r := s.r
	for _, e := range m.Events {
		known := slices.DeleteFunc(slices.Clone(e.After), func(i uint32) bool { return int64(i) >= int64(s.events) })
		if s.lostEvents || len(known) < len(e.After) {
			r.timeline = append(r.timeline, HostEvent{Kind: EventSynchronize, AllStreams: true})
			s.lostEvents, s.unsureEvents = false, true
		}
		e.After = known
		event, err := eventFromProto(e, len(r.timeline), len(r.launches))
		if err != nil {
			s.note(Loss{Kind: "event", Cause: err.Error()})
			event = HostEvent{Kind: EventSynchronize, AllStreams: true}
		}
		if e.Kind == wtapepb.EventKind_EVENT_KIND_LAUNCH {
			r.launches = append(r.launches, s.launch(e, err))
		}
		r.timeline = append(r.timeline, event)
		if !s.unsureEvents {
			s.events++
		}
	}
}

// launch is that of an event; one that cannot be has no kernel.
func (s *salvage) launch(e *wtapepb.HostEvent, err error) Launch {
	l := launchFromProto(e.Launch)
	if problem := l.validate(len(s.r.kernels)); err != nil || problem != nil {
		if !s.unsureKernels {
			s.note(Loss{Kind: "launch", Cause: fmt.Sprint(errors.Join(err, problem))})
		}
		return Launch{Kernel: -1}
	}
	return l
}

// lostLaunch reports whether nothing of the launch can be saved.
func (r *Reader) lostLaunch(launch int) bool {
	k := r.launches[launch].Kernel
	return k < 0 || r.plans[k] == nil
}

// takeChunk adds the chunk to the index if it can be decoded, holds together, and
// comes after those before it.
func (s *salvage) takeChunk(p *piece) error {
	info := ChunkInfo{Offset: p.offset, Length: p.length}
	if err := s.readChunk(&info, p); err != nil {
		return err
	}
	s.r.index.chunks = append(s.r.index.chunks, info)
	s.blocks += uint64(info.Blocks)
	return nil
}

// readChunk reads a chunk and describes it.
func (s *salvage) readChunk(info *ChunkInfo, p *piece) error {
	r, c := s.r, s.chunk
	if err := r.describeChunk(info, c); err != nil {
		return err
	}
	if want := s.expectedChunk(p); want != nil && (want.Launch != info.Launch || want.FirstBlock != info.FirstBlock || want.LastBlock != info.LastBlock) {
		return errMisplaced
	}
	if n := len(r.index.chunks); n > 0 && !r.index.chunks[n-1].before(info.Launch, info.FirstBlock) {
		return errMisplaced
	}
	s.release(info.Launch + 1)
	if p.expected < 0 && info.Launch+1 != len(r.launches) {
		return errContradicts // a piece of a timeline came or went unnoticed
	}
	switch {
	case info.Launch >= len(r.launches) || r.launches[info.Launch].Kernel < 0:
		return errLostLaunch
	case r.lostLaunch(info.Launch):
		return errLostKernel
	}
	if err := c.decode(r.launches, r.plans); err != nil {
		return err
	}
	info.Blocks, info.RawBytes = len(c.blocks), int64(len(c.raw))
	for _, path := range c.warpPath {
		info.WarpInstructions += c.pathCounts[path].instructions
	}
	l := &r.launches[c.launch]
	return checkChunkMasks(c, r.plans[l.Kernel], l)
}

// expectedChunk is what the index says of a chunk, nil without an index.
func (s *salvage) expectedChunk(p *piece) *ChunkInfo {
	if p.expected < 0 {
		return nil
	}
	return s.survey.expected[p.expected].chunk
}

// takeCPUChunk adds a CPU chunk that can be decoded and comes after those before it.
func (s *salvage) takeCPUChunk(p *piece) error {
	c := s.cpu
	_, raw, err := s.r.readFrame(p.offset, p.length, c.scratch)
	if err == nil {
		err = c.decode(raw)
	}
	if err != nil {
		return err
	}
	info := CPUChunkInfo{Thread: c.Thread, First: c.First, Instructions: len(c.Steps), Offset: p.offset, Length: p.length, RawBytes: int64(len(raw))}
	if n := len(s.r.index.cpu); n > 0 {
		last := &s.r.index.cpu[n-1]
		if info.Thread < last.Thread || info.Thread == last.Thread && info.First < last.First+uint64(last.Instructions) {
			return errMisplaced
		}
	}
	s.r.index.cpu = append(s.r.index.cpu, info)
	s.threads = max(s.threads, c.Thread+1)
	return nil
}

// lose notes that a piece is not saved.
func (s *salvage) lose(p *piece, cause error) {
	if p.kind == wtapepb.FrameKind_FRAME_KIND_INDEX || p.kind >= 128 || p.kind == 0 && s.r.summarised {
		return // made anew, or no content, or behind all content
	}
	l := Loss{Offset: p.offset, Bytes: p.length, Kind: lossKind(p.kind), Cause: cause.Error()}
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
