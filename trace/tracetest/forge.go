// SPDX-License-Identifier: Apache-2.0

// Package tracetest makes trace files for tests: files that every checksum calls good
// and that are wrong all the same. It knows the format by its document, not by the
// code of package trace.
package tracetest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
)

// Frame is a frame of a trace, uncompressed.
type Frame struct {
	Kind    wtapepb.FrameKind
	Payload []byte
}

const (
	magicBytes, headerBytes, footerBytes = 8, 24, 64
	endMagic                             = "WTAPEND\n"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Frames reads the frames of a whole trace, but for the index.
func Frames(t testing.TB, data []byte) (frames []Frame) {
	t.Helper()
	at := map[int]Frame{}
	end := int(binary.LittleEndian.Uint64(data[len(data)-footerBytes:]))
	for offset := magicBytes; offset < end; {
		h := data[offset : offset+headerBytes]
		stored := data[offset+headerBytes : offset+headerBytes+int(binary.LittleEndian.Uint32(h[8:]))]
		f := Frame{wtapepb.FrameKind(h[4]), stored}
		var options []zstd.DOption
		if h[5] == 2 {
			root := at[offset-int(binary.LittleEndian.Uint64(stored))]
			options, stored = append(options, zstd.WithDecoderDictRaw(0, root.Payload)), stored[8:]
		}
		if h[5] > 0 {
			z, err := zstd.NewReader(nil, options...)
			if err == nil {
				f.Payload, err = z.DecodeAll(stored, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			z.Close()
		}
		at[offset] = f
		frames = append(frames, f)
		offset += headerBytes + int(binary.LittleEndian.Uint32(h[8:]))
	}
	return frames
}

// Assemble makes a file of frames with good checksums and an index, but a digest as
// given; nil for the right one. The frames are stored uncompressed.
func Assemble(t testing.TB, frames []Frame, digest []byte) []byte {
	t.Helper()
	out := append([]byte("\x89WTAPE\r"), 3)
	hash := sha256.New()
	x := new(wtapepb.Index)
	for _, f := range frames {
		offset := len(out)
		out = appendFrame(out, f)
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(f.Payload)))
		hash.Write(append([]byte{byte(f.Kind)}, length[:]...))
		hash.Write(f.Payload)
		if f.Kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
			addChunk(t, x, f, offset, len(out)-offset)
			continue
		}
		x.OtherKind = append(x.OtherKind, uint32(f.Kind))
		x.OtherOffset = append(x.OtherOffset, uint64(offset))
		x.OtherLength = append(x.OtherLength, uint64(len(out)-offset))
		if f.Kind == wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK || f.Kind == wtapepb.FrameKind_FRAME_KIND_CPU_SYNC_CHUNK {
			t.Fatal("CPU chunks are not assembled")
		}
	}
	payload, err := proto.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	if digest == nil {
		digest = hash.Sum(nil)
	}
	index := len(out)
	out = appendFrame(out, Frame{wtapepb.FrameKind_FRAME_KIND_INDEX, payload})
	return appendFooter(out, index, digest)
}

func appendFrame(out []byte, f Frame) []byte {
	h := append([]byte("WTF1"), byte(f.Kind), 0, 0, 0)
	for range 2 {
		h = binary.LittleEndian.AppendUint32(h, uint32(len(f.Payload)))
	}
	h = binary.LittleEndian.AppendUint32(h, crc32.Checksum(f.Payload, castagnoli))
	h = binary.LittleEndian.AppendUint32(h, crc32.Checksum(h, castagnoli))
	return append(append(out, h...), f.Payload...)
}

func appendFooter(out []byte, index int, digest []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(index))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(out)-index))
	b = append(b, digest...)
	b = binary.LittleEndian.AppendUint32(b, 3)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return append(append(out, b...), endMagic...)
}

func addChunk(t testing.TB, x *wtapepb.Index, f Frame, offset, length int) {
	m := Chunk(t, f)
	last := m.FirstBlock + uint64(m.Blocks) - 1
	for _, gap := range m.BlockGap {
		last += gap
	}
	x.ChunkLaunch = append(x.ChunkLaunch, m.Launch)
	x.ChunkFirstBlock = append(x.ChunkFirstBlock, m.FirstBlock)
	x.ChunkLastBlock = append(x.ChunkLastBlock, last)
	x.ChunkBlocks = append(x.ChunkBlocks, m.Blocks)
	x.ChunkOffset = append(x.ChunkOffset, uint64(offset))
	x.ChunkLength = append(x.ChunkLength, uint64(length))
	x.ChunkRawBytes = append(x.ChunkRawBytes, uint64(len(f.Payload)))
	x.ChunkWarpInstructions = append(x.ChunkWarpInstructions, 0)
}

// Chunk reads the message of a chunk's frame.
func Chunk(t testing.TB, f Frame) *wtapepb.Chunk {
	t.Helper()
	m := new(wtapepb.Chunk)
	if err := proto.Unmarshal(f.Payload, m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Exchange returns a trace in which two chunks of the same number of thread blocks have
// changed places: each says that it is the other. Checksums and index are good, and the
// digest is still that of the trace. It fails when no two chunks differ.
func Exchange(t testing.TB, data []byte) []byte {
	t.Helper()
	frames := Frames(t, data)
	digest := data[len(data)-footerBytes+16:][:sha256.Size]
	for i := range frames {
		for j := range frames[:i] {
			if exchange(t, &frames[i], &frames[j]) {
				return Assemble(t, frames, digest)
			}
		}
	}
	t.Fatal("no two chunks can be exchanged")
	return nil
}

func exchange(t testing.TB, a, b *Frame) bool {
	if a.Kind != wtapepb.FrameKind_FRAME_KIND_CHUNK || b.Kind != a.Kind {
		return false
	}
	x, y := Chunk(t, *a), Chunk(t, *b)
	if x.Blocks != y.Blocks || len(x.BlockGap)+len(y.BlockGap) > 0 {
		return false
	}
	x.Launch, y.Launch = y.Launch, x.Launch
	x.FirstBlock, y.FirstBlock = y.FirstBlock, x.FirstBlock
	was := string(a.Payload)
	a.Payload, b.Payload = marshal(t, y), marshal(t, x)
	return was != string(a.Payload)
}

// Splice returns a trace with the first chunk of another trace of the same program that
// differs from its own. Checksums and index are good, the digest is as it was.
func Splice(t testing.TB, data, other []byte) []byte {
	t.Helper()
	frames, foreign := Frames(t, data), Frames(t, other)
	for i := range frames {
		if frames[i].Kind == wtapepb.FrameKind_FRAME_KIND_CHUNK && string(frames[i].Payload) != string(foreign[i].Payload) {
			frames[i] = foreign[i]
			return Assemble(t, frames, data[len(data)-footerBytes+16:][:sha256.Size])
		}
	}
	t.Fatal("the traces have the same chunks")
	return nil
}

func marshal(t testing.TB, m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(fmt.Errorf("marshal: %w", err))
	}
	return b
}
