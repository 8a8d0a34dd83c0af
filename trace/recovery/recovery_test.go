// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// recoverBytes recovers data as a file and opens the result.
func recoverBytes(t *testing.T, data []byte) (*wtape.Reader, Report, error) {
	t.Helper()
	dir := t.TempDir()
	path, output := filepath.Join(dir, ".cut.wtape.0.partial"), filepath.Join(dir, "out.wtape")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	report, err := Recover(path, output, wtape.Options{Workers: 1, Level: wtape.LevelFast})
	if err != nil {
		if _, stat := os.Stat(output); stat == nil || len(testtraces.Listing(t, dir)) != 1 {
			t.Fatalf("a failed recovery left %v", testtraces.Listing(t, dir))
		}
		return nil, report, err
	}
	out, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	return testtraces.Open(t, out), report, nil
}

// firstChunks is what a model reads like with only the first n chunks of a trace.
func firstChunks(t *testing.T, whole *wtape.Reader, n int) *testtraces.Trace {
	t.Helper()
	part := *whole
	part.Content().File.Index.Chunks = whole.Chunks()[:n]
	m, err := testtraces.Read(&part)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestEveryWholeChunkIsRecoveredWhereverTheFileIsCut(t *testing.T) {
	for _, data := range [][]byte{testtraces.Small(t, wtape.Options{}), testtraces.Random(3).Encode(t, wtape.Options{})} {
		whole := testtraces.Open(t, data)
		legal := verification.Verify(whole) == nil // random paths do not follow the control flow
		cuts := testtraces.CutPoints(whole, len(data))
		for _, cut := range tracetest.Draw(t, cuts, len(cuts)/tracetest.Fewer(15, 6)) {
			chunks := 0
			for _, c := range whole.Chunks() {
				if c.Offset+c.Length <= int64(cut) {
					chunks++
				}
			}
			r, report, err := recoverBytes(t, data[:cut])
			if err != nil {
				if chunks > 0 {
					t.Fatalf("cut at %d of %d with %d whole chunks: %v", cut, len(data), chunks, err)
				}
				continue
			}
			if report.Chunks != chunks || report.LostChunks != 0 {
				t.Fatalf("cut at %d: %+v, want %d chunks", cut, report, chunks)
			}
			if err := verification.Verify(r); legal && err != nil {
				t.Fatalf("cut at %d: the recovered trace: %v", cut, err)
			}
			if report.Complete {
				if r.Digest() != whole.Digest() {
					t.Fatalf("cut at %d: nothing was lost but the digest changed", cut)
				}
				continue
			}
			checkPart(t, cut, r, firstChunks(t, whole, chunks))
		}
	}
}

func TestKilledRecordingIsRecoveredUnderItsOwnName(t *testing.T) {
	dir := t.TempDir()
	left, output := filepath.Join(dir, ".x.wtape.0.partial"), filepath.Join(dir, "x.wtape")
	data := testtraces.Small(t, wtape.Options{})
	data = data[:len(data)-100]
	if err := os.WriteFile(left, data, 0o644); err != nil {
		t.Fatal(err)
	}
	report, err := Recover(left, output, wtape.Options{})
	if err != nil || report.Chunks != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	if now, err := os.ReadFile(left); err != nil || !bytes.Equal(now, data) {
		t.Errorf("what was left has changed: %v", err)
	}
}

// checkPart compares a recovered trace with the launches that it can know of.
func checkPart(t *testing.T, cut int, r *wtape.Reader, want *testtraces.Trace) {
	t.Helper()
	got, err := testtraces.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Header().Sampling, "recovered: ") {
		t.Fatalf("cut at %d: sampling note %q", cut, r.Header().Sampling)
	}
	if len(got.Launches) > len(want.Launches) || len(got.Kernels) > len(want.Kernels) {
		t.Fatalf("cut at %d: launches or kernels from nowhere", cut)
	}
	for _, l := range want.Launches[len(got.Launches):] {
		if len(l.Blocks) > 0 {
			t.Fatalf("cut at %d: a launch with whole chunks is missing", cut)
		}
	}
	blocks := uint64(0)
	for _, l := range got.Launches {
		blocks += uint64(len(l.Blocks))
	}
	if got := r.Totals().ThreadBlocks; got != blocks {
		t.Fatalf("cut at %d: totals of %d thread blocks, %d are stored", cut, got, blocks)
	}
	got.Header, want.Header = trace.Header{}, trace.Header{}
	want.Launches, want.Kernels = want.Launches[:len(got.Launches)], want.Kernels[:len(got.Kernels)]
	if d := testtraces.Diff(want, got); d != "" {
		t.Fatalf("cut at %d: %s", cut, d)
	}
}

