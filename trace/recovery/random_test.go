// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// damagedFile is a file, and where each of its bytes was: -1 for one that is not as it was.
type damagedFile struct {
	data   []byte
	origin []int
	moved  bool // bytes came or went
	copied bool // some of it is there twice
}

func undamaged(data []byte) *damagedFile {
	f := &damagedFile{data: bytes.Clone(data)}
	for i := range data {
		f.origin = append(f.origin, i)
	}
	return f
}

func (f *damagedFile) splice(at, remove int, insert []byte) {
	f.data = slices.Concat(f.data[:at], insert, f.data[at+remove:])
	f.origin = slices.Concat(f.origin[:at], slices.Repeat([]int{-1}, len(insert)), f.origin[at+remove:])
	f.moved = f.moved || len(insert) != remove
}

// has finds a stretch of the original that is whole.
func (f *damagedFile) has(offset, length int64) bool {
	at := slices.Index(f.origin, int(offset))
	if at < 0 || at+int(length) > len(f.origin) {
		return false
	}
	for i := range int(length) {
		if f.origin[at+i] != int(offset)+i {
			return false
		}
	}
	return true
}

// damage does something bad at a random place before the end.
func (f *damagedFile) damage(rng *rand.Rand, end int, foreign []byte) {
	at := rng.IntN(min(end, len(f.data)-1))
	if rng.IntN(3) == 0 { // a frame header, or about
		if marks := marksOf(f.data[:min(end, len(f.data))]); len(marks) > 0 {
			at = min(marks[rng.IntN(len(marks))]+rng.IntN(30), len(f.data)-1)
		}
	}
	n := min(1+rng.IntN(1<<rng.IntN(11)), min(end, len(f.data))-at)
	n = max(n, 0)
	switch rng.IntN(6) {
	case 0:
		f.splice(at, 1, []byte{f.data[at] ^ 1<<rng.IntN(8)})
	case 1:
		f.splice(at, n, make([]byte, n))
	case 2:
		f.splice(at, n, nil)
	case 3:
		f.splice(at, 0, slices.Repeat([]byte(frames.Mark), 1+n/8))
	case 4: // a piece of another trace, or of this one
		from := rng.IntN(len(foreign))
		f.copied = true
		f.splice(at, 0, bytes.Clone(foreign[from:min(from+4*n, len(foreign))]))
	case 5:
		noise := make([]byte, n)
		for i := range noise {
			noise[i] = byte(rng.Uint32())
		}
		f.splice(at, n, noise)
	}
}

func marksOf(data []byte) (marks []int) {
	for i := range data {
		if bytes.HasPrefix(data[i:], []byte(frames.Mark)) {
			marks = append(marks, i)
		}
	}
	return marks
}

// frameContents describes the original: what each chunk depends on.
type frameContents struct {
	r       *wtape.Reader
	data    []byte
	kernels []container.FrameInfo
	events  []container.FrameInfo // by launch
}

func contentsOf(t testing.TB, data []byte) *frameContents {
	c := &frameContents{r: testtraces.Open(t, data), data: data}
	for _, o := range c.r.Content().File.Index.Others {
		switch o.Kind {
		case wtapepb.FrameKind_FRAME_KIND_KERNEL:
			c.kernels = append(c.kernels, o)
		case wtapepb.FrameKind_FRAME_KIND_TIMELINE:
			_, raw, err := c.r.Content().File.ReadFrame(o.Offset, o.Length, new(container.Buffer))
			m := new(wtapepb.Timeline)
			if err != nil || proto.Unmarshal(raw, m) != nil {
				t.Fatal(err)
			}
			for _, e := range m.Events {
				if e.Kind == wtapepb.EventKind_EVENT_KIND_LAUNCH {
					c.events = append(c.events, o)
				}
			}
		}
	}
	return c
}

// root is the frame that another refers to, itself without one.
func (c *frameContents) root(f container.FrameInfo) container.FrameInfo {
	if c.data[f.Offset+5] != frames.CompressionReference {
		return f
	}
	at := f.Offset - int64(binary.LittleEndian.Uint64(c.data[f.Offset+frames.HeaderBytes:]))
	return container.FrameInfo{Kind: f.Kind, Offset: at, Length: frames.HeaderBytes + int64(binary.LittleEndian.Uint32(c.data[at+8:]))}
}

