// SPDX-License-Identifier: Apache-2.0

// Sizes measures how large the workloads' traces are, how fast they decode, and how
// large the same streams are as Accel-Sim files under general compressors. It needs
// the programs gzip, xz and zstd, and runs in the root of the source tree.
//
//	go run ./traces/internal/sizes           # measure what has changed, write traces/sizes.json
//	go run ./traces/internal/sizes -all      # measure everything
//	go run ./traces/internal/sizes -again    # measure all traces, keep the exports of sources that have not changed
//	go run ./traces/internal/sizes -check    # fail when the file is stale; records every tiny size
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "sizes:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("sizes", flag.ContinueOnError)
	check := flags.Bool("check", false, "only compare, fail when the file is stale")
	all := flags.Bool("all", false, "measure everything, not only what has changed")
	again := flags.Bool("again", false, "measure all traces again, and the exports of what has changed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	path := filepath.Join("traces", traces.FileSizesFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w; run this in the root of the source tree", err)
	}
	have, err := traces.ParseFileSizes(path, text)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "warptape-sizes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if *check {
		return checkSizes(ctx, have, folder)
	}
	return update(ctx, path, have, *all, *again || *all, folder)
}

// update measures what is stale, or with again everything, and writes the file after
// each workload, so that a run that is interrupted is not lost. Exports are measured
// where sources have changed, or with all.
func update(ctx context.Context, path string, have *traces.FileSizes, all, again bool, folder string) error {
	now := new(traces.FileSizes)
	for _, w := range traces.List() {
		if e := have.Find(w.Name); e != nil {
			now.Workloads = append(now.Workloads, *e)
		} else {
			now.Workloads = append(now.Workloads, traces.FileSize{Name: w.Name})
		}
	}
	for i, w := range traces.List() {
		if !again {
			stale, err := staleness(ctx, w, &now.Workloads[i], folder)
			if err != nil {
				return err
			}
			if stale == "" {
				continue
			}
		}
		if all {
			now.Workloads[i].Digest = ""
		}
		s, err := measure(ctx, w, &now.Workloads[i], folder)
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		fmt.Fprintf(os.Stderr, "%-24s %10d bytes, %10d as text with xz -9, %4.0f M warp instructions/s\n", w.Name, s.File, s.XZ, s.DecodeRate)
		now.Workloads[i] = *s
		if err := write(path, now); err != nil {
			return err
		}
	}
	return write(path, now)
}

func write(path string, s *traces.FileSizes) error {
	text, err := s.Text()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".partial", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".partial", path)
}

func checkSizes(ctx context.Context, have *traces.FileSizes, folder string) error {
	var stale []error
	for i := range have.Workloads {
		if _, err := traces.Find(have.Workloads[i].Name); err != nil {
			stale = append(stale, err)
		}
	}
	for _, w := range traces.List() {
		e := have.Find(w.Name)
		if e == nil {
			e = new(traces.FileSize)
		}
		why, err := staleness(ctx, w, e, folder)
		if err != nil {
			return err
		}
		if why != "" {
			stale = append(stale, fmt.Errorf("%s: %s", w.Name, why))
		}
	}
	if len(stale) > 0 {
		stale = append(stale, errors.New("run 'make sizes' and commit the result"))
	}
	return errors.Join(stale...)
}

// staleness says why an entry is not what would be measured now; empty if it is.
func staleness(ctx context.Context, w traces.Workload, e *traces.FileSize, folder string) (string, error) {
	digest, err := w.Digest()
	if err != nil {
		return "", err
	}
	if e.Digest != digest {
		return "its sources have changed", nil
	}
	bytes, err := record(ctx, w, "tiny", wtape.LevelDefault, filepath.Join(folder, "tiny.wtape"))
	if err == nil && bytes != e.TinyBytes {
		return fmt.Sprintf("its tiny trace has %d bytes, %d when the sizes were measured", bytes, e.TinyBytes), nil
	}
	if err == nil && e.NoExport == "" && (e.XZ == 0 || e.Gzip == 0 || e.Zstd == 0) {
		return "its export was not measured", nil
	}
	return "", err
}

// record writes one trace file and returns its size in bytes.
func record(ctx context.Context, w traces.Workload, size string, level wtape.Level, path string) (int64, error) {
	p, err := host.Load(w.Files, w.Program)
	if err != nil {
		return 0, err
	}
	out, err := wtape.Create(path, trace.Header{Tool: "warptape sizes"}, wtape.Options{Level: level})
	if err != nil {
		return 0, err
	}
	defer out.Abort() // without effect after Finish
	if _, err := p.Run(ctx, host.Options{Size: size, Seed: traces.CatalogueSeed, Sink: out}); err != nil {
		return 0, err
	}
	if err := out.Finish(); err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
