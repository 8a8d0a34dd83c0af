// SPDX-License-Identifier: Apache-2.0

package chip

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/seam"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

func machine(t testing.TB, spec string, change func(*cpu.Section)) *arch.Machine {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	m = m.Clone()
	if change != nil {
		change(cpu.Of(m))
	}
	return m
}

func build(t testing.TB, change func(*cpu.Section)) *Chip {
	t.Helper()
	c, err := New(machine(t, "gpsim-soc+cpu", change))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// random is a stream of loads and stores of a few lines.
type random struct {
	seed, lines uint64
	left, all   int
	r           *rand.Rand
}

func (s *random) Rewind() error {
	s.left, s.r = s.all, rand.New(rand.NewPCG(s.seed, 1))
	return nil
}

func (s *random) Next(into []cpu.Instruction) (int, error) {
	n := min(len(into), s.left)
	for i := range n {
		into[i] = cpu.Instruction{IP: 0x1000 + uint64(i%16)*4}
		address := 0x10000 + 64*s.r.Uint64N(s.lines)
		switch s.r.IntN(3) {
		case 0:
			into[i].Loads, into[i].LoadAddresses[0] = 1, address
		case 1:
			into[i].Stores, into[i].StoreAddresses[0] = 1, address
		}
	}
	s.left -= n
	return n, nil
}

func newRandom(seed, lines uint64, n int) *random {
	s := &random{seed: seed, lines: lines, all: n}
	_ = s.Rewind()
	return s
}

// checker knows for each line its last version and which version each core's copy
// has: a load must see the last store in the order in which stores are performed.
type checker struct {
	t      *testing.T
	c      *Chip
	last   map[uint64]int
	copies []map[uint64]int
	stores int
}

func (k *checker) act(core int, a cpu.Act, line uint64) {
	if k.t.Failed() {
		return
	}
	k.single(line)
	mine := k.copies[core]
	if k.c.cluster.State(core, line) == coherence.Invalid {
		k.t.Fatalf("core %d uses line %#x, which it does not have", core, line)
	}
	switch a {
	case cpu.ActStore:
		if s := k.c.cluster.State(core, line); s != coherence.Modified {
			k.t.Fatalf("core %d writes line %#x in state %s", core, line, s)
		}
		k.last[line]++
		k.stores++
		mine[line] = k.last[line]
	case cpu.ActFill:
		mine[line] = k.last[line]
	case cpu.ActLoad:
		if mine[line] != k.last[line] {
			k.t.Fatalf("core %d reads version %d of line %#x, the last is %d", core, mine[line], line, k.last[line])
		}
	}
}

// single asserts one writer or readers only.
func (k *checker) single(line uint64) {
	holders, owners := 0, 0
	for core := range k.copies {
		s := k.c.cluster.State(core, line)
		if s != coherence.Invalid {
			holders++
		}
		if s.Writable() {
			owners++
		}
	}
	if owners > 1 || owners == 1 && holders > 1 {
		k.t.Fatalf("line %#x has %d writers and %d holders", line, owners, holders)
	}
}

// below stands before the last-level cache and knows the version of each line in it.
// What is read there must be the last version, so that no write-back was lost or
// overtaken.
type below struct {
	seam.Lower
	k        *checker
	versions map[uint64]int
}

func (b *below) Read(now clock.Time, address uint64, bytes int, id uint32) bool {
	if v := b.versions[address]; v != b.k.last[address] && !b.k.t.Failed() {
		b.k.t.Errorf("line %#x is read from below in version %d, the last is %d", address, v, b.k.last[address])
	}
	return b.Lower.Read(now, address, bytes, id)
}

func (b *below) Write(now clock.Time, address uint64, bytes int) bool {
	if !b.Lower.Write(now, address, bytes) {
		return false
	}
	b.versions[address] = b.k.last[address]
	return true
}

// Threads of one process on all cores read and write the same lines. The private
// caches are small, so that evictions and probes meet.
func TestOneWriterOrReadersWhoSeeTheLastWrite(t *testing.T) {
	small := func(s *cpu.Section) { s.L1.Bytes, s.L2.Bytes, s.L2.Ways = 1<<10, 4<<10, 4 }
	for _, lines := range []uint64{3, 40, 1500} {
		runChecked(t, build(t, small), lines, 4000)
		c, err := New(machine(t, "mimd", small)) // 64 cores in order, over 3072 sets
		if err != nil {
			t.Fatal(err)
		}
		runChecked(t, c, lines, 300)
	}
}

// runChecked runs so many random instructions on each core, under the checker.
func runChecked(t *testing.T, c *Chip, lines uint64, each int) {
	t.Helper()
	k := &checker{t: t, c: c, last: map[uint64]int{}}
	for core := range c.inputs {
		k.copies = append(k.copies, map[uint64]int{})
		c.cluster.Run(0, core, cpu.Job{Space: 1, Stream: newRandom(uint64(core), lines, each)})
	}
	c.cluster.Watch(k.act)
	c.lower = &below{c.lower, k, map[uint64]int{}}
	left := len(c.inputs)
	c.ended = func(clock.Time, int) { left-- }
	if _, err := c.replay(t.Context(), &left, nil); err != nil {
		t.Fatal(err)
	}
	want := uint64(0)
	for _, s := range c.cores {
		want += s[cpu.Instructions]
	}
	if want != uint64(len(c.inputs)*each) || k.stores == 0 {
		t.Fatalf("%d instructions and %d stores, want %d", want, k.stores, len(c.inputs)*each)
	}
	c.agree(t, lines)
}

// agree compares the directory with what the cores hold.
func (c *Chip) agree(t *testing.T, lines uint64) {
	t.Helper()
	for n := range lines {
		address := 0x10000 + n*64
		frame, ok := c.pages.Mapped(1, c.pages.Page(address))
		if !ok {
			continue
		}
		line := c.pages.Physical(frame, address)
		holders, _ := c.directory.Holders(line)
		for core := range c.inputs {
			if s := c.cluster.State(core, line); s != coherence.Invalid != (holders>>core&1 != 0) {
				t.Fatalf("line %#x: the directory has %b, core %d is %s", line, holders, core, s)
			}
		}
	}
}

// list is a stream of given instructions.
type list struct {
	all []cpu.Instruction
	at  int
}

func (l *list) Rewind() error { l.at = 0; return nil }
func (l *list) Next(into []cpu.Instruction) (int, error) {
	n := copy(into, l.all[l.at:])
	l.at += n
	return n, nil
}

// chain is n loads of different lines of one page; each needs the one before.
func chain(n, first int) []cpu.Instruction {
	all := make([]cpu.Instruction, n)
	for i := range all {
		all[i] = cpu.Instruction{
			IP: 0x1000 + uint64(i%16)*4, Loads: 1, LoadAddresses: [4]uint64{0x100000 + uint64(first+i)*64},
			Sources: [4]uint8{1}, Destinations: [4]uint8{1},
		}
	}
	return all
}

// The first loads of a page cost a walk and memory. Each miss of a chain costs at least
// the access time of memory, 50 ns of Table 4.2. It costs at least the last-level
// cache's latency where that has the other half of its line of 128 bytes.
func TestAChainOfMissesTakesMemorysTime(t *testing.T) {
	c := build(t, nil)
	const n = 60
	r, err := c.Run(t.Context(), []Program{{Name: "chain", Stream: &list{all: chain(n, 0)}}})
	if err != nil {
		t.Fatal(err)
	}
	memory, hit := 50*3.0, 14*3000/1700.0
	least := n/2*(memory+hit+11) + n/2*(hit+11)
	got := float64(r.Programs[0].Counters[cpu.Cycles])
	walk := float64(2*(100+14) + 2*4*(memory+hit+11)) // of code and data, four levels each
	if got < least || got > least*1.25+walk {
		t.Errorf("%g cycles, least %g, walks at most %g", got, least, walk)
	}
	if reads := r.Total[counters.DRAMRead]; reads == 0 || r.Total[counters.LLCReadMiss] == 0 {
		t.Errorf("%d reads of DRAM", reads)
	}
	if walks := r.Total[cpu.PageWalks]; walks != 2 {
		t.Errorf("%d page walks, want one of code and one of data", walks)
	}
}

func TestProgramsThatEndEarlyRunAgain(t *testing.T) {
	c := build(t, nil)
	r, err := c.Run(t.Context(), []Program{
		{Name: "long", Stream: newRandom(1, 100, 20_000)},
		{Name: "short", Stream: newRandom(2, 100, 1000)},
	})
	if err != nil {
		t.Fatal(err)
	}
	long, short := &r.Programs[0], &r.Programs[1]
	if long.Counters[cpu.Instructions] != 20_000 || short.Counters[cpu.Instructions] != 1000 || short.Runs < 3 || long.Runs != 1 {
		t.Errorf("%d and %d instructions, %d runs of the short one, %d of the long one", long.Counters[cpu.Instructions], short.Counters[cpu.Instructions], short.Runs, long.Runs)
	}
	if n := r.Total[cpu.Instructions]; n < 20_000+1000*uint64(short.Runs) || n >= 20_000+1000*uint64(short.Runs+1) { // a run that is stopped has not ended
		t.Errorf("%d instructions of 20000 and %d runs of 1000", n, short.Runs)
	}
	if r.Cycles < cpu.Cycle(long.Counters[cpu.Cycles]) {
		t.Errorf("%d cycles of the run, %d of the program", r.Cycles, long.Counters[cpu.Cycles])
	}
}

func TestReplaysAreTheSameEveryTime(t *testing.T) {
	var before *Result
	for range 2 {
		c := build(t, nil)
		r, err := c.Run(t.Context(), []Program{{Name: "a", Stream: newRandom(1, 9000, 5000)}, {Name: "b", Stream: newRandom(2, 9000, 5000)}})
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && (before.Total != r.Total || before.Cycles != r.Cycles) {
			t.Error("they differ")
		}
		before = r
	}
}

// Cores that share nothing do not disturb each other but by memory: a program that
// stays in its private caches takes as long with others as alone.
func TestWhatStaysInPrivateCachesIsUndisturbed(t *testing.T) {
	alone := run(t, Program{Name: "a", Stream: newRandom(1, 50, 20_000)})
	beside := run(t, Program{Name: "a", Stream: newRandom(1, 50, 20_000)}, Program{Name: "b", Stream: newRandom(2, 200_000, 1500)})
	a, b := alone.Programs[0].Counters[cpu.Cycles], beside.Programs[0].Counters[cpu.Cycles]
	if b < a || float64(b) > 1.05*float64(a) { // the misses of the beginning
		t.Errorf("%d cycles alone, %d with another", a, b)
	}
}

func run(t *testing.T, programs ...Program) *Result {
	t.Helper()
	r, err := build(t, nil).Run(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestImpossibleReplaysAreRefused(t *testing.T) {
	if _, err := New(machine(t, "gpsim-soc", nil)); err == nil || !strings.Contains(err.Error(), "the overlay cpu") {
		t.Errorf("no cores: %v", err)
	}
	if _, err := New(machine(t, "gtx480+cpu", nil)); err == nil || !strings.Contains(err.Error(), "one partition") {
		t.Errorf("six partitions: %v", err)
	}
	seven := make([]Program, 7)
	if _, err := build(t, nil).Run(t.Context(), seven); err == nil || !strings.Contains(err.Error(), "7 programs on 6 cores") {
		t.Errorf("seven programs: %v", err)
	}
	if _, err := build(t, nil).Run(t.Context(), nil); err == nil {
		t.Error("no program was taken")
	}
	if _, err := build(t, nil).Run(t.Context(), []Program{{Stream: broken{}}}); err == nil || !strings.Contains(err.Error(), "CPU core 0: torn") {
		t.Errorf("broken stream: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := build(t, nil).Run(ctx, []Program{{Stream: newRandom(1, 9, 9)}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

type broken struct{}

func (broken) Rewind() error                       { return nil }
func (broken) Next([]cpu.Instruction) (int, error) { return 0, errors.New("torn") }

func TestAReplayAllocatesNothingInItsSteadyState(t *testing.T) {
	c := build(t, nil)
	c.cluster.Run(0, 0, cpu.Job{Space: 1, Repeat: true, Stream: newRandom(1, 20_000, 30_000)})
	c.cluster.Run(0, 1, cpu.Job{Space: 1, Repeat: true, Stream: newRandom(2, 20_000, 30_000)})
	steps := func(n int) {
		for range n {
			at := min(c.due, c.cluster.NextEvent(), c.system.NextEvent())
			if at == clock.NeverTime {
				t.Fatal("nothing happens")
			}
			c.cluster.Advance(at)
			c.system.Advance(at)
			c.advance(at)
		}
	}
	steps(400_000)
	// A rewind makes a generator: allow for that.
	if n := testing.AllocsPerRun(10, func() { steps(2000) }); n > 2 {
		t.Errorf("%g allocations", n)
	}
}

// BenchmarkChip isolates four cores that each miss now and then.
func BenchmarkChip(b *testing.B) {
	var programs []Program
	for i := range uint64(4) {
		programs = append(programs, Program{Stream: newRandom(i, 3000, 50_000)})
	}
	instructions := uint64(0)
	for b.Loop() {
		r, err := build(b, nil).Run(context.Background(), programs)
		if err != nil {
			b.Fatal(err)
		}
		instructions += r.Total[cpu.Instructions]
		for i := range programs {
			_ = programs[i].Stream.Rewind()
		}
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Minstr/s")
}
