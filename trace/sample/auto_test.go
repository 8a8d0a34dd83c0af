// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/trace"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// profiled is a profile of launches of so many thread blocks, with 200 threads'
// worth of work each, whose policy is auto for a GTX480.
func profiled(t *testing.T, grids ...uint64) *Profile {
	t.Helper()
	policy, err := Parse("auto,for=16x8/1536/32768/49152/786432")
	if err != nil {
		t.Fatal(err)
	}
	p := NewProfile(policy)
	p.kernels = []*trace.Kernel{{Name: "k"}}
	for i, grid := range grids {
		l := launchProfile{launch: trace.Launch{Block: trace.Dim3{X: 192, Y: 1, Z: 1}, Grid: trace.Dim3{X: uint32(grid), Y: 1, Z: 1}}, grid: grid}
		// Each launch does something else, so that none stands for another.
		l.total[elementInstruction] = float64(grid) * 10_000 * float64(1+i)
		l.total[i] = l.total[elementInstruction]
		l.squares = l.total[elementInstruction] * l.total[elementInstruction] / float64(grid)
		p.launches = append(p.launches, l)
	}
	return p
}

func TestAutoTakesRunsOfManyThreadBlocksAndAllOfFew(t *testing.T) {
	if got := profiled(t, 100_000).resolve(); got.Kind != "fraction" || got.Fraction != DefaultAutoFraction {
		t.Errorf("many thread blocks: %s", got)
	}
	if got := profiled(t, 512, 512).resolve(); !got.everything() {
		t.Errorf("few thread blocks: %s", got)
	}
}

func TestAutoStoresShortProgramsWhole(t *testing.T) {
	if got := profiled(t, 150).resolve(); !got.everything() {
		t.Errorf("1.5 million warp instructions: %s", got)
	}
}

// A machine holds 128 thread blocks of 192 threads. The fewest waves are 3: their 384
// thread blocks of 10,000 warp instructions have more than 2 million.
func TestLongThreadBlocksThatDoAlikeNeedFewerWaves(t *testing.T) {
	for _, c := range []struct {
		name     string
		perBlock float64
		spread   float64 // standard deviation over mean
		want     uint64
	}{
		{"long", 10_000, 0.05, 3 * 128},
		{"long, of two kinds", 10_000, 0.2, 6 * 128},
		{"2 million in five waves", 2_000_000.0 / (5 * 128), 0, 5 * 128},
		{"short", 1_000, 0, 6 * 128},
		{"half a million in eight waves", 500_000.0 / (8 * 128), 0, 8 * 128},
	} {
		p := profiled(t, 100_000)
		l := &p.launches[0]
		l.total[elementInstruction] = c.perBlock * float64(l.grid)
		l.squares = c.perBlock * c.perBlock * (1 + c.spread*c.spread) * float64(l.grid)
		if got := p.least(l); got != c.want {
			t.Errorf("%s: %d thread blocks, want %d", c.name, got, c.want)
		}
		if p.policy.FewWaves = 0; p.least(l) != max(6*128, c.want) {
			t.Errorf("%s: %d thread blocks with six waves in any case", c.name, p.least(l))
		}
	}
}

// No last cache holds 100 MB, so what a launch of so much data finds there does not
// depend on whether another has touched them; of 10 MB it may.
func TestNewDataMatterWhereACacheCouldHoldThem(t *testing.T) {
	for lines, want := range map[float64]int{100e6 / lineBytes: 2, 10e6 / lineBytes: 1} {
		p := profiled(t, 100_000, 100_000, 100_000)
		p.launches[2] = p.launches[1]
		p.launches[0].lines, p.launches[0].fresh = 1e6, 1e6 // fill the cache
		p.launches[1].lines, p.launches[2].lines = lines, lines
		p.launches[1].fresh = lines
		if got := p.chooseLaunches(); got[1] != want || got[2] != 2 {
			t.Errorf("%g lines: %d represents the launch of new data, want %d", lines, got[1], want)
		}
	}
}

