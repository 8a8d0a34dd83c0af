// SPDX-License-Identifier: Apache-2.0

package offload_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	_ "github.com/warptape/warptape/timing/mechanisms" //their overlays
	"github.com/warptape/warptape/timing/offload"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// quiet is a machine without instruction fetches in its networks, and its section.
func quiet(t testing.TB, spec string) (*arch.Machine, *offload.Section) {
	m := load(t, spec)
	m.Instruction.Bytes = 0
	return m, m.Section(offload.Key).(*offload.Section)
}

// straight records one thread block of warps that go through a kernel once;
// address gives the addresses of the n-th memory instruction of a warp.
func straight(t testing.TB, k *gputest.Kernel, warps int, lanes uint32, address func(warp, n int) (uint64, int64)) *wtape.Reader {
	k.Branch()
	k.Exit()
	k.Blocks[0].Successors = []uint32{1}
	return gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32 * warps, Record: func(w *gputest.Warp) {
		w.VisitWith(0, lanes, func(n int) (uint64, int64, *[32]uint64) {
			base, stride := address(w.Warp, n)
			return base, stride, nil
		})
		w.Visit(1, lanes)
	}})
}

// inSlice puts the n-th access of each warp at a line of its own in one slice.
func inSlice(t testing.TB, m *arch.Machine, slice int) func(warp, n int) (uint64, int64) {
	return func(warp, n int) (uint64, int64) { return lineIn(t, m, slice, 8*warp+n, 1<<20), 4 }
}

func sum() *gputest.Kernel { // pattern 1
	k := gputest.NewKernel("sum")
	k.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 11).Op(trace.ClassF32Add, 3, 1, 2).Store(trace.SpaceGlobal, 12, 3)
	return k
}

// expect compares counters of the mechanism.
func expect(t *testing.T, what string, run *gpu.Run, want map[string]uint64) {
	t.Helper()
	for name, n := range want {
		if got := counter(t, &run.Total, "offload_"+name); got != n {
			t.Errorf("%s: offload_%s is %d, want %d", what, name, got, n)
		}
	}
}

// Fig. 9, scenario 1: the first load hits.
func TestAChainWhoseFirstLoadHitsStaysAtTheCore(t *testing.T) {
	m, _ := quiet(t, "mesh56+llc-compute")
	k := gputest.NewKernel("hit")
	k.Load(trace.SpaceGlobal, 5, 10).Op(trace.ClassSpecial, 6, 5) // brings the line, and waits for it
	k.Op(trace.ClassIntAdd, 10, 6)
	k.Load(trace.SpaceGlobal, 1, 10).Op(trace.ClassConvert, 3, 1).Store(trace.SpaceGlobal, 12, 3)
	line, other := lineIn(t, m, 2, 0, 1<<20), lineIn(t, m, 2, 1, 1<<20)
	run := play(t, m, straight(t, k, 1, gputest.Full, func(_, n int) (uint64, int64) {
		return []uint64{line, line, other}[n], 4
	}), gpu.Options{})
	expect(t, "hit", run, map[string]uint64{"chains": 1, "cached": 1, "offloaded": 0, "local_parts": 0})
}

// Fig. 9, scenario 1, when the second load hits: the entry is flushed.
func TestAChainWhoseSecondLoadHitsIsFlushed(t *testing.T) {
	m, _ := quiet(t, "mesh56+llc-compute")
	k := gputest.NewKernel("flush")
	k.Load(trace.SpaceGlobal, 5, 10).Op(trace.ClassSpecial, 6, 5)
	k.Op(trace.ClassIntAdd, 10, 6)
	k.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 10).Op(trace.ClassF32Add, 3, 1, 2).Store(trace.SpaceGlobal, 12, 3)
	a, b, c := lineIn(t, m, 2, 0, 1<<20), lineIn(t, m, 2, 1, 1<<20), lineIn(t, m, 2, 2, 1<<20)
	run := play(t, m, straight(t, k, 1, gputest.Full, func(_, n int) (uint64, int64) {
		return []uint64{b, a, b, c}[n], 4
	}), gpu.Options{})
	expect(t, "flush", run, map[string]uint64{"chains": 1, "cached": 1, "offloaded": 0, "local_parts": 1})
	if got := run.Total[counters.L1Write]; got != 1 {
		t.Errorf("%d stores have gone to L1, want the chain's", got)
	}
}

