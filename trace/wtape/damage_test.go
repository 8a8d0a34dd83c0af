// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// openAndVerify returns the error of the first check that fails.
func openAndVerify(data []byte) error {
	r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	return verification.Verify(r)
}

func TestEverySingleBitFlipIsDetected(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{Workers: 1})
	if err := openAndVerify(data); err != nil {
		t.Fatal(err)
	}
	for _, i := range tracetest.Seeds(t, len(data), len(data)/tracetest.Fewer(15, 6)) {
		for bit := range 8 {
			data[i] ^= 1 << bit
			if openAndVerify(data) == nil {
				t.Errorf("bit %d of byte %d of %d flipped without notice", bit, i, len(data))
			}
			data[i] ^= 1 << bit
		}
	}
}

func TestTruncatedTraceNamesTheLastWholeChunk(t *testing.T) {
	data := testtraces.Encode(t, testtraces.Workloads()[3], wtape.Options{})
	whole := testtraces.Open(t, data)
	for _, cut := range testtraces.CutPoints(whole, len(data)) {
		_, err := wtape.NewReader(bytes.NewReader(data[:cut]), int64(cut))
		if err == nil {
			t.Fatalf("cut at %d of %d opened", cut, len(data))
		}
		if cut < frames.MagicBytes {
			continue // nothing to tell it from another kind of file
		}
		var got *wtape.CutOffError
		if !errors.As(err, &got) {
			t.Fatalf("cut at %d: %v is no CutOffError", cut, err)
		}
		var want wtape.CutOffError
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
	data := testtraces.Small(t, wtape.Options{})
	_, err := wtape.NewReader(bytes.NewReader(data[:len(data)-1]), int64(len(data)-1))
	want := "trace: the trace is cut off after 2 whole chunks (last: launch 2, thread blocks 0 to 2), at offset "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s...", err, want)
	}
}

func TestBytesAfterTheEndAreNamed(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{})
	size := len(data)
	data = append(data, "and then some"...)
	_, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	want := fmt.Sprintf("trace: 13 bytes follow the end of the trace at offset %d", size)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestDamagedChunkIsNamedAndTheOthersStillRead(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{})
	c := testtraces.Open(t, data).Chunks()[1]
	data[c.Offset+c.Length-1] ^= 1
	r := testtraces.Open(t, data)
	want := fmt.Sprintf("trace: chunk 1 (launch 2, thread blocks 0 to 2, offset %d): payload fails its checksum", c.Offset)
	if err := r.ReadChunk(1, wtape.NewChunk()); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := r.ReadChunk(0, wtape.NewChunk()); err != nil {
		t.Error(err)
	}
	if err := verification.Verify(r); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("frame at offset %d: chunk 1: payload fails", c.Offset)) {
		t.Errorf("Verify: %v", err)
	}
}

func TestNewerMajorVersionIsRefusedByNumber(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{})
	data[len(frames.Magic)] = 9
	_, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err == nil || !strings.Contains(err.Error(), "format version 9, this program reads versions 1 to 3: use the Warptape that wrote it, or a newer one") {
		t.Errorf("got %v", err)
	}
}

func TestOtherFilesAreNoTraces(t *testing.T) {
	for _, data := range []string{"", "PK", "\x7fELF and more than a few bytes of it", strings.Repeat("x", 1000)} {
		_, err := wtape.NewReader(strings.NewReader(data), int64(len(data)))
		if err == nil || !strings.Contains(err.Error(), "is no Warptape trace") {
			t.Errorf("%.10q: %v", data, err)
		}
	}
}
