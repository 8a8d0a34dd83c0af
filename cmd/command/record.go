// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/kernels"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
)

func recordCommand() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "run a GPU program and record its trace",
		ArgsUsage: "WORKLOAD|PROGRAM.star|KERNEL.ptx|PROGRAM.tesla|IMAGE.mem",
		Description: `Runs the host program, executes its kernels, checks its results, and writes
what happened to one trace file. The file appears under its name only when all
of that succeeded.

A PTX file needs no host program: --launch names a YAML file that says grid, block
and arguments of its kernel. A folder of Triton's cache stands for its PTX file.

With --on gpu the kernels run on a GPU, rewritten so that they write their own trace
(docs/contamination.md).

A program or kernel image of the configurable Tesla-like GPGPU has no host
program: its kernel is executed on that machine, whose parameters --set changes.

Examples:
  warptape record saxpy
  warptape record sgemm --size tiny -o sgemm-tiny.wtape
  warptape record bfs --set nodes=100000 --seed 7
  warptape record saxpy --store saxpy:small
  warptape record sgemm --size paper --sample auto
  warptape record sgemm --size paper --sample auto,for=gtx480
  warptape record mine/kernel.star -o kernel.wtape
  warptape record mine/kernel.star --check races,uninit
  warptape record saxpy --size tiny --watch 0,3,%f1,%f2
  warptape record kernel.ptx --launch launch.yaml
  warptape record saxpy --on gpu
  warptape record vecadd.tesla --set SP_PER_MP=16 --set NUM_MPS=1`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "trace `FILE` to write (default: the program's name with .wtape)"},
			storeFlag(),
			launchFlag(),
			&cli.StringFlag{Name: "size", Usage: "input `SIZE` as the program declares it (see workload list)", Value: "small"},
			&cli.StringSliceFlag{Name: "set", Usage: "set a parameter of the program, `NAME=VALUE` (repeatable)"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the generated inputs", Value: 1},
			samplepolicy.Flag(),
			&cli.StringFlag{Name: "level", Usage: "compression `LEVEL`: fast, default or small", Value: "default"},
			&cli.IntFlag{Name: "workers", Usage: "cores that run thread blocks, and goroutines that compress chunks (0: one per core); the bytes are the same"},
			&cli.Uint64Flag{Name: "max-instructions", Usage: "stop a kernel that executes more warp instructions than this", Value: 1 << 40},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing trace file"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no summary"},
			largestBlockFlag("is an error"),
			strictFlag(),
		}, append(debugFlags(), deviceFlags()...)...),
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "WORKLOAD|PROGRAM.star|KERNEL.ptx|PROGRAM.tesla|IMAGE.mem"); err != nil {
				return err
			}
			if isTesla(c.Args().First()) {
				if c.String("on") != onInterpreter {
					return commandline.Usagef("--on %s: kernels of the Tesla-like machine are no PTX", c.String("on"))
				}
				return recordTesla(c)
			}
			job, err := newRecording(c)
			if err != nil {
				return err
			}
			keep, err := job.toStore(c)
			if err != nil {
				return err
			}
			defer keep.end()
			if job.device, err = openRunner(c, 0); err != nil {
				return err
			}
			defer job.device.end()
			sum, err := job.run(c)
			if err != nil {
				return err
			}
			if err := keep.store(sum); err != nil || c.Bool("quiet") {
				return err
			}
			err = sum.print(c.App.Writer)
			job.device.describe(c.App.Writer)
			return err
		},
	}
}

var levels = map[string]wtape.Level{"fast": wtape.LevelFast, "default": wtape.LevelDefault, "small": wtape.LevelSmall}

// recording is one record job.
type recording struct {
	program *host.Program
	// folder, when not empty, is what the program's file names are relative to.
	folder  string
	launch  string // the launch file that the program was made of, if it was
	output  string
	force   bool
	quiet   bool
	largest int64 // memory of a thread block that is stored
	level   wtape.Level
	workers int
	policy  *sample.Policy // nil: everything is stored
	options host.Options
	stderr  io.Writer
	device  *runner // nil: the interpreter
}

func newRecording(c *cli.Context) (*recording, error) {
	program, folder, err := programOf(c)
	if err != nil {
		return nil, err
	}
	level, ok := levels[c.String("level")]
	if !ok {
		return nil, commandline.Usagef("--level %q: there are fast, default and small", c.String("level"))
	}
	if c.Int("workers") < 0 {
		return nil, commandline.Usagef("--workers %d: must not be negative", c.Int("workers"))
	}
	policy, err := samplepolicy.Parse(c)
	if err != nil {
		return nil, err
	}
	set, err := programs.Settings(c.StringSlice("set"))
	if err != nil {
		return nil, err
	}
	options := host.Options{
		Size: c.String("size"), Set: set, Seed: c.Uint64("seed"),
		Out: c.App.ErrWriter, MaxInstructions: c.Uint64("max-instructions"), Workers: cores(c.Int("workers")),
		Strict: c.Bool("strict"), Compile: kernels.Compile,
	}
	if err := setDebug(c, &options); err != nil {
		return nil, err
	}
	largest, err := largestBlockOf(c)
	if err != nil {
		return nil, err
	}
	output := c.String("output")
	if output == "" {
		output = program.Name() + ".wtape"
	}
	return &recording{
		program: program, folder: folder, launch: c.String("launch"), output: output, force: c.Bool("force"), quiet: c.Bool("quiet"),
		largest: largest, level: level, workers: c.Int("workers"), policy: policy, stderr: c.App.ErrWriter,
		options: options,
	}, nil
}

