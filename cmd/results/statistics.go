// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"fmt"

	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
)

// Statistics are those of a point as other programs read them: by the names of counters
// and metrics, so that those of another version can be read, too.
type Statistics struct {
	Machine            string           `json:"machine"`
	Program            string           `json:"program"`
	Version            string           `json:"version"`
	Recorder           string           `json:"recorder"`
	Warnings           []string         `json:"warnings"`
	Sampled            *replay.Sampled  `json:"sampled"`
	Launches           []Section        `json:"launches"`
	Total              Section          `json:"total"`
	Copies             []replay.Copy    `json:"copies"`
	Programs           []replay.Program `json:"programs"`
	Profiles           []replay.Profile `json:"profiles"`
	Links              []replay.Link    `json:"links"`
	TraceDigest        string           `json:"trace_digest"`
	ArchitectureDigest string           `json:"architecture_digest"`
}

// Section is a launch, or all of them; see replay.Section for meanings and units.
type Section struct {
	Launch         int                          `json:"launch"`
	Kernel         string                       `json:"kernel"`
	Grid           trace.Dim3                   `json:"grid"`
	Block          trace.Dim3                   `json:"block"`
	Cycles         int64                        `json:"cycles"`
	Nanoseconds    float64                      `json:"time_ns"`
	Start          int64                        `json:"start_cycle"`
	End            int64                        `json:"end_cycle"`
	LaunchGap      int64                        `json:"launch_gap_cycles"`
	Overlapped     bool                         `json:"overlapped"`
	BlocksPerSM    int                          `json:"blocks_per_sm"`
	OccupancyLimit string                       `json:"occupancy_limit"`
	TopDown        replay.TopDown               `json:"top_down"`
	Metrics        map[string]*float64          `json:"metrics"` // nil: no value
	Counters       map[string]uint64            `json:"counters"`
	Mechanisms     map[string]map[string]uint64 `json:"mechanisms"`
	Uncertainty    *replay.Uncertainty          `json:"uncertainty"`
}

// Read takes the statistics out of the point.
func (p *Point) Read() (*Statistics, error) {
	var s Statistics
	if err := json.Unmarshal(p.Statistics, &s); err != nil {
		return nil, fmt.Errorf("point %.12s: its statistics cannot be read: %w", p.Key, err)
	}
	return &s, nil
}
