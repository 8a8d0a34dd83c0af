// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/trace"
)

// twinEntry is an instruction of the slow twin.
type twinEntry struct {
	in         *Instruction
	dispatched uint64
	issued     bool
	done       uint64
	sources    []int // instructions
}

// twin is an out-of-order core without misses and branches by its definition: every
// cycle it looks at every instruction of the reorder buffer.
func twin(list []Instruction, s *Section) (cycles uint64) {
	writer := map[uint8]int{}
	var all []twinEntry
	head := 0
	for now := uint64(1); ; now++ {
		for n := 0; n < s.Width && head < len(all) && all[head].issued && all[head].done <= now; n++ {
			head++
		}
		if head == len(list) {
			return now
		}
		issued, loads := 0, s.LoadPorts
		for i := head; i < len(all) && issued < s.Width; i++ {
			e := &all[i]
			if e.issued || e.dispatched >= now || !twinReady(all, e, now) || int(e.in.Loads) > loads && loads < s.LoadPorts {
				continue
			}
			loads -= int(e.in.Loads)
			e.issued, e.done = true, now+1
			if e.in.Loads > 0 {
				e.done = now + uint64(s.L1.LatencyCycles)
			}
			issued++
		}
		for n := 0; n < s.Width && len(all) < len(list) && len(all)-head < s.ROBEntries; n++ {
			in := &list[len(all)]
			e := twinEntry{in: in, dispatched: now}
			for _, r := range in.Sources {
				if w, ok := writer[r]; ok && r != 0 {
					e.sources = append(e.sources, w)
				}
			}
			for _, r := range in.Destinations {
				writer[r] = len(all)
			}
			all = append(all, e)
		}
	}
}

func twinReady(all []twinEntry, e *twinEntry, now uint64) bool {
	for _, s := range e.sources {
		if !all[s].issued || all[s].done > now {
			return false
		}
	}
	return true
}

func TestOutOfOrderAgreesWithItsSlowTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 13))
	for round := range 40 {
		width, entries, ports := 1+r.IntN(6), 4+r.IntN(80), 1+r.IntN(3)
		b := newBench(t, func(s *Section) { s.Width, s.ROBEntries, s.LoadPorts = width, entries, ports })
		b.cycles(t, loadsOf(64, func(i int) uint64 { return 0x100000 + uint64(i)*64 }, false))
		registers := 3 + r.IntN(40)
		list := straight(600)
		for i := range list {
			in := &list[i]
			for k := range 1 + r.IntN(4) {
				in.Sources[k] = uint8(1 + r.IntN(registers))
			}
			in.Destinations[0] = uint8(1 + r.IntN(registers))
			for range r.IntN(3) * r.IntN(2) {
				in.LoadAddresses[in.Loads] = 0x100000 + r.Uint64N(64)*64
				in.Loads++
			}
		}
		if got, want := b.cycles(t, list), twin(list, b.cluster.section); got != want {
			t.Fatalf("round %d (width %d, %d entries, %d ports): %d cycles, want %d", round, width, entries, ports, got, want)
		}
	}
}

// mixed is a program of everything: loads and stores in and out of the caches,
// branches, pages.
func mixed(r *rand.Rand, n int) []Instruction {
	list := straight(n)
	for i := range list {
		in := &list[i]
		in.Sources[0], in.Destinations[0] = uint8(1+r.IntN(12)), uint8(1+r.IntN(12))
		address := 0x100000 + r.Uint64N(1<<21)&^7
		if r.IntN(3) > 0 {
			address = 0x100000 + r.Uint64N(1<<13)&^7
		}
		switch r.IntN(6) {
		case 0, 1:
			in.Loads, in.LoadAddresses[0] = 1, address
		case 2:
			in.Stores, in.StoreAddresses[0] = 1, address
		case 3:
			in.IP += uint64(r.IntN(40)) << 10
		}
	}
	return list
}

// A core that sleeps while it can gives the same as one whose every cycle is called.
func TestSleepChangesNothing(t *testing.T) {
	for _, order := range []string{"out_of_order", inOrder} {
		for seed := range uint64(6) {
			list := mixed(rand.New(rand.NewPCG(seed, 3)), 3000)
			run := func(everyCycle bool) *bench {
				b := newBench(t, func(s *Section) { s.Order = order; s.Misses = 4; s.StoreBuffer = 6 })
				b.cluster.everyCycle = everyCycle
				b.cluster.Run(0, 0, Job{Stream: &program{list: list}})
				x := Exception{Cycles: 300, Loads: [maxWalkLoads]uint64{0x9000_0000}, Count: 1}
				b.after(0, 5000, func() { b.cluster.Interrupt(5000*period-1, 0, x) })
				b.run(t)
				return b
			}
			asleep, awake := run(false), run(true)
			for i := range asleep.sets[0] {
				if asleep.sets[0][i] != awake.sets[0][i] {
					t.Errorf("%s, seed %d: counter %d is %d asleep, %d awake", order, seed, i-int(firstCounter), asleep.sets[0][i], awake.sets[0][i])
				}
			}
		}
	}
}

