// SPDX-License-Identifier: Apache-2.0

package champsim

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/diff"
	"github.com/warptape/warptape/trace/internal/packed"
	"github.com/warptape/warptape/trace/recovery"
	"github.com/warptape/warptape/trace/statistics"
	"github.com/warptape/warptape/trace/text"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
	"github.com/warptape/warptape/trace/transcription"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// loop makes the records of a loop of 8 iterations. The loop has a load that
// strides, a store to the stack, and a conditional branch that is taken 7 times. A
// call comes after it. The records are written field by field, by the table of the
// format.
func loop(size int) []byte {
	stores, loads, sources := 16, 32, 12
	if size == 96 {
		stores, loads, sources = 24, 56, 14
	}
	var out []byte
	record := func(ip uint64, fill func(b []byte)) {
		b := make([]byte, size)
		binary.LittleEndian.PutUint64(b, ip)
		fill(b)
		out = append(out, b...)
	}
	for i := range uint64(8) {
		record(0x401000, func(b []byte) {
			b[10], b[sources] = 3, 5
			binary.LittleEndian.PutUint64(b[loads+8:], 0x7000_0000_0000+64*i) // the second place
		})
		record(0x401004, func(b []byte) {
			b[sources], b[sources+1] = 3, 6
			binary.LittleEndian.PutUint64(b[stores:], 0x7fff_0000)
		})
		record(0x401008, func(b []byte) {
			b[8], b[10], b[sources], b[sources+1] = 1, 26, 26, 25
			if i < 7 {
				b[9] = 1
			}
		})
	}
	record(0x40100a, func(b []byte) {
		b[8], b[9], b[10], b[11], b[sources], b[sources+1] = 1, 1, 26, 6, 26, 6
		binary.LittleEndian.PutUint64(b[stores:], 0x7ffe_fff8)
	})
	return out
}

// random makes records of any content that the format allows.
func random(size, n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, size*n)
	for i := range out {
		out[i] = byte(r.Uint32() >> 24)
	}
	for i := range n {
		b := out[i*size:]
		b[8] &= 1
		b[9] &= 1
		if size == 96 {
			clear(b[18:24]) // padding
			clear(b[90:96])
		}
		if i%3 == 0 {
			clear(b[size-64+32 : size-64+64])
		}
	}
	return out
}

func layoutOf(size int) Layout {
	if size == 96 {
		return CloudSuite
	}
	return Standard
}

