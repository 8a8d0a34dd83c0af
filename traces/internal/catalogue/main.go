// SPDX-License-Identifier: Apache-2.0

// Catalogue measures the workloads: it writes the catalogue file, checks that it
// is not stale, or shows how fast the workloads record.
//
//	go run ./traces/internal/catalogue           # measure what has changed, write traces/catalogue.json
//	go run ./traces/internal/catalogue -check    # fail when the file is stale; runs every tiny size
//	go run ./traces/internal/catalogue -rates    # record all small sizes, print sizes of files and rates
//	go run ./traces/internal/catalogue -writing  # print what writing costs the recordings of all small sizes
//
// It runs in the root of the source tree.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/warptape/warptape/traces"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "catalogue:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("catalogue", flag.ContinueOnError)
	root := flags.String("root", ".", "the source tree's `folder`")
	check := flags.Bool("check", false, "only compare, fail when the file is stale")
	rates := flags.Bool("rates", false, "record, print bytes and rates")
	writing := flags.Bool("writing", false, "record, print what of it is writing")
	rounds := flags.Int("rounds", 3, "with -writing: the least of so many runs counts")
	keep := flags.String("keep", "", "with -rates: keep the traces in `folder`")
	all := flags.Bool("all", false, "measure everything, not only what has changed")
	sizes := flags.String("sizes", "", "only these sizes, separated by commas; the others stay as they are (default: all, with -rates and -writing small)")
	only := flags.String("only", "", "only these workloads, separated by commas; the others stay as they are")
	limit := flags.Duration("limit", 3*time.Minute, "give a size up that runs longer than this")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	path := filepath.Join(*root, "traces", traces.CatalogueFile)
	want := selection{workloads: list(*only), sizes: list(*sizes)}
	if err := want.validate(); err != nil {
		return err
	}
	if want.sizes == nil && (*rates || *writing) {
		want.sizes = []string{"small"}
	}
	switch {
	case *writing:
		return printWriting(ctx, os.Stdout, want, max(1, *rounds))
	case *rates:
		return printRates(ctx, os.Stdout, want, *keep)
	case *check:
		return checkFile(ctx, path)
	}
	return (&updater{path: path, all: *all, want: want, limit: *limit}).run(ctx)
}

// list splits at commas; nothing gives nil.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
