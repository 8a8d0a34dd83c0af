// SPDX-License-Identifier: Apache-2.0

package commandline

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// everyKind is a command with a flag of each kind that ours have.
func everyKind(action cli.ActionFunc) *cli.App {
	return &cli.App{Name: "test", Writer: new(bytes.Buffer), ErrWriter: new(bytes.Buffer), Commands: []*cli.Command{{Name: "act", Action: action, Flags: []cli.Flag{
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "agree"},
		&cli.DurationFlag{Name: "time", Usage: "wait `TIME`"},
		&cli.Float64Flag{Name: "share", Value: 0.5},
		&cli.Int64Flag{Name: "large"},
		&cli.IntFlag{Name: "number", Category: "COUNTS", Action: func(_ *cli.Context, n int) error {
			if n < 0 {
				return Usagef("--number is negative")
			}
			return nil
		}},
		&cli.StringFlag{Name: "file", Required: true},
		&cli.StringSliceFlag{Name: "each", Aliases: []string{"e"}},
		&cli.Uint64Flag{Name: "seed"},
		&cli.UintFlag{Name: "hidden", Hidden: true},
	}}}}
}

// Flags that keep their names are otherwise as they were: names, text, values, actions and help.
func TestFlagsThatKeepTheirNamesAreAsTheyWere(t *testing.T) {
	plain, kept := everyKind(nil), everyKind(nil)
	rememberNames(kept, []string{"test", "act"})
	for i, f := range plain.Commands[0].Flags {
		k := kept.Commands[0].Flags[i]
		if !slices.Equal(f.Names(), k.Names()) || f.String() != k.String() {
			t.Errorf("flag %q became %q", f, k)
		}
		_, several := f.(*cli.StringSliceFlag)
		if _, keeps := k.(*namedFlag); keeps == several {
			t.Errorf("flag %q keeps its names: %v", f, keeps)
		}
		if named(k) != k {
			t.Errorf("flag %q keeps its names twice", f)
		}
	}
	var texts [2]string
	for i, app := range []*cli.App{plain, kept} {
		if err := app.Run([]string{"test", "act", "--help"}); err != nil {
			t.Fatal(err)
		}
		texts[i] = app.Writer.(*bytes.Buffer).String()
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "agree") {
		t.Errorf("help became\n%s\ninstead of\n%s", texts[1], texts[0])
	}
}

func TestACommandReadsFlagsThatKeepTheirNames(t *testing.T) {
	for _, c := range []struct {
		line string
		code int
	}{
		{"act -y x --file f --number 3 -e a,b -e c --time 2s", ExitOK},
		{"act --file f --number -3", ExitUsage},
		{"act -y", ExitFailed}, // without its file
	} {
		app := everyKind(func(c *cli.Context) error {
			if !c.Bool("yes") || !c.IsSet("yes") || !c.IsSet("y") || c.IsSet("seed") || c.Int("number") != 3 || !slices.Equal(c.StringSlice("each"), []string{"a,b", "c"}) || c.Args().First() != "x" {
				t.Errorf("read %v, %v, %v", c.FlagNames(), c.StringSlice("each"), c.Args())
			}
			return nil
		})
		if code := Run(context.Background(), app, append([]string{"test"}, strings.Fields(c.line)...)); code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s", c.line, code, c.code, app.ErrWriter)
		}
	}
}
