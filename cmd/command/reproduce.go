// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/cmd/reproduce"
	"github.com/warptape/warptape/cmd/results"
)

func reproduceCommand() *cli.Command {
	return &cli.Command{
		Name:      "reproduce",
		Usage:     "repeat a paper's experiments and show them beside the published",
		ArgsUsage: "STUDY",
		Description: studyList() + `
Records and replays what is not in the cache yet; one that was stopped goes on
where it was. Prints each figure, ours with the published value in brackets, and
writes it as CSV and SVG into a folder.

Examples:
  warptape reproduce tinycache
  warptape reproduce tinycache --size paper --figure 5.4 --figure 5.6
  warptape reproduce dac --size paper --sample fraction=0.05,launches,waves=6`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "size", Usage: "input `SIZE` of the workloads: small or paper", Value: "small"},
			&cli.StringSliceFlag{Name: "figure", Usage: "only this `FIGURE` and what it needs (repeatable)"},
			&cli.StringFlag{Name: "cache", Usage: "`FOLDER` of traces and measurements (default: in the user's cache)"},
			&cli.StringFlag{Name: "results", Aliases: []string{"r"}, Usage: "share replays with sweeps through the `FOLDER` of their results"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FOLDER` for CSV and SVG files (default: reproduction-STUDY-SIZE)"},
			&cli.StringFlag{Name: "save", Usage: "write the measurements to `FILE`, as docs/reproduction.md is made from"},
			samplepolicy.Flag(),
			&cli.Uint64Flag{Name: "sample-above", Usage: "with --sample: replay workloads of up to so many warp `INSTRUCTIONS` whole", Value: 30_000_000},
			&cli.IntFlag{Name: "workers", Usage: "replays that run at the same time (0: one per core); results are the same"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress"},
		},
		Action: reproduceAction,
	}
}

// studyList is a line for each study.
func studyList() string {
	var b strings.Builder
	for _, name := range reproduce.Names() {
		fmt.Fprintf(&b, "%s: %s\n", name, reproduce.SourceOf(name))
	}
	return b.String()
}

func reproduceAction(c *cli.Context) error {
	if err := commandline.ExactArgs(c, "STUDY"); err != nil {
		return err
	}
	if c.Int("workers") < 0 {
		return commandline.Usagef("--workers %d: must not be negative", c.Int("workers"))
	}
	if c.IsSet("sample-above") && !c.IsSet("sample") {
		return commandline.Usagef("--sample-above %d says which workloads --sample POLICY leaves whole: give --sample too", c.Uint64("sample-above"))
	}
	study, err := reproduce.Find(c.Args().First())
	if err != nil {
		return commandline.Usagef("%v", err)
	}
	if study, err = study.Only(c.String("size"), commandline.Listed(c, "figure")...); err != nil {
		return commandline.Usagef("%v", err)
	}
	runner, err := newRunner(c)
	if err != nil {
		return err
	}
	results, err := runner.Run(c.Context, study, c.String("size"))
	if err != nil {
		return err
	}
	if path := c.String("save"); path != "" {
		text, err := results.Encode()
		if err != nil {
			return err
		}
		if err := resultfile.Write(path, true, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
	}
	tables, err := reproduce.NewData(study, results).Tables()
	if err != nil {
		return err
	}
	folder := c.String("output")
	if folder == "" {
		folder = "reproduction-" + study.Name + "-" + c.String("size")
	}
	return writeFigures(c.App.Writer, folder, tables)
}

func newRunner(c *cli.Context) (*reproduce.Runner, error) {
	cache := c.String("cache")
	if cache == "" {
		root, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no folder for traces and measurements: %w; name one with --cache", err)
		}
		cache = filepath.Join(root, "warptape", "reproduce")
	}
	model, err := release.Model()
	if err != nil {
		return nil, err
	}
	policy, err := samplepolicy.Parse(c)
	if err != nil {
		return nil, err
	}
	r := &reproduce.Runner{Cache: cache, Model: model, Version: release.Version(), Sample: policy, SampleAbove: c.Uint64("sample-above"), Workers: c.Int("workers")}
	if folder := c.String("results"); folder != "" {
		if r.Results, err = results.Create(folder); err != nil {
			return nil, err
		}
	}
	if !c.Bool("quiet") {
		counted := &countedLines{now: time.Now}
		r.Progress = counted.progress
		r.Say = func(line string) { fmt.Fprintln(c.App.ErrWriter, counted.line(line)) }
	}
	return r, nil
}

// countedLines puts a count and the time left before lines that say what is done next.
type countedLines struct {
	now   func() time.Time
	start time.Time
	last  reproduce.Progress
}

func (l *countedLines) progress(p reproduce.Progress) {
	if l.start.IsZero() {
		l.start = l.now()
	}
	l.last = p
}

// line is a line with the count; the time left is known once a measurement is made.
func (l *countedLines) line(text string) string {
	p := &l.last
	left := ""
	if p.Done > 0 && p.Work > p.Done {
		seconds := l.now().Sub(l.start).Seconds() / p.Done * (p.Work - p.Done)
		left = ", " + remaining(seconds) + " left"
	}
	return fmt.Sprintf("[%d of %d%s] %s", p.Present+p.Made, p.Total, left, text)
}

// remaining writes seconds in the unit that people plan with.
func remaining(seconds float64) string {
	switch {
	case seconds < 99.5:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 99.5*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.0f h", seconds/3600)
}

// writeFigures prints the tables and writes a CSV and an SVG file for each.
func writeFigures(w io.Writer, folder string, tables []reproduce.Table) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for i := range tables {
		t := &tables[i]
		if err := t.WriteText(w); err != nil {
			return err
		}
		name := filepath.Join(folder, t.Study.Name+"-"+t.ID)
		if err := resultfile.Write(name+".csv", true, t.WriteCSV); err != nil {
			return err
		}
		if err := resultfile.Write(name+".svg", true, t.WriteSVG); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "CSV and SVG files: %s\n", folder)
	return err
}
