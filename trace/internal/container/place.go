// SPDX-License-Identifier: Apache-2.0

package container

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// ErrBeyondIndex is for a frame that reaches into the index.
var ErrBeyondIndex = errors.New("the frame does not end before the index")

// Place goes through the frames of an index in the order of the file.
type Place struct {
	x                   *Index
	Chunks, Others, CPU int // passed
}

// NewPlace is before the first frame of an index.
func NewPlace(x *Index) Place { return Place{x: x} }

// Pass checks that the next frame of the file is the next one of the index; raw is
// its uncompressed length.
func (p *Place) Pass(f FrameInfo, raw uint32) error {
	if f.Kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
		if p.Chunks == len(p.x.Chunks) || p.x.Chunks[p.Chunks].Offset != f.Offset || p.x.Chunks[p.Chunks].Length != f.Length {
			return errors.New("the index lacks this chunk")
		}
		p.Chunks++
		return sameRaw(raw, p.x.Chunks[p.Chunks-1].RawBytes)
	}
	if p.Others == len(p.x.Others) || p.x.Others[p.Others] != f {
		return errors.New("the index lacks this frame")
	}
	p.Others++
	if !frames.CPUChunk(f.Kind) {
		return nil
	}
	p.CPU++ // the index has as many as it lists frames of that kind
	return sameRaw(raw, p.x.CPU[p.CPU-1].RawBytes)
}

// FrameName names the frame at the offset, which may have been passed last.
func (p *Place) FrameName(offset int64, kind wtapepb.FrameKind) string {
	if i := p.Chunks - 1; kind == wtapepb.FrameKind_FRAME_KIND_CHUNK && i >= 0 && p.x.Chunks[i].Offset == offset {
		return p.x.ChunkName(i)
	}
	return fmt.Sprintf("frame at offset %d", offset)
}

func sameRaw(have uint32, want int64) error {
	if int64(have) != want {
		return fmt.Errorf("%d bytes uncompressed, the index says %d", have, want)
	}
	return nil
}

// End checks that the index has no more.
func (p *Place) End() error {
	if p.Chunks != len(p.x.Chunks) || p.Others != len(p.x.Others) {
		return fmt.Errorf("the index lists %d chunks and %d other frames, the file has %d and %d",
			len(p.x.Chunks), len(p.x.Others), p.Chunks, p.Others)
	}
	return nil
}
