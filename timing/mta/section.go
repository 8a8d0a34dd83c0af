// SPDX-License-Identifier: Apache-2.0

package mta

import (
	"embed"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
)

//go:embed overlays/*.yaml
var overlays embed.FS

// Key is the section's key in an architecture.
const Key = "mta"

// Section describes the prefetcher of each SM.
type Section struct {
	Enabled bool `yaml:"enabled"`
	// Strides says which are used: those between the accesses of a warp by the same
	// instruction ("intra_warp"), those between warps ("inter_thread"), both, none.
	Strides string `yaml:"strides" oneof:"both,intra_warp,inter_thread,none"`
	// BufferBytes in BufferWays, in lines of the L1, of the prefetch buffer.
	BufferBytes int `yaml:"buffer_bytes" unit:"bytes" range:"128..16777216"`
	BufferWays  int `yaml:"buffer_ways" unit:"ways" range:"1..1024"`
	// LatencyCycles of a load that finds everything in the buffer.
	LatencyCycles int `yaml:"latency_cycles" unit:"core cycles" range:"1..1024"`
	// OutstandingLines that may be on their way to the buffer.
	OutstandingLines int `yaml:"outstanding_lines" unit:"lines" range:"1..65536"`
	// QueueEntries are predicted lines that wait to be asked for.
	QueueEntries int `yaml:"queue_entries" unit:"lines" range:"1..65536"`
	// WarpEntries, GlobalEntries and ThreadEntries of the tables of strides of
	// single warps, of strides that hold for all warps, and between warps.
	WarpEntries   int `yaml:"warp_entries" unit:"entries" range:"4..65536"`
	GlobalEntries int `yaml:"global_entries" unit:"entries" range:"1..256"`
	ThreadEntries int `yaml:"thread_entries" unit:"entries" range:"1..256"`
	// TrainingWarps have to agree before a stride holds for all.
	TrainingWarps int `yaml:"training_warps" unit:"warps" range:"1..32"`
	// Distance is how many accesses of a warp, or warps, ahead a prefetch is.
	Distance int `yaml:"distance" unit:"accesses" range:"1..64"`
	// PeriodCycles is how often the throttle is set, by the early evictions per
	// useful prefetch since. Above HighPercent prefetching stops, above LowPercent it
	// is throttled by another fifth, else by a fifth less. Degree is that of the
	// beginning, in fifths.
	PeriodCycles int     `yaml:"period_cycles" unit:"core cycles" range:"1..1000000000"`
	HighPercent  float64 `yaml:"high_percent" unit:"%" range:"0..1000000"`
	LowPercent   float64 `yaml:"low_percent" unit:"%" range:"0..1000000"`
	Degree       int     `yaml:"degree" unit:"fifths" range:"0..5"`
}

// declaration says what goes with the mechanism.
var declaration = arch.Declaration{
	Needs:    []arch.Need{{Ability: arch.EarlyReads, For: "by which it prefetches"}},
	Provides: []arch.Ability{arch.BehindLanes, arch.BesideL1},
}

func init() {
	arch.RegisterSection(Key, overlays, func() arch.Section { return new(Section) }, declaration)
}

// On implements arch.Section.
func (s *Section) On() bool { return s.Enabled }

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	line := lineBytes(m)
	if line == 0 || s.BufferWays < 1 {
		return // the machine's own problem
	}
	if sets := s.BufferBytes / (line * s.BufferWays); sets*line*s.BufferWays != s.BufferBytes || sets < 1 || sets&(sets-1) != 0 {
		complain("buffer_bytes", fmt.Sprintf("%d: must be %d ways of lines of %d bytes in a power of two of sets", s.BufferBytes, s.BufferWays, line))
	}
	if s.WarpEntries%warpWays != 0 || s.WarpEntries&(s.WarpEntries-1) != 0 {
		complain("warp_entries", fmt.Sprintf("%d: must be a power of two, of %d ways", s.WarpEntries, warpWays))
	}
	if s.LowPercent > s.HighPercent {
		complain("low_percent", fmt.Sprintf("%g: must not be above high_percent (%g)", s.LowPercent, s.HighPercent))
	}
}

// lineBytes is what the coalescer gathers into one transaction: a line of the L1,
// or of the L2 on a machine without one.
func lineBytes(m *arch.Machine) int {
	if m.L1.Bytes > 0 {
		return m.L1.LineBytes
	}
	return m.L2.Slice.LineBytes
}

// Bits of the entries of the tables: an instruction of 32 bits, a warp of 6, an
// address of 40, a stride of 32, a counter of 5. A line of the buffer has 40 of
// tag less those of line and set at the least, and three of state.
const (
	tagBits     = 40 - 7 + 3
	warpTagBits = 32 + 6
	warpBits    = 40 + 32 + 1
	globalBits  = 32 + 32
	threadBits  = 32 + 6 + 40 + 32 + 5
)

// Where sizes come from.
const (
	bufferSource = "Decoupled affine Table 1: prefetch buffer of 16 KB an SM"
	tableSource  = "Decoupled affine section 5.1.1; sizes of the tables: see the overlay"
)

// Structures implements arch.Section: the buffer and the three tables of each SM.
func (s *Section) Structures(m *arch.Machine) []arch.Structure {
	line := lineBytes(m)
	table := func(name string, entries, bits int, read, write string) arch.Structure {
		return arch.Structure{
			Path: "chip/sm/mta/" + name, Kind: arch.CAM, Count: m.GPU.SMs, Entries: entries, EntryBits: bits, TagBits: 32, Ports: 1,
			Charges: []arch.StructureCharge{{Counter: read, Use: arch.Search}, {Counter: write, Use: arch.Write}},
			Source:  tableSource,
		}
	}
	lines := s.BufferBytes / line
	return []arch.Structure{
		// Tags first, then the line of the way that has it: a buffer next to the L1 need
		// not be faster than that.
		{
			Path: "chip/sm/mta/tags", Kind: arch.RAM, MemoryHierarchy: true, Count: m.GPU.SMs, Entries: lines / s.BufferWays, EntryBits: s.BufferWays * tagBits, Ports: 1,
			Charges: []arch.StructureCharge{{Counter: "mta_lookups", Use: arch.Read}, {Counter: "mta_fills", Use: arch.Write, Share: 1 / float64(s.BufferWays)}},
			Source:  bufferSource,
		}, {
			Path: "chip/sm/mta/lines", Kind: arch.RAM, MemoryHierarchy: true, Count: m.GPU.SMs, Entries: lines, EntryBits: 8 * line, Ports: 1,
			Charges: []arch.StructureCharge{{Counter: "mta_hits", Use: arch.Read}, {Counter: "mta_fills", Use: arch.Write}},
			Source:  bufferSource,
		},
		{
			Path: "chip/sm/mta/warp strides", Kind: arch.CacheArray, Count: m.GPU.SMs, Entries: s.WarpEntries, EntryBits: warpBits, Ways: warpWays, TagBits: warpTagBits, Ports: 1,
			Charges: []arch.StructureCharge{{Counter: "mta_warp_lookups", Use: arch.Read}, {Counter: "mta_warp_writes", Use: arch.Write, Share: 1. / warpWays}},
			Source:  tableSource,
		},
		table("global strides", s.GlobalEntries, globalBits, "mta_loads", "mta_promotions"),
		table("thread strides", s.ThreadEntries, threadBits, "mta_loads", "mta_loads"),
	}
}
