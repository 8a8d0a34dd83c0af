// SPDX-License-Identifier: Apache-2.0

package prefetch

import (
	"embed"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
)

//go:embed overlays/*.yaml
var overlays embed.FS

// key names the prefetchers of a machine among its mechanisms: for counters, energy and
// what they do not go with.
const key = "prefetch"

// section is the prefetchers that a machine has by its keys.
type section struct{}

// declaration says what goes with prefetchers.
var declaration = arch.Declaration{
	Needs: []arch.Need{{Ability: arch.EarlyReads, For: "by which it prefetches"}},
}

func init() {
	arch.RegisterDerived(key, overlays, derived, declaration)
}

// derived is the section of a machine that has a prefetcher.
func derived(m *arch.Machine) arch.Section {
	if on(&m.L1) || on(&m.L2.Slice) {
		return section{}
	}
	return nil
}

func on(c *arch.Cache) bool {
	return c.Bytes > 0 && c.Prefetcher != "" && c.Prefetcher != None
}

// On implements arch.Section.
func (section) On() bool { return true }

// Check implements arch.Section: the arguments are checked where they stand.
func (section) Check(*arch.Machine, func(key, message string)) {}

// Structures implements arch.Section: the tables. What prefetches do to the caches
// themselves, the energy of the caches has.
func (section) Structures(m *arch.Machine) []arch.Structure {
	return append(structure(L1Key, "chip/sm/prefetcher", &m.L1, m.GPU.SMs, "l1_prefetch_trainings"),
		structure(L2Key, "chip/L2/prefetcher", &m.L2.Slice, m.L2.Partitions*m.L2.SlicesPerPartition, "l2_prefetch_trainings")...)
}

// structure is the table of the prefetchers of caches; each access searches it, and
// writes an entry.
func structure(key, path string, c *arch.Cache, count int, trainings string) []arch.Structure {
	p, arguments, err := chosen(key, c.Prefetcher)
	if err != nil || p == nil || c.Bytes == 0 || p.Table == nil {
		return nil // no word, or the loader's problem
	}
	t := p.Table(arguments)
	if t.Entries == 0 {
		return nil
	}
	return []arch.Structure{{
		Path: path, Kind: arch.CacheArray, Count: count, Entries: max(t.Entries, leastEntries), EntryBits: t.DataBits, TagBits: t.TagBits, Ports: 1,
		Charges: []arch.StructureCharge{{Counter: trainings, Use: arch.Read}, {Counter: trainings, Use: arch.Write}},
		Source:  fmt.Sprintf("%s; entries: %s", p.Source, key),
	}}
}

// leastEntries is the smallest table that the model of arrays knows.
const leastEntries = 4
