// SPDX-License-Identifier: Apache-2.0

// Package divergence measures what divergence policies cost, for docs/divergence.md.
package divergence

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

const measurementsFile = "cmd/development/divergence/divergence.json"

//go:embed divergence.json
var measurements []byte

// machines are those of the GPSim thesis, without the mechanisms of its chapters.
var machines = []string{"gpsim-eesi-base+set(tinycache.enabled=false)", "gpsim-soc", "gpsim-tiny"}

// policies are compared with the first.
var policies = []string{"pdom", "serial", "serial-rounds"}

// workloads are the traces of traces/recorded that all policies can replay.
var workloads = []string{"bfs", "divergence-nested", "hotspot", "lbm", "merge-sort", "needle", "saxpy", "sgemm", "spmv", "streamcluster", "transpose"}

// row is what a machine takes for a trace under a policy.
type row struct {
	Machine      string  `json:"machine"`
	Policy       string  `json:"policy"`
	Trace        string  `json:"trace"`
	Digest       string  `json:"digest"` // of the trace
	Cycles       uint64  `json:"cycles"`
	Warps        uint64  `json:"warp_instructions"`
	Threads      uint64  `json:"thread_instructions"`
	Transactions uint64  `json:"global_transactions"`
	MicroJoules  float64 `json:"microjoules"`
}

// Command replays recorded traces under every policy.
func Command() *cli.Command {
	return &cli.Command{
		Name:  "divergence",
		Usage: "replay recorded traces under every divergence policy and write " + measurementsFile,
		Flags: []cli.Flag{&cli.StringFlag{Name: "root", Usage: "the source tree's `FOLDER`", Value: "."}},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c); err != nil {
				return err
			}
			return measure(c.Context, c.String("root"), c.App.Writer)
		},
	}
}

func measure(ctx context.Context, root string, progress io.Writer) error {
	var rows []row
	for _, name := range workloads {
		more, err := measureTrace(ctx, root, name)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
		fmt.Fprintln(progress, name)
	}
	return resultfile.WriteJSON(filepath.Join(root, measurementsFile), true, rows)
}

func measureTrace(ctx context.Context, root, name string) ([]row, error) {
	r, err := wtape.Open(filepath.Join(root, "traces", "recorded", name+".wtape"))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var rows []row
	var list []*arch.Machine
	for _, machine := range machines {
		for _, policy := range policies {
			m, err := arch.Load(fmt.Sprintf("%s+divergence(policy=%s)", machine, policy))
			if err != nil {
				return nil, err
			}
			list = append(list, m)
			rows = append(rows, row{Machine: machine, Policy: policy, Trace: name, Digest: r.Digest()})
		}
	}
	results, err := replay.Run(ctx, r, list, replay.Options{})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if err := rows[i].take(list[i], &results[i].Total); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// take fills in what a replay gave.
func (x *row) take(m *arch.Machine, total *replay.Section) error {
	model, err := pricing.Model(m, energy.TechnologyOf(m), pricing.Calibrations[0], nil)
	if err != nil {
		return err
	}
	c := (*counters.Set)(&total.Counters)
	account, err := model.Account(c, total.Nanoseconds*1e-9)
	if err != nil {
		return err
	}
	x.Cycles, x.Warps, x.Threads, x.Transactions = uint64(total.Cycles), c[counters.IssuedWarp], c[counters.IssuedThread], c[counters.GlobalTransactions]
	sum := account.Total()
	x.MicroJoules = float64(int64(float64(sum.TotalJ()*1e9)+0.5)) / 1e3
	return nil
}

// rowOf finds what was measured.
func rowOf(rows []row, machine, policy, name string) (*row, error) {
	i := slices.IndexFunc(rows, func(x row) bool { return x.Machine == machine && x.Policy == policy && x.Trace == name })
	if i < 0 {
		return nil, fmt.Errorf("%s has no %s on %s under %s: run 'make divergence-tables'", measurementsFile, name, machine, policy)
	}
	return &rows[i], nil
}
