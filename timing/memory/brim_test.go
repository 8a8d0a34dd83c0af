// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// brimCache gives a cache a random small geometry, few registers and a short queue.
func brimCache(rng *rand.Rand, c *arch.Cache, writes ...string) {
	if c.Bytes == 0 {
		return
	}
	c.LineBytes = 32 << rng.IntN(3)
	c.SectorBytes = c.LineBytes >> rng.IntN(bits.Len(uint(c.LineBytes/32)))
	c.Ways = 1 + rng.IntN(4)
	c.Bytes = c.Ways * c.LineBytes << rng.IntN(3)
	c.MSHRs = c.LineBytes/c.SectorBytes + rng.IntN(3)
	c.MSHRMerges, c.MissQueue = 1+rng.IntN(3), 1+rng.IntN(3)
	c.LatencyCycles = 1 + rng.IntN(4)
	c.Index = []string{"linear", "xor"}[rng.IntN(2)]
	c.Replacement = []string{"lru", "fifo", "random", "nru", "srrip"}[rng.IntN(5)]
	c.Write = writes[rng.IntN(len(writes))]
	c.Allocate = "on_miss"
	if (c.Write == "read_only" || c.Write == "through_no_allocate") && rng.IntN(2) == 0 {
		c.Allocate = "on_fill"
	}
}

// brimMachine is a machine with a random small geometry of all its caches.
func brimMachine(t testing.TB, rng *rand.Rand) *arch.Machine {
	specs := []string{"gtx480", "gtx480-ref", "v100", "qv100-ref", "mesh56", "gpsim-soc"}
	m := machine(t, specs[rng.IntN(len(specs))], func(m *arch.Machine) {
		m.GPU.SMs = 1 + rng.IntN(3)
		m.Network.Placement = "spread"
		brimCache(rng, &m.L1, "through_no_allocate", "through_allocate", "local_back_no_allocate", "back_allocate")
		m.L1.UnifiedBytes, m.Shared.Carveouts = 0, "none"
		if rng.IntN(2) == 0 {
			m.L1.UnifiedBytes, m.Shared.Carveouts = m.L1.Bytes*(1+rng.IntN(4)), "sizes(0,4KiB,16KiB)"
		}
		m.L1.WriteHit = []string{"update", "evict"}[rng.IntN(2)]
		m.L1.Banks = 1 << rng.IntN(3)
		m.L1.SectorTransactions = rng.IntN(2) == 0
		for _, c := range []*arch.Cache{&m.Constant, &m.Instruction, &m.Texture} {
			brimCache(rng, c, "read_only")
			c.Perfect = false
		}
		m.Instruction.StreamLines = rng.IntN(6)
		m.Constant.Behind = "l2"
		if m.Instruction.LineBytes >= m.Constant.LineBytes && m.Instruction.SectorBytes >= m.Constant.SectorBytes && rng.IntN(2) == 0 {
			m.Constant.Behind = arch.BehindInstructions
		}
		for _, c := range []*arch.Cache{&m.L1, &m.Constant, &m.Instruction, &m.Texture} {
			c.FillCycles = rng.IntN(4)
		}
		brimCache(rng, &m.L2.Slice, "back_allocate")
		brimCache(rng, &m.LLC, "back_allocate")
		m.L2.WritePieces = rng.IntN(2) == 0
		m.L2.InputQueue = 1 + rng.IntN(4)
		nestLines(rng, m)
	})
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// nestLines makes the lines and sectors of each level fit into those of the one below.
func nestLines(rng *rand.Rand, m *arch.Machine) {
	line := 32
	for _, c := range []*arch.Cache{&m.L1, &m.Constant, &m.Instruction, &m.Texture} {
		line = max(line, c.LineBytes)
	}
	l2 := &m.L2.Slice
	l2.LineBytes = line << rng.IntN(bits.Len(uint(128/line)))
	l2.SectorBytes = l2.LineBytes >> rng.IntN(bits.Len(uint(l2.LineBytes/32)))
	l2.Bytes, l2.MSHRs = l2.Ways*l2.LineBytes<<rng.IntN(3), l2.LineBytes/l2.SectorBytes+rng.IntN(3)
	if c := &m.LLC; c.Bytes > 0 {
		c.LineBytes, c.SectorBytes = l2.LineBytes, l2.SectorBytes
		c.Bytes, c.MSHRs = c.Ways*c.LineBytes<<rng.IntN(3), c.LineBytes/c.SectorBytes+rng.IntN(3)
	}
}

// boundary counts what crosses the lower side of a slice, by sector.
type boundary struct {
	below
	sector        int
	reads, writes map[uint64]int
}

func (b *boundary) read(address uint64, bytes int, mshr int32) bool {
	if !b.below.read(address, bytes, mshr) {
		return false
	}
	b.reads[address]++
	return true
}

func (b *boundary) write(address uint64, bytes int) bool {
	if !b.below.write(address, bytes) {
		return false
	}
	for at := 0; at < bytes; at += b.sector {
		b.writes[address+uint64(at)]++
	}
	return true
}

// TestCachesFilledToTheBrimAnswerEveryRequestOnce fills caches of random geometry and
// policies with more misses than their lines, registers and queues hold. Nothing is
// answered twice or never, and no register is left taken. What is read from below, written
// back and still dirty is what was missed and written.
func TestCachesFilledToTheBrimAnswerEveryRequestOnce(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 60, tracetest.Fewer(2, 4)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { brim(t, rand.New(rand.NewPCG(seed, 31))) })
	}
}

