// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/soc"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
)

// Runner makes the measurements of a study that its cache does not have.
type Runner struct {
	// Cache is the folder of traces and measurements; it is made when missing.
	Cache string
	// Model names what replays: a measurement of another is not used.
	Model string
	// Version of the replaying program, for traces and results.
	Version string
	// Sample, if not nil, says which thread blocks of the workloads are stored and
	// replayed; the measurements are then estimates of the whole runs. Those of at most
	// SampleAbove warp instructions, as the catalogue counts them, are replayed whole.
	Sample      *sample.Policy
	SampleAbove uint64
	// Workers replay in parallel; zero: one per usable processor.
	Workers int
	// Say, if not nil, is told what is done next.
	Say func(line string)
	// Progress, if not nil, is told how far the run is, before the first measurement is
	// made and after each.
	Progress func(Progress)
	// Results, if not nil, has results of replays that sweeps have made, too, and gets
	// those that it lacks. What runs in parallel with programs of cores is not in it.
	Results *results.Store

	isolated map[string][]soc.Isolated // programs alone, by architecture and set
	progress Progress
}

func (r *Runner) say(format string, args ...any) {
	if r.Say != nil {
		r.Say(fmt.Sprintf(format, args...))
	}
}

// Run gives every measurement of the study at a size, workload by workload. What
// is done is in the cache at once, so that a run that was stopped goes on where
// it was.
func (r *Runner) Run(ctx context.Context, s *Study, size string) (*Results, error) {
	if err := s.checkSize(size); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.Cache, 0o755); err != nil {
		return nil, err
	}
	var jobs []*job
	r.progress = Progress{}
	for i := range s.Workloads {
		j, err := r.prepare(s, &s.Workloads[i], size)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
		r.expect(j)
	}
	r.tell()
	list := &Results{Study: s.Name, Size: size, Version: r.Version}
	for _, j := range jobs {
		if err := r.make(ctx, j); err != nil {
			return nil, err
		}
		list.Measurements = append(list.Measurements, j.done...)
	}
	return list, nil
}

// job is one workload on the architectures of a study.
type job struct {
	workload      *Workload
	program       func(*wtape.Reader) (map[string]uint64, error)
	input, digest string
	sample        *sample.Policy // nil: all thread blocks are stored
	trace         string
	machines      []*arch.Machine
	specs         []string
	perLaunch     []bool
	files         []string // of the measurements
	done          []Measurement
	missing       []int   // in the cache
	work          float64 // of a measurement, as Progress counts it
}

// prepare says what there is to do with a workload.
func (r *Runner) prepare(s *Study, w *Workload, size string) (*job, error) {
	digest, err := w.digest()
	if err != nil {
		return nil, err
	}
	j := &job{workload: w, program: s.Program, input: w.input(size), digest: digest, specs: s.runs(w, size)}
	if j.sample, err = r.sampleOf(w, j.input); err != nil {
		return nil, err
	}
	j.trace = j.traceFile(r.Cache)
	j.done, j.work = make([]Measurement, len(j.specs)), w.work(j.input)
	for i, spec := range j.specs {
		j.perLaunch = append(j.perLaunch, slices.Contains(s.PerLaunch, spec))
		m, err := arch.Load(spec)
		if err != nil {
			return nil, err
		}
		j.machines = append(j.machines, m)
		j.files = append(j.files, r.measurementFile(w, j, m))
		if !j.load(i) {
			j.missing = append(j.missing, i)
		}
	}
	return j, nil
}

// make makes the measurements of a workload that the cache lacks.
func (r *Runner) make(ctx context.Context, j *job) error {
	var missing []int
	for _, i := range j.missing {
		if j.load(i) {
			r.made(j) // another workload of the study has had the same
			continue
		}
		missing = append(missing, i)
	}
	if len(missing) == 0 {
		return nil
	}
	if j.workload.program() == "" {
		return r.programs(ctx, j, missing)
	}
	if err := r.record(ctx, j); err != nil {
		return err
	}
	return r.replay(ctx, j, missing)
}

// measurementFile names what the measurement depends on.
func (r *Runner) measurementFile(w *Workload, j *job, m *arch.Machine) string {
	of := fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s", j.digest, j.input+w.settings(), m.Digest(), r.Model)
	if j.sample != nil {
		of = fmt.Appendf(of, "\x00%s", j.sample)
	}
	hash := sha256.Sum256(fmt.Appendf(of, "\x00%s\x00%t", w.Kernel, j.perLaunch[len(j.files)]))
	return filepath.Join(r.Cache, fmt.Sprintf("%s-%s-%.16s.json", w.program()+w.CPU, j.input, hex.EncodeToString(hash[:])))
}

// load takes a measurement from the cache; one that is unreadable is made again.
func (j *job) load(i int) bool {
	text, err := os.ReadFile(j.files[i])
	if err != nil || json.Unmarshal(text, &j.done[i]) != nil {
		return false
	}
	m := &j.done[i]
	m.Workload, m.Architecture = j.workload.Label, j.specs[i]
	return len(m.Programs) > 0 || m.Cycles > 0 && (m.Program != nil || !j.counts(i))
}

// counts says whether measurement i is the one that has what Study.Program counts.
func (j *job) counts(i int) bool { return i == 0 && j.program != nil }

// replay makes the missing measurements, as many at a time as there are workers.
func (r *Runner) replay(ctx context.Context, j *job, missing []int) error {
	t, err := wtape.Open(j.trace)
	if err != nil {
		return err
	}
	defer t.Close()
	step := r.Workers
	if step <= 0 {
		step = runtime.GOMAXPROCS(0)
	}
	for len(missing) > 0 {
		n := min(step, len(missing))
		batch := missing[:n]
		missing = missing[n:]
		var machines []*arch.Machine
		for _, i := range batch {
			r.say("replaying %s, size %s%s, on %s", j.workload.title(), j.input, j.workload.settings(), j.specs[i])
			machines = append(machines, j.machines[i])
		}
		made, err := r.replayed(ctx, j, t, machines)
		if err != nil {
			return err
		}
		for k, i := range batch {
			j.done[i] = newMeasurement(j, i, &made[k])
			if j.counts(i) {
				r.say("counting instructions of %s, size %s", j.workload.Name, j.input)
				if j.done[i].Program, err = j.program(t); err != nil {
					return fmt.Errorf("%s, size %s: %w", j.workload.Name, j.input, err)
				}
			}
			if j.done[i].Programs, err = r.withAlone(ctx, j, i, made[k].Programs); err != nil {
				return err
			}
			if err := save(j.files[i], &j.done[i]); err != nil {
				return err
			}
			r.made(j)
		}
	}
	return nil
}

// replayed replays what Runner.Results lacks.
func (r *Runner) replayed(ctx context.Context, j *job, t *wtape.Reader, machines []*arch.Machine) ([]replay.Result, error) {
	o := replay.Options{Workers: len(machines), Version: r.Version, Attach: j.workload.beside()}
	if r.Results == nil || o.Attach != nil {
		return replay.Run(ctx, t, machines, o)
	}
	return r.Results.Replay(ctx, t, machines, r.Model, results.Options{}, o)
}

// save writes a measurement, complete or not at all.
func save(path string, m *Measurement) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".measurement*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if gone := os.Remove(f.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
