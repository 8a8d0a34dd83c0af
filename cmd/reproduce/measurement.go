// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// Measurement is a replay of one workload on one architecture: its totals.
type Measurement struct {
	Workload     string `json:"workload"`     // the study's label
	Architecture string `json:"architecture"` // specification
	// Input is the catalogue's size, with the parameters that the study sets;
	// ProgramDigest that of the workload's files.
	Input         string `json:"input"`
	ProgramDigest string `json:"program_digest"`
	TraceDigest   string `json:"trace_digest"`
	// ArchitectureDigest tells another machine of the same name.
	ArchitectureDigest string  `json:"architecture_digest"`
	Cycles             uint64  `json:"cycles"` // core cycles in which a kernel ran
	Nanoseconds        float64 `json:"time_ns"`
	// Elapsed are core cycles of the whole run, the host's steps included.
	Elapsed uint64 `json:"elapsed_cycles,omitempty"`
	// Sampled tells what was replayed of an estimate; nil: everything was.
	Sampled *Sampled `json:"sampled,omitempty"`
	// Counters by declared name, mechanisms' included; zeros are left out.
	Counters map[string]uint64 `json:"counters"`
	// Programs are those of Workload.CPU.
	Programs []ProgramRun `json:"programs,omitempty"`
	// Launches are the parts that add up to it, where the study asks for them.
	Launches []Launch `json:"launches,omitempty"`
	// Program is what Study.Program counts; nil where it does not.
	Program map[string]uint64 `json:"program,omitempty"`
}

// Sampled is what was replayed of a workload, and how sure its cycles are.
type Sampled struct {
	Policy              string  `json:"policy"`
	InstructionsPercent float64 `json:"warp_instructions_percent"`
	// PlusMinusPercent is half of the 95 % confidence interval of the cycles.
	PlusMinusPercent float64 `json:"cycles_plus_minus_percent"`
}

// ProgramRun is what a program on a CPU core has done in parallel with the workload, and
// what the same instructions take on the same machine with an idle GPU.
type ProgramRun struct {
	Name              string `json:"name"`
	Instructions      uint64 `json:"instructions"`
	Cycles            uint64 `json:"cycles"`
	AloneInstructions uint64 `json:"alone_instructions"`
	AloneCycles       uint64 `json:"alone_cycles"`
}

// Launch is the part of a measurement that one launch of a kernel is.
type Launch struct {
	Kernel      string            `json:"kernel"`
	Cycles      uint64            `json:"cycles"`
	Nanoseconds float64           `json:"time_ns"`
	Counters    map[string]uint64 `json:"counters"`
}

func newMeasurement(j *job, i int, r *replay.Result) Measurement {
	w := j.workload
	m := Measurement{
		Workload: w.Label, Architecture: j.specs[i], Input: j.input + w.settings(), ProgramDigest: j.digest,
		TraceDigest: r.TraceDigest, ArchitectureDigest: r.ArchitectureDigest,
		Cycles: uint64(r.Total.Cycles), Nanoseconds: r.Total.Nanoseconds, Elapsed: uint64(r.Total.End), Counters: counted(&r.Total),
	}
	if s := r.Sampled; s != nil {
		m.Sampled = &Sampled{Policy: s.Policy, InstructionsPercent: s.InstructionsPercent}
		if u := r.Total.Uncertainty; u != nil {
			m.Sampled.PlusMinusPercent = u.Percent
		}
	}
	var launches []Launch
	for k := range r.Launches {
		if l := &r.Launches[k]; w.Kernel == "" || l.Kernel == w.Kernel {
			launches = append(launches, Launch{Kernel: l.Kernel, Cycles: uint64(l.Cycles), Nanoseconds: l.Nanoseconds, Counters: counted(l)})
		}
	}
	if w.Kernel != "" {
		m.add(launches)
	}
	if j.perLaunch[i] {
		m.Launches = launches
	}
	return m
}

