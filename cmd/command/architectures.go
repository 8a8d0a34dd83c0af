package command

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/timing/arch"
)

// archFlag names architectures; what says what for.
func archFlag(what string) cli.Flag {
	return &cli.StringSliceFlag{Name: "arch", Aliases: []string{"a"}, Usage: "`ARCH` " + what + ", MACHINE[+OVERLAY[(NAME=VALUE,...)]...] (repeatable)"}
}

// setFlag changes single values of all architectures of a command.
func setFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "set", Usage: "set a value of every architecture after its overlays, `KEY=VALUE` with a key of warptape arch show (repeatable)"}
}

// architectures are the specifications that the flags arch and set come to.
func architectures(c *cli.Context) []string {
	specs := listed(c, "arch")
	for i := range specs {
		specs[i] = arch.WithSettings(specs[i], c.StringSlice("set"))
	}
	return specs
}

// listed splits the values of a flag that takes several at commas, but not inside
// parentheses, where commas part the arguments of overlays.
func listed(c *cli.Context, flag string) []string {
	var out []string
	for _, value := range c.StringSlice(flag) {
		out = append(out, commaParts(value)...)
	}
	return out
}

// commaParts splits a text at the commas that are not inside parentheses.
func commaParts(value string) []string {
	var out []string
	depth, first := 0, 0
	for i, r := range value {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth <= 0:
			out, first = append(out, strings.TrimSpace(value[first:i])), i+1
		}
	}
	return append(out, strings.TrimSpace(value[first:]))
}
