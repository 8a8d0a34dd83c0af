// SPDX-License-Identifier: Apache-2.0

package dac_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/affine/dac"
	"github.com/warptape/warptape/timing/arch"
)

// A share has no unit to name.
func TestRangeOfAShareIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "negative.yaml")
	if err := os.WriteFile(file, []byte("overlay: negative\nset:\n  dac:\n    enabled: true\n    gather_share: -1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := arch.Load("gtx480-15+dac+" + file)
	if want := "dac.gather_share: -1 is out of range, expected 0..100"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// An entry for each warp, 28 lanes and as many warps as the predicates have bits suffice; one less, or one warp more, does not.
func TestWhatAnAffineWarpNeeds(t *testing.T) {
	for _, c := range []struct {
		addresses, predicates, warps, units, interval int
		complains                                     string
	}{
		{48, 48, 48, 7, 8, ""}, {47, 48, 48, 7, 8, "address_entries"}, {48, 47, 48, 7, 8, "predicate_entries"}, // 7*32/8 lanes
		{48, 48, 48, 13, 15, "enabled"}, {48, 48, 48, 1, 1, ""}, {64, 64, 64, 1, 1, ""}, {65, 65, 65, 1, 1, "enabled"},
	} {
		m := new(arch.Machine)
		m.SM.MaxWarps, m.SM.Units.SP, m.SM.Latencies.IntAdd.Interval = c.warps, c.units, c.interval
		said := ""
		(&dac.Section{Enabled: true, AddressEntries: c.addresses, PredicateEntries: c.predicates}).Check(m, func(key, _ string) { said += key })
		if said != c.complains {
			t.Errorf("%+v: it complains about %q", c, said)
		}
	}
}
