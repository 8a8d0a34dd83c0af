// SPDX-License-Identifier: Apache-2.0

// Package pricing accounts the energy of replays: under a calibration, in a technology.
package pricing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// Model prices a machine under a calibration, its own if that is empty, with settings
// KEY=VALUE of coefficients.
func Model(m *arch.Machine, t energy.Technology, calibration string, settings []string) (*energy.Model, error) {
	if calibration == "" {
		if calibration = m.Technology.Calibration; calibration == "" {
			calibration = Calibrations[0]
		}
	}
	if !slices.Contains(Calibrations, calibration) {
		return nil, commandline.Usagef("--calibration %s: there are %s", calibration, strings.Join(Calibrations, ", "))
	}
	coefficients := energy.DefaultCoefficients()
	switch calibration {
	case "circuit":
		coefficients = energy.CircuitCoefficients()
	case "accelwattch":
		coefficients = energy.AccelWattchCoefficients()
	}
	for _, setting := range settings {
		key, text, _ := strings.Cut(setting, "=")
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, commandline.Usagef("--coefficient %s: write KEY=VALUE, e.g. dram.byte=60", setting)
		}
		if coefficients, err = coefficients.With(key, v); err != nil {
			return nil, fmt.Errorf("--coefficient %s: %w; docs/energy.md lists them", setting, err)
		}
	}
	model, err := energy.NewModel(m, t, coefficients)
	if err != nil {
		return nil, err
	}
	switch calibration {
	case "gpuwattch":
		return model.Calibrated()
	case "accelwattch":
		return model.AsAccelWattch()
	}
	return model, nil
}

// Account is a machine's energy, in all and by launch.
type Account struct {
	Total    energy.Report   `json:"total"`
	Launches []energy.Report `json:"launches"`
	// LaunchGapJ is the static energy of the time in which no launch ran and at least one
	// was on its way, in joules. Total has the time of launches, and not this.
	LaunchGapJ float64 `json:"launch_gap_j,omitempty"`
}

// Accounts prices all results; models are those of their machines.
func Accounts(models []*energy.Model, results []replay.Result) ([]Account, error) {
	list := make([]Account, len(results))
	for i := range results {
		price := func(s *replay.Section) (energy.Report, error) {
			return models[i].Account((*counters.Set)(&s.Counters), s.Nanoseconds*1e-9)
		}
		var err error
		if list[i].Total, err = price(&results[i].Total); err != nil {
			return nil, err
		}
		if list[i].LaunchGapJ, err = gapJ(models[i], &results[i].Total); err != nil {
			return nil, err
		}
		list[i].Launches = make([]energy.Report, len(results[i].Launches))
		for j := range list[i].Launches {
			if list[i].Launches[j], err = price(&results[i].Launches[j]); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// gapJ is the static energy of the gaps of a run.
func gapJ(m *energy.Model, total *replay.Section) (float64, error) {
	if total.LaunchGap == 0 {
		return 0, nil
	}
	idle, err := m.Account(new(counters.Set), total.LaunchGapNanoseconds()*1e-9)
	if err != nil {
		return 0, err
	}
	return idle.Total().StaticJ, nil
}

// Technology reads --tech: NODEnm or NODEnm-lop; empty is the machine's own.
func Technology(m *arch.Machine, tech string) (energy.Technology, error) {
	t := energy.TechnologyOf(m)
	if tech == "" {
		return t, nil
	}
	node, low := strings.CutSuffix(tech, "-lop")
	node, unit := strings.CutSuffix(node, "nm")
	nm, err := strconv.ParseFloat(node, 64)
	if err != nil || !unit {
		return t, commandline.Usagef("--tech %s: write a node as 32nm, or 32nm-lop for low-power devices", tech)
	}
	t.NodeNM, t.LowPower, t.Source = nm, low, "given by --tech"
	return t, t.Check()
}

// Joules is the total energy of an account, dynamic and static.
func Joules(a *Account) float64 {
	total := a.Total.Total()
	return total.TotalJ()
}

// Calibrations are the calibrations that there are.
var Calibrations = []string{"cacti", "circuit", "gpuwattch", "accelwattch"}
