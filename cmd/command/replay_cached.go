// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

// cachedFlags share results with sweeps.
func cachedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "cached", Usage: "take results from the folder of --results, and keep there those that it lacks"},
		resultsFlag(),
	}
}

// uncached are flags that ask for what results do not hold.
var uncached = []string{"cpu", "interval", "timeline", "full-check", "report"}

// checkCached refuses --cached with flags that need a replay.
func checkCached(c *cli.Context) error {
	if !c.Bool("cached") {
		if c.IsSet("results") {
			return commandline.Usagef("--results: needs --cached")
		}
		return nil
	}
	for _, name := range uncached {
		if c.IsSet(name) {
			return commandline.Usagef("--cached: --%s needs a replay; leave one of them out", name)
		}
	}
	if wantsLines(c) {
		return commandline.Usagef("--cached: the energy of lines needs a replay; leave out --energy or --cached")
	}
	return nil
}

// cachedReplay takes from the results what they have of one trace on machines, and
// replays the others.
func cachedReplay(c *cli.Context, r *wtape.Reader, machines []*arch.Machine, o replay.Options) ([]replay.Result, error) {
	model, err := release.Model()
	if err != nil {
		return nil, err
	}
	store, err := results.Create(c.String("results"))
	if err != nil {
		return nil, err
	}
	var options results.Options
	if o.WatchdogCycles != gpu.DefaultWatchdogCycles {
		options.WatchdogCycles = o.WatchdogCycles
	}
	o.Attach = nil // --cached refuses --cpu
	return store.Replay(c.Context, r, machines, model, options, o)
}
