// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"embed"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
)

//go:embed overlays/*.yaml
var overlays embed.FS

// Key is the section's key in an architecture.
const Key = "tinycache"

// Section describes the tinyCaches of a machine (GPSim thesis, Table 5.1).
type Section struct {
	Enabled bool `yaml:"enabled"`
	// Entries of LineBytes in Ways, of each lane's cache.
	Entries   int `yaml:"entries" unit:"lines" range:"1..64"`
	Ways      int `yaml:"ways" unit:"ways" range:"1..64"`
	LineBytes int `yaml:"line_bytes" unit:"bytes" range:"16..128"`
	// LatencyCycles of a lookup.
	LatencyCycles int `yaml:"latency_cycles" unit:"core cycles" range:"1..64"`
	// Policy says which references bypass the caches: of none, of the scratchpad
	// ("shared"), of global memory, of both.
	Policy string `yaml:"policy" oneof:"bypass_none,bypass_shared,bypass_global,bypass_all"`
	// QueueEntries are the warp accesses that wait for coalescer and scratchpad
	// before the load-store unit stops.
	QueueEntries int `yaml:"queue_entries" unit:"accesses" range:"1..64"`
	// FillMillimetres is the length of the bus on which a line goes from the
	// coalescer or the scratchpad to the lanes, for energy.
	FillMillimetres float64 `yaml:"fill_mm" unit:"mm" range:"0..20"`
}

// declaration says what goes with the mechanism.
var declaration = arch.Declaration{
	Takes:   []arch.Why{{Ability: arch.BulkCopies, Because: "they move lines past the lanes, whose caches do not see what they write"}},
	Outside: []arch.Ability{arch.BehindLanes},
}

func init() {
	arch.RegisterSection(Key, overlays, func() arch.Section { return new(Section) }, declaration)
}

// On implements arch.Section.
func (s *Section) On() bool { return s.Enabled }

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	if !powerOfTwo(s.LineBytes) {
		complain("line_bytes", fmt.Sprintf("%d: must be a power of two", s.LineBytes))
	}
	if segment := segmentBytes(m); s.LineBytes > segment {
		complain("line_bytes", fmt.Sprintf("%d: is longer than the %d bytes of a segment (l1.line_bytes): a line would need several fetches", s.LineBytes, segment))
	}
	if s.Ways < 1 || s.Entries%s.Ways != 0 || !powerOfTwo(s.Entries/s.Ways) {
		complain("ways", fmt.Sprintf("%d: must divide the %d entries into a power of two of sets", s.Ways, s.Entries))
	}
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// segmentBytes is what the coalescer gathers into one transaction.
func segmentBytes(m *arch.Machine) int {
	if m.L1.LineBytes > 0 {
		return m.L1.LineBytes
	}
	return m.L2.Slice.LineBytes
}

// stateAndTagBits is a line of the tag SRAM: two bits of state and 79 of tag
// (section 5.3.3). The control bits, one per half-word, lie with the data.
const stateAndTagBits = 81

// lanes of an SM.
const lanes = 32

// wordBytes is what the data are read and written by.
const wordBytes = 4

// Structures implements arch.Section: the arrays of each lane, and the bus that
// brings lines to them. CACTI has no cache that small: the data, with their control
// bits, are a RAM of words, as section 5.3.3 has their area (energy/claims.yaml). A RAM
// as wide as a set would be mostly sense amplifiers. A reference uses a word; a
// fill or an eviction goes through all of a line. Tags are a RAM with a word for each
// line, from which a lookup reads those of a set. A line fill writes a line in each lane
// that takes it, a coalesced fill moves it over the bus once: section 5.4 accounts for
// both apart.
func (s *Section) Structures(m *arch.Machine) []arch.Structure {
	const path, source = "chip/sm/tinycache/arrays", "GPSim thesis Table 5.1 and section 5.3.3"
	lanes := m.GPU.SMs * lanes
	set, bits := float64(s.Ways), 8*s.LineBytes+s.LineBytes/2
	words := (bits + 8*wordBytes - 1) / (8 * wordBytes)
	return []arch.Structure{{
		Path: path + "/tags", Kind: arch.RAM, Count: lanes, Entries: s.Entries, EntryBits: stateAndTagBits, Ports: 1,
		Charges: []arch.StructureCharge{
			{Counter: "tinycache_reads", Use: arch.Read, Share: set},
			{Counter: "tinycache_writes", Use: arch.Read, Share: set},
			{Counter: "tinycache_probes", Use: arch.Read, Share: set},
			{Counter: "tinycache_line_fills", Use: arch.Write},
			{Counter: "tinycache_line_evictions", Use: arch.Read},
		},
		Source: source,
	}, {
		Path: path + "/data", Kind: arch.RAM, Count: lanes, Entries: s.Entries * words, EntryBits: 8 * wordBytes, Ports: 1,
		Charges: []arch.StructureCharge{
			{Counter: "tinycache_reads", Use: arch.Read},
			{Counter: "tinycache_writes", Use: arch.Write},
			{Counter: "tinycache_probes", Use: arch.Read},
			{Counter: "tinycache_line_fills", Use: arch.Write, Share: float64(words)},
			{Counter: "tinycache_line_evictions", Use: arch.Read, Share: float64(words)},
		},
		Source: source,
	}, {
		Path: "chip/sm/tinycache/fill bus", Kind: arch.Wire, Count: m.GPU.SMs, MillimetresLong: s.FillMillimetres,
		Charges: []arch.StructureCharge{{Counter: "tinycache_coalesced_fills", Use: arch.Operate, Share: float64(8 * s.LineBytes)}},
		Source:  "assumed: a bus as wide as a line past the lanes",
	}}
}
