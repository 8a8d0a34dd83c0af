// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/trace/store"
	"github.com/warptape/warptape/trace/store/registry"
)

// registryFlags are those of the commands that talk to a registry.
func registryFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "plain-http", Usage: "speak HTTP instead of HTTPS (default: only with registries on this machine)"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no summary"},
	}
}

// registryOptions reads them.
func registryOptions(c *cli.Context, m *transferMeter) registry.Options {
	o := registry.Options{UserAgent: "warptape/" + release.Version(), Progress: m.update, Notice: m.notice}
	if c.IsSet("plain-http") {
		plain := c.Bool("plain-http")
		o.PlainHTTP = &plain
	}
	return o
}

func pushCommand() *cli.Command {
	return &cli.Command{
		Name:      "push",
		Usage:     "share a trace through an OCI registry",
		ArgsUsage: "TRACE REGISTRY/NAME[:TAG]",
		Description: `Verifies a trace, which is a file or a name of the local store, and uploads it with
its provenance. What the registry has is not sent again: run the same command again
after an interruption. Credentials are those of docker login.

Examples:
  warptape push saxpy.wtape registry.example.org/team/saxpy:v1
  warptape push bfs:rmat localhost:5000/bfs:rmat`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "move a tag that is another artifact's"},
			&cli.StringFlag{Name: "part-size", Usage: "send the file in parts of `BYTES`; registries may limit requests", Value: "32MiB"},
		}, registryFlags()...),
		Action: pushAction,
	}
}

func pushAction(c *cli.Context) error {
	if err := commandline.ExactArgs(c, "TRACE", "REGISTRY/NAME[:TAG]"); err != nil {
		return err
	}
	ref, err := store.ParseReference(c.Args().Get(1))
	if err != nil {
		return commandline.Usagef("push: %v", err)
	}
	partBytes, err := parseBytes(c.String("part-size"))
	if err != nil || partBytes < 64<<10 {
		return commandline.Usagef("--part-size %q: want a size of at least 64KiB", c.String("part-size"))
	}
	path, err := resolveTrace(c.Args().First())
	if err != nil {
		return err
	}
	m := newTransferMeter(c.App.ErrWriter, c.Bool("quiet"), "push "+ref.String())
	o := registryOptions(c, m)
	o.Move, o.PartBytes = c.Bool("force"), partBytes
	p, err := registry.Push(c.Context, path, ref, o)
	m.done()
	if err != nil {
		return err
	}
	// The local copy, if it is a stored one, is known by the manifest from now on.
	if s, err := localStore(); err == nil {
		_ = s.AddOrigin(p.FileDigest, store.Origin{Name: ref.Name(), Manifest: p.Manifest})
	}
	if c.Bool("quiet") {
		return nil
	}
	_, err = fmt.Fprintf(c.App.Writer, `%s: %s; %s of that had to be sent
  get it with: warptape pull %s
  or for good: warptape pull %s@sha256:%s
`, p.Reference, bytesText(p.Bytes), bytesText(p.SentBytes), p.Reference, ref.Name(), p.Manifest)
	return err
}
