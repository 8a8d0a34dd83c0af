// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// probe is a mechanism that exists in these tests only; it brings what a test
// says.
type probe struct {
	Level int `yaml:"level" unit:"levels" range:"0..1"`
}

var (
	probeStructures []arch.Structure
	probeGates      []arch.PowerGate
)

func (p *probe) On() bool                                  { return p.Level > 0 }
func (p *probe) Check(*arch.Machine, func(_, _ string))    {}
func (p *probe) Structures(*arch.Machine) []arch.Structure { return probeStructures }
func (p *probe) PowerGates(*arch.Machine) []arch.PowerGate { return probeGates }
func probeCounter(i int) counters.ID                       { return probeFirst + counters.ID(i) }
func use(u arch.StructureUse, n string) arch.StructureCharge {
	return arch.StructureCharge{Counter: n, Use: u}
}
func shareOf(c arch.StructureCharge, s float64) arch.StructureCharge { c.Share = s; return c }

var probeFirst counters.ID

func init() {
	arch.RegisterSection("probe", nil, func() arch.Section { return new(probe) }, arch.Declaration{})
	probeFirst = counters.Register("probe",
		counters.Declaration{Name: "probe_reads", Unit: counters.Accesses, Meaning: "reads"},
		counters.Declaration{Name: "probe_writes", Unit: counters.Accesses, Meaning: "writes"},
		counters.Declaration{Name: "probe_searches", Unit: counters.Accesses, Meaning: "searches"},
		counters.Declaration{Name: "probe_gated_cycles", Unit: counters.Cycles, Meaning: "cycles off"},
		counters.Declaration{Name: "probe_wakes", Unit: counters.Accesses, Meaning: "wake-ups"},
		counters.Declaration{Name: "probe_waits", Unit: counters.Cycles, Meaning: "waiting"},
	)
	counters.RegisterFree(map[string]string{"probe_waits": "time"})
}

// probed prices gtx480 at a node with structures and gates of the probe.
func probed(t *testing.T, nm float64, structures []arch.Structure, gates []arch.PowerGate) (*Model, error) {
	t.Helper()
	probeStructures, probeGates = structures, gates
	t.Cleanup(func() { probeStructures, probeGates = nil, nil })
	m := load(t, "gtx480")
	m.SetSection("probe", &probe{Level: 1})
	return NewModel(m, Technology{NodeNM: nm, TemperatureK: 360, VoltageRatio: 1}, DefaultCoefficients())
}

