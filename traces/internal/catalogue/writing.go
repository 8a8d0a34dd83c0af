// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/warptape/warptape/cmd/development/cputime"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// spent is what a run took.
type spent struct{ processor, elapsed time.Duration }

// least keeps the smaller one of each, as of a run that nothing disturbed.
func (s *spent) least(o spent) {
	if s.elapsed == 0 {
		*s = o
	}
	s.processor, s.elapsed = min(s.processor, o.processor), min(s.elapsed, o.elapsed)
}

// writingCost is a workload recorded, and run with a sink that drops what it is given.
type writingCost struct{ recorded, dropped spent }

// share is the part of a recording's processor time that writing takes: checking,
// collecting, encoding, compressing, output.
func (c *writingCost) share() float64 {
	return 1 - c.dropped.processor.Seconds()/c.recorded.processor.Seconds()
}

// longer is how many times as long a recording takes with writing.
func (c *writingCost) longer() float64 {
	return c.recorded.elapsed.Seconds() / c.dropped.elapsed.Seconds()
}

// printWriting prints what writing costs the recordings of workloads. Both kinds of
// runs take turns, and the least of each counts.
func printWriting(ctx context.Context, out io.Writer, want selection, rounds int) error {
	folder, err := os.MkdirTemp("", "warptape-catalogue-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "workload\tsize\tprocessor seconds\tof writing\telapsed\t")
	var all writingCost
	err = want.each(func(name string, p *host.Program, size string) error {
		c, err := measureWriting(ctx, p, size, filepath.Join(folder, "w.wtape"), rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		printCost(t, name, size, &c)
		all.recorded.add(c.recorded)
		all.dropped.add(c.dropped)
		return nil
	})
	if err != nil {
		return err
	}
	printCost(t, "together", "", &all)
	return t.Flush()
}

func (s *spent) add(o spent) {
	s.processor += o.processor
	s.elapsed += o.elapsed
}

func printCost(t io.Writer, name, size string, c *writingCost) {
	fmt.Fprintf(t, "%s\t%s\t%.2f\t%.0f %%\t%.2f times\t\n", name, size, c.recorded.processor.Seconds(), 100*c.share(), c.longer())
}

// measureWriting runs a workload so many times in each way.
func measureWriting(ctx context.Context, p *host.Program, size, path string, rounds int) (c writingCost, err error) {
	for range rounds {
		s, err := spend(func() error {
			_, err := record(ctx, p, size, path)
			return err
		})
		if err != nil {
			return c, err
		}
		c.recorded.least(s)
		s, err = spend(func() error {
			_, err := p.Run(ctx, host.Options{Size: size, Seed: traces.CatalogueSeed, Sink: new(dropping)})
			return err
		})
		if err != nil {
			return c, err
		}
		c.dropped.least(s)
	}
	return c, nil
}

// spend measures a run that finds no garbage of another.
func spend(run func() error) (spent, error) {
	runtime.GC()
	start, used := time.Now(), cputime.Used()
	err := run()
	return spent{cputime.Used() - used, time.Since(start)}, err
}

// dropping is a sink that keeps nothing, so that the host program and the emulator do
// all that they do for a recording.
type dropping struct{ kernels, events, launches int }

func (d *dropping) UpdateHeader(func(*trace.Header)) {}

func (d *dropping) AddKernel(*trace.Kernel) (int, error) {
	d.kernels++
	return d.kernels - 1, nil
}

func (d *dropping) AddEvent(trace.HostEvent) (int, error) {
	d.events++
	return d.events - 1, nil
}

func (d *dropping) BeginLaunch(trace.Launch, ...int) (int, error) {
	d.events++
	d.launches++
	return d.launches - 1, nil
}

func (d *dropping) EndLaunch() error { return nil }

func (d *dropping) BeginBlock(uint64) {}

func (d *dropping) Visit(int, uint32, uint32) {}

func (d *dropping) Guard(int, uint32) {}

func (d *dropping) Access(int, uint32, *[trace.WarpSize]uint64) {}

func (d *dropping) AccessStrided(int, uint32, uint64, int64) {}

func (d *dropping) AccessPattern(int, uint64, *wtape.AccessPattern) {}

func (d *dropping) EndBlock() error { return nil }
