package trace

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/internal/frames"
)

// openAndVerify returns the error of the first check that fails.
func openAndVerify(data []byte) error {
	r, err := NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	return Verify(r)
}

func TestEverySingleBitFlipIsDetected(t *testing.T) {
	data := smallTrace(t, Options{Workers: 1})
	if err := openAndVerify(data); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			if openAndVerify(data) == nil {
				t.Errorf("bit %d of byte %d of %d flipped without notice", bit, i, len(data))
			}
			data[i] ^= 1 << bit
		}
	}
}

// cutPoints are all frame boundaries and some other offsets.
func cutPoints(r *Reader, size int) []int {
	points := []int{0, frames.MagicBytes, size - 1, size - frames.FooterBytes}
	for _, c := range r.index.chunks {
		points = append(points, int(c.Offset), int(c.Offset)+1, int(c.Offset+c.Length)-1)
	}
	for _, o := range r.index.others {
		points = append(points, int(o.offset), int(o.offset)+1, int(o.offset+o.length)-1)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		points = append(points, rng.IntN(size))
	}
	return points
}

func TestTruncatedTraceNamesTheLastWholeChunk(t *testing.T) {
	data := encodeWorkload(t, workloads()[3], Options{})
	whole := openBytes(t, data)
	for _, cut := range cutPoints(whole, len(data)) {
		_, err := NewReader(bytes.NewReader(data[:cut]), int64(cut))
		if err == nil {
			t.Fatalf("cut at %d of %d opened", cut, len(data))
		}
		if cut < frames.MagicBytes {
			continue // nothing to tell it from another kind of file
		}
		var got *CutOffError
		if !errors.As(err, &got) {
			t.Fatalf("cut at %d: %v is no CutOffError", cut, err)
		}
		var want CutOffError
		for _, c := range whole.Chunks() {
			if c.Offset+c.Length <= int64(cut) {
				want.WholeChunks++
				want.Launch, want.FirstBlock, want.LastBlock = c.Launch, c.FirstBlock, c.LastBlock
			}
		}
		if got.WholeChunks != want.WholeChunks || got.Launch != want.Launch || got.FirstBlock != want.FirstBlock || got.LastBlock != want.LastBlock {
			t.Fatalf("cut at %d: %v, want %d chunks, last of launch %d, %d to %d", cut, err, want.WholeChunks, want.Launch, want.FirstBlock, want.LastBlock)
		}
	}
}

func TestCutOffMessageSaysHowFarItGoes(t *testing.T) {
	data := smallTrace(t, Options{})
	_, err := NewReader(bytes.NewReader(data[:len(data)-1]), int64(len(data)-1))
	want := "trace: the trace is cut off after 2 whole chunks (last: launch 2, thread blocks 0 to 2), at offset "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s...", err, want)
	}
}

func TestBytesAfterTheEndAreNamed(t *testing.T) {
	data := smallTrace(t, Options{})
	size := len(data)
	data = append(data, "and then some"...)
	_, err := NewReader(bytes.NewReader(data), int64(len(data)))
	want := fmt.Sprintf("trace: 13 bytes follow the end of the trace at offset %d", size)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestDamagedChunkIsNamedAndTheOthersStillRead(t *testing.T) {
	data := smallTrace(t, Options{})
	c := openBytes(t, data).Chunks()[1]
	data[c.Offset+c.Length-1] ^= 1
	r := openBytes(t, data)
	want := fmt.Sprintf("trace: chunk 1 (launch 2, thread blocks 0 to 2, offset %d): payload fails its checksum", c.Offset)
	if err := r.ReadChunk(1, NewChunk()); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := r.ReadChunk(0, NewChunk()); err != nil {
		t.Error(err)
	}
	if err := Verify(r); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("frame at offset %d: chunk 1: payload fails", c.Offset)) {
		t.Errorf("Verify: %v", err)
	}
}

func TestNewerMajorVersionIsRefusedByNumber(t *testing.T) {
	data := smallTrace(t, Options{})
	data[len(frames.Magic)] = 9
	_, err := NewReader(bytes.NewReader(data), int64(len(data)))
	if err == nil || !strings.Contains(err.Error(), "format version 9, this program reads versions 1 to 3: use the Warptape that wrote it, or a newer one") {
		t.Errorf("got %v", err)
	}
}

func TestOtherFilesAreNoTraces(t *testing.T) {
	for _, data := range []string{"", "PK", "\x7fELF and more than a few bytes of it", strings.Repeat("x", 1000)} {
		_, err := NewReader(strings.NewReader(data), int64(len(data)))
		if err == nil || !strings.Contains(err.Error(), "is no Warptape trace") {
			t.Errorf("%.10q: %v", data, err)
		}
	}
}

func TestVerifyFindsAPathAgainstTheControlFlow(t *testing.T) {
	for name, path := range map[string][]uint32{
		"lanes ffffffff go from the start to basic block 1":     {1, 2},
		"lanes ffffffff go from basic block 2 to basic block 0": {0, 2, 0, 2},
		"lanes ffffffff go from basic block 1 to basic block 1": {0, 1, 1, 2},
		"which does not follow it in kernel \"saxpy\"":          {2},
		"lanes ffffffff execute nothing":                        {},
	} {
		var out bytes.Buffer
		w, err := NewWriter(&out, "bad", Header{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.AddKernel(saxpyKernel())
		w.BeginLaunch(Launch{Grid: Dim3{1, 1, 1}, Block: Dim3{32, 1, 1}})
		w.BeginBlock(0)
		for _, id := range path {
			w.Visit(0, id, allLanes)
			for range len(newPlan(saxpyKernel()).blocks[id].accesses) {
				w.AccessStrided(0, allLanes, 0, 4)
			}
		}
		if err := errors.Join(w.EndBlock(), w.EndLaunch(), w.Finish()); err != nil {
			t.Fatal(err)
		}
		err = Verify(openBytes(t, out.Bytes()))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("path %v: got %v, want ...%s...", path, err, name)
		}
	}
}