// mustProbe prices one structure, whose charges are one read, write and search.
func mustProbe(t *testing.T, nm float64, s arch.Structure) (read, write, search float64, leaf Leaf) {
	t.Helper()
	s.Path, s.Source = "chip/sm/probe", "test"
	if s.Count == 0 {
		s.Count = 1
	}
	if s.Charges == nil {
		s.Charges = []arch.StructureCharge{use(arch.Read, "probe_reads"), use(arch.Write, "probe_writes")}
		if s.Kind != arch.RAM {
			s.Charges = append(s.Charges, use(arch.Search, "probe_searches"))
		}
	}
	m, err := probed(t, nm, []arch.Structure{s}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var pj [3]float64
	for i := range pj {
		var set counters.Set
		set[probeCounter(i)] = 1
		r := account(t, m, &set, 0)
		pj[i] = r.Node("chip/sm/probe").DynamicJ * 1e12
		if !near(pj[i], r.Total().DynamicJ*1e12) {
			t.Errorf("charged elsewhere, too: %g of %g pJ", pj[i], r.Total().DynamicJ*1e12)
		}
	}
	r := account(t, m, &counters.Set{}, 1)
	return pj[0], pj[1], pj[2], r.Node("chip/sm/probe")
}

// TestADeclaredArrayCostsWhatCACTIGave compares with rows of the CACTI results
// copied by hand: a RAM of 6 KiB and a CAM of 32 entries, both at 45 nm.
func TestADeclaredArrayCostsWhatCACTIGave(t *testing.T) {
	close := func(a, b float64) bool { return a > 0.999*b && a < 1.001*b }
	read, write, search, leaf := mustProbe(t, 45, arch.Structure{Kind: arch.RAM, Entries: 1536, EntryBits: 32, Count: 3})
	if !close(read, 4.11737) || !close(write, 3.64657) || search != 0 || !close(leaf.StaticJ, 3*7.65688e-3) || !close(leaf.AreaMM2, 3*0.0198447) {
		t.Errorf("RAM: read %g, write %g, search %g pJ, %g W, %g mm2", read, write, search, leaf.StaticJ, leaf.AreaMM2)
	}
	read, write, search, leaf = mustProbe(t, 45, arch.Structure{Kind: arch.CAM, Entries: 32, EntryBits: 48})
	if !close(read, 0.705573) || !close(write, 0.911303) || !close(search, 3.80837) || !close(leaf.StaticJ, 0.88835e-3) {
		t.Errorf("CAM: read %g, write %g, search %g pJ, %g W", read, write, search, leaf.StaticJ)
	}
}

// TestSharesScaleDataAndNotTags: a word of a line costs its part of the data, and
// the whole of the tags.
func TestSharesScaleDataAndNotTags(t *testing.T) {
	line := arch.Structure{Kind: arch.CacheArray, Entries: 512, EntryBits: 1024, TagBits: 32, Ways: 4}
	line.Charges = []arch.StructureCharge{use(arch.Read, "probe_reads"), shareOf(use(arch.Read, "probe_writes"), 0.25), shareOf(use(arch.Read, "probe_searches"), 2)}
	whole, quarter, twice, _ := mustProbe(t, 40, line)
	if !near(twice, 2*whole) {
		t.Errorf("two accesses cost %g pJ, one %g", twice, whole)
	}
	if !(quarter > whole/4 && quarter < whole/2) {
		t.Errorf("a quarter of a line costs %g pJ, a line %g", quarter, whole)
	}
}

// TestALookupCostsTheTags: what a miss does, before anything is read or written.
func TestALookupCostsTheTags(t *testing.T) {
	for _, ways := range []int{1, 4, 64} {
		read, write, lookup, _ := mustProbe(t, 40, arch.Structure{Kind: arch.CacheArray, Entries: 64, EntryBits: 512, TagBits: 40, Ways: ways})
		if !(lookup > 0 && lookup < read && write > 0) {
			t.Errorf("%d ways: a lookup costs %g pJ, a read %g, a write %g", ways, lookup, read, write)
		}
	}
}

// TestACacheOfMorePortsIsLarger, of sizes inside what CACTI gave for caches of one port and
// of smaller ones: each port more adds area and leakage.
func TestACacheOfMorePortsIsLarger(t *testing.T) {
	for _, entries := range []int{16, 512} {
		var last Leaf
		for _, ports := range []int{1, 2, 3} {
			_, _, _, leaf := mustProbe(t, 40, arch.Structure{Kind: arch.CacheArray, Entries: entries, EntryBits: 1024, TagBits: 32, Ways: 4, Ports: ports})
			if leaf.AreaMM2 <= last.AreaMM2 || leaf.StaticJ <= last.StaticJ {
				t.Errorf("%d lines, %d ports: %g mm2 and %g W, %g and %g with one less", entries, ports, leaf.AreaMM2, leaf.StaticJ, last.AreaMM2, last.StaticJ)
			}
			last = leaf
		}
	}
}

// TestGivenValuesWin: published values replace the model's, hold for their node,
// and are scaled from there as logic is.
func TestGivenValuesWin(t *testing.T) {
	s := arch.Structure{Kind: arch.RAM, Entries: 24, EntryBits: 131, ReadPJ: 5.3, AreaMM2: 0.1, GivenNM: 40}
	read, write, _, leaf := mustProbe(t, 40, s)
	if !near(read, 5.3) || !near(leaf.AreaMM2, 0.1) || write <= 0 || leaf.StaticJ <= 0 {
		t.Errorf("at its node: read %g pJ, write %g pJ, %+v", read, write, leaf)
	}
	read, _, _, leaf = mustProbe(t, 32, s)
	if want := 5.3 * logicScale(40, 32); !near(read, want) || !near(leaf.AreaMM2, 0.1*0.64) {
		t.Errorf("at 32 nm: read %g pJ, want %g; %g mm2", read, want, leaf.AreaMM2)
	}
	s.Kind, s.TagBits, s.Ways = arch.CacheArray, 20, 2
	if read, _, _, _ = mustProbe(t, 40, s); !near(read, 5.3) {
		t.Errorf("a cache with a given energy: %g pJ", read)
	}
}

// TestLogicAndWiresCostTheirOperations: two integer ALUs of the affine paper, and
// 50 bits over 3 mm of DSENT's wire.
func TestLogicAndWiresCostTheirOperations(t *testing.T) {
	operate := []arch.StructureCharge{use(arch.Operate, "probe_reads"), shareOf(use(arch.Operate, "probe_writes"), 50)}
	one, fifty, _, leaf := mustProbe(t, 40, arch.Structure{Kind: arch.Logic, Operation: "op.int_add", Count: 2, Charges: operate})
	if !near(one, 43.116) || !near(fifty, 50*43.116) || !near(leaf.AreaMM2, 0.16) {
		t.Errorf("ALU: %g pJ, 50 of them %g pJ, %g mm2", one, fifty, leaf.AreaMM2)
	}
	// GPUWattch's special-function unit has 2.051 times the area of an ALU; what moves has none of its own.
	for operation, want := range map[string]float64{"op.special": 0.16 * 2.051, "op.int_add": 0.16, "op.move": 0} {
		if _, _, _, leaf = mustProbe(t, 40, arch.Structure{Kind: arch.Logic, Operation: operation, Count: 2, Charges: operate}); !near(leaf.AreaMM2, want) {
			t.Errorf("%s: %g mm2, want %g", operation, leaf.AreaMM2, want)
		}
	}
	_, fifty, _, leaf = mustProbe(t, 45, arch.Structure{Kind: arch.Wire, MillimetresLong: 3, Charges: operate})
	if want := 50 * 3 * 0.04036; fifty < 0.999*want || fifty > 1.001*want || leaf.AreaMM2 != 0 {
		t.Errorf("wire: %g pJ, want %g", fifty, want)
	}
	_, _, _, leaf = mustProbe(t, 45, arch.Structure{Kind: arch.Wire, MillimetresLong: 3, EntryBits: 64, Charges: operate})
	if want := 64.0 / 256 * 3 * 0.1109e-3; !near(leaf.StaticJ, want) || !near(leaf.AreaMM2, 64.0/256*3*0.005) {
		t.Errorf("64 wires of 3 mm leak %g W on %g mm2, want %g W", leaf.StaticJ, leaf.AreaMM2, want)
	}
}

// TestBiggerDeclaredStructuresCostMore covers sizes inside and outside CACTI's
// results, where the rules of extrapolation hold.
func TestBiggerDeclaredStructuresCostMore(t *testing.T) {
	grow := map[string]func(n int) arch.Structure{
		"RAM entries": func(n int) arch.Structure { return arch.Structure{Kind: arch.RAM, Entries: 4 * n, EntryBits: 64} },
		"RAM width":   func(n int) arch.Structure { return arch.Structure{Kind: arch.RAM, Entries: 64, EntryBits: 32 * n} },
		"RAM ports": func(n int) arch.Structure {
			return arch.Structure{Kind: arch.RAM, Entries: 256, EntryBits: 128, Ports: min(n, 8)}
		},
		"CAM entries": func(n int) arch.Structure { return arch.Structure{Kind: arch.CAM, Entries: 4 * n, EntryBits: 48} },
		"CAM width":   func(n int) arch.Structure { return arch.Structure{Kind: arch.CAM, Entries: 64, EntryBits: 16 * n} },
		"TLB": func(n int) arch.Structure {
			return arch.Structure{Kind: arch.CAM, Entries: 8 * n, EntryBits: 92, TagBits: 52}
		},
		"fully associative": func(n int) arch.Structure {
			return arch.Structure{Kind: arch.CacheArray, Entries: 4 * n, Ways: 4 * n, EntryBits: 512, TagBits: 40}
		},
	}
	for name, of := range grow {
		for _, nm := range []float64{65, 40, 22} {
			last := Leaf{}
			for n := 1; n <= 64; n *= 2 {
				_, _, _, leaf := mustProbe(t, nm, of(n))
				if leaf.AreaMM2 < last.AreaMM2 || leaf.StaticJ < last.StaticJ || leaf.AreaMM2 <= 0 {
					t.Errorf("%s at %g nm: %d units: %g W on %g mm2, half as many: %g W on %g mm2", name, nm, n, leaf.StaticJ, leaf.AreaMM2, last.StaticJ, last.AreaMM2)
				}
				last = leaf
			}
		}
	}
}

// TestPowerGatingSavesLeakageAndCostsWakeUps: 3 SMs' front ends are off for the
// whole run and wake ten times; what is saved and what remains is what there was.
func TestPowerGatingSavesLeakageAndCostsWakeUps(t *testing.T) {
	gates := []arch.PowerGate{{Path: "chip/sm/front end", Instances: 15, GatedCycles: "probe_gated_cycles", Residual: 0.1, WakeUps: "probe_wakes", WakePJ: 200, Source: "test"}}
	m, err := probed(t, 40, nil, gates)
	if err != nil {
		t.Fatal(err)
	}
	const seconds = 1e-3
	var set counters.Set
	set[probeCounter(3)] = 3 * 700e6 * seconds // core cycles of 700 MHz
	set[probeCounter(4)] = 10
	on, off := account(t, m, &counters.Set{}, seconds), account(t, m, &set, seconds)
	before, after := on.Node("chip/sm/front end"), off.Node("chip/sm/front end")
	if want := before.StaticJ * 3 / 15 * 0.9; !near(after.GatedJ, want) || !near(after.StaticJ+after.GatedJ, before.StaticJ) {
		t.Errorf("saved %g J, want %g; %g J remain of %g", after.GatedJ, want, after.StaticJ, before.StaticJ)
	}
	if got := off.Node("chip/sm/front end wake-up").DynamicJ; !near(got, 2e-9) {
		t.Errorf("ten wake-ups cost %g J", got)
	}
	for _, l := range off.Leaves { // a view has them as a share of their own
		if want := l.Path == "chip/sm/front end wake-up"; l.Added != want {
			t.Errorf("%s: added by a mechanism is %t", l.Path, l.Added)
		}
	}
	if !near(off.Node("chip/L2").StaticJ, on.Node("chip/L2").StaticJ) {
		t.Error("the L2 is gated, too")
	}
	set[probeCounter(3)] *= 7
	if _, err := m.Account(&set, seconds); err == nil || !strings.HasPrefix(err.Error(), "BUG") {
		t.Errorf("21 of 15 SMs are off: %v", err)
	}
}

// Of a hundred reads thirty were answered elsewhere, while the part was off: seventy cost something.
func TestEventsWithoutAGatedPartCostNothingThere(t *testing.T) {
	part := arch.Structure{Path: "chip/sm/probe", Count: 1, Kind: arch.RAM, Entries: 64, EntryBits: 64, Source: "test", Charges: []arch.StructureCharge{use(arch.Read, "probe_reads")}}
	var all, off counters.Set
	all[probeCounter(0)] = 70
	off[probeCounter(0)], off[probeCounter(1)] = 100, 30
	m, err := probed(t, 40, []arch.Structure{part}, []arch.PowerGate{{
		Path: "chip/sm/probe", Instances: 1, GatedCycles: "probe_gated_cycles", Source: "test", Spared: []arch.SparedCharge{{Counter: "probe_reads", By: "probe_writes"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	on, spared := account(t, m, &all, 0), account(t, m, &off, 0)
	want, got := on.Node("chip/sm/probe").DynamicJ, spared.Node("chip/sm/probe").DynamicJ
	if want <= 0 || !near(got, want) {
		t.Errorf("%g J, want %g", got, want)
	}
}

// TestUnpricedCountersOfAMechanismAreNamed: charged, gated and free ones are not.
func TestUnpricedCountersOfAMechanismAreNamed(t *testing.T) {
	s := arch.Structure{Path: "chip/sm/probe", Count: 1, Kind: arch.RAM, Entries: 64, EntryBits: 64, Source: "test", Charges: []arch.StructureCharge{use(arch.Read, "probe_reads"), use(arch.Write, "probe_wakes")}}
	m, err := probed(t, 40, []arch.Structure{s}, []arch.PowerGate{{Path: "chip/sm/probe", Instances: 1, GatedCycles: "probe_gated_cycles", Source: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(m.Unpriced([]string{"probe"}), " "); got != "probe_writes probe_searches" {
		t.Errorf("unpriced: %s", got)
	}
}

// TestStructuresThatCannotBeArePointedOut: what a mechanism declares wrongly is a
// bug and named, sizes that a user may have given are refused with their name.
func TestStructuresThatCannotBeArePointedOut(t *testing.T) {
	good := arch.Structure{Path: "chip/sm/probe", Count: 1, Kind: arch.RAM, Entries: 64, EntryBits: 64, Source: "test"}
	for name, c := range map[string]struct {
		change func(*arch.Structure)
		want   string
	}{
		"no path":         {func(s *arch.Structure) { s.Path = "sm/probe" }, "BUG"},
		"no source":       {func(s *arch.Structure) { s.Source = "" }, "BUG"},
		"a leaf's path":   {func(s *arch.Structure) { s.Path = "chip/sm/L1/tags" }, "chip/sm/L1/tags"},
		"below a leaf":    {func(s *arch.Structure) { s.Path = "chip/sm/register file/x" }, "there is one already"},
		"above leaves":    {func(s *arch.Structure) { s.Path = "chip/sm" }, "there is one already"},
		"unknown counter": {func(s *arch.Structure) { s.Charges = []arch.StructureCharge{use(arch.Read, "probe_red")} }, "probe_red"},
		"operation":       {func(s *arch.Structure) { s.Kind, s.Operation = arch.Logic, "op.int_ad" }, "op.int_ad"},
		"kind":            {func(s *arch.Structure) { s.Kind = 99 }, "kind 99"},
		"use":             {func(s *arch.Structure) { s.Charges = []arch.StructureCharge{use(arch.Search, "probe_reads")} }, "no use"},
		"no entries":      {func(s *arch.Structure) { s.Entries = 0 }, "chip/sm/probe"},
		"huge":            {func(s *arch.Structure) { s.Entries = 1 << 24 }, "chip/sm/probe"},
		"ports":           {func(s *arch.Structure) { s.Ports = 9 }, "9 ports"},
		"ways":            {func(s *arch.Structure) { s.Kind, s.Ways, s.TagBits = arch.CacheArray, 3, 20 }, "3 ways"},
		"searched bits":   {func(s *arch.Structure) { s.Kind, s.TagBits = arch.CAM, 65 }, "65 of them searched"},
		"negative":        {func(s *arch.Structure) { s.LeakageW = -1 }, "-1"},
	} {
		s := good
		c.change(&s)
		if _, err := probed(t, 40, []arch.Structure{s}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, g := range map[string]arch.PowerGate{
		"no node":   {Path: "chip/sm/nothing", Instances: 1, GatedCycles: "probe_gated_cycles", Source: "test"},
		"instances": {Path: "chip/sm/L1", GatedCycles: "probe_gated_cycles", Source: "test"},
		"counter":   {Path: "chip/sm/L1", Instances: 1, GatedCycles: "probe_gate", Source: "test"},
	} {
		if _, err := probed(t, 40, nil, []arch.PowerGate{g}); err == nil || !strings.Contains(err.Error(), "probe") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestNoPartIsGatedTwice: two gates may lie side by side, and not one in the other.
func TestNoPartIsGatedTwice(t *testing.T) {
	gate := func(path string) arch.PowerGate {
		return arch.PowerGate{Path: path, Instances: 1, GatedCycles: "probe_gated_cycles", Source: "test"}
	}
	for _, c := range []struct {
		first, second string
		refused       bool
	}{
		{"chip/sm/L1", "chip/sm/register file", false}, {"chip/sm/L1", "chip/sm/L1", true},
		{"chip/sm/L1", "chip/sm/L1/tags", true}, {"chip/sm/L1/tags", "chip/sm/L1", true},
	} {
		_, err := probed(t, 40, nil, []arch.PowerGate{gate(c.first), gate(c.second)})
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), c.second) {
			t.Errorf("%s, then %s: %v", c.first, c.second, err)
		}
	}
}

// TestViewsCountWhatMechanismsAdd: a cache of the memory hierarchy is a share of
// every view, a queue that is none only of the views of the whole chip. Shares
// add up to 100, and those of a machine without them do not change.
func TestViewsCountWhatMechanismsAdd(t *testing.T) {
	charge := []arch.StructureCharge{use(arch.Read, "probe_reads")}
	m, err := probed(t, 40, []arch.Structure{
		{Path: "chip/sm/tiny", MemoryHierarchy: true, Count: 1, Kind: arch.RAM, Entries: 64, EntryBits: 64, Source: "test", Charges: charge},
		{Path: "chip/sm/queue", Count: 1, Kind: arch.RAM, Entries: 64, EntryBits: 64, Source: "test", Charges: charge},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	set := randomCounts(11)
	r, plain := account(t, m, set, 1), account(t, model(t, "gtx480"), set, 1)
	for i := range views {
		v := &views[i]
		shares := v.Shares(&r)
		last, sum := shares[len(shares)-1], 0.0
		for _, s := range shares {
			sum += s.Percent
		}
		want := r.Node("chip/sm/tiny")
		if !v.Hierarchy {
			queue := r.Node("chip/sm/queue")
			want.DynamicJ += queue.DynamicJ
			want.StaticJ += queue.StaticJ
		}
		if !v.Static {
			want.StaticJ = 0
		}
		if v.grouped("chip/sm/tiny") { // in the group of the cores
			if len(shares) != len(v.Groups) {
				t.Errorf("%s: counted twice", v.Name)
			}
		} else if last.Name != addedName || !near(last.Joules, want.TotalJ()) {
			t.Errorf("%s: %+v is added, want %g J", v.Name, last, want.TotalJ())
		}
		if sum < 99.999 || sum > 100.001 || len(v.Shares(&plain)) != len(v.Groups) {
			t.Errorf("%s: shares add up to %g, without mechanisms there are %d", v.Name, sum, len(v.Shares(&plain)))
		}
	}
}
