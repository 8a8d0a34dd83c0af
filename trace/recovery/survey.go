// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
)

// unmoved is where the frame lies that another refers to, without an index: nothing may
// have come or gone between them. A wrong one would decompress to wrong content.
func (v *survey) unmoved(offset, at int64) (int64, error) {
	still := v.footed && int64(v.content.File.Footer.IndexOffset) == v.content.File.Size-frames.FooterBytes-int64(v.content.File.Footer.IndexLength)
	if at < int64(frames.MagicBytes) || at >= offset {
		return 0, frames.ErrNoFrame
	}
	between := func(gap int64) bool { return gap >= at && gap < offset }
	if !still && slices.ContainsFunc(v.gaps, between) {
		return 0, errUnsureReference
	}
	return at, nil
}

var errUnsureReference = errors.New("the frame that it refers to cannot be told: bytes between them are no frame")

// piece is a frame that is whole or damaged, or bytes that are no frame, in the order
// in which they were recorded.
type piece struct {
	container.FrameInfo // kind 0: no frame
	whole               bool
	expected            int // in survey.expected, -1 without an index
}

// survey finds the frames of a damaged file.
type survey struct {
	content *content.Content // of the file, with repaired headers
	patches *patchedReader
	scratch *content.Chunk
	cpu     *content.CPUChunk
	buffer  []byte

	indexed  bool // the index is whole, and lists what is expected
	footed   bool // the footer is whole
	expected []expectedFrame
	placed   map[int64]int // by where they are, the expected frames
	moved    int64         // by how much the index has
	walked   []piece       // what a walk with an index found
	end      int64         // frames lie before it
	gaps     []int64       // offsets where bytes may have come or gone, without an index
	overhead int64         // bytes of magic, index and footer
	vain     int64         // bytes of payloads of false headers
}

func newSurvey(in io.ReaderAt, size int64, name string) *survey {
	p := &patchedReader{in: in}
	return &survey{
		content: &content.Content{Name: name, File: container.File{In: p, Size: size}}, patches: p,
		scratch: new(content.Chunk), cpu: new(content.CPUChunk), placed: map[int64]int{}, buffer: make([]byte, scanBytes), end: size,
	}
}

// run returns the file's content in order: what its index lists if that is whole, and
// else what is there.
func (v *survey) run() ([]piece, error) {
	if err := v.readEnds(); err != nil {
		return nil, err
	}
	if v.indexed {
		err := v.byIndex()
		return v.expectedPieces(), err
	}
	v.content.File.Relocate = v.unmoved
	pieces, err := v.walk()
	if err != nil {
		return nil, err
	}
	if found, err := v.findIndex(pieces); found || err != nil {
		return v.expectedPieces(), err
	}
	if !slices.ContainsFunc(pieces, func(p piece) bool { return p.whole }) && v.content.File.Version == 0 {
		return nil, errors.New("is no Warptape trace (it does not start with its magic, and has no whole frame)")
	}
	return pieces, nil
}

// byIndex looks for what the index lists.
func (v *survey) byIndex() error {
	if v.inPlace() {
		return nil
	}
	err := v.match()
	v.proveByDigest()
	return err
}

// walk goes from frame to frame, and looks for the next one where there is none.
func (v *survey) walk() (pieces []piece, err error) {
	for at := int64(frames.MagicBytes); at < v.end; {
		n := len(pieces)
		if pieces, err = v.step(pieces, at); err != nil {
			return nil, err
		}
		for _, p := range pieces[n:] {
			at = p.Offset + p.Length
		}
	}
	return pieces, nil
}

// step appends what lies at the offset, at least one piece.
func (v *survey) step(pieces []piece, at int64) ([]piece, error) {
	h, err := v.header(at)
	if err == nil && !h.Known() {
		return nil, fmt.Errorf("frame at offset %d: unknown kind %d: the trace is of a later version, use a newer Warptape", at, h.Kind)
	}
	if err == nil && v.payloadHolds(at, &h) {
		return append(pieces, piece{container.FrameInfo{Kind: h.Kind, Offset: at, Length: h.Length()}, true, -1}), nil
	}
	damaged := err == nil
	if damaged && at+h.Length() <= v.end {
		if _, err := v.header(at + h.Length()); err == nil || at+h.Length() == v.end {
			return append(pieces, piece{container.FrameInfo{Kind: h.Kind, Offset: at, Length: h.Length()}, false, -1}), nil
		}
	}
	next, err := v.resync(at + 1)
	if err != nil {
		return nil, err
	}
	v.gaps = append(v.gaps, at)
	if damaged { // what its header says, as far as no other frame begins in it
		end := min(at+h.Length(), next)
		return append(pieces, piece{container.FrameInfo{Kind: h.Kind, Offset: at, Length: end - at}, false, -1}), nil
	}
	if length := v.repairUnknown(at, next); length > 0 {
		v.gaps = v.gaps[:len(v.gaps)-1]
		h, err := v.header(at)
		if err != nil {
			return nil, err
		}
		return append(pieces, piece{container.FrameInfo{Kind: h.Kind, Offset: at, Length: length}, true, -1}), nil
	}
	return append(pieces, piece{container.FrameInfo{Kind: 0, Offset: at, Length: next - at}, false, -1}), nil
}

// header reads the frame header at the offset.
func (v *survey) header(at int64) (frames.Header, error) {
	return v.content.File.ReadFrameHeader(at, v.end-at, &v.scratch.Frame)
}

// payloadHolds compares the payload of a frame with its checksum.
func (v *survey) payloadHolds(at int64, h *frames.Header) bool {
	sum, err := v.sum(at+frames.HeaderBytes, int64(h.Stored))
	return err == nil && sum == h.CRC
}

// sum is the checksum of a part of the file.
func (v *survey) sum(at, n int64) (sum uint32, err error) {
	for n > 0 {
		b := v.buffer[:min(n, int64(len(v.buffer)))]
		if _, err := v.patches.in.ReadAt(b, at); err != nil {
			return 0, err
		}
		sum = crc32.Update(sum, frames.Castagnoli, b)
		at, n = at+int64(len(b)), n-int64(len(b))
	}
	return sum, nil
}

// scanBytes are read at a time.
const scanBytes = 1 << 16

// vainFactor bounds the bytes of payloads that a search reads for nothing, in sizes of
// the file: only a file that was made for it has many false headers.
const vainFactor = 16

// resync finds the next whole frame from an offset on, or the end.
func (v *survey) resync(at int64) (int64, error) {
	window := make([]byte, scanBytes)
	for at < v.end {
		b := window[:min(int64(len(window)), v.end-at)]
		if _, err := v.patches.in.ReadAt(b, at); err != nil {
			return 0, err
		}
		i := bytes.Index(b, []byte(frames.Mark))
		if patch := v.patches.next(at); patch >= 0 && patch < at+int64(len(b)) && (i < 0 || patch < at+int64(i)) {
			i = int(patch - at)
		}
		if i < 0 {
			at += max(int64(len(b)-len(frames.Mark)+1), 1)
			continue
		}
		at += int64(i)
		if h, err := v.header(at); err == nil && h.Known() {
			if v.payloadHolds(at, &h) {
				return at, nil
			}
			if v.vain += int64(h.Stored); v.vain > vainFactor*v.content.File.Size {
				return 0, fmt.Errorf("offset %d: more false frame headers than damage makes: this is no damaged trace", at)
			}
		}
		at++
	}
	return v.end, nil
}
