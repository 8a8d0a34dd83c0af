// SPDX-License-Identifier: Apache-2.0

package offload_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/memory"
	"github.com/warptape/warptape/timing/offload"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

func load(t testing.TB, spec string) *arch.Machine {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// counter finds a counter of the mechanism in a set.
func counter(t testing.TB, set *counters.Set, name string) uint64 {
	t.Helper()
	id, ok := counters.Lookup(name)
	if !ok {
		t.Fatalf("no counter %s", name)
	}
	return set[id]
}

// play replays a trace.
func play(t testing.TB, m *arch.Machine, r *wtape.Reader, o gpu.Options) *gpu.Run {
	t.Helper()
	g, err := gpu.New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(r), nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// lineIn finds a line of a machine's slice, the n-th from base on.
func lineIn(t testing.TB, m *arch.Machine, slice, n int, base uint64) uint64 {
	t.Helper()
	clocks, err := memory.NewClocks(m)
	if err != nil {
		t.Fatal(err)
	}
	sets := make([]*counters.Set, m.GPU.SMs)
	s, err := memory.New(m, clocks, sets, new(counters.Set))
	if err != nil {
		t.Fatal(err)
	}
	for line := base; ; line += 128 {
		if at, _ := s.Locate(line); at == slice {
			if n--; n < 0 {
				return line
			}
		}
	}
}

// addition is c[i] = a[i] + b[i] for the thread block of one core: block 1 of the
// kernel, which all other thread blocks leave out.
func addition(t testing.TB, core int, a, b, c uint64) *wtape.Reader {
	k := gputest.NewKernel("addition")
	k.Branch()
	k.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 11).Op(trace.ClassF32Add, 3, 1, 2).Store(trace.SpaceGlobal, 12, 3)
	k.Branch()
	k.Exit()
	for i := range k.Instructions { // as a compiler names them
		if in := &k.Instructions[i]; in.Class == trace.ClassF32Add {
			in.Opcode, in.Types = "add", []string{"f32"}
		}
	}
	k.Blocks[0].Successors, k.Blocks[1].Successors = []uint32{1, 2}, []uint32{2}
	return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: core + 1, Threads: 32, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		if w.Block == core {
			at := [3]uint64{a, b, c}
			w.VisitWith(1, w.Lanes, func(n int) (uint64, int64, *[32]uint64) { return at[n], 4, nil })
		}
		w.Visit(2, w.Lanes)
	}})
}

// weightedHops is the link traversals of all flits.
func weightedHops(run *gpu.Run) uint64 {
	return run.Total[counters.RequestFlitHops] + run.Total[counters.ReplyFlitHops]
}

// Sections 3.1 and 3.2 of the paper count link traversals by flits by hand, for an
// addition at core 15 of Fig. 3.
func TestWeightedHopsAreThoseOfThePapersScenarios(t *testing.T) {
	for _, c := range []struct {
		what    string
		a, b, c int // slices
		want    map[string]uint64
	}{
		{"scenario 1: all of LLC 5", 5, 5, 5, map[string]uint64{"mesh56": 144, "mesh56+llc-compute": 16, "mesh56+omni-compute": 16}},
		{"scenario 2: LLC 5, 6 and 7", 5, 6, 7, map[string]uint64{"mesh56": 126, "mesh56+llc-compute": 126, "mesh56+omni-compute": 78}},
	} {
		for spec, want := range c.want {
			m := load(t, spec)
			m.Instruction.Bytes = 0 // whose misses would travel, too
			r := addition(t, 15, lineIn(t, m, c.a, 0, 1<<20), lineIn(t, m, c.b, 1, 1<<20), lineIn(t, m, c.c, 2, 1<<20))
			if got := weightedHops(play(t, m, r, gpu.Options{})); got != want {
				t.Errorf("%s on %s: %d weighted hops, the paper counts %d", c.what, spec, got, want)
			}
		}
	}
}

