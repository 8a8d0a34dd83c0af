// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

func energyCommand() *cli.Command {
	return &cli.Command{
		Name:      "energy",
		Usage:     "account the energy of saved replay statistics",
		ArgsUsage: "STATISTICS.json",
		Description: `Prices the counters that replay --json has written, without a replay, so that
technologies and coefficients can be swept.

Examples:
  warptape replay sgemm.wtape --arch gtx480 --arch mesh56 --json sgemm.json
  warptape energy sgemm.json
  warptape energy sgemm.json --tech 22nm --coefficient dram.byte=60
  warptape energy sgemm.json --tech 45nm,32nm,22nm,22nm-lop`,
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "arch", Aliases: []string{"a"}, Usage: "`ARCH` of each result, in their order, where a result does not name a built-in one"},
		}, technologyFlags()...),
		Action: energyAction,
	}
}

// maxStatisticsBytes bounds the statistics files that are read.
const maxStatisticsBytes = 1 << 30

// savedResult is what the account needs of a result.
type savedResult struct {
	Machine            string  `json:"machine"`
	ArchitectureDigest string  `json:"architecture_digest"`
	Total              section `json:"total"`
}

type section struct {
	Nanoseconds float64                           `json:"time_ns"`
	Counters    map[string]json.Number            `json:"counters"`
	Mechanisms  map[string]map[string]json.Number `json:"mechanisms"`
}

func energyAction(c *cli.Context) error {
	if err := commandline.ExactArgs(c, "STATISTICS.json"); err != nil {
		return err
	}
	path := c.Args().First()
	saved, err := readStatistics(path)
	if err != nil {
		return err
	}
	specs := commandline.Listed(c, "arch")
	if len(specs) > 0 && len(specs) != len(saved) {
		return commandline.Usagef("%s: holds %d results, --arch names %d architectures", path, len(saved), len(specs))
	}
	var reports []energy.Report
	for i := range saved {
		spec := saved[i].Machine
		if len(specs) > 0 {
			spec = specs[i]
		}
		priced, err := priceSaved(c, &saved[i], spec)
		if err != nil {
			return fmt.Errorf("%s: result %d: %w", path, i+1, err)
		}
		reports = append(reports, priced...)
	}
	return energy.WriteTable(c.App.Writer, reports)
}

func readStatistics(path string) ([]savedResult, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxStatisticsBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(text) > maxStatisticsBytes {
		return nil, fmt.Errorf("%s: is larger than %d bytes; replay --json writes no such file", path, maxStatisticsBytes)
	}
	saved, err := parseStatistics(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return saved, nil
}

func parseStatistics(text []byte) ([]savedResult, error) {
	var saved []savedResult
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&saved); err != nil {
		return nil, fmt.Errorf("is not a file of replay --json: %w", err)
	}
	if len(saved) == 0 {
		return nil, errors.New("holds no results")
	}
	return saved, nil
}

// priceSaved prices a result on the architecture that it was made with, in each
// of the technologies of --tech.
func priceSaved(c *cli.Context, r *savedResult, spec string) ([]energy.Report, error) {
	m, err := arch.Load(spec)
	if err != nil {
		return nil, fmt.Errorf("%w; name the architecture file with --arch", err)
	}
	if m.Digest() != r.ArchitectureDigest {
		return nil, fmt.Errorf("was replayed on another %s (its digest is %.12s, that of the one here %.12s); name it with --arch, or replay again",
			r.Machine, r.ArchitectureDigest, m.Digest())
	}
	set, err := r.Total.set(m.Mechanisms())
	if err != nil {
		return nil, err
	}
	techs := strings.Split(c.String("tech"), ",")
	reports := make([]energy.Report, len(techs))
	for i, tech := range techs {
		model, err := newEnergyModel(c, m, tech)
		if err != nil {
			return nil, err
		}
		if reports[i], err = model.Account(set, r.Total.Nanoseconds*1e-9); err != nil {
			return nil, err
		}
		if len(techs) > 1 {
			reports[i].Machine += " " + tech
		}
	}
	return reports, nil
}

// set gives the counters of the baseline and of the mechanisms that are on; each
// must be there.
func (s *section) set(mechanisms []string) (*counters.Set, error) {
	var set counters.Set
	if err := readCounts(&set, s.Counters, 0, counters.Count); err != nil {
		return nil, err
	}
	for _, name := range mechanisms {
		if g, ok := counters.GroupOf(name); ok {
			if err := readCounts(&set, s.Mechanisms[name], g.First, len(g.Rows)); err != nil {
				return nil, fmt.Errorf("mechanism %s: %w", name, err)
			}
		}
	}
	return &set, nil
}

// readCounts reads n counters from first on.
func readCounts(set *counters.Set, from map[string]json.Number, first counters.ID, n int) error {
	for id := first; id < first+counters.ID(n); id++ {
		name := counters.Declared(id).Name
		text, ok := from[name]
		if !ok {
			return fmt.Errorf("has no counter %s: it is from another version; replay again", name)
		}
		v, err := parseCount(text)
		if err != nil {
			return fmt.Errorf("counter %s: %q: %w", name, text, err)
		}
		set[id] = v
	}
	if len(from) != n {
		return fmt.Errorf("has %d counters where this version has %d; replay again", len(from), n)
	}
	return nil
}

func parseCount(text json.Number) (uint64, error) {
	var n uint64
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return 0, errors.New("expected a count")
	}
	return n, nil
}
