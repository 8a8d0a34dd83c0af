// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"slices"
	"strings"
)

// limitKeys are the keys that are nothing but limits: how many entries a queue or a set of
// registers has. A replay reads them by limits.Limit only.
var limitKeys = []string{
	"l1.mshrs", "l1.mshr_merges", "l1.miss_queue",
	"constant_cache.mshrs", "constant_cache.mshr_merges", "constant_cache.miss_queue",
	"instruction_cache.mshrs", "instruction_cache.mshr_merges", "instruction_cache.miss_queue",
	"texture_cache.mshrs", "texture_cache.mshr_merges", "texture_cache.miss_queue",
	"network.input_queue", "network.output_queue",
	"l2.slice.mshrs", "l2.slice.mshr_merges", "l2.slice.miss_queue", "l2.input_queue",
	"llc.mshrs", "llc.mshr_merges", "llc.miss_queue",
	"dram.queue",
}

// LimitKeys lists the keys that are nothing but limits.
func LimitKeys() []string { return limitKeys }

// CacheSections lists the sections that describe caches.
func CacheSections() []string { return cacheSections }

// LimitValue is the value of one of LimitKeys; zero where it has no meaning.
func (m *Machine) LimitValue(key string) int {
	if m.unused(key) {
		return 0
	}
	return int(machineSchema.byPath[key].get(m).Int())
}

// CacheOf is the cache that one of CacheSections describes.
func (m *Machine) CacheOf(section string) *Cache { return m.cache(section) }

// SameContents reports whether two caches have the same lines in the same sets, and replace
// them alike.
func (c *Cache) SameContents(other *Cache) bool {
	return c.Bytes == other.Bytes && c.Ways == other.Ways && c.Index == other.Index && c.Replacement == other.Replacement
}

// FamilyDigest is TimingDigest without the limits, and without where the lines of caches
// lie. Whether machines with the same one replay a trace in the same way is for a
// certificate to say (package limits). Where something else may read such a key, it
// stays in the digest: on cores of other kinds than SIMTCore all of them do; with a prefetcher
// those of its cache; with mechanisms, which may lock and clean lines, the contents of caches;
// with two halves of the L2 those of its slices.
func (m *Machine) FamilyDigest() string {
	if m.GPU.CoreKind() != SIMTCore {
		return m.TimingDigest()
	}
	c := m.Clone()
	for _, key := range limitKeys {
		if section := key[:strings.LastIndexByte(key, '.')]; !m.unused(key) && !(slices.Contains(cacheSections, section) && m.cache(section).prefetches()) {
			machineSchema.byPath[key].get(c).SetInt(1)
		}
	}
	for _, section := range cacheSections {
		if section == "l2.slice" && m.L2.FarCycles > 0 {
			continue // the copies of the other half depend on them, too
		}
		if x := c.cache(section); x.Bytes > 0 && !x.prefetches() && len(m.Mechanisms()) == 0 {
			x.Bytes, x.Ways, x.Index, x.Replacement = 1, 1, "", ""
		}
	}
	return c.TimingDigest()
}

// prefetches reports whether something asks for lines of the cache ahead.
func (c *Cache) prefetches() bool { return c.Prefetcher != "" && c.Prefetcher != "none" }

// SetLimit changes one of LimitKeys in a machine that is the caller's own (Clone).
func (m *Machine) SetLimit(key string, value int) {
	machineSchema.byPath[key].get(m).SetInt(int64(value))
}