// Fig. 9, scenario 2.
func TestAChainThatFindsTheOffloadQueueFullStaysAtTheCore(t *testing.T) {
	m, s := quiet(t, "mesh56+llc-compute")
	s.QueueEntries = 1
	run := play(t, m, straight(t, sum(), 4, gputest.Full, inSlice(t, m, 3)), gpu.Options{})
	expect(t, "full", run, map[string]uint64{"chains": 4, "offloaded": 1, "queue_full": 3, "answers": 1})
}

// Fig. 10, scenario 3: all chains go to one partition with one entry.
func TestAFullServiceQueueSendsLoadsToTheSource(t *testing.T) {
	m, s := quiet(t, "mesh56+llc-compute")
	s.ServiceEntries = 1
	run := play(t, m, straight(t, sum(), 4, gputest.Full, inSlice(t, m, 3)), gpu.Options{})
	expect(t, "returned", run, map[string]uint64{"chains": 4, "offloaded": 4, "packets_to_partitions": 4, "answers": 1, "returned": 3})
	if got := run.Total[counters.L1Write]; got != 3 {
		t.Errorf("%d stores have gone to L1, want those of the chains that came back", got)
	}
	if got := run.Total[counters.L1Read]; got != 8 {
		t.Errorf("%d reads of L1, want those of the chains before they were sent: operands that come back pass it by", got)
	}
}

// A packet that finds no place at a core at all goes back, and its loads are the
// core's own.
func TestCoresThatAreOverrunRefusePackets(t *testing.T) {
	m, s := quiet(t, "mesh56+omni-compute")
	s.ServiceEntries = 1
	m.Network.InputQueue, m.Network.OutputQueue, m.Network.VCFlits, m.Network.VirtualChannels = 1, 1, 1, 1
	k := sum()
	k.Branch()
	k.Exit()
	k.Blocks[0].Successors = []uint32{1}
	var lines [48][3]uint64
	for w := range lines {
		lines[w] = [3]uint64{lineIn(t, m, 5, 2*w, 1<<20), lineIn(t, m, 6, 2*w, 1<<20), lineIn(t, m, 7, 2*w, 1<<20)}
	}
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 200, Threads: 256, Record: func(w *gputest.Warp) {
		w.VisitWith(0, gputest.Full, func(n int) (uint64, int64, *[32]uint64) {
			return lines[(w.Block*8+w.Warp)%48][n], 4, nil
		})
		w.Visit(1, gputest.Full)
	}})
	run := play(t, m, r, gpu.Options{})
	conservation(t, "overrun", &run.Total)
	if counter(t, &run.Total, "offload_refused") == 0 || counter(t, &run.Total, "offload_returned") == 0 {
		t.Error("no packet was refused or returned")
	}
}

// Section 4.5: a packet for the lanes of each line, with a flit for masks; lanes
// that are absent need none.
func TestDivergentLanesTakeAPacketALine(t *testing.T) {
	for _, c := range []struct {
		what           string
		lanes          uint32
		stride         int64
		packets, masks uint64
	}{
		{"one line", gputest.Full, 4, 1, 0},
		{"one line, half of the lanes", 0xffff, 4, 1, 0},
		{"four lines", gputest.Full, 16, 4, 4},
		{"32 lines", gputest.Full, 128, 32, 32},
		{"eight lanes of 32 lines", 0x11111111, 128, 8, 8},
	} {
		m, _ := quiet(t, "mesh56+llc-compute")
		m.L2.InterleaveBytes = 4096 // all lines of the warp in one slice
		run := play(t, m, straight(t, sum(), 1, c.lanes, func(_, n int) (uint64, int64) { return uint64(1+8*n) << 20, c.stride }), gpu.Options{})
		expect(t, c.what, run, map[string]uint64{"packets_to_partitions": c.packets, "mask_flits": c.masks, "answers": c.packets})
	}
}

