// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// rewrite makes a file of the frames of another, with its chunks and its index
// changed. Checksums, offsets and digest are right: what is wrong is the content.
func rewrite(t testing.TB, data []byte, chunk func(i int, m *wtapepb.Chunk), change func(x *container.Index)) []byte {
	t.Helper()
	r := testtraces.Open(t, data)
	z, err := frames.NewCompressor(zstd.SpeedFastest)
	if err != nil {
		t.Fatal(err)
	}
	out := append([]byte(frames.Magic), frames.MajorVersion)
	d := frames.NewDigester()
	x := container.Index{Chunks: append([]wtape.ChunkInfo(nil), r.Content().File.Index.Chunks...), Others: append([]container.FrameInfo(nil), r.Content().File.Index.Others...)}
	chunks, others := 0, 0
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
		at += h.Length()
		offset := int64(len(out))
		if h.Kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
			m := new(wtapepb.Chunk)
			if err := proto.Unmarshal(raw, m); err != nil {
				t.Fatal(err)
			}
			if chunk != nil {
				chunk(chunks, m)
			}
			if raw, err = proto.Marshal(m); err != nil {
				t.Fatal(err)
			}
			out = frames.Append(out, h.Kind, raw, z)
			c := &x.Chunks[chunks]
			c.Offset, c.Length, c.RawBytes = offset, int64(len(out))-offset, int64(len(raw))
			chunks++
		} else {
			out = frames.Append(out, h.Kind, raw, z)
			x.Others[others] = container.FrameInfo{Kind: h.Kind, Offset: offset, Length: int64(len(out)) - offset}
			others++
		}
		d.Add(h.Kind, raw)
	}
	if change != nil {
		change(&x)
	}
	raw, err := x.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	frame := frames.Append(nil, wtapepb.FrameKind_FRAME_KIND_INDEX, raw, z)
	foot := frames.Footer{IndexOffset: uint64(len(out)), IndexLength: uint64(len(frame)), Digest: d.Sum()}
	return foot.Append(append(out, frame...))
}

func TestRewritingNothingChangesNothing(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{})
	again := rewrite(t, data, nil, nil)
	if err := openAndVerify(again); err != nil || testtraces.Open(t, again).Digest() != testtraces.Open(t, data).Digest() {
		t.Errorf("error %v, digests %s and %s", err, testtraces.Open(t, again).Digest(), testtraces.Open(t, data).Digest())
	}
}

