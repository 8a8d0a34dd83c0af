// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// A frame whose header is damaged is whole all the same when a header can be made for
// its payload that a checksum of the damaged one proves. It may be the header's own
// checksum, which covers that of the payload, or that of the payload.

// repairUnknown tries to repair the header of the frame at the offset, before the next
// whole one. It returns the length of the frame, 0 when nothing proves it.
func (v *survey) repairUnknown(at, next int64) int64 {
	if next-at < frames.HeaderBytes {
		return 0
	}
	var b [frames.HeaderBytes]byte
	if _, err := v.content.File.In.ReadAt(b[:], at); err != nil {
		return 0
	}
	said := frames.HeaderBytes + int64(binary.LittleEndian.Uint32(b[8:]))
	for _, length := range []int64{next - at, said} {
		if length <= next-at && v.repair(at, length, nil) {
			return length
		}
	}
	return 0
}

// repair puts a header before a payload, if that is proved to be whole. The length is that of
// the frame. The expected one is nil without an index.
func (v *survey) repair(at, length int64, e *expectedFrame) bool {
	if length < frames.HeaderBytes || length > v.end-at || length-frames.HeaderBytes > frames.MaxChunkRawBytes+frames.MaxChunkRawBytes/64+1024 {
		return false
	}
	var b [frames.HeaderBytes]byte
	if _, err := v.content.File.In.ReadAt(b[:], at); err != nil {
		return false
	}
	sum, err := v.sum(at+frames.HeaderBytes, length-frames.HeaderBytes)
	if err != nil {
		return false
	}
	size, ok := v.contentSize(at+frames.HeaderBytes, length-frames.HeaderBytes, e)
	if !ok {
		return false
	}
	made := frames.Header{Compression: size.compression, Stored: uint32(length - frames.HeaderBytes), CRC: sum}
	for _, made.Kind = range candidateKinds(e, b[4]) {
		for made.Raw = size.least; made.Raw <= size.most; made.Raw++ {
			if header := made.Append(nil); proves(b[:], header, e != nil && size.least == size.most) {
				v.patches.patch(at, header)
				if h, err := v.header(at); err == nil && h.Known() {
					return true
				}
				v.patches.drop(at)
			}
		}
	}
	return false
}

// proveByDigest gives the frames that are missing headers for what lies in their places.
// They stay if the content then has the digest of the footer.
func (v *survey) proveByDigest() {
	if !v.footed || v.moved != 0 {
		return
	}
	var given []int
	for i := range v.expected {
		if v.expected[i].at >= 0 {
			continue
		}
		if !v.assume(i) {
			break
		}
		given = append(given, i)
	}
	if d, err := v.digest(); err == nil && d.Matches(v.content.File.Footer.Digest) {
		return
	}
	for _, i := range given {
		v.patches.drop(v.expected[i].at)
		v.forget(i)
	}
}

// assume puts a header before what lies in the place of frame i.
func (v *survey) assume(i int) bool {
	e := &v.expected[i]
	sum, err := v.sum(e.Offset+frames.HeaderBytes, e.Length-frames.HeaderBytes)
	if err != nil {
		return false
	}
	size, ok := v.contentSize(e.Offset+frames.HeaderBytes, e.Length-frames.HeaderBytes, e)
	h := frames.Header{Kind: e.Kind, Compression: size.compression, Stored: uint32(e.Length - frames.HeaderBytes), Raw: size.most, CRC: sum}
	if _, taken := v.placed[e.Offset]; taken || !ok || size.least < size.most || !e.fits(&h) || v.patches.has(e.Offset) {
		return false
	}
	v.patches.patch(e.Offset, h.Append(nil))
	if !v.expect(i, 0) {
		v.patches.drop(e.Offset)
		return false
	}
	return true
}

// digest is that of the expected frames, as far as they can be read.
func (v *survey) digest() (frames.Digester, error) {
	d := frames.NewDigester()
	for i := range v.expected {
		e := &v.expected[i]
		if e.at < 0 {
			return d, errDamaged
		}
		h, raw, err := v.content.File.ReadFrame(e.at, e.Length, &v.scratch.Frame)
		if err != nil {
			return d, err
		}
		d.Add(h.Kind, raw)
	}
	return d, nil
}

func candidateKinds(e *expectedFrame, said byte) []wtapepb.FrameKind {
	if e != nil {
		return []wtapepb.FrameKind{e.Kind}
	}
	kinds := []wtapepb.FrameKind{wtapepb.FrameKind(said)}
	for k := wtapepb.FrameKind_FRAME_KIND_HEADER; k <= wtapepb.FrameKind_FRAME_KIND_CPU_SYNC_CHUNK; k++ {
		if byte(k) != said {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// proves reports whether what is left of a damaged header proves the one that was made
// for the payload. It is sure when the index has the kind, and the size is known.
func proves(damaged, made []byte, sure bool) bool {
	if string(damaged[20:]) == string(made[20:]) {
		return true // the checksum over everything, the payload's included
	}
	// The payload is whole where its checksum is the same. What is not sure is proved where nothing but
	// the header's own checksum differs.
	return string(damaged[16:20]) == string(made[16:20]) && sure || string(damaged[:20]) == string(made[:20])
}

// smallSize decompresses a small payload for its size.
func (v *survey) smallSize(at, n int64) (raw uint32, ok bool) {
	const small = 1 << 12
	if n > small {
		return 0, false
	}
	stored := make([]byte, n)
	if _, err := v.patches.in.ReadAt(stored, at); err != nil {
		return 0, false
	}
	z := frames.Decompressors.Get().(*zstd.Decoder)
	defer frames.Decompressors.Put(z)
	out, err := z.DecodeAll(stored, make([]byte, 0, small))
	return uint32(len(out)), err == nil
}

// contentSize is how a payload is compressed, and how large it is uncompressed.
type contentSize struct {
	compression uint8
	least, most uint32
}

// unsaid is the largest size that the compressor does not write in front of a payload: it leaves out what a byte can
// say.
const unsaid = 255

// contentSize says how a payload is compressed, and how large it is, by the payload itself. Of one that refers to
// another frame, and does not say its size, the index may have it.
func (v *survey) contentSize(at, n int64, e *expectedFrame) (size contentSize, ok bool) {
	b := make([]byte, min(n, frames.ReferenceBytes+zstd.HeaderMaxSize))
	if _, err := v.patches.in.ReadAt(b, at); err != nil {
		return size, false
	}
	const zstdMagic = 0xfd2fb528
	for _, c := range []uint8{frames.CompressionZstd, frames.CompressionReference} {
		from := 0
		if c == frames.CompressionReference {
			from = frames.ReferenceBytes
		}
		if len(b) < from+4 || binary.LittleEndian.Uint32(b[from:]) != zstdMagic {
			continue
		}
		var h zstd.Header
		if err := h.Decode(b[from:]); err != nil || h.FrameContentSize > frames.MaxChunkRawBytes {
			return size, false
		}
		raw, ok := uint32(h.FrameContentSize), true
		switch {
		case h.HasFCS:
		case c == frames.CompressionZstd:
			raw, ok = v.smallSize(at, n)
		case e == nil || e.raw() < 0:
			return contentSize{c, 0, unsaid}, true
		default:
			raw = uint32(e.raw())
		}
		return contentSize{c, raw, raw}, ok
	}
	return contentSize{frames.CompressionNone, uint32(n), uint32(n)}, true
}
