// Catalogue measures the workloads: it writes the catalogue file, checks that it
// is not stale, or shows how fast the workloads record.
//
//	go run ./traces/internal/catalogue           # measure what has changed, write traces/catalogue.json
//	go run ./traces/internal/catalogue -check    # fail when the file is stale; runs every tiny size
//	go run ./traces/internal/catalogue -rates    # record all small sizes, print sizes of files and rates
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
	keep := flags.String("keep", "", "with -rates: keep the traces in `folder`")
	all := flags.Bool("all", false, "measure everything, not only what has changed")
	sizes := flags.String("sizes", "", "only these sizes, separated by commas; the others stay as they are (default: all, with -rates small)")
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
	switch {
	case *rates:
		if want.sizes == nil {
			want.sizes = []string{"small"}
		}
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
