// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// level names the counters of a cache behind the network.
type level struct {
	read, hit, miss, merge, write, writeHit, writeMiss, writeBack counters.ID
}

// lowerLevels adds L2 and the last-level cache.
func (b *builder) lowerLevels() {
	l2 := &b.machine.L2
	slices := float64(l2.Partitions * l2.SlicesPerPartition)
	data := b.level("L2", "l2.slice", &l2.Slice, slices, &level{
		counters.L2Read, counters.L2ReadHit, counters.L2ReadMiss, counters.L2ReadMerge,
		counters.L2Write, counters.L2WriteHit, counters.L2WriteMiss, counters.L2WriteBack,
	})
	if data != nil { // an atomic is counted as a read, too
		b.components[*data].charge(b.components[*data].pricePJ(counters.L2WriteHit), counters.L2Atomic)
	}
	b.lastLevel()
}

// lastLevel adds the last-level cache.
func (b *builder) lastLevel() {
	b.level("LLC", "llc", &b.machine.LLC, float64(b.machine.L2.Partitions), &level{
		counters.LLCRead, counters.LLCReadHit, counters.LLCReadMiss, counters.LLCReadMerge,
		counters.LLCWrite, counters.LLCWriteHit, counters.LLCWriteMiss, counters.LLCWriteBack,
	})
}

// level adds a cache whose tags are read before its data, a sector at a time. It
// gives the place of the data's component, nil when there is no such cache.
func (b *builder) level(name, key string, c *arch.Cache, instances float64, k *level) *int {
	if c.Bytes == 0 {
		return nil
	}
	e := b.cache(key, c, c.SectorBytes, true)
	tags := b.add(name + "/tags")
	tags.charge(e.tags.ReadPJ, k.read, k.write)
	tags.charge(e.tags.WritePJ, k.miss, k.writeMiss)
	var asked prefetches
	if name == "L2" {
		asked = b.prefetches("l2")
	}
	sectors := float64(c.LineBytes / c.SectorBytes) // of a prefetch; each is a miss
	tags.charge(e.tags.ReadPJ, asked.proposals...)
	tags.charge(e.tags.WritePJ*sectors, asked.issued...)
	tags.structure(e.tags, instances)
	data := b.add(name + "/data")
	at := len(b.components) - 1
	data.charge(e.data.ReadPJ, k.hit, k.merge, k.writeBack)
	data.charge(e.data.WritePJ, k.miss, k.writeHit, k.writeMiss)
	data.structure(e.data, instances)
	data.charge(e.data.WritePJ*sectors, asked.issued...)
	b.missRegisters(name+"/MSHRs", key+".mshrs", c, instances, k.miss, k.merge).charge(b.registerPJ(key+".mshrs", c)*sectors, asked.issued...)
	return &at
}
