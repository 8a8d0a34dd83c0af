package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/warptape/warptape/proto/wtapepb"
)

// Recovered says what Recover saved.
type Recovered struct {
	Chunks int `json:"chunks"` // saved
	Lost   int `json:"lost"`   // chunks of which the frame is there but not readable
	// End is the offset up to which the file consists of whole frames.
	End int64 `json:"end"`
	// Complete means that the file had everything but its index: nothing is lost.
	Complete bool   `json:"complete"`
	Totals   Totals `json:"totals"` // of the new trace
}

// Recover writes a trace of every whole chunk of a file that was cut off, that is
// damaged, or that a killed recording left behind (.NAME.N.partial). The new trace
// is complete, with the digest of the recording, when only the index or the footer
// is missing. Otherwise Header.Sampling says "recovered: ..." with what is
// missing; the totals are then those of the run if the file still has its summary,
// and else cover what was saved. It fails, and writes nothing, when there is
// neither a whole chunk nor a summary.
func Recover(path, output string, options Options) (Recovered, error) {
	f, err := os.Open(path)
	if err != nil {
		return Recovered{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Recovered{}, err
	}
	if !info.Mode().IsRegular() {
		return Recovered{}, fmt.Errorf("%s: not a regular file; recovery needs random access", path)
	}
	s, err := newSalvage(f, info.Size(), path)
	if err != nil {
		return Recovered{}, err
	}
	w, err := Create(output, s.r.initial, options)
	if err != nil {
		return Recovered{}, err
	}
	defer w.Abort()
	return s.write(w)
}

// salvage is a Reader of a file without a usable index, and what is wrong with it.
type salvage struct {
	r    *Reader
	lost int
	end  int64
	// threads is the number of CPU threads with a whole chunk.
	threads int
}

func newSalvage(in io.ReaderAt, size int64, name string) (*salvage, error) {
	s := &salvage{r: &Reader{name: name, in: in, size: size}}
	if err := s.r.readMagic(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := s.walk(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !s.r.summarised {
		s.r.totals.CPU.Threads = uint64(s.threads)
	}
	if len(s.r.index.chunks) == 0 && len(s.r.index.cpu) == 0 && !s.r.summarised {
		return nil, fmt.Errorf("%s: no whole chunk up to offset %d: there is nothing to recover, record it again", name, s.end)
	}
	return s, nil
}

// walk takes up frame after frame until the index or the first one that is not
// whole. A chunk that cannot be read is passed over; without a kernel or a piece
// of the timeline the launches after it would be counted wrongly, so there it ends.
func (s *salvage) walk() error {
	scratch, cpu := NewChunk(), NewCPUChunk()
	for s.end = int64(magicBytes); s.end < s.r.size; {
		h, err := s.r.readFrameHeader(s.end, s.r.size-s.end, scratch)
		if err != nil || h.kind == wtapepb.FrameKind_FRAME_KIND_INDEX {
			return nil
		}
		if !h.known() {
			return fmt.Errorf("frame at offset %d: unknown kind %d: the trace is of a later version, use a newer Warptape", s.end, h.kind)
		}
		if h.kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
			s.takeChunk(h.length(), scratch)
		} else if h.kind == wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK {
			s.takeCPUChunk(h.length(), cpu)
		} else if err := s.takeMetadata(&h, scratch); err != nil {
			return nil
		}
		s.end += h.length()
	}
	return nil
}

func (s *salvage) takeMetadata(h *frameHeader, scratch *Chunk) error {
	o := frameInfo{h.kind, s.end, h.length()}
	if first := len(s.r.index.others) == 0; first != (h.kind == wtapepb.FrameKind_FRAME_KIND_HEADER) {
		return errors.New("the header is not the first frame")
	}
	if err := s.r.readMetadata(o, scratch); err != nil {
		return err
	}
	s.r.index.others = append(s.r.index.others, o)
	return nil
}

// takeChunk adds the chunk to the index if it can be decoded, holds together, and
// comes after those before it.
func (s *salvage) takeChunk(length int64, c *Chunk) {
	info := ChunkInfo{Offset: s.end, Length: length}
	if err := s.readChunk(&info, c); err != nil {
		s.lost++
		return
	}
	s.r.index.chunks = append(s.r.index.chunks, info)
}

// takeCPUChunk adds a CPU chunk that can be decoded and continues its thread.
func (s *salvage) takeCPUChunk(length int64, c *CPUChunk) {
	_, raw, err := s.r.readFrame(s.end, length, c.scratch)
	if err == nil {
		err = c.decode(raw)
	}
	info := CPUChunkInfo{Thread: c.Thread, First: c.First, Instructions: len(c.Steps), Offset: s.end, Length: length, RawBytes: int64(len(raw))}
	if err != nil || !info.follows(s.r.index.cpu) {
		s.lost++
		return
	}
	s.r.index.cpu = append(s.r.index.cpu, info)
	s.threads = max(s.threads, c.Thread+1)
}

// readChunk reads a chunk that no index describes, and describes it.
func (s *salvage) readChunk(info *ChunkInfo, c *Chunk) error {
	r := s.r
	if err := r.describeChunk(info, c); err != nil {
		return err
	}
	if n := len(r.index.chunks); n > 0 && !r.index.chunks[n-1].before(info.Launch, info.FirstBlock) {
		return errors.New("not after the chunk before it")
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

// write transcribes what was found.
func (s *salvage) write(w *Writer) (Recovered, error) {
	report := Recovered{Chunks: len(s.r.index.chunks) + len(s.r.index.cpu), Lost: s.lost, End: s.end, Complete: s.r.summarised && s.lost == 0}
	t := newTranscription(s.r, w)
	if err := t.run(); err != nil {
		return report, err
	}
	if err := t.transcribeCPU(); err != nil {
		return report, err
	}
	header := s.r.initial
	if s.r.summarised {
		header, w.totals = s.r.header, s.r.totals
	}
	if !report.Complete {
		header.Sampling = strings.TrimPrefix(header.Sampling+"; "+s.note(), "; ")
	}
	w.UpdateHeader(func(h *Header) { *h = header.clone() })
	report.Totals = w.Totals()
	return report, w.Finish()
}

// note describes the loss for Header.Sampling.
func (s *salvage) note() string {
	note := fmt.Sprintf("recovered: %d whole chunks of %d bytes", len(s.r.index.chunks)+len(s.r.index.cpu), s.end)
	if s.lost > 0 {
		note += fmt.Sprintf(", %d chunks damaged", s.lost)
	}
	if s.r.summarised {
		return note + ", totals of the whole run"
	}
	return note + ", cut off there, totals of what is stored"
}