// Chains for which the offload queue has no entry are executed by the core.
func TestPartsWithoutAnEntryStayAtTheCore(t *testing.T) {
	m, s := quiet(t, "mesh56+llc-compute")
	m.L2.InterleaveBytes = 4096
	s.QueueEntries = 3
	run := play(t, m, straight(t, sum(), 1, gputest.Full, func(_, n int) (uint64, int64) { return uint64(1+8*n) << 20, 16 }), gpu.Options{})
	expect(t, "three of four", run, map[string]uint64{"packets_to_partitions": 3, "local_parts": 1, "answers": 3, "offloaded": 1})
}

// With whole_chains a chain leaves when each of its packets has an entry and a node, and otherwise the core executes
// all of it (section 4.4.1).
func TestAChainOfSeveralPartsLeavesAsAWholeOrNotAtAll(t *testing.T) {
	quarters := func(_, n int) (uint64, int64) { return uint64(1+8*n) << 20, 16 }
	// The last lane's second operand is the first of the next line, and so of another partition.
	neighbours := func(_, n int) (uint64, int64) { return []uint64{1 << 20, 1<<20 + 4, 2 << 20}[n], 4 }
	for _, c := range []struct {
		what                    string
		address                 func(warp, n int) (uint64, int64)
		interleave, entries     int
		whole                   bool
		packets, local, nowhere uint64
	}{
		{"an entry for each of four", quarters, 4096, 4, true, 4, 0, 0},
		{"an entry less", quarters, 4096, 3, true, 0, 1, 1},
		{"an entry less, each", quarters, 4096, 3, false, 3, 1, 0},
		{"a lane whose data are apart", neighbours, 128, 48, true, 0, 1, 1},
		{"a lane whose data are apart, each", neighbours, 128, 48, false, 1, 1, 0},
	} {
		m, s := quiet(t, "mesh56+llc-compute")
		m.L2.InterleaveBytes, s.QueueEntries, s.WholeChains = c.interleave, c.entries, c.whole
		run := play(t, m, straight(t, sum(), 1, gputest.Full, c.address), gpu.Options{})
		expect(t, c.what, run, map[string]uint64{"packets_to_partitions": c.packets, "answers": c.packets, "local_parts": c.local, "nowhere": c.nowhere, "offloaded": 1 - c.nowhere})
	}
}

// Table 1, last row.
func TestAnswersAreOfOneOrFiveFlits(t *testing.T) {
	product := gputest.NewKernel("product") // pattern 2
	product.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 11).Op(trace.ClassF32Mul, 3, 1, 2).Op(trace.ClassSpecial, 4, 3)
	compare := gputest.NewKernel("compare") // pattern 5
	compare.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 11).Op(trace.ClassIntAdd, 3, 1, 2)
	in := &compare.Instructions[2]
	in.Operands = slices.Clone(in.Operands)
	in.Operands[0].Register = trace.Register{File: trace.FilePredicate, Words: 1}
	for _, c := range []struct {
		kernel *gputest.Kernel
		flits  uint64
	}{{sum(), 1}, {product, 5}, {compare, 1}} {
		m, _ := quiet(t, "mesh56+llc-compute")
		run := play(t, m, straight(t, c.kernel, 1, gputest.Full, inSlice(t, m, 1)), gpu.Options{})
		expect(t, c.kernel.Name, run, map[string]uint64{"answers": 1})
		if got := run.Total[counters.ReplyFlits]; got != c.flits {
			t.Errorf("%s: the answer has %d flits, want %d", c.kernel.Name, got, c.flits)
		}
		if got := run.Total[counters.RequestFlits]; got != 1 {
			t.Errorf("%s: the packet has %d flits, want 1", c.kernel.Name, got)
		}
	}
}

