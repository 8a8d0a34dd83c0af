// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"bytes"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// Replaced headers are kept as a table has them: the last one for an offset that was not dropped. Only a read of a header sees
// one.
func TestReplacedHeadersAreThoseOfATable(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	file := make([]byte, 400)
	for i := range file {
		file[i] = byte(r.Uint32())
	}
	p := &patchedReader{in: bytes.NewReader(file)}
	table := map[int64][]byte{}
	for range 2000 {
		at := r.Int64N(int64(len(file) - frames.HeaderBytes))
		switch r.IntN(3) {
		case 0:
			if table[at] == nil {
				header := make([]byte, frames.HeaderBytes)
				for i := range header {
					header[i] = byte(r.Uint32())
				}
				table[at] = header
				p.patch(at, header)
			}
		case 1:
			p.drop(at)
			delete(table, at)
		}
		next := int64(-1)
		for offset := range table {
			if offset >= at && (next < 0 || offset < next) {
				next = offset
			}
		}
		if p.has(at) != (table[at] != nil) || p.next(at) != next {
			t.Fatalf("offset %d is replaced: %v, the next is %d, want %v and %d", at, p.has(at), p.next(at), table[at] != nil, next)
		}
		for _, n := range []int{frames.HeaderBytes, frames.HeaderBytes - 1, 3} {
			want := file[at : at+int64(n)]
			if n == frames.HeaderBytes && table[at] != nil {
				want = table[at]
			}
			got := make([]byte, n)
			if m, err := p.ReadAt(got, at); m != n || err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes at %d are % x, want % x (%d, %v)", n, at, got, want, m, err)
			}
		}
	}
}

// A damaged header proves one that was made for its payload by its own checksum, or by everything but that. Where kind and
// size are known the payload's checksum is enough.
func TestWhatProvesAHeader(t *testing.T) {
	h := frames.Header{Kind: wtapepb.FrameKind_FRAME_KIND_CHUNK, Compression: frames.CompressionZstd, Stored: 100, Raw: 300, CRC: 0x12345678}
	made := h.Append(nil)
	for at := range frames.HeaderBytes {
		for _, sure := range []bool{false, true} {
			damaged := bytes.Clone(made)
			damaged[at] ^= 0x40
			if !proves(damaged, made, sure) {
				t.Errorf("one wrong byte, %d, and the header is not proved (the kind and size are known: %v)", at, sure)
			}
			last := bytes.Clone(damaged)
			last[frames.HeaderBytes-1] ^= 1 // and the header's checksum
			payload := at >= 16 && at < 20
			if want := at >= 20 || sure && !payload; proves(last, made, sure) != want {
				t.Errorf("bytes %d and %d are wrong: proved %v (the kind and size are known: %v)", at, frames.HeaderBytes-1, !want, sure)
			}
		}
	}
}

// surveyed is the survey of bytes.
func surveyed(data []byte) *survey { return newSurvey(bytes.NewReader(data), int64(len(data)), "test") }

// A survey's checksum covers all bytes, also where there are more than one read takes.
func TestSumsAreOfAllBytes(t *testing.T) {
	data := make([]byte, 2*scanBytes+100)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	v := surveyed(data)
	for _, n := range []int64{0, 1, scanBytes - 1, scanBytes, scanBytes + 1, 2 * scanBytes, 2*scanBytes + 90} {
		if sum, err := v.sum(10, n); err != nil || sum != crc32.Checksum(data[10:10+n], frames.Castagnoli) {
			t.Errorf("%d bytes: %#x, %v", n, sum, err)
		}
	}
	if _, err := v.sum(10, int64(len(data))); err == nil {
		t.Error("there is a checksum of bytes behind the end")
	}
}

