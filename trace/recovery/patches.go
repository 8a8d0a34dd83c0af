// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"cmp"
	"io"
	"slices"

	"github.com/warptape/warptape/trace/internal/frames"
)

// patchedReader is a file with some frame headers replaced. Only a read of the header itself
// sees the new one: where bytes of the old one have gone, it covers the end of the frame
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
