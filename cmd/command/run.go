// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/frontend/native/recorder"
	"github.com/warptape/warptape/frontend/opencl/compiler"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
)

// defaultDevice is the machine that programs see without --arch.
const defaultDevice = "v100"

// defaultTurn makes warps keep step about as they do on a GPU. Programs rely on it more
// often than they know: where a barrier lacks, no warp is far ahead of the others.
const defaultTurn = 1

func runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "run a program in CUDA or OpenCL as it is and record what its device does",
		ArgsUsage: "PROGRAM [ARGUMENT...]",
		Description: `Starts the program, is its device, and records every launch, copy and wait. A
program in CUDA was built by "warptape cc", or elsewhere with the shared CUDA runtime
(nvcc -cudart shared) and PTX inside; one in OpenCL was built by any compiler. It is
native code and runs with your rights.

A program that is killed, exits early or crashes leaves a trace of what had finished.
The exit code is the program's, 128 and the number of a signal that ended it, and 127 or
126 if it is not there or cannot be executed. It is 1 where the program ends well although the device
has refused one of its kernels, or one had a fault: launches are then missing in the trace.

Examples:
  warptape run ./saxpy
  warptape run -o bfs.wtape -- ./bfs graph65536.txt
  cc program.c -L"$(warptape run --print-opencl-folder)" -lOpenCL -o program
  warptape run --on gpu -- ./program              # its kernels on a GPU, contaminated
  warptape run --arch gtx480 --kernel 'reduce*' --launches 10-20 -- ./program -n 100`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "trace `FILE` to write (default: the program's name with .wtape)"},
			&cli.StringFlag{Name: "arch", Usage: "`MACHINE` whose properties the program sees, and by which times of events are estimated", Value: defaultDevice},
			&cli.StringFlag{Name: "capability", Usage: "compute capability `X.Y` that the program sees (default: that of --arch, 7.0 for machines before Volta)"},
			&cli.StringSliceFlag{Name: "kernel", Usage: "record only kernels whose name matches `PATTERN` (repeatable; * stands for any letters)"},
			&cli.StringFlag{Name: "launches", Usage: "record only launches `FIRST-LAST`, counted from 0"},
			samplepolicy.Flag(),
			&cli.StringFlag{Name: "level", Usage: "compression `LEVEL`: fast, default or small", Value: "default"},
			&cli.IntFlag{Name: "workers", Usage: "cores that run thread blocks, and goroutines that compress chunks (0: one per core); the bytes are the same"},
			&cli.Uint64Flag{Name: "max-instructions", Usage: "stop a kernel that executes more warp instructions than this", Value: 1 << 40},
			&cli.StringFlag{Name: "device-memory", Usage: "size of the device's memory, such as `8GiB`", Value: "16GiB"},
			&cli.StringFlag{Name: "event-times", Usage: "where times of CUDA events come from: `counts` of instructions, or replay of each launch alone on the machine of --arch, with cold caches", Value: "counts"},
			&cli.IntFlag{Name: "turn", Usage: "basic blocks `N` that a warp executes before the next one of its thread block has its turn; 0 lets it go on until it waits", Value: defaultTurn},
			&cli.Uint64Flag{Name: "together", Usage: "launches of up to `N` thread blocks run all of them at the same time, for kernels whose thread blocks wait for each other without a cooperative launch"},
			&cli.StringSliceFlag{Name: "check", Usage: "end at a kernel with `WHAT`: bounds (accesses from one buffer into the next), races (of shared memory), global-races (those and of global memory, inside thread blocks); races are slow"},
			&cli.StringFlag{Name: "slack", Usage: "bytes around each buffer of cudaMalloc that kernels may touch without a fault, such as `64KiB`: GPUs let such accesses pass"},
			largestBlockFlag("is counted and not stored"),
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing trace file"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no summary"},
			&cli.BoolFlag{Name: "print-opencl-folder", Usage: "print the folder of the OpenCL library, for the linker, and do nothing else"},
		}, deviceFlags()...),
		Action: runProgram,
	}
}

