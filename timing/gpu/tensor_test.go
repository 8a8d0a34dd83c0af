// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

func TestTensorInstructionsNeedAndOccupyATensorUnit(t *testing.T) {
	k := gputest.NewKernel("tensor")
	for i := range 8 {
		k.Op(trace.ClassTensor, i+1)
	}
	k.Exit()
	m := gputest.Machine()
	m.SM.Units.Tensor = 0
	src := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}))
	if _, err := build(t, m, &gputest.Memory{}).Replay(context.Background(), src, nil); err == nil || !strings.Contains(err.Error(), "needs a tensor unit, and the machine has none (units.tensor is 0)") {
		t.Errorf("got %v", err)
	}
	cycles := func(interval int) clock.Cycle {
		m := gputest.Machine()
		m.SM.Units.Tensor, m.SM.Latencies.Tensor = 1, arch.Latency{Cycles: 64, Interval: interval}
		return cyclesOf(t, m, k)
	}
	// Seven of eight independent instructions wait for the one before.
	if got, want := cycles(20)-cycles(10), clock.Cycle(7*10); got != want {
		t.Errorf("an interval that is 10 cycles longer costs %d cycles, want %d", got, want)
	}
}

// A part of a warpgroup's product of 256 columns takes 16 times the interval, and what reads it
// waits for that, however long it is.
func TestLongProductsOfWarpgroupsKeepTheirTime(t *testing.T) {
	for _, interval := range []int{1, 8, 100, 900} {
		m := gputest.Machine()
		m.SM.Units.Tensor, m.SM.Latencies.Tensor = 1, arch.Latency{Cycles: interval + 64, Interval: interval}
		k := gputest.NewKernel("product")
		k.Op(trace.ClassTensor, 1)
		in := &k.Instructions[0]
		in.Opcode, in.Modifiers, in.Types = "wgmma", []string{"mma_async", "sync", "m64n256k16"}, []string{"f32", "f16", "f16"}
		for range 20 { // other results meanwhile
			k.Op(trace.ClassIntAdd, 5, 5)
		}
		read := cyclesOf(t, m, k.Op(trace.ClassIntAdd, 2, 1).Exit())
		if least := clock.Cycle(64 + 16*interval); read < least || read > least+300 {
			t.Errorf("interval %d: a product and what reads it take %d cycles, want %d and some", interval, read, least)
		}
	}
}
