// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/tracetest"
)

// TestCountersOfLinesAreAllThatInstructionsCause: what an instruction cannot help
// causing is in its line; of the rest no more than was counted.
func TestCountersOfLinesAreAllThatInstructionsCause(t *testing.T) {
	exact := []counters.ID{
		counters.IssuedWarp, counters.IssuedThread, counters.RegisterLaneRead, counters.RegisterLaneWrite, counters.UnitLDST,
		counters.SharedLaneRead, counters.SharedLaneWrite, counters.GlobalLane, counters.SharedAccess, counters.SharedConflictCycles,
		counters.GlobalTransactions, counters.L1Read, counters.L1ReadHit, counters.L1ReadMiss, counters.L1ReadMerge, counters.L1Write,
		counters.ConstantRead, counters.ConstantMiss, counters.L2Atomic,
		counters.L1ReadHitSectors, counters.L1ReadMissSectors, counters.L1WriteHitSectors, counters.L1WriteMissSectors,
	}
	for _, seed := range tracetest.Seeds(t, 4, 1) {
		r := gputest.Trace(t, append(launches(seed), streaming(20), tiled(4))...)
		specs := load(t, tracetest.Draw(t, builtIn, tracetest.Fewer(2, 3))...)
		results, err := Run(context.Background(), r, specs, Options{Lines: true})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := Run(context.Background(), r, specs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if written(t, plain) != written(t, results) {
			t.Fatal("counting by line changes the results")
		}
		for _, res := range results {
			var sum counters.Set
			for _, p := range res.Profiles {
				for _, in := range p.Instructions {
					sum.Add(in.Counters)
				}
			}
			for id, n := range sum {
				if total := res.Total.Counters[id]; n > total {
					t.Errorf("seed %d, %s: lines have %d %s of %d", seed, res.Machine, n, counters.Declared(counters.ID(id)).Name, total)
				}
			}
			for _, id := range exact {
				if total := res.Total.Counters[id]; sum[id] != total {
					t.Errorf("seed %d, %s: lines have %d %s of %d", seed, res.Machine, sum[id], counters.Declared(id).Name, total)
				}
			}
		}
	}
}

func TestLinesTableIsInTheOrderOfSlotsAndNamesTheRest(t *testing.T) {
	r := profiled()
	energy := &LineValues{Type: "energy", Unit: "picojoules", Of: [][]int64{{3000, 1000, 0}, {500}}, Rest: []NamedValue{{"unattributed: fetch", 500}}}
	var b strings.Builder
	if err := WriteLines(&b, r, 2, energy); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{
		"m: the PTX lines that take most issue slots", "line opcode slots % issued lost mostly to energy [nJ] %",
		"one:7 ld 15 46.9 10 5 memory 3.000 60.0", "one:8 add 13 40.6 10 3 compute 1.000 20.0",
		"dynamic energy of no line: unattributed: fetch 0.500 nJ (10.0 %)", "",
	} {
		if got := strings.Join(strings.Fields(lines[i]), " "); got != want {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
}

func TestPprofHasFurtherValuesAndTheirRest(t *testing.T) {
	energy := LineValues{Type: "energy", Unit: "picojoules", Of: [][]int64{{30, 10, 5}, {0}}, Rest: []NamedValue{{"unattributed: fetch", 7}, {"none", 0}}}
	var b bytes.Buffer
	if err := WritePprof(&b, profiled(), energy); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	at := len(p.SampleType) - 1
	if s := p.SampleType[at]; s.Type != "energy" || s.Unit != "picojoules" || p.DefaultSampleType != "stall_total" {
		t.Errorf("sample type %v, default %s", s, p.DefaultSampleType)
	}
	sum, places := int64(0), map[string]int64{}
	for _, s := range p.Sample {
		sum += s.Value[at]
		places[s.Location[0].Line[0].Function.Name] += s.Value[at]
	}
	if sum != 52 || places["one"] != 45 || places["unattributed: fetch"] != 7 || len(places) != 2 {
		t.Errorf("%d picojoules: %v", sum, places)
	}
}
