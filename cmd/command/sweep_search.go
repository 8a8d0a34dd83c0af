// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/cmd/sweep/search"
)

func searchFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "optimize", Usage: "look for the best machine by `METRIC[:lower|:higher]` of the plan or of the statistics, on samples first"},
		&cli.Float64Flag{Name: "budget", Usage: "with --optimize, replay no more than what so many whole `POINTS` of the sweep take"},
		&cli.Uint64Flag{Name: "seed", Usage: "with --optimize, `SEED` of the choice where the budget is too small to look at all machines", Value: 1},
	}
}

// checkSearch refuses flags that do not go with --optimize.
func checkSearch(c *cli.Context) error {
	if !c.IsSet("optimize") {
		for _, f := range searchFlags()[1:] {
			if name := f.Names()[0]; c.IsSet(name) {
				return commandline.Usagef("--%s: needs --optimize METRIC", name)
			}
		}
		return nil
	}
	if b := c.Float64("budget"); !(b > 0) || math.IsInf(b, 0) {
		return commandline.Usagef("--optimize: needs --budget POINTS, above 0: what the search may cost in whole points")
	}
	for _, name := range []string{"shard", "prepare", "dry-run"} {
		if c.IsSet(name) {
			return commandline.Usagef("--optimize: a search decides by the results of all points; leave out --%s", name)
		}
	}
	if c.String("executor") != localExecutor {
		return commandline.Usagef("--optimize: runs in this process; leave out --executor %s", c.String("executor"))
	}
	return nil
}

// searchSweep looks for the best machine of a plan.
func searchSweep(c *cli.Context, r *sweep.Runner, m *sweepMeter, p *plan.Plan) error {
	metric, better, _ := strings.Cut(c.String("optimize"), ":")
	if better != "" && better != "lower" && better != "higher" {
		return commandline.Usagef("--optimize %q: write METRIC:lower or METRIC:higher", c.String("optimize"))
	}
	s := &search.Search{Runner: r, Plan: p, Metric: metric, Better: better, Budget: c.Float64("budget"), Seed: c.Uint64("seed")}
	found, err := s.Run(c.Context)
	m.done()
	if err != nil {
		return err
	}
	return writeSearch(c.App.Writer, found, c.String("results"))
}

// mostBest of the machines that were replayed whole are printed.
const mostBest = 10

func writeSearch(w io.Writer, s *results.Search, folder string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "traces\tmachines\twent on\twithout a score\twarp instructions each\n")
	for i := range s.Rungs {
		r := &s.Rungs[i]
		sampling := r.Sampling
		if sampling == "" {
			sampling = "whole"
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\n", sampling, len(r.Scores)+len(r.Dropped), r.Promoted, len(r.Dropped), numbers.Grouped(r.Instructions))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s, %s is better:\n", s.Metric, s.Better)
	for i, b := range s.Best {
		if i == mostBest {
			break
		}
		fmt.Fprintf(t, "  %.6g\t%s\n", b.Score, b.Architecture)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\ncost %.1f of %.1f whole points; seed %d\nnot looked at: %d machines, which the seed has left out\njudged by samples alone: %d machines\ncannot be compared: %d machines\n%s names them all\n",
		s.Cost, s.Budget, s.Seed, len(s.NotLooked), bySamples(s), len(s.LeftOut), folder+"/sweeps/"+s.Sweep+"/search.json")
	return err
}

// bySamples counts the machines that no whole trace was replayed on.
func bySamples(s *results.Search) int {
	first, last := &s.Rungs[0], &s.Rungs[len(s.Rungs)-1]
	return len(first.Scores) + len(first.Dropped) - len(last.Scores) - len(last.Dropped)
}
