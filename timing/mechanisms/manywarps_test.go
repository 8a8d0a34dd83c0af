// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// crowded records thread blocks of five warps that load, compute on what they have
// loaded, meet at a barrier, and part on every third warp.
func crowded(t testing.TB) *wtape.Reader {
	k := gputest.NewKernel("crowded")
	body := k.Branch()
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntMad, 3, 1, 2).Op(trace.ClassF32Fma, 4, 3, 3).Store(trace.SpaceGlobal, 2, 4)
	some := k.Branch()
	k.Op(trace.ClassSpecial, 5, 4).Op(trace.ClassIntAdd, 2, 5)
	join := k.Branch()
	k.Barrier("sync", 0)
	out := uint32(len(k.Blocks) - 1)
	k.Exit()
	return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 120, Threads: 5 * 32, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		for range 4 {
			w.Visit(body, w.Lanes)
			if w.Warp%3 == 0 {
				w.Visit(some, w.Lanes)
			}
			w.Visit(join, w.Lanes)
		}
		w.Visit(out, w.Lanes)
	}})
}

// SMs of more than 64 warps hold as many, with every front end and mechanism; the same
// holds for them as for others, and sleeping changes nothing. An affine warp serves 64
// warps at most, and says so.
func TestSMsHoldMoreThan64Warps(t *testing.T) {
	file := crowded(t)
	for _, overlay := range tracetest.Draw(t, []string{"", "+gto", "+two-level", "+warp-limit", "+switch", "+buddy(members=2)", "+buddy(members=2,halfway=true)", "+wide(threads=64)", "+wide(threads=128)", "+cae", "+mta", "+tinycache"}, tracetest.Fewer(1, 4)) {
		base, fewest := "gtx480", 65
		switch {
		case overlay == "+cae" || overlay == "+mta":
			base = "gtx480-15"
		case strings.HasPrefix(overlay, "+wide"):
			fewest = 68 // wide warps of four
		}
		for _, warps := range []int{fewest, 96, 128} {
			t.Run(fmt.Sprint(overlay, warps), func(t *testing.T) {
				m := replaytest.Load(t, base+overlay)
				m.GPU.SMs = 2
				m.SM.MaxWarps, m.SM.MaxThreads, m.SM.MaxBlocks, m.SM.Registers = warps, 32*warps, 32, 32*warps*64
				run := once(t, m, file)
				if n := run.Total[counters.IssuedThread]; n != file.Totals().ThreadInstructions {
					t.Errorf("%d thread instructions, recorded %d", n, file.Totals().ThreadInstructions)
				}
				resident := float64(run.Total[counters.ResidentWarpCycles]) / float64(run.Total[counters.ActiveSMCycles])
				if warps > 68 && resident <= 64 {
					t.Errorf("%.1f warps resident on average", resident)
				}
				restless := m.Clone()
				restless.SetSection("restless", &everyCycle{Enabled: true})
				if diff := differ(once(t, restless, file), run); diff != "" {
					t.Errorf("sleeping changes the result (-every cycle +event driven):\n%s", diff)
				}
			})
		}
	}
	for warps, refused := range map[int]bool{64: false, 65: true, 128: true} {
		_, err := arch.Load(fmt.Sprintf("gtx480-15+dac+set(sm.max_warps=%d,sm.max_threads=%d)", warps, 32*warps))
		if refused != (err != nil && strings.Contains(err.Error(), "an affine warp serves at most 64")) {
			t.Errorf("dac on SMs of %d warps: %v", warps, err)
		}
	}
}

// The affine warp has a slot of its own in addition to those of 64 warps.
func TestAnAffineWarpGoesBeside64Warps(t *testing.T) {
	m := replaytest.Load(t, "gtx480-15+dac+set(sm.max_warps=64,sm.max_threads=2048,sm.max_blocks=16,sm.registers=131072)")
	m.GPU.SMs = 1
	run := once(t, m, slice(t, "transpose", trace.Range{Last: 0}, trace.Range{Last: 255}))
	if named(t, &run.Total, "dac_batches") == 0 {
		t.Error("no affine warp has run")
	}
	if n := run.Total[counters.ResidentWarpCycles]; float64(n) < 48*float64(run.Total[counters.ActiveSMCycles]) {
		t.Errorf("%d cycles of resident warps in %d of the SM: no more than 48 warps", n, run.Total[counters.ActiveSMCycles])
	}
}
