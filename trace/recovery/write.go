// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/transcriber"
	"github.com/warptape/warptape/trace/wtape"
)

// write transcribes what was found.
func (s *salvage) write(w *wtape.Writer) (Report, error) {
	t := transcriber.New(s.content, w)
	if err := t.Run(); err != nil {
		return Report{}, err
	}
	if err := t.RunCPU(); err != nil {
		return Report{}, err
	}
	if err := w.BeginCPUChunk(); err != nil { // counts what is pending
		return Report{}, err
	}
	saved := w.Totals()
	report := s.report(&saved)
	header := s.content.Initial
	if s.content.Summarised {
		header = s.content.Header
		if covers(&s.content.Totals, &saved) {
			w.SetTotals(s.content.Totals)
		}
	}
	if !report.Complete {
		header.Sampling = strings.TrimPrefix(header.Sampling+"; "+report.note(s.content.Summarised), "; ")
	} else if s.content.Sampling != nil {
		w.SetSampling(s.content.Sampling)
	}
	w.UpdateHeader(func(h *trace.Header) { *h = header.Clone() })
	report.Totals = w.Totals()
	return report, w.Finish()
}

// covers reports whether a run with these totals can have the part with the others.
func covers(t, part *trace.Totals) bool {
	return t.WarpInstructions >= part.WarpInstructions && t.ThreadInstructions >= part.ThreadInstructions && t.ThreadBlocks >= part.ThreadBlocks &&
		t.CPU.Threads >= part.CPU.Threads && t.CPU.Instructions >= part.CPU.Instructions
}

// report says what was saved, given the counts of it.
func (s *salvage) report(saved *trace.Totals) Report {
	r := Report{
		Chunks: len(s.content.File.Index.Chunks) + len(s.content.File.Index.CPU), ThreadBlocks: s.blocks, Losses: s.losses,
		Indexed: s.survey.indexed, SkippedBytes: s.content.File.Size - s.survey.overhead - s.usedBytes,
	}
	for _, f := range s.used {
		if s.survey.patches.has(f.Offset) {
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
	r.Complete = len(s.losses) == 0 && s.content.Summarised && s.proved(saved)
	r.AtLeast = !r.Indexed && !r.Complete
	if stored, ok := s.recordedBlocks(); ok && !r.Indexed && stored > s.blocks {
		r.LostBlocks = stored - s.blocks
	}
	return r
}

// recordedBlocks is how many thread blocks the whole trace held.
func (s *salvage) recordedBlocks() (n uint64, ok bool) {
	switch {
	case !s.content.Summarised:
		return 0, false
	case s.content.Header.Sampling == "":
		return s.content.Totals.ThreadBlocks, true
	case s.content.Sampling != nil:
		for _, run := range s.content.Sampling.Runs {
			n += run.Blocks
		}
		return n, true
	}
	return 0, false
}

// proved reports whether what was saved is known to be all: by the digest of the footer,
// or else by the summary.
func (s *salvage) proved(saved *trace.Totals) bool {
	if s.survey.footed {
		return s.digest().Matches(s.content.File.Footer.Digest)
	}
	if s.content.Header.Sampling == "" || s.content.Sampling == nil {
		return *saved == s.content.Totals
	}
	return s.content.Sampling.Validate(s.content.Launches, s.content.StoredBlocks, &s.content.Totals) == nil
}

// digest is that of the frames which were used.
func (s *salvage) digest() frames.Digester {
	d := frames.NewDigester()
	for _, f := range s.used {
		_, raw, err := s.content.File.ReadFrame(f.Offset, f.Length, &s.chunk.Frame)
		if err != nil {
			return frames.NewDigester() // of nothing
		}
		d.Add(f.Kind, raw)
	}
	return d
}

// note describes the loss for Header.Sampling.
func (r *Report) note(summarised bool) string {
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
func (r *Report) lost(kind string) (n int) {
	for i := range r.Losses {
		if r.Losses[i].Kind == kind {
			n++
		}
	}
	return n
}