// On a 4-ary 3-fly an end is two links from every other. The slices of mesh56 stand at the terminals 0, 9, 18 and so on.
// Two neighbours at a time begin with the same of three digits: their ways part behind the second
// router. Computed there, a packet has 1 hop, each load and the store 1 in place of 2, and the answer 1.
func TestWeightedHopsOfRoutersThatCompute(t *testing.T) {
	for _, c := range []struct {
		what                string
		a, b, c             int // slices
		passed, at, returns uint64
	}{
		// Loads 2+2, their data 10+10, the store 10, its acknowledgement 2.
		{"ways part behind the second router", 2, 3, 2, 36, 1 + 1 + 1 + 5 + 5 + 5 + 1 + 1, 1},
		// At the first router all is as before, but that the packet and the answer have no link to pass.
		{"ways part behind the first router", 2, 5, 2, 36, 2 + 2 + 10 + 10 + 10 + 2, 1},
		{"the store parts first", 2, 3, 6, 36, 2 + 2 + 10 + 10 + 10 + 2, 1},
		// One packet and one acknowledgement.
		{"all in one slice", 4, 4, 4, 4, 4, 0},
	} {
		for spec, want := range map[string]uint64{"mesh56+butterfly+omni-compute": c.passed, "mesh56+butterfly+omni-compute(routers=compute)": c.at} {
			m := load(t, spec)
			m.Instruction.Bytes = 0
			r := addition(t, 15, lineIn(t, m, c.a, 0, 1<<20), lineIn(t, m, c.b, 1, 1<<20), lineIn(t, m, c.c, 2, 1<<20))
			run := play(t, m, r, gpu.Options{})
			if got := weightedHops(run); got != want {
				t.Errorf("%s on %s: %d weighted hops, by hand %d", c.what, spec, got, want)
			}
			if routers := counter(t, &run.Total, "offload_packets_to_cores"); strings.Contains(spec, "compute)") && routers != c.returns {
				t.Errorf("%s on %s: %d packets to routers, want %d", c.what, spec, routers, c.returns)
			}
		}
	}
}

// A mesh that requests and replies share counts the same links.
func TestWeightedHopsOnASharedMesh(t *testing.T) {
	for spec, want := range map[string]uint64{"mesh56+shared-mesh+llc-compute": 126, "mesh56+shared-mesh+omni-compute": 78} {
		m := load(t, spec)
		m.Instruction.Bytes = 0
		r := addition(t, 15, lineIn(t, m, 5, 0, 1<<20), lineIn(t, m, 6, 1, 1<<20), lineIn(t, m, 7, 2, 1<<20))
		if got := weightedHops(play(t, m, r, gpu.Options{})); got != want {
			t.Errorf("scenario 2 on %s: %d weighted hops, the paper counts %d", spec, got, want)
		}
	}
}

// The operands of scenario 2 come from LLC 5 and 6. At the partition of the first one, its
// chain asks LLC 6 for the other and stores to LLC 7. LLC 6 is 7 links away in the placement
// of Fig. 3.
func TestWeightedHopsAtTheFirstOperand(t *testing.T) {
	m := load(t, "mesh56+omni-compute(meet=operand)")
	m.Instruction.Bytes = 0
	p, err := m.MeshPlacement()
	if err != nil {
		t.Fatal(err)
	}
	hops := func(a, b int) uint64 {
		y, x := a/p.Columns-b/p.Columns, a%p.Columns-b%p.Columns
		return uint64(max(y, -y) + max(x, -x))
	}
	core, a, b, c := p.SMs[15], p.Slices[5], p.Slices[6], p.Slices[7]
	want := hops(core, a) + (1+5)*hops(a, b) + (5+1)*hops(a, c) + hops(a, core)
	r := addition(t, 15, lineIn(t, m, 5, 0, 1<<20), lineIn(t, m, 6, 1, 1<<20), lineIn(t, m, 7, 2, 1<<20))
	run := play(t, m, r, gpu.Options{})
	if got := weightedHops(run); got != want || counter(t, &run.Total, "offload_packets_to_partitions") != 1 {
		t.Errorf("%d weighted hops, want %d of one packet to a partition", got, want)
	}
}

