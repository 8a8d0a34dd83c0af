// SPDX-License-Identifier: Apache-2.0

package divergence_test

import (
	"bytes"
	"context"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	_ "github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// rewritten is a trace in which warps do, as they were recorded, what those of another do
// under a rule.
func rewritten(t *testing.T, r *wtape.Reader, rule projection.Rule) *wtape.Reader {
	t.Helper()
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "rewritten", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range r.Kernels() {
		_, err := w.AddKernel(&r.Kernels()[i])
		must(err)
	}
	c := wtape.NewChunk()
	chunk := 0
	for l := range r.Launches() {
		_, err := w.BeginLaunch(r.Launches()[l])
		must(err)
		for ; chunk < len(r.Chunks()) && r.Chunks()[chunk].Launch == l; chunk++ {
			must(r.ReadChunk(chunk, c))
			for _, block := range c.Blocks() {
				w.BeginBlock(block)
				rewriteBlock(t, w, &r.Kernels()[r.Launches()[l].Kernel], c, block, rule)
				must(w.EndBlock())
			}
		}
		must(w.EndLaunch())
	}
	must(w.Finish())
	out, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	must(err)
	return out
}

func rewriteBlock(t *testing.T, w *wtape.Writer, k *trace.Kernel, c *wtape.Chunk, block uint64, rule projection.Rule) {
	t.Helper()
	p, err := projection.New(k, trace.WarpSize, rule)
	if err != nil {
		t.Fatal(err)
	}
	for h := range c.WarpsPerBlock() {
		warp := p.Open(c, block, h)
		for v := (projection.Visit{}); warp.Next(&v); {
			w.Visit(h, v.Block, v.Lanes[0])
			for i := range p.Plan().Guards(v.Block) {
				w.Guard(h, warp.Guard(&v, i)[0])
			}
			for i := range p.Plan().Accesses(v.Block) {
				var at [projection.MaxWidth]uint64
				lanes := warp.Addresses(&v, i, &at)[0]
				w.Access(h, lanes, (*[trace.WarpSize]uint64)(at[:]))
			}
		}
		warp.Close()
	}
}

// assembled is a machine with a memory of a random latency.
func assembled(t *testing.T, m *arch.Machine, seed uint64) *gpu.GPU {
	t.Helper()
	memory := gputest.RandomMemory(rand.New(rand.NewPCG(seed, 4)))
	g, err := gpu.New(m, gpu.Options{WatchdogCycles: 100_000, Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		return memory.Build(c.Core, global), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func replay(t *testing.T, m *arch.Machine, seed uint64, r *wtape.Reader) *gpu.Run {
	t.Helper()
	run, err := assembled(t, m, seed).Replay(context.Background(), gputest.NewSource(r), nil)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return run
}

// divergent is a launch of a random kernel. Its lanes go their own ways between the
// barriers. They are recorded in the order of basic blocks, those at the same one
// together.
func divergent(r *rand.Rand) gputest.Launch {
	k := gputest.NewKernel("divergent")
	var ends []uint32
	sections := 1 + r.IntN(3)
	for s := range sections {
		for range 1 + r.IntN(5) {
			instructions(r, k)
			k.Branch()
		}
		ends = append(ends, uint32(len(k.Blocks)-1))
		instructions(r, k)
		if s == sections-1 {
			k.Exit()
		} else {
			k.Barrier("sync", int64(r.IntN(3)))
		}
	}
	return gputest.Launch{Kernel: k, Blocks: 1 + r.IntN(5), Threads: 1 + r.IntN(200), Record: func(w *gputest.Warp) {
		first := uint32(0)
		for _, end := range ends {
			last := end
			for b := first; b <= last; b++ {
				mask := w.Lanes
				if b < last && b > first {
					mask &= r.Uint32()
				}
				for mask != 0 {
					// Some are recorded apart from the others.
					part := mask
					if r.IntN(4) == 0 {
						part &= r.Uint32()
					}
					if part != 0 {
						w.VisitGuarded(b, part, part&r.Uint32())
					}
					mask &^= part
				}
			}
			first = last + 1
		}
	}}
}

func instructions(r *rand.Rand, k *gputest.Kernel) {
	for range r.IntN(5) {
		reg := func() int { return r.IntN(12) }
		switch r.IntN(4) {
		case 0:
			k.Load(trace.SpaceGlobal, reg(), reg())
		case 1:
			k.Store(trace.SpaceGlobal, reg(), reg())
		default:
			k.Op(trace.ClassIntAdd, reg(), reg(), reg())
		}
		if r.IntN(4) == 0 {
			k.Guarded(r.IntN(2))
		}
	}
}

// TestProjectedReplaysAreThoseOfTheTraceThatSuchWarpsWouldHaveLeft, to the last counter, on
// random machines: the other way to the same result writes the order of the visits down,
// and replays that as it was recorded.
func TestProjectedReplaysAreThoseOfTheTraceThatSuchWarpsWouldHaveLeft(t *testing.T) {
	for policy, rule := range map[string]projection.Rule{"serial": projection.Serial, "serial-rounds": projection.SerialRounds} {
		var issued, recorded uint64
		for _, seed := range tracetest.Seeds(t, 40, 6) {
			r := rand.New(rand.NewPCG(seed, 31))
			m := gputest.RandomMachine(r)
			tape := gputest.Trace(t, divergent(r), divergent(r))
			want := replay(t, m, seed, rewritten(t, tape, rule))
			m.GPU.Divergence = policy
			got := replay(t, m, seed, tape)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s, seed %d (-rewritten +projected):\n%.3000s", policy, seed, diff)
			}
			if n := got.Total[counters.IssuedThread]; n != tape.Totals().ThreadInstructions {
				t.Errorf("%s, seed %d: %d thread instructions, recorded %d", policy, seed, n, tape.Totals().ThreadInstructions)
			}
			issued += got.Total[counters.IssuedWarp]
			recorded += tape.Totals().WarpInstructions
		}
		if issued == recorded {
			t.Errorf("%s: %d warp instructions, as recorded: the programs do not diverge", policy, issued)
		}
	}
}

// TestSerialPathsGoToTheEnd in closed form: each of n lanes takes a path of its own to one
// tail of length additions. A warp that reconverges issues the tail once, and a serial one
// n times. In rounds all lanes come to the tail at a time.
func TestSerialPathsGoToTheEnd(t *testing.T) {
	const lanes, length = 8, 30
	k := gputest.NewKernel("ways")
	k.Branch()
	for range lanes {
		k.Op(trace.ClassIntAdd, 1, 1).Branch()
	}
	tail := uint32(len(k.Blocks) - 1)
	for range length {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Exit()
	k.Blocks[0].PostDominator = tail
	launch := gputest.Launch{Kernel: k, Blocks: 1, Threads: lanes, Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		for l := range uint32(lanes) {
			w.Visit(1+l, 1<<l)
		}
		w.Visit(tail, w.Lanes)
	}}
	for policy, want := range map[string]uint64{"pdom": 1 + 2*lanes + length + 1, "serial": 1 + lanes*(2+length+1), "serial-rounds": 1 + 2*lanes + length + 1} {
		m := gputest.Machine()
		m.GPU.Divergence = policy
		if got := replay(t, m, 1, gputest.Trace(t, launch)).Total[counters.IssuedWarp]; got != want {
			t.Errorf("%s: %d warp instructions, want %d", policy, got, want)
		}
	}
}

// TestStreamsGatherTheAddressesOfLanesThatWereRecordedApart, strided or not.
func TestStreamsGatherTheAddressesOfLanesThatWereRecordedApart(t *testing.T) {
	k := gputest.NewKernel("apart")
	k.Op(trace.ClassIntAdd, 1, 1).Barrier("sync", 0)
	for range 40 {
		k.Load(trace.SpaceGlobal, 1, 1)
	}
	k.Exit()
	for _, irregular := range []bool{false, true} {
		r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			for part, mask := range []uint32{0x0000ffff, 0xffff0000} {
				// Lanes of the second part lie elsewhere when the access is irregular.
				shift := uint64(0)
				if irregular {
					shift = uint64(part) * 1 << 20
				}
				w.Raw(1, mask, func(i int) uint64 { return 1<<32 + uint64(i)<<12 + shift })
			}
		}})
		c := wtape.NewChunk()
		if err := r.ReadChunk(0, c); err != nil {
			t.Fatal(err)
		}
		policy, err := divergence.Policies.Lookup("serial")
		if err != nil {
			t.Fatal(err)
		}
		s := policy.New().Open(&r.Kernels()[0], c, 0, 0)
		var v seam.Visit
		for s.Next(&v) && v.BasicBlock != 1 {
		}
		if v.Mask != gputest.Full {
			t.Fatalf("lanes %08x meet behind the barrier", v.Mask)
		}
		type given struct {
			trace.Access
			chunk *wtape.Chunk
		}
		var list []given
		for range 40 {
			a, chunk := s.Access()
			if a.Strided() == irregular {
				t.Fatalf("strided: %v", a.Strided())
			}
			list = append(list, given{a, chunk})
		}
		for i, a := range list { // after all were given: what has been given stays
			chunk := a.chunk
			if chunk == nil {
				chunk = c
			}
			var at [trace.WarpSize]uint64
			chunk.Addresses(a.Access, gputest.Full, &at)
			for l, address := range at {
				want := 1<<32 + uint64(i)<<12 + uint64(4*l)
				if irregular {
					want += uint64(l/16) << 20
				}
				if address != want {
					t.Fatalf("access %d, lane %d at %#x, want %#x", i, l, address, want)
				}
			}
		}
		s.Close()
	}
}

