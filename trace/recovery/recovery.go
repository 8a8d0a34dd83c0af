// SPDX-License-Identifier: Apache-2.0

// Package recovery saves what is whole in a damaged trace. A survey finds the frames of the
// file: it reads the ends, walks from frame to frame, matches what it finds with the index
// and repairs headers. A salvage takes up what can be decoded and belongs together, and
// writes it as a new trace.
package recovery

import (
	"fmt"
	"io"
	"os"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/pending"
	"github.com/warptape/warptape/trace/wtape"
)

// Report says what Recover saved, and what it did not.
type Report struct {
	Chunks       int    `json:"chunks"`        // saved, CPU chunks included
	ThreadBlocks uint64 `json:"thread_blocks"` // saved
	LostChunks   int    `json:"lost_chunks"`   // CPU chunks included
	LostBlocks   uint64 `json:"lost_blocks"`   // thread blocks
	// AtLeast means that more chunks may be lost than are counted: the file has no
	// whole index, and bytes in it that are no frame.
	AtLeast bool `json:"at_least,omitempty"`
	// Losses are the stretches of the file that are not in the new trace, in order,
	// and chunks that are lost with another frame. Index and footer are none: they
	// are made anew.
	Losses []Loss `json:"losses"`
	// SkippedBytes of the file are neither in a frame that was used nor in magic,
	// index and footer.
	SkippedBytes int64 `json:"skipped_bytes"`
	// Repaired frame headers were damaged, with a payload that is proved whole by a
	// checksum.
	Repaired int `json:"repaired,omitempty"`
	// Indexed means that the index was whole, so that every loss is known.
	Indexed bool `json:"indexed"`
	// Complete means that everything but magic, index, footer and frame headers was
	// whole: nothing is lost.
	Complete bool         `json:"complete"`
	Totals   trace.Totals `json:"totals"` // of the new trace
}

// Loss is something that a recovered trace does not have.
type Loss struct {
	Offset int64 `json:"offset"` // in the damaged file; where it was written if it is not there
	Bytes  int64 `json:"bytes"`
	// Kind of frame: "header", "kernel", "timeline", "chunk", "CPU chunk", "summary";
	// "unknown" for bytes that are no frame.
	Kind  string `json:"kind"`
	Cause string `json:"cause"`
	// Known says whether it is known what the chunk held: thread blocks of a launch,
	// or CPU instructions of a thread.
	Known                 bool   `json:"known,omitempty"`
	Launch                int    `json:"launch,omitempty"` // or the CPU thread
	FirstBlock, LastBlock uint64 `json:",omitempty"`       // or the CPU instructions
	Blocks                uint64 `json:"blocks,omitempty"` // or how many CPU instructions
}

// String describes the loss without its offset.
func (l *Loss) String() string {
	switch {
	case !l.Known:
		return l.Kind
	case l.Kind == lostCPUChunk:
		return fmt.Sprintf("%s (thread %d, instructions %d to %d)", l.Kind, l.Launch, l.FirstBlock, l.LastBlock)
	}
	return fmt.Sprintf("%s (launch %d, %d thread blocks, %d to %d)", l.Kind, l.Launch, l.Blocks, l.FirstBlock, l.LastBlock)
}

const (
	lostUnknown  = "unknown"
	lostChunk    = "chunk"
	lostCPUChunk = "CPU chunk"
)

// lossKinds names the kinds of frames that can be lost.
var lossKinds = map[wtapepb.FrameKind]string{
	wtapepb.FrameKind_FRAME_KIND_HEADER:         "header",
	wtapepb.FrameKind_FRAME_KIND_KERNEL:         "kernel",
	wtapepb.FrameKind_FRAME_KIND_TIMELINE:       "timeline",
	wtapepb.FrameKind_FRAME_KIND_CHUNK:          lostChunk,
	wtapepb.FrameKind_FRAME_KIND_SUMMARY:        "summary",
	wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK:      lostCPUChunk,
	wtapepb.FrameKind_FRAME_KIND_CPU_SYNC_CHUNK: lostCPUChunk,
}

// lossKind names a kind of frame.
func lossKind(kind wtapepb.FrameKind) string {
	if name, ok := lossKinds[kind]; ok {
		return name
	}
	return lostUnknown
}

// Recover writes a trace of everything that is whole in a file that was cut off, that
// is damaged, or that a killed recording left behind (.NAME.N.partial). A frame is
// whole when its checksums say so. Frames are where the index puts them, if the index
// is whole, also when bytes before them came or went. Without an index they are found
// by their mark and checksums. A chunk is saved when it, the frame that it refers to,
// its kernel and the event of its launch are whole.
//
// The new trace is complete, with the digest of the recording, when nothing is lost.
// Otherwise Header.Sampling says "recovered: ..." with what is missing; launches whose
// kernel or event is lost are left out and later ones numbered anew. The totals are
// those of the run if the file still has its summary, and else cover what was saved.
// It fails, and writes nothing, when there is neither a whole chunk nor a summary.
func Recover(path, output string, options wtape.Options) (Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return Report{}, err
	}
	defer f.Close()
	pending.Keep(f) // output may be the name that it was to have
	info, err := f.Stat()
	if err != nil {
		return Report{}, err
	}
	if !info.Mode().IsRegular() {
		return Report{}, fmt.Errorf("%s: not a regular file; recovery needs random access", path)
	}
	s, err := newSalvage(f, info.Size(), path)
	if err != nil {
		return Report{}, err
	}
	w, err := wtape.Create(output, s.content.Initial, options)
	if err != nil {
		return Report{}, err
	}
	defer w.Abort()
	return s.write(w)
}

// newSalvage finds what is whole in a file.
func newSalvage(in io.ReaderAt, size int64, name string) (*salvage, error) {
	v := newSurvey(in, size, name)
	pieces, err := v.run()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &salvage{content: v.content, survey: v, cpu: new(content.CPUChunk), chunk: new(content.Chunk)}
	if err := s.takeAll(pieces); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(s.content.File.Index.Chunks) == 0 && len(s.content.File.Index.CPU) == 0 && !s.content.Summarised {
		return nil, fmt.Errorf("%s: no whole chunk that can be read, and no summary: there is nothing to recover, record it again", name)
	}
	return s, nil
}