// chainsTrace has warps that go through chains of all shapes many times, with
// operands that lie together, apart, or each lane's own, and lanes that are absent.
func chainsTrace(t testing.TB, seed uint64) *wtape.Reader {
	r := rand.New(rand.NewPCG(seed, 5))
	k := gputest.NewKernel("chains")
	k.Branch()
	k.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 11).Op(trace.ClassF32Add, 3, 1, 2).Store(trace.SpaceGlobal, 12, 3) // 1
	k.Op(trace.ClassIntAdd, 20, 21)
	k.Load(trace.SpaceGlobal, 4, 10).Store(trace.SpaceGlobal, 12, 4) // 3
	k.Branch()
	k.Load(trace.SpaceGlobal, 5, 10).Op(trace.ClassIntAdd, 11, 22).Load(trace.SpaceGlobal, 6, 11).Op(trace.ClassF32Fma, 7, 5, 6, 7) // 2, split
	k.Op(trace.ClassSpecial, 23, 7)
	k.Load(trace.SpaceGlobal, 8, 10).Op(trace.ClassConvert, 9, 8).Store(trace.SpaceGlobal, 12, 9) // 4
	k.Branch()
	k.Exit()
	k.Blocks[0].Successors, k.Blocks[1].Successors, k.Blocks[2].Successors = []uint32{1}, []uint32{2}, []uint32{1, 3}
	return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 3 + r.IntN(40), Threads: 32 + r.IntN(225), Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		for range 1 + r.IntN(3) {
			for b := uint32(1); b <= 2; b++ {
				mask := w.Lanes
				if r.IntN(3) == 0 {
					mask = w.Lanes & r.Uint32()
				}
				if mask == 0 {
					mask = w.Lanes
				}
				w.VisitWith(b, mask, func(int) (base uint64, stride int64, lanes *[32]uint64) { return randomAddresses(r) })
			}
		}
		w.Visit(3, w.Lanes)
	}})
}

func randomAddresses(r *rand.Rand) (base uint64, stride int64, lanes *[32]uint64) {
	base = 1<<20 + uint64(r.IntN(4096))*128
	switch r.IntN(6) {
	case 0:
		return base + uint64(r.IntN(128)), 4, nil
	case 1:
		return base, int64(4 * r.IntN(70)), nil
	case 2:
		lanes = new([32]uint64)
		for i := range lanes {
			lanes[i] = base + uint64(r.IntN(1024))
		}
		return 0, 0, lanes
	}
	return base, 4, nil
}

var specs = []string{"mesh56+llc-compute", "mesh56+omni-compute", "mesh56-alt+omni-compute", "gtx480+llc-compute", "gtx480+omni-compute", "gtx480+butterfly+llc-compute",
	"mesh56+shared-mesh+omni-compute", "mesh56+omni-compute(meet=operand)", "mesh56+omni-compute(slice_latency=true)", "gtx480+llc-compute(slice_latency=true)", "mesh56+omni-compute(whole_chains=true)", "gtx480+llc-compute(whole_chains=true)", "mesh56+butterfly+omni-compute(routers=compute)", "gtx480+butterfly+omni-compute(routers=compute)"}

// conservation holds what the offload counters say of each other.
func conservation(t *testing.T, what string, set *counters.Set) {
	t.Helper()
	get := func(name string) uint64 { return counter(t, set, "offload_"+name) }
	if sum := get("queue_full") + get("cached") + get("nowhere") + get("offloaded"); sum != get("chains") {
		t.Errorf("%s: %d chains, %d outcomes", what, get("chains"), sum)
	}
	if sent, back := get("packets_to_partitions")+get("packets_to_cores"), get("answers")+get("returned")+get("refused"); sent != back {
		t.Errorf("%s: %d packets, %d answered, returned or refused", what, sent, back)
	}
}

