// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
)

func sweepCommand() *cli.Command {
	return &cli.Command{
		Name:      "sweep",
		Usage:     "replay many traces on many machines with many values of parameters",
		ArgsUsage: "PLAN.yaml|TRACE...",
		Description: `Multiplies out the plan, records what workloads it names, replays every point that has
no result yet, and keeps each result the moment its replay ends. Stop it at any time: the
same command goes on where it was. docs/sweeps.md describes plans. For small sweeps traces
and workloads with flags will do.

Examples:
  warptape sweep plan.yaml --dry-run
  warptape sweep plan.yaml
  warptape sweep plan.yaml --results study --workers 8 --memory 16GiB
  warptape sweep plan.yaml --results study --executor slurm --tasks 40 --slurm-option=--time=2:00:00
  warptape sweep plan.yaml --results study --optimize edp --budget 50
  warptape sweep plan.yaml --results study --prepare
  warptape sweep saxpy spmv.wtape --arch gtx480,v100 --set l1.bytes=16KiB,32KiB`,
		Flags: slices.Concat([]cli.Flag{
			resultsFlag(),
			&cli.BoolFlag{Name: "dry-run", Usage: "say what the plan comes to, and record and replay nothing"},
			&cli.BoolFlag{Name: "prepare", Usage: "record what is missing and store the plan's points, and replay nothing: warptape sweep work makes them"},
			serveFlag(),
		}, executorFlags(), searchFlags(), workFlags(), lineFlags()),
		Subcommands: []*cli.Command{sweepStatusCommand(), sweepWorkCommand()},
		Action:      sweepAction,
	}
}

// defaultResults is the folder of results where none is named.
const defaultResults = "results"

func resultsFlag() cli.Flag {
	return &cli.StringFlag{Name: "results", Aliases: []string{"r"}, Usage: "`FOLDER` of results", Value: defaultResults}
}

func sweepAction(c *cli.Context) error {
	p, err := planOf(c)
	if err != nil {
		return err
	}
	r, m, err := runnerOf(c)
	if err != nil {
		return err
	}
	if err := checkExecutor(c); err != nil {
		return err
	}
	if err := checkSearch(c); err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return estimate(c, r, p)
	}
	if r.Store, err = results.Create(c.String("results")); err != nil {
		return err
	}
	if c.IsSet("optimize") {
		return searchSweep(c, r, m, p)
	}
	e, err := r.Prepare(c.Context, p)
	if err != nil {
		return err
	}
	if c.Bool("prepare") {
		return prepared(c, e)
	}
	stop, err := serveBeside(c, r.Store, p.Name)
	if err != nil {
		return err
	}
	defer stop()
	if c.String("executor") == slurmExecutor {
		return sweepOnSlurm(c, r, m, e)
	}
	s, err := r.Make(c.Context, e)
	m.done()
	if err != nil {
		return err
	}
	return s.Write(c.App.Writer)
}

// prepared says what there is to do now.
func prepared(c *cli.Context, e *plan.Expansion) error {
	_, err := fmt.Fprintf(c.App.Writer, "%s: %d points of %d traces are prepared; make them with: warptape sweep work %s %s --shard I/N\n",
		e.Manifest.Name, len(e.Manifest.Points), len(e.Manifest.Traces), c.String("results"), e.Manifest.Name)
	return err
}

// estimate says what the sweep comes to; it makes no folder.
func estimate(c *cli.Context, r *sweep.Runner, p *plan.Plan) error {
	var err error
	if r.Store, err = results.Look(c.String("results")); err != nil {
		return err
	}
	e, err := r.Estimate(c.Context, p)
	if err != nil {
		return err
	}
	return e.Write(c.App.Writer)
}

// parseShard reads I/N.
func parseShard(text string) (shard, shards int, err error) {
	i, n, ok := strings.Cut(text, "/")
	shard, err1 := strconv.Atoi(i)
	shards, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || shards < 1 || shard < 0 || shard >= shards {
		return 0, 0, commandline.Usagef("--shard %q: write I/N, with I from 0 to N-1", text)
	}
	return shard, shards, nil
}
