// SPDX-License-Identifier: Apache-2.0

package soc_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	_ "github.com/warptape/warptape/timing/mechanisms"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/soc"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// systems are those of Table 4.3.
var systems = []string{"typsoc", "copysoc", "fusetlb", "nostlb", "privtlb"}

func load(t testing.TB, spec string) *arch.Machine {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// system loads one of the systems, with changes.
func system(t testing.TB, name string, change func(s *soc.Section, c *cpu.Section)) *arch.Machine {
	t.Helper()
	m := load(t, "gpsim-soc+cpu+"+name)
	if change != nil {
		change(m.Section(soc.Key).(*soc.Section), cpu.Of(m))
	}
	return m
}

// run replays under the checker.
func run(t testing.TB, r *wtape.Reader, machines ...*arch.Machine) []replay.Result {
	t.Helper()
	k := &soc.Checker{Fail: func(message string) { t.Helper(); t.Error(message) }}
	results, err := replay.Run(context.Background(), r, machines, replay.Options{Workers: 1, Attach: soc.Watch(k, nil)})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// count gives a counter of the total.
func count(t testing.TB, r *replay.Result, name string) uint64 {
	t.Helper()
	id, ok := counters.Lookup(name)
	if !ok {
		t.Fatalf("no counter %s", name)
	}
	return r.Total.Counters[id]
}

// The buffer of the kernels of this test, and its array on the host. The recorded
// buffer begins inside a page.
const (
	device   = uint64(0x1000_0100)
	hostBase = uint64(0x7f00_0000_0000)
	page     = 4096
)

func allocate(bytes uint64) []trace.HostEvent {
	return []trace.HostEvent{
		{Kind: trace.EventAllocate, Name: "b", Address: device, Bytes: bytes},
		{Kind: trace.EventHostAllocate, Name: "b", HostAddress: hostBase, Bytes: bytes},
	}
}

func copyTo(offset, bytes uint64) trace.HostEvent {
	return trace.HostEvent{Kind: trace.EventCopyToDevice, Address: device + offset, HostAddress: hostBase + offset, Bytes: bytes}
}

func copyBack(offset, bytes uint64) trace.HostEvent {
	e := copyTo(offset, bytes)
	e.Kind = trace.EventCopyToHost
	return e
}

// accesses is a kernel of one basic block with these accesses of global memory. Each warp
// accesses the 128 bytes that address gives.
func accesses(name string, classes []trace.OpClass, address func(w *gputest.Warp, i int) uint64) gputest.Launch {
	k := gputest.NewKernel(name)
	for i, class := range classes {
		switch class {
		case trace.ClassStore:
			k.Store(trace.SpaceGlobal, 1, 2)
		case trace.ClassLoad:
			k.Load(trace.SpaceGlobal, 10+i%50, 1)
		case trace.ClassAtomic:
			k.Memory(class, trace.SpaceGlobal, gputest.None, 1, 2)
		default:
			k.Op(class, gputest.None)
		}
	}
	k.Exit()
	return gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
		w.Raw(0, w.Lanes, func(i int) uint64 { return address(w, i) })
	}}
}

// repeated gives n of a class.
func repeated(class trace.OpClass, n int) []trace.OpClass {
	list := make([]trace.OpClass, n)
	for i := range list {
		list[i] = class
	}
	return list
}

// withHost adds the host's side to random launches: their buffer is copied to the
// device before, and back behind each.
func withHost(launches []gputest.Launch) []gputest.Launch {
	const bytes = 64 << 10
	for i := range launches {
		l := &launches[i]
		if i == 0 {
			l.Before = append(l.Before, trace.HostEvent{Kind: trace.EventAllocate, Name: "a", Address: 0xC000_0000, Bytes: 1 << 28},
				trace.HostEvent{Kind: trace.EventHostAllocate, Name: "a", HostAddress: hostBase, Bytes: 1 << 28})
		}
		to := trace.HostEvent{Kind: trace.EventCopyToDevice, Address: 0xC000_0000, HostAddress: hostBase, Bytes: bytes}
		back := to
		back.Kind, back.Bytes = trace.EventCopyToHost, 4100
		l.Before, l.Behind = append(l.Before, to), append(l.Behind, back)
	}
	return launches
}

