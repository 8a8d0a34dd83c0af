// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/tesla"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// refusals are the recordings that a machine cannot run, with the key that says
// why: what the first CUDA GPU did not have.
var refusals = map[string]map[string]string{
	"tesla-c870": {
		"hotspot":           "sm.registers",
		"merge-sort":        "sm.registers",
		"reduction":         "sm.lacks.shuffles",
		"transformer-block": "sm.lacks.shuffles",
	},
	"eesi":      apart,
	"gpsim-sbi": apart,
}

// apart are the recordings whose lanes exchange values.
var apart = map[string]string{"reduction": "shfl.sync.down.b32", "transformer-block": "shfl.sync.bfly.b32"}

func builtInMachines(t *testing.T) []*arch.Machine {
	t.Helper()
	entries, err := arch.List()
	if err != nil {
		t.Fatal(err)
	}
	var machines []*arch.Machine
	for _, e := range entries {
		if e.Overlay {
			continue
		}
		m, err := arch.Load(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, m)
	}
	return machines
}

// ptxMachines are those that execute PTX.
func ptxMachines(t *testing.T) []*arch.Machine {
	return slices.DeleteFunc(builtInMachines(t), func(m *arch.Machine) bool { return m.GPU.CoreKind() != arch.SIMTCore })
}

// Every machine runs every recording or says why not; those that are short are
// replayed on all machines that run them.
func TestEveryMachineRunsTheRecordingsOrSaysWhyNot(t *testing.T) {
	files, err := filepath.Glob("../../traces/recorded/*.wtape")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	machines := tracetest.DrawOfEach(t, builtInMachines(t), tracetest.Fewer(4, 100), func(m *arch.Machine) string { return m.GPU.CoreKind() })
	drawn := tracetest.Draw(t, files, tracetest.Fewer(1, 6))
	built, failed := make([]*gpu.GPU, len(machines)), make([]error, len(machines))
	for i, m := range machines {
		built[i], failed[i] = gpu.New(m, gpu.Options{})
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".wtape")
		r, err := wtape.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var able []*arch.Machine
		for i, m := range machines {
			g, err := built[i], failed[i]
			if m.GPU.CoreKind() == arch.NoCores {
				if err == nil || !strings.Contains(err.Error(), "no SMs") {
					t.Errorf("%s on %s: %v, want a refusal: it has no SMs", name, m.Name, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			err = g.Check(r.Kernels(), r.Launches())
			why := refusals[m.Name][name]
			if m.Section(tesla.Key) != nil {
				why = "in its own language"
			}
			switch {
			case why == "" && err != nil:
				t.Errorf("%s on %s: %v", name, m.Name, err)
			case why != "" && (err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "kernel ")):
				t.Errorf("%s on %s: %v, want a refusal by %s", name, m.Name, err, why)
			case err == nil:
				able = append(able, m)
			}
		}
		if r.Totals().WarpInstructions > 50_000 || !slices.Contains(drawn, file) {
			continue
		}
		results, err := replay.Run(t.Context(), r, able, replay.Options{Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if able[i].GPU.Lowers() {
				continue // executes other instructions in the place of the recorded ones
			}
			c := &results[i].Total.Counters
			if got, want := c[counters.IssuedThread], r.Totals().ThreadInstructions; got != want {
				t.Errorf("%s on %s: %d thread instructions were issued, %d recorded", name, results[i].Machine, got, want)
			}
			if got, want := c[counters.IssuedWarp], r.Totals().WarpInstructions; able[i].GPU.Divergence == "pdom" && got != want {
				t.Errorf("%s on %s: %d instructions were issued, %d recorded", name, results[i].Machine, got, want)
			}
		}
	}
}
