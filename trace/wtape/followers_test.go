// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// gatherKernel executes two loads per visit.
func gatherKernel() *trace.Kernel {
	return testtraces.LayOut("gathers", testtraces.LaidBlock{Code: "ll", Successors: []uint32{0, 1}}, testtraces.LaidBlock{Code: "x", Successors: nil})
}

// randomWords is one of a small range of words for every lane of a load.
func randomWords(seed uint64, words int) func(_, _, _, _ int) uint64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	return func(_, _, _, _ int) uint64 { return 4 * uint64(rng.IntN(words)) }
}

// recordGathers launches a kernel several times on data that change.
func recordGathers(w testtraces.Recorder) error {
	for launch := range 12 {
		const blocks, visits = 4, 40
		if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: blocks, Y: 1, Z: 1}, Block: trace.Dim3{X: trace.WarpSize * 8, Y: 1, Z: 1}}); err != nil {
			return err
		}
		address := randomWords(uint64(launch), 3000+3000*(launch/4))
		for block := range blocks {
			w.BeginBlock(uint64(block))
			for warp := range 8 {
				for visit := range visits {
					w.Visit(warp, 0, testtraces.AllLanes)
					for load := range 2 {
						var a [trace.WarpSize]uint64
						for l := range a {
							a[l] = address(warp, visit, load, l)
						}
						w.Access(warp, testtraces.AllLanes, &a)
					}
				}
				w.Visit(warp, 1, testtraces.AllLanes)
			}
			if err := w.EndBlock(); err != nil {
				return err
			}
		}
		if err := w.EndLaunch(); err != nil {
			return err
		}
	}
	return nil
}

// Which chunk follows which may not depend on the workers, nor may a chunk see its leader
// unfinished.
func TestBytesOfFollowersDoNotDependOnWorkers(t *testing.T) {
	wl := testtraces.Workload{Name: "gathers", Kernel: gatherKernel(), Record: recordGathers, Limit: 0}
	want := testtraces.Encode(t, wl, wtape.Options{Workers: 1})
	for range tracetest.Fewer(1, 3) {
		for _, workers := range []int{2, 8} {
			if got := testtraces.Encode(t, wl, wtape.Options{Workers: workers}); !bytes.Equal(want, got) {
				t.Errorf("1 and %d workers give different files", workers)
			}
		}
	}
	if err := verification.Verify(testtraces.Open(t, want)); err != nil {
		t.Error(err)
	}
}
