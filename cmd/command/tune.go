// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/cmd/silicon"
	"github.com/warptape/warptape/cmd/tune"
	"github.com/warptape/warptape/timing/arch"
)

func tuneCommand() *cli.Command {
	return &cli.Command{
		Name:      "tune",
		Usage:     "rank the variants of a program on a machine, and say how sure the order is",
		ArgsUsage: "WORKLOAD|PROGRAM.star",
		Description: `Records each combination of the values of --vary and replays it on one machine. The
table has the fastest first, with the 95 % interval that the sample leaves. A variant
that the program or the machine refuses is counted with the reason.

Examples:
  warptape tune point-in-polygon --size paper --arch rtx3090 \
      --vary tile_size=4,8,16 --vary use_method=0,1,2 --sample sms=1/82,fraction=0.0001,waves=3
  warptape tune convolution-variants --arch h100 --vary block_size_x=16,32,64 --csv ranking.csv
  warptape tune mine/kernel.star --arch ./mine.yaml --vary unroll=1,2,4`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "arch", Aliases: []string{"a"}, Usage: "the `MACHINE`: a name with overlays, or a file", Required: true},
			&cli.StringSliceFlag{Name: "vary", Usage: "a parameter of the program and its values, `NAME=VALUE,VALUE` (repeatable)", Required: true},
			&cli.StringFlag{Name: "size", Usage: "input `SIZE` as the program declares it", Value: "small"},
			&cli.StringSliceFlag{Name: "set", Usage: "set a parameter in all variants, `NAME=VALUE` (repeatable)"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the generated inputs", Value: 1},
			samplepolicy.Flag(),
			&cli.IntFlag{Name: "top", Usage: "show so many of the best (0: all)", Value: 20},
			&cli.IntFlag{Name: "workers", Usage: "variants at a time (0: one per core)"},
			&cli.StringFlag{Name: "csv", Usage: "write the whole ranking to this `FILE`, too"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress"},
		},
		Action: tuneAction,
	}
}

func tuneAction(c *cli.Context) error {
	if err := commandline.ExactArgs(c, "WORKLOAD|PROGRAM.star"); err != nil {
		return err
	}
	job, space, err := newTuning(c)
	if err != nil {
		return err
	}
	variants := space.Variants()
	finished := 0
	outcomes, err := job.All(c.Context, variants, cores(c.Int("workers")), func(tune.Outcome) {
		if finished++; !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "\rtune %s: %d of %d variants", job.Program.Name(), finished, len(variants))
		}
	})
	if !c.Bool("quiet") {
		fmt.Fprintln(c.App.ErrWriter)
	}
	if err != nil {
		return err
	}
	evidence, err := silicon.Evidence(job.Program.Name(), job.Machine.Name)
	if err != nil {
		return err
	}
	ranking := tune.Rank(outcomes, evidence)
	if path := c.String("csv"); path != "" {
		if err := resultfile.Write(path, true, func(w io.Writer) error { return writeRanking(w, space, &ranking) }); err != nil {
			return err
		}
	}
	printRanking(c.App.Writer, space, &ranking, job, c.Int("top"))
	if len(ranking.Order) == 0 {
		return fmt.Errorf("none of %d variants runs on %s", len(variants), job.Machine.Name)
	}
	return nil
}

func newTuning(c *cli.Context) (*tune.Job, tune.Space, error) {
	program, _, err := programs.Load(c.Args().First())
	if err != nil {
		return nil, nil, err
	}
	space, err := tune.ParseSpace(c.StringSlice("vary"))
	if err != nil {
		return nil, nil, commandline.Usagef("--vary: %v", err)
	}
	set, err := programs.Settings(c.StringSlice("set"))
	if err != nil {
		return nil, nil, err
	}
	for _, p := range space {
		if _, also := set[p.Name]; also {
			return nil, nil, commandline.Usagef("--set %s: --vary has it, too", p.Name)
		}
	}
	machine, err := arch.Load(c.String("arch"))
	if err != nil {
		return nil, nil, err
	}
	policy, err := samplepolicy.ParseFor(c, c.String("arch"))
	if err != nil {
		return nil, nil, err
	}
	job := &tune.Job{Program: program, Size: c.String("size"), Set: set, Seed: c.Uint64("seed"), Sample: policy, Machine: machine}
	return job, space, job.Check(space)
}

// settingsText is a variant's parameters in the order of the space.
func settingsText(space tune.Space, set map[string]string) string {
	parts := make([]string, len(space))
	for i, p := range space {
		parts[i] = p.Name + "=" + set[p.Name]
	}
	return strings.Join(parts, " ")
}

func printRanking(w io.Writer, space tune.Space, r *tune.Ranking, job *tune.Job, top int) {
	if top <= 0 || top > len(r.Order) {
		top = len(r.Order)
	}
	fmt.Fprintf(w, "%4s  %12s  %9s  %6s  %5s  %s\n", "rank", "time [us]", "interval", "ratio", "sure", "variant on "+job.Machine.Name)
	tied := 0
	for i := range r.Order {
		v := &r.Order[i]
		if v.Tied {
			tied++
		}
		if i >= top {
			continue
		}
		mark := ""
		if v.Tied {
			mark = "  (the sample does not tell it from the first)"
		}
		fmt.Fprintf(w, "%4d  %12.3f  %9s  %6.3f  %5s  %s%s\n", i+1, v.Nanoseconds/1000, half(v), v.Ratio, percent(v.Sure), settingsText(space, v.Set), mark)
	}
	if left := len(r.Order) - top; left > 0 {
		fmt.Fprintf(w, "and %d more (--top 0 shows all)\n", left)
	}
	if tied > 0 {
		fmt.Fprintf(w, "%d variants lie within the sample's error of the first: a larger --sample tells them apart.\n", tied)
	}
	fmt.Fprintln(w, r.Evidence.Text(job.Program.Name(), job.Machine.Name))
	for _, reason := range r.Reasons() {
		fmt.Fprintf(w, "refused: %d, such as %s: %s\n", reason.Count, settingsText(space, reason.First), reason.Text)
	}
}

func half(v *tune.Ranked) string {
	if v.High == v.Low {
		return "exact"
	}
	return fmt.Sprintf("± %.1f %%", 50*(v.High-v.Low)/v.Nanoseconds)
}

func percent(share float64) string {
	if math.IsNaN(share) {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// writeRanking writes a row for each variant, with those that are refused at the end.
func writeRanking(w io.Writer, space tune.Space, r *tune.Ranking) error {
	out := csv.NewWriter(w)
	var header []string
	for _, p := range space {
		header = append(header, p.Name)
	}
	out.Write(append(header, "rank", "time_us", "low_us", "high_us", "ratio", "sure", "refused"))
	row := func(set map[string]string, rest ...string) {
		var cells []string
		for _, p := range space {
			cells = append(cells, set[p.Name])
		}
		out.Write(append(cells, rest...))
	}
	number := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', 8, 64)
	}
	for i := range r.Order {
		v := &r.Order[i]
		row(v.Set, strconv.Itoa(i+1), number(v.Nanoseconds/1000), number(v.Low/1000), number(v.High/1000), number(v.Ratio), number(v.Sure), "")
	}
	for i := range r.Refused {
		row(r.Refused[i].Set, "", "", "", "", "", "", r.Refused[i].Refused.Error())
	}
	out.Flush()
	return out.Error()
}
