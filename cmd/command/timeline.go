// SPDX-License-Identifier: Apache-2.0

package command

import (
	"compress/gzip"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/timeline"
	"github.com/warptape/warptape/trace/pending"
)

// timelineFlags ask the replay command for timelines.
func timelineFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "timeline", Usage: "write a timeline for Perfetto to `FILE`.pftrace or .pftrace.gz (with several architectures one file each, NAME.ARCH.pftrace)"},
		&cli.IntFlag{Name: "timeline-sample", Usage: "look at states every so many core `CYCLES`; 1 is exact", Value: 1},
		&cli.StringFlag{Name: "timeline-sm", Usage: "`SMS` to show: numbers and ranges as 0,4-7, or all", Value: "0"},
		&cli.StringFlag{Name: "timeline-launch", Usage: "`LAUNCHES` in which SMs are shown, likewise", Value: "all"},
		&cli.Int64Flag{Name: "timeline-limit", Usage: "end the timeline after so many `MIB`, before compression", Value: timeline.DefaultLimitBytes >> 20},
	}
}

// timelineOutput is the timelines of one replay command.
type timelineOutput struct {
	files     []*pending.File
	zips      []*gzip.Writer // nil for a file that is not compressed
	recorders []*timeline.Recorder
}

var timelineEndings = []string{".pftrace.gz", ".pftrace"}

// openTimelines starts the timeline files; none without --timeline.
func openTimelines(c *cli.Context, machines []*arch.Machine) (*timelineOutput, error) {
	out := &timelineOutput{}
	file := c.String("timeline")
	if file == "" {
		for _, flag := range []string{"timeline-sample", "timeline-sm", "timeline-launch", "timeline-limit"} {
			if c.IsSet(flag) {
				return nil, commandline.Usagef("--%s: needs a file, --timeline FILE.pftrace", flag)
			}
		}
		return out, nil
	}
	o, err := timelineOptions(c)
	if err != nil {
		return nil, err
	}
	paths, err := pathsByMachine("timeline", file, machines, timelineEndings, c.Bool("force"))
	if err != nil {
		return nil, err
	}
	for i, path := range paths {
		if err := out.open(path, c.Bool("force"), machines[i], o); err != nil {
			out.discard()
			return nil, err
		}
	}
	return out, nil
}

func (t *timelineOutput) open(path string, force bool, m *arch.Machine, o timeline.Options) error {
	f, err := resultfile.Create(path, force)
	if err != nil {
		return err
	}
	var w io.Writer = f
	var z *gzip.Writer
	if strings.HasSuffix(path, ".gz") {
		z = gzip.NewWriter(f)
		w = z
	}
	t.files, t.zips = append(t.files, f), append(t.zips, z)
	t.recorders = append(t.recorders, timeline.New(w, m.Name, m.GPU.SMs, o))
	return nil
}

func timelineOptions(c *cli.Context) (timeline.Options, error) {
	var o timeline.Options
	file := c.String("timeline")
	if !hasEnding(file, timelineEndings) {
		return o, commandline.Usagef("--timeline %s: name it .pftrace, or .pftrace.gz to compress it", file)
	}
	if o.SampleCycles = c.Int("timeline-sample"); o.SampleCycles < 1 {
		return o, commandline.Usagef("--timeline-sample %d: must be positive", o.SampleCycles)
	}
	if mib := c.Int64("timeline-limit"); mib < 1 || mib > 1<<20 {
		return o, commandline.Usagef("--timeline-limit %d: must lie between 1 and %d", mib, 1<<20)
	} else {
		o.LimitBytes = mib << 20
	}
	var err error
	if o.SM, err = parseNumbers("timeline-sm", c.String("timeline-sm")); err != nil {
		return o, err
	}
	o.Launch, err = parseNumbers("timeline-launch", c.String("timeline-launch"))
	return o, err
}

// finish completes the files and says which have ended early.
func (t *timelineOutput) finish(log io.Writer) error {
	for i, f := range t.files {
		if z := t.zips[i]; z != nil {
			if err := z.Close(); err != nil {
				return fmt.Errorf("%s: %w", f.Path(), err)
			}
		}
		if err := f.Commit(); err != nil {
			return err
		}
		if at, full := t.recorders[i].Stopped(); full {
			fmt.Fprintf(log, "%s: ends at cycle %d, where it has reached --timeline-limit; show fewer SMs (--timeline-sm), one launch (--timeline-launch), or sample (--timeline-sample)\n", f.Path(), at)
		}
	}
	return nil
}

// discard removes files that are not complete.
func (t *timelineOutput) discard() {
	for _, f := range t.files {
		f.Discard()
	}
}

// maxListed bounds the numbers of a list.
const maxListed = 1 << 20

// parseNumbers reads a list of numbers and ranges, 0,4-7; nil is all.
func parseNumbers(flag, list string) (func(int) bool, error) {
	if list == "all" {
		return nil, nil
	}
	type span struct{ from, to int }
	var spans []span
	for _, part := range strings.Split(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || from < 0 || to < from || to > maxListed {
			return nil, commandline.Usagef("--%s %s: %q is no number or range; write 0,4-7, or all", flag, list, part)
		}
		spans = append(spans, span{from, to})
	}
	return func(n int) bool {
		for _, s := range spans {
			if s.from <= n && n <= s.to {
				return true
			}
		}
		return false
	}, nil
}

func hasEnding(file string, endings []string) bool {
	for _, e := range endings {
		if strings.HasSuffix(file, e) {
			return true
		}
	}
	return false
}