// needs lists the frames without which a chunk cannot be saved.
func (c *frameContents) needs(chunk *wtape.ChunkInfo) []container.FrameInfo {
	own := container.FrameInfo{Kind: wtapepb.FrameKind_FRAME_KIND_CHUNK, Offset: chunk.Offset, Length: chunk.Length}
	kernel := c.kernels[c.r.Content().Launches[chunk.Launch].Kernel]
	return []container.FrameInfo{own, c.root(own), kernel, c.root(kernel), c.events[chunk.Launch]}
}

// damagedTrace is a trace to damage so many times.
type damagedTrace struct {
	name   string
	data   []byte
	rounds int
}

func tracesToDamage(t testing.TB) []damagedTrace {
	traces := []damagedTrace{
		{"small", testtraces.Small(t, wtape.Options{Workers: 1}), 300},
		{"repeated", testtraces.Repeated(t), 60},
		{"cpu", cpuTrace(t), 150},
	}
	for path, rounds := range map[string]int{
		"../testdata/version1.wtape": 100, "../testdata/version2.wtape": 60, "../testdata/version3.wtape": 60, "../../traces/recorded/spmv.wtape": 100,
		"../../traces/recorded/needle.wtape": 3, "../../traces/recorded/hotspot.wtape": 2, "../../traces/recorded/streams.wtape": 3,
	} {
		data, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		traces = append(traces, damagedTrace{path, data, rounds})
	}
	slices.SortFunc(traces, func(a, b damagedTrace) int { return strings.Compare(a.name, b.name) })
	return traces
}

