// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/store"
)

func storeGCCommand() *cli.Command {
	return &cli.Command{
		Name:  "gc",
		Usage: "remove traces without a name that are not used",
		Description: `Removes what was not used for --unused-for, and with --max-size the least recently
used until the rest fits. Traces with a name stay unless --tagged is given. What
interrupted downloads left goes too, when it is as old and at least a day.

Examples:
  warptape store gc --dry-run
  warptape store gc --unused-for 0d
  warptape store gc --max-size 20GB --tagged`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "unused-for", Usage: "remove what was not used for this `AGE` (default: 30d without --max-size)"},
			&cli.StringFlag{Name: "max-size", Usage: "remove until no more than `BYTES` are left"},
			&cli.BoolFlag{Name: "tagged", Usage: "also remove traces that have names"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be removed"},
			&cli.BoolFlag{Name: "json", Usage: "as JSON"},
		},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			o, err := collectOptions(c)
			if err != nil {
				return err
			}
			s, err := localStore()
			if err != nil {
				return err
			}
			done, err := s.Collect(o)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return writeJSON(c.App.Writer, done)
			}
			return writeCollected(c, &done)
		},
	}
}

func collectOptions(c *cli.Context) (store.CollectOptions, error) {
	o := store.CollectOptions{UnusedFor: -1, MaxBytes: -1, Tagged: c.Bool("tagged"), DryRun: c.Bool("dry-run"), Now: time.Now()}
	age := c.String("unused-for")
	if text := c.String("max-size"); text != "" {
		n, err := parseBytes(text)
		if err != nil {
			return o, commandline.Usagef("--max-size %v", err)
		}
		o.MaxBytes = n
	} else if age == "" {
		age = "30d"
	}
	if age != "" {
		d, err := parseAge(age)
		if err != nil {
			return o, commandline.Usagef("--unused-for %v", err)
		}
		o.UnusedFor = d
	}
	return o, nil
}

func writeCollected(c *cli.Context, done *store.Collected) error {
	verb := "removed"
	if c.Bool("dry-run") {
		verb = "would remove"
	}
	for i := range done.Removed {
		e := &done.Removed[i]
		fmt.Fprintf(c.App.Writer, "%s %s, content sha256:%.12s, %s, last used %s\n",
			verb, listedNames(e)[0], e.Content, bytesText(e.Bytes), e.Used.Format(time.DateOnly))
	}
	for _, path := range done.Leftovers {
		fmt.Fprintf(c.App.Writer, "%s %s, left by an interrupted command\n", verb, path)
	}
	_, err := fmt.Fprintf(c.App.Writer, "%s %s; %d traces with %s are kept\n", verb, bytesText(done.FreedBytes), done.KeptTraces, bytesText(done.KeptBytes))
	return err
}

var errStoreFaulty = errors.New("the store has faults")

func storeVerifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "read stored traces from end to end and check them",
		ArgsUsage: "[NAME[:TAG]|NAME@sha256:HEX]",
		Description: `Without an argument checks the whole store.

Examples:
  warptape store verify
  warptape store verify saxpy:v1`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress"}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return verifyStored(c)
			}
			s, err := localStore()
			if err != nil {
				return err
			}
			list, err := s.Entries()
			if err != nil {
				return err
			}
			total := int64(0)
			for _, e := range list {
				total += e.Bytes
			}
			m := newTransferMeter(c.App.ErrWriter, c.Bool("quiet"), "verify")
			n, faults, err := s.VerifyAll(c.Context, func(bytes int64) { m.update(bytes, total) })
			m.done()
			if err != nil {
				return err
			}
			for _, f := range faults {
				fmt.Fprintf(c.App.ErrWriter, "warptape: %v\n", f)
			}
			if len(faults) > 0 {
				return errStoreFaulty
			}
			_, err = fmt.Fprintf(c.App.Writer, "%d traces, %s: good\n", n, bytesText(total))
			return err
		},
	}
}

func verifyStored(c *cli.Context) error {
	s, ref, err := storeArgument(c, "NAME[:TAG]")
	if err != nil {
		return err
	}
	e, err := s.Lookup(ref)
	if err != nil {
		return err
	}
	if err := s.Verify(e.Digest); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s: good: %s, content sha256:%s\n", ref, bytesText(e.Bytes), e.Content)
	return err
}
