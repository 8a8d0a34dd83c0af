// SPDX-License-Identifier: Apache-2.0

package frames

import (
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/proto/wtapepb"
)

// CompressionWindow bounds the encoder's memory; chunks are smaller than this.
const CompressionWindow = 1 << 20

// NewCompressor makes a compressor of frames.
func NewCompressor(speed zstd.EncoderLevel) (*zstd.Encoder, error) {
	// Frames carry their own checksum, and one goroutine per encoder is ours.
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(speed), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(CompressionWindow), zstd.WithLowerEncoderMem(true))
}

// AppendCompressed appends one zstd frame with the payload to dst. The compressor
// codes the bytes of a block together, so blocks begin at the cuts: where columns that
// are coded already meet those that are not.
func AppendCompressed(dst, raw []byte, cuts []int, z *zstd.Encoder) ([]byte, error) {
	// All frames are streams, also those without cuts: whole payloads would go to another
	// compressor inside of this one, with tables of its own.
	out := appendWriter{dst}
	z.ResetContentSize(&out, int64(len(raw)))
	start := 0
	for _, cut := range cuts {
		if _, err := z.Write(raw[start:cut]); err != nil {
			return dst, err
		}
		if err := z.Flush(); err != nil {
			return dst, err
		}
		start = cut
	}
	if _, err := z.Write(raw[start:]); err != nil {
		return dst, err
	}
	return out.data, z.Close()
}

// appendWriter is an io.Writer that appends.
type appendWriter struct{ data []byte }

func (w *appendWriter) Write(p []byte) (int, error) {
	w.data = append(w.data, p...)
	return len(p), nil
}

// Append appends a whole frame with the payload to dst.
func Append(dst []byte, kind wtapepb.FrameKind, raw []byte, z *zstd.Encoder) []byte {
	dst, err := AppendCut(dst, kind, raw, nil, z)
	if err != nil {
		panic("BUG: compression without cuts failed: " + err.Error())
	}
	return dst
}

// AppendCut is Append for a payload with cuts.
func AppendCut(dst []byte, kind wtapepb.FrameKind, raw []byte, cuts []int, z *zstd.Encoder) ([]byte, error) {
	start := len(dst)
	dst = append(dst, make([]byte, HeaderBytes)...)
	dst, err := AppendCompressed(dst, raw, cuts, z)
	if err != nil {
		return dst, err
	}
	payload := dst[start+HeaderBytes:]
	h := Header{
		Kind: kind, Compression: CompressionZstd, Stored: uint32(len(payload)), Raw: uint32(len(raw)),
		CRC: crc32.Checksum(payload, Castagnoli),
	}
	h.Append(dst[:start])
	return dst, nil
}

// Decompressors are shared by all readers; each serves one call at a time.
var Decompressors = sync.Pool{New: func() any {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(MaxChunkRawBytes), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic("BUG: zstd options: " + err.Error())
	}
	return z
}}

// Decompress returns the payload of a frame in dst's memory where that suffices.
// Memory is bounded by the header's raw size, which the caller has limited. The
// reference is the payload of the frame that it refers to, if it does.
func Decompress(dst []byte, h *Header, stored, reference []byte) ([]byte, error) {
	if crc32.Checksum(stored, Castagnoli) != h.CRC {
		return dst, fmt.Errorf("payload fails its checksum")
	}
	if cap(dst) < int(h.Raw) {
		dst = make([]byte, 0, h.Raw)
	}
	if h.Compression == CompressionNone {
		return append(dst[:0], stored...), nil
	}
	z := Decompressors.Get().(*zstd.Decoder)
	defer Decompressors.Put(z)
	if h.Compression == CompressionReference {
		stored = stored[ReferenceBytes:]
		if err := z.ResetWithOptions(nil, zstd.WithDecoderDictRaw(0, reference)); err != nil {
			return dst, err
		}
		defer z.ResetWithOptions(nil, zstd.WithDecoderDictDelete()) // cannot fail
	}
	out, err := z.DecodeAll(stored, dst[:0:h.Raw])
	if err != nil {
		return dst, fmt.Errorf("payload does not decompress: %w", err)
	}
	if len(out) != int(h.Raw) {
		return dst, fmt.Errorf("payload has %d bytes uncompressed, its header says %d", len(out), h.Raw)
	}
	return out, nil
}
