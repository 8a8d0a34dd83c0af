// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/counters"
)

// TestClaimsAreComputed: the model knows all structures of the claims, and each
// is complete. Ratios, in which a version of CACTI cancels, come out within a
// factor of two.
func TestClaimsAreComputed(t *testing.T) {
	for _, c := range computedClaims(t) {
		if !(c.Computed > 0 && c.Published > 0) || c.Unit == "" || c.Source == "" || len(c.Parts) == 0 {
			t.Errorf("incomplete: %+v", c)
		}
		if c.Unit == "%" && (c.Computed < 0.5*c.Published || c.Computed > 2*c.Published) {
			t.Errorf("%s: published %g %%, computed %g %%", c.Name, c.Published, c.Computed)
		}
	}
}

func computedClaims(t *testing.T) []Claim {
	t.Helper()
	claims, err := Claims()
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

// TestClaimsByHand recomputes what needs no model: bits, wires, and the ALUs that
// lane.mm2 is taken from.
func TestClaimsByHand(t *testing.T) {
	want := map[string]float64{
		"tinyCache: data, tags, state and control bits of a lane":             16 * (64 + 15),
		"Buddy SM: wires of four clusters over the wires of the interconnect": 100.0 * (4 * 3 * 80 * 5) / ((16 + 6) * 512 * 11.5),
		"DAC: two ALUs of an SM (the source of lane.mm2)":                     0.16,
	}
	for _, c := range computedClaims(t) {
		if w, ok := want[c.Name]; ok {
			delete(want, c.Name)
			if !near(c.Computed, w) {
				t.Errorf("%s: %g, want %g", c.Name, c.Computed, w)
			}
		}
	}
	for name := range want {
		t.Errorf("%s is not among the claims", name)
	}
}

// TestAreasThatTheLaneIsFromAreInput: what the affine paper says of areas with ALUs in
// them cannot confirm lane.mm2, which is from there.
func TestAreasThatTheLaneIsFromAreInput(t *testing.T) {
	list, err := claimList()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		c := &list[i]
		lanes := false
		for _, p := range c.Parts {
			lanes = lanes || p.Kind == "lane"
		}
		if fed := lanes && strings.HasPrefix(c.Source, "affine paper"); fed != (c.Input != "") {
			t.Errorf("%s: input %q", c.Name, c.Input)
		}
	}
}

// TestPartsOfAClaimAddUp: without a denominator the parts are the whole.
func TestPartsOfAClaimAddUp(t *testing.T) {
	for _, c := range computedClaims(t) {
		sum := 0.0
		for _, p := range c.Parts {
			sum += p.Value
		}
		if c.Unit != "%" && !near(sum, c.Computed) {
			t.Errorf("%s: parts add up to %g, the whole is %g", c.Name, sum, c.Computed)
		}
	}
}

// TestInstancesOfAPartAddUp: three of a structure have three times what one has, whatever
// the quantity. A percentage is of the sum of all that it is taken over.
func TestInstancesOfAPartAddUp(t *testing.T) {
	memories, err := sram.Default()
	if err != nil {
		t.Fatal(err)
	}
	computed := func(c claim) Claim {
		t.Helper()
		c.NodeNM = 40
		out, err := c.compute(memories)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for quantity, part := range map[string]claimPart{
		"bytes": {Kind: "ram", Entries: 64, Bits: 33}, "wire": {Kind: "wire", Bits: 64, MM: 2.5}, "read": {Kind: "ram", Entries: 64, Bits: 32},
		"area": {Kind: "cache", Entries: 128, Bits: 512, Ways: 4, OutBytes: 4},
	} {
		three := part
		three.Count = 3
		one := computed(claim{Quantity: quantity, Parts: []claimPart{part}}).Computed
		if got := computed(claim{Quantity: quantity, Parts: []claimPart{three}}); !(one > 0) || !near(got.Computed, 3*one) || got.Parts[0].Count != 3 {
			t.Errorf("%s: %g of one, %+v of three", quantity, one, got)
		}
		if got := computed(claim{Quantity: quantity, Parts: []claimPart{part}, Over: []claimPart{part, three}}).Computed; !near(got, 25) {
			t.Errorf("%s: one of four is %g %%", quantity, got)
		}
	}
}

func TestDamagedClaimsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"- nam: x\n": "nam",
		"- {name: x, quantity: weight, parts: [{kind: ram, entries: 1, bits: 1}]}":               "weight",
		"- {name: x, node_nm: 40, quantity: area, parts: [{kind: rom, entries: 1, bits: 1}]}":    "rom",
		"- {name: x, node_nm: 40, quantity: area, parts: [{name: y, kind: ram}]}":                "y",
		"- {name: x, node_nm: 7, quantity: read, parts: [{kind: ram, entries: 1024, bits: 32}]}": "7 nm",
	} {
		list, err := parseClaims([]byte(text))
		if err == nil {
			var memories *sram.Model
			if memories, err = sram.Default(); err == nil {
				_, err = list[0].compute(memories)
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestSensitivityOfAnUnusedConstantIsZero: a run without DRAM traffic does not
// depend on the energy of a byte, every run depends on leakage.
func TestSensitivityOfAnUnusedConstantIsZero(t *testing.T) {
	set := randomCounts(1)
	for _, id := range []string{"dram_read_bytes", "dram_write_bytes", "copy_to_device_bytes", "copy_to_host_bytes"} {
		i, ok := counters.Lookup(id)
		if !ok {
			t.Fatalf("%s is not a counter", id)
		}
		set[i] = 0
	}
	list, err := Sensitivities(load(t, "gtx480"), TechnologyOf(load(t, "gtx480")), set, 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range list {
		switch s.Coefficient.Key {
		case "dram.byte":
			seen++
			if s.Less != 0 || s.More != 0 {
				t.Errorf("energy of a byte changes the total by %g and %g %% without traffic", s.Less, s.More)
			}
		case "logic.leakage_mw_per_mm2", "dram.background_mw":
			seen++
			if !(s.Less < 0 && s.More > 0) || s.More+s.Less > 1e-6 || s.More+s.Less < -1e-6 {
				t.Errorf("%s: %g and %g %%, not opposite", s.Coefficient.Key, s.Less, s.More)
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d of 3 coefficients are varied", seen)
	}
}