// An answer with data has Table 1's five flits whatever the lanes, or as many as their words
// need. Operands of the lanes of half a warp are half a line, or a line.
func TestAnswersAndOperandsHaveTheirLengths(t *testing.T) {
	product := gputest.NewKernel("product") // pattern 2
	product.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 11).Op(trace.ClassF32Mul, 3, 1, 2).Op(trace.ClassSpecial, 4, 3)
	for answers, flits := range map[string]uint64{"line": 5, "lanes": 1} {
		m, s := quiet(t, "mesh56+llc-compute")
		s.Answers = answers
		run := play(t, m, straight(t, product, 1, 0xf, inSlice(t, m, 1)), gpu.Options{})
		expect(t, answers, run, map[string]uint64{"answers": 1})
		if got := run.Total[counters.ReplyFlits]; got != flits {
			t.Errorf("answers of %s: %d flits for four lanes, want %d", answers, got, flits)
		}
	}
	// Two chains at a partition with one entry: the loads of the second go to its core.
	for operands, flits := range map[string]uint64{"asked": 2 + 2*1, "lines": 2 + 2*5} {
		m, s := quiet(t, "mesh56+llc-compute")
		s.ServiceEntries, s.Operands = 1, operands
		run := play(t, m, straight(t, sum(), 2, 0xf, inSlice(t, m, 1)), gpu.Options{})
		expect(t, operands, run, map[string]uint64{"answers": 1, "returned": 1})
		if got := run.Total[counters.ReplyFlits]; got != flits {
			t.Errorf("operands as %s: %d flits of replies, want %d", operands, got, flits)
		}
	}
}

// The ways of core 40 to two partitions part at a third place, or at one of them. With
// nodes of any kind the chain is computed at a partition, which asks the other for its
// operand. With cores alone it is computed at a core or nowhere.
func TestChainsMeetAtPartitionsToo(t *testing.T) {
	m, _ := quiet(t, "mesh56+omni-compute")
	found := false
	for core := range m.GPU.SMs {
		for other := 1; other < m.L2.Partitions*m.L2.SlicesPerPartition && !found; other++ {
			r := addition(t, core, lineIn(t, m, 0, 0, 1<<30), lineIn(t, m, other, 1, 1<<31), lineIn(t, m, other, 2, 1<<32))
			any, s := quiet(t, "mesh56+omni-compute")
			s.Meet = "any"
			run := play(t, any, r, gpu.Options{})
			if counter(t, &run.Total, "offload_packets_to_partitions") == 0 {
				continue
			}
			found = true
			conservation(t, "any", &run.Total)
			expect(t, "any node", run, map[string]uint64{"packets_to_partitions": 1, "answers": 1, "offloaded": 1})
			cores, s := quiet(t, "mesh56+omni-compute")
			s.Meet = "cores"
			run = play(t, cores, r, gpu.Options{})
			expect(t, "cores", run, map[string]uint64{"packets_to_partitions": 0})
		}
	}
	if !found {
		t.Error("no core has ways to two partitions that meet at one")
	}
}

// An ALU of fewer lanes takes more passes; the core adds a product when it is there.
func TestChainsTakeWhatTheirInstructionsTake(t *testing.T) {
	cycles := func(k *gputest.Kernel, change func(*arch.Machine, *offload.Section)) int64 {
		m, s := quiet(t, "mesh56+llc-compute")
		m.SM.Latencies.F32Add, m.SM.Latencies.F32Mul = arch.Latency{Cycles: 10, Interval: 1}, arch.Latency{Cycles: 10, Interval: 1}
		change(m, s)
		return int64(play(t, m, straight(t, k, 1, gputest.Full, inSlice(t, m, 1)), gpu.Options{}).Cycles)
	}
	kernel := func(class trace.OpClass, sources ...int) *gputest.Kernel {
		k := gputest.NewKernel("k")
		k.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 11).Op(class, 3, sources...).Op(trace.ClassSpecial, 4, 3)
		return k
	}
	plain := func(*arch.Machine, *offload.Section) {}
	base := cycles(kernel(trace.ClassF32Mul, 1, 2), plain)
	if got := cycles(kernel(trace.ClassF32Mul, 1, 2), func(_ *arch.Machine, s *offload.Section) { s.PartitionLanes = 4 }); got != base+7 {
		t.Errorf("with 4 lanes %d cycles, want %d: seven passes more", got, base+7)
	}
	if got := cycles(kernel(trace.ClassF32Mul, 1, 2), func(m *arch.Machine, _ *offload.Section) { m.SM.Latencies.F32Mul.Cycles = 30 }); got != base+20 {
		t.Errorf("with 20 cycles more a multiplication %d cycles, want %d", got, base+20)
	}
	if got := cycles(kernel(trace.ClassF32Fma, 1, 2, 9), plain); got != base+10 {
		t.Errorf("with an addition at the core %d cycles, want %d", got, base+10)
	}
}