// A launch that finds an empty cache has nothing to write back: it stands for none, and
// none for it. One that finds what the launch before it left needs that before it.
func TestLaunchesStandForOthersWithTheCacheThatTheyFind(t *testing.T) {
	const cache = 786432 / lineBytes
	for _, c := range []struct {
		name         string
		lines, fresh float64 // of each launch
		want         []int
	}{
		{"more new data than the cache holds", 10 * cache, 10 * cache, []int{0, 3, 3, 3, 3}},
		{"a third of the cache each, new", cache / 3, cache / 3, []int{0, 1, 2, 4, 4}},
		{"data that stay in the cache", cache / 20, 0, []int{2, 1, 2, 2, 2}},
		{"new data that stay in the cache", cache / 20, cache / 20, []int{2, 2, 2, 2, 2}},
	} {
		p := profiled(t, 100_000, 100_000, 100_000, 100_000, 100_000)
		for i := range p.launches {
			p.launches[i] = p.launches[0]
			p.launches[i].lines, p.launches[i].fresh = c.lines, c.fresh
		}
		if got := p.chooseLaunches(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A launch touches 24 MB for a million warp instructions. A cache of 3 MB has become
// full after an eighth of it, and a second eighth shows how it then goes on.
func TestLaunchesThatStreamFillTheLastCacheTwice(t *testing.T) {
	for _, c := range []struct {
		megabytes float64
		want      uint64
	}{{24, 25_000}, {6, 100_000}, {2, 100_000}, {1.9, 6 * 128}} { // the last is of little data per instruction
		p := profiled(t, 100_000)
		p.policy.For.CacheBytes = 3e6
		l := &p.launches[0]
		l.total[elementInstruction], l.squares = 1e6, 1e12/float64(l.grid)
		l.lines = c.megabytes * 1e6 / lineBytes
		p.policy.Work, p.policy.FewWaves = 1, 0
		if got := p.least(l); got != c.want {
			t.Errorf("%g MB: %d thread blocks, want %d", c.megabytes, got, c.want)
		}
	}
	p := profiled(t, 100_000) // a cache that is full after 250: eight fills of 128 are more
	p.policy.For.CacheBytes = 60_000
	p.launches[0].total[elementInstruction], p.launches[0].lines = 1e6, 24e6/lineBytes
	p.policy.Work, p.policy.FewWaves = 1, 0
	if got := p.least(&p.launches[0]); got != 250+8*128 {
		t.Errorf("a small cache: %d thread blocks, want %d", got, 250+8*128)
	}
}

func TestAutoStoresWholeWhatRunsWouldMostlyStore(t *testing.T) {
	for blocks, whole := range map[uint64]bool{1200: true, 1500: false} { // six waves are 768
		p := profiled(t, blocks)
		p.policy.FewWaves = 0
		if got := p.resolve(); got.everything() != whole {
			t.Errorf("%d thread blocks: %s", blocks, got)
		}
	}
}

func TestCoverIsTheLargestInEveryDimension(t *testing.T) {
	a, b := Fill{SMs: 1, Blocks: 9, Threads: 3, Registers: 4, SharedBytes: 5, CacheBytes: 9}, Fill{SMs: 2, Blocks: 8, Threads: 4, Registers: 3, SharedBytes: 6, CacheBytes: 1}
	want := Fill{SMs: 2, Blocks: 9, Threads: 4, Registers: 4, SharedBytes: 6, CacheBytes: 9}
	if got := a.Cover(b); got != want || b.Cover(a) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFillIsWhatAnSMHolds(t *testing.T) {
	gtx480 := Fill{SMs: 16, Blocks: 8, Threads: 1536, Registers: 32768, SharedBytes: 48 << 10}
	for _, c := range []struct{ threads, registers, shared, want uint32 }{
		{64, 16, 0, 8}, {256, 20, 0, 6}, {256, 63, 0, 2}, {192, 20, 16 << 10, 3}, {1024, 20, 0, 1}, {1024, 64, 0, 1}, {33, 1, 0, 8},
	} {
		l := trace.Launch{Block: trace.Dim3{X: c.threads, Y: 1, Z: 1}}
		if got := gtx480.Holds(&trace.Kernel{RegistersPerThread: c.registers, SharedBytes: c.shared}, &l); got != 16*uint64(c.want) {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// Samples of older versions name a number of slices of the machine.
func TestFillsOfOlderSamplesAreRead(t *testing.T) {
	want := Fill{SMs: 16, Blocks: 8, Threads: 1536, Registers: 32768, SharedBytes: 49152, CacheBytes: 786432}
	for _, text := range []string{"16x8/1536/32768/49152/786432", "16x8/1536/32768/49152/786432/8"} {
		if got, err := ParseFill(text); err != nil || got != want || got.String() != "16x8/1536/32768/49152/786432" {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// A profile numbers events and launches as a writer does. Its groups cover the grid, and are as small as their number allows.
func TestAProfileNumbersWhatItIsTold(t *testing.T) {
	policy, err := Parse("stratified=8,for=16x8/1536/32768/49152/786432")
	if err != nil {
		t.Fatal(err)
	}
	p := NewProfile(policy)
	p.kernels = []*trace.Kernel{{Name: "k"}}
	for i, grid := range []uint32{1, 16, 17, 16 * maxLaunchGroups, 16*maxLaunchGroups + 1} {
		event, _ := p.AddEvent(trace.HostEvent{})
		launch, _ := p.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: grid, Y: 1, Z: 1}})
		if event != 2*i || launch != i {
			t.Errorf("event %d and launch %d, want %d and %d", event, launch, 2*i, i)
		}
		l := &p.launches[i]
		groups, covered := uint64(len(l.groups)), uint64(len(l.groups))*l.groupBlocks
		if covered < uint64(grid) || covered-l.groupBlocks >= uint64(grid) || groups > maxLaunchGroups || l.groupBlocks > 16 && groups <= maxLaunchGroups/2 {
			t.Errorf("%d thread blocks in %d groups of %d", grid, groups, l.groupBlocks)
		}
	}
}

// A recorder names the thread blocks to run only where that leaves some out.
func TestOnlyWhatIsStoredRunsWhereThatIsLess(t *testing.T) {
	policy, err := Parse("fraction=0.5,for=16x8/1536/32768/49152/786432")
	if err != nil {
		t.Fatal(err)
	}
	runs := []trace.Run{{First: 2, Blocks: 3}, {First: 8, Blocks: 2}}
	for grid, want := range map[uint64][]trace.Range{20: {{First: 2, Last: 4}, {First: 8, Last: 9}}, 5: nil} {
		r := &Recorder{policy: policy, grid: grid, choice: choice{strata: 1, runs: runs}}
		if got := r.Only(); !slices.Equal(got, want) || r.only != (want != nil) {
			t.Errorf("of %d thread blocks only %v run, want %v", grid, got, want)
		}
	}
}

// Of launches for which one stands, a policy stores that one's part: a fifth of what it stores of the launch alone, whichever it is.
func TestWhatIsStoredIsThatOfRepresentatives(t *testing.T) {
	p := profiled(t, 100_000, 100_000, 100_000, 100_000, 100_000)
	for i := range p.launches {
		p.launches[i] = p.launches[0]
		p.launches[i].lines, p.launches[i].fresh = 786432/lineBytes/20, 786432/lineBytes/20
	}
	if got := p.chooseLaunches(); !slices.Equal(got, []int{2, 2, 2, 2, 2}) {
		t.Fatalf("launches %v stand for the five", got)
	}
	alone := *p
	alone.launches = alone.launches[:1]
	policy := p.resolve()
	if got, want := p.stores(policy), alone.stores(policy)/5; want <= 0 || want >= 0.2 || got != want {
		t.Errorf("%s stores %g of five launches, want %g", policy, got, want)
	}
}
