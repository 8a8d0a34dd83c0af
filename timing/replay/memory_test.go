// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// peakHeap replays a trace and returns the most live bytes of the heap that were
// seen on the way, above those before it began. The heap is collected before each
// look, so that garbage does not count.
func peakHeap(t *testing.T, r *wtape.Reader, o Options) (peak int64, looks int) {
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
	o.Workers = 1
	o.Progress = func(instructions uint64) {
		if instructions >= next {
			next = instructions + step
			peak = max(peak, live()-before)
			looks++
		}
	}
	if _, err := Run(context.Background(), r, load(t, "gtx480"), o); err != nil {
		t.Fatal(err)
	}
	return peak, looks
}

// What a replay keeps are the chunks that thread blocks on the machine come from,
// however long the launch is.
func TestReplayingALongerLaunchTakesNoMoreMemory(t *testing.T) {
	tracetest.Nightly(t)
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
	few, _ := peakHeap(t, short, Options{})
	many, looks := peakHeap(t, long, Options{})
	t.Logf("%d bytes for 2 chunks, %d for 20", few, many)
	const chunkBytes = blocksPerChunk * 3 * 16 // the accesses of one, decoded
	if many > few+2*chunkBytes || looks < 5 {
		t.Errorf("%d bytes for 2 chunks, %d for 20 in %d looks; a chunk takes %d", few, many, looks, chunkBytes)
	}
}

// Accesses whose lanes are anywhere take what the distances between their lanes need, two
// bytes a lane here.
func TestIrregularAccessesTakeFewBytes(t *testing.T) {
	tracetest.Nightly(t)
	const blocks, visits, loads = 120, 48, 8
	k := gputest.NewKernel("k")
	for n := range loads {
		k.Load(trace.SpaceLocal, n+1, 0)
	}
	k.Block()
	k.Exit()
	r := rand.New(rand.NewPCG(1, 2))
	recorded := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: blocks, Threads: 256, Record: func(w *gputest.Warp) {
		for range visits {
			w.VisitWith(0, w.Lanes, func(int) (uint64, int64, *[32]uint64) {
				var lanes [trace.WarpSize]uint64
				for l := range lanes {
					lanes[l] = trace.LocalWindowBase + r.Uint64N(4096)*4
				}
				return 0, 0, &lanes
			})
		}
		w.Visit(1, w.Lanes)
	}})
	const accesses = blocks * 8 * visits * loads
	const each = 16 + 6 + 2*trace.WarpSize // a trace.Access and a set of lanes
	// What decoding one chunk takes besides what is kept, and the machine.
	const beside = 24 << 20
	most, looks := peakHeap(t, recorded, Options{Memory: constant})
	t.Logf("%d accesses: %d bytes", accesses, most)
	if looks < 2 || most > accesses*each*5/4+beside {
		t.Errorf("%d accesses take %d bytes, more than %d each, in %d looks", accesses, most, each, looks)
	}
}
