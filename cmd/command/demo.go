// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/internal/terminal"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// demoWorkloads are those of the catalogue that the demo shows; they have a
// size of that name.
var demoWorkloads = []string{"saxpy", "transpose", "sgemm", "reduction", "bfs", "hotspot"}

// demoMachines are replayed by the demo, the first being the reference.
var demoMachines = []string{"gtx480", "gtx480+lrr", "gpsim-soc", "mesh56"}

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "record six CUDA workloads and replay each on several machines",
		Description: `The whole job in one command: runs each workload of the catalogue once, checks
its results, records it, replays the recording on several machines, and ends with one
table of times.

Examples:
  warptape demo
  warptape demo --keep recordings`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "keep", Usage: "keep the trace files in `FOLDER` (default: they are removed)"},
			&cli.StringFlag{Name: "size", Usage: "input `SIZE` of the workloads", Value: "demo"},
			&cli.IntFlag{Name: "workers", Usage: "replays that run at the same time (0: one per core)"},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace existing trace files in the folder of --keep"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress"},
		},
		Action: demoAction,
	}
}

func demoAction(c *cli.Context) error {
	if err := commandline.ExactArgs(c); err != nil {
		return err
	}
	folder := c.String("keep")
	if folder == "" {
		temp, err := os.MkdirTemp("", "warptape-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		folder = temp
	} else if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	machines, err := machineset.Load(demoMachines)
	if err != nil {
		return err
	}
	d := &demonstration{c: c, folder: folder, machines: machines}
	start := time.Now()
	for _, name := range demoWorkloads {
		if err := d.show(name); err != nil {
			return err
		}
	}
	out := c.App.Writer
	if err := d.writeTimes(out); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nrecorded %s and replayed %s warp instructions in %.1f s\n",
		numbers.Grouped(d.recorded), numbers.Grouped(d.replayed), time.Since(start).Seconds())
	fmt.Fprintln(out, "next: warptape record saxpy && warptape replay saxpy.wtape --arch gtx480 --arch mesh56")
	return nil
}

// demonstration is one run of the demo.
type demonstration struct {
	c                  *cli.Context
	folder             string
	machines           []*arch.Machine
	recorded, replayed uint64 // warp instructions
	rows               []demonstrated
}

// demonstrated is a workload with its results on all machines.
type demonstrated struct {
	workload string
	results  []replay.Result
}

// writeTimes writes a row per workload: the time on each machine, and how many times that
// of the first one it is.
func (d *demonstration) writeTimes(w io.Writer) error {
	g := terminal.Grid{Columns: []terminal.GridColumn{{Name: "time [us]", Left: true}}}
	for i, m := range d.machines {
		g.Columns = append(g.Columns, terminal.GridColumn{Name: m.Name})
		if i > 0 {
			g.Columns = append(g.Columns, terminal.GridColumn{Name: "ratio"})
		}
	}
	for _, r := range d.rows {
		row := []string{r.workload}
		first := r.results[0].Total.Nanoseconds
		for i := range r.results {
			ns := r.results[i].Total.Nanoseconds
			row = append(row, fmt.Sprintf("%.2f", ns/1000))
			if i > 0 {
				row = append(row, fmt.Sprintf("%.3f", ns/first))
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g.Write(w)
}

// show records one workload, replays it, and prints both.
func (d *demonstration) show(name string) error {
	c, out := d.c, d.c.App.Writer
	wl, err := traces.Find(name)
	if err != nil {
		return err
	}
	program, err := host.Load(wl.Files, wl.Program)
	if err != nil {
		return err
	}
	job := &recording{
		program: program, output: filepath.Join(d.folder, name+".wtape"), force: c.Bool("force"),
		quiet: c.Bool("quiet"), level: wtape.LevelDefault, stderr: c.App.ErrWriter,
		options: host.Options{Size: c.String("size"), Seed: 1, Out: c.App.ErrWriter, MaxInstructions: 1 << 40, Workers: cores(0)},
	}
	fmt.Fprintf(out, "== %s: %s\n", name, wl.Description)
	sum, err := job.run(c)
	if err != nil {
		return err
	}
	if c.String("keep") == "" {
		sum.output = name // the file goes when the demo ends
	}
	if err := sum.print(out); err != nil {
		return err
	}
	start := time.Now()
	results, err := replayFile(c, job.output, d.machines, nil, false)
	if err != nil {
		return err
	}
	replayed := sum.totals.WarpInstructions * uint64(len(d.machines))
	elapsed := time.Since(start).Seconds()
	d.recorded += sum.totals.WarpInstructions
	d.replayed += replayed
	d.rows = append(d.rows, demonstrated{name, results})
	_, err = fmt.Fprintf(out, "  replayed on %d machines in %.2f s: %.2f million warp instructions a second\n\n",
		len(d.machines), elapsed, float64(replayed)/1e6/elapsed)
	return err
}
