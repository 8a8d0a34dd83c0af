// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"io"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/frames"
)

// readEnds reads magic, footer and index as far as they are whole. A later version is
// refused unless the footer says that it is none.
func (v *survey) readEnds() error {
	r := v.content
	magicError := r.File.ReadMagic()
	if magicError == nil {
		v.overhead = int64(frames.MagicBytes)
	}
	var b [frames.FooterBytes]byte
	at := r.File.Size - frames.FooterBytes
	if at >= int64(frames.MagicBytes) {
		if _, err := r.File.In.ReadAt(b[:], at); err != nil {
			return err
		}
		v.footed = r.File.Footer.Parse(b[:], frames.FooterVersion) == nil || r.File.Footer.Parse(b[:], frames.FooterVersion-1) == nil
	}
	if v.footed {
		v.end, v.overhead = at, v.overhead+frames.FooterBytes
		if n := r.File.Footer.IndexLength; n <= uint64(at) {
			v.readIndex(at-int64(n), int64(n))
		}
		return nil
	}
	var start [len(frames.Magic)]byte
	if _, err := io.ReadFull(io.NewSectionReader(r.File.In, 0, r.File.Size), start[:]); magicError != nil && (r.File.Size < int64(frames.MagicBytes) || err == nil && string(start[:]) == frames.Magic) {
		return magicError
	}
	return nil
}

// readIndex takes the index frame at the offset, if it is whole. The frames that it
// lists end where it began.
func (v *survey) readIndex(at, length int64) bool {
	h, raw, err := v.content.File.ReadFrame(at, length, &v.scratch.Frame)
	if err != nil || h.Kind != wtapepb.FrameKind_FRAME_KIND_INDEX {
		return false
	}
	var x container.Index
	if x.Unmarshal(raw, maxFileBytes) != nil {
		return false
	}
	v.expected = expectedFrames(&x)
	v.indexed, v.moved = true, 0
	if n := len(v.expected); n > 0 {
		v.moved = at - v.expected[n-1].Offset - v.expected[n-1].Length
	}
	if v.footed {
		v.end = at
	}
	v.overhead += length
	return true
}

// maxFileBytes is more than any file has.
const maxFileBytes = 1 << 62

// findIndex takes the last whole index that the walk came across and that knows most of
// the frames: one of another trace does not.
func (v *survey) findIndex(pieces []piece) (found bool, err error) {
	content := 0
	for _, p := range pieces {
		if p.whole && p.Kind < 128 && p.Kind != wtapepb.FrameKind_FRAME_KIND_INDEX {
			content++
		}
	}
	for _, p := range slices.Backward(pieces) {
		if !p.whole || p.Kind != wtapepb.FrameKind_FRAME_KIND_INDEX {
			continue
		}
		overhead := v.overhead
		if !v.readIndex(p.Offset, p.Length) {
			continue
		}
		if err := v.byIndex(); err != nil {
			return false, err
		}
		if 2*len(v.placed) > content {
			return true, nil
		}
		v.indexed, v.expected, v.overhead = false, nil, overhead
		v.content.File.Relocate = v.unmoved
		clear(v.placed)
	}
	return false, nil
}
