// SPDX-License-Identifier: Apache-2.0

// Package development is the command line of warptape-dev: the measurements that
// documents are written from, and the documents. What is measured and written has a
// package for each subject.
package development

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/development/combinations"
	"github.com/warptape/warptape/cmd/development/comparison"
	"github.com/warptape/warptape/cmd/development/divergence"
	"github.com/warptape/warptape/cmd/development/energypages"
	"github.com/warptape/warptape/cmd/development/microbenchmarks"
	"github.com/warptape/warptape/cmd/development/mutations"
	"github.com/warptape/warptape/cmd/development/publish"
	"github.com/warptape/warptape/cmd/development/sampling"
	"github.com/warptape/warptape/cmd/development/siliconpage"
	"github.com/warptape/warptape/cmd/development/speed"
	"github.com/warptape/warptape/cmd/development/tracesizes"
	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"

	// The mechanisms' overlays and counters.
	_ "github.com/warptape/warptape/timing/mechanisms"
)

// Main executes a command line, whose first element is the program's name, and
// gives the exit code of package commandline.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The second signal does what signals do by default: see package command.
	context.AfterFunc(ctx, stop)
	app := &cli.App{
		Name:    "warptape-dev",
		Usage:   "measure what warptape's documents say, and write them; for its developers, in the source tree",
		Version: release.Version(),
		Description: `Examples:
  go run ./cmd/warptape-dev docs           write the generated documents
  go run ./cmd/warptape-dev docs --check   fail when one is stale`,
		Writer:    stdout,
		ErrWriter: stderr,
		Commands: []*cli.Command{
			docsCommand(), comparison.Command(), sampling.Command(), energypages.TablesCommand(), energypages.CardsCommand(), combinations.Command(), divergence.Command(), tracesizes.Command(), publish.Command(), siliconpage.Command(), microbenchmarks.Command(), speed.Command(), speed.InstructionsCommand(), mutations.Command(),
		},
	}
	return commandline.Run(ctx, app, args)
}