// programRun is one job of the run command.
type programRun struct {
	machine *arch.Machine // that times of events come from, or nil
	args    []string
	output  string
	force   bool
	quiet   bool
	largest int64 // memory of a thread block that is stored
	level   wtape.Level
	policy  *sample.Policy
	options recorder.Options
	runner  *runner // nil for the interpreter
	filters map[string]string
	stdout  io.Writer
	stderr  io.Writer
}

func newProgramRun(c *cli.Context) (*programRun, error) {
	if c.Args().Len() == 0 {
		return nil, commandline.Usagef("run: name a program, warptape run -- ./program")
	}
	r := &programRun{args: c.Args().Slice(), output: c.String("output"), force: c.Bool("force"), quiet: c.Bool("quiet"), stdout: c.App.Writer, stderr: shared(c.App.ErrWriter)}
	if r.output == "" {
		r.output = strings.TrimSuffix(filepath.Base(r.args[0]), filepath.Ext(r.args[0])) + ".wtape"
	}
	var ok bool
	if r.level, ok = levels[c.String("level")]; !ok {
		return nil, commandline.Usagef("--level %q: there are fast, default and small", c.String("level"))
	}
	if c.Int("workers") < 0 {
		return nil, commandline.Usagef("--workers %d: must not be negative", c.Int("workers"))
	}
	var err error
	if r.policy, err = samplepolicy.Parse(c); err != nil {
		return nil, err
	}
	if r.policy != nil && r.policy.NeedsProfile() {
		return nil, commandline.Usagef("--sample %s: this policy runs the program twice, which a program as it is may not stand; use fraction=F, count=N or sms=K/N, or sample the whole trace with warptape trace sample", c.String("sample"))
	}
	device, err := deviceOf(c)
	if err != nil {
		return nil, err
	}
	r.options = recorder.Options{Device: *device, Workers: cores(c.Int("workers")), Compile: new(compiler.Lazy).Compile, MaxInstructions: c.Uint64("max-instructions"), Say: r.stderr}
	if r.options.Turn = c.Int("turn"); r.options.Turn < 0 {
		return nil, commandline.Usagef("--turn %d: must not be negative", r.options.Turn)
	}
	if r.options.Together = c.Uint64("together"); r.options.Together > 1<<13 {
		return nil, commandline.Usagef("--together %d: at most 8192 thread blocks run at the same time", r.options.Together)
	}
	for _, what := range commandline.Listed(c, "check") {
		switch what {
		case "races":
			r.options.CheckRaces = true
		case "global-races":
			r.options.CheckGlobalRaces = true
		case "bounds":
			r.options.CheckBounds = true
		default:
			return nil, commandline.Usagef("--check %q: there are bounds, races and global-races", what)
		}
	}
	switch times := c.String("event-times"); times {
	case "counts":
	case "replay":
		if r.machine, err = arch.Load(c.String("arch")); err != nil {
			return nil, err
		}
	default:
		return nil, commandline.Usagef("--event-times %s: there are counts and replay", times)
	}
	if slack := c.String("slack"); slack != "" {
		if r.options.Slack, err = memorySize(slack); err != nil {
			return nil, commandline.Usagef("--slack %v", err)
		}
	}
	if r.largest, err = largestBlockOf(c); err != nil {
		return nil, err
	}
	if r.options.Choose, r.filters, err = launchFilter(c); err != nil {
		return nil, err
	}
	return r, r.openDevice(c)
}

// openDevice opens the device that kernels run on, which the program sees by its memory
// alone: what else it is told is of the machine.
func (r *programRun) openDevice(c *cli.Context) (err error) {
	if on := c.String("on"); on != onInterpreter && c.IsSet("turn") {
		return commandline.Usagef("--turn is for the interpreter; leave it or --on %s out", on)
	}
	if r.runner, err = openRunner(c, defaultTurn); r.runner == nil || err != nil {
		return err
	}
	x := r.runner.coexecutor
	r.options.Coexecutor, r.options.Device.MemoryBytes = x, min(r.options.Device.MemoryBytes, x.GlobalEnd()-x.GlobalBase())
	return nil
}

