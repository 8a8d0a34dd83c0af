// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"strings"
	"testing"
)

// Each text, behind "base: gtx480", is refused at its line for its reason.
func TestSMsThatContradictThemselvesAreRefusedAtTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"sm:\n  units:\n    int: 2\n":                                             "bad.yaml:5:10: sm.collectors.int.count: the int units have no operand collectors",
		"sm:\n  collectors:\n    ldst: {count: 0, ports: 1}\n":                    "bad.yaml:5:19: sm.collectors.ldst.count: 0 is out of range",
		"sm:\n  collectors:\n    general: {count: 4}\n":                           "missing key sm.collectors.general.ports",
		"sm:\n  collectors:\n    sp: {count: 65}\n":                               "bad.yaml:5:17: sm.collectors.sp.count: 65 is out of range",
		"sm:\n  result_buses: -1\n":                                               "bad.yaml:4:17: sm.result_buses: -1 is out of range",
		"sm:\n  warp_switch: sometimes\n":                                         "bad.yaml:4:16: sm.warp_switch: unknown word",
		"sm:\n  warp_switch: mem\n  scheduler: two-level\n  scheduler_warps: 4\n": "two rules would choose the warps",
		"sm:\n  coalescing: cc9.0\n":                                              "bad.yaml:4:15: sm.coalescing: unknown word",
		"l1:\n  allocate: on_fill\n":                                              "bad.yaml:4:13: l1.allocate: on_fill, but with local_back_no_allocate",
		"l1:\n  allocate: later\n":                                                "bad.yaml:4:13: l1.allocate: unknown word",
		"texture_cache:\n  line_bytes: 64\n  sector_bytes: 128\n":                 "texture_cache.sector_bytes: a sector of 128 bytes is larger",
		"texture_cache:\n  write: back_allocate\n":                                "bad.yaml:4:10: texture_cache.write: back_allocate; nothing writes to this cache",
	} {
		path := write(t, t.TempDir(), "bad.yaml", "base: gtx480\nname: bad\n"+text)
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want it to say %q", text, err, want)
		}
	}
}

func TestHazardsAndBusesNeedCollectors(t *testing.T) {
	for key, set := range map[string]func(*SM){
		"sm.war_hazards":  func(s *SM) { s.WARHazards = true },
		"sm.result_buses": func(s *SM) { s.ResultBuses = 1 },

		"sm.collectors.steps":          func(s *SM) { s.Collectors.Steps = 2 },
		"sm.collectors.control":        func(s *SM) { s.Collectors.Control = true },
		"sm.collectors.whole_operands": func(s *SM) { s.Collectors.WholeOperands = true },
		"sm.collectors.parallel_reads": func(s *SM) { s.Collectors.ParallelReads = true },
		"sm.collectors.results_pass":   func(s *SM) { s.Collectors.ResultsPass = true },
	} {
		m := mustLoad(t, "gtx480")
		m.SM.Collectors, m.SM.ResultBuses = Collectors{}, 0
		m.SM.OperandReadCycles, m.SM.OperandCollectors = 2, 16
		if err := m.Validate(); err != nil {
			t.Fatalf("a pool of collectors is refused: %v", err)
		}
		set(&m.SM)
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), key+":") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// An overlay or a set of keys may take all sets of collectors away, as a machine's file may;
// what of them stays is refused at its place.
func TestAnOverlayTakesCollectorsAway(t *testing.T) {
	const pool = "sm.operand_read_cycles=0,sm.operand_collectors=9,sm.result_buses=0,sm.collectors.whole_operands=false"
	keys := "gtx480+set(" + pool
	for _, set := range []string{"sp", "sfu", "ldst"} {
		keys += ",sm.collectors." + set + ".count=0,sm.collectors." + set + ".ports=0"
	}
	text := "overlay: pool\ndescription: a pool\nset:\n  sm:\n    operand_read_cycles: 0\n    operand_collectors: 9\n    result_buses: 0\n" +
		"    collectors:\n      whole_operands: false\n      sp: {count: 0, ports: 0}\n      sfu: {count: 0, ports: 0}\n      ldst: {count: 0, ports: 0}\n"
	for _, spec := range []string{keys + ")", "gtx480+" + write(t, t.TempDir(), "pool.yaml", text)} {
		m, err := Load(spec)
		if err != nil {
			t.Fatal(err)
		}
		if m.SM.Collects() || m.SM.CollectorCount() != 9 {
			t.Errorf("%s: %+v", spec, m.SM.Collectors)
		}
	}
	for part, want := range map[string]string{
		"sm.collectors.ldst.count=0": "sm.collectors.ldst.count: 0 is out of range",
		"sm.collectors.sp.ports=0":   "sm.collectors.sp.ports: 0 is out of range",
		"sm.collectors.steps=0":      "sm.collectors.steps: 0 is out of range",
	} {
		if _, err := Load("gtx480+set(" + part + ")"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want it to say %q", part, err, want)
		}
	}
}

func TestRegistersOfTheThesissSimulatorTakeTheCollectorsPlace(t *testing.T) {
	for _, machine := range []string{"gpsim-soc", "gpsim-tiny", "gtx480", "gtx480-15"} {
		m := mustLoad(t, machine+"+gpsim-registers")
		if m.SM.Collects() || m.SM.OperandReadCycles != 0 || m.SM.RegisterBanks != 0 || m.SM.ResultBuses != 0 {
			t.Errorf("%s: %+v, %d cycles, %d banks, %d buses", machine, m.SM.Collectors, m.SM.OperandReadCycles, m.SM.RegisterBanks, m.SM.ResultBuses)
		}
	}
	if _, err := Load("v100+gpsim-registers"); err == nil || !strings.Contains(err.Error(), "its operands are read in a fixed time already") {
		t.Error(err)
	}
}

func TestCollectorCountIsThatOfAllSets(t *testing.T) {
	m := mustLoad(t, "gtx480")
	if n := m.SM.CollectorCount(); n != 6+8+2 {
		t.Errorf("%d collectors", n)
	}
	m.SM.Collectors = Collectors{}
	m.SM.OperandCollectors = 5
	if n := m.SM.CollectorCount(); n != 5 {
		t.Errorf("%d collectors in a pool of 5", n)
	}
}

func TestALastLevelCacheWithSmallerSectorsThanTheL2IsRefused(t *testing.T) {
	path := write(t, t.TempDir(), "bad.yaml", "base: gpsim-soc\nname: bad\nllc:\n  sector_bytes: 32\n")
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "bad.yaml:4:17: llc.sector_bytes: a sector of 32 bytes is smaller") {
		t.Error(err)
	}
}
