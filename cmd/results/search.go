// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Search says what a search among the machines of a sweep has looked at, and what not.
type Search struct {
	Schema int    `json:"schema"` // SchemaVersion
	Sweep  string `json:"sweep"`
	Metric string `json:"metric"`
	Better string `json:"better"` // lower or higher
	Seed   uint64 `json:"seed"`
	// Budget is what was allowed, and Cost what the machines with a score came to, in whole
	// points: one has PointInstructions warp instructions.
	Budget            float64 `json:"budget_points"`
	Cost              float64 `json:"cost_points"`
	PointInstructions float64 `json:"point_warp_instructions"`
	Rungs             []Rung  `json:"rungs"`
	// Best are the machines that were replayed whole and have a score, the best first.
	Best []Scored `json:"best"`
	// NotLooked are the machines that no trace was replayed on, in the plan's order.
	NotLooked []string `json:"not_looked_at"`
	// LeftOut are machines that cannot be compared, with the reason.
	LeftOut []Reason `json:"left_out"`
}

// Rung is one stage of a search: all of its machines on samples of one size.
type Rung struct {
	// Sampling is the policy of the samples; empty: whole traces. Sweep is the name under
	// which the rung's points are listed.
	Sampling string `json:"sampling"`
	Sweep    string `json:"sweep"`
	// Instructions are warp instructions of one machine on all traces.
	Instructions uint64   `json:"warp_instructions_per_machine"`
	Scores       []Scored `json:"scores"`   // the best first
	Promoted     int      `json:"promoted"` // how many went on
	// Dropped have no score, with the reason.
	Dropped []Reason `json:"dropped"`
}

// Scored is a machine with the geometric mean of the metric over the traces.
type Scored struct {
	Architecture string  `json:"architecture"`
	Score        float64 `json:"score"`
}

// Reason says why a machine has no score.
type Reason struct {
	Architecture string `json:"architecture"`
	Reason       string `json:"reason"`
}

const searchFile = "search.json"

// PutSearch stores what a search has come to.
func (s *Store) PutSearch(r *Search) error {
	if err := CheckName(r.Sweep); err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return s.write(filepath.Join(sweeps, r.Sweep, searchFile), append(text, '\n'))
}

// Search reads that of a sweep; nil when there was none.
func (s *Store) Search(sweep string) (*Search, error) {
	if err := CheckName(sweep); err != nil {
		return nil, err
	}
	path := filepath.Join(s.root, sweeps, sweep, searchFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r Search
	if err := json.Unmarshal(text, &r); err != nil || r.Schema != SchemaVersion {
		return nil, fmt.Errorf("%s: is damaged or of another version; repeat the search, which replaces it", path)
	}
	return &r, nil
}