// deviceOf is what the program sees of the machine.
func deviceOf(c *cli.Context) (*recorder.Device, error) {
	m, err := arch.Load(c.String("arch"))
	if err != nil {
		return nil, err
	}
	var d recorder.Device
	capability := cmp.Or(c.String("capability"), m.GPU.Capability())
	if n, err := fmt.Sscanf(capability, "%d.%d", &d.Major, &d.Minor); err != nil || n != 2 || d.Major > 20 || d.Minor > 9 {
		return nil, commandline.Usagef("--capability %s: write 7.0, for instance", capability)
	}
	if d.MemoryBytes, err = memorySize(c.String("device-memory")); err != nil {
		return nil, commandline.Usagef("--device-memory: %v", err)
	}
	describe(&d, m)
	return &d, nil
}

// describe says what a program sees of a machine itself.
func describe(d *recorder.Device, m *arch.Machine) {
	d.Name = m.Name
	d.Multiprocessors, d.GPCs, d.Schedulers = uint64(m.GPU.SMs), uint64(max(m.GPU.Clusters.GPCs, 1)), uint64(max(m.SM.Schedulers, 1))
	d.ClockKHz, d.MemoryClockKHz = uint64(m.Clocks.CoreMHz*1000), uint64(m.Clocks.DRAMMHz*1000)
	perCycle := float64(m.DRAM.BurstBytes) / float64(max(m.DRAM.BurstCycles, 1)) * float64(m.L2.Partitions)
	d.BusBits = uint64(perCycle * 8 / 2) // two transfers a cycle
	d.L2Bytes = uint64(m.L2.Slice.Bytes) * uint64(m.L2.Partitions) * uint64(m.L2.SlicesPerPartition)
	d.SharedPerSM = uint64(m.Shared.Bytes)
	d.SharedOptIn = uint64(max(m.Shared.Bytes-m.Shared.BlockReserve, 0))
	d.SharedPerBlock = min(d.SharedOptIn, 48<<10)
	d.RegistersPerSM, d.ThreadsPerSM, d.BlocksPerSM = uint64(m.SM.Registers), uint64(m.SM.MaxThreads), uint64(m.SM.MaxBlocks)
	d.RegisterUnit = uint64(m.SM.RegisterAllocationUnit)
	d.LinkBytesPerSecond = m.Link.GigabytesPerSecond * 1e9
}

// memorySize reads a size such as 512MiB or 16GiB.
func memorySize(text string) (uint64, error) {
	for suffix, unit := range map[string]uint64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if n, ok := strings.CutSuffix(text, suffix); ok {
			v, err := strconv.ParseUint(n, 10, 32)
			if err == nil && v > 0 && v <= (1<<40)/unit {
				return v * unit, nil
			}
		}
	}
	return 0, fmt.Errorf("%q: write 512MiB or 16GiB, for instance", text)
}

// launchFilter says which launches are recorded, and how the trace's header tells it.
func launchFilter(c *cli.Context) (func(string, int) bool, map[string]string, error) {
	patterns, span := c.StringSlice("kernel"), c.String("launches")
	first, last := 0, int(^uint(0)>>1)
	notes := map[string]string{}
	if span != "" {
		from, to, isRange := strings.Cut(span, "-")
		var err, err2 error
		first, err = strconv.Atoi(from)
		last = first
		if isRange {
			last, err2 = strconv.Atoi(to)
		}
		if err != nil || err2 != nil || first < 0 || last < first {
			return nil, nil, commandline.Usagef("--launches %s: write 10-20, for instance", span)
		}
		notes["recorded launches"] = span
	}
	for _, p := range patterns {
		if _, err := filepath.Match(p, ""); err != nil {
			return nil, nil, commandline.Usagef("--kernel %s: %v", p, err)
		}
	}
	if len(patterns) > 0 {
		notes["recorded kernels"] = strings.Join(patterns, " ")
	}
	if len(notes) == 0 {
		return nil, nil, nil
	}
	return func(kernel string, launch int) bool {
		return launch >= first && launch <= last && (len(patterns) == 0 || matchesAny(patterns, kernel))
	}, notes, nil
}

