// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"bytes"
	"slices"
	"testing"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// indexOf is the index frame of a trace.
func indexOf(t *testing.T, data []byte) []byte {
	t.Helper()
	end := len(data) - frames.FooterBytes
	return data[end-int(testtraces.Open(t, data).Content().File.Footer.IndexLength) : end]
}

// The footer is lost, and the index is not the last of the file: what lies behind it, damaged or of other traces, hides
// it not, and costs nothing.
func TestTheIndexIsFoundWhateverLiesBehindIt(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{Workers: 1})
	all := data[:len(data)-frames.FooterBytes]
	other, random := testtraces.Small(t, wtape.Options{Workers: 1, Level: wtape.LevelFast}), testtraces.Random(3).Encode(t, wtape.Options{})
	broken := bytes.Clone(indexOf(t, data))
	broken[len(broken)-3] ^= 1
	for what, behind := range map[string][]byte{
		"nothing": nil, "noise": bytes.Repeat([]byte("noise"), 20), "a damaged index": broken, "the index of another trace": indexOf(t, other),
		"two of other traces": slices.Concat(indexOf(t, random), indexOf(t, other)), "a frame of another": random[frames.MagicBytes:200],
	} {
		r, report, err := recoverBytes(t, slices.Concat(all, behind))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if want := len(testtraces.Open(t, data).Chunks()); !report.Indexed || len(report.Losses) != 0 || len(r.Chunks()) != want || !report.Complete {
			t.Errorf("%s: %d chunks of %d: %+v", what, len(r.Chunks()), want, report)
		}
	}
}

// A frame whose header has a wrong byte is saved by a checksum, each field in turn, also without an index. So are
// payloads that refer to another frame. Small ones of these do not say their size.
func TestAFrameHeaderIsRepaired(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{Workers: 1})
	chunks := testtraces.Open(t, data).Chunks()
	references, index := 0, len(indexOf(t, data))
	for _, indexed := range []bool{true, false} {
		var h frames.Header
		for at := frames.MagicBytes; ; at += int(h.Length()) {
			if err := h.Parse(data[at : at+frames.HeaderBytes]); err != nil {
				t.Fatal(err)
			}
			if h.Kind == wtapepb.FrameKind_FRAME_KIND_INDEX {
				break
			}
			if h.Compression == frames.CompressionReference && h.Raw < 256 {
				references++
			}
			fields := []int{4}
			switch {
			case h.Kind == wtapepb.FrameKind_FRAME_KIND_CHUNK:
				fields = []int{3, 4, 5, 7, 8, 12, 16, 20}
			case !indexed:
				continue
			}
			for _, k := range fields {
				damaged := bytes.Clone(data)
				damaged[at+k] ^= 0x10
				if !indexed {
					damaged = damaged[:len(data)-frames.FooterBytes-index]
				}
				r, report, err := recoverBytes(t, damaged)
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Chunks()) != len(chunks) || report.Repaired != 1 || len(report.Losses) != 0 || report.SkippedBytes != 0 || report.Indexed != indexed {
					t.Errorf("kind %d at offset %d, byte %d of the header: %d chunks of %d: %+v", h.Kind, at, k, len(r.Chunks()), len(chunks), report)
				}
			}
		}
	}
	if references == 0 {
		t.Error("no small frame refers to another")
	}
}

// A frame header is gone altogether: what lies behind it is the chunk that the index has there if the content then has
// the footer's digest. With a payload that is not whole, or bytes that have come or gone, nothing is assumed.
func TestAMissingHeaderIsProvedByTheDigest(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{Workers: 1})
	chunks := testtraces.Open(t, data).Chunks()
	for number := range chunks { // the second refers to the first
		at, end := int(chunks[number].Offset), int(chunks[number].Offset+chunks[number].Length)
		for what, c := range map[string]struct {
			damage func(b []byte) []byte
			saved  bool
		}{
			"the header":             {func(b []byte) []byte { return b }, true},
			"the payload, too":       {func(b []byte) []byte { b[end-1] ^= 1; return b }, false},
			"bytes come in front":    {func(b []byte) []byte { return slices.Insert(b, at, make([]byte, 9)...) }, false},
			"the footer has another": {func(b []byte) []byte { b[len(b)-frames.FooterBytes/2] ^= 1; return b }, false},
		} {
			damaged := bytes.Clone(data)
			clear(damaged[at : at+frames.HeaderBytes])
			r, report, err := recoverBytes(t, c.damage(damaged))
			if err != nil {
				t.Fatal(err)
			}
			if saved := len(r.Chunks()) == len(chunks); saved != c.saved || report.Complete != saved || (report.Repaired == 1) != saved {
				t.Errorf("chunk %d, %s: saved %t: %+v", number, what, saved, report)
			}
		}
	}
}

