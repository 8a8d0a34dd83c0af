// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/wtape"
)

// cpuThread records a CPU thread with one load from an address.
func cpuThread(t *testing.T, address uint64) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "cpu", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginCPUThread(); err != nil {
		t.Fatal(err)
	}
	if err := w.AddCPU(&trace.CPUInstruction{IP: 100, LoadSlots: 1}, false, []uint64{address}); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The digest sees what CPU threads did: traces that differ in one address of a thread have different ones. It did not, so that
// results of one could be taken for those of the other. A file with such a digest is still read.
func TestTheDigestSeesCPUThreads(t *testing.T) {
	open := func(data []byte) *wtape.Reader {
		r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, other := cpuThread(t, 1<<20), cpuThread(t, 1<<20+64)
	if a, b := open(one), open(other); a.Digest() == b.Digest() || a.Totals() != b.Totals() {
		t.Errorf("digests %s and %s; totals %+v and %+v", a.Digest(), b.Digest(), a.Totals(), b.Totals())
	}
	for _, withCPU := range []bool{true, false} {
		old := frames.NewDigester()
		r := open(one)
		for at := int64(frames.MagicBytes); at < int64(r.Content().File.Footer.IndexOffset); {
			var scratch container.Buffer
			h, err := r.Content().File.ReadFrameHeader(at, r.Content().File.Size, &scratch)
			if err != nil {
				t.Fatal(err)
			}
			_, raw, err := r.Content().File.ReadFrame(at, h.Length(), &scratch)
			if err != nil {
				t.Fatal(err)
			}
			if at += h.Length(); withCPU || !frames.CPUChunk(h.Kind) {
				old.Add(h.Kind, raw)
			}
		}
		footer := r.Content().File.Footer
		footer.Digest = old.Sum()
		data := footer.Append(bytes.Clone(one[:len(one)-frames.FooterBytes]))
		if err := open(data).CheckDigest(t.Context()); err != nil || bytes.Equal(data, one) != withCPU {
			t.Errorf("with CPU threads %v: %v", withCPU, err)
		}
		footer.Digest[0] ^= 1
		if err := open(footer.Append(data[:len(data)-frames.FooterBytes])).CheckDigest(t.Context()); err == nil {
			t.Error("another digest is accepted")
		}
	}
}