// TestKernelsWithOperationsOfWholeWarpsAreRefusedByName under policies that run lanes
// apart.
func TestKernelsWithOperationsOfWholeWarpsAreRefusedByName(t *testing.T) {
	k := gputest.NewKernel("exchange")
	k.Op(trace.ClassIntAdd, 1, 1).Op(trace.ClassShuffle, 1, 1).Exit()
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	m := gputest.Machine()
	for _, policy := range divergence.Policies.Names() {
		m.GPU.Divergence = policy
		err := assembled(t, m, 1).Check(r.Kernels(), r.Launches())
		switch {
		case policy == "pdom" && err != nil:
			t.Error(err)
		case policy != "pdom" && (err == nil || !strings.Contains(err.Error(), "kernel exchange (exchange.ptx:2)") || !strings.Contains(err.Error(), "gpu.divergence: pdom")):
			t.Errorf("%s: %v", policy, err)
		}
	}
}

// TestStreamsAllocateNothingInSteadyState, but for chunks of irregular accesses.
func TestStreamsAllocateNothingInSteadyState(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 31))
	tape := gputest.Trace(t, divergent(r))
	c := wtape.NewChunk()
	if err := tape.ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	policy, err := divergence.Policies.Lookup("serial")
	if err != nil {
		t.Fatal(err)
	}
	d, k := policy.New(), &tape.Kernels()[0]
	visits := 0
	var v seam.Visit
	if n := testing.AllocsPerRun(50, func() {
		s := d.Open(k, c, c.Blocks()[0], 0)
		for s.Next(&v) {
			visits++
		}
		s.Close()
	}); n > 0 || visits == 0 {
		t.Errorf("%v allocations a warp, %d visits", n, visits)
	}
}