// A store beside its service queue reaches the tags when its result is there: each cycle more of the arithmetic is one more
// of the whole, with and without the way to the tags. Nothing else happens meanwhile, so that replays sleep.
func TestAStoreReachesTheTagsBehindItsArithmetic(t *testing.T) {
	convert := func() *gputest.Kernel { // pattern 4
		k := gputest.NewKernel("convert")
		return k.Load(trace.SpaceGlobal, 1, 10).Op(trace.ClassConvert, 3, 1).Store(trace.SpaceGlobal, 12, 3)
	}
	for _, mechanism := range []string{"mesh56+llc-compute", "mesh56+omni-compute", "gtx480+llc-compute", "mesh56+llc-compute(slice_latency=true)"} {
		for _, kernel := range []func() *gputest.Kernel{sum, convert} {
			cycles := func(arithmetic int) int {
				m, _ := quiet(t, mechanism)
				m.Clocks.L2MHz, m.Clocks.DRAMMHz = m.Clocks.CoreMHz, m.Clocks.CoreMHz // so that no time is rounded
				m.SM.Latencies.F32Add.Cycles, m.SM.Latencies.Convert.Cycles = arithmetic, arithmetic
				r := straight(t, kernel(), 1, gputest.Full, inSlice(t, m, 1))
				run := play(t, m, r, gpu.Options{})
				expect(t, mechanism, run, map[string]uint64{"answers": 1, "returned": 0})
				if diff := cmp.Diff(play(t, m, r, gpu.Options{EveryCycle: true}), run); diff != "" {
					t.Errorf("%s: sleeping changes the result (-every cycle +event driven):\n%s", mechanism, diff)
				}
				return int(run.Cycles)
			}
			base := cycles(1)
			for _, arithmetic := range []int{2, 18, 100 + rand.IntN(900)} {
				if got, want := cycles(arithmetic), base+arithmetic-1; got != want {
					t.Errorf("%s, %s: with arithmetic of %d cycles %d, want %d: %d with one", mechanism, kernel().Name, arithmetic, got, want, base)
				}
			}
		}
	}
}

// Loads of a partition take the latency of its slice once, all together, and a store once more. What
// the network brings takes it in any case, and operands that are in L2 never.
func TestAccessesOfAPartitionTakeTheLatencyOfItsSlice(t *testing.T) {
	product := func() *gputest.Kernel { // pattern 2
		k := gputest.NewKernel("product")
		return k.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 11).Op(trace.ClassF32Mul, 3, 1, 2).Op(trace.ClassSpecial, 4, 3)
	}
	for _, mechanism := range []string{"mesh56+llc-compute", "mesh56+omni-compute", "gtx480+llc-compute"} {
		for what, c := range map[string]struct {
			kernel func() *gputest.Kernel
			ways   int
		}{"loads": {product, 1}, "loads and a store": {sum, 2}} {
			cycles := func(latency int, behind bool) int {
				m, s := quiet(t, mechanism)
				m.Clocks.L2MHz, m.Clocks.DRAMMHz = m.Clocks.CoreMHz, m.Clocks.CoreMHz // so that no time is rounded
				m.L2.Slice.LatencyCycles, s.SliceLatency = latency, behind
				run := play(t, m, straight(t, c.kernel(), 1, gputest.Full, inSlice(t, m, 1)), gpu.Options{})
				expect(t, what, run, map[string]uint64{"answers": 1, "returned": 0})
				return int(run.Cycles)
			}
			for range 3 {
				latency, more := 1+rand.IntN(300), 1+rand.IntN(300)
				behind := cycles(latency, true)
				if got, want := cycles(latency+more, true), behind+c.ways*more; got != want {
					t.Errorf("%s, %s: with %d cycles more than %d at the slice %d, want %d", mechanism, what, more, latency, got, want)
				}
				direct := cycles(latency, false)
				if got := cycles(latency+more, false); got != direct || direct+c.ways*latency-behind > 5 || behind <= direct {
					t.Errorf("%s, %s: direct %d and %d cycles at two latencies, %d behind that of %d", mechanism, what, direct, got, behind, latency)
				}
			}
		}
	}
}

