// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/cmd/tune"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/extrapolate"
	"github.com/warptape/warptape/trace/wtape"
)

// Comparison is a comparison that goes on from what an earlier one has found.
type Comparison struct {
	Found *Found
	// Only, if not empty, names the machines.
	Only []string
	// Every takes each so-many-th row of the spaces, from the first on.
	Every   int
	Workers int
	// Models, if not empty, names the models in which rows are replayed.
	Models []string
	// Again names models that are asked anew: what was found for them is forgotten.
	Again []string
	// Save, if not nil, is called when something was found.
	Save func(*Found) error
	// Told says what was found.
	Told func(string)
}

// Run replays what has not been found yet.
func (c *Comparison) Run(ctx context.Context) error {
	spaces, err := Spaces()
	if err != nil {
		return err
	}
	if len(c.Only) == 0 || slices.Contains(c.Only, kernelsCard) {
		if err := c.kernels(ctx); err != nil {
			return fmt.Errorf("on %s: %w", kernelsCard, err)
		}
		if c.Save != nil {
			if err := c.Save(c.Found); err != nil {
				return err
			}
		}
	}
	for i := range spaces {
		if s := &spaces[i]; len(c.Only) == 0 || slices.Contains(c.Only, s.Card) {
			if err := c.space(ctx, s); err != nil {
				return fmt.Errorf("%s on %s: %w", s.Workload, s.Card, err)
			}
		}
	}
	return nil
}