func brim(t *testing.T, rng *rand.Rand) {
	m := brimMachine(t, rng)
	r := newRig(t, m)
	r.checked = true
	sides := make([]*boundary, len(r.system.slices))
	for i, s := range r.system.slices {
		sides[i] = &boundary{below: s.below, sector: m.L2.Slice.SectorBytes, reads: map[uint64]int{}, writes: map[uint64]int{}}
		s.below = sides[i]
	}
	// Some times as many bytes as the L1 has, so that all sets are wanted at once.
	region := uint64(4*max(m.L1.Bytes, 1024)) << rng.IntN(3)
	written := map[uint64]bool{} // sectors of L2
	expected := make([]int, len(r.sms))
	for token := range uint32(300) {
		k := rng.IntN(len(r.sms))
		a := randomAccess(rng, m, token, region)
		r.issue(k, a)
		if a.Token != seam.NoToken {
			expected[k]++
		}
		if a.Space == trace.SpaceGlobal && (a.Class == trace.ClassStore || a.Class == trace.ClassAtomic) {
			markWritten(&a, m.L2.Slice.SectorBytes, written)
		}
		for range rng.IntN(3) {
			if line := uint64(rng.IntN(4*m.Instruction.Bytes/m.Instruction.LineBytes) * m.Instruction.LineBytes); !r.sms[k].port.FetchLine(r.now, line) {
				r.sms[k].next = min(r.sms[k].next, r.now+1)
			}
		}
	}
	r.drain()
	for k, s := range r.sms {
		if s.count != expected[k] {
			t.Errorf("SM %d: %d completions, expected %d", k, s.count, expected[k])
		}
	}
	r.settled()
	r.crossed(sides, written)
}

// markWritten notes the sectors that an access writes.
func markWritten(a *seam.MemoryAccess, sector int, written map[uint64]bool) {
	for lane := range 32 {
		if a.Mask>>lane&1 == 0 {
			continue
		}
		address := a.Chunk.Lane(a.Access, lane)
		for at := address; at < address+uint64(a.LaneBytes); at++ {
			written[at/uint64(sector)*uint64(sector)] = true
		}
	}
}

// settled checks that nothing is on its way and every register is free.
func (r *rig) settled() {
	r.t.Helper()
	look := func(name string, tags *cache.Tags, misses *cache.MSHRs, registers int) {
		if n := misses.Free(); n != registers {
			r.t.Errorf("%s: %d of %d registers are free", name, n, registers)
		}
		for i := range tags.Len() {
			if tags.Pending(i) != 0 {
				r.t.Errorf("%s: line %d waits for sectors %b", name, i, tags.Pending(i))
			}
		}
	}
	for k, p := range r.system.ports {
		for name, f := range map[string]*frontCache{"L1": &p.l1, "constants": &p.constants, "instructions": &p.instructions, "textures": &p.textures} {
			if f.tags != nil {
				look(fmt.Sprintf("SM %d, %s", k, name), f.tags, f.misses, f.misses.Free()+f.misses.Used())
				if f.misses.Used() != 0 {
					r.t.Errorf("SM %d, %s: %d registers are taken", k, name, f.misses.Used())
				}
				if c := &r.m.Instruction; f == &p.instructions && f.reserved != c.StreamRegisters() {
					r.t.Errorf("SM %d: %d registers are left to the stream buffer", k, f.reserved)
				}
			}
		}
	}
	for _, s := range r.system.slices {
		look(fmt.Sprintf("slice %d", s.number), s.tags, s.misses, r.m.L2.Slice.MSHRs)
	}
}

// crossed checks what crossed the lower side of the slices against the counters and what
// was written.
func (r *rig) crossed(sides []*boundary, written map[uint64]bool) {
	r.t.Helper()
	var reads, writes int
	for _, b := range sides {
		for _, n := range b.reads {
			reads += n
		}
		for _, n := range b.writes {
			writes += n
		}
	}
	if n := r.global[counters.L2ReadMiss]; n != uint64(reads) {
		r.t.Errorf("%d sectors missed and %d were read from below", n, reads)
	}
	if n := r.global[counters.L2WriteBack]; n != uint64(writes) {
		r.t.Errorf("%d sectors were written back by the counter, and %d came below", n, writes)
	}
	for address := range written {
		slice, inside := r.system.addresses.slice(address)
		if l := r.system.slices[slice]; sides[slice].writes[inside] == 0 && !dirty(l.tags, inside) && !r.dirtyAbove(address) {
			r.t.Errorf("the write of %#x is lost", address)
		}
	}
}

func dirty(tags *cache.Tags, address uint64) bool {
	i := tags.Find(tags.Line(address))
	return i >= 0 && tags.Dirty(i)>>tags.SectorOf(address)&1 != 0
}

// dirtyAbove reports whether an L1 has bytes of a sector of L2 that the L2 has not seen.
func (r *rig) dirtyAbove(address uint64) bool {
	for _, p := range r.system.ports {
		for at := address; p.l1.tags != nil && at < address+uint64(r.m.L2.Slice.SectorBytes); at += 32 {
			if dirty(p.l1.tags, at) {
				return true
			}
		}
	}
	return false
}
