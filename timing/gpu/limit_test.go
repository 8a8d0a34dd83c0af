// SPDX-License-Identifier: Apache-2.0

//go:build linux

package gpu

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/wtape"
)

// limit adds up what a replay would take on so many cores that wait for each other at the
// end of each phase of a round. Each phase takes as long as its core with the most work,
// and what one core does alone comes on top.
type limit struct {
	cores       []int
	longer      []time.Duration // by cores: of the phases
	items       time.Duration   // of all items
	phases      int
	took, loads [64]time.Duration // scratch
}

// processorTime is that of the present thread.
func processorTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

func (l *limit) meter(do func(int), items []int32) {
	if len(items) == 0 {
		return
	}
	l.phases++
	last := time.Now()
	for i, item := range items {
		do(int(item))
		now := time.Now()
		if took := now.Sub(last); took < mostOfAnItem { // else another process had the core
			l.took[i] = took
		}
		l.items += l.took[i]
		last = now
	}
	for k, cores := range l.cores {
		clear(l.loads[:])
		longest := time.Duration(0)
		for i := range items {
			load := &l.loads[int(items[i])%cores]
			*load += l.took[i]
			longest = max(longest, *load)
		}
		l.longer[k] += longest
	}
}

// mostOfAnItem is far beyond what an SM or a partition takes for a few cycles.
const mostOfAnItem = 300 * time.Microsecond

// BenchmarkLimitOfCores tells how many times faster replays of the traces in the folder
// WARPTAPE_TRACES would be on several cores, from what each part of each round takes on
// one. The waiting at the end of each phase, which BenchmarkCrew measures, is not in it.
func BenchmarkLimitOfCores(b *testing.B) {
	paths, err := filepath.Glob(filepath.Join(os.Getenv("WARPTAPE_TRACES"), "*.wtape"))
	if err != nil || len(paths) == 0 {
		b.Skip("WARPTAPE_TRACES names no folder with traces")
	}
	m, err := arch.Load("gtx480")
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		b.Run(strings.TrimSuffix(filepath.Base(path), ".wtape"), func(b *testing.B) {
			limitOf(b, m, path)
		})
	}
}

func limitOf(b *testing.B, m *arch.Machine, path string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, err := wtape.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	replay := func(prepare func(g *GPU), cores int) (time.Duration, *Run) {
		g, err := New(m, Options{Cores: cores})
		if err != nil {
			b.Fatal(err)
		}
		prepare(g)
		start := processorTime()
		run, err := g.Replay(context.Background(), gputest.NewSource(r), nil)
		if err != nil {
			b.Fatal(err)
		}
		return processorTime() - start, run
	}
	for range b.N {
		l := limit{cores: []int{2, 16, 64}}
		l.longer = make([]time.Duration, len(l.cores))
		plain, run := replay(func(*GPU) {}, 0)
		alone, _ := replay(func(g *GPU) {
			g.team.pace.always = true
		}, 1)
		rounds, cycles := 0, 0
		replay(func(g *GPU) {
			g.team.pace.always = true
			g.team.crew.meter = l.meter
			g.team.observe = func(n, _ int) { rounds++; cycles += n }
		}, 1)
		b.ReportMetric(float64(plain.Nanoseconds())/float64(run.Cycles), "ns/cycle")
		b.ReportMetric(float64(cycles)/float64(run.Cycles), "apart")
		b.ReportMetric(float64(cycles)/float64(max(rounds, 1)), "cycles/round")
		b.ReportMetric(float64(l.phases)/float64(max(rounds, 1)), "phases/round")
		b.ReportMetric(float64(alone)/float64(plain), "alone/plain")
		b.ReportMetric(float64(l.items)/float64(alone), "shared")
		names := []string{"x2", "x16", "x64"}
		for k := range l.cores {
			b.ReportMetric(float64(plain)/float64(alone-l.items+l.longer[k]), names[k])
		}
	}
}
