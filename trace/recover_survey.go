package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// unmoved is where the frame lies that another refers to, without an index: nothing may
// have come or gone between them. A wrong one would decompress to wrong content.
func (v *survey) unmoved(offset, at int64) (int64, error) {
	still := v.footed && int64(v.r.footer.IndexOffset) == v.r.size-frames.FooterBytes-int64(v.r.footer.IndexLength)
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
	frameInfo // kind 0: no frame
	whole     bool
	expected  int // in survey.expected, -1 without an index
}

// survey finds the frames of a damaged file.
type survey struct {
	r       *Reader // of the file, with repaired headers
	patches *patchedReader
	scratch *Chunk
	cpu     *CPUChunk
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
		r: &Reader{name: name, in: p, size: size, checked: new(digestCheck)}, patches: p,
		scratch: NewChunk(), cpu: NewCPUChunk(), placed: map[int64]int{}, buffer: make([]byte, scanBytes), end: size,
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
	v.r.relocate = v.unmoved
	pieces, err := v.walk()
	if err != nil {
		return nil, err
	}
	if found, err := v.findIndex(pieces); found || err != nil {
		return v.expectedPieces(), err
	}
	if !slices.ContainsFunc(pieces, func(p piece) bool { return p.whole }) && v.r.version == 0 {
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

// readEnds reads magic, footer and index as far as they are whole. A later version is
// refused unless the footer says that it is none.
func (v *survey) readEnds() error {
	r := v.r
	magicError := r.readMagic()
	if magicError == nil {
		v.overhead = int64(frames.MagicBytes)
	}
	var b [frames.FooterBytes]byte
	at := r.size - frames.FooterBytes
	if at >= int64(frames.MagicBytes) {
		if _, err := r.in.ReadAt(b[:], at); err != nil {
			return err
		}
		v.footed = r.footer.Parse(b[:], frames.FooterVersion) == nil || r.footer.Parse(b[:], frames.FooterVersion-1) == nil
	}
	if v.footed {
		v.end, v.overhead = at, v.overhead+frames.FooterBytes
		if n := r.footer.IndexLength; n <= uint64(at) {
			v.readIndex(at-int64(n), int64(n))
		}
		return nil
	}
	var start [len(frames.Magic)]byte
	if _, err := io.ReadFull(io.NewSectionReader(r.in, 0, r.size), start[:]); magicError != nil && (r.size < int64(frames.MagicBytes) || err == nil && string(start[:]) == frames.Magic) {
		return magicError
	}
	return nil
}

// readIndex takes the index frame at the offset, if it is whole. The frames that it
// lists end where it began.
func (v *survey) readIndex(at, length int64) bool {
	h, raw, err := v.r.readFrame(at, length, v.scratch)
	if err != nil || h.Kind != wtapepb.FrameKind_FRAME_KIND_INDEX {
		return false
	}
	var x index
	if x.unmarshal(raw, maxFileBytes) != nil {
		return false
	}
	v.expected = expectedFrames(&x)
	v.indexed, v.moved = true, 0
	if n := len(v.expected); n > 0 {
		v.moved = at - v.expected[n-1].offset - v.expected[n-1].length
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
		if p.whole && p.kind < 128 && p.kind != wtapepb.FrameKind_FRAME_KIND_INDEX {
			content++
		}
	}
	for _, p := range slices.Backward(pieces) {
		if !p.whole || p.kind != wtapepb.FrameKind_FRAME_KIND_INDEX {
			continue
		}
		overhead := v.overhead
		if !v.readIndex(p.offset, p.length) {
			continue
		}
		if err := v.byIndex(); err != nil {
			return false, err
		}
		if 2*len(v.placed) > content {
			return true, nil
		}
		v.indexed, v.expected, v.overhead = false, nil, overhead
		v.r.relocate = v.unmoved
		clear(v.placed)
	}
	return false, nil
}

// walk goes from frame to frame, and looks for the next one where there is none.
func (v *survey) walk() (pieces []piece, err error) {
	for at := int64(frames.MagicBytes); at < v.end; {
		n := len(pieces)
		if pieces, err = v.step(pieces, at); err != nil {
			return nil, err
		}
		for _, p := range pieces[n:] {
			at = p.offset + p.length
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
		return append(pieces, piece{frameInfo{h.Kind, at, h.Length()}, true, -1}), nil
	}
	damaged := err == nil
	if damaged && at+h.Length() <= v.end {
		if _, err := v.header(at + h.Length()); err == nil || at+h.Length() == v.end {
			return append(pieces, piece{frameInfo{h.Kind, at, h.Length()}, false, -1}), nil
		}
	}
	next, err := v.resync(at + 1)
	if err != nil {
		return nil, err
	}
	v.gaps = append(v.gaps, at)
	if damaged { // what its header says, as far as no other frame begins in it
		end := min(at+h.Length(), next)
		return append(pieces, piece{frameInfo{h.Kind, at, end - at}, false, -1}), nil
	}
	if length := v.repairUnknown(at, next); length > 0 {
		v.gaps = v.gaps[:len(v.gaps)-1]
		h, err := v.header(at)
		if err != nil {
			return nil, err
		}
		return append(pieces, piece{frameInfo{h.Kind, at, length}, true, -1}), nil
	}
	return append(pieces, piece{frameInfo{0, at, next - at}, false, -1}), nil
}

// header reads the frame header at the offset.
func (v *survey) header(at int64) (frames.Header, error) {
	return v.r.readFrameHeader(at, v.end-at, v.scratch)
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
			if v.vain += int64(h.Stored); v.vain > vainFactor*v.r.size {
				return 0, fmt.Errorf("offset %d: more false frame headers than damage makes: this is no damaged trace", at)
			}
		}
		at++
	}
	return v.end, nil
}

// patchedReader is a file with some frame headers replaced. Only who reads a header sees
// the new one: where bytes of the old one have gone, it covers the end of the frame
// before it.
type patchedReader struct {
	in      io.ReaderAt
	patches []headerPatch // ascending
}

type headerPatch struct {
	offset int64
	bytes  [frames.HeaderBytes]byte
}

// find returns the first patch at the offset or behind it.
func (p *patchedReader) find(offset int64) (i int, there bool) {
	return slices.BinarySearchFunc(p.patches, offset, func(h headerPatch, at int64) int { return cmp.Compare(h.offset, at) })
}

func (p *patchedReader) patch(offset int64, header []byte) {
	i, _ := p.find(offset)
	p.patches = slices.Insert(p.patches, i, headerPatch{offset, [frames.HeaderBytes]byte(header)})
}

// has reports whether the header at the offset is replaced.
func (p *patchedReader) has(offset int64) bool {
	_, there := p.find(offset)
	return there
}

// next is the offset of the first replaced header at the offset or behind it, -1 without one.
func (p *patchedReader) next(offset int64) int64 {
	if i, _ := p.find(offset); i < len(p.patches) {
		return p.patches[i].offset
	}
	return -1
}

// drop takes a patch back.
func (p *patchedReader) drop(offset int64) {
	p.patches = slices.DeleteFunc(p.patches, func(h headerPatch) bool { return h.offset == offset })
}

// ReadAt implements io.ReaderAt.
func (p *patchedReader) ReadAt(b []byte, offset int64) (int, error) {
	if i, there := p.find(offset); there && len(b) == frames.HeaderBytes {
		return copy(b, p.patches[i].bytes[:]), nil
	}
	return p.in.ReadAt(b, offset)
}
