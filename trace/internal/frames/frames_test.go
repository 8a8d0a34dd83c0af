// SPDX-License-Identifier: Apache-2.0

package frames

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/proto/wtapepb"
)

// sealed gives bytes of a header their checksum.
func sealed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// raw are the first 20 bytes of a header, as the layout has them.
func raw(kind, compression byte, reserved uint16, stored, uncompressed uint32) []byte {
	b := append([]byte("WTF1"), kind, compression)
	b = binary.LittleEndian.AppendUint16(b, reserved)
	b = binary.LittleEndian.AppendUint32(b, stored)
	b = binary.LittleEndian.AppendUint32(b, uncompressed)
	return binary.LittleEndian.AppendUint32(b, 0xdeadbeef)
}

// A header has its layout, and comes back.
func TestHeadersHaveTheirLayout(t *testing.T) {
	h := Header{Kind: 3, Compression: CompressionZstd, Stored: 77, Raw: 1000, CRC: 0xdeadbeef}
	b := h.Append([]byte("in front"))[8:]
	if want := sealed(raw(3, 1, 0, 77, 1000)); !bytes.Equal(b, want) || len(b) != HeaderBytes {
		t.Errorf("% x, want % x", b, want)
	}
	var got Header
	if err := got.Parse(b); err != nil || got != h || got.Length() != 24+77 {
		t.Errorf("%+v, %v, want %+v", got, err, h)
	}
	for bit := range 8 * HeaderBytes {
		other := bytes.Clone(b)
		other[bit/8] ^= 1 << (bit % 8)
		if got.Parse(other) == nil {
			t.Errorf("bit %d is another, and the header is accepted", bit)
		}
	}
}

// Headers are refused that are of a later version, too large, or contradict themselves.
func TestHeadersAreChecked(t *testing.T) {
	const chunk, index = byte(wtapepb.FrameKind_FRAME_KIND_CHUNK), byte(wtapepb.FrameKind_FRAME_KIND_INDEX)
	metadata := byte(1)
	if metadata == chunk || metadata == index {
		t.Fatal("kind 1 is no metadata")
	}
	for _, c := range []struct {
		kind, compression byte
		reserved          uint16
		stored, raw       uint32
		fails             string
	}{
		{metadata, 1, 0, 10, 16 << 20, ""}, {metadata, 1, 0, 10, 16<<20 + 1, "allowed"},
		{chunk, 1, 0, 10, 1 << 30, ""}, {chunk, 1, 0, 10, 1<<30 + 1, "allowed"},
		{index, 1, 0, 10, 32 << 20, ""}, {index, 1, 0, 10, 32<<20 + 1, "allowed"},
		{128, 1, 0, 10, 1 << 30, ""}, {127, 1, 0, 10, 16<<20 + 1, "allowed"},
		{chunk, 2, 0, 10, 10, ""}, {chunk, 3, 0, 10, 10, "later version"}, {chunk, 1, 1, 10, 10, "later version"}, {chunk, 1, 256, 10, 10, "later version"},
		{chunk, 0, 0, 10, 10, ""}, {chunk, 0, 0, 10, 11, "uncompressed frame"}, {chunk, 0, 0, 11, 10, "uncompressed frame"},
		{chunk, 1, 0, 6400 + 100 + 1024, 6400, ""}, {chunk, 1, 0, 6400 + 100 + 1025, 6400, "says that it has"}, {chunk, 1, 0, 1 << 31, 1 << 30, "says that it has"},
	} {
		var h Header
		err := h.Parse(sealed(raw(c.kind, c.compression, c.reserved, c.stored, c.raw)))
		if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil && (h.Ancillary() != (c.kind >= 128) || h.Stored != c.stored || h.Raw != c.raw) {
			t.Errorf("%+v: %+v", c, h)
		}
	}
	var h Header
	if err := h.Parse(sealed(append([]byte("WTF2"), raw(1, 0, 0, 1, 1)[4:]...))); err != ErrNoFrame {
		t.Errorf("another mark: %v", err)
	}
	for kind := range 256 {
		h.Kind = wtapepb.FrameKind(kind)
		_, named := wtapepb.FrameKind_name[int32(kind)]
		if want := kind >= 128 || named && kind > 0; h.Known() != want {
			t.Errorf("kind %d is known: %v", kind, h.Known())
		}
		if name := wtapepb.FrameKind_name[int32(kind)]; CPUChunk(h.Kind) != (name == "FRAME_KIND_CPU_CHUNK" || name == "FRAME_KIND_CPU_SYNC_CHUNK") {
			t.Errorf("kind %s has instructions of a CPU thread: %v", name, CPUChunk(h.Kind))
		}
	}
}

