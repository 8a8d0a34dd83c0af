// SPDX-License-Identifier: Apache-2.0

package soc_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/chip"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/soc"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// coupled is kernels that load and store random lines of a buffer, which the host
// copies and computes on between them. wrote has, for each launch, the recorded
// addresses of the lines that it stores.
func coupled(t *testing.T, seed uint64) (r *wtape.Reader, wrote []map[uint64]bool) {
	t.Helper()
	const bytes, launches = 12 * page, 3
	rng := rand.New(rand.NewPCG(seed, 77))
	var list []gputest.Launch
	for l := range launches {
		lines := map[uint64]bool{}
		classes := []trace.OpClass{trace.ClassLoad, trace.ClassStore, trace.ClassLoad, trace.ClassStore, trace.ClassStore, trace.ClassLoad}
		k := accesses("k", classes, func(_ *gputest.Warp, i int) uint64 {
			a := device&^127 + 128*(1+rng.Uint64N(bytes/128-2))
			if classes[i] == trace.ClassStore {
				lines[a], lines[a+64] = true, true
			}
			return a
		})
		k.Blocks, k.Threads = 8, 128
		if l == 0 {
			k.Before = append(allocate(bytes), trace.HostEvent{Kind: trace.EventAllocate, Name: "other", Address: other, Bytes: page},
				trace.HostEvent{Kind: trace.EventHostAllocate, Name: "other", HostAddress: otherHost, Bytes: page})
		}
		access := func(writes bool) trace.HostEvent {
			from := rng.Uint64N(bytes-page) &^ 7
			return trace.HostEvent{Kind: trace.EventCompute, Operations: 50, Accesses: []trace.HostAccess{{HostAddress: hostBase + from, Bytes: 8 + rng.Uint64N(page), Writes: writes}}}
		}
		k.Before = append(k.Before, access(true), copyTo(0, bytes))
		k.Behind = []trace.HostEvent{copyBack(0, bytes), access(false), access(true)}
		// A core that has computed and two that copy share an array.
		k.Behind = append(k.Behind, trace.HostEvent{Kind: trace.EventCompute, Operations: 5, Accesses: []trace.HostAccess{{HostAddress: otherHost, Bytes: page, Writes: true}}})
		for stream := range uint32(2) {
			k.Behind = append(k.Behind, trace.HostEvent{Kind: trace.EventCopyToDevice, Address: other, HostAddress: otherHost, Bytes: page, Stream: 1 + stream})
		}
		list, wrote = append(list, k), append(wrote, lines)
	}
	return gputest.Trace(t, list...), wrote
}

// A buffer that no SM accesses, and its array.
const (
	other     = device + 1<<20
	otherHost = hostBase + 1<<20
)

// flushed asserts that all lines that kernels have stored before a step of the host
// have been written back since.
func flushed(t *testing.T, r *wtape.Reader, wrote []map[uint64]bool) func(k *soc.Checker, step int) {
	events := r.Timeline()
	return func(k *soc.Checker, step int) {
		if events[step].Stream != 0 {
			return // it runs alongside the kernels
		}
		before := map[uint64]int{}
		for i := range events[:step] {
			if events[i].Kind == trace.EventLaunch {
				for line := range wrote[events[i].Launch] {
					before[line]++
				}
			}
		}
		for line, n := range before {
			if got := k.Written[k.Place(line)]; got < n {
				t.Errorf("step %d of the host: line %#x, which %d kernels have stored, was written back %d times", step, line, n, got)
				return
			}
		}
	}
}

// On every system, with everything wide and narrow, and with other programs alongside, the
// cores and copies see what the SMs wrote, and the other way round.
func TestCoresCopiesAndSMsSeeTheLastWrite(t *testing.T) {
	tracetest.Nightly(t)
	for _, name := range tracetest.Draw(t, systems, 1) {
		for _, seed := range tracetest.Seeds(t, 2, 1) {
			r, wrote := coupled(t, seed)
			m, small := system(t, name, nil), seed == 1
			if small {
				m = system(t, name, func(s *soc.Section, c *cpu.Section) {
					s.TLBEntries, s.TLBWays, s.Walks, s.Queue = 4, 2, 2, 4
					c.TLBEntries, c.Misses, c.StoreBuffer = 4, 2, 8
					c.L1.Bytes, c.L2.Bytes, c.L2.Ways = 1<<10, 4<<10, 4
				})
			}
			k := &soc.Checker{Fail: func(message string) { t.Errorf("%s, seed %d: %s", name, seed, message) }, Step: flushed(t, r, wrote)}
			beside := soc.Beside(func(*arch.Machine) ([]chip.Program, error) { return programs(2), nil })
			if _, err := replay.Run(context.Background(), r, []*arch.Machine{m}, replay.Options{Workers: 1, Attach: soc.Watch(k, beside), WatchdogCycles: 200_000}); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if k.Stores == 0 || k.Loads == 0 || k.SMReads == 0 || k.SMWrites == 0 {
				t.Errorf("%s: %d stores and %d loads of cores, %d reads and %d writes of SMs: the test shows nothing", name, k.Stores, k.Loads, k.SMReads, k.SMWrites)
			}
		}
	}
}

// A copy back of what a kernel has stored, while another kernel, whose stores miss the
// TLB all the time, keeps the way to the last-level cache busy.
func TestACopyBesideAnotherKernelSeesWhatTheFirstWrote(t *testing.T) {
	const lines = 32
	for _, name := range []string{"typsoc", "copysoc"} {
		short := accesses("short", repeated(trace.ClassStore, 1), func(w *gputest.Warp, _ int) uint64 { return device&^127 + 128*uint64(1+w.Warp) })
		short.Threads, short.Stream, short.Before = lines/2*32, 1, allocate(4*page)
		back := copyBack(0, 4*page-256)
		back.Stream = 1
		short.Behind = []trace.HostEvent{back}
		long := accesses("long", repeated(trace.ClassStore, 300), func(w *gputest.Warp, i int) uint64 { return other + uint64(w.Warp*300+i)*page })
		long.Threads, long.Stream = 256, 2
		long.Before = []trace.HostEvent{{Kind: trace.EventAllocate, Name: "other", Address: other, Bytes: 8 * 300 * page}}
		m := system(t, name, func(s *soc.Section, _ *cpu.Section) { s.TLBEntries, s.TLBWays, s.Walks = 4, 2, 2 })
		m.GPU.ConcurrentKernels = 2
		r := gputest.Trace(t, long, short)
		wrote := map[uint64]bool{}
		for n := range uint64(lines) {
			wrote[device&^127+128+64*n] = true
		}
		looked := 0
		k := &soc.Checker{Fail: func(message string) { t.Errorf("%s: %s", name, message) }}
		k.Step = func(k *soc.Checker, step int) {
			if r.Timeline()[step].Kind != trace.EventCopyToHost {
				return
			}
			looked++
			for line := range wrote {
				if k.Written[k.Place(line)] == 0 {
					t.Errorf("%s: line %#x is read by the host before the SMs' write has come to the last-level cache", name, line)
					return
				}
			}
		}
		results, err := replay.Run(context.Background(), r, []*arch.Machine{m}, replay.Options{Workers: 1, Attach: soc.Watch(k, nil), WatchdogCycles: 500_000})
		if err != nil {
			t.Fatal(err)
		}
		if looked != 1 || results[0].Copies[0].Start >= results[0].Launches[0].End {
			t.Errorf("%s: the copy, looked at %d times, began at %d, the other kernel ended at %d", name, looked, results[0].Copies[0].Start, results[0].Launches[0].End)
		}
	}
}
