// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"
	"io"

	"github.com/google/pprof/profile"

	"github.com/warptape/warptape/timing/counters"
)

// WritePprof writes where the issue slots of a result went as a gzipped pprof profile
// (github.com/google/pprof, proto/profile.proto). There is one location per PTX
// instruction, in the function that has it or one named after its kernel. The sample types
// are the causes of counters.Cause, in issue slots, without "idle", which no instruction
// has; the default one, stall_total, is all that did not issue. Samples are labelled with
// machine and opcode. Further values make further sample types.
func WritePprof(w io.Writer, r *Result, further ...LineValues) error {
	p := newPprof(r, further)
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("BUG: pprof profile: %w", err)
	}
	return p.Write(w)
}

// pprofCauses are the causes in the order of the sample types.
var pprofCauses = []counters.Cause{
	counters.CauseIssued, counters.CauseFetch, counters.CauseBarrier, counters.CauseMemory, counters.CauseCompute,
	counters.CauseUnit, counters.CauseLSU, counters.CauseOperand, counters.CauseFence,
}

const stallTotal = "stall_total"

// LineValues is a value per instruction, in addition to the issue slots.
type LineValues struct {
	Type, Unit string // of the samples: "energy", "picojoules"
	// Of holds the values: Of[k][i] for instruction i of Result.Profiles[k].
	Of [][]int64
	// Rest is what belongs to no instruction, by name.
	Rest []NamedValue
}

// NamedValue is a value that belongs to something that is no instruction.
type NamedValue struct {
	Name  string
	Value int64
}

func newPprof(r *Result, further []LineValues) *profile.Profile {
	unit := "slots"
	p := &profile.Profile{
		PeriodType: &profile.ValueType{Type: "issue", Unit: unit}, Period: 1,
		DurationNanos: int64(r.Total.Nanoseconds), DefaultSampleType: stallTotal,
		Comments: []string{
			"machine " + r.Machine + ", digest " + r.ArchitectureDigest,
			"trace of " + r.Program + ", digest " + r.TraceDigest,
			"warptape " + r.Version,
		},
	}
	for _, c := range pprofCauses {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: c.String(), Unit: unit})
	}
	p.SampleType = append(p.SampleType, &profile.ValueType{Type: stallTotal, Unit: unit})
	for _, v := range further {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: v.Type, Unit: v.Unit})
	}
	for k := range r.Profiles {
		addKernel(p, r.Machine, &r.Profiles[k], func(values []int64, i int) bool {
			some := false
			for j, v := range further {
				values[len(pprofCauses)+1+j] = v.Of[k][i]
				some = some || v.Of[k][i] != 0
			}
			return some
		})
	}
	for j, v := range further {
		for _, rest := range v.Rest {
			addRest(p, r.Machine, len(pprofCauses)+1+j, rest)
		}
	}
	return p
}

// addKernel adds a kernel: a mapping of its own in which instruction i has the
// address start+i, because addresses distinguish locations.
func addKernel(p *profile.Profile, machine string, k *Profile, further func(values []int64, i int) bool) {
	number := uint64(len(p.Mapping) + 1)
	m := &profile.Mapping{
		ID: number, Start: number << 32, Limit: number<<32 + uint64(max(len(k.Instructions), 1)), File: k.File,
		HasFunctions: true, HasFilenames: true, HasLineNumbers: true,
	}
	p.Mapping = append(p.Mapping, m)
	functions := map[string]*profile.Function{}
	for i := range k.Instructions {
		in := &k.Instructions[i]
		f := functions[in.Function]
		if f == nil {
			f = newFunction(p, k, in.Function)
			functions[in.Function] = f
		}
		if f.StartLine == 0 || int64(in.Line) < f.StartLine {
			f.StartLine = int64(in.Line)
		}
		values, some := pprofValues(in.Slots, len(p.SampleType))
		if !further(values, i) && !some {
			continue
		}
		l := &profile.Location{
			ID: uint64(len(p.Location) + 1), Mapping: m, Address: m.Start + uint64(i),
			Line: []profile.Line{{Function: f, Line: int64(in.Line)}},
		}
		p.Location = append(p.Location, l)
		p.Sample = append(p.Sample, &profile.Sample{
			Location: []*profile.Location{l}, Value: values,
			Label: map[string][]string{"machine": {machine}, "opcode": {in.Opcode}},
		})
	}
}

// newFunction adds a function that a kernel calls, or the kernel itself.
func newFunction(p *profile.Profile, k *Profile, name string) *profile.Function {
	if name == "" {
		name = k.Kernel
	}
	f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, SystemName: name, Filename: k.File}
	p.Function = append(p.Function, f)
	return f
}

// addRest adds a value that belongs to no instruction as that of a function.
func addRest(p *profile.Profile, machine string, at int, v NamedValue) {
	if v.Value == 0 {
		return
	}
	f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: v.Name, SystemName: v.Name}
	l := &profile.Location{ID: uint64(len(p.Location) + 1), Line: []profile.Line{{Function: f}}}
	p.Function, p.Location = append(p.Function, f), append(p.Location, l)
	values := make([]int64, len(p.SampleType))
	values[at] = v.Value
	p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: values, Label: map[string][]string{"machine": {machine}}})
}

// pprofValues gives the values of the causes, in a list of so many sample types;
// false when all are zero.
func pprofValues(slots []uint64, types int) ([]int64, bool) {
	values := make([]int64, types)
	some := false
	for i, c := range pprofCauses {
		values[i] = int64(slots[c])
		some = some || values[i] != 0
		if c != counters.CauseIssued {
			values[len(pprofCauses)] += values[i]
		}
	}
	return values, some
}