func randomTrace(t testing.TB, seed uint64) *wtape.Reader {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	launches := gputest.RandomLaunches(rng)
	k := accesses("stores", []trace.OpClass{trace.ClassStore, trace.ClassLoad, trace.ClassFence, trace.ClassStore, trace.ClassAtomic, trace.ClassLoad}, func(w *gputest.Warp, i int) uint64 {
		return 0xC000_0000 + rng.Uint64N(1<<18)&^3
	})
	k.Blocks, k.Threads = 6, 128
	return gputest.Trace(t, withHost(append(launches, k))...)
}

// narrow makes everything small that can be full.
func narrow(s *soc.Section, c *cpu.Section) {
	s.TLBEntries, s.TLBWays, s.Walks, s.Queue = 2, 1, 1, 1
	c.TLBEntries, c.Misses, c.StoreBuffer, c.Cores = 1, 1, 4, 2
}

// Replays check their invariants: instructions, slots, requests, empty queues.
func TestRandomTracesCompleteOnEverySystem(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 4, 1) {
		r := randomTrace(t, seed)
		var machines []*arch.Machine
		for _, name := range systems {
			machines = append(machines, system(t, name, nil), system(t, name, narrow), load(t, "gpsim-soc+cpu+"+name+"+gto"))
		}
		for _, res := range run(t, r, tracetest.Draw(t, machines, tracetest.Fewer(4, len(machines)))...) {
			if n := res.Total.Counters[counters.IssuedThread]; n != r.Totals().ThreadInstructions {
				t.Errorf("seed %d on %s: %d thread instructions, recorded %d", seed, res.Machine, n, r.Totals().ThreadInstructions)
			}
		}
	}
}

func TestSystemsSleepAsIfEveryCycleWereVisited(t *testing.T) {
	r := randomTrace(t, 5)
	for _, name := range systems {
		var runs [2]*gpu.Run
		for i := range runs {
			g, err := gpu.New(system(t, name, nil), gpu.Options{EveryCycle: i == 1})
			if err != nil {
				t.Fatal(err)
			}
			if runs[i], err = g.Replay(context.Background(), gputest.NewSource(r), nil); err != nil {
				t.Fatal(err)
			}
		}
		if runs[0].Elapsed != runs[1].Elapsed || runs[0].Total != runs[1].Total {
			t.Errorf("%s: %d cycles, %d with every cycle visited", name, runs[0].Elapsed, runs[1].Elapsed)
		}
	}
}

func TestAReplayOnASystemIsTheSameEveryTime(t *testing.T) {
	r := randomTrace(t, 6)
	var texts [2]string
	for i := range texts {
		var b bytes.Buffer
		results := run(t, r, system(t, "typsoc", nil), system(t, "privtlb", nil))
		if err := replay.WriteJSON(&b, results); err != nil {
			t.Fatal(err)
		}
		texts[i] = b.String()
	}
	if texts[0] != texts[1] {
		t.Error(cmp.Diff(texts[0], texts[1]))
	}
}

func TestIdleCoresChangeNothingOfTheGPU(t *testing.T) {
	r := randomTrace(t, 7)
	results := run(t, r, load(t, "gpsim-soc"), load(t, "gpsim-soc+cpu"))
	if diff := cmp.Diff(results[0].Total.Counters[:counters.Count], results[1].Total.Counters[:counters.Count]); diff != "" || results[0].Total.End != results[1].Total.End {
		t.Errorf("%d cycles, %d with idle cores: %s", results[0].Total.End, results[1].Total.End, diff)
	}
}

