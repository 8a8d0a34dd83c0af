// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/extrapolate"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
)

// sampled takes a sample of a trace.
func sampled(t testing.TB, whole *wtape.Reader, policy string) *wtape.Reader {
	t.Helper()
	p, err := sample.Parse(policy)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sample.wtape")
	if err := sample.Trace(whole, path, p, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// homogeneous is a launch of equal thread blocks of one warp that compute only.
func homogeneous(blocks int) gputest.Launch {
	k := gputest.NewKernel("homogeneous")
	for range 20 {
		k.Op(trace.ClassF32Add, 0, 0)
	}
	k.Exit()
	return gputest.Launch{Kernel: k, Blocks: blocks, Threads: 32}
}

// waiting is a launch of equal thread blocks of one warp that mostly wait for loads.
func waiting(blocks int) gputest.Launch {
	k := gputest.NewKernel("waiting")
	for range 6 {
		k.Load(trace.SpaceGlobal, 0, 0)
	}
	k.Exit()
	return gputest.Launch{Kernel: k, Blocks: blocks, Threads: 32}
}

// Equal thread blocks that do not slow each other down fill the machine wave by wave.
// Whatever part of the last is filled, n waves take n times as long as one.
func TestHomogeneousLaunchIsExtrapolatedExactly(t *testing.T) {
	checkHomogeneous(t, waiting, 0.002)
}

// Where thread blocks share issue slots a wave that is partly filled ends earlier,
// which is beyond the estimate: half a wave of more than twelve.
func TestHomogeneousComputeLaunchIsExtrapolatedToHalfAWave(t *testing.T) {
	checkHomogeneous(t, homogeneous, 0.02)
}

func checkHomogeneous(t *testing.T, launch func(blocks int) gputest.Launch, tolerance float64) {
	t.Helper()
	for _, blocks := range []int{400, 401, 437, 1000} {
		whole := gputest.Trace(t, launch(blocks))
		for _, policy := range []string{"count=100,min=1", "count=130,min=1,run=10", "fraction=0.3,min=90"} {
			full := run(t, whole, machines(), Options{})
			part := run(t, sampled(t, whole, policy), machines(), Options{})
			for i := range full {
				f, s := &full[i].Total, &part[i].Total
				if d := math.Abs(float64(s.Cycles - f.Cycles)); d > tolerance*float64(f.Cycles) {
					t.Errorf("%d blocks, %s, %s: %d cycles, full %d", blocks, policy, part[i].Machine, s.Cycles, f.Cycles)
				}
				for _, id := range []counters.ID{counters.IssuedWarp, counters.IssuedThread, counters.BlocksRetired} {
					if s.Counters[id] != f.Counters[id] {
						t.Errorf("%d blocks, %s, %s: %s is %d, full %d", blocks, policy, part[i].Machine, counters.Declared(id).Name, s.Counters[id], f.Counters[id])
					}
				}
			}
		}
	}
}

func TestEstimatedSlotsAddUp(t *testing.T) {
	whole := gputest.Trace(t, homogeneous(700))
	for _, r := range run(t, sampled(t, whole, "fraction=0.2,min=1"), machines(), Options{}) {
		var sum float64
		c := &r.Total.Counters
		for cause := range counters.Cause(counters.CauseCount) {
			sum += float64(c[cause.Counter()])
		}
		if total := float64(c[counters.IssueSlots]); math.Abs(sum-total) > float64(counters.CauseCount) {
			t.Errorf("%s: causes add up to %g of %g slots", r.Machine, sum, total)
		}
	}
}

func TestEveryReportSaysThatItIsOfASample(t *testing.T) {
	whole := gputest.Trace(t, homogeneous(400))
	results := run(t, sampled(t, whole, "fraction=0.25,min=1"), machines(), Options{})
	for name, write := range map[string]func(*bytes.Buffer) error{
		"table": func(b *bytes.Buffer) error { return WriteTable(b, results) },
		"json":  func(b *bytes.Buffer) error { return WriteJSON(b, results) },
		"csv":   func(b *bytes.Buffer) error { return WriteCSV(b, results) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		want := map[string][]string{
			"table": {"sampled: 25.0 % of thread blocks", "95 % interval"},
			"json":  {`"thread_blocks_percent": 25`, `"cycles_plus_minus_percent"`, `"policy": "fraction=0.25`},
			"csv":   {"sampled_thread_blocks_percent,cycles_low,cycles_high"},
		}[name]
		for _, w := range want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s: no %q in\n%s", name, w, b.String())
			}
		}
	}
}

func TestSampleThatStoresEverythingIsNotAnEstimate(t *testing.T) {
	whole := gputest.Trace(t, homogeneous(50))
	full := run(t, whole, machines(), Options{})
	part := run(t, sampled(t, whole, "count=60"), machines(), Options{})
	for i := range full {
		if part[i].Total.Cycles != full[i].Total.Cycles || part[i].Total.Uncertainty.Percent != 0 || part[i].Total.Counters != full[i].Total.Counters {
			t.Errorf("%s: %d cycles %v, full %d", part[i].Machine, part[i].Total.Cycles, part[i].Total.Uncertainty, full[i].Total.Cycles)
		}
	}
}

func TestLaunchesAreEstimatedByTheirRepresentatives(t *testing.T) {
	k := homogeneous(60)
	whole := gputest.Trace(t, k, k, k, k, k, k, k, k)
	full := run(t, whole, machines(), Options{})
	part := run(t, sampled(t, whole, "fraction=1,launches=0.2"), machines(), Options{})
	for i := range full {
		for j := range full[i].Launches {
			f, s := &full[i].Launches[j], &part[i].Launches[j]
			if d := math.Abs(float64(f.Cycles - s.Cycles)); d > 0.05*float64(f.Cycles) {
				t.Errorf("%s, launch %d: %d cycles, full %d", full[i].Machine, j, s.Cycles, f.Cycles)
			}
		}
		if part[i].Sampled.BlocksPercent > 40 {
			t.Errorf("%g %% stored", part[i].Sampled.BlocksPercent)
		}
	}
}

// Half of three SMs are two, which run what one and a half should.
func TestSliceOfAMachineThatDoesNotDivideIsTheNearestOne(t *testing.T) {
	m := machines()[1]
	m.GPU.SMs = 3
	m.Network.Topology, m.L2.Partitions, m.L2.Slice.Ways = "crossbar", 2, 4
	whole := gputest.Trace(t, homogeneous(512))
	list := []*arch.Machine{m}
	full, part := run(t, whole, list, Options{})[0], run(t, sampled(t, whole, "sms=1/2"), list, Options{})[0]
	if d := math.Abs(float64(full.Total.Cycles - part.Total.Cycles)); d > 0.05*float64(full.Total.Cycles) {
		t.Errorf("%d cycles, full %d", part.Total.Cycles, full.Total.Cycles)
	}
}

// Thread blocks that only compute do not share anything between SMs.
func TestSliceOfAComputeBoundLaunchTakesTheCyclesOfTheWhole(t *testing.T) {
	m := machines()[1]
	m.Network.Topology, m.L2.Partitions, m.L2.Slice.Ways = "crossbar", 2, 4
	whole := gputest.Trace(t, homogeneous(256))
	list := []*arch.Machine{m}
	full, part := run(t, whole, list, Options{})[0], run(t, sampled(t, whole, "sms=1/2"), list, Options{})[0]
	if d := math.Abs(float64(full.Total.Cycles - part.Total.Cycles)); d > 0.02*float64(full.Total.Cycles) {
		t.Errorf("%d cycles, full %d", part.Total.Cycles, full.Total.Cycles)
	}
	if part.Total.Counters[counters.IssuedWarp] != full.Total.Counters[counters.IssuedWarp] {
		t.Errorf("%d instructions, full %d", part.Total.Counters[counters.IssuedWarp], full.Total.Counters[counters.IssuedWarp])
	}
}

// A sector is read from DRAM with as many commands as it is written back with. The
// counters of a replay tell how many that are.
func TestSectorsAreWrittenWithTheCommandsThatTheyAreReadWith(t *testing.T) {
	k := gputest.NewKernel("reads")
	k.Load(trace.SpaceGlobal, 0, 0)
	k.Exit()
	var list []*arch.Machine
	for _, name := range []string{"gpsim-tiny", "gpsim-soc", "gtx480", "v100"} {
		m, err := arch.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	whole := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	results, err := Run(context.Background(), whole, list, Options{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		var o extrapolate.Observation
		lastCache(&o, list[i])
		misses := r.Total.Counters[counters.L2ReadMiss]
		if o.LLC {
			misses = r.Total.Counters[counters.LLCReadMiss]
		}
		if got := float64(r.Total.Counters[counters.DRAMRead]) / float64(misses); got != o.SectorCommands {
			t.Errorf("%s: %g commands per sector, taken to be %g", r.Machine, got, o.SectorCommands)
		}
	}
}

// Results of several machines may be estimates of some and exact for others, whichever is
// the first.
func TestTablesSayWhichResultsAreEstimates(t *testing.T) {
	r := gputest.Trace(t, launches(5)...)
	exact := run(t, r, machines()[:2], Options{Workers: 1})
	exact[1].Sampled = &Sampled{Policy: "some"}
	exact[1].Total.Uncertainty = &Uncertainty{}
	var narrow, wide bytes.Buffer
	if err := errors.Join(WriteHeadline(&narrow, exact, 100), WriteTable(&wide, exact)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{narrow.String(), wide.String()} {
		if !strings.Contains(text, "two: sampled: ") || strings.Contains(text, "all figures are estimates") {
			t.Errorf("want that two is an estimate, and not that all are:\n%s", text)
		}
	}
	exact[0].Sampled = exact[1].Sampled
	exact[0].Total.Uncertainty = exact[1].Total.Uncertainty
	wide.Reset()
	if err := WriteTable(&wide, exact); err != nil || !strings.Contains(wide.String(), "all figures are estimates") {
		t.Errorf("%v; want that all are estimates:\n%s", err, &wide)
	}
}
