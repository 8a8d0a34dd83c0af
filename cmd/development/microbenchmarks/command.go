// SPDX-License-Identifier: Apache-2.0

package microbenchmarks

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
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
		Name:  "microbenchmarks",
		Usage: "replay the workload microbenchmarks on the cards and write " + measuredFile,
		Flags: []cli.Flag{&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."}},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			recording, err := Record(c.Context)
			if err != nil {
				return err
			}
			all := map[string]map[string]float64{}
			for _, name := range Machines {
				m, err := arch.Load(name)
				if err != nil {
					return err
				}
				if all[name], err = recording.Measure(c.Context, m); err != nil {
					return err
				}
				for benchmark, value := range all[name] {
					all[name][benchmark] = rounded(value)
				}
				fmt.Fprintln(c.App.Writer, name)
			}
			return resultfile.Write(filepath.Join(c.String("root"), measuredFile), true, func(w io.Writer) error {
				e := json.NewEncoder(w)
				e.SetIndent("", " ")
				return e.Encode(all)
			})
		},
	}
}
