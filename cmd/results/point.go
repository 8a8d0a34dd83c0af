// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"fmt"

	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

// SchemaVersion is that of Point's JSON. It grows when a member changes its meaning or
// goes; new members leave it as it is.
const SchemaVersion = 1

// Point is the result of one replay with all that it depends on. It has no times and no
// names of hosts: the same identity gives the same bytes.
type Point struct {
	Schema int    `json:"schema"`
	Key    string `json:"key"`
	Identity
	Trace TraceSummary `json:"trace"`
	// Architecture is the resolved machine (arch.Machine.MarshalJSON).
	Architecture json.RawMessage `json:"architecture"`
	Statistics   json.RawMessage `json:"statistics"` // a replay.Result
	Energy       pricing.Account `json:"energy"`
}

// TraceSummary says what a trace holds.
type TraceSummary struct {
	Program  string `json:"program"`
	Recorder string `json:"recorder"`
	// Sampling is the policy of a sample; empty: all thread blocks are stored. The
	// counts are then of the whole run, and StoredWarpInstructions of the sample.
	Sampling               string `json:"sampling,omitempty"`
	Launches               uint64 `json:"launches"`
	ThreadBlocks           uint64 `json:"thread_blocks"`
	WarpInstructions       uint64 `json:"warp_instructions"`
	StoredWarpInstructions uint64 `json:"stored_warp_instructions"`
}

// Summarize says what an open trace holds.
func Summarize(r *wtape.Reader) TraceSummary {
	h, t := r.Header(), r.Totals()
	s := TraceSummary{
		Program: h.Program, Recorder: h.Tool, Launches: uint64(len(r.Launches())),
		ThreadBlocks: t.ThreadBlocks, WarpInstructions: t.WarpInstructions,
	}
	for i := range r.Chunks() {
		s.StoredWarpInstructions += r.Chunks()[i].WarpInstructions
	}
	if sampling := r.Sampling(); sampling != nil {
		s.Sampling = sampling.Policy
	}
	return s
}

// NewPoint puts the result of a replay, with its energy, into a point.
func NewPoint(id Identity, summary TraceSummary, m *arch.Machine, result *replay.Result) (*Point, error) {
	if id.TraceDigest != result.TraceDigest || id.ArchitectureDigest != result.ArchitectureDigest {
		return nil, fmt.Errorf("BUG: the result of %s on %s is kept as that of another replay", result.Program, result.Machine)
	}
	account, err := id.Options.Energy.account(m, result)
	if err != nil {
		return nil, err
	}
	p := &Point{Schema: SchemaVersion, Key: id.Key(), Identity: id, Trace: summary, Energy: account}
	if p.Architecture, err = json.Marshal(m); err != nil {
		return nil, err
	}
	p.Statistics, err = json.Marshal(result)
	return p, err
}

// Check says why the machine cannot be priced so; nil if it can.
func (e *Energy) Check(m *arch.Machine) error {
	_, err := e.model(m)
	return err
}

func (e *Energy) model(m *arch.Machine) (*energy.Model, error) {
	t, err := pricing.Technology(m, e.Technology)
	if err != nil {
		return nil, err
	}
	return pricing.Model(m, t, e.Calibration, e.Coefficients)
}

func (e *Energy) account(m *arch.Machine, result *replay.Result) (pricing.Account, error) {
	model, err := e.model(m)
	if err != nil {
		return pricing.Account{}, err
	}
	accounts, err := pricing.Accounts([]*energy.Model{model}, []replay.Result{*result})
	if err != nil {
		return pricing.Account{}, err
	}
	return accounts[0], nil
}
