// SPDX-License-Identifier: Apache-2.0

package timeline_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	_ "github.com/warptape/warptape/timing/eesi" // machines
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/timeline"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// recorded replays launches with a timeline of each machine.
func recorded(t testing.TB, o timeline.Options, specs []string, launches ...gputest.Launch) ([]replay.Result, [][]byte) {
	t.Helper()
	r := gputest.Trace(t, launches...)
	var machines []*arch.Machine
	out := make([]bytes.Buffer, len(specs))
	options := replay.Options{Version: "1"}
	for i, spec := range specs {
		m, err := arch.Load(spec)
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, m)
		options.Timelines = append(options.Timelines, timeline.New(&out[i], m.Name, m.GPU.SMs, o))
	}
	results, err := replay.Run(context.Background(), r, machines, options)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := replay.Run(context.Background(), r, machines, replay.Options{Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(written(t, plain), written(t, results)); diff != "" {
		t.Fatalf("the timeline changes the results:\n%s", diff)
	}
	files := make([][]byte, len(out))
	for i := range out {
		files[i] = out[i].Bytes()
	}
	return results, files
}

func written(t testing.TB, results []replay.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(replay.WriteTable(&b, results), replay.WriteJSON(&b, results), replay.WriteCSV(&b, results)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// mixed is a kernel with loads, arithmetic, shared memory and a barrier.
func mixed() *gputest.Kernel {
	k := gputest.NewKernel("mixed")
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassF32Fma, 3, 1).Op(trace.ClassSpecial, 4, 3)
	k.Store(trace.SpaceShared, 5, 4).Barrier("sync", 0)
	k.Load(trace.SpaceShared, 6, 5).Op(trace.ClassIntAdd, 7, 6).Store(trace.SpaceGlobal, 8, 7).Exit()
	return k
}

var machines = []string{"gtx480", "gtx480+dual-issue", "gpsim-soc", "gtx480-ref", "mesh56+l1-off", "gtx480-15+switch(on=all)", "gpsim-eesi-base", "eesi", "gpsim-sbi"}

func TestIssueSlotSlicesAddUpToTheCounters(t *testing.T) {
	random, machines := gputest.RandomLaunches(rand.New(rand.NewPCG(4, 4))), tracetest.Draw(t, machines, 1)
	for _, launches := range [][]gputest.Launch{
		random, {{Kernel: mixed(), Blocks: 50, Threads: 192}, {Kernel: mixed(), Blocks: 3, Threads: 64}},
	} {
		results, files := recorded(t, timeline.Options{}, machines, launches...)
		for i, file := range files {
			var sums [counters.CauseCount]uint64
			for _, k := range decode(t, file).tracks {
				if strings.HasPrefix(k.title, "scheduler ") {
					for _, s := range k.slices {
						sums[cause(t, s.name)] += s.end - s.start
					}
				}
			}
			for c := range sums {
				if want := results[i].Total.Counters[counters.Cause(c).Counter()]; sums[c] != want {
					t.Errorf("%s: slices of %v have %d slots, counters %d", machines[i], counters.Cause(c), sums[c], want)
				}
			}
		}
	}
}

// What SMs do lies within the launches, also of those after a time in which the
// machine's clock stands still while the host copies.
func TestSlicesOfSMsLieWithinTheLaunches(t *testing.T) {
	copied := []trace.HostEvent{{Kind: trace.EventCopyToDevice, Address: 1 << 20, HostAddress: 1 << 30, Bytes: 1 << 16}}
	_, files := recorded(t, timeline.Options{}, []string{"gtx480"},
		gputest.Launch{Kernel: mixed(), Blocks: 3, Threads: 64, Before: copied}, gputest.Launch{Kernel: mixed(), Blocks: 3, Threads: 64, Before: copied})
	tracks := decode(t, files[0]).tracks
	var launches []event
	for _, k := range tracks {
		if strings.HasPrefix(k.title, "kernels, stream") {
			launches = append(launches, k.slices...)
		}
	}
	if len(launches) != 2 {
		t.Fatalf("%d launches", len(launches))
	}
	inside := [2]int{}
	for _, k := range tracks {
		if !strings.HasPrefix(k.group, "SM ") {
			continue
		}
		for _, s := range k.slices {
			in := -1
			for i, l := range launches {
				if s.start >= l.start && s.end <= l.end {
					in = i
				}
			}
			if in < 0 {
				t.Fatalf("%s, %s: %q from %d to %d is in no launch of %+v", k.group, k.title, s.name, s.start, s.end, launches)
			}
			inside[in]++
		}
	}
	if inside[0] == 0 || inside[1] == 0 {
		t.Errorf("%d slices in the first launch, %d in the second", inside[0], inside[1])
	}
}

func cause(t testing.TB, name string) counters.Cause {
	t.Helper()
	for c := range counters.Cause(counters.CauseCount) {
		if c.String() == name {
			return c
		}
	}
	t.Fatalf("%q is no cause", name)
	return 0
}

func TestStallsNameTheLineThatWaits(t *testing.T) {
	k := gputest.NewKernel("k")
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1).Exit()
	_, files := recorded(t, timeline.Options{}, []string{"gtx480"}, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	waits := 0
	for _, k := range decode(t, files[0]).tracks {
		for _, s := range k.slices {
			if s.name == "memory" && (k.title == "warp slot 0" || k.title == "scheduler 0, issue slot 0") {
				if s.notes["ptx_line"] != 2 || s.end-s.start < 100 {
					t.Errorf("%s waits for memory at line %d for %d cycles", k.title, s.notes["ptx_line"], s.end-s.start)
				}
				waits++
			}
		}
	}
	if waits != 2 {
		t.Errorf("%d waits for memory, want one of the warp and one of its scheduler", waits)
	}
}

func TestEveryThreadBlockRequestAndLaunchHasASlice(t *testing.T) {
	launches := []gputest.Launch{{Kernel: mixed(), Blocks: 40, Threads: 96}, {Kernel: mixed(), Blocks: 5, Threads: 32, Stream: 1}}
	machines := tracetest.Draw(t, machines, tracetest.Fewer(2, len(machines)))
	results, files := recorded(t, timeline.Options{}, machines, launches...)
	for i, file := range files {
		var blocks, requests, kernels, depths int
		for _, k := range decode(t, file).tracks {
			switch {
			case strings.HasPrefix(k.title, "block slot"):
				blocks += len(k.slices)
			case k.title == "requests":
				requests += len(k.slices)
			case strings.HasPrefix(k.title, "kernels, stream"):
				kernels += len(k.slices)
			}
			depths += len(k.counts)
		}
		c := &results[i].Total.Counters
		if blocks != int(c[counters.BlocksRetired]) || kernels != 2 || depths == 0 {
			t.Errorf("%s: %d thread blocks, %d kernels, %d depths of queues", machines[i], blocks, kernels, depths)
		}
		// Answers that come after the SM's last thread block has ended are not shown.
		if n := int(c[counters.RequestsAnswered]); requests > n || requests < n*9/10 {
			t.Errorf("%s: %d requests of %d", machines[i], requests, n)
		}
	}
}

func TestRequestsNameTheLevelThatServedThem(t *testing.T) {
	k := gputest.NewKernel("k")
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1).Exit()
	launch := gputest.Launch{Kernel: k, Blocks: 1, Threads: 32}
	for spec, want := range map[string][]string{"gtx480": {"L2", "DRAM"}, "gpsim-soc": {"L2", "LLC", "DRAM"}} {
		m, err := arch.Load(spec)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		_, files := recorded(t, timeline.Options{}, []string{spec}, launch, launch)
		for _, k := range decode(t, files[0]).tracks {
			for _, s := range k.slices {
				if _, level, ok := strings.Cut(s.name, " served by "); ok {
					seen[level]++
					if len(want) == 2 && level == "LLC" {
						t.Errorf("%s has no LLC", m.Name)
					}
				}
			}
		}
		if seen["DRAM"] == 0 || seen["L2"] == 0 {
			t.Errorf("%s: the first launch reads from DRAM, the second from L2: %v", spec, seen)
		}
	}
}

func TestSamplingShowsTheStateAtItsMultiples(t *testing.T) {
	launch := gputest.Launch{Kernel: mixed(), Blocks: 20, Threads: 128}
	_, all := recorded(t, timeline.Options{}, []string{"gtx480"}, launch)
	_, some := recorded(t, timeline.Options{SampleCycles: 16}, []string{"gtx480"}, launch)
	if len(some[0])*2 > len(all[0]) {
		t.Errorf("%d bytes with a sample of 16 cycles, %d with all", len(some[0]), len(all[0]))
	}
	exact, sampled := decode(t, all[0]), decode(t, some[0])
	looks := 0
	for _, id := range exact.order {
		k := exact.tracks[id]
		if !strings.HasPrefix(k.title, "scheduler") && !strings.HasPrefix(k.title, "warp slot") {
			continue
		}
		other := find(sampled, k.group, k.title)
		end := k.slices[len(k.slices)-1].end
		for at := uint64(16); at < end; at += 16 {
			looks++
			if want, got := stateAt(k, at), stateAt(other, at); want != got {
				t.Fatalf("%s, %s at %d: %q, want %q", k.group, k.title, at, got, want)
			}
		}
	}
	if looks < 1000 {
		t.Errorf("only %d moments compared", looks)
	}
}

func find(d *decoded, group, title string) *track {
	for _, k := range d.tracks {
		if k.group == group && k.title == title {
			return k
		}
	}
	return &track{}
}

func stateAt(k *track, at uint64) string {
	for _, s := range k.slices {
		if s.start <= at && at < s.end {
			return s.name
		}
	}
	return ""
}

func TestTimelinesAreTheSameBytesEveryTime(t *testing.T) {
	launches := []gputest.Launch{{Kernel: mixed(), Blocks: 30, Threads: 160}}
	_, first := recorded(t, timeline.Options{}, machines, launches...)
	_, second := recorded(t, timeline.Options{}, machines, launches...)
	for i := range first {
		if !bytes.Equal(first[i], second[i]) {
			t.Errorf("%s: other bytes", machines[i])
		}
	}
}

func TestOnlyTheChosenSMsAndLaunchesAreShown(t *testing.T) {
	launch := gputest.Launch{Kernel: mixed(), Blocks: 40, Threads: 96}
	results, files := recorded(t, timeline.Options{
		SM: func(sm int) bool { return sm == 3 }, Launch: func(l int) bool { return l == 1 },
	}, []string{"gtx480"}, launch, launch)
	for _, k := range decode(t, files[0]).tracks {
		if strings.HasPrefix(k.group, "SM ") && k.group != "SM 3" {
			t.Errorf("%s is shown", k.group)
		}
		for _, s := range k.slices {
			if k.group == "SM 3" && s.start < uint64(results[0].Launches[1].Start) {
				t.Errorf("%s: slice %+v is of the first launch", k.title, s)
			}
		}
	}
}

func TestTimelineEndsAtItsLimitAndTheReplayDoesNot(t *testing.T) {
	const limit = 20_000
	launch := gputest.Launch{Kernel: mixed(), Blocks: 100, Threads: 256}
	_, files := recorded(t, timeline.Options{LimitBytes: limit}, []string{"gtx480"}, launch)
	if n := len(files[0]); n < limit || n > 3*limit {
		t.Errorf("%d bytes, limit %d", n, limit)
	}
	if k := find(decode(t, files[0]), "gtx480: 1 ns = 1 core cycle", "limit"); k.title == "" {
		t.Error("the file does not say that it ends early")
	}
}