// counted are the counters of a section that are not zero.
func counted(s *replay.Section) map[string]uint64 {
	c := map[string]uint64{}
	for id, v := range s.Counters {
		if v != 0 {
			c[counters.Declared(counters.ID(id)).Name] = v
		}
	}
	return c
}

// add makes the measurement the sum of launches.
func (m *Measurement) add(launches []Launch) {
	m.Cycles, m.Nanoseconds, m.Counters = 0, 0, map[string]uint64{}
	for i := range launches {
		l := &launches[i]
		m.Cycles += l.Cycles
		m.Nanoseconds += l.Nanoseconds
		for name, v := range l.Counters {
			m.Counters[name] += v
		}
	}
}

// set gives the counters as the energy model takes them.
func (m *Measurement) set() (*counters.Set, error) {
	var set counters.Set
	for name, v := range m.Counters {
		id, ok := counters.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("%s on %s: counter %q is from another version; measure again", m.Workload, m.Architecture, name)
		}
		set[id] = v
	}
	return &set, nil
}

// Count is a counter's value, zero for one that counted nothing.
func (m *Measurement) Count(name string) float64 { return float64(m.Counters[name]) }

// Results are the measurements of a study at one size.
type Results struct {
	Study   string `json:"study"`
	Size    string `json:"size"`
	Version string `json:"version"` // of the program that replayed
	// Older says in sentences what of the model or the machines has changed since some of the
	// measurements; empty: nothing that is known. The documents mark figures that are made from those, and
	// leave out figures whose measurements were never made.
	Older        string        `json:"older,omitempty"`
	Measurements []Measurement `json:"measurements"`
}

// sampled reports whether some of the measurements are estimates.
func (r *Results) sampled() bool {
	return slices.ContainsFunc(r.Measurements, func(m Measurement) bool { return m.Sampled != nil })
}

func parseResults(path string, text []byte) (*Results, error) {
	var r Results
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: is not a file of reproduce --save: %w", path, err)
	}
	return &r, nil
}

// Encode gives the file: the same results, the same bytes.
func (r *Results) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", " ")
	return append(text, '\n'), err
}

// Stale says what of the results does not belong to the study, the workloads or
// the machines as they are now; nil when nothing. It replays nothing: what the
// timing model itself would count differently it cannot see. Older results may be of other
// machines, or lack some: the documents say so.
func (r *Results) Stale() error {
	s, err := Find(r.Study)
	if err != nil {
		return err
	}
	for i := range s.Workloads {
		w := &s.Workloads[i]
		digest, err := w.digest()
		if err != nil {
			return err
		}
		for _, spec := range s.runs(w, r.Size) {
			machine, err := machineDigest(spec)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(r.Measurements, func(m Measurement) bool { return m.Workload == w.Label && m.Architecture == spec })
			switch {
			case at < 0 && r.Older != "":
			case at < 0:
				return r.staleBecause("%s on %s is missing", w.Label, spec)
			case r.Measurements[at].ProgramDigest != digest:
				return r.staleBecause("workload %s has changed", w.title())
			case r.Measurements[at].Input != w.input(r.Size)+w.settings():
				return r.staleBecause("workload %s has another input", w.Label)
			case r.Older == "" && r.Measurements[at].ArchitectureDigest != machine:
				return r.staleBecause("architecture %s has changed", spec)
			}
		}
	}
	return nil
}

// machineDigest is the digest of a built-in machine with overlays. Pages and tests ask for
// those of a study many times.
func machineDigest(spec string) (string, error) {
	if digest, ok := machineDigests.Load(spec); ok {
		return digest.(string), nil
	}
	m, err := arch.Load(spec)
	if err != nil {
		return "", err
	}
	digest := m.Digest()
	machineDigests.Store(spec, digest)
	return digest, nil
}

var machineDigests sync.Map

func (r *Results) staleBecause(format string, args ...any) error {
	return fmt.Errorf("the results of %s at size %s are stale: "+format+"; run make reproduction", append([]any{r.Study, r.Size}, args...)...)
}