func TestBadContentIsRefusedWithItsPlace(t *testing.T) {
	first := func(change func(m *wtapepb.Chunk)) func(int, *wtapepb.Chunk) {
		return func(i int, m *wtapepb.Chunk) {
			if i == 0 {
				change(m)
			}
		}
	}
	for _, c := range []struct {
		name   string
		chunk  func(i int, m *wtapepb.Chunk)
		index  func(x *container.Index)
		wanted string
	}{
		{"columns of two streams mixed up", first(func(m *wtapepb.Chunk) {
			m.Accesses[0], m.Accesses[1] = m.Accesses[1], m.Accesses[0]
		}), nil, "has addresses but is no memory instruction or is out of order"},
		{"kinds of another stream", first(func(m *wtapepb.Chunk) {
			m.Accesses[0].Kind, m.Accesses[1].Kind = m.Accesses[1].Kind, m.Accesses[0].Kind
		}), nil, "addresses: instruction "},
		{"paths as masks", first(func(m *wtapepb.Chunk) {
			m.Masks.Length, m.Paths.Length = []uint32{1}, m.Masks.Length
		}), nil, "paths: column ends early"},
		{"a column too short", first(func(m *wtapepb.Chunk) { m.WarpPath = m.WarpPath[:1] }), nil, "thread blocks: column ends early"},
		{"an empty chunk", first(func(m *wtapepb.Chunk) { proto.Reset(m) }), nil, "thread blocks: 0 of them, want 1 to "},
		{"a mask of no lane", first(func(m *wtapepb.Chunk) {
			m.Masks.Code, m.Masks.Value = []uint32{6}, []uint32{0}
		}), nil, "yields no mask"},
		{"a rank beyond the lanes", first(func(m *wtapepb.Chunk) {
			m.Masks.Code, m.Masks.Value = []uint32{7}, []uint32{32}
		}), nil, "mask code 7 of sequence 0 yields no mask"},
		{"an unknown lane model", first(func(m *wtapepb.Chunk) { m.Accesses[0].LaneModel = 77 }), nil, "unknown lane model 77"},
		{"a companion that is no stream", first(func(m *wtapepb.Chunk) {
			m.Accesses[0].LaneModel, m.Accesses[0].Companion = wtapepb.LaneModel_LANE_MODEL_COMPANION, 99
		}), nil, "its companion 99 has no addresses or is itself"},
		{"damaged lane classes", first(func(m *wtapepb.Chunk) {
			m.Accesses[0].LaneModel, m.Accesses[0].LaneCoded = 1, []byte{9, 1, 1, 0, 0, 0, 0}
		}), nil, "lane classes: the coded column is damaged"},
		{"damaged lane symbols", first(func(m *wtapepb.Chunk) {
			m.Accesses[0].LaneModel, m.Accesses[0].LaneSymbols = 1, []byte{9, 1, 1, 0, 0, 0, 0}
		}), nil, "lane classes: the coded column is damaged"},
		{"lane symbols that end early", first(func(m *wtapepb.Chunk) {
			m.Accesses[0].LaneModel, m.Accesses[0].LaneSymbols = 1, []byte{9, 0, 0, 0}
		}), nil, "lane symbols: the column is damaged"},
		{"lane symbols of too many lanes", first(func(m *wtapepb.Chunk) {
			m.Accesses[0].LaneModel, m.Accesses[0].LaneSymbols = 1, []byte{0xff, 0xff, 0xff, 0xff, 0xf, 0}
		}), nil, "lane symbols: 4294967295 lanes where 33554432 are allowed"},
		{"lane symbols beside classes", first(func(m *wtapepb.Chunk) {
			m.Accesses[0].LaneModel, m.Accesses[0].LaneSymbols, m.Accesses[0].LaneClass = 1, []byte{0}, []byte{1}
		}), nil, "lane symbols beside classes"},
		{"an unknown lane context", first(func(m *wtapepb.Chunk) { m.Accesses[0].LaneContext = 9 }), nil, "unknown lane context 9"},
		{"a key without a table", first(func(m *wtapepb.Chunk) {
			m.Accesses[0].LaneModel, m.Accesses[0].LaneContext = 2, wtapepb.LaneContext_LANE_CONTEXT_KEY
		}), nil, "unknown lane context 2, or not one of lane model 2"},
		{"a lane step of 64 bits", first(func(m *wtapepb.Chunk) {
			m.Accesses[0].LaneModel, m.Accesses[0].LaneStep = wtapepb.LaneModel_LANE_MODEL_SAME_LANE, 64
		}), nil, "lane step of 64 bits with lane model 4"},
		{"a lane step of a model without one", first(func(m *wtapepb.Chunk) {
			m.Accesses[0].LaneModel, m.Accesses[0].LaneStep = wtapepb.LaneModel_LANE_MODEL_BEFORE, 3
		}), nil, "lane step of 3 bits with lane model 2"},
		{"duplicate thread blocks in the index", nil, func(x *container.Index) {
			x.Chunks[1].Launch, x.Chunks[1].FirstBlock, x.Chunks[1].LastBlock = x.Chunks[0].Launch, x.Chunks[0].FirstBlock, x.Chunks[0].LastBlock
		}, "chunk 1: not after the chunk before it"},
		{"duplicate thread blocks in the chunks", func(i int, m *wtapepb.Chunk) { m.Launch = 1 }, nil,
			"holds 3 thread blocks, 0 to 2 of launch 1, contrary to the index"},
		{"an offset behind the end", nil, func(x *container.Index) { x.Chunks[1].Offset = 1 << 40 }, "bytes at offset 1099511627776 do not lie between"},
		{"a negative offset", nil, func(x *container.Index) { x.Chunks[0].Offset = -5 }, "bytes at offset -5 do not lie between"},
		{"a chunk at a kernel", nil, func(x *container.Index) {
			x.Chunks[0].Offset, x.Chunks[0].Length = x.Others[1].Offset, x.Others[1].Length
		}, "is a frame of kind 2"},
		{"a chunk of a launch that does not exist", nil, func(x *container.Index) { x.Chunks[1].Launch = 9 }, "chunk 1 is of launch 9 up to thread block 2, which does not exist"},
		{"no chunks", nil, func(x *container.Index) { x.Chunks = nil }, "the index lacks this chunk"},
		{"nothing at all", nil, func(x *container.Index) { *x = container.Index{} }, "the summary is missing"},
	} {
		err := openReadAndVerify(rewrite(t, testtraces.Small(t, wtape.Options{}), c.chunk, c.index))
		if err == nil || !strings.Contains(err.Error(), c.wanted) || !strings.HasPrefix(err.Error(), "trace: ") {
			t.Errorf("%s: got %v, want %q", c.name, err, c.wanted)
		}
	}
}