// A chain that is flushed is computed at the core, which takes as long as its
// instructions.
func TestAFlushedChainTakesWhatItsInstructionsTake(t *testing.T) {
	cycles := func(latency int) int64 {
		m, _ := quiet(t, "mesh56+llc-compute")
		m.SM.Latencies.F32Mul = arch.Latency{Cycles: latency, Interval: 1}
		k := gputest.NewKernel("flush")
		k.Load(trace.SpaceGlobal, 5, 10).Op(trace.ClassSpecial, 6, 5)
		k.Op(trace.ClassIntAdd, 10, 6)
		k.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 10).Op(trace.ClassF32Mul, 3, 1, 2).Op(trace.ClassSpecial, 4, 3)
		a, b := lineIn(t, m, 2, 0, 1<<20), lineIn(t, m, 2, 1, 1<<20)
		run := play(t, m, straight(t, k, 1, gputest.Full, func(_, n int) (uint64, int64) {
			return []uint64{b, a, b}[n], 4
		}), gpu.Options{})
		expect(t, "flush", run, map[string]uint64{"chains": 1, "cached": 1, "local_parts": 1})
		return int64(run.Cycles)
	}
	if short, long := cycles(10), cycles(30); long != short+20 {
		t.Errorf("with a multiplication of 10 cycles %d, with one of 30 %d", short, long)
	}
}

// Two chains of an unrolled loop are interleaved in the trace; each keeps its own
// addresses when it is made contiguous.
func TestReorderedLoadsKeepTheirAddresses(t *testing.T) {
	k := gputest.NewKernel("unrolled")
	k.Load(trace.SpaceGlobal, 1, 10).Load(trace.SpaceGlobal, 2, 10).Load(trace.SpaceGlobal, 3, 11).Load(trace.SpaceGlobal, 4, 11)
	k.Op(trace.ClassF32Add, 5, 1, 3).Store(trace.SpaceGlobal, 12, 5).Op(trace.ClassF32Add, 6, 2, 4).Store(trace.SpaceGlobal, 12, 6)
	for i := range 4 {
		k.Instructions[i].Modifiers = []string{"global", "nc"}
	}
	m, _ := quiet(t, "mesh56+llc-compute")
	run := play(t, m, straight(t, k, 1, gputest.Full, func(_, n int) (uint64, int64) {
		slice := []int{1, 6, 1, 6, 1, 6}[n]
		return lineIn(t, m, slice, n, 1<<20), 4
	}), gpu.Options{})
	expect(t, "unrolled", run, map[string]uint64{"chains": 2, "offloaded": 2, "nowhere": 0, "packets_to_partitions": 2})
}

// Section 4.5: two lines for each of 96 entries are 24 KiB of 48.
func TestAKernelThatLeavesNoSharedMemoryIsNotOffloadedToCores(t *testing.T) {
	for _, c := range []struct {
		shared uint32
		chains uint64
	}{{24 << 10, 1}, {24<<10 + 128, 0}} {
		m, _ := quiet(t, "mesh56+omni-compute")
		m.SM.MaxBlocks = 1
		k := sum()
		k.SharedBytes = c.shared
		run := play(t, m, straight(t, k, 1, gputest.Full, inSlice(t, m, 1)), gpu.Options{})
		expect(t, "room", run, map[string]uint64{"chains": c.chains})
	}
}

