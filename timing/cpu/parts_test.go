// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/counters"
)

// The counters that others read are those of their names.
func TestCountersOfACoreHaveTheirNames(t *testing.T) {
	for name, id := range map[string]counters.ID{
		"cpu_cycles": Cycles, "cpu_instructions": Instructions, "cpu_mispredicted_branches": MispredictedBranches, "cpu_dtlb_misses": DataPageMisses,
		"cpu_loads": Loads, "cpu_stores": Stores, "cpu_l1d_read_misses": L1ReadMisses, "cpu_l2_misses": L2Misses, "cpu_syncs": Syncs,
		"cpu_sync_stall_cycles": SyncStallCycles, "cpu_directory_lookups": DirectoryLookups, "cpu_cache_to_cache": CacheToCache, "cpu_page_walks": PageWalks,
	} {
		if got := counters.Declared(id).Name; got != name {
			t.Errorf("%s is read as %s", got, name)
		}
	}
}

// As many loads, or stores, issue in a cycle as there are ports, an instruction of two among them.
func TestPortsBoundLoadsAndStores(t *testing.T) {
	const n = 600
	for _, c := range []struct{ ports, each, perCycle int }{{1, 1, 1}, {2, 1, 2}, {3, 1, 3}, {2, 2, 1}, {4, 2, 2}} {
		for _, store := range []bool{false, true} {
			if store && c.ports > 1 {
				continue // stores are performed one a cycle
			}
			b := newBench(t, func(s *Section) { s.Width, s.LoadPorts, s.StorePorts, s.ROBEntries = 8, c.ports, c.ports, 512 })
			list := straight(n)
			for i := range list {
				for k := range c.each {
					if address := 0x100000 + 8*uint64(k); store {
						list[i].Stores, list[i].StoreAddresses[k] = uint8(c.each), address
					} else {
						list[i].Loads, list[i].LoadAddresses[k] = uint8(c.each), address
					}
				}
			}
			b.cycles(t, list[:8]) // the line and the page
			got := b.cycles(t, list)
			if want := uint64(n / c.perCycle); got < want || got > want+30 {
				t.Errorf("%d ports, %d of an instruction, stores %v: %d instructions take %d cycles, want %d", c.ports, c.each, store, n, got, want)
			}
		}
	}
}

// A load is served by a store before it only until that has been performed. Each address is looked up once in the TLB.
func TestAStoreThatHasBeenPerformedServesNoLoad(t *testing.T) {
	b := newBench(t, nil)
	list := straight(2000)
	list[0].Stores, list[0].StoreAddresses[0] = 1, 0x100000
	list[1900].Loads, list[1900].LoadAddresses[0] = 1, 0x100000
	list[1950].Loads, list[1950].LoadAddresses[0], list[1950].LoadAddresses[1] = 2, 0x100000, 0x100008
	b.one(t, list)
	b.counts(t, "loads long behind a store", map[counters.ID]uint64{countForwarded: 0, countLoad: 3, countStore: 1, countDTLB: 4, countL1DRead: 3})
}

// The wheel of instructions gives each in its cycle, and the next cycle with one.
func TestTheWheelGivesInstructionsInTheirCycle(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	const slots = 64
	var w wheel
	next := make([]int32, slots)
	at := map[int]Cycle{}
	for now := Cycle(1); now < 1500; now++ {
		if r.IntN(20) == 0 {
			now += Cycle(r.IntN(60)) // the core sleeps, but not past what is due
			for _, due := range at {
				now = min(now, due)
			}
		}
		ready := newBitmap(slots)
		w.collect(now, &ready, next)
		for slot := range slots {
			due, there := at[slot]
			if got := ready.has(slot); got != (there && due <= now) {
				t.Fatalf("cycle %d: instruction %d is ready %v, due in %d", now, slot, got, due)
			}
			if there && due <= now {
				delete(at, slot)
			}
		}
		for range r.IntN(4) {
			if slot := r.IntN(slots); at[slot] == 0 {
				at[slot] = now + 1 + Cycle(r.IntN(wheelSize-1))
				w.put(at[slot], slot, next)
			}
		}
		want := never
		for _, due := range at {
			want = min(want, due)
		}
		if got := w.next(now); got != want {
			t.Fatalf("cycle %d: the next is due in %d, want %d", now, got, want)
		}
	}
}

