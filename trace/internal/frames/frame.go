// SPDX-License-Identifier: Apache-2.0

// Package frames reads and writes the outermost layer of a trace file: the magic, frames
// with their headers, compression and checksums, the footer, and the digest of the
// content. It knows nothing of what the frames hold but their kinds.
package frames

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/warptape/warptape/proto/wtapepb"
)

// Magic starts every trace: a byte that is no text, the name, a carriage return
// (a transfer that rewrites line ends breaks it) and the major format version.
const (
	Magic        = "\x89WTAPE\r"
	MajorVersion = 3 // that is written; all from 1 on are read
	MagicBytes   = len(Magic) + 1
)

// Mark starts every frame header, so that a hex dump shows the frames.
const Mark = "WTF1"

// HeaderBytes is the size of a Header.
const HeaderBytes = 24

// Castagnoli is the polynomial of all checksums (CRC-32C).
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Header precedes every payload. Layout, little endian:
//
//	 0  4 bytes  "WTF1"
//	 4  u8       kind (FrameKind)
//	 5  u8       compression: 0 stored, 1 zstd, 2 zstd with a reference
//	 6  u16      zero
//	 8  u32      payload bytes as stored
//	12  u32      payload bytes uncompressed
//	16  u32      CRC-32C of the payload as stored
//	20  u32      CRC-32C of bytes 0..19
type Header struct {
	Kind        wtapepb.FrameKind
	Compression uint8
	Stored, Raw uint32
	CRC         uint32
}

const (
	CompressionNone = 0
	CompressionZstd = 1
	// CompressionReference is a distance (u64) and one zstd frame with the payload of
	// the frame so many bytes before as its dictionary.
	CompressionReference = 2
)

// Append appends the header to dst.
func (h *Header) Append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, Mark...)
	dst = append(dst, byte(h.Kind), h.Compression, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, h.Stored)
	dst = binary.LittleEndian.AppendUint32(dst, h.Raw)
	dst = binary.LittleEndian.AppendUint32(dst, h.CRC)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], Castagnoli))
}

var ErrNoFrame = errors.New("no frame header")

// Parse reads a header of HeaderBytes and checks it against the limits.
func (h *Header) Parse(b []byte) error {
	if string(b[:4]) != Mark {
		return ErrNoFrame
	}
	if crc32.Checksum(b[:20], Castagnoli) != binary.LittleEndian.Uint32(b[20:]) {
		return errors.New("frame header fails its checksum")
	}
	*h = Header{
		Kind: wtapepb.FrameKind(b[4]), Compression: b[5],
		Stored: binary.LittleEndian.Uint32(b[8:]), Raw: binary.LittleEndian.Uint32(b[12:]),
		CRC: binary.LittleEndian.Uint32(b[16:]),
	}
	limit := uint32(MaxMetadataRawBytes)
	switch {
	case h.Kind == wtapepb.FrameKind_FRAME_KIND_CHUNK || h.Ancillary():
		limit = MaxChunkRawBytes
	case h.Kind == wtapepb.FrameKind_FRAME_KIND_INDEX:
		limit = maxIndexRawBytes
	}
	switch {
	case b[6] != 0 || b[7] != 0 || h.Compression > CompressionReference:
		return errors.New("frame header of a later version of the format: use a newer Warptape")
	case h.Raw > limit:
		return fmt.Errorf("frame of %d bytes where %d are allowed", h.Raw, limit)
	case uint64(h.Stored) > uint64(h.Raw)+uint64(h.Raw)/64+1024: // zstd expands less than this
		return fmt.Errorf("frame of %d bytes says that it has %d uncompressed", h.Stored, h.Raw)
	case h.Compression == CompressionNone && h.Stored != h.Raw:
		return fmt.Errorf("uncompressed frame of %d bytes says that it has %d", h.Stored, h.Raw)
	}
	return nil
}

// Ancillary reports whether a reader may skip the frame.
func (h *Header) Ancillary() bool { return h.Kind >= 128 }

// Known reports whether this version understands the frame or may skip it.
func (h *Header) Known() bool {
	return h.Ancillary() || h.Kind > 0 && h.Kind <= wtapepb.FrameKind_FRAME_KIND_CPU_SYNC_CHUNK
}

// CPUChunk reports whether a kind of frame holds instructions of a CPU thread.
func CPUChunk(kind wtapepb.FrameKind) bool {
	return kind == wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK || kind == wtapepb.FrameKind_FRAME_KIND_CPU_SYNC_CHUNK
}

// Length is the size of the whole frame in the file.
func (h *Header) Length() int64 { return HeaderBytes + int64(h.Stored) }

// ReferenceBytes is the size of the distance before the compressed payload.
const ReferenceBytes = 8
