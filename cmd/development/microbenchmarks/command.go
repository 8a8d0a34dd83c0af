// SPDX-License-Identifier: Apache-2.0

package microbenchmarks

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/timing/arch"
)

const measuredFile = "cmd/development/microbenchmarks/measured.json"

//go:embed measured.json
var measured []byte

// Machines are the cards that the workload is replayed on.
var Machines = []string{"v100", "rtx2080ti", "rtx3090", "a100", "h100"}

// Last is what was measured last, by machine and benchmark.
func Last() (map[string]map[string]float64, error) {
	var values map[string]map[string]float64
	if err := json.Unmarshal(measured, &values); err != nil {
		return nil, fmt.Errorf("%s: %w", measuredFile, err)
	}
	return values, nil
}

// Names are the benchmarks that were measured, in order.
func Names(measured map[string]map[string]float64) []string {
	return slices.SortedFunc(maps.Keys(measured[Machines[0]]), func(a, b string) int {
		return cmp.Or(cmp.Compare(kindOf(a), kindOf(b)), cmp.Compare(numberOf(a), numberOf(b)), cmp.Compare(a, b))
	})
}

func kindOf(benchmark string) string { kind, _, _ := strings.Cut(benchmark, " "); return kind }

// numberOf is the number behind the kind, zero for a word.
func numberOf(benchmark string) int {
	_, of, _ := strings.Cut(benchmark, " ")
	n, _ := strconv.Atoi(of)
	return n
}

// rounded is a value as it is stored.
func rounded(v float64) float64 { return math.Round(v*100) / 100 }

// Command measures all machines.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "microbenchmarks",
		Usage:     "replay the workload microbenchmarks on the cards and write " + measuredFile + "; or print what each ARCH measures",
		ArgsUsage: "[ARCH...]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."},
			&cli.BoolFlag{Name: "check", Usage: "write nothing, and fail where the file has other values"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return show(c.Context, c.App.Writer, c.Args().Slice())
			}
			all, err := measureAll(c.Context)
			if err != nil {
				return err
			}
			if c.Bool("check") {
				return compare(all)
			}
			return resultfile.WriteJSON(filepath.Join(c.String("root"), measuredFile), true, all)
		},
	}
}

// measureAll gives the values of all machines, rounded as they are stored.
func measureAll(ctx context.Context) (map[string]map[string]float64, error) {
	values := make([]map[string]float64, len(Machines))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range Machines {
		group.Go(func() error {
			m, err := arch.Load(name)
			if err != nil {
				return err
			}
			values[i], err = Measure(ctx, m)
			for benchmark, value := range values[i] {
				values[i][benchmark] = rounded(value)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := map[string]map[string]float64{}
	for i, name := range Machines {
		all[name] = values[i]
	}
	return all, nil
}

// compare says which values the file has that are not these.
func compare(all map[string]map[string]float64) error {
	stored, err := Last()
	if err != nil {
		return err
	}
	var wrong []error
	for _, machine := range Machines {
		if !maps.Equal(all[machine], stored[machine]) {
			wrong = append(wrong, fmt.Errorf("%s: the values of %s are not those that a replay gives: run go run ./cmd/warptape-dev microbenchmarks, then go run ./cmd/warptape-dev docs", measuredFile, machine))
		}
	}
	return errors.Join(wrong...)
}

// show writes what machines measure, a row for each benchmark.
func show(ctx context.Context, w io.Writer, specs []string) error {
	all := map[string]map[string]float64{}
	for _, spec := range specs {
		m, err := arch.Load(spec)
		if err != nil {
			return err
		}
		if all[spec], err = Measure(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
	}
	fmt.Fprintf(w, "benchmark,%s\n", strings.Join(specs, ","))
	for _, benchmark := range Names(map[string]map[string]float64{Machines[0]: all[specs[0]]}) {
		fmt.Fprint(w, benchmark)
		for _, spec := range specs {
			fmt.Fprintf(w, ",%v", rounded(all[spec][benchmark]))
		}
		fmt.Fprintln(w)
	}
	return nil
}
