// SPDX-License-Identifier: Apache-2.0

package commandline

import "github.com/urfave/cli/v2"

// rememberNames makes the flags of the command that runs keep their names. The library asks for the
// names of all flags for each flag, and finds them with a regular expression. For fifty flags that
// took a seventh of what a process executes before the first cycle of a replay.
func rememberNames(app *cli.App, args []string) {
	commands := app.Commands
	for _, a := range args[min(1, len(args)):] {
		c := findCommand(commands, a)
		if c == nil {
			return
		}
		for i, f := range c.Flags {
			c.Flags[i] = named(f)
		}
		commands = c.Subcommands
	}
}

// named is a flag that keeps its names. One of several values stays as it is: the library tells it
// how the values are parted, by a method that only its own types have.
func named(f cli.Flag) cli.Flag {
	switch f := f.(type) {
	case *namedFlag, cli.DocGenerationSliceFlag:
		return f
	case anyFlag:
		return &namedFlag{f, f.Names()}
	}
	return f
}

// anyFlag is what the library asks flags for.
type anyFlag interface {
	cli.DocGenerationFlag
	cli.RequiredFlag
	cli.VisibleFlag
	cli.CategorizableFlag
	cli.ActionableFlag
}

type namedFlag struct {
	anyFlag
	names []string
}

func (f *namedFlag) Names() []string { return f.names }
