// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/trace/store"
)

func storeCommand() *cli.Command {
	return &cli.Command{
		Name:  "store",
		Usage: "manage the local store of traces",
		Subcommands: []*cli.Command{
			storeListCommand(), storeAddCommand(), storeRemoveCommand(),
			storeGCCommand(), storePathCommand(), storeVerifyCommand(),
		},
	}
}

func storeListCommand() *cli.Command {
	return &cli.Command{
		Name:  "list",
		Usage: "list the stored traces",
		Description: `Every digest of a trace finds it: that of its file, that of its content and those of
its manifests in registries; eight characters are enough.

Examples:
  warptape store list
  warptape store list --json`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "as JSON"}},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			s, err := localStore()
			if err != nil {
				return err
			}
			list, err := s.List()
			if err != nil {
				return err
			}
			if err := warnFaults(c, s); err != nil {
				return err
			}
			if c.Bool("json") {
				return writeJSON(c.App.Writer, append([]store.Listed{}, list...))
			}
			return writeStoreList(c.App.Writer, s, list)
		},
	}
}

// warnFaults names what does not belong into the store.
func warnFaults(c *cli.Context, s *store.Store) error {
	faults, err := s.Faults()
	for _, f := range faults {
		fmt.Fprintf(c.App.ErrWriter, "warptape: %v\n", f)
	}
	return err
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func writeStoreList(out io.Writer, s *store.Store, list []store.Listed) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "name\tcontent sha256\tsize\tprogram\twarp instructions\tlast used")
	total := int64(0)
	for i := range list {
		e := &list[i]
		total += e.Bytes
		for k, name := range listedNames(e) {
			if k > 0 {
				fmt.Fprintf(w, "%s\t(the same)\t\t\t\t\n", name)
				continue
			}
			program := shortened(e.Program)
			if e.Sampling != "" {
				program += " (sampled)"
			}
			fmt.Fprintf(w, "%s\t%.12s\t%s\t%s\t%s\t%s\n", name, e.Content, bytesText(e.Bytes), program,
				numbers.Grouped(e.WarpInstructions), e.Used.Format(time.DateOnly))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d traces, %s, in %s\n", len(list), bytesText(total), s.Root())
	return err
}

// shortened keeps the name of a merged trace's program, which lists all of them, from
// filling the screen.
func shortened(program string) string {
	const most = 40
	if letters := []rune(program); len(letters) > most {
		return string(letters[:most-3]) + "..."
	}
	return program
}

// listedNames are the tags of a trace; where it has none, where it came from.
func listedNames(e *store.Listed) []string {
	if len(e.Tags) > 0 {
		return e.Tags
	}
	for _, o := range e.Origins {
		return []string{fmt.Sprintf("%s@sha256:%.12s", o.Name, o.Manifest)}
	}
	return []string{"-"}
}

func storeAddCommand() *cli.Command {
	return &cli.Command{
		Name:      "add",
		Usage:     "copy a trace file into the store",
		ArgsUsage: "FILE.wtape [NAME[:TAG]]",
		Description: `The name is by default that of the file without .wtape. The trace is verified.

Examples:
  warptape store add saxpy.wtape
  warptape store add saxpy.wtape saxpy:n1048576`,
		Action: func(c *cli.Context) error {
			args := []string{"FILE.wtape"}
			if c.NArg() > 1 {
				args = append(args, "NAME[:TAG]")
			}
			if err := commandline.ExactArgs(c, args...); err != nil {
				return err
			}
			file, name := c.Args().Get(0), c.Args().Get(1)
			if name == "" {
				name = strings.TrimSuffix(filepath.Base(file), ".wtape")
			}
			ref, err := storeName(name)
			if err != nil {
				return commandline.Usagef("add: %v", err)
			}
			s, err := localStore()
			if err != nil {
				return err
			}
			e, err := s.Add(file, ref)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.App.Writer, "%s: content sha256:%s\n", ref, e.Content)
			return err
		},
	}
}

// storeName reads NAME[:TAG].
func storeName(text string) (store.Reference, error) {
	ref, err := store.ParseReference(text)
	if err == nil && ref.Digest != "" {
		err = fmt.Errorf("%q: want NAME[:TAG]; the digest follows from the trace", text)
	}
	return ref, err
}

func storeRemoveCommand() *cli.Command {
	return &cli.Command{
		Name:      "remove",
		Usage:     "remove a name, and the trace with its last name",
		ArgsUsage: "NAME[:TAG]|sha256:HEX",
		Description: `Examples:
  warptape store remove saxpy:v1
  warptape store remove sha256:d9103c212d58 --force`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "by digest: remove the trace's names too"}},
		Action: func(c *cli.Context) error {
			s, ref, err := storeArgument(c, "NAME[:TAG]")
			if err != nil {
				return err
			}
			done, err := s.Remove(ref, c.Bool("force"))
			if err != nil {
				return err
			}
			for _, t := range done.Tags {
				fmt.Fprintf(c.App.Writer, "removed the name %s\n", t)
			}
			if done.Digest != "" {
				fmt.Fprintf(c.App.Writer, "removed the trace sha256:%s, %s\n", done.Digest, bytesText(done.Bytes))
			}
			return nil
		},
	}
}

// storeArgument reads the only argument of a command as a reference.
func storeArgument(c *cli.Context, what string) (*store.Store, store.Reference, error) {
	if err := commandline.ExactArgs(c, what); err != nil {
		return nil, store.Reference{}, err
	}
	ref, err := store.ParseReference(c.Args().First())
	if err != nil {
		return nil, ref, commandline.Usagef("%s: %v", c.Command.Name, err)
	}
	s, err := localStore()
	return s, ref, err
}

func storePathCommand() *cli.Command {
	return &cli.Command{
		Name:      "path",
		Usage:     "print the file of a stored trace, or the store's folder",
		ArgsUsage: "[NAME[:TAG]|NAME@sha256:HEX]",
		Description: `Examples:
  warptape store path
  cp "$(warptape store path saxpy:v1)" saxpy.wtape`,
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				s, err := localStore()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.App.Writer, s.Root())
				return err
			}
			s, ref, err := storeArgument(c, "NAME[:TAG]")
			if err != nil {
				return err
			}
			e, err := s.Lookup(ref)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.App.Writer, e.Path)
			return err
		},
	}
}
