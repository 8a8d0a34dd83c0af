// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/arch"
)

// cacheEnergy is a cache with tags and data apart.
type cacheEnergy struct{ tags, data sram.Estimate }

// cache estimates a cache that is read out bytes at a time. CACTI gives tags and
// data together: the tags are a RAM as wide as all ways' tags, the data what is
// left. Sequential caches read the data of one way after the tags have hit.
func (b *builder) cache(key string, c *arch.Cache, out int, sequential bool) cacheEnergy {
	all := b.memory(key, sram.Query{Class: sram.Cache, Bytes: c.Bytes, Ways: c.Ways, LineBytes: c.LineBytes, OutBytes: out, Sequential: sequential})
	tag := b.count("cache.tag_bytes")
	tags := b.ram(key+".tags", c.Bytes/c.LineBytes*tag, c.Ways*tag)
	return cacheEnergy{tags: tags, data: sram.Estimate{
		ReadPJ: max(all.ReadPJ-tags.ReadPJ, 0), WritePJ: max(all.WritePJ-tags.WritePJ, 0),
		LeakageMW: max(all.LeakageMW-tags.LeakageMW, 0), AreaMM2: max(all.AreaMM2-tags.AreaMM2, 0),
	}}
}