// Payloads come back, whatever the cuts, and also behind a reference; damaged ones are noticed.
func TestPayloadsComeBack(t *testing.T) {
	z, err := NewCompressor(zstd.SpeedDefault)
	if err != nil {
		t.Fatal(err)
	}
	payload := []byte(strings.Repeat("columns of chunks ", 300))
	for _, cuts := range [][]int{nil, {0}, {100}, {100, 100, 3000, len(payload)}} {
		frame, err := AppendCut([]byte("front"), wtapepb.FrameKind_FRAME_KIND_CHUNK, payload, cuts, z)
		if err != nil {
			t.Fatal(err)
		}
		var h Header
		if err := h.Parse(frame[5:]); err != nil || string(frame[:5]) != "front" || h.Length() != int64(len(frame)-5) || int(h.Raw) != len(payload) || h.Stored >= h.Raw/2 {
			t.Fatalf("cuts %v: %+v, %v", cuts, h, err)
		}
		stored := frame[5+HeaderBytes:]
		for _, memory := range [][]byte{nil, make([]byte, 7, 2*len(payload))} {
			got, err := Decompress(memory, &h, stored, nil)
			if err != nil || !bytes.Equal(got, payload) {
				t.Errorf("cuts %v: %d bytes, %v", cuts, len(got), err)
			}
			if cap(memory) > 0 && &got[0] != &memory[0] {
				t.Error("memory that suffices is not used")
			}
		}
		for _, raw := range []uint32{h.Raw - 1, h.Raw + 1} {
			other := h
			other.Raw = raw
			if _, err := Decompress(nil, &other, stored, nil); err == nil {
				t.Errorf("a payload of %d bytes that says %d is accepted", h.Raw, raw)
			}
		}
		stored[len(stored)/2] ^= 1
		if _, err := Decompress(nil, &h, stored, nil); err == nil || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("a damaged payload: %v", err)
		}
	}
	plain := Header{Compression: CompressionNone, Stored: 3, Raw: 3, CRC: crc32.Checksum([]byte("abc"), Castagnoli)}
	if got, err := Decompress(make([]byte, 1), &plain, []byte("abc"), nil); err != nil || string(got) != "abc" {
		t.Errorf("a stored payload is %q, %v", got, err)
	}
}

// A digest is SHA-256 over kinds, lengths and payloads of all frames but the index and those that may be skipped. That of CPU
// threads is part of it; a digest that leaves them out is one that a file may have, too.
func TestDigestsAreOfTheContent(t *testing.T) {
	content := []struct {
		kind byte
		text string
	}{{1, "header"}, {4, "chunk"}, {6, "index"}, {200, "may be skipped"}, {7, "a CPU thread"}, {8, "with synchronisation"}, {5, "summary"}}
	for skipped := range 3 { // kinds from the end on that the content has not
		d := NewDigester()
		var all, without []byte
		for _, f := range content {
			if f.kind == 7 && skipped > 0 || f.kind == 8 && skipped > 1 {
				continue
			}
			d.Add(wtapepb.FrameKind(f.kind), []byte(f.text))
			if f.kind == 6 || f.kind == 200 {
				continue
			}
			frame := append([]byte{f.kind, byte(len(f.text)), 0, 0, 0, 0, 0, 0, 0}, f.text...)
			if all = append(all, frame...); f.kind < 7 {
				without = append(without, frame...)
			}
		}
		if want := sha256.Sum256(all); d.Sum() != want || !d.Matches(want) || !d.Matches(sha256.Sum256(without)) {
			t.Errorf("%x, want %x", d.Sum(), want)
		}
		if d.Matches(sha256.Sum256(all[:len(all)-1])) {
			t.Error("the digest of another content is accepted")
		}
	}
}

// A footer has its layout, and comes back with the version of its file.
func TestFootersHaveTheirLayout(t *testing.T) {
	f := Footer{IndexOffset: 0x1122334455667788, IndexLength: 99}
	for i := range f.Digest {
		f.Digest[i] = byte(i)
	}
	made := func(version uint32) []byte {
		b := binary.LittleEndian.AppendUint64(nil, f.IndexOffset)
		b = binary.LittleEndian.AppendUint64(b, 99)
		b = append(b, f.Digest[:]...)
		return append(sealed(binary.LittleEndian.AppendUint32(b, version)), "WTAPEND\n"...)
	}
	b := f.Append([]byte("behind"))[6:]
	if !bytes.Equal(b, made(MajorVersion)) || len(b) != FooterBytes {
		t.Errorf("% x, want % x", b, made(MajorVersion))
	}
	for _, c := range []struct {
		version  byte
		repeated uint32
		err      error
	}{{1, 0, nil}, {2, 0, nil}, {3, 3, nil}, {3, 0, errVersions}, {2, 2, errVersions}, {3, 4, errVersions}} {
		var got Footer
		if err := got.Parse(made(c.repeated), c.version); err != c.err || err == nil && got != f {
			t.Errorf("a file of version %d whose footer says %d: %+v, %v", c.version, c.repeated, got, err)
		}
	}
	var got Footer
	for bit := range 8 * FooterBytes {
		other := bytes.Clone(b)
		other[bit/8] ^= 1 << (bit % 8)
		want := errBadFooter
		if bit >= 8*56 {
			want = ErrNoFooter
		}
		if err := got.Parse(other, MajorVersion); err != want {
			t.Errorf("bit %d is another: %v", bit, err)
		}
	}
}