// openReadAndVerify reads the chunks before it verifies, so that what the reader
// finds by itself comes first.
func openReadAndVerify(data []byte) error {
	r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for i, c := 0, wtape.NewChunk(); i < len(r.Chunks()); i++ {
		if err := r.ReadChunk(i, c); err != nil {
			return err
		}
	}
	return verification.Verify(r)
}

func TestMasksOfLanesThatLeftOrNeverWereAreFound(t *testing.T) {
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "masks", trace.Header{}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.AddKernel(testtraces.LayOut("loop", testtraces.LaidBlock{Code: "a", Successors: []uint32{0, 1}}, testtraces.LaidBlock{Code: "x", Successors: nil}))
	w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 8, Y: 1, Z: 1}})
	w.BeginBlock(0)
	for _, id := range []uint32{0, 0, 1} {
		w.Visit(0, id, 0xff)
	}
	if err := errors.Join(w.EndBlock(), w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	for wanted, change := range map[string]func(m *wtapepb.Chunk){
		"visit 0 of lanes ffffffff by a warp with lanes 000000ff": func(m *wtapepb.Chunk) { m.Masks.Code, m.Masks.Value = []uint32{0, 2}, nil },
		"visit 2: lanes 000000ff go from basic block 1 to basic block 0, which does not follow it in kernel \"loop\"": func(m *wtapepb.Chunk) {
			m.Paths.Step = []uint32{0, 0, 2, 0, 0} // blocks 0, 1, 0
		},
	} {
		err := openAndVerify(rewrite(t, out.Bytes(), func(_ int, m *wtapepb.Chunk) { change(m) }, nil))
		if err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("got %v, want %q", err, wanted)
		}
	}
}

func TestEveryFrameOfLengthZeroIsRefusedOrHarmless(t *testing.T) {
	z, err := frames.NewCompressor(zstd.SpeedFastest)
	if err != nil {
		t.Fatal(err)
	}
	for kind := range wtapepb.FrameKind(8) {
		for _, raw := range [][]byte{nil, {}} {
			out := append([]byte(frames.Magic), frames.MajorVersion)
			at := int64(len(out))
			out = frames.Append(out, kind, raw, z)
			x := container.Index{Others: []container.FrameInfo{{Kind: kind, Offset: at, Length: int64(len(out)) - at}}}
			if kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
				x = container.Index{Chunks: []wtape.ChunkInfo{{Blocks: 1, Offset: at, Length: int64(len(out)) - at}}}
			}
			indexRaw, err := x.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			frame := frames.Append(nil, wtapepb.FrameKind_FRAME_KIND_INDEX, indexRaw, z)
			foot := frames.Footer{IndexOffset: uint64(len(out)), IndexLength: uint64(len(frame)), Digest: frames.NewDigester().Sum()}
			if err := openAndVerify(foot.Append(append(out, frame...))); err == nil {
				t.Errorf("a file of one empty frame of kind %v is a good trace", kind)
			}
		}
	}
}