// The arrays that energy prices have the bits of the caches, and tags that tell their lines apart in physical memory.
func TestPricedArraysHoldTheCaches(t *testing.T) {
	s := table42(nil)
	caches := map[string]PrivateCache{"chip/cpu/l1i": s.codeL1(), "chip/cpu/l1d": s.L1, "chip/cpu/l2": s.L2}
	for _, x := range s.Structures(nil) {
		c, ok := caches[x.Path]
		if !ok {
			continue
		}
		delete(caches, x.Path)
		lines := c.Bytes / s.LineBytes
		if x.Entries*x.EntryBits != 8*c.Bytes || x.Ways != c.Ways || x.Count != s.Cores || x.Entries != lines {
			t.Errorf("%s of %d bytes has %d entries of %d bits", x.Path, c.Bytes, x.Entries, x.EntryBits)
		}
		// As many tags as lines of physical memory fall into a set, and two bits of state.
		if inSet := uint64(1) << (x.TagBits - 2); inSet*uint64(lines/c.Ways)*uint64(s.LineBytes) != 1<<40 {
			t.Errorf("%s has tags of %d bits, for %d sets of lines of %d bytes in memory of 2^40", x.Path, x.TagBits, lines/c.Ways, s.LineBytes)
		}
	}
	if len(caches) > 0 {
		t.Errorf("nothing prices %v", caches)
	}
}

// The directory has an entry for each line that the cores' L2 may hold, in a power of two of sets.
func TestTheDirectoryHoldsTheLinesOfAllCores(t *testing.T) {
	for cores := 1; cores <= 64; cores++ {
		s := table42(func(s *Section) { s.Cores = cores })
		entries, lines := s.directoryEntries(), cores*s.L2.Bytes/s.LineBytes
		if sets := entries / s.L2.Ways; entries < lines || entries >= 2*lines || sets&(sets-1) != 0 || entries%s.L2.Ways != 0 {
			t.Errorf("%d cores with %d lines together: %d entries of %d ways", cores, lines, entries, s.L2.Ways)
		}
	}
}

// Code that the instruction L1 lacks takes the latency of the L2 for each line, whatever that of the data L1 is.
func TestCodeOfTheL2TakesItsLatency(t *testing.T) {
	const n = 1200 // lines: more than the L1 has, and less than the L2
	around := func(l1, l2 int) uint64 {
		b := newBench(t, func(s *Section) { s.TLBEntries, s.L1.LatencyCycles, s.L2.LatencyCycles = 1024, l1, l2 })
		list := straight(n)
		for i := range list {
			list[i].IP = 0x400000 + 64*uint64(i)
		}
		b.one(t, list)
		clear(b.sets[0][:])
		before := b.counted(countCycles)
		b.one(t, list)
		b.counts(t, "lines of code once more", map[counters.ID]uint64{countL1IMiss: n, countL2Miss: 0, countL2Read: n, countCycles: before + uint64(n*l2+pipe)})
		return b.counted(countCycles)
	}
	around(4, 7)
	around(4, 20)
	around(9, 7)
}

// A line that leaves the L2 leaves the L1 first, with its data: each line that was written is written back when it leaves.
func TestModifiedLinesLeaveBothCaches(t *testing.T) {
	b := newBench(t, func(s *Section) {
		s.L1.Bytes, s.L2.Bytes, s.L2.Ways, s.TLBEntries, s.Misses = 4<<10, 8<<10, 32, 1024, 1
	}) // four sets in the L2; no store asks ahead
	b.one(t, straight(1))
	clear(b.sets[0][:])
	list := straight(160)
	for i := range list {
		address := uint64(0x100000) // is used again and again, which the L2 does not see
		if i%2 == 1 {
			address += 4 * 64 * uint64(1+i/2)
		}
		list[i].Stores, list[i].StoreAddresses[0] = 1, address
	}
	b.one(t, list)
	c, written := b.cluster.cores[0], uint64(0)
	for _, state := range c.dataLines.states {
		if state == coherence.Modified {
			written++
		}
	}
	fills := b.counted(countL1DFill)
	if fills <= 81 {
		t.Errorf("%d lines have come, and 81 are written: none has left the L2 and come again", fills)
	}
	b.counts(t, "81 lines", map[counters.ID]uint64{countL1DWrite: 160, countL1WriteBack: fills - written})
}
