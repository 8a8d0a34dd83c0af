// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"cmp"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/frames"
)

// expectedFrame is a frame that the index lists, and where it is now.
type expectedFrame struct {
	container.FrameInfo       // where it was written
	at                  int64 // where it is, -1 if it is not
	chunk               *container.ChunkInfo
	cpu                 *container.CPUChunkInfo
}

func (e *expectedFrame) move() int64 { return e.at - e.Offset }

// expectedFrames lists the frames of an index in the order of the file.
func expectedFrames(x *container.Index) (list []expectedFrame) {
	cpu := x.CPU
	for _, o := range x.Others {
		e := expectedFrame{FrameInfo: o, at: -1}
		if frames.CPUChunk(o.Kind) {
			e.cpu, cpu = &cpu[0], cpu[1:]
		}
		list = append(list, e)
	}
	for i := range x.Chunks {
		c := &x.Chunks[i]
		list = append(list, expectedFrame{FrameInfo: container.FrameInfo{Kind: wtapepb.FrameKind_FRAME_KIND_CHUNK, Offset: c.Offset, Length: c.Length}, at: -1, chunk: c})
	}
	slices.SortStableFunc(list, func(a, b expectedFrame) int { return cmp.Compare(a.Offset, b.Offset) })
	return list
}

// inPlace finds the expected frames where they were written, and reports whether all
// are there.
func (v *survey) inPlace() bool {
	all := v.moved == 0
	for i := range v.expected {
		all = v.expect(i, 0) && all
	}
	return all
}

// expect looks for frame i at its place moved by some bytes, and notes it there.
func (v *survey) expect(i int, move int64) bool {
	e := &v.expected[i]
	at := e.Offset + move
	if at < int64(frames.MagicBytes) || at+e.Length > v.end {
		return false
	}
	if other, taken := v.placed[at]; taken && other != i {
		return false
	}
	h, err := v.header(at)
	if err != nil && v.repair(at, e.Length, e) {
		h, err = v.header(at)
	}
	if err != nil || !e.fits(&h) || !v.payloadHolds(at, &h) {
		return false
	}
	e.at = at
	v.placed[at] = i
	return true
}

// forget undoes expect.
func (v *survey) forget(i int) {
	e := &v.expected[i]
	delete(v.placed, e.at)
	e.at = -1
}

// fits reports whether a header can be that of the frame.
func (e *expectedFrame) fits(h *frames.Header) bool {
	return h.Kind == e.Kind && h.Length() == e.Length && (e.raw() < 0 || int64(h.Raw) == e.raw())
}

// raw is how large the frame is uncompressed; -1 where the index does not have it.
func (e *expectedFrame) raw() int64 {
	switch {
	case e.chunk != nil:
		return e.chunk.RawBytes
	case e.cpu != nil:
		return e.cpu.RawBytes
	}
	return -1
}

// expectedPieces are the expected frames.
func (v *survey) expectedPieces() []piece {
	pieces := make([]piece, 0, len(v.expected))
	for i := range v.expected {
		e := &v.expected[i]
		p := piece{FrameInfo: e.FrameInfo, whole: e.at >= 0, expected: i}
		if p.whole {
			p.Offset = e.at
		}
		pieces = append(pieces, p)
	}
	return pieces
}