func TestASwitchedOffChipLeavesNoTrace(t *testing.T) {
	r := randomTrace(t, 8)
	plain, off := load(t, "gpsim-soc"), load(t, "gpsim-soc+cpu+fusetlb")
	off.Section(soc.Key).(*soc.Section).Enabled = false
	cpu.Of(off).Enabled = false
	off.L1.Write, off.Name = plain.L1.Write, plain.Name
	var texts [2]string
	for i, m := range []*arch.Machine{plain, off} {
		var b bytes.Buffer
		if err := replay.WriteJSON(&b, run(t, r, m)); err != nil {
			t.Fatal(err)
		}
		texts[i] = b.String()
	}
	if texts[0] != texts[1] {
		t.Error(cmp.Diff(texts[0], texts[1]))
	}
}

func TestEveryCounterOfTheSystemsIsPricedOrFree(t *testing.T) {
	for _, name := range tracetest.Draw(t, systems, 1) {
		m := system(t, name, nil)
		model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
		if err != nil {
			t.Fatal(err)
		}
		if list := model.Unpriced(m.Mechanisms()); len(list) > 0 {
			t.Errorf("%s: %s", name, strings.Join(list, ", "))
		}
	}
}

func TestWhatCannotBeReplayedIsRefusedWithTheRemedy(t *testing.T) {
	plain := accesses("k", repeated(trace.ClassLoad, 1), func(*gputest.Warp, int) uint64 { return device })
	noHost := plain
	noHost.Before = []trace.HostEvent{{Kind: trace.EventCopyToDevice, Address: device, Bytes: 64}}
	huge := plain
	huge.Before = []trace.HostEvent{{Kind: trace.EventAllocate, Address: device, Bytes: 1 << 62}}
	endless := plain
	endless.Before = []trace.HostEvent{{Kind: trace.EventCopyToDevice, Address: device, HostAddress: hostBase, Bytes: 1 << 60}}
	for want, launch := range map[string]gputest.Launch{
		"a chip copies": endless, "has no host timeline": plain, "has no host address": noHost, "does not fit into an address space": huge,
	} {
		_, err := replay.Run(context.Background(), gputest.Trace(t, launch), []*arch.Machine{system(t, "fusetlb", nil)}, replay.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	for spec, want := range map[string]string{
		"gpsim-soc+fusetlb":                    "put the overlay cpu before it",
		"gtx480+cpu+fusetlb":                   "last-level cache",
		"gpsim-soc+cpu+fusetlb+llc-off":        "last-level cache",
		"gpsim-soc+cpu+fusetlb(tlb_entries=0)": "1..65536",
	} {
		if _, err := arch.Load(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// Counts by line are those of the whole, where an instruction causes them.
func TestLinesOfTheSystemsAddUp(t *testing.T) {
	r := randomTrace(t, 9)
	results, err := replay.Run(context.Background(), r, []*arch.Machine{system(t, "fusetlb", nil)}, replay.Options{Workers: 1, Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	var loads uint64
	for _, p := range results[0].Profiles {
		for _, in := range p.Instructions {
			loads += in.Counters[counters.L1Read]
		}
	}
	if all := results[0].Total.Counters[counters.L1Read]; loads != all || all == 0 {
		t.Errorf("%d L1 reads by line, %d in all", loads, all)
	}
}

// BenchmarkFuseTLB isolates what the chip costs a replay: loads of distinct lines by
// many warps, each through TLB and last-level cache, on gpsim-soc with and without it.
func BenchmarkFuseTLB(b *testing.B) {
	k := accesses("k", repeated(trace.ClassLoad, 64), func(w *gputest.Warp, i int) uint64 {
		return device + uint64(w.Block*8+w.Warp)*8192 + uint64(i)*128
	})
	k.Blocks, k.Threads, k.Before = 64, 256, allocate(64*8*8192)
	r := gputest.Trace(b, k)
	for _, spec := range []string{"gpsim-soc", "gpsim-soc+cpu+fusetlb"} {
		b.Run(spec, func(b *testing.B) {
			m := load(b, spec)
			for b.Loop() {
				run(b, r, m)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(r.Totals().WarpInstructions), "ns/instruction")
		})
	}
}