func imported(t *testing.T, layout Layout, files ...string) *wtape.Reader {
	t.Helper()
	output := filepath.Join(t.TempDir(), "cpu.wtape")
	if err := Import(files, output, "test", layout, wtape.Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(output)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := verification.Verify(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	suffix := filepath.Ext(name)
	z, err := packed.NewWriter(suffix, f)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRecordsComeBackByteByByte(t *testing.T) {
	for _, size := range []int{64, 96} {
		for name, data := range map[string][]byte{"loop": loop(size), "random": random(size, 70000)} {
			r := imported(t, layoutOf(size), write(t, name, data))
			var out bytes.Buffer
			n, err := Export(r, 0, &out, layoutOf(size))
			if err != nil || n != uint64(len(data)/size) || !bytes.Equal(out.Bytes(), data) {
				t.Errorf("%s of %d bytes: %d records, %v, equal %v", name, size, n, err, bytes.Equal(out.Bytes(), data))
			}
		}
	}
}

func TestCompressedFilesAndSeveralThreadsAreRead(t *testing.T) {
	data := loop(64)
	var files []string
	for _, suffix := range []string{"", ".xz", ".gz", ".zst"} {
		files = append(files, write(t, "loop"+suffix, data))
	}
	r := imported(t, Standard, files...)
	want := trace.CPUTotals{Threads: 4, Instructions: 4 * 25, Branches: 4 * 9, TakenBranches: 4 * 8, Loads: 4 * 8, Stores: 4 * 9}
	if got := r.Totals().CPU; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for thread := range 4 {
		var out bytes.Buffer
		if _, err := Export(r, thread, &out, Standard); err != nil || !bytes.Equal(out.Bytes(), data) {
			t.Errorf("thread %d: %v", thread, err)
		}
	}
	s, err := statistics.Of(r)
	if err != nil {
		t.Fatal(err)
	}
	if s.CPU.DistinctIPs != 4 || s.CPU.ByBranch["conditional"] != 4*8 || s.CPU.ByBranch["call"] != 4 || s.CPU.FootprintLines != 10 {
		t.Errorf("%+v", s.CPU)
	}
}

// A loop of n iterations is predicted: it costs next to nothing.
func TestRegularCodeIsSmall(t *testing.T) {
	var data []byte
	first := loop(64)[:64]
	for i := range uint64(100_000) {
		b := bytes.Clone(first)
		binary.LittleEndian.PutUint64(b[40:], 0x7000_0000_0000+64*i)
		data = append(data, b...)
	}
	r := imported(t, Standard, write(t, "long", data))
	if each := float64(r.Size()) / 100_000; each > 0.02 {
		t.Errorf("%.4f bytes an instruction", each)
	}
}

func TestTheTextFormKeepsCPUThreads(t *testing.T) {
	r := imported(t, CloudSuite, write(t, "a", random(96, 3000)), write(t, "b", loop(96)))
	path := filepath.Join(t.TempDir(), "a.txt")
	var out bytes.Buffer
	if err := text.Dump(r, &out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again.wtape")
	if err := text.AssembleFile(path, again, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	b, err := wtape.Open(again)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.Digest() != r.Digest() {
		t.Errorf("digests %s and %s", r.Digest(), b.Digest())
	}
	if d, err := diff.Traces(r, b); d != "" || err != nil {
		t.Errorf("%s, %v", d, err)
	}
	merged := filepath.Join(t.TempDir(), "merged.wtape")
	if err := transcription.Merge([]*wtape.Reader{r, b}, merged, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	m, err := wtape.Open(merged)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := verification.Verify(m); err != nil || m.CPUThreads() != 4 {
		t.Errorf("%d threads, %v", m.CPUThreads(), err)
	}
	if d, err := diff.Traces(r, m); d != "2 CPU threads and 4" && !strings.Contains(d, "host event") || err != nil {
		t.Errorf("%q, %v", d, err)
	}
}

func TestDiffNamesThreadAndInstruction(t *testing.T) {
	data := loop(64)
	r := imported(t, Standard, write(t, "a", data))
	changed := bytes.Clone(data)
	changed[4*64+16] ^= 8 // a store of the second iteration
	other := imported(t, Standard, write(t, "a", changed))
	shorter := imported(t, Standard, write(t, "a", data[:24*64]))
	for want, b := range map[string]*wtape.Reader{
		"CPU thread 0, instruction 4: 401004 - ":      other,
		"the second has no CPU thread 0, instruction": shorter,
	} {
		if d, err := diff.Traces(r, b); !strings.HasPrefix(d, want) || err != nil {
			t.Errorf("%q, %v, want %q", d, err, want)
		}
	}
}

func TestACutFileKeepsItsWholeChunks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu.wtape")
	if err := Import([]string{write(t, "a", random(64, 125_000))}, path, "test", Standard, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)*6/10], 0o644); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(t.TempDir(), "saved.wtape")
	report, err := recovery.Recover(path, saved, wtape.Options{})
	if err != nil || report.Chunks != 1 || report.Totals.CPU.Instructions != 65536 {
		t.Fatalf("%+v, %v", report, err)
	}
	r, err := wtape.Open(saved)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := verification.Verify(r); err != nil || !strings.Contains(r.Header().Sampling, "recovered: 1 whole chunks") {
		t.Errorf("%v, sampling %q", err, r.Header().Sampling)
	}
}

func TestBadRecordsAreNamedByOffset(t *testing.T) {
	data := loop(64)
	bad := bytes.Clone(data)
	bad[3*64+8] = 7
	taken := bytes.Clone(data)
	taken[3*64+9] = 2
	for want, path := range map[string]string{
		"ends inside record 2 at offset 128: 17 of 64 bytes":                     write(t, "cut", data[:2*64+17]),
		"record 3 at offset 192: is_branch is 7 and branch_taken":                write(t, "bad", bad),
		"record 3 at offset 192: is_branch is 0 and branch_taken 2, want 0 or 1": write(t, "taken", taken),
		"holds no record": write(t, "empty", nil),
		"xz":              filepath.Join(t.TempDir(), "absent.xz"),
		"record 1 at offset 64: is_branch is 16 and branch_taken 64, wa": write(t, "cloudsuite", append(make([]byte, 64), append([]byte("\x00\x10\x40\x00\x00\x00\x00\x00\x10\x40"), make([]byte, 54)...)...)),
	} {
		output := filepath.Join(t.TempDir(), "out.wtape")
		err := Import([]string{path}, output, "test", Standard, wtape.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want %s", err, want)
		}
		if left, _ := os.ReadDir(filepath.Dir(output)); len(left) != 0 {
			t.Errorf("%s: left %v behind", want, left)
		}
	}
	r := imported(t, CloudSuite, write(t, "wide", random(96, 10)))
	if _, err := Export(r, 0, &bytes.Buffer{}, Standard); err == nil || !strings.Contains(err.Error(), "CPU thread 0, instruction 0 (ip ") {
		t.Errorf("%v", err)
	}
	if _, err := Export(r, 1, &bytes.Buffer{}, CloudSuite); err == nil || !strings.Contains(err.Error(), "CPU thread 1 does not exist: it has 1") {
		t.Errorf("%v", err)
	}
}

// What is read is written again, or refused; nothing panics.
func FuzzRecords(f *testing.F) {
	f.Add(loop(64)[:5*64], false)
	f.Add(loop(96)[:5*96], true)
	f.Add([]byte{1, 2, 3}, false)
	f.Fuzz(func(t *testing.T, data []byte, wide bool) {
		layout := Standard
		if wide {
			layout = CloudSuite
		}
		var file bytes.Buffer
		w, err := wtape.NewWriter(&file, "fuzz", trace.Header{}, wtape.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if err := Read(w, bytes.NewReader(data), layout); err != nil {
			return
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if err := verification.Verify(r); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := Export(r, 0, &out, layout); err != nil {
			t.Fatal(err)
		}
		if !wide && !bytes.Equal(out.Bytes(), data) {
			t.Error("other records come back")
		}
	})
}

// BenchmarkImport isolates reading records and encoding CPU chunks.
func BenchmarkImport(b *testing.B) {
	data := random(64, 50_000)
	for b.Loop() {
		w, err := wtape.NewWriter(&bytes.Buffer{}, "bench", trace.Header{}, wtape.Options{Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		if err := Read(w, bytes.NewReader(data), Standard); err != nil {
			b.Fatal(err)
		}
		w.Abort()
	}
	b.ReportMetric(float64(b.N)*50_000/b.Elapsed().Seconds()/1e6, "Minstr/s")
}
