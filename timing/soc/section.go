// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"embed"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/replacement"
	"github.com/warptape/warptape/timing/tlb"
)

//go:embed overlays/*.yaml
var overlays embed.FS

// Key is the section's key in an architecture.
const Key = "soc"

// Section describes what joins the GPU and the cores of a chip (GPSim thesis,
// Tables 4.2 and 4.3).
type Section struct {
	Enabled bool `yaml:"enabled"`
	// TLBs says which there are beyond those of the cores: "shared" by cores and SMs,
	// "split" into one for the cores and one for the SMs, or "private". The last has
	// none but one for each SM.
	TLBs string `yaml:"tlbs" oneof:"shared,split,private"`
	// TLBEntries of each in TLBWays ways, looked up in TLBCycles.
	TLBEntries int `yaml:"tlb_entries" unit:"entries" range:"1..65536"`
	TLBWays    int `yaml:"tlb_ways" unit:"ways" range:"1..65536"`
	TLBCycles  int `yaml:"tlb_cycles" unit:"L2 cycles" range:"1..64"`
	// TLBReplacement is what these TLBs replace: "lru" (the default), or another policy
	// of timing/replacement.
	TLBReplacement string `yaml:"tlb_replacement" oneof:"lru,fifo,random,tree-plru,srrip,nru" default:"lru" digest:"used"`
	// Walks that may be under way for each TLB.
	Walks int `yaml:"walks" unit:"walks" range:"1..64"`
	// Seed of the picking of cores for the walks of SMs.
	Seed int `yaml:"seed" unit:"" range:"0..1000000000"`
	// Copies of the host are "executed" by a core or "elided".
	Copies string `yaml:"copies" oneof:"executed,elided"`
	// CopyOnWrite gives a page that a copy was elided for a frame of its own when an
	// SM writes to it.
	CopyOnWrite bool `yaml:"copy_on_write"`
	// Coherence keeps the SMs' L1s coherent in hardware.
	Coherence bool `yaml:"coherence"`
	// Queue is how many accesses of the L2 may be on their way through the TLB.
	Queue int `yaml:"queue" unit:"accesses" range:"1..1024"`
}

// declaration says what goes with the mechanism.
var declaration = arch.Declaration{
	Needs: []arch.Need{
		{Ability: arch.Cores, For: "which execute page walks and copies", Remedy: "put the overlay cpu before it, as in gpsim-soc+cpu+fusetlb"},
		{Ability: arch.SharedLastLevel, For: "by cores and translation", Remedy: "take a machine with one L2 slice above a last-level cache, as gpsim-soc has"},
		{Ability: arch.L1Cleaning, For: "as pages and kernels are written back"},
	},
	Provides: []arch.Ability{arch.BehindLanes, arch.Translation},
	Takes: []arch.Why{
		{Ability: arch.PartitionUnits, Because: "an access is translated behind the L2, which knows lines of each kernel by other addresses"},
		{Ability: arch.BulkCopies, Because: "an access that waits for its page or for the L1 has the lines of 32 lanes at most"},
	},
	Outside: []arch.Ability{arch.BesideL1, arch.IssueGroups},
}

func init() {
	arch.RegisterSection(Key, overlays, func() arch.Section { return new(Section) }, declaration)
	replacement.Policies.Open(arch.Word(Key + ".tlb_replacement"))
}

// On implements arch.Section.
func (s *Section) On() bool { return s.Enabled }

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	if err := tlb.CheckShape(s.TLBEntries, s.TLBWays); err != nil {
		complain("tlb_ways", err.Error())
	} else if t, err := tlb.New(s.TLBEntries, s.TLBWays); err != nil || t.Replace(s.TLBReplacement) != nil {
		complain("tlb_replacement", fmt.Sprintf("%s replaces among at most 64 ways, and there are %d", s.TLBReplacement, s.TLBWays))
	}
	if p := m.L1.Prefetcher; s.TLBs == "private" && p != "" && p != "none" {
		complain("tlbs", fmt.Sprintf("private TLBs translate what lanes access in front of the L1, and l1.prefetcher (%s) asks for lines of other pages behind them; use l2.slice.prefetcher, or a TLB that SMs share", p))
	}
	if n := m.L2.Partitions * m.L2.SlicesPerPartition; n != 1 || m.LLC.Bytes == 0 || m.L2.Slice.Bytes == 0 {
		complain("enabled", fmt.Sprintf("needs one L2 slice above a last-level cache, as gpsim-soc has: the machine has %d slices, and %d bytes of last-level cache", n, m.LLC.Bytes))
	}
	if m.L1.Bytes > 0 && m.L1.Write != "back_allocate" {
		complain("enabled", fmt.Sprintf("needs l1.write back_allocate, which the SMs' lines are written back from: it is %q", m.L1.Write))
	}
	if c := cpu.Of(m); c != nil && c.Cores >= coherence.MaxAgents {
		complain("enabled", fmt.Sprintf("%d CPU cores: at most %d besides SMs, as the directory has them in one word", c.Cores, coherence.MaxAgents-1))
	}
	if m.GPU.SMs > maxSMs {
		complain("enabled", fmt.Sprintf("%d SMs: at most %d", m.GPU.SMs, maxSMs))
	}
}

// maxSMs keeps SMs apart in kernel ids and in sets of sharers.
const maxSMs = 32