func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, _ := filepath.Match(p, name); ok {
			return true
		}
	}
	return false
}

// programDigest finds the program as a shell does, and gives its file's digest.
func programDigest(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// synchronized is a writer for the program and its recorder at the same time.
type synchronized struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *synchronized) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// shared makes a writer one for both; the system does that for a file.
func shared(w io.Writer) io.Writer {
	if _, isFile := w.(*os.File); isFile {
		return w
	}
	return &synchronized{w: w}
}

// programStart is what a program is started with.
type programStart struct {
	args           []string
	stdout, stderr io.Writer
}

// runSink is a sampler as the recorder sees it.
type runSink struct{ *sample.Recorder }

func (r *programRun) record(c *cli.Context) (code int, err error) {
	if err := resultfile.RefuseExisting(r.output, r.force); err != nil {
		return 0, err
	}
	w, err := wtape.Create(r.output, trace.Header{Tool: "warptape " + release.Version()}, wtape.Options{Level: r.level, Workers: r.options.Workers, CountLarge: r.policy == nil, LargestBlock: r.largest})
	if err != nil {
		return 0, err
	}
	defer w.Abort() // without effect after Finish
	digest, err := programDigest(r.args[0])
	if err != nil {
		return notStarted(r.args[0], err)
	}
	w.UpdateHeader(func(h *trace.Header) {
		h.Program, h.ProgramDigest, h.Arguments = strings.ToValidUTF8(filepath.Base(r.args[0]), "?"), digest, r.filters
	})
	r.options.Sink = w
	var sampler *sample.Recorder
	if r.policy != nil {
		sampler = sample.NewRecorder(w, *r.policy, nil)
		r.options.Sink = runSink{sampler}
	}
	if r.machine != nil {
		times, err := newReplayedTimes(c.Context, r.options.Sink, r.machine)
		if err != nil {
			return 0, err
		}
		defer times.close()
		r.options.Sink, r.options.LaunchTime = times, times.launchTime
		r.options.TimeSource = "replays of each launch alone on " + r.machine.Name
	}
	progress := newMeter(r.stderr, r.quiet, -1, "run "+filepath.Base(r.args[0]))
	r.options.Progress = func(_ string, _ int, n uint64) { progress.set(n) }
	start := time.Now()
	code, result, err := launchProgram(c.Context, &programStart{args: r.args, stdout: r.stdout, stderr: r.stderr}, r.options)
	progress.done()
	if err != nil && result.Messages == 0 {
		return code, err
	}
	failed := err
	noteEnd(w, &result, failed)
	if sampler != nil && result.CutOff == "" {
		sampler.Describe()
	}
	if err := w.Finish(); err != nil {
		return code, err
	}
	if failed != nil {
		fmt.Fprintf(r.stderr, "warptape: %v; %s has what had finished\n", failed, r.output)
	} else if result.EndedBy != "" {
		fmt.Fprintf(r.stderr, "warptape: the program was ended by %s; %s has what had finished\n", result.EndedBy, r.output)
	}
	lacks := lacking(code, &result)
	if r.quiet {
		return code, cmp.Or(failed, lacks)
	}
	return code, cmp.Or(r.summary(&result, w, time.Since(start)), lacks)
}

// endNote is the header's argument that says why a recording is shorter than its program.
const endNote = "ended early by"