// BenchmarkStream compares what a visit costs under each policy, guards and accesses
// included.
func BenchmarkStream(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 31))
	l := divergent(r)
	l.Threads = 32
	data, err := gputest.Encode(l)
	if err != nil {
		b.Fatal(err)
	}
	tape, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		b.Fatal(err)
	}
	c := wtape.NewChunk()
	if err := tape.ReadChunk(0, c); err != nil {
		b.Fatal(err)
	}
	k := &tape.Kernels()[0]
	plan := projection.NewPlan(k)
	for _, name := range divergence.Policies.Names() {
		b.Run(name, func(b *testing.B) {
			policy, err := divergence.Policies.Lookup(name)
			if err != nil {
				b.Fatal(err)
			}
			d := policy.New()
			var v seam.Visit
			n, lanes := 0, 0
			for b.Loop() {
				s := d.Open(k, c, c.Blocks()[0], 0)
				for ; s.Next(&v); n++ {
					lanes += bits.OnesCount32(v.Mask)
					for range plan.Guards(v.BasicBlock) {
						s.Guard()
					}
					for range plan.Accesses(v.BasicBlock) {
						s.Access()
					}
				}
				s.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/visit")
			b.ReportMetric(float64(lanes)/float64(n), "lanes/visit")
		})
	}
}
