// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace/tracetest"
)

// accounts is the part of the JSON result that the tests read.
type accounts []struct {
	Machine string
	Energy  struct{ Total, Launches json.RawMessage }
}

type leaves struct {
	Seconds float64 `json:"seconds"`
	Leaves  []struct {
		Component string  `json:"component"`
		DynamicJ  float64 `json:"dynamic_j"`
		StaticJ   float64 `json:"static_j"`
	} `json:"leaves"`
}

// joules leaves out copies of the host, which belong to no launch.
func (l *leaves) joules() (dynamic, static float64) {
	for _, leaf := range l.Leaves {
		if leaf.Component == "chip/DRAM/copies" {
			continue
		}
		dynamic += leaf.DynamicJ
		static += leaf.StaticJ
	}
	return dynamic, static
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func TestEnergyOfLaunchesAddsUpToTheTotals(t *testing.T) {
	path := recordedTiny(t, "hotspot")
	out := filepath.Join(t.TempDir(), "r.json")
	good(t, "replay", path, "--arch", "gtx480", "--arch", "gpsim-soc", "--energy", "--json", out, "-q")
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var list accounts
	decode(t, text, &list)
	if len(list) != 2 {
		t.Fatalf("%d machines, want 2", len(list))
	}
	for _, a := range list {
		var total leaves
		var launches []leaves
		decode(t, a.Energy.Total, &total)
		decode(t, a.Energy.Launches, &launches)
		var dynamic, seconds float64
		for i := range launches {
			d, _ := launches[i].joules()
			dynamic += d
			seconds += launches[i].Seconds
		}
		want, static := total.joules()
		if want <= 0 || static <= 0 || total.Seconds <= 0 {
			t.Errorf("%s: %g J dynamic, %g J static in %g s", a.Machine, want, static, total.Seconds)
		}
		if math.Abs(dynamic-want) > 1e-3*want || math.Abs(seconds-total.Seconds) > 1e-3*seconds {
			t.Errorf("%s: launches have %g J in %g s, the total %g J in %g s", a.Machine, dynamic, seconds, want, total.Seconds)
		}
	}
}

func TestEnergyColumnsStandBehindTheOthers(t *testing.T) {
	path := recordedTiny(t, "saxpy")
	folder := t.TempDir()
	plain, priced := filepath.Join(folder, "plain.csv"), filepath.Join(folder, "priced.csv")
	good(t, "replay", path, "--arch", "gtx480", "--arch", "gpsim-soc", "--csv", plain, "-q")
	good(t, "replay", path, "--arch", "gtx480", "--arch", "gpsim-soc", "--csv", priced, "--energy", "-q")
	read := func(path string) [][]string {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	a, b := read(plain), read(priced)
	if len(a) != len(b) {
		t.Fatalf("%d rows without energy, %d with it", len(a), len(b))
	}
	for i := range a {
		if n := len(a[i]); len(b[i]) <= n || strings.Join(a[i], ",") != strings.Join(b[i][:n], ",") {
			t.Errorf("row %d does not begin as it does without energy", i)
		}
	}
	for _, name := range b[0][len(a[0]):] {
		if !strings.HasPrefix(name, "energy_chip_") || !strings.HasSuffix(name, "_j") || strings.ContainsAny(name, " /") {
			t.Errorf("column %q", name)
		}
	}
}

func TestEnergyTableComparesMachinesAndIsRepeatable(t *testing.T) {
	path := recordedTiny(t, "sgemm")
	arguments := []string{"replay", path, "--arch", "gtx480", "--arch", "mesh56", "--energy", "-q"}
	first := good(t, append(arguments, "--workers", "1")...)
	if second := good(t, append(arguments, "--workers", "3")...); first != second {
		t.Error("the energy depends on the number of workers")
	}
	for _, want := range []string{"energy of gtx480: 40 nm", "front end", "average power [W]", "energy-delay", "on-chip-memory", "alu-register-file"} {
		if !strings.Contains(first, want) {
			t.Errorf("the table has no %q", want)
		}
	}
}

func TestTechnologiesAreRefusedBeforeTheReplay(t *testing.T) {
	path := recordedTiny(t, "saxpy")
	bad(t, commandline.ExitUsage, "write a node as 32nm", "replay", path, "--arch", "gtx480", "--energy", "--tech", "tiny")
	bad(t, commandline.ExitUsage, "needs --energy", "replay", path, "--arch", "gtx480", "--tech", "32nm")
	bad(t, commandline.ExitUsage, "cacti, circuit, gpuwattch", "replay", path, "--arch", "gtx480", "--energy", "--calibration", "mcpat")
	bad(t, commandline.ExitUsage, "write KEY=VALUE", "replay", path, "--arch", "gtx480", "--energy", "--coefficient", "dram.byte")
	bad(t, commandline.ExitFailed, "is unknown", "replay", path, "--arch", "gtx480", "--energy", "--coefficient", "dram.bite=1")
	bad(t, commandline.ExitFailed, "node_nm is 7", "replay", path, "--arch", "gtx480", "--energy", "--tech", "7nm")
	if out := good(t, "replay", path, "--arch", "gtx480", "--energy", "--tech", "32nm-lop", "-q"); !strings.Contains(out, "energy of gtx480: 32 nm low power") {
		t.Error("the table does not name the technology that was asked for")
	}
}

func TestSavedStatisticsOfOneMachineHaveTheEnergyOfTheReplay(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r.json")
	replayed := good(t, "replay", recordedTiny(t, "saxpy"), "--arch", "gtx480", "--energy", "--json", out, "-q")
	if saved := good(t, "energy", out); !strings.HasSuffix(replayed, saved) || saved == "" {
		t.Errorf("the saved statistics give\n%s\nthe replay ended with\n%s", saved, replayed)
	}
}

func TestSavedStatisticsHaveTheEnergyOfTheReplay(t *testing.T) {
	tracetest.Nightly(t)
	path := recordedTiny(t, "saxpy")
	out := filepath.Join(t.TempDir(), "r.json")
	both := good(t, "replay", path, "--arch", "gtx480", "--arch", "gpsim-soc+l1-off", "--energy", "--tech", "28nm", "--json", out, "-q")
	if saved := good(t, "energy", out, "--tech", "28nm"); !strings.HasSuffix(both, saved) || saved == "" {
		t.Errorf("the saved statistics give\n%s\nthe replay ended with\n%s", saved, both)
	}
	sweep := good(t, "energy", out, "--tech", "45nm,32nm,22nm-lop", "--calibration", "circuit")
	for _, want := range []string{"energy of gtx480 45nm: 45 nm", "energy of gtx480 22nm-lop: 22 nm low power", "energy of gpsim-soc+l1-off 32nm: 32 nm", "operations, arrays and network as circuits"} {
		if !strings.Contains(sweep, want) {
			t.Errorf("the sweep has no %q", want)
		}
	}
	bad(t, commandline.ExitFailed, "node_nm is 14", "energy", out, "--tech", "32nm,14nm")
	bad(t, commandline.ExitFailed, `"l3" is no structure of this machine`, "energy", out, "--given", "l3.read_pj=1")
	bad(t, commandline.ExitUsage, "perfect and none", "energy", out, "--clock-gating", "some")
	if ungated := good(t, "energy", out, "--clock-gating", "none"); !strings.Contains(ungated, "clock") {
		t.Error("clocks that are not gated draw nothing")
	}
	if other := good(t, "energy", out, "--tech", "28nm", "--coefficient", "dram.byte=999"); strings.HasSuffix(both, other) {
		t.Error("another coefficient gives the same energy")
	}
}

func TestForeignStatisticsAreRefused(t *testing.T) {
	path := recordedTiny(t, "saxpy")
	folder := t.TempDir()
	out := filepath.Join(folder, "r.json")
	good(t, "replay", path, "--arch", "gtx480", "--json", out, "-q")
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, text, complaint string }{
		"digest":  {`"architecture_digest": "`, `"architecture_digest": "0`, "another gtx480"},
		"machine": {`"machine": "gtx480"`, `"machine": "gtx999"`, "--arch"},
		"counter": {`"dram_reads"`, `"dram_reeds"`, "has no counter dram_reads"},
		"count":   {`"dram_reads": `, `"dram_reads": -`, "expected a count"},
		"json":    {`[`, `{`, "not a file of replay --json"},
	} {
		changed := filepath.Join(folder, name+".json")
		if err := os.WriteFile(changed, []byte(strings.ReplaceAll(string(text), c.old, c.text)), 0o644); err != nil {
			t.Fatal(err)
		}
		bad(t, commandline.ExitFailed, c.complaint, "energy", changed)
	}
	bad(t, commandline.ExitUsage, "names 2 architectures", "energy", out, "--arch", "gtx480", "--arch", "mesh56")
}

// FuzzStatistics: no file crashes the reader, and counters that it takes are
// those of the file.
func FuzzStatistics(f *testing.F) {
	f.Add([]byte(`[{"machine":"gtx480","total":{"time_ns":1e3,"counters":{"issue_slots":1}}}]`))
	f.Add([]byte(`[{"total":{"counters":{"issue_slots":18446744073709551616}}}]`))
	f.Add([]byte(`[null]`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		saved, err := parseStatistics(text)
		if err != nil {
			return
		}
		for i := range saved {
			set, err := saved[i].Total.set(nil)
			if err != nil {
				continue
			}
			for name, n := range saved[i].Total.Counters {
				if id, ok := counters.Lookup(name); !ok || strconv.FormatUint(set[id], 10) != n.String() {
					t.Errorf("%s is %s in the file", name, n)
				}
			}
		}
	})
}

// TestEnergyNeverChangesCycles: what is priced, and in which technology, leaves
// every byte of the timing results as it is.
func TestEnergyNeverChangesCycles(t *testing.T) {
	path := recordedTiny(t, "sgemm")
	plain := good(t, "replay", path, "--arch", "gtx480", "-q")
	for _, flags := range [][]string{nil, {"--tech", "22nm-lop"}, {"--calibration", "circuit"}, {"--given", "l1.read_pj=1000", "--clock-gating", "none"}} {
		with := good(t, append([]string{"replay", path, "--arch", "gtx480", "--energy", "-q"}, flags...)...)
		if !strings.HasPrefix(with, plain) || with == plain {
			t.Errorf("%v: the replay without energy prints\n%s\nand with it\n%s", flags, plain, with)
		}
	}
}

// TestEveryCounterOfAMechanismIsPricedOrFree puts each overlay on every built-in
// machine that takes it: each counter of a mechanism must be charged on one of
// them, or be free with a reason.
func TestEveryCounterOfAMechanismIsPricedOrFree(t *testing.T) {
	entries, err := arch.List()
	if err != nil {
		t.Fatal(err)
	}
	unpriced := map[string]map[string]bool{} // by mechanism, on all machines so far
	machines, overlays := splitOverlays(entries)
	for _, name := range machines { // one may be of a mechanism itself
		m, err := arch.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		keepUnpriced(t, m, unpriced)
	}
	for _, overlay := range overlays {
		for _, name := range machines {
			m, err := arch.Load(name + "+" + overlay)
			if err != nil {
				m, err = arch.Load(name + "+cpu+" + overlay) // some need cores
			}
			if err != nil {
				continue
			}
			keepUnpriced(t, m, unpriced)
			if !slices.ContainsFunc(m.Mechanisms(), func(key string) bool { return len(unpriced[key]) > 0 }) {
				break // what it switches on is priced
			}
		}
	}
	for _, g := range counters.Groups() {
		left, seen := unpriced[g.Name]
		if !seen {
			t.Errorf("no overlay or machine switches %s on", g.Name)
		}
		for name := range left {
			t.Errorf("%s: the counter %s is neither charged nor free", g.Name, name)
		}
	}
}

// splitOverlays gives the names of machines, and those of overlays.
func splitOverlays(entries []arch.Entry) (machines, overlays []string) {
	for _, e := range entries {
		if e.Overlay {
			overlays = append(overlays, e.Name)
		} else {
			machines = append(machines, e.Name)
		}
	}
	return machines, overlays
}

// keepUnpriced keeps of each mechanism's unpriced counters those that m does not
// price, either.
func keepUnpriced(t *testing.T, m *arch.Machine, unpriced map[string]map[string]bool) {
	t.Helper()
	if !slices.ContainsFunc(m.Mechanisms(), func(key string) bool { before, seen := unpriced[key]; return !seen || len(before) > 0 }) {
		return // all are priced on other machines
	}
	model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
	if err != nil {
		t.Errorf("%s: %v", m.Name, err)
		return
	}
	for _, key := range m.Mechanisms() {
		now := map[string]bool{}
		for _, name := range model.Unpriced([]string{key}) {
			if before, seen := unpriced[key]; !seen || before[name] {
				now[name] = true
			}
		}
		unpriced[key] = now
	}
}
