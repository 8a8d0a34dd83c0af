package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/warptape/warptape/proto/wtapepb"
)

// magic starts every trace: a byte that is no text, the name, a carriage return
// (a transfer that rewrites line ends breaks it) and the major format version.
const (
	magic        = "\x89WTAPE\r"
	majorVersion = 3 // that is written; all from 1 on are read
	magicBytes   = len(magic) + 1
)

// frameMark starts every frame header, so that a hex dump shows the frames.
const frameMark = "WTF1"

const frameHeaderBytes = 24

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frameHeader precedes every payload. Layout, little endian:
//
//	 0  4 bytes  "WTF1"
//	 4  u8       kind (FrameKind)
//	 5  u8       compression: 0 stored, 1 zstd, 2 zstd with a reference
//	 6  u16      zero
//	 8  u32      payload bytes as stored
//	12  u32      payload bytes uncompressed
//	16  u32      CRC-32C of the payload as stored
//	20  u32      CRC-32C of bytes 0..19
type frameHeader struct {
	kind        wtapepb.FrameKind
	compression uint8
	stored, raw uint32
	crc         uint32
}

const (
	compressionNone = 0
	compressionZstd = 1
	// compressionReference is a distance (u64) and one zstd frame with the payload of
	// the frame so many bytes before as its dictionary.
	compressionReference = 2
)

func (h *frameHeader) append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, frameMark...)
	dst = append(dst, byte(h.kind), h.compression, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, h.stored)
	dst = binary.LittleEndian.AppendUint32(dst, h.raw)
	dst = binary.LittleEndian.AppendUint32(dst, h.crc)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

var errNoFrame = errors.New("no frame header")

// parse reads a header of frameHeaderBytes and checks it against the limits.
func (h *frameHeader) parse(b []byte) error {
	if string(b[:4]) != frameMark {
		return errNoFrame
	}
	if crc32.Checksum(b[:20], castagnoli) != binary.LittleEndian.Uint32(b[20:]) {
		return errors.New("frame header fails its checksum")
	}
	*h = frameHeader{
		kind: wtapepb.FrameKind(b[4]), compression: b[5],
		stored: binary.LittleEndian.Uint32(b[8:]), raw: binary.LittleEndian.Uint32(b[12:]),
		crc: binary.LittleEndian.Uint32(b[16:]),
	}
	limit := uint32(maxMetadataRawBytes)
	switch {
	case h.kind == wtapepb.FrameKind_FRAME_KIND_CHUNK || h.ancillary():
		limit = maxChunkRawBytes
	case h.kind == wtapepb.FrameKind_FRAME_KIND_INDEX:
		limit = maxIndexRawBytes
	}
	switch {
	case b[6] != 0 || b[7] != 0 || h.compression > compressionReference:
		return errors.New("frame header of a later version of the format: use a newer Warptape")
	case h.raw > limit:
		return fmt.Errorf("frame of %d bytes where %d are allowed", h.raw, limit)
	case uint64(h.stored) > uint64(h.raw)+uint64(h.raw)/64+1024: // zstd expands less than this
		return fmt.Errorf("frame of %d bytes says that it has %d uncompressed", h.stored, h.raw)
	case h.compression == compressionNone && h.stored != h.raw:
		return fmt.Errorf("uncompressed frame of %d bytes says that it has %d", h.stored, h.raw)
	}
	return nil
}

// ancillary reports whether a reader may skip the frame.
func (h *frameHeader) ancillary() bool { return h.kind >= 128 }

// known reports whether this version understands the frame or may skip it.
func (h *frameHeader) known() bool {
	return h.ancillary() || h.kind > 0 && h.kind <= wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK
}

// length is the size of the whole frame in the file.
func (h *frameHeader) length() int64 { return frameHeaderBytes + int64(h.stored) }

// referenceBytes is the size of the distance before the compressed payload.
const referenceBytes = 8
