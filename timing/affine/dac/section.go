// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"embed"
	"fmt"

	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace"
)

//go:embed overlays/*.yaml
var overlays embed.FS

// Key is the section's key in an architecture.
const Key = "dac"

// Section describes the added hardware of each SM (section 4.8, Table 1).
type Section struct {
	Enabled bool `yaml:"enabled"`
	// TupleEntries of the affine tuple queue.
	TupleEntries int `yaml:"tuple_entries" unit:"tuples" range:"1..1024"`
	// AddressEntries and PredicateEntries of the queues of all warps together, which
	// the resident warps divide.
	AddressEntries   int `yaml:"address_entries" unit:"entries" range:"1..65536"`
	PredicateEntries int `yaml:"predicate_entries" unit:"entries" range:"1..65536"`
	// StackDepth of the affine SIMT stack, and of the divergent condition registers.
	StackDepth int `yaml:"stack_depth" unit:"entries" range:"1..64"`
	// KeepScratchpad leaves the addresses of shared and constant memory to the warps.
	KeepScratchpad bool `yaml:"keep_scratchpad"`
	// DataDependent is what the compiler does where branches depend on what only the warps know.
	// With "follow" the affine warp waits for their outcome. With "leave" the warps execute what
	// is under such branches; with "stop" also what comes behind one that the affine warp would
	// have to follow.
	DataDependent string `yaml:"data_dependent" oneof:"follow,leave,stop"`
	// Barrier is what a barrier holds that a thread block has not passed: requests of loads
	// that could conflict with stores before it, or all of the expansion.
	Barrier string `yaml:"barrier" oneof:"requests,expansion"`
	// IssueBeforeData lets a warp issue a decoupled load once its address is there; its data
	// may still be on their way.
	IssueBeforeData bool `yaml:"issue_before_data"`
	// GatherCycles pass before a batch begins on an SM that has room for more thread
	// blocks. On one that has none, but some of the batch before, GatherShare of the time
	// that the affine warp took for that one passes from when it is free.
	GatherCycles int     `yaml:"gather_cycles" unit:"core cycles" range:"0..1000000"`
	GatherShare  float64 `yaml:"gather_share" range:"0..100"`
	// Batch is which thread blocks are a batch of concurrent warps (section 4.1). Those of
	// "gathered" are what GatherCycles and GatherShare bring together, while others of the
	// batch before may still run. A "whole" batch has all that an SM runs at a time: it begins
	// when none of the batch before is left.
	Batch string `yaml:"batch" oneof:"gathered,whole" default:"gathered" digest:"used"`
}

// wholeBatch is the word for batches of all thread blocks of an SM.
const wholeBatch = "whole"

// declaration says what goes with the mechanism.
var declaration = arch.Declaration{
	Needs: []arch.Need{
		{Ability: arch.SIMTCores, For: "as an affine warp runs next to their warps", Remedy: "set gpu.core to simt"},
		{Ability: arch.Warps32, For: "as tuples of the affine warp expand to 32 lanes each", Remedy: "leave the other warps out"},
		{Ability: arch.Reconvergence, For: "which the affine SIMT stack follows", Remedy: "set gpu.divergence to pdom"},
		{Ability: arch.LineLocks, For: "which keep early data until they are used", Remedy: "give it an L1 of at least two ways, as one is never locked (l1.bytes, l1.ways; section 4.2)"},
	},
	Provides: []arch.Ability{arch.BehindLanes},
	Takes: []arch.Why{
		{Ability: arch.RecordedCode, Because: "an affine warp executes a part of it"},
		{Ability: arch.BulkCopies, Because: "tuples expand to the addresses of lanes, which a copy does not have"},
	},
	Claims:  []arch.Why{{Ability: arch.KernelCompiler, Because: "splits a kernel into an affine and a non-affine stream"}},
	Outside: []arch.Ability{arch.InsteadOfL1, arch.BesideL1, arch.Translation, arch.IssueGroups},
}

func init() {
	arch.RegisterSection(Key, overlays, func() arch.Section { return new(Section) }, declaration)
	gpu.Mechanisms.Register(Key, gpu.Mechanism{New: newMechanism, Lacks: lacks})
}

// lacks says why nothing of a kernel is decoupled.
func lacks(m *arch.Machine, k *trace.Kernel) string {
	p := affine.CompileWith(k, m.Section(Key).(*Section).options())
	if p.Decoupled() {
		return ""
	}
	return "is not decoupled: " + p.Reason
}

// dataDependents are the compiler's decisions by the section's names.
var dataDependents = map[string]affine.DataDependent{"follow": affine.FollowData, "leave": affine.LeaveData, "stop": affine.StopAtData}

// options are the compiler's.
func (s *Section) options() affine.Options {
	return affine.Options{KeepScratchpad: s.KeepScratchpad, DataDependent: dataDependents[s.DataDependent], StackDepth: s.StackDepth}
}

// On implements arch.Section.
func (s *Section) On() bool { return s.Enabled }

// tupleLanes is what a tuple takes: a base and six offsets (section 4.4); divergence
// makes four of one (4.6).
const (
	tupleLanes = 7
	maxTuples  = 4
)

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	warps := m.SM.MaxWarps
	if s.AddressEntries < warps {
		complain("address_entries", fmt.Sprintf("%d: an SM has %d warps, and each needs an entry to make progress", s.AddressEntries, warps))
	}
	if s.PredicateEntries < warps {
		complain("predicate_entries", fmt.Sprintf("%d: an SM has %d warps, and each needs an entry to make progress", s.PredicateEntries, warps))
	}
	if warps > maxWarps {
		complain("enabled", fmt.Sprintf("sm.max_warps is %d: an affine warp serves at most %d, with a bit of its predicates for each (lower sm.max_warps)", warps, maxWarps))
	}
	if lanes := lanesOf(m); lanes < tupleLanes*maxTuples {
		complain("enabled", fmt.Sprintf("an SM has %d lanes: four tuples of a base and six offsets need %d (section 4.6)", lanes, tupleLanes*maxTuples))
	}
}

// lanesOf is how many lanes execute integer additions in a cycle.
func lanesOf(m *arch.Machine) int {
	units := m.SM.Units.SP
	if m.SM.Units.Int > 0 {
		units = m.SM.Units.Int
	}
	return units * trace.WarpSize / max(m.SM.Latencies.IntAdd.Interval, 1)
}
