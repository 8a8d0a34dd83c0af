// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/tracetest"
)

func TestClaimsAreOfFiguresThatExist(t *testing.T) {
	for _, s := range Studies() {
		list, err := publishedOf(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			c := &list[i]
			at := slices.IndexFunc(s.Figures, func(f Figure) bool { return f.ID == c.Figure })
			for _, p := range []*Place{&c.Place, c.Against} {
				if p != nil && (at < 0 || !slices.Contains(s.Figures[at].Series, p.Series)) {
					t.Errorf("%s: figure %s, series %s does not exist", s.Name, c.Figure, p.Series)
				}
			}
		}
	}
}

// TestClaimsAreOfRowsThatExist, in the tables of the committed results; no reason for
// "no value" is a name that is spelled otherwise.
func TestClaimsAreOfRowsThatExist(t *testing.T) {
	tracetest.Nightly(t)
	all, err := committedTables()
	if err != nil {
		t.Fatal(err)
	}
	for name, tables := range all {
		for k := range tables {
			checkRows(t, name, &tables[k])
		}
	}
}

func checkRows(t *testing.T, name string, table *Table) {
	t.Helper()
	for i := range table.Published {
		c := &table.Published[i]
		for _, p := range []*Place{&c.Place, c.Against} {
			if p == nil || p.Row == leastRow || p.Row == greatestRow {
				continue
			}
			if _, ok := table.At(p.Row, p.Series); !ok {
				t.Errorf("%s: figure %s has no row %q", name, c.Figure, p.Row)
			}
		}
	}
}

func TestAClaimAgainstAnotherPlaceIsJudgedByTheRatio(t *testing.T) {
	table := &Table{Figure: &Figure{Series: []string{"LLC", "Omni"}}, Values: []Row{
		{Label: "a", Values: []float64{150, 155}}, {Label: "b", Values: []float64{80, 100}}, {Label: "c", Values: []float64{0, 3}},
		{Label: "mean", Values: []float64{500, 1}, Of: []string{"a", "b", "c"}},
	}}
	list, err := parseClaims([]byte(`- {figure: "1", rows: [a, b, c], series: [Omni], against: {series: LLC}, where: "6.1", quote: "improve greatly when compared to LLC-Compute", more: {than: 100, by: 10}}
- {figure: "1", rows: [(greatest), (least)], series: [Omni], against: {row: b}, where: "6.1", quote: "words", more: {than: 100}}`))
	if err != nil {
		t.Fatal(err)
	}
	// a has 155 % of no offloading, but 103 % of LLC-Compute.
	for i, want := range []string{"same direction, less than said: +3.3 %", "as said: +25.0 %", "no value", "same direction", "other direction"} {
		if got := table.Verdict(&list[i]).String(); got != want {
			t.Errorf("%s: %q, want %q", list[i].Row, got, want)
		}
	}
	// No mean is the greatest or the least row.
	if greatest, least := table.Ours(&list[3]), table.Ours(&list[4]); greatest != 155 || least != 3 {
		t.Errorf("the greatest row has %g, the least %g", greatest, least)
	}
	if got := list[0].Reading(); got != "in % of LLC: more than 100, by at least 10 %" {
		t.Errorf("reading %q", got)
	}
}

