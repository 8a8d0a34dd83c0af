// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/warptape/warptape/timing/counters"
)

// writtenPprof writes a result's profile and reads it with pprof's own parser.
func writtenPprof(t *testing.T, r *Result) *profile.Profile {
	t.Helper()
	var b bytes.Buffer
	if err := WritePprof(&b, r); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func profiled() *Result {
	slots := func(set map[counters.Cause]uint64) []uint64 {
		s := make([]uint64, counters.CauseCount)
		for c, n := range set {
			s[c] = n
		}
		return s
	}
	return &Result{Machine: "m", Program: "p", Version: "1", Profiles: []Profile{
		{Kernel: "one", File: "a.ptx", Instructions: []InstructionProfile{
			{Line: 7, Opcode: "ld", Slots: slots(map[counters.Cause]uint64{counters.CauseIssued: 10, counters.CauseMemory: 5})},
			{Line: 8, Opcode: "add", Slots: slots(map[counters.Cause]uint64{counters.CauseIssued: 10, counters.CauseCompute: 2, counters.CauseFence: 1})},
			{Line: 9, Opcode: "never", Slots: slots(nil)},
		}},
		{Kernel: "one", File: "b.ptx", Instructions: []InstructionProfile{
			{Line: 3, Opcode: "bar", Slots: slots(map[counters.Cause]uint64{counters.CauseBarrier: 4})},
		}},
	}}
}

func TestPprofSumsAreTheSlotsOfTheProfile(t *testing.T) {
	p := writtenPprof(t, profiled())
	sums := map[string]int64{}
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sums[p.SampleType[i].Type] += v
		}
	}
	want := map[string]int64{"issued": 20, "memory": 5, "compute": 2, "fence": 1, "barrier": 4, "fetch": 0, "unit": 0, "lsu": 0, "operand": 0, "stall_total": 12}
	for name, n := range want {
		if sums[name] != n {
			t.Errorf("%s: %d slots, want %d", name, sums[name], n)
		}
	}
	if len(sums) != len(want) || len(pprofCauses) != counters.CauseCount-1 {
		t.Errorf("%d sample types and %d causes, of %d causes with idle", len(sums), len(pprofCauses), counters.CauseCount)
	}
	if p.DefaultSampleType != "stall_total" {
		t.Errorf("default sample type %q", p.DefaultSampleType)
	}
}

func TestPprofLocationsAreTheLinesOfThePTX(t *testing.T) {
	p := writtenPprof(t, profiled())
	type place struct {
		kernel, file, opcode string
		line                 int64
	}
	var got []place
	for _, s := range p.Sample {
		l := s.Location[0].Line[0]
		got = append(got, place{l.Function.Name, l.Function.Filename, s.Label["opcode"][0], l.Line})
		if m := s.Location[0].Mapping; !m.HasFunctions || !m.HasFilenames || !m.HasLineNumbers || s.Label["machine"][0] != "m" {
			t.Errorf("mapping %+v, labels %v", m, s.Label)
		}
	}
	want := []place{{"one", "a.ptx", "ld", 7}, {"one", "a.ptx", "add", 8}, {"one", "b.ptx", "bar", 3}}
	if len(got) != len(want) {
		t.Fatalf("%d samples, want %d: %v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("sample %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	if p.Function[0].StartLine != 7 {
		t.Errorf("function starts at line %d", p.Function[0].StartLine)
	}
}

func TestPprofHasTheFunctionsThatKernelsCall(t *testing.T) {
	r := profiled()
	r.Profiles[0].Instructions[1].Function = "helper"
	p := writtenPprof(t, r)
	var got []string
	for _, s := range p.Sample {
		f := s.Location[0].Line[0].Function
		got = append(got, fmt.Sprintf("%s %s:%d from %d", f.Name, f.Filename, s.Location[0].Line[0].Line, f.StartLine))
	}
	if want := []string{"one a.ptx:7 from 7", "helper a.ptx:8 from 8", "one b.ptx:3 from 3"}; !slices.Equal(got, want) {
		t.Errorf("samples in %q, want %q", got, want)
	}
	var table strings.Builder
	if err := WriteLines(&table, r, 9, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "one > helper:8") || !strings.Contains(table.String(), "one:7") {
		t.Errorf("the table of lines:\n%s", table.String())
	}
}

func TestPprofIsTheSameBytesEveryTime(t *testing.T) {
	var first, second bytes.Buffer
	if err := WritePprof(&first, profiled()); err != nil {
		t.Fatal(err)
	}
	if err := WritePprof(&second, profiled()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two profiles of one result differ")
	}
}
