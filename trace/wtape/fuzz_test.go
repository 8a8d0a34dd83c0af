// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/info"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// readAll uses everything that a reader offers; the fuzz targets only want it to
// come back.
func readAll(r *wtape.Reader) error {
	chunk := new(content.Chunk)
	for i := range r.Chunks() {
		if err := r.Content().ReadChunkNumber(i, chunk); err != nil {
			return err
		}
		testtraces.Touch(chunk, r.Content())
	}
	if _, err := info.Gather(r); err != nil {
		return err
	}
	return verification.Verify(r)
}

func FuzzOpen(f *testing.F) {
	small := testtraces.Small(f, wtape.Options{})
	f.Add(small)
	f.Add(small[:len(small)-1])
	f.Add(small[:len(small)/2])
	f.Add(testtraces.Random(3).Encode(f, wtape.Options{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			readAll(r)
		}
	})
}

// FuzzFrames lets mutations get past the checksums: the input is a list of frame
// payloads (kind, two length bytes, payload), and becomes a well-formed file.
func FuzzFrames(f *testing.F) {
	f.Add(framesOf(f, testtraces.Small(f, wtape.Options{})))
	f.Add(framesOf(f, testtraces.Random(4).Encode(f, wtape.Options{})))
	f.Fuzz(func(t *testing.T, pieces []byte) {
		data := fileOf(t, pieces)
		r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			readAll(r)
		}
	})
}

// framesOf is the inverse of fileOf.
func framesOf(t testing.TB, data []byte) (pieces []byte) {
	r := testtraces.Open(t, data)
	for at := int64(frames.MagicBytes); at < int64(r.Content().File.Footer.IndexOffset); {
		scratch := new(content.Chunk)
		h, err := r.Content().File.ReadFrameHeader(at, r.Content().File.Size, &scratch.Frame)
		if err != nil {
			t.Fatal(err)
		}
		_, raw, err := r.Content().File.ReadFrame(at, h.Length(), &scratch.Frame)
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, byte(h.Kind), byte(len(raw)), byte(len(raw)>>8))
		pieces = append(pieces, raw...)
		at += h.Length()
	}
	return pieces
}

func fileOf(t testing.TB, pieces []byte) []byte {
	z, err := frames.NewCompressor(zstd.SpeedFastest)
	if err != nil {
		t.Fatal(err)
	}
	out := append([]byte(frames.Magic), frames.MajorVersion)
	var x container.Index
	d := frames.NewDigester()
	for len(pieces) >= 3 {
		kind, n := wtapepb.FrameKind(pieces[0]), int(pieces[1])|int(pieces[2])<<8
		raw := pieces[3:min(3+n, len(pieces))]
		pieces = pieces[3+len(raw):]
		at := len(out)
		out = frames.Append(out, kind, raw, z)
		d.Add(kind, raw)
		if kind != wtapepb.FrameKind_FRAME_KIND_CHUNK {
			x.Others = append(x.Others, container.FrameInfo{Kind: kind, Offset: int64(at), Length: int64(len(out) - at)})
			continue
		}
		m := new(wtapepb.Chunk)
		proto.Unmarshal(raw, m) // what it gets before an error will do
		x.Chunks = append(x.Chunks, wtape.ChunkInfo{
			Launch: int(m.Launch), FirstBlock: m.FirstBlock, LastBlock: m.FirstBlock + uint64(max(m.Blocks, 1)) - 1, Blocks: int(m.Blocks),
			Offset: int64(at), Length: int64(len(out) - at), RawBytes: int64(len(raw)),
		})
	}
	raw, err := x.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	frame := frames.Append(nil, wtapepb.FrameKind_FRAME_KIND_INDEX, raw, z)
	foot := frames.Footer{IndexOffset: uint64(len(out)), IndexLength: uint64(len(frame)), Digest: d.Sum()}
	return foot.Append(append(out, frame...))
}

func TestFuzzFilesAreWellFormed(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{})
	r := testtraces.Open(t, fileOf(t, framesOf(t, data)))
	if got, want := r.Digest(), testtraces.Open(t, data).Digest(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}
