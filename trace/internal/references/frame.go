// SPDX-License-Identifier: Apache-2.0

// Package references compresses frames with the payloads of earlier ones. A program that
// launches a kernel again mostly does the same again, and the chunks of one launch
// resemble each other. So a frame may be compressed with the payload of an earlier frame
// of its kind as the dictionary. That earlier frame stands on its own: reading a chunk
// takes one other frame at most.
package references

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// Frame is a frame on its way into the file.
type Frame struct {
	Kind  wtapepb.FrameKind
	Raw   []byte // the payload
	Cuts  []int  // places in Raw where the compressor begins anew
	Bytes []byte // the frame as it is stored

	candidates candidates
	memory     *memory // nil for a frame that none may refer to
}

// Place completes a frame at its offset in the file, now that it is known where the one
// that it refers to lies.
func (f *Frame) Place(offset int64) {
	m := f.memory
	if m == nil {
		return
	}
	m.offset = offset
	if m.root == m {
		return
	}
	payload := f.Bytes[frames.HeaderBytes:]
	binary.LittleEndian.PutUint64(payload, uint64(offset-m.root.offset))
	h := frames.Header{Kind: f.Kind, Compression: frames.CompressionReference, Stored: uint32(len(payload)), Raw: uint32(len(f.Raw)), CRC: crc32.Checksum(payload, frames.Castagnoli)}
	h.Append(f.Bytes[:0])
}

// Forget drops what the frame refers to. Its buffers serve the next one.
func (f *Frame) Forget() { f.memory, f.candidates = nil, candidates{} }
