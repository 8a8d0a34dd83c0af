// SPDX-License-Identifier: Apache-2.0

package container

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// readReference returns the payload of the frame that the frame at the offset
// refers to; the buffer keeps it for the next time.
func (f *File) readReference(h *frames.Header, offset int64, scratch *Buffer) ([]byte, error) {
	if len(scratch.stored) < frames.ReferenceBytes {
		return nil, errors.New("the frame is too short for its reference")
	}
	distance := binary.LittleEndian.Uint64(scratch.stored)
	if distance == 0 || distance > uint64(offset-int64(frames.MagicBytes)) && f.Relocate == nil {
		return nil, fmt.Errorf("it refers to a frame %d bytes before it, outside of the file", distance)
	}
	at := offset - int64(distance)
	if f.Relocate != nil {
		moved, err := f.Relocate(offset, at)
		if err != nil {
			return nil, err
		}
		at = moved
	}
	if scratch.referenceOf == f && scratch.referenceAt == at && scratch.referenceKind == h.Kind {
		return scratch.reference, nil
	}
	scratch.referenceOf = nil
	raw, err := f.readRoot(h.Kind, at, offset, scratch)
	if err != nil {
		return nil, fmt.Errorf("the frame at offset %d that it refers to: %w", at, err)
	}
	scratch.reference, scratch.referenceOf, scratch.referenceAt, scratch.referenceKind = raw, f, at, h.Kind
	return raw, nil
}

func (f *File) readRoot(kind wtapepb.FrameKind, at, end int64, scratch *Buffer) ([]byte, error) {
	var b [frames.HeaderBytes]byte
	if end-at < frames.HeaderBytes {
		return nil, frames.ErrNoFrame
	}
	if _, err := f.In.ReadAt(b[:], at); err != nil {
		return nil, err
	}
	var h frames.Header
	if err := h.Parse(b[:]); err != nil {
		return nil, err
	}
	switch {
	case h.Length() > end-at:
		return nil, frames.ErrNoFrame
	case h.Kind != kind:
		return nil, fmt.Errorf("is of kind %d, want %d", h.Kind, kind)
	case h.Compression == frames.CompressionReference:
		return nil, errors.New("refers to another frame itself")
	}
	stored := make([]byte, h.Stored)
	if _, err := f.In.ReadAt(stored, at+frames.HeaderBytes); err != nil {
		return nil, err
	}
	return frames.Decompress(scratch.reference, &h, stored, nil)
}