// noteEnd tells the trace's reader that more would have followed: a signal has ended the
// program, or an error the recording.
func noteEnd(w *wtape.Writer, result *recorder.Result, failed error) {
	why := result.EndedBy // first, since it is the same whether the connection or the process is seen to end first
	if why == "" && failed != nil {
		why = failed.Error()
	}
	if why == "" {
		return
	}
	w.UpdateHeader(func(h *trace.Header) {
		if h.Arguments == nil {
			h.Arguments = map[string]string{}
		}
		h.Arguments[endNote] = strings.ToValidUTF8(why, "?")
	})
}

// lacking is the error of a recording that lacks launches although the program ended well:
// those of refused kernels, or all from a fault on. A program that failed has its own exit
// code.
func lacking(code int, result *recorder.Result) error {
	switch {
	case code != 0:
	case result.CutOff != "":
		return errors.New("the program ended well, and the recording before it, by a fault (see above): the trace has what had finished")
	case len(result.Refused) > 0:
		return fmt.Errorf("the device refused %s (see above), and the program went on: the trace has no launches of theirs", strings.Join(result.Refused, ", "))
	}
	return nil
}

func (r *programRun) summary(result *recorder.Result, w *wtape.Writer, elapsed time.Duration) error {
	t := w.Totals()
	bytes := int64(0)
	if info, err := os.Stat(r.output); err == nil {
		bytes = info.Size()
	}
	left := ""
	if n := result.LaunchesLeftOut; n > 0 {
		left = fmt.Sprintf(" (%d launches left out)", n)
	}
	_, err := fmt.Fprintf(r.stderr, `%s: %s warp instructions of %d launches%s, %s thread blocks
  %s bytes to the device, %s to the host; the trace has %s bytes
  recorded in %.2f s
`, r.output, numbers.Grouped(t.WarpInstructions), t.Launches, left, numbers.Grouped(t.ThreadBlocks),
		numbers.Grouped(t.BytesToDevice), numbers.Grouped(t.BytesToHost), numbers.Grouped(uint64(bytes)), elapsed.Seconds())
	if result.LaunchesLeftOut > 0 && t.Launches == 0 && err == nil {
		_, err = fmt.Fprintf(r.stderr, "  no launch is what --kernel and --launches ask for; the program launched %s\n", strings.Join(result.LeftOut, ", "))
	}
	if n := w.Large(); n > 0 && err == nil {
		_, err = fmt.Fprintf(r.stderr, "  %d thread blocks are larger than --largest-block: they ran and are counted, and are not in the trace\n", n)
	}
	if err == nil {
		r.runner.describe(r.stderr)
	}
	if result.CutOff != "" && err == nil {
		_, err = fmt.Fprintf(r.stderr, "  the recording %s\n", result.CutOff)
	}
	return err
}

// runProgram gives the program's exit code.
func runProgram(c *cli.Context) error {
	if c.Bool("print-opencl-folder") {
		folder, err := openclFolder()
		if err == nil {
			_, err = fmt.Fprintln(c.App.Writer, folder)
		}
		return err
	}
	r, err := newProgramRun(c)
	if err != nil {
		return err
	}
	defer r.runner.end()
	code, err := r.record(c)
	if code == 0 {
		return err
	}
	if err != nil { // the program's exit code says more than that of an error would
		fmt.Fprintf(c.App.ErrWriter, "warptape: %v\n", err)
	}
	return commandline.Exit(code)
}

// The exit codes of shells for a program that cannot be started.
const (
	exitCannotExecute = 126
	exitNotFound      = 127
)

// notStarted gives the exit code of a program that could not be started.
func notStarted(name string, err error) (int, error) {
	code := exitCannotExecute
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = exitNotFound
	}
	if ext := filepath.Ext(name); slices.Contains([]string{".cu", ".cpp", ".cc", ".c"}, ext) {
		return code, fmt.Errorf("%[1]s is a source and cannot be started: build it with 'warptape cc %[1]s -o program', and run ./program", name)
	}
	return code, fmt.Errorf("%s cannot be started: %w", name, err)
}
