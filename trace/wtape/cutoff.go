// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
)

// CutOffError reports a trace without its end: recording was killed, or a copy was
// not completed.
type CutOffError struct {
	Name        string // of the trace
	WholeChunks int
	// The last whole chunk, when WholeChunks is not zero.
	Launch                int
	FirstBlock, LastBlock uint64
	// End is the offset up to which the file consists of whole frames.
	End int64
}

func (e *CutOffError) Error() string {
	last := ""
	if e.WholeChunks > 0 {
		last = fmt.Sprintf(" (last: launch %d, thread blocks %d to %d)", e.Launch, e.FirstBlock, e.LastBlock)
	}
	return fmt.Sprintf("%s: the trace is cut off after %d whole chunks%s, at offset %d: copy it again or record it again",
		e.Name, e.WholeChunks, last, e.End)
}

// cutOff walks the frames of a trace without a footer and describes how far it
// goes. It reads only the frame headers and the last chunks.
func cutOff(c *content.Content) error {
	e := &CutOffError{Name: c.Name, End: int64(frames.MagicBytes)}
	var chunks []ChunkInfo
	var last frames.Header
	scratch := new(content.Chunk)
	for e.End < c.File.Size {
		h, err := c.File.ReadFrameHeader(e.End, c.File.Size-e.End, &scratch.Frame)
		if err != nil {
			break // the part that was cut, or garbage after it
		}
		if !h.Known() {
			return fmt.Errorf("frame at offset %d: unknown kind %d: the trace is of a later version, use a newer Warptape", e.End, h.Kind)
		}
		if h.Kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
			chunks = append(chunks, ChunkInfo{Offset: e.End, Length: h.Length()})
		}
		e.End += h.Length()
		last = h
	}
	if last.Kind == wtapepb.FrameKind_FRAME_KIND_INDEX && c.File.Size-e.End > frames.FooterBytes {
		return fmt.Errorf("%d bytes follow the end of the trace at offset %d: remove them or copy it again", c.File.Size-e.End-frames.FooterBytes, e.End+frames.FooterBytes)
	}
	for len(chunks) > 0 {
		chunk := &chunks[len(chunks)-1]
		if err := c.DescribeChunk(chunk, scratch); err == nil {
			e.Launch, e.FirstBlock, e.LastBlock = chunk.Launch, chunk.FirstBlock, chunk.LastBlock
			break
		}
		e.End = chunk.Offset // its payload is damaged
		chunks = chunks[:len(chunks)-1]
	}
	e.WholeChunks = len(chunks)
	return e
}