// Totals cover a part that has no more of anything.
func TestTotalsCoverTheirParts(t *testing.T) {
	whole := trace.Totals{WarpInstructions: 5, ThreadInstructions: 5, ThreadBlocks: 5}
	whole.CPU.Threads, whole.CPU.Instructions = 5, 5
	if !covers(&whole, &whole) || !covers(&whole, new(trace.Totals)) {
		t.Error("totals do not cover themselves, or nothing")
	}
	for what, more := range map[string]func(*trace.Totals){
		"warp instructions":   func(x *trace.Totals) { x.WarpInstructions++ },
		"thread instructions": func(x *trace.Totals) { x.ThreadInstructions++ },
		"thread blocks":       func(x *trace.Totals) { x.ThreadBlocks++ },
		"CPU threads":         func(x *trace.Totals) { x.CPU.Threads++ },
		"CPU instructions":    func(x *trace.Totals) { x.CPU.Instructions++ },
	} {
		part := whole
		if more(&part); covers(&whole, &part) {
			t.Errorf("a part with more %s is covered", what)
		}
	}
}

// The magic says the version. A later one is refused unless the footer is of this one; where the magic itself is damaged,
// the frames tell what they are.
func TestALaterVersionIsRefusedUnlessTheFooterIsOfThisOne(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{Workers: 1})
	chunks := len(testtraces.Open(t, data).Chunks())
	for what, c := range map[string]struct {
		at     int // the byte that is changed
		footer bool
		saved  bool
	}{
		"the version":                   {len(frames.Magic), false, false},
		"the version, with a footer":    {len(frames.Magic), true, true},
		"the magic":                     {0, false, true},
		"the magic, with a footer":      {0, true, true},
		"the last of the magic's bytes": {len(frames.Magic) - 1, false, true},
	} {
		damaged := bytes.Clone(data)
		damaged[c.at] |= 0x80
		if !c.footer {
			damaged = damaged[:len(data)-frames.FooterBytes]
		}
		r, report, err := recoverBytes(t, damaged)
		switch {
		case (err == nil) != c.saved:
			t.Errorf("%s: %v", what, err)
		case err == nil && len(r.Chunks()) != chunks:
			t.Errorf("%s: %d chunks of %d: %+v", what, len(r.Chunks()), chunks, report)
		}
	}
}

// A trace has one header and one summary, the first ones. Others do not belong there, and are lost.
func TestASecondHeaderAndASecondSummaryDoNotBelongThere(t *testing.T) {
	data, other := testtraces.Small(t, wtape.Options{Workers: 1}), testtraces.Random(3).Encode(t, wtape.Options{})
	whole := testtraces.Open(t, data)
	frame := func(of []byte, kind wtapepb.FrameKind) []byte {
		var h frames.Header
		for at := frames.MagicBytes; ; at += int(h.Length()) {
			if err := h.Parse(of[at : at+frames.HeaderBytes]); err != nil {
				t.Fatal(err)
			}
			if h.Kind == kind {
				return of[at : at+int(h.Length())]
			}
		}
	}
	end := len(data) - frames.FooterBytes - len(indexOf(t, data))
	for _, kind := range []wtapepb.FrameKind{wtapepb.FrameKind_FRAME_KIND_HEADER, wtapepb.FrameKind_FRAME_KIND_SUMMARY} {
		r, report, err := recoverBytes(t, slices.Concat(data[:end], frame(other, kind)))
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Losses) != 1 || report.Losses[0].Cause != errMisplaced.Error() || r.Header().Tool != whole.Header().Tool || r.Totals() != whole.Totals() {
			t.Errorf("%s: %+v of %s, totals %+v, want %+v", kind, report, r.Header().Tool, r.Totals(), whole.Totals())
		}
	}
}
