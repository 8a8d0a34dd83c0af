// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/results"
)

// Status is how far a sweep is, as its folder of results tells.
type Status struct {
	Sweep string `json:"sweep"`
	// Points of the plan that have a machine; points with one key are one. Each is done,
	// refused by its machine, failed in its last replay, or missing.
	Points  int `json:"points"`
	Done    int `json:"done"`
	Refused int `json:"refused"`
	Failed  int `json:"failed"`
	Missing int `json:"missing"`
	// Impossible are points without a machine; Points leaves them out.
	Impossible int `json:"impossible"`
	// InstructionsLeft are warp instructions of the missing points.
	InstructionsLeft uint64 `json:"warp_instructions_left"`
	// PointsPerSecond and InstructionsPerSecond are those of the living processes together,
	// each since it began.
	PointsPerSecond       float64 `json:"points_per_second"`
	InstructionsPerSecond float64 `json:"warp_instructions_per_second"`
	// SecondsLeft is nil when nothing is known to run.
	SecondsLeft *float64         `json:"seconds_left"`
	Failures    []FailedPoint    `json:"failures"` // failed ones before refused ones, mostFailures at most
	Processes   []RunningProcess `json:"processes"`
}

// FailedPoint is one without a result, with the reason.
type FailedPoint struct {
	Trace        string `json:"trace"`
	Architecture string `json:"architecture"`
	Refused      bool   `json:"refused"`
	Reason       string `json:"reason"`
}

// RunningProcess is one that works on the sweep, or did when it was killed.
type RunningProcess struct {
	Host string `json:"host"`
	PID  int    `json:"pid"`
	// State is "running", "silent" (of another node, and not known to beat) or "dead".
	State        string  `json:"state"`
	Part         string  `json:"part"` // results.Part
	Made         int     `json:"made"`
	Failed       int     `json:"failed"`
	Instructions uint64  `json:"warp_instructions"`
	Seconds      float64 `json:"seconds"`
	Trace        string  `json:"trace"`
}

// mostFailures of a status are listed.
const mostFailures = 20

// Watcher looks at a sweep from outside, once or again and again.
type Watcher struct {
	store    *results.Store
	manifest *results.Manifest
	watch    *watch
	done     map[string]bool
}

// NewWatcher reads the manifest of a sweep.
func NewWatcher(store *results.Store, name string) (*Watcher, error) {
	m, err := store.Manifest(name)
	if err != nil {
		return nil, err
	}
	return &Watcher{store: store, manifest: m, watch: newWatch(), done: map[string]bool{}}, nil
}

// patience is how long a process of another node has to beat before it counts as silent.
const patience = 2*beatEvery + 2*time.Second

// Observe is Look after all processes of other nodes have beaten, or some time has passed.
func (w *Watcher) Observe(ctx context.Context) (*Status, error) {
	end := w.watch.now().Add(patience)
	for {
		s, err := w.Look()
		if err != nil {
			return nil, err
		}
		silent := false
		for i := range s.Processes {
			silent = silent || s.Processes[i].State == "silent"
		}
		if !silent || !w.watch.now().Before(end) {
			return s, nil
		}
		if err := wait(ctx, lookEvery); err != nil {
			return nil, err
		}
	}
}

// Look says how far the sweep is now.
func (w *Watcher) Look() (*Status, error) {
	m := w.manifest
	s := &Status{Sweep: m.Name, Failures: []FailedPoint{}, Processes: []RunningProcess{}}
	seen := map[string]bool{}
	for i := range m.Points {
		p := &m.Points[i]
		if p.Key == "" {
			s.Impossible++
		} else if !seen[p.Key] {
			seen[p.Key] = true
			if err := w.point(s, p); err != nil {
				return nil, err
			}
		}
	}
	s.Points = len(seen)
	slices.SortStableFunc(s.Failures, func(a, b FailedPoint) int { return strings.Compare(a.what(), b.what()) })
	s.Failures = s.Failures[:min(len(s.Failures), mostFailures)]
	return s, w.processes(s)
}

func (w *Watcher) point(s *Status, p *results.PlannedPoint) error {
	trace := &w.manifest.Traces[p.Trace]
	if w.done[p.Key] || w.store.Has(p.Key) {
		w.done[p.Key] = true
		s.Done++
		return nil
	}
	failure, err := w.store.Failure(p.Key)
	if err != nil {
		return err
	}
	switch {
	case failure == nil:
		s.Missing++
		s.InstructionsLeft += trace.Summary.StoredWarpInstructions
		return nil
	case failure.Refused:
		s.Refused++
	default:
		s.Failed++
	}
	s.Failures = append(s.Failures, FailedPoint{trace.Label, p.Architecture, failure.Refused, firstLine(failure.Reason)})
	return nil
}

func (w *Watcher) processes(s *Status) error {
	list, err := w.store.Processes(w.manifest.Name, "")
	if err != nil {
		return err
	}
	for i := range list {
		p := &list[i]
		r := RunningProcess{
			Host: p.Host, PID: p.PID, State: "dead", Part: results.Part(p.Shard, p.Shards), Made: p.Made, Failed: p.Failed,
			Instructions: p.Instructions, Seconds: p.Seconds, Trace: p.Trace,
		}
		switch w.watch.look(p) {
		case living:
			r.State = "running"
		case unknown:
			r.State = "silent"
		}
		if r.State == "running" && p.Seconds > 0 {
			s.PointsPerSecond += float64(p.Made) / p.Seconds
			s.InstructionsPerSecond += float64(p.Instructions) / p.Seconds
		}
		s.Processes = append(s.Processes, r)
	}
	if s.InstructionsPerSecond > 0 {
		left := float64(s.InstructionsLeft) / s.InstructionsPerSecond
		s.SecondsLeft = &left
	}
	return nil
}

// TimeLeft is for people.
func (s *Status) TimeLeft() string {
	switch {
	case s.Missing == 0:
		return "nothing is missing"
	case s.SecondsLeft == nil:
		return "unknown: nothing is known to run"
	}
	return "about " + time.Duration(*s.SecondsLeft*float64(time.Second)).Round(time.Second).String()
}

// Write prints the status.
func (s *Status) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t"+format+"\n", append([]any{name}, args...)...)
	}
	row("sweep", "%s", s.Sweep)
	row("done", "%d of %d points", s.Done, s.Points)
	row("missing", "%d, %s warp instructions", s.Missing, numbers.Grouped(s.InstructionsLeft))
	row("failed", "%d, which the next run tries again", s.Failed)
	row("refused", "%d by their machines", s.Refused)
	row("impossible", "%d more points have no machine", s.Impossible)
	row("rate", "%.3g points/s, %s warp instructions/s", s.PointsPerSecond, numbers.Grouped(uint64(s.InstructionsPerSecond)))
	row("time left", "%s", s.TimeLeft())
	for i := range s.Processes {
		p := &s.Processes[i]
		row("process", "%s %d, points %s: %s, %d made, %d failed, now %s", p.Host, p.PID, p.Part, p.State, p.Made, p.Failed, p.Trace)
	}
	for _, f := range s.Failures[:min(len(s.Failures), mostListed)] {
		row(f.what(), "%s on %s: %s", f.Trace, f.Architecture, f.Reason)
	}
	if more := s.Failed + s.Refused - mostListed; more > 0 {
		row("", "and %d more without a result", more)
	}
	return t.Flush()
}

func (f *FailedPoint) what() string {
	if f.Refused {
		return "refused"
	}
	return "failed"
}
