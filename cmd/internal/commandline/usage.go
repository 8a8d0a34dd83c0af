// SPDX-License-Identifier: Apache-2.0

// Package commandline runs the apps of package cli in one manner for all of our commands.
// That covers what a wrong command line is and says, exit codes, flags behind arguments,
// and flags that take lists.
package commandline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/suggestion"
)

// Exit codes.
const (
	ExitOK     = 0
	ExitFailed = 1 // the run failed: bad input, fault, failed check, full disk
	ExitUsage  = 2 // the command line was wrong
)

// usageError is a wrong command line; it ends with exit code 2.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

// Usagef is a wrong command line, for which Run gives ExitUsage.
func Usagef(format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...)}
}

// exitError ends a command with an exit code and without a word.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// Exit is the end of a command that passes on another program's exit code.
func Exit(code int) error { return exitError{code} }

// Run executes one command line of an app and returns its exit code. Errors go to
// the app's ErrWriter.
func Run(ctx context.Context, app *cli.App, args []string) int {
	prepareApp(app)
	args = Interspersed(app, args)
	rememberNames(app, args)
	err := app.RunContext(ctx, args)
	if err == nil {
		return ExitOK
	}
	var exit exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintf(app.ErrWriter, "%s: interrupted; nothing was left half-written\n", app.Name)
		return ExitFailed
	}
	fmt.Fprintf(app.ErrWriter, "%s: %s\n", app.Name, strings.TrimRight(err.Error(), "\n"))
	var usage usageError
	if errors.As(err, &usage) {
		fmt.Fprintf(app.ErrWriter, "run '%s help' or '%s COMMAND --help' for usage\n", app.Name, app.Name)
		return ExitUsage
	}
	return ExitFailed
}

// prepareApp gives an app what all of ours have: one handling of usage errors, and
// completion.
func prepareApp(app *cli.App) {
	// The library's -v for --version would shadow nothing of ours, but -h is
	// enough of a short name for what a script never needs.
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Usage: "print the version"}
	app.EnableBashCompletion = true
	app.Suggest = true
	// Arguments of overlays have commas: Listed splits where a flag takes several.
	app.DisableSliceFlagSeparator = true
	app.ExitErrHandler = func(*cli.Context, error) {} // Run reports errors and picks the exit code
	app.OnUsageError = onUsageError
	app.Action = unknownOrHelp
	for _, c := range app.Commands {
		prepare(c)
	}
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

// onUsageError says in our words what the library says of flags: with as many dashes
// as we write, and with the flag that may be meant.
func onUsageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return Usagef("flag %s needs a value", dashed(strings.TrimPrefix(name, "-")))
	}
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		flag := dashed(strings.TrimPrefix(name, "-"))
		return Usagef("no flag %s%s", flag, suggestion.For(flag, written(flagsOf(c))))
	}
	return usageError{text}
}

// flagsOf are the flags of the command that runs, or the app's.
func flagsOf(c *cli.Context) []cli.Flag {
	if c.Command != nil && len(c.Command.Flags) > 0 {
		return c.Command.Flags
	}
	return c.App.Flags
}

// written are the names of flags as a command line has them.
func written(flags []cli.Flag) (names []string) {
	for _, f := range flags {
		for _, name := range f.Names() {
			names = append(names, dashed(name))
		}
	}
	return names
}

// dashed is a flag as it is written.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
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
	return Usagef("no command %q%s; there are: %s", name, where, strings.Join(names, ", "))
}

// ExactArgs refuses a wrong number of positional arguments.
func ExactArgs(c *cli.Context, names ...string) error {
	switch n := c.NArg(); {
	case n < len(names):
		return Usagef("%s: missing argument %s", c.Command.Name, names[n])
	case n > len(names):
		return Usagef("%s: unexpected argument %q", c.Command.Name, c.Args().Get(len(names)))
	}
	return nil
}
