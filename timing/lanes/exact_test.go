// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/consistency"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/process"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/trace"
)

// took is the cycles that a program takes on a chip which a test has set up.
func took(t testing.TB, set func(c *Chip), program func(s *script)) int {
	t.Helper()
	c, s := build(t, "eesi"), &script{}
	if set != nil {
		set(c)
	}
	program(s)
	return int(run(t, c, processOf(s)).Cycles)
}

// Registers, branches, loads and stores are counted one by one.
func TestInstructionsAreCountedByWhatTheyDo(t *testing.T) {
	s := &script{}
	s.add(cpu.Instruction{Sources: [4]uint8{1, 2}, Destinations: [4]uint8{3}})
	s.add(cpu.Instruction{Branch: trace.CPUConditional, Taken: false, Sources: [4]uint8{3}})
	s.add(cpu.Instruction{Branch: trace.CPUConditional, Taken: true, Sources: [4]uint8{3}})
	s.add(cpu.Instruction{Branch: trace.CPUDirectJump, Taken: true})
	s.add(cpu.Instruction{Loads: 2, Stores: 1, LoadAddresses: [4]uint64{0x1000, 0x1008}, StoreAddresses: [4]uint64{0x1010}, Destinations: [4]uint8{4, 5}})
	s.store(0x1000, trace.CPUSync{Kind: trace.CPUFence})
	r := run(t, build(t, "eesi"), processOf(s))
	one := &r.Programs[0].Counters
	for name, x := range map[string][2]uint64{
		"register reads": {r.Total[registerReads], 5}, "register writes": {r.Total[registerWrites], 3}, "instructions": {r.Total[cpuInstructions], 6},
		"loads": {r.Total[cpu.Loads], 2}, "stores": {r.Total[cpu.Stores], 2}, "events": {r.Total[cpu.Syncs], 1},
		"taken branches": {one[cpu.MispredictedBranches], 2}, "missing loads": {one[cpu.L1ReadMisses], 2},
	} {
		if x[0] != x[1] {
			t.Errorf("%s: %d, want %d", name, x[0], x[1])
		}
	}
	checkCounters(t, &r.Total)
}

// Threads go to the SMs in turn, each to a lane of its own.
func TestThreadsGoToTheSMsInTurn(t *testing.T) {
	threads := make([]*script, 7)
	for i := range threads {
		threads[i] = &script{}
		threads[i].plain(3)
	}
	c := build(t, "eesi")
	for i, o := range run(t, c, processOf(threads...)).Programs {
		if want := i%len(c.groups)*lanesEach + i/len(c.groups); o.Core != want {
			t.Errorf("thread %d is on lane %d, want %d", i, o.Core, want)
		}
	}
}

// An instruction waits for the loads that it depends on, and for no others: in a chain each takes the latency of where its
// line is.
func TestAChainOfLoadsTakesTheirLatencies(t *testing.T) {
	loads := func(n, lines int, chain bool) func(s *script) {
		return func(s *script) {
			for i := range n {
				in := cpu.Instruction{Loads: 1, LoadAddresses: [4]uint64{0x10000 + 64*uint64(i%lines)}}
				if in.Destinations[0] = uint8(1 + i%5); chain {
					in.Sources[0], in.Destinations[0] = 7, 7
				}
				s.add(in)
			}
		}
	}
	more := func(set func(c *Chip), lines int, chain bool) int {
		return took(t, set, loads(3*640, lines, chain)) - took(t, set, loads(2*640, lines, chain))
	}
	for _, latency := range []int{1, 5, 20} {
		tiny := func(c *Chip) { c.tinyLatency = Cycle(latency) }
		if got := more(tiny, 1, true); got != 640*latency {
			t.Errorf("640 loads in a chain that hit take %d cycles, each %d", got, latency)
		}
	}
	// 64 lines are more than a tinyCache has, and less than the L1: each load waits for the L1, and the latency shifts it.
	slow := func(c *Chip) { c.l1Latency += 30 }
	if got := more(slow, 64, true) - more(nil, 64, true); got != 640*30 {
		t.Errorf("640 loads from an L1 that is 30 cycles slower take %d cycles more", got)
	}
	if a, b := more(nil, 64, true), more(func(c *Chip) {
		for i := range c.lanes {
			c.lanes[i].loads = make([]load, 5)
		}
	}, 64, false); b*2 > a {
		t.Errorf("640 loads take %d cycles, and with five under way at a time %d", a, b)
	}
}

