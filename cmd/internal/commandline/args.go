// SPDX-License-Identifier: Apache-2.0

package commandline

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// StopsAtProgram is the key of App.Metadata that names the command whose arguments are
// another program's command line: its own flags stand before.
const StopsAtProgram = "stops at program"

// Interspersed moves the flags of a command in front of its positional
// arguments, so that "replay FILE --arch A" works. The flag package that parses
// for us stops at the first positional argument.
func Interspersed(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	commands, flags := app.Commands, app.Flags
	i := 1
	for i < len(args) {
		c := findCommand(commands, args[i])
		if c == nil {
			break
		}
		if c.SkipFlagParsing {
			return args
		}
		if i == 1 && app.Metadata[StopsAtProgram] == c.Name {
			return args
		}
		commands, flags = c.Subcommands, c.Flags
		i++
	}
	var options, positional []string
	rest := args[i:]
	for k := 0; k < len(rest); k++ {
		a := rest[k]
		if a == "--" {
			positional = append(positional, rest[k+1:]...)
			break
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			positional = append(positional, a)
			continue
		}
		options = append(options, a)
		if !takesValue(flags, a) {
			continue
		}
		if k+1 == len(rest) {
			// The flag lacks its value. It stands last, so that the parser says so:
			// a positional argument behind it would be taken for the value.
			positional = nil
			break
		}
		k++
		options = append(options, rest[k])
	}
	out := append([]string{}, args[:i]...)
	out = append(out, options...)
	if len(positional) > 0 && strings.HasPrefix(positional[0], "-") && positional[0] != "-" {
		out = append(out, "--")
	}
	return append(out, positional...)
}

func findCommand(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// takesValue reports whether the flag as written takes its value from the next
// argument.
func takesValue(flags []cli.Flag, written string) bool {
	name := strings.TrimLeft(written, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range flags {
		for _, n := range f.Names() {
			if n != name {
				continue
			}
			d, ok := f.(cli.DocGenerationFlag)
			return !ok || d.TakesValue()
		}
	}
	return false
}
