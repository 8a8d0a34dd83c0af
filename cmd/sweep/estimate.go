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
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/timing/replay"
)

// instructionsPerSecond is what a worker replays of warp instructions, for estimates:
// docs/performance.md has 0.7 to 2.6 million on the machine it was measured on.
const instructionsPerSecond = 1e6

// Estimate says what a plan comes to, before anything is recorded or replayed.
type Estimate struct {
	// Summary counts as that of Run would at its start.
	Summary
	// ToRecord are labels of traces that have yet to be recorded. Unknown are those of
	// them without a counted size; Instructions leaves them out.
	ToRecord, Unknown []string
	// Instructions are warp instructions to replay.
	Instructions uint64
	// Seconds is a guess, at a million warp instructions a second and worker.
	Seconds float64
	// MemoryBytes is Runner.MemoryBytes, or else the most that decoded parts of traces
	// take, with what machines usually need.
	MemoryBytes int64

	expressions []string
	excluded    []int
}

// Estimate multiplies out the plan and looks at what has results.
func (r *Runner) Estimate(ctx context.Context, p *plan.Plan) (*Estimate, error) {
	e, err := r.Expand(ctx, p, false)
	if err != nil {
		return nil, err
	}
	s := &Estimate{Summary: Summary{Manifest: e.Manifest}, excluded: e.Excluded}
	for i, n := range e.Excluded {
		s.Excluded += n
		s.expressions = append(s.expressions, p.Exclude[i].Text)
	}
	jobs, err := r.jobs(e, &s.Summary)
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		j := &jobs[i]
		if strings.HasPrefix(j.trace.Digest, toRecord) {
			s.ToRecord = append(s.ToRecord, j.trace.Label)
			if j.trace.Summary.WarpInstructions == 0 {
				s.Unknown = append(s.Unknown, j.trace.Label)
			}
		}
		s.Instructions += j.instructions()
		s.Seconds += float64(j.instructions()) / instructionsPerSecond / float64(max(1, min(r.workers(), len(j.machines))))
	}
	s.MemoryBytes = r.MemoryBytes
	if s.MemoryBytes == 0 {
		s.MemoryBytes = replay.DefaultBudgetBytes + int64(r.workers())*replayBytes
	}
	return s, nil
}

// Write prints the estimate.
func (s *Estimate) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t"+format+"\n", append([]any{name}, args...)...)
	}
	m := s.Manifest
	row("points", "%d of %d traces", len(m.Points), len(m.Traces))
	row("with results", "%d", s.Present)
	row("to replay", "%d, %s warp instructions", s.Wanted-s.Present-s.Refused, numbers.Grouped(s.Instructions))
	if n := len(s.ToRecord); n > 0 {
		row("to record", "%d traces: %s", n, some(s.ToRecord))
	}
	if n := len(s.Unknown); n > 0 {
		row("not counted", "%d traces to record whose size is not in the catalogue: %s", n, some(s.Unknown))
	}
	row("time", "about %s, at a million warp instructions a second and worker", (time.Duration(s.Seconds * float64(time.Second))).Round(time.Second))
	row("memory", "up to about %d MiB for decoded traces and machines", s.MemoryBytes>>20)
	for i, n := range s.excluded {
		row("excluded", "%d by %s", n, s.expressions[i])
	}
	if s.Refused > 0 {
		row("refused", "%d by the machines in an earlier run", s.Refused)
	}
	for _, line := range s.impossible() {
		row("impossible", "%s", line)
	}
	return t.Flush()
}

// mostListed of a list are printed.
const mostListed = 6

func some(list []string) string {
	if len(list) > mostListed {
		return strings.Join(list[:mostListed], ", ") + fmt.Sprintf(" and %d more", len(list)-mostListed)
	}
	return strings.Join(list, ", ")
}

// impossible groups the points without a machine by reason, the most frequent first.
func (s *Summary) impossible() []string {
	count, first := map[string]int{}, map[string]string{}
	for i := range s.Manifest.Points {
		p := &s.Manifest.Points[i]
		if p.Impossible == "" {
			continue
		}
		reason := p.Impossible
		if _, rest, ok := strings.Cut(reason, "): "); ok && strings.HasPrefix(reason, "set(") {
			reason = rest // without the values, which differ
		}
		if count[reason]++; count[reason] == 1 {
			first[reason] = p.Architecture
		}
	}
	var reasons []string
	for reason := range count {
		reasons = append(reasons, reason)
	}
	slices.SortFunc(reasons, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	var lines []string
	for i, reason := range reasons {
		if i == mostListed {
			return append(lines, fmt.Sprintf("and %d more reasons, which the manifest has", len(reasons)-i))
		}
		lines = append(lines, fmt.Sprintf("%d, as %s: %s", count[reason], first[reason], reason))
	}
	return lines
}

// Write prints what a run has come to.
func (s *Summary) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %d points: %d made, %d present, %d impossible, %d refused, %d failed; %d more excluded\n",
		s.Manifest.Name, len(s.Manifest.Points), s.Made, s.Present+s.Others, s.Impossible, s.Refused, s.Failed, s.Excluded)
	for _, line := range s.impossible() {
		if err == nil {
			_, err = fmt.Fprintf(w, "  impossible: %s\n", line)
		}
	}
	return err
}
