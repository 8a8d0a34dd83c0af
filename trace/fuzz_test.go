package trace

import (
	"bytes"
	"io"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// readAll uses everything that a reader offers; the fuzz targets only want it to
// come back.
func readAll(r *Reader) error {
	chunk := NewChunk()
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, chunk); err != nil {
			return err
		}
		touch(chunk, r)
	}
	if err := r.Dump(io.Discard, DumpOptions{}); err != nil {
		return err
	}
	if _, err := Info(r); err != nil {
		return err
	}
	return Verify(r)
}

// touch resolves the addresses of every access of the chunk.
func touch(c *Chunk, r *Reader) (sum uint64) {
	var out [WarpSize]uint64
	for _, block := range c.Blocks() {
		for w := range c.WarpsPerBlock() {
			for _, a := range c.Warp(block, w).Accesses {
				c.Addresses(a, allLanes, &out)
				sum += out[0]
			}
		}
	}
	return sum
}

func FuzzOpen(f *testing.F) {
	small := smallTrace(f, Options{})
	f.Add(small)
	f.Add(small[:len(small)-1])
	f.Add(small[:len(small)/2])
	f.Add(randomModel(3).encode(f, Options{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			readAll(r)
		}
	})
}

// FuzzFrames lets mutations get past the checksums: the input is a list of frame
// payloads (kind, two length bytes, payload), of which a well-formed file is made.
func FuzzFrames(f *testing.F) {
	f.Add(framesOf(f, smallTrace(f, Options{})))
	f.Add(framesOf(f, randomModel(4).encode(f, Options{})))
	f.Fuzz(func(t *testing.T, pieces []byte) {
		data := fileOf(t, pieces)
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			readAll(r)
		}
	})
}

// framesOf is the inverse of fileOf.
func framesOf(t testing.TB, data []byte) (pieces []byte) {
	r := openBytes(t, data)
	for at := int64(frames.MagicBytes); at < int64(r.footer.IndexOffset); {
		scratch := NewChunk()
		h, err := r.readFrameHeader(at, r.size, scratch)
		if err != nil {
			t.Fatal(err)
		}
		_, raw, err := r.readFrame(at, h.Length(), scratch)
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
	z, err := frames.NewCompressor(LevelFast.speed())
	if err != nil {
		t.Fatal(err)
	}
	out := append([]byte(frames.Magic), frames.MajorVersion)
	var x index
	d := frames.NewDigester()
	for len(pieces) >= 3 {
		kind, n := wtapepb.FrameKind(pieces[0]), int(pieces[1])|int(pieces[2])<<8
		raw := pieces[3:min(3+n, len(pieces))]
		pieces = pieces[3+len(raw):]
		at := len(out)
		out = frames.Append(out, kind, raw, z)
		d.Add(kind, raw)
		if kind != wtapepb.FrameKind_FRAME_KIND_CHUNK {
			x.others = append(x.others, frameInfo{kind, int64(at), int64(len(out) - at)})
			continue
		}
		m := new(wtapepb.Chunk)
		proto.Unmarshal(raw, m) // what it gets before an error will do
		x.chunks = append(x.chunks, ChunkInfo{
			Launch: int(m.Launch), FirstBlock: m.FirstBlock, LastBlock: m.FirstBlock + uint64(max(m.Blocks, 1)) - 1, Blocks: int(m.Blocks),
			Offset: int64(at), Length: int64(len(out) - at), RawBytes: int64(len(raw)),
		})
	}
	raw, err := x.marshal()
	if err != nil {
		t.Fatal(err)
	}
	frame := frames.Append(nil, wtapepb.FrameKind_FRAME_KIND_INDEX, raw, z)
	foot := frames.Footer{IndexOffset: uint64(len(out)), IndexLength: uint64(len(frame)), Digest: d.Sum()}
	return foot.Append(append(out, frame...))
}

func TestFuzzFilesAreWellFormed(t *testing.T) {
	data := smallTrace(t, Options{})
	r := openBytes(t, fileOf(t, framesOf(t, data)))
	if got, want := r.Digest(), openBytes(t, data).Digest(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

// FuzzDecodeChunk feeds the column decoder directly.
func FuzzDecodeChunk(f *testing.F) {
	for seed := range uint64(3) {
		r := openBytes(f, randomModel(20+seed).encode(f, Options{}))
		c := NewChunk()
		for i := range r.Chunks() {
			if err := r.ReadChunk(i, c); err != nil {
				f.Fatal(err)
			}
			f.Add(bytes.Clone(c.raw))
		}
	}
	kernel := smallKernel()
	r := &Reader{
		kernels: []Kernel{*kernel}, plans: []*plan{newPlan(kernel)},
		launches: []Launch{{Grid: Dim3{100, 1, 1}, Block: Dim3{40, 1, 1}}, {Grid: Dim3{100, 1, 1}, Block: Dim3{1, 1, 1}}},
	}
	// The same with two loads, for the lane models.
	var gathering *Reader
	for _, x := range gathers() {
		x.warps, x.visits = 3, 3
		gathering = openBytes(f, x.record(f))
		c := NewChunk()
		if err := gathering.ReadChunk(0, c); err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(c.raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, r := range []*Reader{r, gathering} {
			c := NewChunk()
			c.raw = raw
			if err := c.decode(r.launches, r.plans); err == nil {
				touch(c, r)
			}
		}
	})
}

// FuzzKernelMessage feeds the conversion and validation of the static part.
func FuzzKernelMessage(f *testing.F) {
	for _, k := range []*Kernel{saxpyKernel(), smallKernel(), bfsKernel()} {
		raw, err := proto.Marshal(kernelToProto(k))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := new(Reader)
		if err := r.addKernel(raw); err != nil {
			return
		}
		again, err := proto.Marshal(kernelToProto(&r.kernels[0]))
		if err != nil {
			return // a string that is not UTF-8
		}
		if err := r.addKernel(again); err != nil {
			t.Errorf("a kernel that was read cannot be written and read: %v", err)
		}
	})
}
