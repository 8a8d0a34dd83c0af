// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/chip"
	"github.com/warptape/warptape/timing/cpu/process"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	cputraces "github.com/warptape/warptape/traces/cpu"
)

func build(t testing.TB, spec string) *Chip {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// script is a thread that a test writes down.
type script struct {
	list   []cpu.Instruction
	events []trace.CPUSync
	at     int
	given  int
}

func (s *script) Rewind() error {
	s.at, s.given = 0, 0
	return nil
}

func (s *script) Next(into []cpu.Instruction) (int, error) {
	n := copy(into, s.list[s.at:])
	s.at += n
	return n, nil
}

func (s *script) NextSync() trace.CPUSync {
	s.given++
	return s.events[s.given-1]
}

// add adds an instruction that follows the one before it in memory.
func (s *script) add(in cpu.Instruction, events ...trace.CPUSync) {
	in.IP = 0x400000 + 4*uint64(len(s.list)%64)
	in.Syncs = uint8(len(events))
	s.events = append(s.events, events...)
	s.list = append(s.list, in)
}

func (s *script) plain(n int) {
	for range n {
		s.add(cpu.Instruction{})
	}
}

// register is one of a few in turn, so that several loads may be under way.
func (s *script) register() uint8 { return uint8(1 + len(s.list)%5) }

func (s *script) load(address uint64, events ...trace.CPUSync) {
	s.add(cpu.Instruction{Loads: 1, LoadAddresses: [4]uint64{address}, Destinations: [4]uint8{s.register()}}, events...)
}

func (s *script) store(address uint64, events ...trace.CPUSync) {
	s.add(cpu.Instruction{Stores: 1, StoreAddresses: [4]uint64{address}, Sources: [4]uint8{1}}, events...)
}

func (s *script) atomic(address uint64) {
	s.add(cpu.Instruction{Loads: 1, Stores: 1, LoadAddresses: [4]uint64{address}, StoreAddresses: [4]uint64{address}}, trace.CPUSync{Kind: trace.CPUAtomic, Object: address})
}

func lock(object uint64) trace.CPUSync   { return trace.CPUSync{Kind: trace.CPULock, Object: object} }
func unlock(object uint64) trace.CPUSync { return trace.CPUSync{Kind: trace.CPUUnlock, Object: object} }
func meet(object uint64, n int) trace.CPUSync {
	return trace.CPUSync{Kind: trace.CPUBarrier, Object: object, Threads: uint32(n)}
}

func processOf(threads ...*script) (list []chip.Program) {
	p := process.New("prog", len(threads))
	for i, s := range threads {
		list = append(list, chip.Program{Name: "prog", Stream: s, Process: p, Thread: i})
	}
	return list
}

func run(t testing.TB, c *Chip, programs []chip.Program) *chip.Result {
	t.Helper()
	r, err := c.Run(context.Background(), programs, Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// random threads without races: an address is written under its lock, or by its owner
// of the phase; the rest of its line belongs to others.
func random(rng *rand.Rand, threads, phases, length int) []*script {
	list := make([]*script, threads)
	for i := range list {
		list[i] = &script{}
	}
	lines := 1 + rng.IntN(24)
	spread := uint64(64)
	if rng.IntN(2) == 0 {
		spread = 64 * 64 // one set of every cache
	}
	address := func(cell int) uint64 { return 0x100000 + uint64(cell/8)*spread + uint64(cell%8)*8 }
	cells := lines * 8
	for phase := range phases {
		owner := make([]int, cells) // -1: read by all, -2: under a lock, -3: atomic
		for i := range owner {
			owner[i] = rng.IntN(threads+3) - 3
		}
		for i, s := range list {
			for range rng.IntN(length) {
				cell := rng.IntN(cells)
				switch o := owner[cell]; {
				case o == i && rng.IntN(2) == 0:
					s.store(address(cell))
				case o == i || o == -1:
					s.load(address(cell))
				case o == -2:
					object := uint64(8 + 8*(cell%3))
					s.load(address(cell), lock(object))
					if rng.IntN(2) == 0 {
						s.store(address(cell))
						s.load(address(cell))
					}
					s.add(cpu.Instruction{}, unlock(object))
				case o == -3:
					s.atomic(address(cell))
				default:
					s.plain(1 + rng.IntN(4))
				}
			}
			s.add(cpu.Instruction{}, meet(uint64(0x1000+phase), threads))
		}
	}
	return list
}

func TestRandomThreadsSeeWhatReleaseConsistencyAllows(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 40, 6) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := build(t, "eesi")
		c.mshrs = 1 + rng.IntN(8)
		for i := range c.groups {
			c.groups[i].data = newCache(8, 1<<rng.IntN(3))
		}
		c.behind.lines = newCache(16, 4)
		for i := range c.lanes {
			c.lanes[i].data = newCache(4<<rng.IntN(2), 1<<rng.IntN(3))
			c.lanes[i].loads = make([]load, 1+rng.IntN(4))
		}
		threads := random(rng, 1+rng.IntN(12), 1+rng.IntN(4), 80)
		want, events := uint64(0), uint64(0)
		for _, s := range threads {
			want += uint64(len(s.list))
			events += uint64(len(s.events))
		}
		r, err := c.Run(context.Background(), processOf(threads...), Options{Check: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := r.Total[cpu.Instructions]; got != want || r.Total[counters.IssuedWarp] != want {
			t.Fatalf("seed %d: %d instructions, want %d", seed, got, want)
		}
		if got := r.Total[cpu.Syncs]; got != events {
			t.Fatalf("seed %d: %d events, want %d", seed, got, events)
		}
		checkCounters(t, &r.Total)
	}
}

// A machine whose tinyCaches keep what they hold when threads synchronise is found.
func TestTheCheckerFindsAMachineThatShowsOldValues(t *testing.T) {
	found := 0
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 9))
		c := build(t, "eesi")
		c.keepsOld = true
		_, err := c.Run(context.Background(), processOf(random(rng, 6, 4, 60)...), Options{Check: true})
		if err != nil && !strings.Contains(err.Error(), "BUG: thread") {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err != nil {
			found++
		}
	}
	if found < 8 {
		t.Errorf("found in %d of 10 programs", found)
	}
}

func TestARacyProgramIsCaught(t *testing.T) {
	racy := func() []chip.Program {
		one, two := &script{}, &script{}
		one.store(0x1000, lock(8))
		one.add(cpu.Instruction{}, unlock(8))
		two.plain(5)
		two.load(0x1000) // without the lock
		return processOf(one, two)
	}
	_, err := build(t, "eesi").Run(context.Background(), racy(), Options{Check: true})
	if err == nil || !strings.Contains(err.Error(), "has races") || !strings.Contains(err.Error(), "0x1000") {
		t.Errorf("a race: %v", err)
	}
	if _, err := build(t, "eesi").Run(context.Background(), racy(), Options{}); err != nil {
		t.Errorf("without the check: %v", err)
	}
}

func TestTheProgramsHaveNoRacesAndRunToTheirEnd(t *testing.T) {
	tracetest.Nightly(t)
	for _, name := range cputraces.Threaded() {
		r, err := cputraces.Open(cputraces.Few(name))
		if err != nil {
			t.Fatal(err)
		}
		programs, err := chip.ThreadsOf(name, r)
		if err != nil {
			t.Fatal(err)
		}
		got := run(t, build(t, "eesi"), programs)
		want := r.Totals().CPU
		if got.Total[cpu.Instructions] != want.Instructions || got.Total[cpu.Syncs] != want.Syncs || got.Total[cpu.Loads] != want.Loads || got.Total[cpu.Stores] != want.Stores {
			t.Errorf("%s: %d instructions, %d events, %d loads, %d stores of %+v", name, got.Total[cpu.Instructions], got.Total[cpu.Syncs], got.Total[cpu.Loads], got.Total[cpu.Stores], want)
		}
	}
}

// A chain of loads that hit takes the tinyCache's latency each, and plain instructions a
// cycle each, but for the first fetches.
func TestALaneIssuesAnInstructionACycle(t *testing.T) {
	cycles := func(n int, in cpu.Instruction) uint64 {
		s := &script{}
		for range n {
			s.add(in)
		}
		return uint64(run(t, build(t, "eesi"), processOf(s)).Cycles)
	}
	for _, in := range []cpu.Instruction{
		{},
		{Sources: [4]uint8{3}, Destinations: [4]uint8{3}},
		{Loads: 1, LoadAddresses: [4]uint64{0x1000}, Sources: [4]uint8{3}, Destinations: [4]uint8{3}},
		{Stores: 1, StoreAddresses: [4]uint64{0x1000}},
	} {
		if more := cycles(3000, in) - cycles(1000, in); more != 2000 {
			t.Errorf("%+v: 2000 instructions more take %d cycles", in, more)
		}
	}
	taken := cpu.Instruction{Branch: trace.CPUDirectJump, Taken: true}
	c := build(t, "eesi")
	if more := cycles(3000, taken) - cycles(1000, taken); more != 2000*uint64(1+c.redirect) {
		t.Errorf("2000 taken branches take %d cycles, each begins fetch anew after %d", more, c.redirect)
	}
}

// Stores wait in the tinyCache: a thousand of them to one line are one write of the L1, and
// with a fence after each as many as there are.
func TestStoresWaitForAFence(t *testing.T) {
	writes := func(fences bool) uint64 {
		s := &script{}
		for range 1000 {
			if fences {
				s.store(0x1000, trace.CPUSync{Kind: trace.CPUFence})
			} else {
				s.store(0x1000)
			}
		}
		r := run(t, build(t, "eesi"), processOf(s))
		return r.Total[counters.L1Write]
	}
	if a, b := writes(false), writes(true); a != 1 || b != 1000 {
		t.Errorf("%d and %d writes of the L1", a, b)
	}
}

func TestAChangeOfCodeEmptiesTheTinyInstructionCaches(t *testing.T) {
	misses := func(events ...trace.CPUSync) uint64 {
		s := &script{}
		s.plain(640)
		s.add(cpu.Instruction{}, events...)
		s.plain(639)
		return run(t, build(t, "eesi"), processOf(s)).Total[tinyCodeMisses]
	}
	if a, b := misses(), misses(trace.CPUSync{Kind: trace.CPUCode, Object: 0x400000}); a != 4 || b != 8 {
		t.Errorf("%d and %d misses, of 4 lines", a, b)
	}
}

func TestWhatLanesDoNotRunIsRefused(t *testing.T) {
	for spec, want := range map[string]string{
		"gpsim-soc": "no lanes with their own fetch", "gpsim-soc+cpu": "no lanes with their own fetch", "gpsim-sbi": "no lanes with their own fetch", "gpsim-eesi-base": "no lanes with their own fetch",
	} {
		m, err := arch.Load(spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	many := make([]*script, 65)
	for i := range many {
		many[i] = &script{}
		many[i].plain(1)
	}
	stuck := &script{}
	stuck.add(cpu.Instruction{}, meet(0x40, 2))
	alone := &script{}
	alone.add(cpu.Instruction{}, lock(8))
	for want, programs := range map[string][]chip.Program{
		"65 threads on 64 lanes":                                 processOf(many...),
		"0 threads on 64 lanes":                                  nil,
		"are not of one process":                                 append(processOf(&script{}), processOf(&script{})...),
		"thread 0 waits at the barrier at 0x40, to which 1 of 2": processOf(stuck),
		"is of no process":                                       {{Name: "alone", Stream: alone}},
	} {
		if _, err := build(t, "eesi").Run(context.Background(), programs, Options{Check: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// checkCounters checks what always holds of a run's counters: each access hits or misses, once.
func checkCounters(t *testing.T, c *counters.Set) {
	t.Helper()
	for name, x := range map[string][2]uint64{
		"L1 reads":          {c[counters.L1Read], c[counters.L1ReadHitSectors] + c[counters.L1ReadMissSectors]},
		"L1 read hits":      {c[counters.L1ReadHit], c[counters.L1ReadHitSectors]},
		"L1 writes":         {c[counters.L1Write], c[counters.L1WriteHitSectors] + c[counters.L1WriteMissSectors]},
		"L1 write hits":     {c[counters.L1WriteHit], c[counters.L1WriteHitSectors]},
		"L2 reads":          {c[counters.L2Read], c[counters.L2ReadHit] + c[counters.L2ReadMiss]},
		"L2 writes":         {c[counters.L2Write], c[counters.L2WriteHit] + c[counters.L2WriteMiss]},
		"instructions":      {c[cpu.Instructions], c[cpuInstructions]},
		"loads and stores":  {c[cpu.Loads] + c[cpu.Stores], c[tinyReads] + c[tinyWrites] + 2*c[tinyProbes]}, // an atomic access is one of each
		"instruction reads": {c[tinyCodeMisses], min(c[tinyCodeMisses], c[tinyCodeReads])},
	} {
		if x[0] != x[1] {
			t.Errorf("%s: %d, and by their outcomes %d", name, x[0], x[1])
		}
	}
	if c[tinyReadHits] > c[tinyReads] || c[tinyWriteHits] > c[tinyWrites] {
		t.Errorf("%d of %d reads and %d of %d writes hit", c[tinyReadHits], c[tinyReads], c[tinyWriteHits], c[tinyWrites])
	}
}
