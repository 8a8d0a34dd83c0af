// SPDX-License-Identifier: Apache-2.0

// Package container reads the file of a trace as frames: magic, index and footer, and
// every frame with what it refers to. It knows nothing of what frames hold.
package container

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// File is a file of frames. Any number of goroutines may read from it at once, each with
// a Buffer of its own.
type File struct {
	In   io.ReaderAt
	Size int64

	Version byte // of the format
	Footer  frames.Footer
	Index   Index
	// Relocate, for recovery, gives the offset of the frame that the frame at the
	// offset refers to, where frames do not lie where they were written. at is where
	// it would lie.
	Relocate func(offset, at int64) (int64, error)
}

// Buffer is the memory into which a frame is read. It is reused.
type Buffer struct {
	Raw    []byte // the payload
	stored []byte // the payload as it is stored

	// The payload of the frame that was referred to last, and which that is.
	reference     []byte
	referenceOf   *File
	referenceAt   int64
	referenceKind wtapepb.FrameKind
}

// Bytes is the memory of the buffer.
func (b *Buffer) Bytes() int64 { return int64(cap(b.Raw) + cap(b.stored) + cap(b.reference)) }

// ReadMagic reads the version of the format.
func (f *File) ReadMagic() error {
	var b [frames.MagicBytes]byte
	if f.Size < int64(len(b)) {
		return fmt.Errorf("is no Warptape trace (%d bytes)", f.Size)
	}
	if _, err := f.In.ReadAt(b[:], 0); err != nil {
		return err
	}
	if string(b[:len(frames.Magic)]) != frames.Magic {
		return errors.New("is no Warptape trace (it does not start with its magic)")
	}
	if v := b[len(frames.Magic)]; v < 1 || v > frames.MajorVersion {
		return fmt.Errorf("has trace format version %d, this program reads versions 1 to %d: use the Warptape that wrote it, or a newer one", v, frames.MajorVersion)
	}
	f.Version = b[len(frames.Magic)]
	return nil
}

// ReadFooter reads where the index lies.
func (f *File) ReadFooter() error {
	var b [frames.FooterBytes]byte
	at := f.Size - frames.FooterBytes
	if at < int64(frames.MagicBytes) {
		return frames.ErrNoFooter
	}
	if _, err := f.In.ReadAt(b[:], at); err != nil {
		return err
	}
	if err := f.Footer.Parse(b[:], f.Version); err != nil {
		return err
	}
	offset, length := f.Footer.IndexOffset, f.Footer.IndexLength
	if offset < uint64(frames.MagicBytes) || offset > uint64(at) || length != uint64(at)-offset {
		return fmt.Errorf("the footer puts %d bytes of index at offset %d of a file of %d bytes", length, offset, f.Size)
	}
	return nil
}

// ReadIndex reads the index that the footer names.
func (f *File) ReadIndex() error {
	h, raw, err := f.ReadFrame(int64(f.Footer.IndexOffset), int64(f.Footer.IndexLength), new(Buffer))
	if err != nil {
		return err
	}
	if h.Kind != wtapepb.FrameKind_FRAME_KIND_INDEX {
		return fmt.Errorf("is a frame of kind %d", h.Kind)
	}
	return f.Index.Unmarshal(raw, int64(f.Footer.IndexOffset))
}

// ReadFrameHeader reads the header of the frame at offset. At most limit bytes of the
// frame can be there.
func (f *File) ReadFrameHeader(offset, limit int64, scratch *Buffer) (frames.Header, error) {
	var h frames.Header
	if limit < frames.HeaderBytes {
		return h, io.ErrUnexpectedEOF
	}
	scratch.stored = slices.Grow(scratch.stored[:0], frames.HeaderBytes)[:frames.HeaderBytes]
	if _, err := f.In.ReadAt(scratch.stored, offset); err != nil {
		return h, err
	}
	if err := h.Parse(scratch.stored); err != nil {
		return h, err
	}
	if h.Length() > limit {
		return h, io.ErrUnexpectedEOF
	}
	return h, nil
}

// ReadFrame reads and decompresses the frame at offset, whose length must be as
// given. The payload lies in the buffer.
func (f *File) ReadFrame(offset, length int64, scratch *Buffer) (frames.Header, []byte, error) {
	h, err := f.ReadFrameHeader(offset, length, scratch)
	if err != nil {
		return h, nil, err
	}
	if h.Length() != length {
		return h, nil, fmt.Errorf("the frame has %d bytes, the index says %d", h.Length(), length)
	}
	scratch.stored = slices.Grow(scratch.stored[:0], int(h.Stored))[:h.Stored]
	if _, err := f.In.ReadAt(scratch.stored, offset+frames.HeaderBytes); err != nil {
		return h, nil, err
	}
	var reference []byte
	if h.Compression == frames.CompressionReference {
		if reference, err = f.readReference(&h, offset, scratch); err != nil {
			return h, nil, err
		}
	}
	scratch.Raw, err = frames.Decompress(scratch.Raw, &h, scratch.stored, reference)
	return h, scratch.Raw, err
}
