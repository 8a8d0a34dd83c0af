// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// onChipMemory adds what an SM's loads and stores meet before the network.
func (b *builder) onChipMemory() {
	b.sharedMemory()
	c := b.add("sm/coalescer/table")
	table := b.cam("coalescer", 32, b.count("cache.address_bytes")) // lane addresses are compared with a line's
	c.charge(table.SearchPJ, counters.GlobalTransactions)
	c.charge(table.WritePJ/32, counters.GlobalLane)
	c.structure(table, b.sms())
	b.crossbar("sm/coalescer/crossbar", 32, 32, counters.GlobalLane)
	b.firstLevel()
	if k := &b.machine.Constant; k.Bytes > 0 {
		e := b.cache("constant_cache", k, 4, false)
		c := b.add("sm/constant cache")
		c.charge(e.tags.ReadPJ+e.data.ReadPJ, counters.ConstantRead)
		c.charge(e.tags.WritePJ+float64(e.data.WritePJ*float64(k.LineBytes)/4), counters.ConstantMiss)
		c.structure(e.tags, b.sms())
		c.structure(e.data, b.sms())
	}
	b.textureCache()
}

// textureCache adds the texture cache: as the L1, read a line at a time.
func (b *builder) textureCache() {
	t := &b.machine.Texture
	if t.Bytes == 0 {
		return
	}
	e := b.cache("texture_cache", t, t.LineBytes, false)
	c := b.add("sm/texture cache/tags")
	c.charge(e.tags.ReadPJ, counters.TextureRead)
	c.charge(e.tags.WritePJ, counters.TextureMiss)
	c.structure(e.tags, b.sms())
	c = b.add("sm/texture cache/data")
	c.charge(e.data.ReadPJ, counters.TextureRead)
	c.charge(e.data.WritePJ, counters.TextureMiss)
	c.structure(e.data, b.sms())
	b.missRegisters("sm/texture cache/MSHRs", "texture_cache.mshrs", t, b.sms(), counters.TextureMiss, counters.TextureMerge)
}

// sharedMemory charges a bank access and a way through the crossbar per lane;
// lanes that share a word are charged each.
func (b *builder) sharedMemory() {
	s := &b.machine.Shared
	if s.Bytes == 0 {
		return
	}
	bank := b.ram("shared_memory", s.Bytes/s.Banks, s.BankBytes)
	c := b.add("sm/shared memory/banks")
	c.charge(bank.ReadPJ, counters.SharedLaneRead)
	c.charge(bank.WritePJ, counters.SharedLaneWrite)
	c.structure(bank, float64(s.Banks)*b.sms())
	b.crossbar("sm/shared memory/crossbar", 32, s.Banks, counters.SharedLaneRead, counters.SharedLaneWrite)
}

// firstLevel adds L1. Tags and data are read side by side, a line at a time; a
// miss writes the line when it comes.
func (b *builder) firstLevel() {
	l := &b.machine.L1
	if l.Bytes == 0 {
		return
	}
	e := b.cache("l1", l, l.LineBytes, false)
	c := b.add("sm/L1/tags")
	c.charge(e.tags.ReadPJ, counters.L1Read, counters.L1Write)
	c.charge(e.tags.WritePJ, counters.L1ReadMiss)
	prefetches := b.prefetches("l1")
	c.charge(e.tags.ReadPJ, prefetches.proposals...)
	c.charge(e.tags.WritePJ, prefetches.issued...)
	c.structure(e.tags, b.sms())
	updates := l.WriteHit == "update" || l.Write == "back_allocate"
	if !updates { // the line is marked invalid
		c.charge(e.tags.WritePJ, counters.L1WriteHit)
	}
	c = b.add("sm/L1/data")
	c.charge(e.data.ReadPJ, counters.L1Read)
	c.charge(e.data.WritePJ, counters.L1ReadMiss)
	c.charge(e.data.WritePJ, prefetches.issued...)
	if updates {
		c.charge(e.data.WritePJ, counters.L1WriteHit)
	}
	c.structure(e.data, b.sms())
	registers := b.missRegisters("sm/L1/MSHRs", "l1.mshrs", l, b.sms(), counters.L1ReadMiss, counters.L1ReadMerge)
	registers.charge(b.registerPJ("l1.mshrs", l), prefetches.issued...)
}

// prefetches names what a level's prefetchers do to their caches: each proposal looks
// the tags up, each prefetch is a miss of a line that no load reads yet. Both are empty
// without prefetchers.
type prefetches struct{ proposals, issued []counters.ID }

func (b *builder) prefetches(level string) prefetches {
	if b.machine.Section("prefetch") == nil {
		return prefetches{}
	}
	return prefetches{
		[]counters.ID{b.counterOf("prefetch", level+"_prefetch_proposals")}, []counters.ID{b.counterOf("prefetch", level+"_prefetches")},
	}
}

// missRegisters adds MSHRs: searched for every miss, written when it is new. The result
// is valid until the next component is added.
func (b *builder) missRegisters(path, key string, l *arch.Cache, instances float64, miss, merge counters.ID) *Component {
	e := b.cam(key, max(l.MSHRs, 4), b.count("cache.address_bytes"))
	c := b.add(path)
	c.charge(e.SearchPJ+e.WritePJ, miss)
	c.charge(e.SearchPJ, merge)
	c.structure(e, instances)
	return c
}

// registerPJ is the energy of a miss that is new in the MSHRs.
func (b *builder) registerPJ(key string, l *arch.Cache) float64 {
	e := b.cam(key, max(l.MSHRs, 4), b.count("cache.address_bytes"))
	return e.SearchPJ + e.WritePJ
}
