// SPDX-License-Identifier: Apache-2.0

package eesi_test

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	replays "github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace/tracetest"
)

// TestTablesSayWhatMachinesIssue: instructions of lanes are not warp instructions. saxpy
// has no divergence, so that there are 32 times as many.
func TestTablesSayWhatMachinesIssue(t *testing.T) {
	r := replaytest.Recorded(t, "tiny/saxpy")
	for _, c := range tracetest.Draw(t, []struct{ spec, want string }{
		{"gpsim-eesi-base", " warp instructions,"}, {"gpsim-sbi", " warp instructions,"},
		{"eesi", " instructions of lanes,"}, {"eesi+divergence(policy=eesi-m)", " instructions of lanes,"},
	}, 1) {
		spec, want := c.spec, c.want
		results := replaytest.Run(t, r, replays.Options{}, replaytest.Load(t, spec))
		var headline, table strings.Builder
		if err := replays.WriteHeadline(&headline, results, 100); err != nil {
			t.Fatal(err)
		}
		if err := replays.WriteTable(&table, results); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{headline.String(), table.String()} {
			if line, _, _ := strings.Cut(text, "\n"); !strings.Contains(line, want) {
				t.Errorf("%s: %q does not say%s", spec, line, want)
			}
		}
	}
}

// TestRefusalsNameAMachineThatExecutesTheKernel: machines with lanes of their own have no
// pdom, so that "set pdom" alone would lead from one refusal to another.
func TestRefusalsNameAMachineThatExecutesTheKernel(t *testing.T) {
	r := replaytest.Recorded(t, "reduction")
	for _, spec := range []string{"eesi", "eesi+divergence(policy=eesi-m)", "gpsim-sbi"} {
		_, err := replays.Run(t.Context(), r, machines(t, spec), replays.Options{})
		if err == nil || !strings.Contains(err.Error(), "gpsim-eesi-base") {
			t.Errorf("%s: %v", spec, err)
		}
	}
	if !tracetest.Whole() {
		return // its replay is long
	}
	if _, err := replays.Run(t.Context(), r, machines(t, "gpsim-eesi-base"), replays.Options{}); err != nil {
		t.Error(err)
	}
}

func machines(t *testing.T, spec string) []*arch.Machine {
	t.Helper()
	return []*arch.Machine{replaytest.Load(t, spec)}
}
