// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/trace/store"
	"github.com/warptape/warptape/trace/store/registry"
)

func pullCommand() *cli.Command {
	return &cli.Command{
		Name:      "pull",
		Usage:     "fetch a trace from an OCI registry into the local store",
		ArgsUsage: "REGISTRY/NAME[:TAG]|REGISTRY/NAME@sha256:HEX",
		Description: `Downloads a trace, verifies it from end to end, and stores it, so that every command
finds it by the same name without the network. A digest may be that of the manifest,
which push prints, or that of the trace's content, which results are stamped with.
Run the same command again after an interruption: it continues.

Examples:
  warptape pull registry.example.org/team/saxpy:v1
  warptape replay registry.example.org/team/saxpy:v1 --arch gtx480
  warptape pull registry.example.org/team/saxpy@sha256:d9103c212d58e359029890b334ec68124f7a0625338044be841f1894a465bb39
  warptape pull localhost:5000/bfs:rmat -o bfs.wtape`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "also copy the trace to `FILE`"},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing file"},
		}, registryFlags()...),
		Action: pullAction,
	}
}

func pullAction(c *cli.Context) error {
	if err := commandline.ExactArgs(c, "REGISTRY/NAME[:TAG]"); err != nil {
		return err
	}
	ref, err := store.ParseReference(c.Args().First())
	if err != nil {
		return commandline.Usagef("pull: %v", err)
	}
	output := c.String("output")
	if output != "" {
		if err := resultfile.RefuseExisting(output, c.Bool("force")); err != nil {
			return err
		}
	}
	s, err := localStore()
	if err != nil {
		return err
	}
	m := newTransferMeter(c.App.ErrWriter, c.Bool("quiet"), "pull "+ref.String())
	p, err := registry.Pull(c.Context, s, ref, registryOptions(c, m))
	m.done()
	if err != nil {
		return err
	}
	if output != "" {
		if err := copyTrace(p.Entry, output, c.Bool("force")); err != nil {
			return err
		}
	}
	if c.Bool("quiet") {
		return nil
	}
	_, err = fmt.Fprintf(c.App.Writer, `%s: %s; %s of that had to be fetched; verified
  content sha256:%s, %s warp instructions of %s
  use it as:   warptape replay %s --arch gtx480
`, p.Reference, bytesText(p.Entry.Bytes), bytesText(p.FetchedBytes),
		p.Entry.Content, numbers.Grouped(p.Entry.WarpInstructions), shortened(p.Entry.Program), p.Reference)
	return err
}

// copyTrace copies a stored trace to a file.
func copyTrace(e store.Entry, output string, force bool) error {
	return resultfile.Write(output, force, func(w io.Writer) error {
		in, err := os.Open(e.Path)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(w, in)
		return err
	})
}
