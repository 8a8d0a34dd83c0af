// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/docs"
)

func resultsGCCommand() *cli.Command {
	return &cli.Command{
		Name:      "gc",
		Usage:     "remove results and traces that no sweep of the folder names",
		ArgsUsage: "[DIR]",
		Description: `Removes results, failures and recorded traces that are in no sweep's manifest and as old
as --unused-for says, and what killed commands have left, when it is also at least a day
old. What a sweep names stays: to be rid of a sweep, first remove DIR/sweeps/NAME.

Examples:
  warptape results gc study --dry-run
  warptape results gc study --unused-for 1d`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "unused-for", Usage: "remove what is of this `AGE`", Value: "30d"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be removed"},
			&cli.BoolFlag{Name: "json", Usage: "as JSON"},
		},
		Action: func(c *cli.Context) error {
			if err := folderAlone(c); err != nil {
				return err
			}
			age, err := parseAge(c.String("unused-for"))
			if err != nil {
				return commandline.Usagef("--unused-for %v", err)
			}
			s, err := openResults(c)
			if err != nil {
				return err
			}
			done, err := s.Collect(results.CollectOptions{Unused: age, DryRun: c.Bool("dry-run")})
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return writeJSON(c.App.Writer, done)
			}
			return writeCollectedResults(c, done)
		},
	}
}

func writeCollectedResults(c *cli.Context, done *results.Collected) error {
	verb := "removed"
	if c.Bool("dry-run") {
		verb = "would remove"
	}
	for _, path := range done.Paths {
		fmt.Fprintf(c.App.Writer, "%s %s\n", verb, path)
	}
	_, err := fmt.Fprintf(c.App.Writer, "%s: results %d, failures %d, traces %d, leftovers %d; %s. Kept: files that a sweep names %d, younger than %s %d\n",
		verb, done.Points, done.Failures, done.Traces, done.Leftovers, bytesText(done.FreedBytes), done.Named, c.String("unused-for"), done.Young)
	return err
}

var errResultsFaulty = errors.New("the folder of results has faults")

// resultSchema is that of docs/results.schema.json.
var resultSchema = docs.ResultSchema

func resultsCheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "read a folder of results from end to end and check it",
		ArgsUsage: "[DIR]",
		Description: `Reads every result, compares it with its name, its checksum and the schema of results,
and looks whether the traces of sweeps are those that were replayed.

Examples:
  warptape results check study`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "as JSON"}},
		Action: func(c *cli.Context) error {
			if err := folderAlone(c); err != nil {
				return err
			}
			s, err := openResults(c)
			if err != nil {
				return err
			}
			validate, err := schemaValidator()
			if err != nil {
				return err
			}
			done, err := s.Check(c.Context, validate)
			if err != nil {
				return err
			}
			return writeChecked(c, done)
		},
	}
}

func writeChecked(c *cli.Context, done *results.Checked) error {
	if c.Bool("json") {
		if err := writeJSON(c.App.Writer, done); err != nil {
			return err
		}
	} else {
		for _, f := range done.Faults {
			fmt.Fprintf(c.App.ErrWriter, "warptape: %s: %s\n", f.Path, f.Problem)
		}
		fmt.Fprintf(c.App.Writer, "results %d, failures %d, sweeps %d, traces %d: faults %d\n", done.Points, done.Failures, done.Sweeps, done.Traces, len(done.Faults))
	}
	if len(done.Faults) > 0 {
		return errResultsFaulty
	}
	return nil
}

// schemaValidator compares JSON with the schema of results.
func schemaValidator() (func(text []byte) error, error) {
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(resultSchema, schema); err != nil {
		return nil, err
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, err
	}
	return func(text []byte) error {
		var value any
		err := json.Unmarshal(text, &value)
		if err == nil {
			err = resolved.Validate(value)
		}
		return err
	}, nil
}
