package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace/internal/frames"
)

// recoverBytes recovers data as a file and opens the result.
func recoverBytes(t *testing.T, data []byte) (*Reader, Recovered, error) {
	t.Helper()
	dir := t.TempDir()
	path, output := filepath.Join(dir, ".cut.wtape.0.partial"), filepath.Join(dir, "out.wtape")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	report, err := Recover(path, output, Options{Workers: 1, Level: LevelFast})
	if err != nil {
		if _, stat := os.Stat(output); stat == nil || len(listing(t, dir)) != 1 {
			t.Fatalf("a failed recovery left %v", listing(t, dir))
		}
		return nil, report, err
	}
	out, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	return openBytes(t, out), report, nil
}

// firstChunks is what a model reads like with only the first n chunks of a trace.
func firstChunks(t *testing.T, whole *Reader, n int) *modelTrace {
	t.Helper()
	part := *whole
	part.index.chunks = whole.index.chunks[:n]
	m, err := readModel(&part)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestEveryWholeChunkIsRecoveredWhereverTheFileIsCut(t *testing.T) {
	for _, data := range [][]byte{smallTrace(t, Options{}), randomModel(3).encode(t, Options{})} {
		whole := openBytes(t, data)
		legal := Verify(whole) == nil // random paths do not follow the control flow
		for _, cut := range cutPoints(whole, len(data)) {
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
			if err := Verify(r); legal && err != nil {
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
	data := smallTrace(t, Options{})
	data = data[:len(data)-100]
	if err := os.WriteFile(left, data, 0o644); err != nil {
		t.Fatal(err)
	}
	report, err := Recover(left, output, Options{})
	if err != nil || report.Chunks != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	if now, err := os.ReadFile(left); err != nil || !bytes.Equal(now, data) {
		t.Errorf("what was left has changed: %v", err)
	}
}

// checkPart compares a recovered trace with the launches that it can know of.
func checkPart(t *testing.T, cut int, r *Reader, want *modelTrace) {
	t.Helper()
	got, err := readModel(r)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Header().Sampling, "recovered: ") {
		t.Fatalf("cut at %d: sampling note %q", cut, r.Header().Sampling)
	}
	if len(got.launches) > len(want.launches) || len(got.kernels) > len(want.kernels) {
		t.Fatalf("cut at %d: launches or kernels from nowhere", cut)
	}
	for _, l := range want.launches[len(got.launches):] {
		if len(l.blocks) > 0 {
			t.Fatalf("cut at %d: a launch with whole chunks is missing", cut)
		}
	}
	blocks := uint64(0)
	for _, l := range got.launches {
		blocks += uint64(len(l.blocks))
	}
	if got := r.Totals().ThreadBlocks; got != blocks {
		t.Fatalf("cut at %d: totals of %d thread blocks, %d are stored", cut, got, blocks)
	}
	got.header, want.header = Header{}, Header{}
	want.launches, want.kernels = want.launches[:len(got.launches)], want.kernels[:len(got.kernels)]
	if d := diffModels(want, got); d != "" {
		t.Fatalf("cut at %d: %s", cut, d)
	}
}

func TestOneDamagedChunkDoesNotCostTheOthers(t *testing.T) {
	data := encodeWorkload(t, workloads()[2], Options{})
	whole := openBytes(t, data)
	hit := whole.Chunks()[1]
	data[hit.Offset+hit.Length-1] ^= 1
	r, report, err := recoverBytes(t, data)
	if err != nil {
		t.Fatal(err)
	}
	if report.LostChunks != 1 || report.LostBlocks != uint64(hit.Blocks) || report.SkippedBytes != hit.Length || report.Chunks != len(whole.Chunks())-1 || report.Complete {
		t.Errorf("%+v", report)
	}
	if err := Verify(r); err != nil {
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
	data := smallTrace(t, Options{})
	first := openBytes(t, data).Chunks()[0].Offset
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
	data := smallTrace(f, Options{})
	f.Add(data)
	f.Add(data[:len(data)*2/3])
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := newSalvage(bytes.NewReader(data), int64(len(data)), "fuzz")
		if err != nil {
			return
		}
		var out bytes.Buffer
		w, err := NewWriter(&out, "out", s.r.initial, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if _, err := s.write(w); err != nil {
			t.Fatalf("what was salvaged cannot be written: %v", err)
		}
		openBytes(t, out.Bytes())
	})
}