// Savings may be below zero: what loses more than another saves less, whatever the quotient.
func TestAClaimAgainstALossIsJudgedByTheDifference(t *testing.T) {
	table := &Table{Figure: &Figure{Series: []string{"two", "four"}}, Values: []Row{
		{Label: "worse", Values: []float64{-2, -3}}, {Label: "better", Values: []float64{-2, -1}}, {Label: "gains", Values: []float64{-2, 4}},
	}}
	list, err := parseClaims([]byte(`- {figure: "1", rows: [worse, better, gains], series: [four], against: {series: two}, where: here, quote: "saves more", more: {than: 100}}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{50, 150, 400} {
		if got := table.Ours(&list[i]); got != want {
			t.Errorf("%s: %g %%, want %g", list[i].Row, got, want)
		}
	}
}

// TestWhatAnEstimateLeavesOpenIsSaid: 8 % is an effect of a whole run, and none of one
// whose cycles are known to 9 %. Four such estimates have a mean known to 4.5 %.
func TestWhatAnEstimateLeavesOpenIsSaid(t *testing.T) {
	table := &Table{Figure: &Figure{Series: []string{"s"}}, Values: []Row{
		{Label: "w", Values: []float64{108}}, {Label: "mean", Values: []float64{108}, Of: []string{"w", "x", "y", "z"}}, {Label: "other", Values: []float64{108}},
	}}
	claims, err := parseClaims([]byte(`- {figure: "1", rows: [w, mean, other], series: [s], where: here, quote: "words", more: {than: 100}}`))
	if err != nil {
		t.Fatal(err)
	}
	check := func(want ...string) {
		t.Helper()
		for i := range claims {
			if got := table.Verdict(&claims[i]).String(); got != want[i] {
				t.Errorf("%s: %q, want %q", claims[i].Row, got, want[i])
			}
		}
	}
	check("same direction", "same direction", "same direction")
	table.intervals = map[string]Band{"w": 0.09, "x": 0.09, "y": 0.09, "z": 0.09}
	check("within the interval of the estimate: ± 9.0 %", "same direction", "within the interval of the estimate: ± 9.0 %")
	table.Values[0].Values[0] = 100.1
	check("no effect", "same direction", "within the interval of the estimate: ± 9.0 %")
	if got := table.interval("mean"); math.Abs(float64(got)-0.045) > 1e-12 {
		t.Errorf("the mean's interval is %g", got)
	}
}

func TestIntervalsAreTheWidestOfAWorkload(t *testing.T) {
	r := &Results{Measurements: []Measurement{{Workload: "b"}, {Workload: "a", Sampled: &Sampled{PlusMinusPercent: 3}}, {Workload: "a", Sampled: &Sampled{PlusMinusPercent: 7}}, {Workload: "a", Sampled: &Sampled{PlusMinusPercent: 5}}}}
	got := r.intervals()
	if math.Abs(float64(got["a"])-0.07) > 1e-12 || got["b"] != 0 || len(got) != 2 {
		t.Errorf("intervals %v", got)
	}
	if got := (&Results{Measurements: r.Measurements[:1]}).intervals(); got != nil {
		t.Errorf("whole runs have %v", got)
	}
}

// fedByTheirPaper are structures whose prices a paper gives, and the figures that are
// therefore input, or why none is.
var fedByTheirPaper = map[string][]string{
	"chip/sm/dac": {"4.8", "21-overhead"},
	// Links at 50 fJ a bit and mm: of Fig. 20 and 21 they are a part, no figure is theirs.
	"chip/buddy/network": nil,
	// The area of lanes' decoders.
	"chip/sm/front end": {"6.5.5"},
	// The powered part of a lane's registers: area and leakage are the register file's.
	"chip/sm": nil,
	// The coefficients of area and power are fitted to the tables.
	"chip/multiprocessor": {"T5.2", "T5.3", "5.1", "energy"},
}

// inputFigures is how many figures of a study that is.
var inputFigures = map[string]int{"dac": 2, "eesi": 1, "ppa": 4}

// TestPricesFromThePaperAreNotScored: whatever structure of a study's machines has an
// energy or an area that is given is listed above, and no claim on what it makes is
// scored.
func TestPricesFromThePaperAreNotScored(t *testing.T) {
	for _, s := range Studies() {
		inputs := map[string]bool{}
		for _, spec := range s.neededBy("small", func(*Figure) bool { return true }) {
			for path := range givenPrices(t, spec) {
				figures, known := fedByTheirPaper[path]
				if !known {
					t.Errorf("%s: %s has a given price", spec, path)
				}
				for _, f := range figures {
					inputs[f] = true
				}
			}
		}
		if len(inputs) != inputFigures[s.Name] {
			t.Errorf("%s: inputs of figures %v", s.Name, inputs)
		}
		list, err := allPublished(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			_, input := list[i].reading.(Input)
			_, unable := list[i].reading.(Unable) // no verdict either
			if inputs[list[i].Figure] && !input && !unable {
				t.Errorf("%s: figure %s, %s is scored", s.Name, list[i].Figure, list[i].Row)
			}
		}
	}
}

// givenPrices are the parts of a machine's mechanisms with energies or areas that the
// memory model does not compute, by the mechanism's node.
func givenPrices(t *testing.T, spec string) map[string]bool {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, s := range structuresOf(m) {
		if s.ReadPJ == 0 && s.WritePJ == 0 && s.SearchPJ == 0 && s.LeakageW == 0 && s.AreaMM2 == 0 {
			continue
		}
		path := s.Path
		if strings.HasPrefix(path, "chip/sm/") || strings.HasPrefix(path, "chip/multiprocessor/") {
			path = path[:strings.LastIndexByte(path, '/')]
		}
		given[path] = true
	}
	return given
}

func structuresOf(m *arch.Machine) []arch.Structure {
	var list []arch.Structure
	for _, key := range m.Mechanisms() {
		list = append(list, m.Section(key).Structures(m)...)
	}
	return list
}

// TestInputsOfOurProgramsAreNotScored: the kernels of sgemm and transpose were chosen by
// Table 4.1, and the queues of 2b-deep by the paper's shares.
func TestInputsOfOurProgramsAreNotScored(t *testing.T) {
	for _, c := range []struct{ study, figure, row string }{{"tinycache", "T4.1", "sgemm"}, {"tinycache", "T4.1", "transpose"}, {"offload", "2b-deep", "mean"}} {
		list, err := allPublished(c.study)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for i := range list {
			if list[i].Figure == c.figure && list[i].Row == c.row {
				_, input := list[i].reading.(Input)
				found = input
				if !input {
					t.Errorf("%s, figure %s, %s: scored as %s", c.study, c.figure, c.row, list[i].Reading())
				}
			}
		}
		if !found {
			t.Errorf("%s, figure %s, %s is not shown", c.study, c.figure, c.row)
		}
	}
}

// TestWhatCannotBeShownHasNothingToShowIt, in the committed results: no coherence
// message, no chain, no instruction of the CPU, no path or cell of a synthesis.
func TestWhatCannotBeShownHasNothingToShowIt(t *testing.T) {
	tracetest.Nightly(t)
	all, err := committedTables()
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for name, tables := range all {
		chains := map[string]float64{}
		for k := range tables {
			if table := &tables[k]; table.ID == "12" {
				for _, r := range table.Values {
					chains[r.Label] = r.Values[0]
				}
			}
		}
		for k := range tables {
			table := &tables[k]
			for i := range table.Published {
				c := &table.Published[i]
				if c.Kind != "unable" {
					continue
				}
				tried++
				nothing := false
				switch c.Figure {
				case "4.4-cpu":
					nothing = table.cell(Place{greatestRow, c.Series}) == 0
				case "4.11":
					nothing = !slices.Contains(table.Series, "CPU FuseTLB")
				case "T5.2":
					nothing = math.IsNaN(table.cell(c.Place))
				case "11a", "12", "14":
					nothing = math.IsNaN(chains[c.Row])
				}
				if !nothing {
					t.Errorf("%s: figure %s, %s, %s could be shown", name, c.Figure, c.Row, c.Series)
				}
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d claims cannot be shown", tried)
	}
}