func TestMachinesThatCannotOffloadAreRefusedWithTheReason(t *testing.T) {
	for spec, want := range map[string]string{
		"mesh56+omni-compute(routers=compute)":                                                 "only those of a butterfly do, with omni; offload.at is omni and network.topology mesh",
		"mesh56+omni-compute+shared-mesh+set(network.virtual_channels=12)":                     "lower network.virtual_channels",
		"mesh56+butterfly+set(network.radix=8,network.stages=2)+omni-compute(routers=compute)": "at most 16 ports and 64 channels are modelled",
		"mesh56+omni-compute+dac":                                                              "two mechanisms bring one: dac splits a kernel into an affine and a non-affine stream; offload makes the chains of a kernel contiguous",
		"mesh56+buddy(members=2)+llc-compute":                                                  "offload takes them away: an offload queue that gathers one chain holds the next",
		"mesh56+llc-compute+perfect-memory":                                                    "no access of an SM reaches a partition",
		"gpsim-soc+llc-compute":                                                                "a chain's operands are lines of 128 bytes",
	} {
		if _, err := arch.Load(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", spec, err, want)
		}
	}
	m := load(t, "mesh56+omni-compute")
	m.Section(offload.Key).(*offload.Section).ServiceEntries = 193
	if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "do not fit into the 49152 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestAStuckReplayNamesTheQueuesThatAreNotEmpty(t *testing.T) {
	m, _ := quiet(t, "mesh56+llc-compute")
	g, err := gpu.New(m, gpu.Options{WatchdogCycles: 40})
	if err != nil {
		t.Fatal(err)
	}
	r := straight(t, sum(), 4, gputest.Full, inSlice(t, m, 3))
	_, err = g.Replay(context.Background(), gputest.NewSource(r), nil)
	if err == nil || !strings.Contains(err.Error(), "offload queue of SM 0: 4 of 48 entries are taken") {
		t.Errorf("got %v", err)
	}
}

// What a chain stores elsewhere is no longer good in the L1: the load behind it
// goes to L2.
func TestALineThatAChainStoresLeavesTheL1(t *testing.T) {
	m, _ := quiet(t, "mesh56+llc-compute")
	k := gputest.NewKernel("stale")
	k.Load(trace.SpaceGlobal, 5, 10).Op(trace.ClassSpecial, 6, 5).Op(trace.ClassIntAdd, 12, 6)
	k.Load(trace.SpaceGlobal, 1, 11).Op(trace.ClassConvert, 3, 1).Store(trace.SpaceGlobal, 12, 3)
	k.Load(trace.SpaceGlobal, 7, 12).Op(trace.ClassSpecial, 8, 7)
	a, c := lineIn(t, m, 2, 0, 1<<20), lineIn(t, m, 2, 1, 1<<20)
	run := play(t, m, straight(t, k, 1, gputest.Full, func(_, n int) (uint64, int64) {
		return []uint64{c, a, c, c}[n], 4
	}), gpu.Options{})
	expect(t, "stale", run, map[string]uint64{"offloaded": 1})
	if hits := run.Total[counters.L1ReadHit]; hits != 0 {
		t.Errorf("%d loads hit a line that a partition has written", hits)
	}
}

// Before a replay it is known whether any kernel has a chain: one that has is enough.
func TestATraceWithoutChainsIsToldBeforeTheReplay(t *testing.T) {
	m := load(t, "mesh56+llc-compute")
	plain := gputest.NewKernel("plain")
	plain.Load(trace.SpaceGlobal, 1, 10).Op(trace.ClassSpecial, 2, 1).Exit()
	with := sum()
	with.Exit()
	for _, c := range []struct {
		kernels []trace.Kernel
		idle    bool
	}{{[]trace.Kernel{plain.Kernel}, true}, {[]trace.Kernel{plain.Kernel, with.Kernel}, false}, {[]trace.Kernel{with.Kernel}, false}, {nil, false}} {
		got, err := gpu.Idle(m, c.kernels)
		if err != nil {
			t.Fatal(err)
		}
		if (len(got) == 1) != c.idle || c.idle && !strings.Contains(got[0], "offload has nothing to do for this trace: kernel plain has no chain") {
			t.Errorf("%d kernels: %q", len(c.kernels), got)
		}
	}
}