// The next whole frame is found wherever it begins, also across the pieces that are read at a time, and behind what looks
// like one.
func TestTheNextFrameIsFoundWhereverItBegins(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{Workers: 1})
	var h frames.Header
	if err := h.Parse(data[frames.MagicBytes : frames.MagicBytes+frames.HeaderBytes]); err != nil {
		t.Fatal(err)
	}
	frame := data[frames.MagicBytes : int64(frames.MagicBytes)+h.Length()]
	broken := bytes.Clone(frame)
	broken[len(broken)-1] ^= 1
	for _, at := range []int{0, 1, 7, scanBytes - 5, scanBytes - 4, scanBytes - 3, scanBytes - 2, scanBytes - 1, scanBytes, scanBytes + 1} {
		for what, before := range map[string][]byte{"noise": nil, "marks": bytes.Repeat([]byte(frames.Mark), 3), "a damaged frame": broken} {
			junk := bytes.Repeat([]byte{0xa5}, at)
			copy(junk, before)
			file := append(append(junk, frame...), 1, 2, 3)
			if got, err := surveyed(file).resync(0); err != nil || got != int64(at) {
				t.Errorf("behind %d bytes of %s: found at %d, %v", at, what, got, err)
			}
			if got, err := surveyed(file).resync(int64(at) + 1); err != nil || got != int64(len(file)) {
				t.Errorf("behind the frame there is one at %d of %d, %v", got, len(file), err)
			}
		}
	}
}

// A frame whose header has been replaced is found where it is, although the file does not have its mark, and so is one in front
// of it.
func TestAFrameOfAReplacedHeaderIsFound(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{Workers: 1})
	header := data[frames.MagicBytes : frames.MagicBytes+frames.HeaderBytes]
	var h frames.Header
	if err := h.Parse(header); err != nil {
		t.Fatal(err)
	}
	frame := data[frames.MagicBytes : int64(frames.MagicBytes)+h.Length()]
	for _, at := range []int64{0, 9, scanBytes - 2, scanBytes + 5} {
		file := append(bytes.Repeat([]byte{0xa5}, int(at)), frame...)
		clear(file[at : at+frames.HeaderBytes])
		file = append(append(file, 1, 2, 3), frame...)
		v := surveyed(file)
		if got, err := v.resync(0); err != nil || got != at+h.Length()+3 {
			t.Errorf("behind %d bytes: without a header the next is at %d, %v", at, got, err)
		}
		v.patches.patch(at, header)
		if got, err := v.resync(0); err != nil || got != at {
			t.Errorf("behind %d bytes: with a new header found at %d, %v", at, got, err)
		}
		if got, err := v.resync(at + 1); err != nil || got != at+h.Length()+3 {
			t.Errorf("behind %d bytes: the one behind it is at %d, %v", at, got, err)
		}
	}
}

// Without an index a frame refers to one in front of it, if no bytes between them may have come or gone.
func TestReferencesWithoutAnIndexCrossNoGap(t *testing.T) {
	const magic = int64(frames.MagicBytes)
	for _, c := range []struct {
		offset, at int64
		gaps       []int64
		ok         bool
	}{
		{500, 100, nil, true}, {500, magic, nil, true}, {500, magic - 1, nil, false}, {500, 499, nil, true}, {500, 500, nil, false}, {500, 600, nil, false},
		{500, 100, []int64{300}, false}, {500, 100, []int64{100}, false}, {500, 100, []int64{99, 500, 700}, true}, {500, 100, []int64{50, 499}, false},
	} {
		v := surveyed(make([]byte, 1000))
		v.gaps = c.gaps
		if at, err := v.unmoved(c.offset, c.at); (err == nil) != c.ok || c.ok && at != c.at {
			t.Errorf("%d refers to %d, with gaps at %v: %d, %v", c.offset, c.at, c.gaps, at, err)
		}
	}
}

// A file of false frame headers is given up, before their payloads are read more often than some sizes of the file.
func TestAFileOfFalseHeadersIsGivenUp(t *testing.T) {
	for headers, refused := range map[int]bool{10: false, 40: true, 200: true} {
		const payload = 4000
		var file []byte
		for range headers {
			h := frames.Header{Kind: wtapepb.FrameKind_FRAME_KIND_CHUNK, Stored: payload, Raw: payload, CRC: 1}
			file = h.Append(file)
		}
		file = append(file, make([]byte, payload)...)
		at, err := surveyed(file).resync(0)
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "more false frame headers than damage makes") || err == nil && at != int64(len(file)) {
			t.Errorf("%d false headers: %d, %v", headers, at, err)
		}
	}
}
