// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/text"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// A recorded matrix product of sm_90 computes the right result. In a replay its bulk
// copies reach DRAM, each byte of both factors at least once.
func TestBulkCopiesMoveTheirBytesInAReplay(t *testing.T) {
	r := recordTiny(t, os.DirFS("../../traces/hopper-gemm"), "hopper-gemm.star")
	result := replayOne(t, r, loadMachine(t, "h100+lowering(generation=none)", nil))
	if issued, want := counted(&result, "issued_warp_instructions"), r.Totals().WarpInstructions; issued != want {
		t.Errorf("%d instructions are issued, %d recorded", issued, want)
	}
	const factors = (150 + 136) * 200 * 2
	if read := counted(&result, "dram_read_bytes"); read < factors {
		t.Errorf("%d bytes are read from DRAM, the factors have %d", read, factors)
	}
	// Each thread block reads its rows of A. The two of a cluster share the columns of B, and
	// each reads half of their rows for both. There are two clusters.
	chunk, moved := wtape.NewChunk(), uint64(0)
	if err := r.ReadChunk(0, chunk); err != nil {
		t.Fatal(err)
	}
	for _, block := range chunk.Blocks() {
		for e := range chunk.Warp(block, 8).Executed(&r.Kernels()[0]) {
			if e.In.Class == trace.ClassBulk && e.Mask != 0 {
				var b trace.BulkCopy
				chunk.Bulk(*e.Access, &b)
				moved += b.Bytes()
			}
		}
	}
	if want := uint64(2*150+136) * 200 * 2; moved != want {
		t.Errorf("the copies move %d bytes, want %d", moved, want)
	}
}

// Mechanisms that leave bulk copies alone replay them as a machine without does; others
// say why they cannot.
func TestMechanismsReplayBulkCopiesOrSayWhyNot(t *testing.T) {
	r := recordTiny(t, os.DirFS("../../traces/hopper-gemm"), "hopper-gemm.star")
	plain := replayOne(t, r, loadMachine(t, "h100+lowering(generation=none)", nil))
	all := []string{"h100+cae", "h100+mta", "h100+prefetch(l1=next-line)+l2-prefetch", "h100+perfect-memory", "h100+cpu"}
	for _, name := range tracetest.Draw(t, all, tracetest.Fewer(2, len(all))) {
		result := replayOne(t, r, loadMachine(t, strings.Replace(name, "h100", "h100+lowering(generation=none)", 1), nil))
		for _, count := range []string{"issued_warp_instructions", "issued_thread_instructions"} {
			if got, want := counted(&result, count), counted(&plain, count); got != want {
				t.Errorf("%s: %s is %d, %d on h100 alone", name, count, got, want)
			}
		}
	}
	for name, want := range map[string]string{
		"h100+tinycache": "tinycache takes them away", "h100+wide(threads=64)": "the one thread of a copy is not recorded", "h100+lowering(generation=none)+tinycache+cae": "tinycache takes them away",
		"a100": "needs clusters of thread blocks", "v100": "needs clusters of thread blocks", "gtx480": "wgmma needs a tensor unit",
	} {
		_, err := replay.Run(t.Context(), r, []*arch.Machine{loadMachine(t, name, nil)}, replay.Options{Version: "test", Workers: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", name, want, err)
		}
	}
}

// What a copy moved is the same after the text form, and dumps show it.
func TestBulkCopiesSurviveTheTextForm(t *testing.T) {
	r := recordTiny(t, os.DirFS("../../traces/hopper-gemm"), "hopper-gemm.star")
	var dumped bytes.Buffer
	if err := text.Dump(r, &dumped); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	err := text.Assemble(&dumped, "text", func(h trace.Header) (*wtape.Writer, error) {
		return wtape.NewWriter(&file, "again", h, wtape.Options{})
	})
	if err != nil {
		t.Fatal(err)
	}
	again, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if again.Digest() != r.Digest() {
		t.Error("the digest has changed")
	}
}