// A line that is missing in the L1 passes it twice, on the way there and back; it costs as much late in a program as early.
func TestAMissPassesTheL1OnBothWays(t *testing.T) {
	cost := func(before int, latency Cycle) int {
		set := func(c *Chip) { c.l1Latency += latency }
		program := func(n int) func(s *script) {
			return func(s *script) {
				s.plain(before)
				for i := range n {
					s.add(cpu.Instruction{Loads: 1, LoadAddresses: [4]uint64{0x10000 + 64*uint64(i)}, Sources: [4]uint8{7}, Destinations: [4]uint8{7}})
				}
				s.add(cpu.Instruction{Sources: [4]uint8{7}})
			}
		}
		return took(t, set, program(40)) - took(t, set, program(0))
	}
	early, late, slow := cost(64, 0), cost(9000, 0), cost(64, 60)
	if late > early*11/10 || late < early*9/10 {
		t.Errorf("40 misses take %d cycles early, and %d late", early, late)
	}
	if more := slow - early; more < 40*2*60*9/10 || more > 40*2*60*11/10 {
		t.Errorf("40 misses of an L1 that is 60 cycles slower take %d cycles more", more)
	}
}

// Each line of code that comes is decoded, and a taken branch waits for its operands and decoding.
func TestLinesOfCodeAreDecoded(t *testing.T) {
	for _, decode := range []int{0, 7, 100} {
		got := took(t, func(c *Chip) { c.decode = Cycle(decode) }, func(s *script) { s.plain(640) })
		if plain := took(t, func(c *Chip) { c.decode = 0 }, func(s *script) { s.plain(640) }); got-plain < 4*decode-8 || got-plain > 4*decode+8 { // memory has a clock of its own
			t.Errorf("decoding in %d cycles: four lines take %d more", decode, got-plain)
		}
	}
	m, err := arch.Load("eesi")
	if err != nil {
		t.Fatal(err)
	}
	jumps := func(n int) func(s *script) {
		return func(s *script) {
			for range n {
				s.add(cpu.Instruction{Branch: trace.CPUDirectJump, Taken: true})
			}
		}
	}
	each := 1 + m.Section(eesi.Key).(*eesi.Section).ReadCycles + m.SM.DecodeCycles
	if got := took(t, nil, jumps(1280)) - took(t, nil, jumps(640)); got != 640*each {
		t.Errorf("640 jumps take %d cycles, want %d each", got, each)
	}
}

// Nothing passes an atomic access. It goes to the L1 in the next cycle and takes its latency; who needs its result then goes on.
func TestNothingPassesAnAtomicAccess(t *testing.T) {
	program := func(n int) func(s *script) {
		return func(s *script) {
			for range n {
				s.atomic(0x1000)
				s.list[len(s.list)-1].Destinations[0] = 9
				s.plain(1)
				s.add(cpu.Instruction{Sources: [4]uint8{9}})
			}
		}
	}
	latency := int(build(t, "eesi").l1Latency)
	if got := took(t, nil, program(300)) - took(t, nil, program(200)); got != 100*(1+latency+2) {
		t.Errorf("100 atomic accesses with two instructions behind each take %d cycles, the L1's latency is %d", got, latency)
	}
}

// A tinyCache is emptied by each fence behind a store, and at the end.
func TestFencesEmptyTheTinyCache(t *testing.T) {
	s := &script{}
	for i := range 50 {
		s.store(0x1000+8*uint64(i), trace.CPUSync{Kind: trace.CPUFence})
		s.add(cpu.Instruction{}, trace.CPUSync{Kind: trace.CPUFence}, trace.CPUSync{Kind: trace.CPUFence})
	}
	s.store(0x1000)
	r := run(t, build(t, "eesi"), processOf(s))
	if got := r.Total[tinyFlushes]; got != 51 {
		t.Errorf("it is emptied %d times, want 51", got)
	}
	if hits, writes := r.Total[counters.L1WriteHit], r.Total[counters.L1Write]; writes != 51 || hits >= writes {
		t.Errorf("%d of %d writes hit", hits, writes)
	}
}

