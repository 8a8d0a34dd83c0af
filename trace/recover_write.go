package trace

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// write transcribes what was found.
func (s *salvage) write(w *Writer) (Recovered, error) {
	t := newTranscription(s.r, w)
	if err := t.run(); err != nil {
		return Recovered{}, err
	}
	if err := t.transcribeCPU(); err != nil {
		return Recovered{}, err
	}
	w.flushCPU() // counts what is pending
	report := s.report(&w.totals)
	header := s.r.initial
	if s.r.summarised {
		header = s.r.header
		if s.r.totals.covers(&w.totals) {
			w.totals = s.r.totals
		}
	}
	if report.Complete {
		w.sampling = s.r.sampling
	} else {
		header.Sampling = strings.TrimPrefix(header.Sampling+"; "+report.note(s.r.summarised), "; ")
	}
	w.UpdateHeader(func(h *Header) { *h = header.clone() })
	report.Totals = w.Totals()
	return report, w.Finish()
}

// covers reports whether a run with these totals can have the part with the others.
func (t *Totals) covers(part *Totals) bool {
	return t.WarpInstructions >= part.WarpInstructions && t.ThreadInstructions >= part.ThreadInstructions && t.ThreadBlocks >= part.ThreadBlocks &&
		t.CPU.Threads >= part.CPU.Threads && t.CPU.Instructions >= part.CPU.Instructions
}

// report says what was saved, given the counts of it.
func (s *salvage) report(saved *Totals) Recovered {
	r := Recovered{
		Chunks: len(s.r.index.chunks) + len(s.r.index.cpu), ThreadBlocks: s.blocks, Losses: s.losses,
		Indexed: s.survey.indexed, SkippedBytes: s.r.size - s.survey.overhead - s.usedBytes,
	}
	for _, f := range s.used {
		if s.survey.patches.has(f.offset) {
			r.Repaired++
		}
	}
	for i := range s.losses {
		switch l := &s.losses[i]; l.Kind {
		case lostChunk:
			r.LostChunks++
			r.LostBlocks += l.Blocks
		case lostCPUChunk:
			r.LostChunks++
		}
	}
	r.Complete = len(s.losses) == 0 && s.r.summarised && s.proved(saved)
	r.AtLeast = !r.Indexed && !r.Complete
	if stored, ok := s.recordedBlocks(); ok && !r.Indexed && stored > s.blocks {
		r.LostBlocks = stored - s.blocks
	}
	return r
}

// recordedBlocks is how many thread blocks the whole trace held.
func (s *salvage) recordedBlocks() (n uint64, ok bool) {
	switch {
	case !s.r.summarised:
		return 0, false
	case s.r.header.Sampling == "":
		return s.r.totals.ThreadBlocks, true
	case s.r.sampling != nil:
		for _, run := range s.r.sampling.Runs {
			n += run.Blocks
		}
		return n, true
	}
	return 0, false
}

// proved reports whether what was saved is known to be all: by the digest of the footer,
// or else by the summary.
func (s *salvage) proved(saved *Totals) bool {
	if s.survey.footed {
		return s.digest() == s.r.footer.Digest
	}
	if s.r.header.Sampling == "" || s.r.sampling == nil {
		return *saved == s.r.totals
	}
	return s.r.sampling.validate(s.r.launches, s.r.storedBlocks, &s.r.totals) == nil
}

// digest is that of the frames which were used.
func (s *salvage) digest() (sum [32]byte) {
	d := frames.NewDigester()
	for _, f := range s.used {
		_, raw, err := s.r.readFrame(f.offset, f.length, s.chunk)
		if err != nil {
			return sum
		}
		d.Add(f.kind, raw)
	}
	return d.Sum()
}

// note describes the loss for Header.Sampling.
func (r *Recovered) note(summarised bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "recovered: %d whole chunks", r.Chunks)
	if least := map[bool]string{true: "at least "}[r.AtLeast]; r.LostChunks > 0 || r.LostBlocks > 0 {
		fmt.Fprintf(&b, ", %s%d chunks and %d thread blocks lost", least, r.LostChunks, r.LostBlocks)
	} else if r.AtLeast {
		b.WriteString(", how many are lost is not known")
	}
	for _, kind := range []wtapepb.FrameKind{wtapepb.FrameKind_FRAME_KIND_HEADER, wtapepb.FrameKind_FRAME_KIND_KERNEL,
		wtapepb.FrameKind_FRAME_KIND_TIMELINE, wtapepb.FrameKind_FRAME_KIND_SUMMARY} {
		if n := r.lost(lossKinds[kind]); n > 0 {
			fmt.Fprintf(&b, ", %d %s frames lost", n, lossKinds[kind])
		}
	}
	if len(r.Losses) == 0 && r.Indexed {
		b.WriteString(", which do not have the digest that was recorded")
	}
	if summarised {
		b.WriteString(", totals of the whole run")
	} else {
		b.WriteString(", totals of what is stored")
	}
	return b.String()
}

// lost counts the losses of a kind.
func (r *Recovered) lost(kind string) (n int) {
	for i := range r.Losses {
		if r.Losses[i].Kind == kind {
			n++
		}
	}
	return n
}