func TestOneDamagedChunkDoesNotCostTheOthers(t *testing.T) {
	data := testtraces.Encode(t, testtraces.Workloads()[2], wtape.Options{})
	whole := testtraces.Open(t, data)
	hit := whole.Chunks()[1]
	data[hit.Offset+hit.Length-1] ^= 1
	r, report, err := recoverBytes(t, data)
	if err != nil {
		t.Fatal(err)
	}
	if report.LostChunks != 1 || report.LostBlocks != uint64(hit.Blocks) || report.SkippedBytes != hit.Length || report.Chunks != len(whole.Chunks())-1 || report.Complete {
		t.Errorf("%+v", report)
	}
	if err := verification.Verify(r); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(whole.Totals(), r.Totals()); d != "" {
		t.Errorf("the summary was whole, but: %s", d)
	}
	if _, err := r.FindChunk(0, hit.FirstBlock); err == nil && r.Chunks()[0].LastBlock >= hit.FirstBlock {
		t.Error("a thread block of the damaged chunk is stored")
	}
	if !strings.Contains(r.Header().Sampling, "1 chunks and ") {
		t.Errorf("sampling note %q", r.Header().Sampling)
	}
}

func TestNothingToRecoverIsAnErrorThatSaysSo(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{})
	first := testtraces.Open(t, data).Chunks()[0].Offset
	for _, c := range []struct {
		data []byte
		want string
	}{
		{data[:first], "no whole chunk"},
		{data[:frames.MagicBytes], "no whole chunk"},
		{[]byte("text"), "is no Warptape trace"},
		{bytes.Repeat([]byte{0}, 5000), "is no Warptape trace"},
	} {
		_, _, err := recoverBytes(t, c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), ".partial: ") {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func FuzzRecover(f *testing.F) {
	data := testtraces.Small(f, wtape.Options{})
	f.Add(data)
	f.Add(data[:len(data)*2/3])
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := newSalvage(bytes.NewReader(data), int64(len(data)), "fuzz")
		if err != nil {
			return
		}
		var out bytes.Buffer
		w, err := wtape.NewWriter(&out, "out", s.content.Initial, wtape.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if _, err := s.write(w); err != nil {
			t.Fatalf("what was salvaged cannot be written: %v", err)
		}
		testtraces.Open(t, out.Bytes())
	})
}

func TestRecoveryKeepsTheChunksWhoseReferencesSurvive(t *testing.T) {
	data := testtraces.Repeated(t)
	whole := testtraces.Open(t, data)
	for hit, lost := range []int{3, 1, 1} { // the first is what the others refer to
		damaged := bytes.Clone(data)
		c := whole.Chunks()[hit]
		damaged[c.Offset+c.Length-1] ^= 1
		r, report, err := recoverBytes(t, damaged)
		if lost == 3 {
			if err == nil && report.Chunks != 0 {
				t.Errorf("%d chunks without the one that they refer to", report.Chunks)
			}
			continue
		}
		if err != nil || report.LostChunks != lost || report.Chunks != 3-lost {
			t.Fatalf("chunk %d damaged: %+v, %v", hit, report, err)
		}
		if err := verification.Verify(r); err != nil {
			t.Error(err)
		}
	}
	for _, cut := range testtraces.CutPoints(whole, len(data))[:40] {
		chunks := 0
		for _, c := range whole.Chunks() {
			if c.Offset+c.Length <= int64(cut) {
				chunks++
			}
		}
		_, report, err := recoverBytes(t, data[:cut])
		if report.Chunks != chunks && (chunks > 0 || err == nil) {
			t.Errorf("cut at %d: %d chunks of %d: %v", cut, report.Chunks, chunks, err)
		}
	}
}
