// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// peakHeap replays a trace and returns the most live bytes of the heap that were
// seen on the way, above those before it began. The heap is collected before each
// look, so that garbage does not count.
func peakHeap(t *testing.T, r *wtape.Reader) (peak int64, looks int) {
	t.Helper()
	live := func() int64 {
		runtime.GC()
		runtime.GC() // what a sync.Pool holds survives one collection
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	before := live()
	var next uint64
	step := r.Totals().WarpInstructions / 12
	_, err := Run(context.Background(), r, load(t, "gtx480"), Options{Workers: 1, Progress: func(instructions uint64) {
		if instructions >= next {
			next = instructions + step
			peak = max(peak, live()-before)
			looks++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return peak, looks
}

// What a replay keeps are the chunks that thread blocks on the machine come from,
// however long the launch is.
func TestReplayingALongerLaunchTakesNoMoreMemory(t *testing.T) {
	record := func(blocks int) *wtape.Reader {
		k := gputest.NewKernel("k")
		for n := range 3 {
			k.Load(trace.SpaceGlobal, n+1, 0)
		}
		k.Exit()
		return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: blocks, Threads: 32})
	}
	const blocksPerChunk = 4096
	short, long := record(2*blocksPerChunk), record(20*blocksPerChunk)
	if len(short.Chunks()) != 2 || len(long.Chunks()) != 20 {
		t.Fatalf("%d and %d chunks, want 2 and 20", len(short.Chunks()), len(long.Chunks()))
	}
	few, _ := peakHeap(t, short)
	many, looks := peakHeap(t, long)
	t.Logf("%d bytes for 2 chunks, %d for 20", few, many)
	const chunkBytes = blocksPerChunk * 3 * 16 // the accesses of one, decoded
	if many > few+2*chunkBytes || looks < 5 {
		t.Errorf("%d bytes for 2 chunks, %d for 20 in %d looks; a chunk takes %d", few, many, looks, chunkBytes)
	}
}