// Replays check their invariants themselves: instructions, slots, requests, and an
// empty machine at the end.
func TestRandomChainsCompleteOnMachinesWithQueuesOfAnySize(t *testing.T) {
	offloaded, returned, cores := uint64(0), uint64(0), uint64(0)
	for _, seed := range tracetest.Seeds(t, 4, 1) {
		r := chainsTrace(t, seed)
		for n, spec := range tracetest.Draw(t, specs, tracetest.Fewer(3, len(specs))) {
			m := load(t, spec)
			s := m.Section(offload.Key).(*offload.Section)
			if (int(seed)+n)%2 == 0 { // the smallest queues press most
				s.QueueEntries, s.ServiceEntries, s.BufferEntries, s.PartitionLanes, s.CoreLanes = 1+n%3, 1, 1, 4, 4*(n%2)
				m.Network.InputQueue, m.Network.OutputQueue, m.Network.VCFlits, m.Network.VirtualChannels = 1, 1, 1, 1
				if m.Network.Sharing == "shared" {
					m.Network.VirtualChannels = 2
				}
			}
			run := play(t, m, r, gpu.Options{})
			what := fmt.Sprintf("seed %d on %s", seed, spec)
			gputest.Invariants(t, m, &run.Total, run.Cycles)
			conservation(t, what, &run.Total)
			if got := run.Total[counters.IssuedThread]; got != r.Totals().ThreadInstructions {
				t.Errorf("%s: %d thread instructions, recorded %d", what, got, r.Totals().ThreadInstructions)
			}
			// Times are integrated over what is owed: less than nothing would be a lot.
			if most := run.Total[counters.ReplyPackets] * uint64(2*run.Cycles); run.Total[counters.L2ServiceCycles] > most || run.Total[counters.ReplyQueueCycles] > most {
				t.Errorf("%s: %d cycles of service and %d of waiting for %d replies in %d cycles", what,
					run.Total[counters.L2ServiceCycles], run.Total[counters.ReplyQueueCycles], run.Total[counters.ReplyPackets], run.Cycles)
			}
			offloaded += counter(t, &run.Total, "offload_offloaded")
			returned += counter(t, &run.Total, "offload_returned")
			cores += counter(t, &run.Total, "offload_packets_to_cores")
		}
	}
	if tracetest.Whole() && (offloaded == 0 || returned == 0 || cores == 0) {
		t.Errorf("%d chains offloaded, %d packets returned, %d to cores: the traces try too little", offloaded, returned, cores)
	}
}

func TestOffloadingSleepsAsIfEveryCycleWereVisited(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 3, 1) {
		r := chainsTrace(t, seed)
		for _, spec := range tracetest.Draw(t, []string{"mesh56+omni-compute", "gtx480+llc-compute", "mesh56+omni-compute(slice_latency=true)", "mesh56+shared-mesh+omni-compute", "mesh56+butterfly+omni-compute(routers=compute)"}, 2) {
			runs := [2]*gpu.Run{play(t, load(t, spec), r, gpu.Options{}), play(t, load(t, spec), r, gpu.Options{EveryCycle: true})}
			if diff := cmp.Diff(runs[1], runs[0]); diff != "" {
				t.Fatalf("seed %d on %s: sleeping changes the result (-every cycle +event driven):\n%s", seed, spec, diff)
			}
		}
	}
}

func TestOffloadingThatIsOffLeavesNoTrace(t *testing.T) {
	plain, off := load(t, "mesh56"), load(t, "mesh56+omni-compute")
	off.Section(offload.Key).(*offload.Section).At = "none"
	off.Name = plain.Name
	r := chainsTrace(t, 1)
	var texts [2]bytes.Buffer
	for i, m := range []*arch.Machine{plain, off} {
		results, err := replay.Run(context.Background(), r, []*arch.Machine{m}, replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := replay.WriteJSON(&texts[i], results); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(texts[0].String(), texts[1].String()); diff != "" {
		t.Error(diff)
	}
}

// TestProfilesAreByTheInstructionsOfTheTrace: whatever the order in which a kernel
// is arranged, each instruction of the trace has issued as often as it was recorded.
func TestProfilesAreByTheInstructionsOfTheTrace(t *testing.T) {
	r := chainsTrace(t, 2)
	want := make([]uint64, len(r.Kernels()[0].Instructions))
	chunk := wtape.NewChunk()
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, chunk); err != nil {
			t.Fatal(err)
		}
		for _, block := range chunk.Blocks() {
			for w := range chunk.WarpsPerBlock() {
				for _, id := range chunk.Warp(block, w).Blocks {
					b := &r.Kernels()[0].Blocks[id]
					for n := b.First; n < b.First+b.Count; n++ {
						want[n]++
					}
				}
			}
		}
	}
	run := play(t, load(t, "mesh56+omni-compute"), r, gpu.Options{Lines: true})
	for n := range want {
		if got := run.Profiles[0][n*counters.CauseCount+int(counters.CauseIssued)]; got != want[n] {
			t.Errorf("instruction %d has issued %d times, recorded %d", n, got, want[n])
		}
		if got := run.Lines[0][n][counters.IssuedWarp]; got != want[n] {
			t.Errorf("line counts: instruction %d has issued %d times, recorded %d", n, got, want[n])
		}
	}
}