// space replays the variants of a space, a few at a time.
func (c *Comparison) space(ctx context.Context, s *Space) error {
	of := c.Found.of(s.Card, s.Workload)
	if of == nil {
		c.Found.Spaces = append(c.Found.Spaces, FoundSpace{Card: s.Card, Workload: s.Workload})
		of = &c.Found.Spaces[len(c.Found.Spaces)-1]
	}
	of.forget(c.Again, c.Every)
	var wanted []int
	for i := 0; i < len(s.Rows); i += max(c.Every, 1) {
		if !slices.ContainsFunc(of.Rows, func(r FoundRow) bool { return r.Row == i && c.all(r.Models) }) {
			wanted = append(wanted, i)
		}
	}
	for some := range slices.Chunk(wanted, max(c.Workers, 1)) {
		start := time.Now()
		found, err := c.rows(ctx, s, some, of)
		if err != nil {
			return err
		}
		of.Rows = slices.DeleteFunc(of.Rows, func(r FoundRow) bool { return slices.Contains(some, r.Row) })
		of.Rows = append(of.Rows, found...)
		slices.SortFunc(of.Rows, func(a, b FoundRow) int { return a.Row - b.Row })
		c.Found.Seconds = math.Round(c.Found.Seconds + time.Since(start).Seconds()*float64(len(some))/float64(max(c.Workers, 1)))
		if c.Save != nil {
			if err := c.Save(c.Found); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows replays the rows with these numbers in the models that of lacks of them.
func (c *Comparison) rows(ctx context.Context, s *Space, numbers []int, of *FoundSpace) ([]FoundRow, error) {
	found := make([]FoundRow, len(numbers))
	errs := make(chan error, len(numbers))
	for i, n := range numbers {
		go func() {
			var err error
			found[i], err = c.row(ctx, s, n, of.models(n))
			errs <- err
		}()
	}
	var first error
	for range numbers {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	if first == nil && c.Told != nil {
		for i, n := range numbers {
			c.Told(s.tell(&s.Rows[n], &found[i]))
		}
	}
	return found, first
}

// forget leaves out what was found in some models, in each so-many-th row.
func (of *FoundSpace) forget(again []string, every int) {
	for i := range of.Rows {
		if of.Rows[i].Row%max(every, 1) == 0 {
			for _, name := range again {
				delete(of.Rows[i].Models, name)
			}
		}
	}
}

// models are what has been found of a row.
func (of *FoundSpace) models(row int) map[string]FoundIn {
	for i := range of.Rows {
		if of.Rows[i].Row == row {
			return of.Rows[i].Models
		}
	}
	return nil
}

// wants reports whether rows are replayed in a model, and all whether a row has been in
// each of them.
func (c *Comparison) wants(model string) bool {
	return len(c.Models) == 0 || slices.Contains(c.Models, model)
}

func (c *Comparison) all(known map[string]FoundIn) bool {
	for _, m := range Models {
		if _, ok := known[m.Name]; !ok && c.wants(m.Name) {
			return false
		}
	}
	return true
}

// row replays a variant in every model without a known result.
func (c *Comparison) row(ctx context.Context, s *Space, n int, known map[string]FoundIn) (FoundRow, error) {
	r := FoundRow{Row: n, Models: map[string]FoundIn{}}
	for _, model := range Models {
		if in, ok := known[model.Name]; ok {
			r.Models[model.Name] = in
			continue
		}
		if !c.wants(model.Name) {
			continue
		}
		ways := passages(nil)
		if model.Name == lowered {
			ways = passages{}
		}
		o, err := s.evaluate(ctx, s.machine(model.Name, &s.Rows[n]), s.Rows[n].Set, ways)
		if err != nil {
			return r, err
		}
		if err := guessed(&o); err != nil {
			return r, fmt.Errorf("row %d in model %s: %w", n, model.Name, err)
		}
		in := inModel(&o)
		if model.Name == lowered && in.Refused == "" {
			if err := in.count(s.machine(model.Name, &s.Rows[n]), &o, ways); err != nil {
				return r, err
			}
		}
		r.Models[model.Name] = in
	}
	return r, nil
}

// machine is the machine on which a row is replayed in a model.
func (s *Space) machine(model string, r *Row) string {
	spec := s.Card + s.At
	if last, ok := stages[model]; ok {
		return spec + fmt.Sprintf("+lowering(generation=%s,stages=%s,divisions=%s)", generations[s.Card], last, s.Divisions)
	}
	spec += "+lowering(generation=none)"
	if model == "vendor" {
		spec += fmt.Sprintf("+set(sm.registers_per_thread=%d)", r.Registers)
	}
	return spec
}

// evaluate records and replays a variant. The ways that lanes take in the recorded kernels
// go to ways, unless that is nil.
func (s *Space) evaluate(ctx context.Context, spec string, set map[string]string, ways passages) (tune.Outcome, error) {
	program, _, err := programs.Load(s.Workload)
	if err != nil {
		return tune.Outcome{}, err
	}
	m, err := arch.Load(spec)
	if err != nil {
		return tune.Outcome{}, err
	}
	policy, err := samplepolicy.For(s.Sample, spec)
	if err != nil {
		return tune.Outcome{}, err
	}
	job := tune.Job{Program: program, Size: "paper", Set: s.Inputs, Seed: 1, Sample: policy, Machine: m, Lines: true}
	if ways != nil {
		job.Recorded = func(r *wtape.Reader) error { return ways.add(r) }
	}
	return job.Evaluate(ctx, set)
}

// guessed is an error where a sample stores less than two fills of the machine. Such a
// replay gives the middle of two bounds, and no estimate.
func guessed(o *tune.Outcome) error {
	for i := range o.Launches {
		if u := o.Launches[i].Uncertainty; u != nil && u.ExposedPercent[extrapolate.FewFills.String()] > 0 {
			return fmt.Errorf("the sample stores less than two fills of the machine, so that its time is guessed: give the space more waves")
		}
	}
	return nil
}

func inModel(o *tune.Outcome) FoundIn {
	if o.Refused != nil {
		text, _, _ := strings.Cut(o.Refused.Error(), "\n")
		return FoundIn{Refused: text}
	}
	l := &o.Launches[0]
	return FoundIn{
		Microseconds: math.Round(o.Nanoseconds) / 1000, Percent: math.Round(500*(o.High-o.Low)/o.Nanoseconds) / 10,
		Occupancy: l.BlocksPerSM, Limit: l.OccupancyLimit,
	}
}

// tell is what was found of a row, in a line.
func (s *Space) tell(r *Row, f *FoundRow) string {
	text := fmt.Sprintf("%s %s row %d: measured %.0f us", s.Card, s.Workload, f.Row, r.Microseconds)
	for _, model := range Models {
		if in, ok := f.Models[model.Name]; !ok {
			continue
		} else if in.Refused != "" {
			text += ", " + model.Name + " refused"
		} else {
			text += fmt.Sprintf(", %s %.0f us", model.Name, in.Microseconds)
		}
	}
	return text
}