func TestLaunchesThatRepeatTakeNextToNothing(t *testing.T) {
	data := testtraces.Repeated(t)
	chunks := testtraces.Open(t, data).Chunks()
	if len(chunks) != 3 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for _, c := range chunks[1:] {
		if 50*c.Length > chunks[0].Length {
			t.Errorf("launch %d takes %d bytes, the first %d", c.Launch, c.Length, chunks[0].Length)
		}
	}
	if err := openAndVerify(data); err != nil {
		t.Error(err)
	}
	if err := compareWithReference(data); err != nil {
		t.Error(err)
	}
}

// patchReference changes the distance of a chunk's reference, with the checksums.
func patchReference(data []byte, c wtape.ChunkInfo, distance uint64) []byte {
	out := bytes.Clone(data)
	frame := out[c.Offset : c.Offset+c.Length]
	binary.LittleEndian.PutUint64(frame[frames.HeaderBytes:], distance)
	binary.LittleEndian.PutUint32(frame[16:], crc32.Checksum(frame[frames.HeaderBytes:], frames.Castagnoli))
	binary.LittleEndian.PutUint32(frame[20:], crc32.Checksum(frame[:20], frames.Castagnoli))
	return out
}

func TestBadReferencesAreNamed(t *testing.T) {
	data := testtraces.Repeated(t)
	r := testtraces.Open(t, data)
	root, second, third := r.Chunks()[0], r.Chunks()[1], r.Chunks()[2]
	kernel := r.Content().File.Index.Others[1]
	damaged := bytes.Clone(data)
	damaged[root.Offset+root.Length-1] ^= 1
	for _, c := range []struct {
		data   []byte
		wanted string
	}{
		{damaged, fmt.Sprintf("the frame at offset %d that it refers to: payload fails its checksum", root.Offset)},
		{patchReference(data, third, 0), "it refers to a frame 0 bytes before it, outside of the file"},
		{patchReference(data, third, 1<<63), "it refers to a frame 9223372036854775808 bytes before it, outside of the file"},
		{patchReference(data, third, uint64(third.Offset-root.Offset)-1), "that it refers to: no frame header"},
		{patchReference(data, third, uint64(third.Offset-kernel.Offset)), "that it refers to: is of kind 2, want 4"},
		{patchReference(data, third, uint64(third.Offset-second.Offset)), "that it refers to: refers to another frame itself"},
	} {
		err := testtraces.Open(t, c.data).ReadChunk(2, wtape.NewChunk())
		if err == nil || !strings.Contains(err.Error(), c.wanted) || !strings.HasPrefix(err.Error(), "trace: chunk 2 (launch 2,") {
			t.Errorf("got %v, want %q", err, c.wanted)
		}
	}
}

func TestReferencesChangeNeitherContentNorDigest(t *testing.T) {
	var digests, sizes []string
	for _, level := range []wtape.Level{wtape.LevelFast, wtape.LevelDefault, wtape.LevelSmall} {
		var out bytes.Buffer
		w, err := wtape.NewWriter(&out, "levels", trace.Header{}, wtape.Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		x := testtraces.Gathers()[lanecode.ModelLanesMean-lanecode.ModelUniform]
		k, _ := w.AddKernel(x.Kernel())
		x.Launch(t, w, k)
		x.Launch(t, w, k)
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		digests, sizes = append(digests, testtraces.Open(t, out.Bytes()).Digest()), append(sizes, fmt.Sprint(out.Len()))
	}
	if digests[0] != digests[1] || digests[1] != digests[2] {
		t.Errorf("digests %v of sizes %v", digests, sizes)
	}
	if len(sizes[0]) < len(sizes[1]) || sizes[0] == sizes[1] {
		t.Errorf("sizes %v: the levels do not differ", sizes)
	}
}
