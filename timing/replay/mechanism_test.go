// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
)

// tally is a mechanism of this test: it counts the memory accesses of every SM.
type tally struct {
	Enabled bool `yaml:"enabled"`
}

func (t *tally) On() bool                                  { return t.Enabled }
func (t *tally) Check(*arch.Machine, func(_, _ string))    {}
func (t *tally) Structures(*arch.Machine) []arch.Structure { return nil }

var tallied = counters.Register("tally", counters.Declaration{Name: "tally_accesses", Unit: counters.Accesses, Meaning: "accesses seen by the test's mechanism"})

func init() {
	arch.RegisterSection("tally", nil, func() arch.Section { return new(tally) }, arch.Declaration{})
	gpu.Mechanisms.Register("tally", gpu.Mechanism{Memory: func(_ *arch.Machine, next gpu.MemoryBuilder) gpu.MemoryBuilder {
		return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
			inner, err := next(m, c, sets, global)
			return inner.In(&tallyMemory{inner.MemorySystem, sets}), err
		}
	}})
}

type tallyMemory struct {
	seam.MemorySystem
	sets []*counters.Set
}

func (t *tallyMemory) Port(sm int, to seam.Completions) (seam.Entry, error) {
	behind, err := t.MemorySystem.Port(sm, to)
	return behind.Behind(&tallyPort{behind.Port, t.sets[sm]}), err
}

type tallyPort struct {
	seam.Port
	set *counters.Set
}

func (p *tallyPort) Issue(now clock.Cycle, a *seam.MemoryAccess) {
	p.set[tallied]++
	p.Port.Issue(now, a)
}

func TestAMechanismPlugsInAndReportsItsCounters(t *testing.T) {
	file := gputest.Trace(t, launches(4)...)
	plain := run(t, file, machines(), Options{})
	with := machines()
	for _, m := range with[1:] {
		m.SetSection("tally", &tally{Enabled: true})
	}
	results := run(t, file, with, Options{})
	for i := range results {
		seen, issued := results[i].Total.Counters[tallied], results[i].Total.Counters[counters.UnitLDST]
		if on := i > 0; on && (seen == 0 || seen > issued) || !on && seen != 0 {
			t.Errorf("%s: %d accesses seen, %d issued", results[i].Machine, seen, issued)
		}
		if results[i].Total.Cycles != plain[i].Total.Cycles {
			t.Errorf("%s: %d cycles, %d without the mechanism", results[i].Machine, results[i].Total.Cycles, plain[i].Total.Cycles)
		}
	}
	checkJSON(t, results, plain)
	checkCSV(t, results, plain)
}

func checkJSON(t *testing.T, results, plain []Result) {
	t.Helper()
	var with, without bytes.Buffer
	if err := WriteJSON(&with, results[:1]); err != nil {
		t.Fatal(err)
	}
	if err := WriteJSON(&without, plain[:1]); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(with.Bytes(), without.Bytes()) || strings.Contains(with.String(), "tally") {
		t.Error("the result of a machine without the mechanism shows it")
	}
	with.Reset()
	if err := WriteJSON(&with, results[1:2]); err != nil {
		t.Fatal(err)
	}
	var read []struct {
		Total struct {
			Mechanisms map[string]map[string]uint64
		}
	}
	if err := json.Unmarshal(with.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	if got := read[0].Total.Mechanisms["tally"]["tally_accesses"]; got != results[1].Total.Counters[tallied] {
		t.Errorf("JSON says %d", got)
	}
}

func checkCSV(t *testing.T, results, plain []Result) {
	t.Helper()
	for _, c := range []struct {
		results []Result
		want    bool
	}{{results, true}, {plain, false}} {
		var b bytes.Buffer
		if err := WriteCSV(&b, c.results); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(rows[0], "tally_accesses")
		if (at >= 0) != c.want {
			t.Fatalf("column at %d, want one: %t", at, c.want)
		}
		if c.want && (rows[1][at] != "" || rows[len(rows)-1][at] == "") {
			t.Errorf("fields %q of a machine without and %q with the mechanism", rows[1][at], rows[len(rows)-1][at])
		}
	}
}
