// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each kind gives a channel that moves its burst in whole cycles, and the cards that name
// one have the bandwidth and the bits of their data sheets.
func TestKindsOfDRAMAreThoseOfTheirStandards(t *testing.T) {
	for _, c := range []struct {
		machine, kind    string
		bits             int     // of all devices
		gigabits, gbytes float64 // of a pin; of all
	}{
		{"rtx2080ti", "gddr6", 352, 14, 616},
		{"rtx3090", "gddr6x", 384, 19.5, 936},
		{"a100", "hbm2e", 5120, 3.19, 2039},
		{"h100", "hbm3", 5120, 5.24, 3352},
	} {
		m := mustLoad(t, c.machine)
		k := dramKind(m.DRAM.Kind)
		if k == nil || k.Name != c.kind {
			t.Fatalf("%s has DRAM of kind %q, want %s", c.machine, m.DRAM.Kind, c.kind)
		}
		if k.BurstBytes() != 32 || k.Burst%k.BitsPerCycle != 0 || k.CCD < k.BurstCycles() {
			t.Errorf("%s: bursts of %d bytes in %d cycles, tCCD %d", k.Name, k.BurstBytes(), k.BurstCycles(), k.CCD)
		}
		if bits := m.L2.Partitions * k.Pins; bits != c.bits {
			t.Errorf("%s has %d bits of DRAM, want %d", c.machine, bits, c.bits)
		}
		if rate := m.Clocks.DRAMMHz * float64(k.BitsPerCycle) / 1000; rate < 0.997*c.gigabits || rate > 1.003*c.gigabits {
			t.Errorf("%s: %.3f Gbit/s a pin, want %v", c.machine, rate, c.gigabits)
		}
		if all := m.DRAMGigabytesPerSecond(); all < 0.999*c.gbytes || all > 1.001*c.gbytes {
			t.Errorf("%s: %.1f GB/s, want %v", c.machine, all, c.gbytes)
		}
	}
}

// A kind gives its keys where it stands: what is written later replaces it, and what no device
// of the kind has is refused with key, both values and a way out.
func TestAKindGivesItsKeysAndRefusesOthers(t *testing.T) {
	m := mustLoad(t, "v100+set(dram.kind=hbm3)")
	if d := &m.DRAM; d.Banks != 16 || d.RowBytes != 1024 || d.BurstBytes != 32 || d.BurstCycles != 2 || d.TCCD != 2 || d.TCCDL != 4 {
		t.Errorf("v100 with hbm3 has %+v", *d)
	}
	if at := m.Sources()["dram.row_bytes"]; !strings.Contains(at.Source, "JESD238") {
		t.Errorf("the source of dram.row_bytes is %q", at.Source)
	}
	mustLoad(t, "h100+set(dram.banks=64,dram.tCCDL=6,dram.tREFI=6000)")
	mustLoad(t, "h100+set(dram.kind=none,dram.burst_bytes=64)")
	for _, overlay := range []string{"dram-ddr3-1600", "dram-ddr4-2400", "dram-gddr5-4000", "dram-hbm2"} {
		if m := mustLoad(t, "h100+"+overlay); m.DRAM.Kind != "none" {
			t.Errorf("h100+%s has DRAM of kind %s", overlay, m.DRAM.Kind)
		}
	}
	for spec, want := range map[string][]string{
		"h100+set(dram.kind=gddr7)":        {"dram.kind", `unknown word "gddr7"`, "gddr6"},
		"h100+set(dram.burst_bytes=64)":    {"dram.burst_bytes: 64, and hbm3 has 32", "take 32, or dram.kind: none"},
		"h100+set(dram.bank_groups=8)":     {"dram.bank_groups: 8, and hbm3 has 4"},
		"h100+set(dram.banks=8)":           {"dram.banks: 8 is less than the 16 of hbm3"},
		"rtx2080ti+set(dram.tCCDL=2)":      {"dram.tCCDL: 2 is less than the 3 of gddr6", "take 3 or more"},
		"rtx3090+set(dram.burst_cycles=2)": {"dram.burst_cycles: 2, and gddr6x has 1"},
	} {
		_, err := Load(spec)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %v, want %q", spec, err, part)
			}
		}
	}
}

// In a file the order counts: keys behind the kind are the machine's, those before it are not.
func TestAKindStandsWhereItIsWritten(t *testing.T) {
	load := func(text string) *Machine {
		path := filepath.Join(t.TempDir(), "own.yaml")
		if err := os.WriteFile(path, []byte("base: v100\nname: own\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		return mustLoad(t, path)
	}
	if m := load("dram:\n  kind: gddr6\n  banks: 32\n  tCCDL: 4\n"); m.DRAM.Banks != 32 || m.DRAM.TCCDL != 4 {
		t.Errorf("behind the kind: %d banks, tCCDL %d", m.DRAM.Banks, m.DRAM.TCCDL)
	}
	if m := load("dram:\n  banks: 32\n  tCCDL: 4\n  kind: gddr6\n"); m.DRAM.Banks != 16 || m.DRAM.TCCDL != 3 {
		t.Errorf("before the kind: %d banks, tCCDL %d", m.DRAM.Banks, m.DRAM.TCCDL)
	}
}