// programOf is the host program that a command line names, or that launches the kernel
// which it names.
func programOf(c *cli.Context) (program *host.Program, folder string, err error) {
	name, launch := c.Args().First(), c.String("launch")
	switch {
	case !isPTX(name) && launch != "":
		return nil, "", commandline.Usagef("--launch goes with a PTX file, and %s is none", name)
	case !isPTX(name):
		return programs.Load(name)
	case launch == "":
		return nil, "", commandline.Usagef("%s: say how to launch the kernel: --launch FILE.yaml ('warptape ptx launch %s' prints one to fill in)", name, name)
	}
	program, err = loadLaunch(name, launch)
	return program, "", err
}

// summary is what a recording reports.
type summary struct {
	output  string
	result  host.Result
	totals  trace.Totals
	bytes   int64
	elapsed time.Duration
}

// cores is the number of cores that a number of workers means.
func cores(workers int) int {
	if workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}

// run executes the program and writes its trace.
func (r *recording) run(c *cli.Context) (*summary, error) {
	if err := resultfile.RefuseExisting(r.output, r.force); err != nil {
		return nil, err
	}
	if r.device != nil {
		r.options.Coexecutor = r.device.coexecutor
	}
	profile, err := r.profile(c)
	if err != nil {
		return nil, err
	}
	w, err := wtape.Create(r.output, trace.Header{Tool: "warptape " + release.Version()}, wtape.Options{Level: r.level, Workers: r.workers, LargestBlock: r.largest})
	if err != nil {
		return nil, err
	}
	defer w.Abort() // without effect after Finish
	progress := newMeter(r.stderr, r.quiet, -1, "record "+r.program.Name())
	sink := &openLaunch{Writer: w}
	r.options.Sink = sink
	var sampler *sample.Recorder
	if r.policy != nil {
		sampler = sample.NewRecorder(w, *r.policy, profile)
		r.options.Sink = sampler
	}
	r.options.Progress = func(p host.Progress) { progress.set(p.WarpInstructions) }
	start := time.Now()
	result, err := r.program.Run(c.Context, r.options)
	progress.done()
	for _, w := range result.RaceWarnings {
		fmt.Fprintf(r.stderr, "warning: %v\n", w)
	}
	if err != nil {
		if sampler == nil && errors.Is(err, nativecoexecutor.ErrDevice) {
			err = errors.Join(err, r.keepCut(sink, err))
		}
		return nil, r.explain(err)
	}
	if sampler != nil {
		sampler.Describe()
	}
	if err := w.Finish(); err != nil {
		return nil, err
	}
	printWarnings(r.stderr, result.ModuleWarnings)
	s := &summary{output: r.output, result: result, totals: w.Totals(), elapsed: time.Since(start)}
	if info, err := os.Stat(r.output); err == nil {
		s.bytes = info.Size()
	}
	return s, nil
}

// keepCut keeps the trace of what had finished when the device failed.
func (r *recording) keepCut(sink *openLaunch, why error) error {
	if err := sink.cut(why); err != nil {
		return err
	}
	fmt.Fprintf(r.stderr, "%s has what had finished before\n", r.output)
	return nil
}

// explain says where the program's file names are relative to.
func (r *recording) explain(err error) error {
	if r.folder != "" {
		return fmt.Errorf("in %s: %w", r.folder, err)
	}
	if r.launch != "" { // the user has written no host program
		return fmt.Errorf("%s: %w (a place in the host program that the launch file means, which warptape ptx launch --launch prints)", r.launch, err)
	}
	return err
}

// profile runs the program once without storing anything, for a sampling policy
// that depends on what thread blocks do; nil for others.
func (r *recording) profile(c *cli.Context) (*sample.Profile, error) {
	if r.policy == nil || !r.policy.NeedsProfile() {
		return nil, nil
	}
	p := sample.NewProfile(*r.policy)
	progress := newMeter(r.stderr, r.quiet, -1, "profile "+r.program.Name())
	defer progress.done()
	o := r.options
	o.Sink, o.Out, o.Watch = p, io.Discard, nil
	o.Progress = func(p host.Progress) { progress.set(p.WarpInstructions) }
	if _, err := r.program.Run(c.Context, o); err != nil {
		return nil, r.explain(err)
	}
	p.Choose()
	return p, nil
}

func (s *summary) print(w io.Writer) error {
	t := &s.totals
	perInstruction := 0.0
	if t.WarpInstructions > 0 {
		perInstruction = float64(s.bytes) / float64(t.WarpInstructions)
	}
	_, err := fmt.Fprintf(w, `%s: %s warp instructions of %d launches, %s thread blocks
  results checked: %d; %s bytes, %.3f bytes per warp instruction
  recorded in %.2f s: %.2f million warp instructions a second
`, s.output, numbers.Grouped(t.WarpInstructions), t.Launches, numbers.Grouped(t.ThreadBlocks),
		s.result.Checks, numbers.Grouped(uint64(s.bytes)), perInstruction,
		s.elapsed.Seconds(), float64(t.WarpInstructions)/1e6/s.elapsed.Seconds())
	return err
}