// What has been written once is dirty in an L1, or in the L2, or has gone to the last-level cache.
func TestDirtyLinesAreSomewhere(t *testing.T) {
	c, s := build(t, "eesi"), &script{}
	c.groups[0].data, c.behind.lines = newCache(16, 4), newCache(64, 4)
	const lines = 300
	for i := range lines {
		s.store(0x100000 + 64*uint64(i))
	}
	r := run(t, c, processOf(s))
	dirty := func(x cache) (n int) {
		for i := range x.lines {
			if x.lines[i].address != noLine && x.lines[i].state == coherence.Modified {
				n++
			}
		}
		return n
	}
	in1, in2, gone := dirty(c.groups[0].data), dirty(c.behind.lines), int(r.Total[counters.L2WriteBack])
	if in1+in2+gone != lines || in1 == 0 || in2 == 0 || gone == 0 || in1+int(r.Total[counters.L2Write]) != lines {
		t.Errorf("of %d lines %d are in the L1, %d in the L2, and %d have gone; %d writes of the L2", lines, in1, in2, gone, r.Total[counters.L2Write])
	}
}

// The instruction cache of an SM has what its tiny instruction caches have lost.
func TestTheInstructionCacheKeepsWhatTinyOnesLose(t *testing.T) {
	s := &script{}
	for range 10 {
		s.plain(64) // four lines
		s.add(cpu.Instruction{}, trace.CPUSync{Kind: trace.CPUCode, Object: 0x400000})
		s.list = s.list[:len(s.list)-1] // in the next line's place
		s.list = append(s.list, cpu.Instruction{IP: 0x400000, Syncs: 1})
		s.plain(63)
	}
	total := run(t, build(t, "eesi"), processOf(s)).Total
	if total[counters.FetchMiss] != 4 || total[counters.FetchAccess] != total[tinyCodeMisses] || total[tinyCodeFills] != total[tinyCodeMisses] || total[tinyCodeMisses] < 44 {
		t.Errorf("%d misses of tiny caches, %d lookups of the instruction cache, and %d misses", total[tinyCodeMisses], total[counters.FetchAccess], total[counters.FetchMiss])
	}
}

// Two SMs that miss in the same cycle wait for the L2 a cycle, not for each other.
func TestTwoSMsMissTogether(t *testing.T) {
	program := func(first uint64) *script {
		s := &script{}
		for i := range 20 {
			s.add(cpu.Instruction{Loads: 1, LoadAddresses: [4]uint64{first + 64*uint64(i)}, Sources: [4]uint8{7}, Destinations: [4]uint8{7}})
		}
		return s
	}
	one := run(t, build(t, "eesi"), processOf(program(0x10000))).Cycles
	both := run(t, build(t, "eesi"), processOf(program(0x10000), program(0x20000))).Cycles
	if both > one*11/10 {
		t.Errorf("a program takes %d cycles, two at the same time %d", one, both)
	}
}

// The checker sees an atomic access that reads an old value.
func TestTheCheckerSeesOldValuesOfAtomicAccesses(t *testing.T) {
	c := build(t, "eesi")
	c.checked(process.New("test", 1))
	at := &line{values: new([grains]consistency.Version)}
	at.values[grain(0x1008)] = c.check.Store(0, 1, 0x1008)
	for name, old := range map[string]bool{"the last value": false, "an old value": true} {
		if old {
			at.values[grain(0x1008)]--
		}
		c.atomic(&request{lane: 0, address: 0x1008}, at)
		if err := c.check.Err(); (err != nil) != old {
			t.Errorf("%s: %v", name, err)
		}
		if old {
			break
		}
	}
}

