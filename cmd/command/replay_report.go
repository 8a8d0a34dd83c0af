// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/cmd/report"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/timeline"
	"github.com/warptape/warptape/trace/wtape"
)

// reportFlags ask the replay command for a page.
func reportFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "report", Usage: "write a page to `FILE`.html that says where the time goes, and what replays on changed machines say would help"},
		&cli.StringFlag{Name: "what-if", Usage: "`CHANGES` of the machines that --report replays: names with commas between, all, or none", Value: "all"},
		&cli.StringFlag{Name: "source", Usage: "a `FOLDER` with the files that the PTX was compiled from, for --report"},
	}
}

// reportTimelineBytes bounds the timeline of a report; a short stretch of it is drawn.
const reportTimelineBytes = 32 << 20

// singleReport is what the replay command collects for --report.
type singleReport struct {
	c        *cli.Context
	specs    []string
	machines []*arch.Machine
	changes  []report.WhatIf
	sources  *os.Root // nil: none is named
	buffers  []*bytes.Buffer
	// recorders are those of the machines, for replay.Options.
	recorders []*timeline.Recorder
}

// openReport checks the flags of --report; nil without it.
func openReport(c *cli.Context, specs []string, machines []*arch.Machine) (*singleReport, error) {
	path := c.String("report")
	if path == "" {
		for _, name := range []string{"what-if", "source"} {
			if c.IsSet(name) {
				return nil, commandline.Usagef("--%s: needs --report FILE.html", name)
			}
		}
		return nil, nil
	}
	if !strings.HasSuffix(path, ".html") && !strings.HasSuffix(path, ".htm") {
		return nil, commandline.Usagef("--report %s: is a page; name it .html", path)
	}
	for _, name := range []string{"cpu", "timeline", "given", "clock-gating"} {
		if c.IsSet(name) {
			return nil, commandline.Usagef("--report: does not go with --%s; leave one of them out", name)
		}
	}
	if err := resultfile.RefuseExisting(path, c.Bool("force")); err != nil {
		return nil, err
	}
	s := &singleReport{c: c, specs: specs, machines: machines}
	for _, m := range machines {
		if err := s.energy().Check(m); err != nil {
			return nil, err
		}
		b := &bytes.Buffer{}
		s.buffers = append(s.buffers, b)
		s.recorders = append(s.recorders, timeline.New(b, m.Name, m.GPU.SMs, timeline.Options{LimitBytes: reportTimelineBytes, SM: func(sm int) bool { return sm == 0 }}))
	}
	var err error
	if s.changes, err = whatIfs(c.String("what-if")); err != nil {
		return nil, err
	}
	if folder := c.String("source"); folder != "" {
		if s.sources, err = os.OpenRoot(folder); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// whatIfs are the changes that --what-if names.
func whatIfs(list string) ([]report.WhatIf, error) {
	switch list {
	case "all":
		return report.WhatIfs(), nil
	case "none":
		return nil, nil
	}
	var names []string
	for _, w := range report.WhatIfs() {
		names = append(names, w.Name)
	}
	var chosen []report.WhatIf
	for _, name := range commandline.CommaParts(list) {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, commandline.Usagef("--what-if %s: there are all, none, %s", name, strings.Join(names, ", "))
		}
		chosen = append(chosen, report.WhatIfs()[i])
	}
	return chosen, nil
}

// energy says how the report prices results.
func (s *singleReport) energy() *results.Energy {
	e := &results.Energy{Technology: s.c.String("tech"), Coefficients: s.c.StringSlice("coefficient")}
	if s.c.IsSet("calibration") {
		e.Calibration = s.c.String("calibration")
	}
	return e
}

// write replays the changed machines and writes the page; base are the results of the
// machines themselves.
func (s *singleReport) write(file string, base []replay.Result) error {
	if s.sources != nil {
		defer s.sources.Close()
	}
	path, err := resolveTrace(file)
	if err != nil {
		return err
	}
	r, err := wtape.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	model, err := release.Model()
	if err != nil {
		return err
	}
	label := strings.TrimSuffix(filepath.Base(file), ".wtape")
	t := &report.Trace{Model: model, Sources: s.source, Command: s.command(file)}
	t.PlannedTrace = results.PlannedTrace{Label: label, Digest: r.Digest(), Source: "file:" + file, Path: path, Summary: results.Summarize(r)}
	t.Options.Energy = *s.energy()
	if w := uint64(s.c.Int64("watchdog")); w != gpu.DefaultWatchdogCycles {
		t.Options.WatchdogCycles = w
	}
	t.Options.IntervalCycles = uint64(s.c.Int64("interval"))
	for i := range base {
		if err := s.add(t, i, &base[i]); err != nil {
			return err
		}
	}
	if err := s.replay(r, t); err != nil {
		return err
	}
	document, err := report.OfTrace(t, report.Options{Version: release.Version()})
	if err != nil {
		return err
	}
	return writeReport(s.c.String("report"), s.c.Bool("force"), document)
}

// add adds a machine with its result, and its changes without.
func (s *singleReport) add(t *report.Trace, i int, result *replay.Result) error {
	m, spec := s.machines[i], s.specs[i]
	model, err := newEnergyModel(s.c, m, s.c.String("tech"))
	if err != nil {
		return err
	}
	of := report.Replayed{Machine: m, Base: spec, Spec: spec, Result: result, Energy: energyByLine(model, result), Timeline: s.buffers[i].Bytes()}
	if at, full := s.recorders[i].Stopped(); full {
		of.TimelineEnd = int64(at)
	}
	t.Replays = append(t.Replays, of)
	for _, w := range s.changes {
		changed := report.Replayed{Base: spec, Spec: w.Spec(spec, m), WhatIf: w.Title}
		if changed.Machine, changed.Err = arch.Load(changed.Spec); changed.Err == nil {
			if changed.Err = s.energy().Check(changed.Machine); changed.Err != nil {
				changed.Machine = nil
			}
		}
		if changed.Machine != nil && changed.Machine.Digest() == m.Digest() {
			t.Same = append(t.Same, spec+" is the same machine with this change: "+w.Title+".")
			continue
		}
		t.Replays = append(t.Replays, changed)
	}
	return nil
}

// replay replays the changed machines. One that fails stops no other.
func (s *singleReport) replay(r *wtape.Reader, t *report.Trace) error {
	var machines []*arch.Machine
	var places []int
	for i := range t.Replays {
		if of := &t.Replays[i]; of.Result == nil && of.Machine != nil {
			machines, places = append(machines, of.Machine), append(places, i)
		}
	}
	if len(machines) == 0 {
		return nil
	}
	progress := newMeter(s.c.App.ErrWriter, s.c.Bool("quiet"), int64(r.Totals().WarpInstructions)*int64(len(machines)), "replay on changed machines")
	defer progress.done()
	o := replay.Options{
		Workers: s.c.Int("workers"), Cores: coresOf(s.c, len(machines)), Version: release.Version(), Progress: progress.set,
		WatchdogCycles: uint64(s.c.Int64("watchdog")), IntervalCycles: uint64(s.c.Int64("interval")),
	}
	return replay.Each(s.c.Context, r, machines, o, func(i int, result *replay.Result, err error) {
		t.Replays[places[i]].Result, t.Replays[places[i]].Err = result, err
	})
}

// source finds the text of a file that the PTX names in the folder of --source: by its
// path there, or by its name alone. A trace cannot name a file outside the folder.
func (s *singleReport) source(file string) (string, bool) {
	if s.sources == nil {
		return "", false
	}
	for _, name := range []string{strings.TrimPrefix(filepath.ToSlash(file), "/"), filepath.Base(file)} {
		text, err := fs.ReadFile(s.sources.FS(), name)
		if err == nil {
			return string(text), true
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
			return "", false
		}
	}
	return "", false
}

// command is the line that makes the report again.
func (s *singleReport) command(file string) string {
	words := []string{"warptape replay", quoted(file)}
	for _, spec := range s.specs {
		words = append(words, "--arch", quoted(spec))
	}
	for _, name := range []string{"tech", "calibration", "what-if", "source"} {
		if s.c.IsSet(name) {
			words = append(words, "--"+name, quoted(s.c.String(name)))
		}
	}
	for _, v := range s.c.StringSlice("coefficient") {
		words = append(words, "--coefficient", quoted(v))
	}
	return strings.Join(append(words, "--report", quoted(filepath.Base(s.c.String("report")))), " ")
}

// quoted quotes a word for a shell where it needs that.
func quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=+@%") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
