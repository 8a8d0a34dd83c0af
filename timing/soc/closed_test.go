// SPDX-License-Identifier: Apache-2.0

package soc_test

import (
	"context"
	"strings"
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

// one replays a launch on one of the systems.
func one(t testing.TB, m *arch.Machine, launches ...gputest.Launch) *replay.Result {
	t.Helper()
	return &run(t, gputest.Trace(t, launches...), m)[0]
}

// expect compares counters with what closed forms say.
func expect(t testing.TB, r *replay.Result, want map[string]uint64) {
	t.Helper()
	for name, n := range want {
		if got := count(t, r, name); got != n {
			t.Errorf("%s: %s is %d, want %d", r.Machine, name, got, n)
		}
	}
}

// sweep is a kernel of one warp that goes over n pages, some times.
func sweep(class trace.OpClass, n, times int) gputest.Launch {
	l := accesses("sweep", repeated(class, n*times), func(_ *gputest.Warp, i int) uint64 { return device - device%page + page + uint64(i%n)*page })
	l.Before = []trace.HostEvent{{Kind: trace.EventAllocate, Name: "b", Address: device - device%page + page, Bytes: uint64(n) * page}}
	return l
}

// instructionPages are the pages of a sweep's instructions of eight bytes.
func instructionPages(instructions int) uint64 { return uint64((instructions*8 + page - 1) / page) }

func TestASweepWalksOncePerPageThatTheTLBHolds(t *testing.T) {
	const pages = 40
	m := system(t, "fusetlb", nil)
	m.L1.Bytes, m.L1.Ways = 128, 1 // every load goes on
	m.L2.Slice.Bytes, m.L2.Slice.Ways = 128, 1
	r := one(t, m, sweep(trace.ClassLoad, pages, 3))
	walks := pages + instructionPages(3*pages+1)
	expect(t, r, map[string]uint64{"soc_walks": walks, "soc_tlb_fills": walks, "cpu_exceptions": walks, "cpu_exception_loads": 4 * walks, "soc_page_flushes": 0})
	if lookups := count(t, r, "soc_tlb_lookups_sm"); lookups < 3*pages*2 {
		t.Errorf("%d lookups of the TLB for %d lines of 64 bytes", lookups, 3*pages*2)
	}
}

// One page more than a fully associative TLB of LRU replacement holds: every access
// walks. Without instructions in memory the pages are the kernel's alone.
func TestASweepOverOnePageTooManyWalksEveryTime(t *testing.T) {
	const entries = 8
	m := system(t, "fusetlb", func(s *soc.Section, _ *cpu.Section) { s.TLBEntries, s.TLBWays = entries, entries })
	m.Instruction.Bytes = 0
	m.L1.Bytes, m.L1.Ways, m.L2.Slice.Bytes, m.L2.Slice.Ways = 128, 1, 128, 1
	r := one(t, m, ordered(sweep(trace.ClassLoad, entries+1, 5)))
	expect(t, r, map[string]uint64{"soc_walks": 5 * (entries + 1)})
	r = one(t, m, ordered(sweep(trace.ClassLoad, entries, 5)))
	expect(t, r, map[string]uint64{"soc_walks": entries, "soc_page_flushes": 0})
}

// ordered lets each load wait for the one before.
func ordered(l gputest.Launch) gputest.Launch {
	for i := range l.Kernel.Instructions {
		in := &l.Kernel.Instructions[i]
		for k := range in.Operands {
			in.Operands[k].Register.Number = 7
		}
	}
	return l
}

func TestPrivateTLBsMissWhereTheyAreFull(t *testing.T) {
	for _, c := range []struct{ pages, walks uint64 }{{64, 64}, {65, 3 * 65}} {
		m := system(t, "privtlb", nil)
		m.Instruction.Bytes = 0
		r := one(t, m, ordered(sweep(trace.ClassLoad, int(c.pages), 3)))
		expect(t, r, map[string]uint64{"soc_sm_tlb_lookups": 3 * c.pages, "soc_sm_tlb_misses": c.walks, "soc_walks": c.walks, "soc_tlb_lookups_sm": 0, "soc_page_flushes": 0})
	}
}

func TestLargerPagesAreFewer(t *testing.T) {
	for _, bytes := range []int{4096, 16384, 65536} {
		m := system(t, "fusetlb", func(_ *soc.Section, c *cpu.Section) { c.PageBytes = bytes })
		m.Instruction.Bytes = 0
		expect(t, one(t, m, sweep(trace.ClassLoad, 64, 1)), map[string]uint64{"soc_walks": uint64(64 * page / bytes)})
	}
}

func TestAKernelsLinesAreWrittenBackAtItsEnd(t *testing.T) {
	const warps = 24
	store := accesses("k", repeated(trace.ClassStore, 1), func(w *gputest.Warp, _ int) uint64 { return device + uint64(w.Warp)*128 })
	store.Threads, store.Before = 32*warps, allocate(warps*128)
	for _, name := range systems {
		r := one(t, system(t, name, nil), store)
		// Two lines of 64 bytes a warp; each access of the last-level cache is one line.
		expect(t, r, map[string]uint64{"soc_kernel_flushes": 1, "soc_llc_sm_writes": 2 * warps, "l2_write_backs": 2 * warps, "dram_write_bytes": 0})
	}
}

func TestCopiesAreExecutedLineByLineOrElided(t *testing.T) {
	const bytes = 64 << 10
	k := accesses("k", repeated(trace.ClassLoad, 1), func(*gputest.Warp, int) uint64 { return device })
	k.Before, k.Behind = append(allocate(bytes), copyTo(0, bytes)), []trace.HostEvent{copyBack(0, bytes)}
	for _, name := range systems {
		r := one(t, system(t, name, nil), k)
		if name != "typsoc" && name != "copysoc" {
			expect(t, r, map[string]uint64{"soc_copies_elided": 2, "soc_copies_executed": 0, "soc_copy_elided_bytes": 2 * bytes, "soc_llc_copy_reads": 0, "cpu_instructions": 0, "copy_cycles": 0, "copy_to_device_bytes": 0})
			if r.Total.End != r.Total.Cycles {
				t.Errorf("%s: the run takes %d cycles, its kernel %d", name, r.Total.End, r.Total.Cycles)
			}
			continue
		}
		// Words of four bytes; what the first copy has left in the core's caches, all but
		// the lines that the kernel has taken, the second one reads there.
		expect(t, r, map[string]uint64{"soc_copies_executed": 2, "cpu_loads": 2 * bytes / 4, "cpu_stores": 2 * bytes / 4, "copy_to_device_bytes": 0})
		if n := count(t, r, "soc_llc_copy_reads"); n < 2*bytes/64 || n > 2*bytes/64+bytes/64/8+64 {
			t.Errorf("%s: a copy of %d lines and one back read %d lines of the last-level cache", name, bytes/64, n)
		}
		if n := count(t, r, "copy_cycles"); n == 0 || r.Total.End != r.Total.Cycles+r.Copies[0].End-r.Copies[0].Start+r.Copies[1].End-r.Copies[1].Start {
			t.Errorf("%s: %d cycles of copies, %d of kernels, %d in all", name, n, r.Total.Cycles, r.Total.End)
		}
	}
}

func TestHostComputationIsExecutedWhereItsAccessesAreRecorded(t *testing.T) {
	const bytes = 4096
	k := accesses("k", repeated(trace.ClassLoad, 1), func(*gputest.Warp, int) uint64 { return device })
	k.Before = append(allocate(bytes), trace.HostEvent{Kind: trace.EventCompute, Operations: 1000},
		trace.HostEvent{Kind: trace.EventCompute, Operations: 512, Accesses: []trace.HostAccess{{HostAddress: hostBase, Bytes: bytes, Writes: true}}})
	r := one(t, system(t, "fusetlb", nil), k)
	// Words of eight bytes, all of them written; the lines are fetched for that, and the
	// kernel finds them where the core has left them.
	expect(t, r, map[string]uint64{"soc_computations_executed": 1, "cpu_stores": bytes / 8, "soc_llc_copy_reads": 0})
	if r.Total.End <= r.Total.Cycles {
		t.Errorf("%d cycles in all, %d of the kernel", r.Total.End, r.Total.Cycles)
	}
}

func TestAnElidedCopyIsReadWhereItWasLeft(t *testing.T) {
	// The first kernel writes the buffer, which is "copied" back and to the device
	// again: the second kernel finds it in the last-level cache.
	const lines = 64
	write := accesses("write", repeated(trace.ClassStore, lines), func(_ *gputest.Warp, i int) uint64 { return device + uint64(i)*128 })
	write.Before, write.Behind = allocate(lines*128), []trace.HostEvent{copyBack(0, lines*128), copyTo(0, lines*128)}
	read := accesses("read", repeated(trace.ClassLoad, lines), func(_ *gputest.Warp, i int) uint64 { return device + uint64(i)*128 })
	m := system(t, "fusetlb", nil)
	m.Instruction.Bytes = 0
	r := one(t, m, write, read)
	expect(t, r, map[string]uint64{"soc_llc_sm_reads": 2 * lines, "soc_llc_sm_misses": 0})
}

func TestTheTLBDropsAPageWithItsLines(t *testing.T) {
	const entries, pages = 4, 20
	m := system(t, "fusetlb", func(s *soc.Section, _ *cpu.Section) { s.TLBEntries, s.TLBWays = entries, entries })
	m.Instruction.Bytes = 0
	r := one(t, m, ordered(sweep(trace.ClassLoad, pages, 1)))
	expect(t, r, map[string]uint64{"soc_walks": pages, "soc_page_flushes": pages - entries})
	// Written pages leave the same way: all their lines are written back once, and no
	// page is walked for again for that.
	r = one(t, m, sweep(trace.ClassStore, pages, 1))
	expect(t, r, map[string]uint64{"soc_llc_sm_writes": 2 * pages})
}

func TestACoreThatTouchesAPageMakesTheSMsWriteItBack(t *testing.T) {
	const steps = 4000
	classes := repeated(trace.ClassStore, steps)
	for i := range 32 {
		classes[i] = trace.ClassLoad
	}
	k := accesses("k", classes, func(_ *gputest.Warp, i int) uint64 { return device + uint64(i%32)*128 })
	k.Stream, k.Before = 1, allocate(page)
	back := copyBack(0, page)
	back.Stream = 2
	for range 20 {
		k.Behind = append(k.Behind, back)
	}
	m := system(t, "copysoc", nil)
	m.GPU.ConcurrentKernels = 2
	r := one(t, m, k)
	if n := count(t, r, "soc_page_flushes"); n == 0 {
		t.Error("a kernel writes a page while a core copies it, and the SMs keep it")
	}
}

func TestAtomicsAndFencesEmptyTheL1(t *testing.T) {
	// The same line again and again: it hits but for the first time, and after each
	// atomic and fence.
	classes := []trace.OpClass{
		trace.ClassLoad, trace.ClassLoad, trace.ClassAtomic, trace.ClassLoad, trace.ClassLoad, trace.ClassAtomic, trace.ClassAtomic, trace.ClassLoad,
		trace.ClassFence, trace.ClassLoad, trace.ClassLoad, trace.ClassFence, trace.ClassFence, trace.ClassLoad,
	}
	k := ordered(accesses("k", classes, func(*gputest.Warp, int) uint64 { return device &^ 127 }))
	k.Before = allocate(page)
	m := system(t, "fusetlb", nil)
	m.Instruction.Bytes = 0
	r := one(t, m, k)
	// Two lines of 64 bytes a load.
	expect(t, r, map[string]uint64{"soc_l1_cleans": 5, "l1_read_misses": 2 * 5, "l1_reads": 2 * 8})
}

func TestCoherenceCostsWhereSMsShareLines(t *testing.T) {
	own := accesses("own", []trace.OpClass{trace.ClassStore, trace.ClassStore}, func(w *gputest.Warp, _ int) uint64 { return device + uint64(w.Block)*128 })
	own.Blocks, own.Before = 4, allocate(page)
	r := one(t, system(t, "typsoc", nil), own)
	expect(t, r, map[string]uint64{"soc_upgrades": 2 * 4, "soc_invalidations": 0, "soc_downgrades": 0})
	shared := own
	shared.Record = func(w *gputest.Warp) { w.Raw(0, w.Lanes, func(int) uint64 { return device }) }
	r = one(t, system(t, "typsoc", nil), shared)
	if up, lost := count(t, r, "soc_upgrades"), count(t, r, "soc_invalidations"); up < 2*4 || lost < 2*3 || lost > up {
		t.Errorf("four SMs write the same two lines: %d requests to write, %d lines lost", up, lost)
	}
	expect(t, one(t, system(t, "copysoc", nil), shared), map[string]uint64{"soc_upgrades": 0, "soc_invalidations": 0, "soc_sm_directory_lookups": 0})
}

// SMs with next to no room in their L1s take the lines from one another with every
// store; each still gets on.
func TestSMsThatWriteTheSameLinesAllGetOn(t *testing.T) {
	k := accesses("k", repeated(trace.ClassStore, 40), func(w *gputest.Warp, i int) uint64 { return device + uint64((i*7+w.Warp)%5)*64 })
	k.Blocks, k.Threads, k.Before = 4, 256, allocate(page)
	for _, queue := range []int{1, 8} {
		m := system(t, "typsoc", nil)
		m.L1.Bytes, m.L1.Ways, m.L1.MissQueue = 256, 1, queue
		r := one(t, m, k)
		if up, lost := count(t, r, "soc_upgrades"), count(t, r, "soc_invalidations"); lost == 0 || lost > up {
			t.Errorf("%d requests to write, %d lines lost", up, lost)
		}
	}
}

func TestAPageIsCopiedOnTheFirstWriteOnly(t *testing.T) {
	const pages = 3
	k := sweep(trace.ClassStore, pages, 1)
	base := device - device%page + page
	k.Before = append(k.Before, trace.HostEvent{Kind: trace.EventHostAllocate, HostAddress: hostBase, Bytes: pages * page},
		trace.HostEvent{Kind: trace.EventCopyToDevice, Address: base, HostAddress: hostBase, Bytes: pages * page})
	again := k
	again.Before = nil
	for _, on := range []bool{false, true} {
		want := uint64(0)
		if on {
			want = pages
		}
		m := system(t, "fusetlb", func(s *soc.Section, _ *cpu.Section) { s.CopyOnWrite = on })
		expect(t, one(t, m, k, again), map[string]uint64{"soc_pages_copied_on_write": want})
	}
}

func TestKernelsAtTheSameTimeHaveLinesOfTheirOwn(t *testing.T) {
	// Two kernels read the same lines on SMs of their own: the L2 has them twice.
	const lines = 16
	address := func(_ *gputest.Warp, i int) uint64 { return device + uint64(i)*128 }
	a := accesses("a", repeated(trace.ClassLoad, lines), address)
	b := accesses("b", repeated(trace.ClassLoad, lines), address)
	a.Before, a.Stream, b.Stream = allocate(page), 1, 2
	m := system(t, "fusetlb", nil)
	m.Instruction.Bytes, m.GPU.ConcurrentKernels = 0, 2
	r := one(t, m, a, b)
	expect(t, r, map[string]uint64{"soc_llc_sm_reads": 2 * 2 * lines, "soc_kernel_flushes": 2})
	if !r.Launches[0].Overlapped {
		t.Error("the kernels did not run at the same time")
	}
}

// A stream of loads over a few pages, for a core.
type stream struct{ n, at int }

func (s *stream) Rewind() error { s.at = 0; return nil }

func (s *stream) Next(into []cpu.Instruction) (int, error) {
	n := 0
	for ; n < len(into) && s.at < s.n; n++ {
		into[n] = cpu.Instruction{IP: 0x400000 + uint64(s.at%64)*4, Loads: 1}
		into[n].LoadAddresses[0] = 0x10_0000 + uint64(s.at*264)%(64<<10)
		s.at++
	}
	return n, nil
}

func programs(n int) []chip.Program { return longPrograms(n, 1500) }

func longPrograms(n, instructions int) []chip.Program {
	var list []chip.Program
	for i := range n {
		list = append(list, chip.Program{Name: string(rune('a' + i)), Stream: &stream{n: instructions}})
	}
	return list
}

func beside(t *testing.T, m *arch.Machine, r *wtape.Reader, n int) (*replay.Result, error) {
	t.Helper()
	return besideThese(t, m, r, programs(n))
}

func besideThese(t *testing.T, m *arch.Machine, r *wtape.Reader, list []chip.Program) (*replay.Result, error) {
	t.Helper()
	k := &soc.Checker{Fail: func(message string) { t.Error(message) }}
	results, err := replay.Run(context.Background(), r, []*arch.Machine{m}, replay.Options{
		Workers: 1, Attach: soc.Watch(k, soc.Beside(func(*arch.Machine) ([]chip.Program, error) { return list, nil })),
	})
	if err != nil {
		return nil, err
	}
	return &results[0], nil
}

func TestProgramsAreRelaunchedUntilTheGPUEnds(t *testing.T) {
	tracetest.Nightly(t)
	k := accesses("k", repeated(trace.ClassLoad, 400), func(_ *gputest.Warp, i int) uint64 { return device + uint64(i)*128 })
	k.Before = allocate(400 * 128)
	r, err := beside(t, system(t, "fusetlb", nil), gputest.Trace(t, ordered(k)), 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Programs {
		if p.Instructions != 1500 || p.Runs < 2 {
			t.Errorf("%s on core %d: %d instructions of its first run, %d runs", p.Name, p.Core, p.Instructions, p.Runs)
		}
	}
}

// Without a GPU's work the programs do what they do alone.
func TestAnIdleGPULeavesTheProgramsAlone(t *testing.T) {
	tracetest.Nightly(t)
	m := system(t, "fusetlb", nil)
	alone, _, err := soc.Alone(context.Background(), m, programs(3))
	if err != nil {
		t.Fatal(err)
	}
	// The host waits for a computation of a second while the GPU has nothing to do.
	m.Host.GigaOperationsPerSecond = 1e-3
	k := accesses("k", repeated(trace.ClassLoad, 1), func(*gputest.Warp, int) uint64 { return device })
	k.Before = append(allocate(page), trace.HostEvent{Kind: trace.EventCompute, Operations: 60})
	r, err := beside(t, m, gputest.Trace(t, k), 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range r.Programs {
		if p.Runs == 0 || p.Cycles != alone[i].Cycles || p.Instructions != alone[i].Instructions {
			t.Errorf("%s: %d instructions in %d cycles, alone %d in %d", p.Name, p.Instructions, p.Cycles, alone[i].Instructions, alone[i].Cycles)
		}
	}
}

// A program that is stopped on the way, with an idle GPU, has done what it does alone:
// its first, cold part, which takes more cycles than the others.
func TestAProgramThatIsStoppedIsComparedWithTheSamePart(t *testing.T) {
	const instructions = 60_000
	m := system(t, "fusetlb", nil)
	alone, _, err := soc.Alone(context.Background(), m, longPrograms(3, instructions))
	if err != nil {
		t.Fatal(err)
	}
	// The GPU's part of the program ends after a quarter of that time.
	m.Host.GigaOperationsPerSecond = 1
	k := accesses("k", repeated(trace.ClassLoad, 1), func(*gputest.Warp, int) uint64 { return device })
	quarter := alone[0].Cycles / 4 / 3 // of a core at 3 GHz, in nanoseconds
	k.Before = append(allocate(page), trace.HostEvent{Kind: trace.EventCompute, Operations: quarter})
	r, err := besideThese(t, m, gputest.Trace(t, k), longPrograms(3, instructions))
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range r.Programs {
		if p.Runs > 0 || p.Instructions >= instructions {
			t.Fatalf("%s has ended: %+v", p.Name, p)
		}
		// The last instructions drain without others behind them.
		if want := alone[i].CyclesOf(p.Instructions); p.Cycles < want-1100 || p.Cycles > want+1100 {
			t.Errorf("%s: %d instructions in %d cycles, alone in %d", p.Name, p.Instructions, p.Cycles, want)
		}
		whole := alone[i].Cycles * p.Instructions / alone[i].Instructions
		if p.Cycles < whole+2000 {
			t.Errorf("%s: the cold part takes %d cycles, at the whole run's rate %d: the test shows nothing", p.Name, p.Cycles, whole)
		}
	}
	for i := range alone {
		if got := alone[i].CyclesOf(alone[i].Instructions); got != alone[i].Cycles {
			t.Errorf("all of it takes %d cycles of %d", got, alone[i].Cycles)
		}
	}
}

func TestMoreProgramsThanCoresAreRefused(t *testing.T) {
	k := accesses("k", repeated(trace.ClassLoad, 1), func(*gputest.Warp, int) uint64 { return device })
	k.Before = allocate(page)
	r := gputest.Trace(t, k)
	if _, err := beside(t, system(t, "fusetlb", nil), r, 6); err == nil || !strings.Contains(err.Error(), "need 7 cores: the machine has 6") {
		t.Errorf("six programs beside the traced one on six cores: %v", err)
	}
	if _, err := beside(t, load(t, "gpsim-soc+cpu"), r, 1); err == nil || !strings.Contains(err.Error(), "put one of the overlays") {
		t.Errorf("a machine that shares nothing: %v", err)
	}
}

// Each page of a sweep has a line of 128 bytes of its own, two of the last-level cache. They come from DRAM once, also where a page walk comes
// first, and are found there when they are read again.
func TestPagesHaveLinesOfTheirOwnInTheLastLevelCache(t *testing.T) {
	const pages = 40
	for _, name := range systems {
		for _, entries := range []int{4, 512} {
			m := system(t, name, func(s *soc.Section, _ *cpu.Section) {
				if s.TLBEntries > entries {
					s.TLBEntries = entries
				}
			})
			m.Instruction.Bytes = 0
			m.L1.Bytes, m.L1.Ways, m.L2.Slice.Bytes, m.L2.Slice.Ways = 128, 1, 128, 1
			r := one(t, m, ordered(sweep(trace.ClassLoad, pages, 2)))
			expect(t, r, map[string]uint64{"soc_llc_sm_reads": 2 * 2 * pages, "soc_llc_sm_misses": 2 * pages})
		}
	}
}

// The directory has an entry for each line that the SMs' L1s may hold; without coherence there is nothing to speak of.
func TestTheDirectoryHasALineOfEachL1(t *testing.T) {
	for _, coherent := range []bool{true, false} {
		m := system(t, "typsoc", func(s *soc.Section, _ *cpu.Section) { s.Coherence = coherent })
		m.GPU.SMs, m.L1.Bytes, m.L1.LineBytes, m.L1.Ways = 3, 16<<10, 128, 4
		want := 3
		if coherent {
			want = 3 * 128
		}
		found := false
		for _, s := range m.Section(soc.Key).Structures(m) {
			if s.Path == "chip/coherence/directory" {
				if found = true; s.Entries != want || s.Count != 1 {
					t.Errorf("coherent %v: %d directories of %d entries, want one of %d", coherent, s.Count, s.Entries, want)
				}
			}
		}
		if !found {
			t.Errorf("coherent %v: there is no directory", coherent)
		}
	}
}
