// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/linkmap"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/timeline"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
	cputraces "github.com/warptape/warptape/traces/cpu"
)

func replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "replay a trace on one or more architectures and compare them",
		ArgsUsage: "FILE.wtape",
		Description: `Reads and decodes the trace once, replays it on every architecture in parallel,
and prints one table, normalised to the first: a column per architecture, or a row when
there are too many for the terminal. An architecture is a built-in
machine, or a YAML file, with any number of overlays: gtx480+lrr. Overlays may have
parameters, which warptape arch list names: "gtx480+big-l1(factor=2)". Instead of a file,
a name or digest of the local store will do: see warptape store and warptape pull.

Examples:
  warptape replay saxpy.wtape --arch gtx480
  warptape replay saxpy.wtape --arch gtx480 --arch gtx480+lrr --arch my-machine.yaml
  warptape replay saxpy.wtape --arch gtx480 --arch "gtx480+set(l1.bytes=32KiB,l1.ways=8)"
  warptape replay saxpy.wtape --arch gtx480 --arch mesh56 --set dram.queue=32
  warptape replay saxpy.wtape --arch "rtx2080ti+lowering(generation=turing)" --registers build.log
  warptape replay registry.example.org/team/saxpy:v1 --arch gtx480
  warptape replay saxpy.wtape --arch gtx480 --json saxpy.json --csv saxpy.csv
  warptape replay sgemm.wtape --arch gtx480 --fast
  warptape replay saxpy.wtape --arch mesh56 --arch mesh56-alt --links saxpy-links.svg
  warptape replay saxpy.wtape --arch gtx480 --csv - | column -s, -t | less -S
  warptape replay saxpy.wtape --arch gtx480 --report saxpy.html`,
		Flags: append([]cli.Flag{
			archFlag("to replay on; the first is the reference"), setFlag(), registersFlag(),
			&cli.BoolFlag{Name: "full", Usage: "print all figures, digests and where issue slots went (default: a dozen figures that fit the terminal)"},
			&cli.StringFlag{Name: "json", Usage: "write full statistics to `FILE`, or - for standard output, which then has nothing else"},
			&cli.StringFlag{Name: "csv", Usage: "write a row per launch and architecture to `FILE`, or -"},
			&cli.StringFlag{Name: "links", Usage: "draw how busy the links between routers were, to `FILE`.svg, a row per architecture"},
			&cli.IntFlag{Name: "workers", Usage: "replays that run at the same time (0: one per core); results are the same"},
			&cli.IntFlag{Name: "cores", Usage: "cores that work on each replay (0: those that --workers leaves idle); results are the same"},
			&cli.Int64Flag{Name: "watchdog", Usage: "give up after this many core `CYCLES` without progress", Value: gpu.DefaultWatchdogCycles},
			largeBlocksFlag(),
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace existing result files"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress"},
			&cli.StringFlag{Name: "full-check", Usage: "also replay `FULL.wtape`, the whole trace that the sample was taken of, and compare"},
			fastFlag(), noShareFlag(), pprofFlag(), linesFlag(), cpuFlag(), consistencyFlag(),
		}, slices.Concat(reportFlags(), cachedFlags(), timelineFlags(), intervalFlags(), energyFlags())...),
		Action: replayAction,
	}
}

func replayAction(c *cli.Context) error {
	alone, err := checkReplayFlags(c)
	if err != nil {
		return err
	}
	quiet, err := checkReplayOutputs(c)
	if err != nil {
		return err
	}
	specs, machines, err := replayMachines(c, alone)
	if err != nil {
		return err
	}
	if alone {
		return replayCPU(c, machines)
	}
	out := replayOutputs{machines: machines, quiet: quiet}
	if out.profiles, err = pprofPaths(c, machines); err != nil {
		return err
	}
	if out.write, err = resultWriters(c, machines); err != nil {
		return err
	}
	timelines, err := openTimelines(c, machines)
	if err != nil {
		return err
	}
	defer timelines.discard()
	page, err := openReport(c, specs, machines)
	if err != nil {
		return err
	}
	recorders := timelines.recorders
	if page != nil {
		recorders = page.recorders
	}
	results, err := replayFile(c, c.Args().First(), machines, recorders, c.Bool("fast"))
	if err != nil {
		return err
	}
	if err := timelines.finish(c.App.ErrWriter); err != nil {
		return err
	}
	return out.all(c, page, results)
}

// checkReplayFlags looks at the arguments and numbers of a replay. It reports whether
// CPU programs run alone, without a trace.
func checkReplayFlags(c *cli.Context) (alone bool, err error) {
	if c.IsSet("cpu") && slices.Contains(strings.Split(c.String("cpu"), ","), "") {
		return false, commandline.Usagef("--cpu %q: a name is missing; the sets are %s, the programs %s", c.String("cpu"), cpuSets(), strings.Join(cputraces.Programs(), ", "))
	}
	alone = c.String("cpu") != "" && c.NArg() == 0
	if !alone {
		if err := commandline.ExactArgs(c, "FILE.wtape"); err != nil {
			return false, err
		}
	}
	if len(architectures(c)) == 0 {
		return false, commandline.Usagef("replay: name at least one architecture with --arch; warptape arch list lists them")
	}
	if c.Int64("watchdog") <= 0 {
		return false, commandline.Usagef("--watchdog %d: must be positive", c.Int64("watchdog"))
	}
	for _, name := range []string{"workers", "lines", "cores"} {
		if c.Int(name) < 0 {
			return false, commandline.Usagef("--%s %d: must not be negative", name, c.Int(name))
		}
	}
	return alone, nil
}

