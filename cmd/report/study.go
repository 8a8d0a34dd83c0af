// SPDX-License-Identifier: Apache-2.0

package report

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
)

// Source has the results of a manifest's points; *results.Store is one.
type Source interface {
	// Get gives a point; the error is as that of results.Store.
	Get(key string) (*results.Point, error)
	// Failure says why there is no such point; nil: nothing is known.
	Failure(key string) (*results.Failure, error)
	// TracePath is where the file of a trace is.
	TracePath(t *results.PlannedTrace) string
}

// study is what a report is of. Its points are read one after another, so that what is
// in memory is what the page will hold.
type study struct {
	manifest  *results.Manifest
	source    Source
	evaluator *plan.Evaluator
	details   Details
	// overlays is the title of what stands behind machines.
	overlays string
	// detailed says which points have details.
	detailed string

	figures  map[string]map[string]float64 // of reference points, by key; nil without result
	machines machines
}

// point is a point of the plan with its result.
type point struct {
	number  int
	planned *results.PlannedPoint
	trace   *results.PlannedTrace
	// result and what is read out of it are nil where missing says why.
	result     *results.Point
	statistics *results.Statistics
	figures    map[string]float64
	missing    string
	// state is one word for what missing says; empty for points with results.
	state string
	// detailed says that sections of details show the point.
	detailed bool
}

// The states of points without results.
const (
	stateImpossible = "impossible"
	stateRefused    = "refused"
	stateFailed     = "failed"
	stateDamaged    = "damaged"
	stateNotMade    = "not made"
)

func newStudy(m *results.Manifest, source Source, details Details) (*study, error) {
	evaluator, err := plan.NewEvaluator(m)
	if err != nil {
		return nil, err
	}
	s := &study{manifest: m, source: source, evaluator: evaluator, details: details, overlays: "overlays", detailed: details.say(), figures: map[string]map[string]float64{}}
	s.machines.loaded = map[string]machine{}
	return s, nil
}

// read gives a point with its result.
func (s *study) read(i int) (*point, error) {
	p := &point{number: i, planned: &s.manifest.Points[i]}
	p.trace = &s.manifest.Traces[p.planned.Trace]
	if p.planned.Key == "" {
		p.state, p.missing = stateImpossible, p.planned.Impossible
		return p, nil
	}
	result, err := s.source.Get(p.planned.Key)
	var absent *results.NotFoundError
	var damaged *results.DamagedError
	switch {
	case err == nil:
	case errors.As(err, &absent):
		return p, s.absent(p)
	case errors.As(err, &damaged):
		p.state, p.missing = stateDamaged, err.Error()
		return p, nil
	default:
		return nil, err
	}
	p.result = result
	if p.statistics, err = result.Read(); err != nil {
		return nil, err
	}
	p.figures, err = result.Figures()
	return p, err
}

// absent says why a point is not there.
func (s *study) absent(p *point) error {
	p.state, p.missing = stateNotMade, "has no result yet; repeat the sweep"
	f, err := s.source.Failure(p.planned.Key)
	if err != nil || f == nil {
		return err
	}
	p.state, p.missing = stateFailed, f.Reason
	if f.Refused {
		p.state = stateRefused
	}
	return nil
}

// reference gives the figures of the point that metrics compare p with; nil without.
func (s *study) reference(p *point) (map[string]float64, error) {
	r := p.planned.Reference
	if r < 0 || s.manifest.Points[r].Key == "" {
		return nil, nil
	}
	key := s.manifest.Points[r].Key
	if f, ok := s.figures[key]; ok {
		return f, nil
	}
	of, err := s.read(r)
	if err != nil {
		return nil, err
	}
	s.figures[key] = of.figures
	return of.figures, nil
}

// value gives axis by axis what the point has.
func (p *point) value(axis int) string { return p.planned.Values[axis] }

// collector makes a section of points that it is shown one after another.
type collector interface {
	add(p *point) error
	// section is nil where there is nothing to show.
	section() *Section
}

// build shows all points to all collectors, and gives their sections in the same order.
func (s *study) build(collectors []collector) ([]*Section, error) {
	detailed := s.details.chosen(s.manifest)
	for i := range s.manifest.Points {
		p, err := s.read(i)
		if err != nil {
			return nil, err
		}
		p.detailed = detailed.take(p)
		for _, c := range collectors {
			if err := c.add(p); err != nil {
				return nil, fmt.Errorf("point %.12s: %w", p.planned.Key, err)
			}
		}
	}
	var list []*Section
	for _, c := range collectors {
		if section := c.section(); section != nil {
			list = append(list, section)
		}
	}
	return list, nil
}