// cpuTrace has CPU threads of several chunks behind launches, and one without any.
func cpuTrace(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "cpu", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := testtraces.RecordSmall(w); err != nil {
		t.Fatal(err)
	}
	load := trace.CPUInstruction{IP: 0x400, Destinations: [4]uint8{1}, LoadSlots: 1}
	for thread := range uint64(4) {
		if _, err := w.BeginCPUThread(); err != nil {
			t.Fatal(err)
		}
		for i := range 90 * (thread % 3) {
			load.IP += 4 * (i % 7)
			if thread == 2 && i%3 == 0 {
				if err := w.AddCPUSync(trace.CPUSync{Kind: trace.CPUBarrier, Object: 64 * i, Threads: 4}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.AddCPU(&load, false, []uint64{i * i * 4096 * (thread + 1)}); err != nil {
				t.Fatal(err)
			}
			if i%20 == 19 {
				if err := w.BeginCPUChunk(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestEveryUntouchedFrameIsSavedByTheIndex(t *testing.T) {
	damageTraces(t, 4, (*frameContents).damageAndRecover)
}

// Bytes of the header behind the last chunk are gone, and more have come at the start:
// the header that is made for it covers the end of the chunk.
func TestChunkBeforeARepairedHeaderIsSaved(t *testing.T) {
	for _, data := range [][]byte{testtraces.Small(t, wtape.Options{Workers: 1}), cpuTrace(t)} {
		c := contentsOf(t, data)
		chunks := c.r.Chunks()
		last := chunks[len(chunks)-1]
		for gone := 1; gone <= 16; gone++ {
			f := undamaged(data)
			f.splice(int(last.Offset+last.Length), gone, nil)
			f.splice(int(c.kernels[0].Offset+frames.HeaderBytes), 0, make([]byte, 200))
			c.checkIndexed(t, fmt.Sprintf("%d bytes are gone", gone), f)
		}
	}
}

// Without an index nothing that comes before the first damage is lost, nor what comes
// behind chunks whose payloads are damaged.
func TestUntouchedFramesAreSavedWithoutAnIndex(t *testing.T) {
	damageTraces(t, 5, (*frameContents).cutAndRecover)
}

// damageTraces damages every trace in its rounds, each with a seed of its own.
func damageTraces(t *testing.T, seed uint64, round func(c *frameContents, t *testing.T, name string, rng *rand.Rand, foreign []byte)) {
	other := testtraces.Small(t, wtape.Options{Workers: 1, Level: wtape.LevelFast})
	for _, x := range tracesToDamage(t) {
		c := contentsOf(t, x.data)
		foreign := slices.Concat(other, x.data)
		for _, i := range tracetest.Seeds(t, x.rounds, max(1, x.rounds/20)) {
			round(c, t, fmt.Sprintf("%s, round %d", x.name, i), rand.New(rand.NewPCG(seed, i)), foreign)
		}
	}
}

// damageAndRecover damages frames before the index.
func (c *frameContents) damageAndRecover(t *testing.T, name string, rng *rand.Rand, foreign []byte) {
	f := undamaged(c.data)
	for range 1 + rng.IntN(3) {
		f.damage(rng, len(f.data)-int(c.r.Content().File.Footer.IndexLength)-frames.FooterBytes, foreign)
	}
	c.checkIndexed(t, name, f)
}

// checkIndexed recovers a file whose index is whole.
func (c *frameContents) checkIndexed(t *testing.T, name string, f *damagedFile) {
	t.Helper()
	report, s := salvaged(t, name, f)
	if s == nil {
		checkNothing(t, name, c, f, report)
		return
	}
	if !report.Indexed {
		t.Fatalf("%s: the index is whole", name)
	}
	c.checkSaved(t, name, f, s, report)
	c.checkLosses(t, name, f, s, report)
}

// cutAndRecover cuts the end off, with the index, and damages the rest.
func (c *frameContents) cutAndRecover(t *testing.T, name string, rng *rand.Rand, foreign []byte) {
	f, data := undamaged(c.data), c.data
	cut := len(data) - 1 - rng.IntN(1+rng.IntN(len(data)-frames.MagicBytes-1))
	f.splice(cut, len(data)-cut, nil)
	f.moved = false
	chunks := c.r.Chunks()
	if rng.IntN(2) == 0 && len(chunks) > 0 {
		hit := chunks[rng.IntN(len(chunks))]
		if at := hit.Offset + frames.HeaderBytes + rng.Int64N(hit.Length-frames.HeaderBytes); at < int64(cut) {
			f.splice(int(at), 1, []byte{f.data[at] ^ 8})
		}
	} else {
		for range rng.IntN(4) {
			f.damage(rng, len(f.data), foreign)
		}
	}
	report, s := salvaged(t, name, f)
	if s != nil {
		c.checkSavedWithoutIndex(t, name, f, s, report)
	}
}

// salvaged recovers a file and checks what holds for every recovered trace.
func salvaged(t *testing.T, name string, f *damagedFile) (Report, *salvage) {
	t.Helper()
	s, err := newSalvage(bytes.NewReader(f.data), int64(len(f.data)), name)
	if err != nil {
		return Report{}, nil
	}
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, name, s.content.Initial, wtape.Options{Workers: 1, Level: wtape.LevelFast})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	report, err := s.write(w)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r := testtraces.Open(t, out.Bytes())
	if err := verification.Verify(r); err != nil {
		t.Fatalf("%s: the recovered trace: %v\n%+v", name, err, report)
	}
	if len(r.Chunks())+len(r.CPUChunks()) != report.Chunks || report.Complete != (r.Header().Sampling == "") {
		t.Fatalf("%s: %d and %d chunks, sampling %q: %+v", name, len(r.Chunks()), len(r.CPUChunks()), r.Header().Sampling, report)
	}
	return report, s
}

// checkNothing checks that a file without anything saved has no chunk to save.
func checkNothing(t *testing.T, name string, c *frameContents, f *damagedFile, report Report) {
	t.Helper()
	for i := range c.r.Chunks() {
		if !f.copied && !slices.ContainsFunc(c.needs(&c.r.Chunks()[i]), func(n container.FrameInfo) bool { return !f.has(n.Offset, n.Length) }) {
			t.Fatalf("%s: nothing is saved, but chunk %d and what it needs is whole", name, i)
		}
	}
}

// checkSaved checks that saved chunks are those of the original, with their kernels and
// launches, and that all that can be saved are.
func (c *frameContents) checkSaved(t *testing.T, name string, f *damagedFile, s *salvage, report Report) {
	t.Helper()
	c.checkTrue(t, name, s)
	for i := range c.r.Chunks() {
		chunk := &c.r.Chunks()[i]
		if f.copied || c.saves(s, chunk) || slices.ContainsFunc(c.needs(chunk), func(n container.FrameInfo) bool { return !f.has(n.Offset, n.Length) }) {
			continue
		}
		t.Fatalf("%s: chunk %d and all that it needs is whole, but it is not saved: %+v", name, i, report)
	}
}

func (c *frameContents) saves(s *salvage, chunk *wtape.ChunkInfo) bool {
	return slices.ContainsFunc(s.content.File.Index.Chunks, func(have wtape.ChunkInfo) bool {
		return have.Launch == chunk.Launch && have.FirstBlock == chunk.FirstBlock
	})
}

// checkTrue compares saved content with the original's.
func (c *frameContents) checkTrue(t *testing.T, name string, s *salvage) {
	t.Helper()
	for i := range s.content.File.Index.Chunks {
		have := &s.content.File.Index.Chunks[i]
		n := c.r.Content().File.Index.Find(have.Launch, have.FirstBlock)
		if n == len(c.r.Content().File.Index.Chunks) {
			t.Fatalf("%s: a chunk from nowhere", name)
		}
		want := &c.r.Content().File.Index.Chunks[n]
		if have.Launch != want.Launch || have.FirstBlock != want.FirstBlock || have.LastBlock != want.LastBlock || have.Blocks != want.Blocks || have.WarpInstructions != want.WarpInstructions {
			t.Fatalf("%s: saved chunk %+v, want %+v", name, have, want)
		}
		_, a, err1 := s.content.File.ReadFrame(have.Offset, have.Length, new(container.Buffer))
		_, b, err2 := c.r.Content().File.ReadFrame(want.Offset, want.Length, new(container.Buffer))
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Fatalf("%s: chunk %d differs (%v, %v)", name, n, err1, err2)
		}
		l, wanted := s.content.Launches[have.Launch], c.r.Content().Launches[want.Launch]
		kernel, wantedKernel := s.content.Kernels[l.Kernel], c.r.Content().Kernels[wanted.Kernel]
		l.Kernel, wanted.Kernel = 0, 0
		if d := cmp.Diff(wanted, l) + cmp.Diff(wantedKernel, kernel); d != "" {
			t.Fatalf("%s: launch %d: %s", name, have.Launch, d)
		}
	}
}

// checkLosses checks that the report says what was damaged, neither more nor less.
func (c *frameContents) checkLosses(t *testing.T, name string, f *damagedFile, s *salvage, report Report) {
	t.Helper()
	lostChunks, lostBlocks := 0, uint64(0)
	for i := range c.r.Chunks() {
		if chunk := &c.r.Chunks()[i]; !c.saves(s, chunk) {
			lostChunks++
			lostBlocks += uint64(chunk.Blocks)
		}
	}
	cpu := len(c.r.Content().File.Index.CPU) - len(s.content.File.Index.CPU)
	if report.LostChunks != lostChunks+cpu || report.LostBlocks != lostBlocks || report.AtLeast {
		t.Fatalf("%s: %d chunks and %d CPU chunks with %d thread blocks are lost: %+v", name, lostChunks, cpu, lostBlocks, report)
	}
	bytesLost := int64(0)
	for _, l := range report.Losses {
		bytesLost += l.Bytes
		if l.Cause == errDamaged.Error() && f.has(l.Offset, l.Bytes) && !f.moved {
			t.Fatalf("%s: %+v is whole", name, l)
		}
	}
	if report.Complete != (len(report.Losses) == 0) {
		t.Fatalf("%s: %+v", name, report)
	}
	if !f.moved && f.has(0, int64(frames.MagicBytes)) && report.SkippedBytes != bytesLost {
		t.Fatalf("%s: %d bytes are skipped, %d lost", name, report.SkippedBytes, bytesLost)
	}
}

// checkSavedWithoutIndex is checkSaved for what can be told without an index.
func (c *frameContents) checkSavedWithoutIndex(t *testing.T, name string, f *damagedFile, s *salvage, report Report) {
	t.Helper()
	c.checkTrue(t, name, s)
	first := slices.Index(f.origin, -1)
	for i := range f.origin[:max(first, 0)] {
		if f.origin[i] != i {
			first = i // where bytes went
			break
		}
	}
	onlyPayloads := !f.moved
	for i, from := range f.origin {
		if from < 0 && onlyPayloads {
			onlyPayloads = slices.ContainsFunc(c.r.Chunks(), func(k wtape.ChunkInfo) bool {
				return int64(i) >= k.Offset+frames.HeaderBytes && int64(i) < k.Offset+k.Length
			})
		}
	}
	for i := range c.r.Chunks() {
		chunk := &c.r.Chunks()[i]
		whole := !slices.ContainsFunc(c.needs(chunk), func(n container.FrameInfo) bool { return !f.has(n.Offset, n.Length) })
		early := first < 0 && !f.moved || chunk.Offset+chunk.Length <= int64(first)
		if whole && !f.copied && (early || onlyPayloads) && !c.saves(s, chunk) {
			t.Fatalf("%s: chunk %d and all that it needs is whole, but it is not saved: %+v", name, i, report)
		}
	}
}
