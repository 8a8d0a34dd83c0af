// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"embed"
	"fmt"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/tlb"
)

//go:embed overlays/*.yaml machines/*.yaml
var files embed.FS

// Key is the section's key in an architecture.
const Key = "cpu"

// Section describes the CPU cores of a machine, which are alike (GPSim thesis,
// Table 4.2). Cycles are those of the cores' clock.
type Section struct {
	Enabled bool    `yaml:"enabled"`
	Cores   int     `yaml:"cores" unit:"cores" range:"1..64"`
	MHz     float64 `yaml:"mhz" unit:"MHz" range:"1..100000"`
	// Order is that of issue.
	Order string `yaml:"order" oneof:"out_of_order,in_order"`
	// Width is the instructions that are fetched, issued and retired in a cycle.
	Width int `yaml:"width" unit:"instructions" range:"1..16"`
	// ROBEntries are the instructions between dispatch and retirement.
	ROBEntries int `yaml:"rob_entries" unit:"instructions" range:"4..4096"`
	// LoadPorts and StorePorts are the accesses that may begin in a cycle.
	LoadPorts  int `yaml:"load_ports" unit:"accesses" range:"1..16"`
	StorePorts int `yaml:"store_ports" unit:"accesses" range:"1..16"`
	// StoreBuffer holds retired stores until they are performed, in order.
	StoreBuffer int `yaml:"store_buffer" unit:"stores" range:"4..1024"`
	// Predictor is "history" (the next five keys) or "not_taken": what follows a branch in
	// memory is fetched, and nothing is remembered (GPSim thesis Table 6.2).
	Predictor string `yaml:"predictor" oneof:"history,not_taken" default:"history" digest:"used"`
	// BTBEntries in BTBWays hold the targets of branches.
	BTBEntries int `yaml:"btb_entries" unit:"branches" range:"1..1048576"`
	BTBWays    int `yaml:"btb_ways" unit:"ways" range:"1..64"`
	// HistoryBits of global history index the two-bit counters of conditional
	// branches; 0: by address alone.
	HistoryBits int `yaml:"history_bits" unit:"branches" range:"0..20"`
	// CounterBits is log2 of the number of two-bit counters.
	CounterBits int `yaml:"counter_bits" unit:"bits" range:"1..24"`
	// ReturnStack holds return addresses.
	ReturnStack int `yaml:"return_stack" unit:"calls" range:"1..256"`
	// MispredictCycles pass between the execution of a mispredicted branch and the
	// dispatch of what follows it.
	MispredictCycles int `yaml:"mispredict_cycles" unit:"CPU cycles" range:"0..200"`
	// TLBEntries, fully associative, of instructions and of data each; a lookup is
	// in the shadow of the L1's.
	TLBEntries int `yaml:"tlb_entries" unit:"pages" range:"1..4096"`
	// CopyBytes is a word of the loop that copies between host and device.
	CopyBytes int `yaml:"copy_bytes" unit:"bytes" range:"4..32" pow2:"yes"`
	// PageBytes is the size of a page of all address spaces.
	PageBytes int `yaml:"page_bytes" unit:"bytes" range:"4096..2097152" pow2:"yes"`
	// LineBytes of the private caches.
	LineBytes int `yaml:"line_bytes" unit:"bytes" range:"32..128" pow2:"yes"`
	// L1 are an instruction cache and a data cache of this size each.
	L1 PrivateCache `yaml:"l1"`
	// L1CodeWays are the ways of the instruction L1; 0: those of the data L1.
	L1CodeWays int `yaml:"l1_code_ways" unit:"ways" range:"0..64" default:"0" digest:"used"`
	// L2 includes both L1.
	L2 PrivateCache `yaml:"l2"`
	// Misses are the lines that a core may have under way beyond its L2.
	Misses int `yaml:"misses" unit:"lines" range:"1..64"`
	// ProbeCycles are those of a directory's question to a core and back.
	ProbeCycles int `yaml:"probe_cycles" unit:"CPU cycles" range:"0..1000"`
	// WalkCycles is what the handler of a page walk executes besides its loads.
	WalkCycles int `yaml:"walk_cycles" unit:"CPU cycles" range:"0..100000"`
}

// PrivateCache is a write-back cache of one core with LRU replacement.
type PrivateCache struct {
	Bytes         int `yaml:"bytes" unit:"bytes" range:"1024..1073741824"`
	Ways          int `yaml:"ways" unit:"ways" range:"1..64"`
	LatencyCycles int `yaml:"latency_cycles" unit:"CPU cycles" range:"1..50"`
}

// declaration says what goes with the mechanism.
var declaration = arch.Declaration{Provides: []arch.Ability{arch.Cores}}

func init() {
	arch.RegisterSection(Key, files, func() arch.Section { return new(Section) }, declaration)
	gpu.Mechanisms.Register(Key, gpu.Mechanism{}) // cores change nothing in the SMs
}

// Of gives the CPU section of a machine; nil without cores.
func Of(m *arch.Machine) *Section {
	s, _ := m.Section(Key).(*Section)
	return s
}

// On implements arch.Section.
func (s *Section) On() bool { return s.Enabled }

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	for _, c := range []struct {
		key string
		of  PrivateCache
	}{{"l1", s.L1}, {"l2", s.L2}, {"l1_code", s.codeL1()}} {
		if sets := c.of.Bytes / s.LineBytes / max(c.of.Ways, 1); !powerOfTwo(sets) || sets*c.of.Ways*s.LineBytes != c.of.Bytes {
			complain(strings.Replace(c.key+".ways", "l1_code.", "l1_code_", 1), fmt.Sprintf("%d bytes in %d ways of %d bytes: must be a power of two of sets", c.of.Bytes, c.of.Ways, s.LineBytes))
		}
	}
	if s.L2.Bytes < 2*s.L1.Bytes {
		complain("l2.bytes", fmt.Sprintf("%d: must hold what the two L1 of %d bytes hold", s.L2.Bytes, s.L1.Bytes))
	}
	if sets := s.BTBEntries / max(s.BTBWays, 1); !powerOfTwo(sets) || sets*s.BTBWays != s.BTBEntries {
		complain("btb_ways", fmt.Sprintf("%d entries in %d ways: must be a power of two of sets", s.BTBEntries, s.BTBWays))
	}
	if err := tlb.CheckPageBytes(s.PageBytes); err != nil {
		complain("page_bytes", err.Error())
	}
	if m.GPU.CoreKind() == arch.NoCores {
		s.checkAlone(m, complain)
	}
}

// codeL1 is the instruction L1.
func (s *Section) codeL1() PrivateCache {
	c := s.L1
	if s.L1CodeWays > 0 {
		c.Ways = s.L1CodeWays
	}
	return c
}

// Clock implements arch.Clocked.
func (s *Section) Clock() (name string, mhz float64) { return Key, s.MHz }

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }
