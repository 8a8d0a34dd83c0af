// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/memory"
	"github.com/warptape/warptape/timing/seam"
)

// frozen is a memory system that stops at a time.
type frozen struct {
	*memory.System
	at clock.Time
}

func (f *frozen) Advance(t clock.Time) { f.System.Advance(min(t, f.at)) }

func (f *frozen) NextEvent() clock.Time {
	if t := f.System.NextEvent(); t <= f.at {
		return t
	}
	return clock.NeverTime
}

// TestForcedHangPrintsTheChainFromWarpToBank freezes the memory system under
// load at a cycle at which requests are everywhere in it.
func TestForcedHangPrintsTheChainFromWarpToBank(t *testing.T) {
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{WatchdogCycles: 20_000}
	o.Memory = func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		s, err := memory.New(m, c, sets, global)
		return s.Path().In(&frozen{s, c.Core.Start(900)}), err
	}
	_, err = Run(t.Context(), gputest.Trace(t, streaming(400)), []*arch.Machine{m}, o)
	if err == nil {
		t.Fatal("a frozen memory did not stop the replay")
	}
	for _, want := range []string{
		"SM 0 warp slot ", "(thread block 0)", "waits for a register that a load or atomic writes",
		"request network:", "L2 slice 0:", "sectors are on their way", "DRAM channel 0:", "bank ", "requests wait, the oldest to read row",
		"SM 0: request to slice", "fetches wait for an MSHR", "requests wait for the network",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}
