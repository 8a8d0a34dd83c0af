// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/kernels"
	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/frontend/host"
)

// Main executes a command line, whose first element is the program's name, and gives the
// exit code of package commandline.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	app := &cli.App{
		Name: "warptape", Usage: "run the kernels of a program on a GPU", Version: release.Version(), Writer: stdout, ErrWriter: stderr,
		Commands: []*cli.Command{measureCommand()},
	}
	return commandline.Run(ctx, app, append([]string{"warptape", "measure"}, args[1:]...))
}

func measureCommand() *cli.Command {
	return &cli.Command{
		Name:      "measure",
		Usage:     "run the kernels of a program on a GPU and write their times",
		ArgsUsage: "WORKLOAD|PROGRAM.star",
		Description: `Runs the host program as 'warptape record' does, with each launch on a GPU besides:
several times, each time from the memory that the program has then. The file has the
median of the times between two events, and cycles, where the GPU tells its clock. It
is for 'warptape correlate'. Without a GPU it says so.

Examples:
  warptape measure saxpy -o measured.csv
  warptape measure point-in-polygon --size paper --set tile_size=8 -o t8.csv
  sudo warptape measure sgemm --lock-clocks 1530`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "CSV `FILE` to write (default: the program's name with .csv)"},
			&cli.StringFlag{Name: "size", Usage: "input `SIZE` as the program declares it", Value: "small"},
			&cli.StringSliceFlag{Name: "set", Usage: "set a parameter of the program, `NAME=VALUE` (repeatable)"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the generated inputs", Value: 1},
			&cli.IntFlag{Name: "repeat", Usage: "time each launch so many times, after one that does not count", Value: 9},
			&cli.IntFlag{Name: "device", Usage: "`NUMBER` of the GPU"},
			&cli.UintFlag{Name: "lock-clocks", Usage: "keep the clock of the SMs at `MHZ` meanwhile, where that is allowed"},
			&cli.StringFlag{Name: "driver", Usage: "the driver's library, a `FILE` (default: libcuda.so.1 of the system)"},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing file"},
		},
		Action: action,
	}
}

func action(c *cli.Context) error {
	if err := commandline.ExactArgs(c, "WORKLOAD|PROGRAM.star"); err != nil {
		return err
	}
	if c.Int("repeat") < 1 || c.Int("repeat") > 10_000 {
		return commandline.Usagef("--repeat %d: want 1 to 10000", c.Int("repeat"))
	}
	program, _, err := programs.Load(c.Args().First())
	if err != nil {
		return err
	}
	set, err := programs.Settings(c.StringSlice("set"))
	if err != nil {
		return err
	}
	output := c.String("output")
	if output == "" {
		output = program.Name() + ".csv"
	}
	if err := resultfile.RefuseExisting(output, c.Bool("force")); err != nil {
		return err
	}
	options := host.Options{Size: c.String("size"), Set: set, Seed: c.Uint64("seed"), Out: c.App.ErrWriter, Compile: kernels.Compile}
	if err := program.CheckSize(&options); err != nil {
		return err
	}
	s, release, err := open(c)
	if err != nil {
		return err
	}
	defer release()
	if err := s.run(c.Context, program, options); err != nil {
		return err
	}
	return report(c, s, program.Name(), output, set)
}

// open opens the GPU, with its clock locked if that is asked for and allowed.
func open(c *cli.Context) (*session, func(), error) {
	g, err := openGPU(c.String("driver"), c.Int("device"))
	if err != nil {
		return nil, nil, err
	}
	unlock := func() {}
	if mhz := c.Uint("lock-clocks"); mhz > 0 {
		if unlock, err = lockClocks(c.Int("device"), uint32(mhz)); err != nil {
			fmt.Fprintf(c.App.ErrWriter, "warning: %v\n", err)
			unlock = func() {}
		}
	}
	s := &session{gpu: g, clock: clockMeter{gpu: g}, repeats: c.Int("repeat")}
	return s, func() { s.clock.close(); unlock(); g.Close() }, nil
}

// ErrNoGPU says that there is no GPU, or no driver for one.
var ErrNoGPU = errors.New("no GPU is at hand: measure needs an NVIDIA GPU and its driver (libcuda.so.1); 'warptape replay' needs neither")

// openGPU opens a device by a driver's library, which is the system's unless named.
func openGPU(library string, number int) (*driver.Device, error) {
	if library == "" {
		library = driver.DefaultLibrary
	}
	g, err := driver.OpenNumber(library, number, 0)
	if errors.Is(err, driver.ErrNoDevice) {
		return nil, fmt.Errorf("%w (%w)", ErrNoGPU, err)
	}
	return g, err
}

func report(c *cli.Context, s *session, program, output string, set map[string]string) error {
	if err := resultfile.Write(output, true, func(w io.Writer) error { return writeCSV(w, program, c.String("size"), set, s.list) }); err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "%s: %d launches of %s on %s (compute capability %d.%d), the median of %d each\n", output, len(s.list), program, s.gpu.Name(), s.gpu.Target()/10, s.gpu.Target()%10, s.repeats)
	if len(s.list) > 0 && s.list[0].Megahertz == 0 {
		fmt.Fprintln(c.App.Writer, "  no cycles: the GPU does not tell its clock")
	}
	for i := range s.list {
		m := &s.list[i]
		fmt.Fprintf(c.App.Writer, "  %4d  %-24s %12.3f us  (%.3f to %.3f)  %s\n", m.Launch, m.Kernel, m.Nanoseconds/1000, m.Low/1000, m.High/1000, clockText(m))
	}
	return nil
}

func clockText(m *Measurement) string {
	if m.Megahertz == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f cycles at %.0f MHz", m.Cycles(), m.Megahertz)
}

// writeCSV writes a row for each launch, with the columns of warptape correlate.
func writeCSV(w io.Writer, program, size string, set map[string]string, list []Measurement) error {
	out := csv.NewWriter(w)
	names := slices.Sorted(maps.Keys(set))
	out.Write(slices.Concat([]string{"workload", "size"}, names, []string{"kernel", "launch", "time_ns", "cycles"}))
	for i := range list {
		m := &list[i]
		row := []string{program, size}
		for _, name := range names {
			row = append(row, set[name])
		}
		cycles := ""
		if m.Megahertz > 0 {
			cycles = strconv.FormatFloat(m.Cycles(), 'f', 0, 64)
		}
		out.Write(append(row, m.Kernel, strconv.Itoa(m.Launch), strconv.FormatFloat(m.Nanoseconds, 'f', 1, 64), cycles))
	}
	out.Flush()
	return out.Error()
}
