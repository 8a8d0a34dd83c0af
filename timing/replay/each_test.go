// SPDX-License-Identifier: Apache-2.0

package replay_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace/wtape"
)

// small is a machine that has no room for a thread block of six warps.
const small = "gtx480+set(sm.max_warps=4)"

// TestAMachineThatFailsStopsNoOther: of four machines one refuses the trace, one
// panics, and the others have the results that they have alone.
func TestAMachineThatFailsStopsNoOther(t *testing.T) {
	r := replaytest.Recorded(t, "spmv")
	var machines []*arch.Machine
	for _, spec := range []string{"gtx480", small, "gpsim-tiny", "gtx480+lrr"} {
		machines = append(machines, replaytest.Load(t, spec))
	}
	o := replay.Options{Attach: func(m *arch.Machine, _ seam.Path) (func(*replay.Result), error) {
		if m == machines[2] {
			panic("a fault")
		}
		return func(*replay.Result) {}, nil
	}}
	results, failed := map[int]*replay.Result{}, map[int]error{}
	err := replay.Each(context.Background(), r, machines, o, func(i int, result *replay.Result, err error) {
		if results[i] = result; err != nil {
			failed[i] = err
		}
	})
	if err != nil || len(results) != 4 || len(failed) != 2 {
		t.Fatalf("%v; %d told, failed %v", err, len(results), failed)
	}
	var refused *replay.RefusedError
	if !errors.As(failed[1], &refused) {
		t.Errorf("%s: %v", small, failed[1])
	}
	var panicked *replay.PanicError
	if !errors.As(failed[2], &panicked) || panicked.Value != "a fault" || len(panicked.Stack) == 0 {
		t.Errorf("gpsim-tiny: %v", failed[2])
	}
	alone := replaytest.Run(t, r, replay.Options{}, machines[0], machines[3])
	for k, i := range []int{0, 3} {
		if results[i].Total.Cycles != alone[k].Total.Cycles || results[i].Total.Counters != alone[k].Total.Counters {
			t.Errorf("machine %d: %d cycles, alone %d", i, results[i].Total.Cycles, alone[k].Total.Cycles)
		}
	}
}

// TestNoResultOfADamagedTraceIsTold, nor an error for each machine.
func TestNoResultOfADamagedTraceIsTold(t *testing.T) {
	sound := replaytest.Recorded(t, "spmv")
	text, err := os.ReadFile("../../traces/recorded/spmv.wtape")
	if err != nil {
		t.Fatal(err)
	}
	text[sound.Chunks()[0].Offset+1000] ^= 0x55
	path := filepath.Join(t.TempDir(), "damaged.wtape")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	told := 0
	err = replay.Each(context.Background(), r, []*arch.Machine{replaytest.Load(t, "gtx480")}, replay.Options{}, func(int, *replay.Result, error) { told++ })
	if err == nil || told > 0 {
		t.Errorf("%v; %d told", err, told)
	}
}

// TestAnEndedContextLeavesNoResult of a replay that it has cut off.
func TestAnEndedContextLeavesNoResult(t *testing.T) {
	r := replaytest.Recorded(t, "spmv")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := []*arch.Machine{replaytest.Load(t, "gtx480")}
	if results, err := replay.Run(ctx, r, m, replay.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %d results, %v", len(results), err)
	}
	err := replay.Each(ctx, r, m, replay.Options{}, func(_ int, result *replay.Result, err error) { t.Errorf("told: %v, %v", result, err) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Each: %v", err)
	}
}