// A cache keeps the lines of a set that were used last, but for those that are locked.
func TestCachesKeepWhatWasUsedLast(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	c := newCache(8, 4) // two sets
	var sets [2][]uint64
	locked := map[uint64]bool{}
	for range 3000 {
		address := 64 * r.Uint64N(14)
		set := &sets[address/64%2]
		i := slices.Index(*set, address)
		at := c.find(address)
		if (at != nil) != (i >= 0) {
			t.Fatalf("line %#x is there: %v, want %v", address, at != nil, i >= 0)
		}
		if i >= 0 {
			*set = append(slices.Delete(*set, i, i+1), address)
			if at.locked = r.IntN(3) == 0; at.locked {
				locked[address] = true
			} else {
				delete(locked, address)
			}
			continue
		}
		at = c.victim(address)
		oldest := slices.IndexFunc(*set, func(x uint64) bool { return !locked[x] })
		switch {
		case len(*set) < 4:
			if at == nil || at.address != noLine {
				t.Fatal("a free place is not taken")
			}
		case oldest < 0:
			if at != nil {
				t.Fatal("a locked line is given away")
			}
			for x := range locked {
				c.find(x).locked = false // used now
				s := &sets[x/64%2]
				*s = append(slices.DeleteFunc(*s, func(y uint64) bool { return y == x }), x)
			}
			clear(locked)
			continue
		default:
			if at == nil || at.address != (*set)[oldest] {
				t.Fatalf("%+v goes, want %#x", at, (*set)[oldest])
			}
			*set = slices.Delete(*set, oldest, oldest+1)
		}
		c.put(at, address)
		*set = append(*set, address)
	}
}

// A lane looks its tiny instruction cache up once for each group of instructions that it fetches, and for each line anew,
// however long the instructions wait: for operands, for room, or for other threads.
func TestALaneLooksItsCodeUpOnceForEachGroup(t *testing.T) {
	for _, c := range []struct {
		what string
		add  func(s *script, i int)
	}{
		{"plain", func(s *script, _ int) { s.plain(1) }},
		{"loads that hit", func(s *script, _ int) { s.load(0x1000) }},
		{"loads that miss, and their users", func(s *script, i int) {
			s.add(cpu.Instruction{Loads: 1, LoadAddresses: [4]uint64{0x10000 + 64*uint64(i)}, Sources: [4]uint8{3}, Destinations: [4]uint8{3}})
		}},
		{"loads that miss", func(s *script, i int) { s.load(0x10000 + 64*uint64(i)) }},
		{"stores that leave", func(s *script, i int) { s.store(0x10000 + 64*uint64(i)) }},
		{"atomics", func(s *script, _ int) { s.atomic(0x1000) }},
	} {
		s := &script{}
		for i := range 640 { // ten times through four lines of sixteen instructions
			c.add(s, i)
		}
		chip := build(t, "eesi")
		got := run(t, chip, processOf(s)).Total[tinyCodeReads]
		if want := uint64(40 * ((16 + chip.fetchGroup - 1) / chip.fetchGroup)); got != want {
			t.Errorf("%s: %d reads in groups of %d, want %d", c.what, got, chip.fetchGroup, want)
		}
	}
}

// Loads and stores of a line each are misses of the L1, as many as there are lines, and hits when they come again. Loads of one
// instruction in one line are one read, and two lanes that miss the same line at the same time have one miss.
func TestMissesOfTheL1AreItsLines(t *testing.T) {
	const n = 40
	fence := trace.CPUSync{Kind: trace.CPUFence}
	for name, c := range map[string]struct {
		threads                                       int
		add                                           func(s *script)
		reads, readMisses, merges, writes, writesThat uint64 // hit
	}{
		"loads": {1, func(s *script) {
			for i := range 3 * n {
				s.load(0x10000+64*uint64(i%n), fence)
			}
		}, 3 * n, n, 0, 0, 0},
		"stores": {1, func(s *script) {
			for i := range 3 * n {
				s.store(0x10000+64*uint64(i%n), fence)
			}
		}, 0, 0, 0, 3 * n, 2 * n},
		"two of a line": {1, func(s *script) {
			s.add(cpu.Instruction{Loads: 3, LoadAddresses: [4]uint64{0x10000, 0x10008, 0x10040}, Destinations: [4]uint8{1, 2, 3}})
		}, 2, 2, 0, 0, 0},
		"two lanes": {3, func(s *script) { s.load(0x10000) }, 3, 2, 1, 0, 0}, // on two SMs
	} {
		threads := make([]*script, c.threads)
		for i := range threads {
			threads[i] = &script{}
			c.add(threads[i])
		}
		chip := build(t, "eesi")
		if len(chip.groups) != 2 {
			t.Fatalf("the machine has %d SMs", len(chip.groups))
		}
		r := &run(t, chip, processOf(threads...)).Total
		for what, x := range map[string][2]uint64{
			"reads": {r[counters.L1Read], c.reads}, "misses": {r[counters.L1ReadMiss], c.readMisses}, "merges": {r[counters.L1ReadMerge], c.merges},
			"writes": {r[counters.L1Write], c.writes}, "write hits": {r[counters.L1WriteHit], c.writesThat},
		} {
			if x[0] != x[1] {
				t.Errorf("%s: %d %s, want %d", name, x[0], what, x[1])
			}
		}
	}
}

