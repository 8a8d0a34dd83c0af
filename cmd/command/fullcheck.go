// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/columns"
	"github.com/warptape/warptape/timing/replay"
)

// fullCheck replays the whole trace as well and prints the estimates of the sample
// next to it.
func fullCheck(c *cli.Context, machines []*arch.Machine, sampled []replay.Result) error {
	path := c.String("full-check")
	for i := range sampled {
		if sampled[i].Sampled == nil {
			return commandline.Usagef("--full-check: %s is not a sample: make one with warptape trace sample", c.Args().First())
		}
	}
	start := time.Now()
	full, err := replayFile(c, path, machines, nil, false)
	if err != nil {
		return err
	}
	for i := range full {
		switch {
		case full[i].Sampled != nil:
			return fmt.Errorf("%s: is a sample itself; name the whole trace", path)
		case full[i].Program != sampled[i].Program || len(full[i].Launches) != len(sampled[i].Launches):
			return fmt.Errorf("%s: is of program %s with %d launches, the sample is of %s with %d: name the trace that it was taken of",
				path, full[i].Program, len(full[i].Launches), sampled[i].Program, len(sampled[i].Launches))
		}
	}
	energies := make([]energyCheck, len(machines))
	for i, m := range machines {
		energies[i] = checkEnergy(c, m, &full[i], &sampled[i])
	}
	return writeFullCheck(c.App.Writer, full, sampled, energies, time.Since(start))
}

// writeFullCheck prints, per machine, what the sample says and what is true.
func writeFullCheck(w io.Writer, full, sampled []replay.Result, energies []energyCheck, elapsed time.Duration) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\nfull check: the whole trace replayed in %.1f s\n\n", elapsed.Seconds())
	for i := range full {
		f, s := &full[i].Total, &sampled[i].Total
		verdict := "inside"
		if u := s.Uncertainty; float64(f.Cycles) < u.Low || float64(f.Cycles) > u.High {
			verdict = "OUTSIDE"
		}
		fmt.Fprintf(&b, "%s: sampled: cycles %s %s, full: %s, error %+.2f %%, %s the interval\n",
			full[i].Machine, numbers.Grouped(uint64(s.Cycles)), s.Uncertainty, numbers.Grouped(uint64(f.Cycles)), numbers.ErrorPercent(float64(s.Cycles), float64(f.Cycles)), verdict)
		table := [][]string{{"", "sampled", "full", "error %"}}
		for m, d := range replay.Declarations() {
			a, b := s.Metrics[m], f.Metrics[m]
			table = append(table, []string{d.Title, fmt.Sprintf("%.3f", a), fmt.Sprintf("%.3f", b), fmt.Sprintf("%+.2f", numbers.ErrorPercent(a, b))})
		}
		table = append(table, energies[i].row())
		columns.Write(&b, table)
		if err := energies[i].err; err != nil {
			fmt.Fprintf(&b, "energy is not compared: %v\n", err)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// energyCheck holds the energy of both replays, or why there is none.
type energyCheck struct {
	sampled, full float64 // joules
	err           error
}

// checkEnergy prices both replays of a machine alike.
func checkEnergy(c *cli.Context, m *arch.Machine, full, sampled *replay.Result) energyCheck {
	model, err := newEnergyModel(c, m, c.String("tech"))
	if err != nil {
		return energyCheck{err: err}
	}
	accounts, err := pricing.Accounts([]*energy.Model{model, model}, []replay.Result{*sampled, *full})
	if err != nil {
		return energyCheck{err: err}
	}
	return energyCheck{sampled: pricing.Joules(&accounts[0]), full: pricing.Joules(&accounts[1])}
}

func (e *energyCheck) row() []string {
	if e.err != nil {
		return []string{"Energy (mJ)", "", "", ""}
	}
	return []string{"Energy (mJ)", fmt.Sprintf("%.3f", e.sampled*1e3), fmt.Sprintf("%.3f", e.full*1e3), fmt.Sprintf("%+.2f", numbers.ErrorPercent(e.sampled, e.full))}
}
