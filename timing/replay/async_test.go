// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// stored is the cycles of a warp on h100 that stores two groups of 64 KiB by bulk copies, waits,
// and then works for longer than the stores take.
func stored(t *testing.T, wait func(k *gputest.Kernel)) clock.Cycle {
	t.Helper()
	k := gputest.NewKernel("stores")
	for range 2 {
		k.BulkStore().CommitBulk()
	}
	if wait != nil {
		wait(k)
	}
	k.Branch()
	for range 1000 {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Exit()
	l := gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
		n := uint64(0)
		w.CopiedEach(0, 1, func(b *trace.BulkCopy) {
			b.Add(0xC000_0000+n<<20, 64<<10)
			n++
		})
		w.Visit(1, w.Lanes)
	}}
	return replayed(t, gputest.Trace(t, l), "h100+set(gpu.lowering=none,instruction_cache.perfect=true)")[0].Launches[0].Cycles
}

// replayed is a replay with the machines' own memory.
func replayed(t *testing.T, tape *wtape.Reader, machines ...string) []Result {
	t.Helper()
	results, err := Run(context.Background(), tape, load(t, machines...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// A wait with .read is for the sources of copies, another one for the writes; one that leaves a
// group is shorter than one for all. Without a wait the warp does not wait.
func TestWaitsForBulkStores(t *testing.T) {
	none := stored(t, nil)
	cycles := map[string]clock.Cycle{}
	for name, wait := range map[string]func(k *gputest.Kernel){
		"read 2": func(k *gputest.Kernel) { k.AwaitBulk(2, true) }, "read 1": func(k *gputest.Kernel) { k.AwaitBulk(1, true) }, "read 0": func(k *gputest.Kernel) { k.AwaitBulk(0, true) },
		"all but 1": func(k *gputest.Kernel) { k.AwaitBulk(1, false) }, "all": func(k *gputest.Kernel) { k.AwaitBulk(0, false) },
	} {
		cycles[name] = stored(t, wait)
	}
	// 64 KiB leave the SM in 1024 cycles of 64 bytes.
	for _, c := range []struct {
		less, more  string
		least, most clock.Cycle
	}{{"read 2", "read 1", 800, 1200}, {"read 1", "read 0", 1000, 1050}, {"read 0", "all", 200, 2000}, {"all but 1", "all", 200, 2500}, {"read 1", "all but 1", 1, 2500}} {
		if d := cycles[c.more] - cycles[c.less]; d < c.least || d > c.most {
			t.Errorf("a wait for %s takes %d cycles longer than for %s, want %d to %d", c.more, d, c.less, c.least, c.most)
		}
	}
	if d := cycles["read 2"] - none; d < 0 || d > 40 {
		t.Errorf("a wait that leaves all groups takes %d cycles more than none", d)
	}
}

// Random pipelines come to their end on machines with clusters and without, and take as long with
// two cores as with one.
func TestPipelinesOnBuiltInMachines(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 41))
		p := gputest.RandomPipeline(r, seed%2 == 0)
		machines := []string{"h100"}
		if p.Ranks == 1 {
			if p.Bytes = 0; seed%3 == 0 {
				machines = append(machines, "a100", "rtx3090")
			}
		}
		tape := gputest.Trace(t, p.Launch(3))
		one := written(t, replayed(t, tape, machines...))
		two, err := Run(context.Background(), tape, load(t, machines...), Options{Cores: 2})
		if err != nil {
			t.Fatal(err)
		}
		if written(t, two) != one {
			t.Errorf("seed %d: other bytes with two cores", seed)
		}
	}
}
