package trace

import (
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/proto/wtapepb"
)

// compressionWindow bounds the encoder's memory; chunks are smaller than this.
const compressionWindow = 1 << 20

// newCompressor makes a compressor of frames.
func newCompressor(speed zstd.EncoderLevel) (*zstd.Encoder, error) {
	// Frames carry their own checksum, and one goroutine per encoder is ours.
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(speed), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(compressionWindow), zstd.WithLowerEncoderMem(true))
}

// appendCompressed appends one zstd frame with the payload to dst. The compressor
// codes the bytes of a block together, so blocks begin at the cuts: where columns that
// are coded already meet those that are not.
func appendCompressed(dst, raw []byte, cuts []int, z *zstd.Encoder) ([]byte, error) {
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

// appendFrame appends a whole frame with the payload to dst.
func appendFrame(dst []byte, kind wtapepb.FrameKind, raw []byte, z *zstd.Encoder) []byte {
	dst, err := appendCutFrame(dst, kind, raw, nil, z)
	if err != nil {
		panic("BUG: compression without cuts failed: " + err.Error())
	}
	return dst
}

// appendCutFrame is appendFrame for a payload with cuts.
func appendCutFrame(dst []byte, kind wtapepb.FrameKind, raw []byte, cuts []int, z *zstd.Encoder) ([]byte, error) {
	start := len(dst)
	dst = append(dst, make([]byte, frameHeaderBytes)...)
	dst, err := appendCompressed(dst, raw, cuts, z)
	if err != nil {
		return dst, err
	}
	payload := dst[start+frameHeaderBytes:]
	h := frameHeader{
		kind: kind, compression: compressionZstd, stored: uint32(len(payload)), raw: uint32(len(raw)),
		crc: crc32.Checksum(payload, castagnoli),
	}
	h.append(dst[:start])
	return dst, nil
}

// decompressors are shared by all readers; each serves one call at a time.
var decompressors = sync.Pool{New: func() any {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxChunkRawBytes), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic("BUG: zstd options: " + err.Error())
	}
	return z
}}

// decompress returns the payload of a frame in dst's memory where that suffices.
// Memory is bounded by the header's raw size, which the caller has limited. The
// reference is the payload of the frame that it refers to, if it does.
func decompress(dst []byte, h *frameHeader, stored, reference []byte) ([]byte, error) {
	if crc32.Checksum(stored, castagnoli) != h.crc {
		return dst, fmt.Errorf("payload fails its checksum")
	}
	if cap(dst) < int(h.raw) {
		dst = make([]byte, 0, h.raw)
	}
	if h.compression == compressionNone {
		return append(dst[:0], stored...), nil
	}
	z := decompressors.Get().(*zstd.Decoder)
	defer decompressors.Put(z)
	if h.compression == compressionReference {
		stored = stored[referenceBytes:]
		if err := z.ResetWithOptions(nil, zstd.WithDecoderDictRaw(0, reference)); err != nil {
			return dst, err
		}
		defer z.ResetWithOptions(nil, zstd.WithDecoderDictDelete()) // cannot fail
	}
	out, err := z.DecodeAll(stored, dst[:0:h.raw])
	if err != nil {
		return dst, fmt.Errorf("payload does not decompress: %w", err)
	}
	if len(out) != int(h.raw) {
		return dst, fmt.Errorf("payload has %d bytes uncompressed, its header says %d", len(out), h.raw)
	}
	return out, nil
}
