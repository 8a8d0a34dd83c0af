// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/trace/store"
	"github.com/warptape/warptape/trace/store/registry"
)

func sweepWorkCommand() *cli.Command {
	return &cli.Command{
		Name:      "work",
		Usage:     "make points of a sweep that is prepared",
		ArgsUsage: "FOLDER NAME",
		Description: `What a task of a cluster runs: replays points of the sweep NAME in a folder of results
that warptape sweep --prepare has filled. It needs neither the plan nor the workloads. A
trace that is not where it was is taken from the local store, or pulled by its digest.
docs/executors.md has files for several schedulers.

Examples:
  warptape sweep plan.yaml --results study --prepare
  warptape sweep work study plan --shard 0/8
  warptape sweep work study plan --shard 0/8 --pull registry.example.org/team/traces`,
		Flags:  workFlags(),
		Action: sweepWorkAction,
	}
}

// workFlags are those of processes that replay points.
func workFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "shard", Usage: "make part `I/N` of the points only, with I from 0 to N-1"},
		&cli.IntFlag{Name: "workers", Usage: "replays that run at the same time (0: one per core); results are the same"},
		&cli.StringFlag{Name: "memory", Usage: "keep to `BYTES`: fewer replays run at the same time where machines and traces are large"},
		&cli.StringFlag{Name: "pull", Usage: "fetch traces that are not here from `REGISTRY/NAME` by their digests"},
		&cli.BoolFlag{Name: "plain-http", Usage: "speak HTTP instead of HTTPS with the registry of --pull (default: only with registries on this machine)"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress"},
		noShareFlag(),
	}
}

// runnerOf reads workFlags.
func runnerOf(c *cli.Context) (*sweep.Runner, *sweepMeter, error) {
	m := &sweepMeter{w: c.App.ErrWriter, quiet: c.Bool("quiet")}
	r := &sweep.Runner{Workers: c.Int("workers"), NoShare: c.Bool(noShare), Say: m.say, Progress: m.update}
	if r.Workers < 0 {
		return nil, nil, commandline.Usagef("--workers %d: must not be negative", r.Workers)
	}
	var err error
	if text := c.String("shard"); text != "" {
		if r.Shard, r.Shards, err = parseShard(text); err != nil {
			return nil, nil, err
		}
	}
	if text := c.String("memory"); text != "" {
		if r.MemoryBytes, err = parseBytes(text); err != nil || r.MemoryBytes < sweep.LeastMemoryBytes {
			return nil, nil, commandline.Usagef("--memory %q: want a size of at least %s", text, bytesText(sweep.LeastMemoryBytes))
		}
	}
	if text := c.String("pull"); text != "" {
		if r.Pull, err = puller(c, text); err != nil {
			return nil, nil, err
		}
	}
	return r, m, nil
}

// puller fetches traces by their digests from a name of a registry.
func puller(c *cli.Context, text string) (func(ctx context.Context, digest string) (string, error), error) {
	ref, err := store.ParseReference(text)
	if err == nil && (ref.Registry == "" || ref.Tag != "" || ref.Digest != "") {
		err = fmt.Errorf("want REGISTRY/NAME, without a tag")
	}
	if err != nil {
		return nil, commandline.Usagef("--pull %q: %v", text, err)
	}
	return func(ctx context.Context, digest string) (string, error) {
		local, err := localStore()
		if err != nil {
			return "", err
		}
		by := ref
		by.Digest = digest
		p, err := registry.Pull(ctx, local, by, registryOptions(c, newTransferMeter(c.App.ErrWriter, true, "")))
		return p.Entry.Path, err
	}, nil
}

func sweepWorkAction(c *cli.Context) error {
	if err := commandline.ExactArgs(c, "FOLDER", "NAME"); err != nil {
		return err
	}
	r, m, err := runnerOf(c)
	if err != nil {
		return err
	}
	if r.Store, err = results.Open(c.Args().First()); err != nil {
		return err
	}
	e, err := sweep.Prepared(r.Store, c.Args().Get(1))
	if err != nil {
		return err
	}
	s, err := r.Make(c.Context, e)
	m.done()
	if err != nil {
		return err
	}
	return s.Write(c.App.Writer)
}
