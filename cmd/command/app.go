package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	// The mechanisms' overlays and counters.
	_ "github.com/warptape/warptape/timing/mechanisms"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // the run failed: bad input, fault, failed check, full disk
	exitUsage  = 2 // the command line was wrong
)

// usageError is a wrong command line; it ends with exit code 2.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...)}
}

// run executes one command line and returns its exit code. Results go to
// stdout, everything else (progress, warnings, errors) to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	app := newApp(stdout, stderr)
	err := app.RunContext(ctx, interspersed(app, args))
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "warptape: interrupted; nothing was left half-written")
		return exitFailed
	}
	fmt.Fprintf(stderr, "warptape: %s\n", strings.TrimRight(err.Error(), "\n"))
	var usage usageError
	if errors.As(err, &usage) {
		fmt.Fprintln(stderr, "run 'warptape help' or 'warptape COMMAND --help' for usage")
		return exitUsage
	}
	return exitFailed
}

func newApp(stdout, stderr io.Writer) *cli.App {
	// The library's -v for --version would shadow nothing of ours, but -h is
	// enough of a short name for what a script never needs.
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Usage: "print the version"}
	app := &cli.App{
		Name:    "warptape",
		Usage:   "record a GPU program once, replay it on any architecture",
		Version: version(),
		Description: `Examples:
  warptape demo                                            the whole job, on six workloads and several machines
  warptape record saxpy                                    record a workload of the catalogue to saxpy.wtape
  warptape record mine/kernel.star -o k.wtape              record your own host program
  warptape replay saxpy.wtape --arch gtx480 --arch mesh56  compare two machines
  warptape arch show gtx480+lrr                            every value of a machine, with its source`,
		Writer:               stdout,
		ErrWriter:            stderr,
		EnableBashCompletion: true,
		HideHelpCommand:      false,
		Suggest:              true,
		// Arguments of overlays have commas: listed splits where a flag takes several.
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {}, // run reports errors and picks the exit code
		OnUsageError:              onUsageError,
		Action:                    unknownOrHelp,
		Commands: []*cli.Command{
			demoCommand(), recordCommand(), replayCommand(), energyCommand(), reproduceCommand(), timelineCommand(), offloadCommand(), traceCommand(),
			pushCommand(), pullCommand(), storeCommand(),
			archCommand(), workloadCommand(), ptxCommand(), affineCommand(), completionCommand(), docsCommand(), validateCommand(), samplingCommand(), energyTablesCommand(), combinationsCommand(),
		},
	}
	for _, c := range app.Commands {
		prepare(c)
	}
	return app
}

// prepare gives every command our handling of usage errors.
func prepare(c *cli.Command) {
	c.OnUsageError = onUsageError
	if len(c.Subcommands) > 0 && c.Action == nil {
		c.Action = unknownOrHelp
	}
	for _, sub := range c.Subcommands {
		prepare(sub)
	}
}

func onUsageError(c *cli.Context, err error, _ bool) error {
	return usageError{err.Error()}
}

// unknownOrHelp is the action of a command that needs a subcommand.
func unknownOrHelp(c *cli.Context) error {
	if !c.Args().Present() {
		if c.Command == nil || c.Command.Name == "" || c.Command.Name == c.App.Name {
			return cli.ShowAppHelp(c)
		}
		return cli.ShowSubcommandHelp(c)
	}
	name := c.Args().First()
	commands := c.App.Commands
	where := ""
	if c.Command != nil && len(c.Command.Subcommands) > 0 {
		commands = c.Command.Subcommands
		if c.Command.Name != c.App.Name {
			where = " of " + c.Command.Name
		}
	}
	var names []string
	for _, k := range commands {
		if !k.Hidden {
			names = append(names, k.Name)
		}
	}
	return usagef("no command %q%s; there are: %s", name, where, strings.Join(names, ", "))
}

// exactArgs refuses a wrong number of positional arguments.
func exactArgs(c *cli.Context, names ...string) error {
	switch n := c.NArg(); {
	case n < len(names):
		return usagef("%s: missing argument %s", c.Command.Name, names[n])
	case n > len(names):
		return usagef("%s: unexpected argument %q", c.Command.Name, c.Args().Get(len(names)))
	}
	return nil
}
