// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"strings"
	"testing"
)

func diffOf(t *testing.T, a, b string) string {
	t.Helper()
	var w strings.Builder
	if err := Diff(&w, mustLoad(t, a), mustLoad(t, b)); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

func TestDiffShowsWhatAnOverlayChanges(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(diffOf(t, "gtx480", "gtx480+half-dram+two-level")), "\n")
	var got []string
	for _, l := range lines[1:] {
		got = append(got, strings.Join(strings.Fields(l)[:3], " "))
	}
	want := []string{"clocks.dram_mhz 924 MHz", "sm.scheduler gto two-level", "sm.scheduler_warps - 6"}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, source := range []string{"Buddy SM Table III: memory clock", "overlay: half the command clock"} {
		if !strings.Contains(lines[1], source) {
			t.Errorf("%q does not say %q", lines[1], source)
		}
	}
}

func TestDiffOfAMachineWithItselfIsEmpty(t *testing.T) {
	if got := diffOf(t, "mesh56", "mesh56"); !strings.Contains(got, "no value differs") {
		t.Errorf("got %q", got)
	}
}

func TestDiffLeavesOutWhatHasNoMeaningOnBoth(t *testing.T) {
	if got := diffOf(t, "gpsim-soc", "gpsim-soc+llc-off"); !strings.Contains(got, "llc.bytes") || strings.Contains(got, "dram.tRC") {
		t.Errorf("got\n%s", got)
	}
}
