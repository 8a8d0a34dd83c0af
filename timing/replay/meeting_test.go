// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// counting is a launch of thread blocks of one warp that each end with one atomic: all on
// one counter, or each on a line of its own.
func counting(blocks int, together bool) gputest.Launch {
	k := gputest.NewKernel("counting")
	for range 4 {
		k.Op(trace.ClassF32Add, 0, 0)
	}
	k.Memory(trace.ClassAtomic, trace.SpaceGlobal, gputest.None, 1, 2).Exit()
	l := gputest.Launch{Kernel: k, Blocks: blocks, Threads: 32}
	if together {
		l.Record = func(w *gputest.Warp) { w.VisitAt(0, 0xC000_0000, 0) }
	}
	return l
}

// A slice has an eighth of the atomics on a counter for all thread blocks, and takes an
// eighth of their time. Of its atomics a replay cannot tell where those of the others are:
// it says how much longer they could take.
func TestSliceOfThreadBlocksThatMeetInOneCounterSaysHowLongTheyMayTake(t *testing.T) {
	tracetest.Nightly(t)
	m, err := arch.Load("v100")
	if err != nil {
		t.Fatal(err)
	}
	list := []*arch.Machine{m}
	for _, together := range []bool{true, false} {
		whole := gputest.Trace(t, counting(8000, together))
		full, estimate := replayAll(t, whole, list)[0], replayAll(t, sampled(t, whole, "sms=1/8"), list)[0]
		u, cycles := estimate.Total.Uncertainty, float64(full.Total.Cycles)
		if cycles < u.Low || cycles > u.High {
			t.Errorf("together %t: %.0f to %.0f cycles, %g are true", together, u.Low, u.High, cycles)
		}
		if together && float64(estimate.Total.Cycles) > cycles/2 {
			t.Errorf("the slice takes %d cycles and the machine %g: atomics do not bound it", estimate.Total.Cycles, cycles)
		}
		told := strings.Join(estimate.Warnings, "\n")
		if !strings.Contains(told, "does not suit v100: it is of a part of a machine") || !strings.Contains(told, "if all its atomics are on one line: record it with --sample auto,for=v100") {
			t.Errorf("together %t: no word of atomics: %q", together, told)
		}
	}
	whole := gputest.Trace(t, homogeneous(8000))
	if told := replayAll(t, sampled(t, whole, "sms=1/8"), list)[0].Warnings; len(told) != 0 {
		t.Errorf("without atomics: %q", told)
	}
}