// checkReplayOutputs looks at what a replay shall write. It reports whether standard
// output holds one result and nothing else.
func checkReplayOutputs(c *cli.Context) (quiet bool, err error) {
	if quiet, err = checkOutputs(c, "json", "csv", "links"); err != nil {
		return false, err
	}
	if quiet && (c.IsSet("lines") || c.String("full-check") != "") {
		return false, commandline.Usagef("standard output holds one result: name a file in the place of -, or leave out --lines and --full-check")
	}
	if err := checkInterval(c); err != nil {
		return false, err
	}
	return quiet, checkCached(c)
}

// replayMachines loads the machines that the command line names. It also returns their specifications.
func replayMachines(c *cli.Context, alone bool) ([]string, []*arch.Machine, error) {
	specs := architectures(c)
	if c.String("registers") != "" {
		if alone {
			return nil, nil, commandline.Usagef("--registers: CPU programs alone have no kernels; leave it out")
		}
		var err error
		if specs, err = withRegisters(c, c.Args().First(), specs); err != nil {
			return nil, nil, err
		}
	}
	machines, err := machineset.Load(specs)
	if err != nil {
		return nil, nil, err
	}
	if err := checkFast(c, machines); err != nil {
		return nil, nil, err
	}
	if c.String("links") != "" && !slices.ContainsFunc(machines, linkmap.Drawable) {
		return nil, nil, commandline.Usagef("--links: %s has a crossbar, and no links between routers; add a machine with a mesh or a butterfly, such as %s+mesh", specs[0], specs[0])
	}
	return specs, machines, nil
}

// replayOutputs are what a replay of a trace writes.
type replayOutputs struct {
	machines []*arch.Machine
	profiles []string
	write    writers
	quiet    bool // standard output holds a result alone
}

// all writes results to the files of the command line, and tables to standard output.
func (o *replayOutputs) all(c *cli.Context, page *singleReport, results []replay.Result) error {
	for _, out := range []struct {
		flag  string
		write resultWriter
	}{{"json", o.write.json}, {"csv", o.write.csv}, {"links", linkmap.Write}} {
		err := writeOutput(c, out.flag, func(w io.Writer) error { return out.write(w, results) })
		if err != nil {
			return err
		}
	}
	if page != nil {
		if err := page.write(c.Args().First(), results); err != nil {
			return err
		}
	}
	energies := lineEnergies(c, &o.write, results)
	if err := writePprof(c, o.profiles, results, energies); err != nil {
		return err
	}
	if err := writeIntervals(c, results, o.write.intervals); err != nil {
		return err
	}
	if o.quiet {
		return nil
	}
	if err := o.write.table(c.App.Writer, results); err != nil {
		return err
	}
	if err := writePrograms(c.App.Writer, results); err != nil {
		return err
	}
	if err := writeLines(c, results, energies); err != nil || c.String("full-check") == "" {
		return err
	}
	return fullCheck(c, o.machines, results)
}

// tellIdle says before a replay which mechanisms have nothing to do in it.
func tellIdle(w io.Writer, machines []*arch.Machine, kernels []trace.Kernel) error {
	for _, m := range machines {
		idle, err := gpu.Idle(m, kernels)
		if err != nil {
			return err
		}
		for _, line := range idle {
			fmt.Fprintf(w, "warptape: %s: %s\n", m.Name, line)
		}
	}
	return nil
}

// replayFile replays one trace on all machines, with progress on stderr; fast: some thread
// blocks of it.
func replayFile(c *cli.Context, file string, machines []*arch.Machine, timelines []*timeline.Recorder, fast bool) ([]replay.Result, error) {
	r, err := openTrace(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := tellIdle(c.App.ErrWriter, machines, r.Kernels()); err != nil {
		return nil, err
	}
	progress := newMeter(c.App.ErrWriter, c.Bool("quiet"), int64(r.Totals().WarpInstructions)*int64(len(machines)),
		fmt.Sprintf("replay on %d machines", len(machines)))
	defer progress.done()
	large, err := largeBlocksOf(c)
	if err != nil {
		return nil, err
	}
	attach, detach := besideFile(c)
	defer detach()
	o := replay.Options{
		Attach:         attach,
		Workers:        c.Int("workers"),
		Cores:          coresOf(c, len(machines)),
		Version:        release.Version(),
		WatchdogCycles: uint64(c.Int64("watchdog")),
		IntervalCycles: uint64(c.Int64("interval")),
		Progress:       progress.set,
		Timelines:      timelines,
		Lines:          wantsLines(c),
		NoShare:        c.Bool(noShare),
		LargeBytes:     large,
	}
	results, err := replayBy(c, r, machines, o, fast)
	if err != nil {
		return nil, err
	}
	progress.done()
	if !c.Bool("quiet") {
		tellShared(c.App.ErrWriter, results)
	}
	return results, nil
}

// replayBy replays in the way that the command's options name.
func replayBy(c *cli.Context, r *wtape.Reader, machines []*arch.Machine, o replay.Options, fast bool) ([]replay.Result, error) {
	switch {
	case fast:
		return fastReplay(c, r, machines, o)
	case c.Bool("cached"):
		return cachedReplay(c, r, machines, o)
	}
	return replay.Run(c.Context, r, machines, o)
}

// coresOf is --cores, or what --workers leaves idle.
func coresOf(c *cli.Context, replays int) int {
	if n := c.Int("cores"); n > 0 {
		return n
	}
	return replay.IdleCores(c.Int("workers"), replays)
}
