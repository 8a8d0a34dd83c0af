// SPDX-License-Identifier: Apache-2.0

package soc_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/soc"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// touched is a kernel that loads and stores lines of a buffer while cores copy the same
// lines to the host, again and again.
func touched(bytes uint64, steps, copies int) gputest.Launch {
	classes := repeated(trace.ClassStore, steps)
	for i := range 32 {
		classes[i] = trace.ClassLoad
	}
	k := accesses("k", classes, func(_ *gputest.Warp, i int) uint64 { return device + uint64(i)*128%bytes })
	k.Stream, k.Before = 1, allocate(bytes)
	back := copyBack(0, bytes)
	back.Stream = 2
	for range copies {
		k.Behind = append(k.Behind, back)
	}
	return k
}

// A core that touches a page of the SMs waits until they have written it back. They do
// not wait for the core, however few accesses are on their way to the last-level cache.
func TestACoreGetsAPageOfTheSMsWithAQueueOfAnyLength(t *testing.T) {
	tracetest.Nightly(t)
	tape := gputest.Trace(t, touched(page, 1500, 10))
	for _, name := range systems {
		var machines []*arch.Machine
		for queue := 1; queue <= 8; queue++ {
			m := system(t, name, func(s *soc.Section, _ *cpu.Section) { s.Queue = queue })
			m.GPU.ConcurrentKernels, m.Name = 2, fmt.Sprintf("%s with a queue of %d", m.Name, queue)
			machines = append(machines, m)
		}
		for _, r := range run(t, tape, machines...) {
			if copied := name == "typsoc" || name == "copysoc"; copied && count(t, &r, "soc_page_flushes") == 0 {
				t.Errorf("%s: no core touches a page that SMs have: the test shows nothing", r.Machine)
			}
		}
	}
}

// Pages may have more lines than the queue has places.
func TestAPageMayHaveMoreLinesThanTheQueueHasPlaces(t *testing.T) {
	for _, bytes := range tracetest.Draw(t, []int{16 << 10, 64 << 10}, 1) {
		for _, queue := range tracetest.Draw(t, []int{1, 2, 8, 64}, 1) {
			m := system(t, "copysoc", func(s *soc.Section, c *cpu.Section) { s.Queue, c.PageBytes = queue, bytes })
			m.GPU.ConcurrentKernels = 2
			if r := one(t, m, touched(uint64(bytes), 3000, 10)); count(t, r, "soc_page_flushes") == 0 {
				t.Error("no core touches a page that SMs have: the test shows nothing")
			}
		}
	}
}

// torture is a kernel with random accesses to a few pages, to go with copies and
// computations of the host there.
func torture(rng *rand.Rand) gputest.Launch {
	bytes := uint64(1+rng.IntN(12)) * page
	classes := repeated(trace.ClassStore, 200+rng.IntN(400))
	for i := range classes {
		if rng.IntN(2) == 0 {
			classes[i] = trace.ClassLoad
		}
	}
	k := accesses("k", classes, func(*gputest.Warp, int) uint64 { return device + rng.Uint64N(bytes)&^127 })
	k.Blocks, k.Threads = 1+rng.IntN(4), 32*(1+rng.IntN(4))
	k.Stream, k.Before = 1, allocate(bytes)
	for range 30 {
		e := copyBack(rng.Uint64N(bytes)/2&^3, bytes/4)
		if e.Stream = uint32(2 + rng.IntN(3)); rng.IntN(2) == 0 {
			e.Kind = trace.EventCopyToDevice
		}
		if rng.IntN(3) == 0 {
			e = trace.HostEvent{Kind: trace.EventCompute, Stream: e.Stream, Operations: 512, Accesses: []trace.HostAccess{{HostAddress: e.HostAddress, Bytes: e.Bytes, Writes: rng.IntN(2) == 0}}}
		}
		k.Behind = append(k.Behind, e)
	}
	return k
}

// Page walks wait for no access that waits for SMs: a core executes them with a register
// of their own, whatever else has taken all of its others.
func TestChipsWithNextToNoRoomGetOn(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 40, tracetest.Fewer(2, 4)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		name := systems[rng.IntN(len(systems))]
		k := torture(rng)
		m := system(t, name, func(s *soc.Section, c *cpu.Section) {
			s.Queue, s.Walks, s.TLBEntries = 1+rng.IntN(4), 1+rng.IntN(2), 1+rng.IntN(4)
			c.Misses, c.Cores, c.TLBEntries = 1+rng.IntN(3), 1+rng.IntN(2), 1+rng.IntN(4)
			s.TLBWays = s.TLBEntries
		})
		m.GPU.ConcurrentKernels, m.L2.Slice.MSHRs, m.L2.Slice.MissQueue = 2, 1+rng.IntN(8), 1+rng.IntN(8)
		one(t, m, k)
	}
}

// A page that the TLB drops is written back by its frame: no write-back walks for it
// again, which would drop another page.
func TestNoWriteBackWalksForItsPage(t *testing.T) {
	const entries, pages, lines = 4, 20, 8
	classes := repeated(trace.ClassStore, pages*lines)
	for i := range classes {
		if i%lines == 0 {
			classes[i] = trace.ClassLoad
		}
	}
	base := device - device%page + page
	k := ordered(accesses("k", classes, func(_ *gputest.Warp, i int) uint64 { return base + uint64(i/lines)*page + uint64(i%lines)*128 }))
	k.Before = []trace.HostEvent{{Kind: trace.EventAllocate, Name: "b", Address: base, Bytes: pages * page}}
	for _, queue := range []int{1, 4, 64} {
		m := system(t, "fusetlb", func(s *soc.Section, _ *cpu.Section) { s.TLBEntries, s.TLBWays, s.Queue = entries, entries, queue })
		m.Instruction.Bytes = 0
		expect(t, one(t, m, k), map[string]uint64{"soc_walks": pages, "soc_page_flushes": pages - entries, "soc_llc_sm_writes": 2 * pages * (lines - 1)})
	}
}

// A page that SMs have written back, and touch no more, is no longer theirs: cores that
// go over all its lines make them write it back once.
func TestAPageIsWrittenBackOnceUntilSMsTouchItAgain(t *testing.T) {
	const steps = 2000
	classes := repeated(trace.ClassLoad, steps)
	k := accesses("k", classes, func(_ *gputest.Warp, i int) uint64 { return device + page*uint64(min(i, 1)) })
	k.Stream, k.Before = 1, allocate(2*page)
	for range 20 {
		back := copyBack(0, page)
		back.Stream = 2
		k.Behind = append(k.Behind, back)
	}
	m := system(t, "copysoc", nil)
	m.GPU.ConcurrentKernels = 2
	expect(t, one(t, m, k), map[string]uint64{"soc_page_flushes": 1})
}