// Lines that another SM has modified come from there, each once.
func TestModifiedLinesComeFromTheOtherSM(t *testing.T) {
	const n = 50
	one, two := &script{}, &script{}
	for i := range n {
		one.store(0x10000 + 64*uint64(i))
	}
	one.add(cpu.Instruction{}, meet(8, 2))
	two.add(cpu.Instruction{}, meet(8, 2))
	for range 2 {
		for i := range n {
			two.load(0x10000 + 64*uint64(i))
		}
	}
	if got := run(t, build(t, "eesi"), processOf(one, two)).Total[cpu.CacheToCache]; got != n {
		t.Errorf("%d lines come from the other SM, want %d", got, n)
	}
}

// An atomic access that only reads, or only writes, has the line of what it does.
func TestAtomicAccessesHaveTheirLine(t *testing.T) {
	for _, address := range []uint64{0x5000, 0x9000} {
		c, s := build(t, "eesi"), &script{}
		in := cpu.Instruction{Loads: 1, LoadAddresses: [4]uint64{address}}
		if address == 0x9000 {
			in = cpu.Instruction{Stores: 1, StoreAddresses: [4]uint64{address}}
		}
		s.add(in, trace.CPUSync{Kind: trace.CPUAtomic, Object: address})
		run(t, c, processOf(s))
		if at := c.groups[0].data.find(address); at == nil || at.state != coherence.Modified {
			t.Errorf("an atomic access of %#x leaves %+v", address, at)
		}
	}
}

// What does not need a load that is under way goes on, also when there is no room for another.
func TestPlainInstructionsPassALoad(t *testing.T) {
	program := func(plain int) func(s *script) {
		return func(s *script) {
			s.add(cpu.Instruction{Loads: 1, LoadAddresses: [4]uint64{0x10000}, Destinations: [4]uint8{7}})
			for range plain {
				s.list = append(s.list, cpu.Instruction{IP: 0x400004}) // of the same line
			}
			s.list = append(s.list, cpu.Instruction{IP: 0x400008, Sources: [4]uint8{7}})
		}
	}
	few := func(c *Chip) {
		for i := range c.lanes {
			c.lanes[i].loads = make([]load, 1)
		}
	}
	if a, b := took(t, few, program(0)), took(t, few, program(60)); b > a+5 {
		t.Errorf("a miss takes %d cycles, and with 60 instructions that do not need it %d", a, b)
	}
}

// A change of code in the middle of a line has the line fetched again. Lines pass the instruction cache once when they miss
// it, and when they hit.
func TestCodeComesThroughTheInstructionCache(t *testing.T) {
	program := func(s *script) {
		s.plain(8)
		s.add(cpu.Instruction{}, trace.CPUSync{Kind: trace.CPUCode, Object: 0x400000})
		s.plain(55) // to the end of four lines
	}
	s := &script{}
	program(s)
	if got := run(t, build(t, "eesi"), processOf(s)).Total[tinyCodeMisses]; got != 5 {
		t.Errorf("%d misses of four lines, one of them twice", got)
	}
	slow := took(t, func(c *Chip) { c.codeLatency += 200 }, program) - took(t, nil, program)
	if slow < 5*200-20 || slow > 5*200+20 { // memory has a clock of its own
		t.Errorf("five lines of an instruction cache that is 200 cycles slower come %d cycles later", slow)
	}
	m, err := arch.Load("eesi")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := float64(build(t, "eesi").l2Latency), math.Ceil(float64(m.L2.Slice.LatencyCycles)*m.Clocks.CoreMHz/m.Clocks.L2MHz-1e-6); got != want {
		t.Errorf("the L2 takes %g cycles of the core, want %g", got, want)
	}
}