// A probe meets a modified line whose write-back has not been sent, takes its data,
// and leaves a message that says only that the line is gone.
func TestAProbeTakesTheDataOfAWriteBackThatWaits(t *testing.T) {
	b := newBench(t, func(s *Section) { s.L1.Bytes, s.L2.Bytes, s.L2.Ways = 1<<10, 2<<10, 2 })
	c := b.cluster.cores[0]
	b.one(t, []Instruction{{IP: 0x1000, Stores: 1, StoreAddresses: [4]uint64{0x100000}}})
	if s := b.cluster.State(0, 0x100000); s != coherence.Modified {
		t.Fatalf("a written line is %s", s)
	}
	c.outWaits = true // the chip has no room
	for _, line := range []uint64{0x200000, 0x300000} {
		c.fillL2(line, coherence.Exclusive, c.now)
	}
	if s := b.cluster.State(0, 0x100000); s != coherence.Invalid {
		t.Fatalf("a line that has to go is %s", s)
	}
	if s := b.cluster.Probe(0, 0, 0x100000, coherence.Shared); s != coherence.Modified {
		t.Errorf("the probe meets it %s", s)
	}
	if s := b.cluster.Probe(0, 0, 0x100000, coherence.Invalid); s != coherence.Invalid {
		t.Errorf("a second probe meets it %s", s)
	}
	b.requests = nil
	b.cluster.Room(clock.Time(c.now)*period, 0)
	b.run(t)
	var of []Access
	for _, r := range b.requests {
		if r.Physical == 0x100000 {
			of = append(of, r.Access)
		}
	}
	if len(of) != 1 || of[0] != Drop {
		t.Errorf("sent %v of the line", of)
	}
}

// A line for which the right to write is under way can be taken away, and evicted,
// and comes back with the answer.
func TestALineCanGoWhileItIsUpgraded(t *testing.T) {
	for _, how := range []string{"probe", "eviction"} {
		b := newBench(t, func(s *Section) { s.L1.Bytes, s.L2.Bytes, s.L2.Ways = 1<<10, 2<<10, 2 })
		b.grantShared = true
		b.one(t, loadsOf(1, func(int) uint64 { return 0x100000 }, false))
		b.requests = nil
		c := b.cluster.cores[0]
		b.cluster.Run(clock.Time(c.now)*period, 0, Job{Stream: &program{list: []Instruction{{IP: 0x1000, Stores: 1, StoreAddresses: [4]uint64{0x100000}}}}})
		b.after(clock.Time(c.now)*period, 60, func() {
			if len(b.requests) != 1 || b.requests[0].Access != Upgrade {
				t.Fatalf("%s: sent %+v", how, b.requests)
			}
			if how == "probe" {
				b.cluster.Probe(0, 0, 0x100000, coherence.Invalid)
				return
			}
			for _, line := range []uint64{0x200000, 0x300000, 0x400000} {
				i := c.lines.find(0x100000)
				c.lines.locked[c.lines.victim(line)] = true
				if i >= 0 {
					c.lines.used[i] = 0 // the oldest
				}
				c.fillL2(line, coherence.Exclusive, c.now)
				if k := c.lines.find(line); k >= 0 {
					c.lines.locked[k] = true
				}
			}
			if b.cluster.State(0, 0x100000) != coherence.Invalid {
				t.Fatal("the line has not gone")
			}
		})
		b.run(t)
		if s := b.cluster.State(0, 0x100000); s != coherence.Modified {
			t.Errorf("%s: the line is %s after the store", how, s)
		}
		for _, r := range b.requests[1:] {
			if r.Physical == 0x100000 {
				t.Errorf("%s: sent %+v behind the upgrade", how, r)
			}
		}
	}
}

// A page that may only be read is asked for again by a store.
func TestAStoreToAReadOnlyPageAsksAgain(t *testing.T) {
	b := newBench(t, nil)
	b.readOnly = true
	b.one(t, []Instruction{
		{IP: 0x1000, Loads: 1, LoadAddresses: [4]uint64{0x100000}, Destinations: [4]uint8{1}},
		{IP: 0x1004, Stores: 1, StoreAddresses: [4]uint64{0x100008}, Sources: [4]uint8{1}},
		{IP: 0x1008, Stores: 1, StoreAddresses: [4]uint64{0x100010}},
	})
	reads, writes := 0, 0
	for _, x := range b.translations {
		if x.Write {
			writes++
		} else if !x.Instruction {
			reads++
		}
	}
	if reads != 1 || writes != 1 {
		t.Errorf("%d translations to read, %d to write: %+v", reads, writes, b.translations)
	}
	b.cluster.ShootDown(0, 0, 0x100000)
	before := len(b.translations)
	b.one(t, loadsOf(1, func(int) uint64 { return 0x100000 }, false))
	if len(b.translations) != before+1 {
		t.Errorf("%d translations after a shootdown", len(b.translations)-before)
	}
}

// A page that data and the code behind them want at once is asked for once, and serves
// both.
func TestAPageOfDataAndCodeIsAskedForOnce(t *testing.T) {
	b := newBench(t, nil)
	b.page = 100
	b.one(t, straight(16)) // the first page
	before := len(b.translations)
	b.one(t, []Instruction{
		{IP: 0x1000, Loads: 1, LoadAddresses: [4]uint64{0x5100}},
		{IP: 0x1004, Branch: trace.CPUDirectJump, Taken: true},
		{IP: 0x5000, Loads: 1, LoadAddresses: [4]uint64{0x5200}},
	})
	if got := b.translations[before:]; len(got) != 1 || got[0].Virtual>>12 != 5 {
		t.Errorf("translations %+v, want one of page 5", got)
	}
}
