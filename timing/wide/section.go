// SPDX-License-Identifier: Apache-2.0

package wide

import (
	"embed"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
)

//go:embed overlays/*.yaml
var overlays embed.FS

// key is the section's key in an architecture.
const key = "wide"

// Section describes warps that are wider than the SM's lanes.
type Section struct {
	// Threads of a warp; 32 leaves warps as they are.
	Threads int `yaml:"threads" unit:"threads" range:"32..128" pow2:"yes"`
}

var laterPasses = counters.Register(key,
	counters.Declaration{Name: "wide_later_passes", Unit: counters.Instructions, Meaning: "passes of instructions of wide warps after the first one: they are neither fetched nor decoded nor scheduled"},
	counters.Declaration{Name: "wide_empty_passes", Unit: counters.Instructions, Meaning: "passes of instructions of wide warps without a lane"},
)

// emptyPasses is the number of that counter after laterPasses.
const emptyPasses = 1

// declaration says what goes with the mechanism.
var declaration = arch.Declaration{
	Needs: []arch.Need{
		{Ability: arch.SIMTCores, For: "whose warps go through the lanes in passes", Remedy: "set gpu.core to simt"},
		{Ability: arch.SureIssue, For: "as all passes of an instruction follow the first"},
		{Ability: arch.Reconvergence, For: "by which it regroups lanes into its warps", Remedy: "set gpu.divergence to pdom"},
	},
	Takes: []arch.Why{
		{Ability: arch.Warps32, Because: "its warps have 64 threads or more"},
		{Ability: arch.BulkCopies, Because: "the one thread of a copy is not recorded, so that its warp cannot be laid out anew"},
	},
	Claims: []arch.Why{{Ability: arch.IssueLogic, Because: "issues each instruction in several passes"}},
}

func init() {
	counters.RegisterFree(map[string]string{
		"wide_later_passes": "issue, operands and units are charged; what they spare of the front end is taken off there",
		"wide_empty_passes": "the pass is charged as one",
	})
	arch.RegisterSection(key, overlays, func() arch.Section { return new(Section) }, declaration)
	gpu.Mechanisms.Register(key, gpu.Mechanism{
		Divergence: func(m *arch.Machine, _ divergence.Policy) divergence.Policy {
			passes := passesOf(m)
			return divergence.Policy{New: func() seam.Divergence { return newRegrouping(passes) }}
		},
		FrontEnds: func(m *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
			return frontEnds(passesOf(m), next)
		},
	})
}

// passesOf is how many passes an instruction of a wide warp takes.
func passesOf(m *arch.Machine) int { return m.Section(key).(*Section).Threads / trace.WarpSize }

// On implements arch.Section.
func (s *Section) On() bool { return s.Threads > trace.WarpSize }

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	if s.Threads > projection.MaxWidth {
		complain("threads", fmt.Sprintf("%d: the model regroups up to %d threads", s.Threads, projection.MaxWidth))
		return
	}
	if n := s.Threads / trace.WarpSize; n > 0 && m.SM.MaxWarps%n != 0 {
		complain("threads", fmt.Sprintf("%d: an SM's %d warps of 32 threads (sm.max_warps) cannot be divided into warps of %d", s.Threads, m.SM.MaxWarps, s.Threads))
	}
}

// Structures implements arch.Section: there are none.
func (s *Section) Structures(*arch.Machine) []arch.Structure { return nil }

// PowerGates implements arch.PowerGated: nothing loses its supply, but later passes
// cost the front end nothing.
func (s *Section) PowerGates(m *arch.Machine) []arch.PowerGate {
	var gates []arch.PowerGate
	for _, part := range []string{"instruction buffer", "decode", "scheduler", "scoreboard"} {
		gates = append(gates, arch.PowerGate{
			Path: "chip/sm/front end/" + part, Instances: m.GPU.SMs, GatedCycles: "wide_later_passes", Residual: 1,
			Spared: []arch.SparedCharge{{Counter: "issued_warp_instructions", By: "wide_later_passes"}},
			Source: "Buddy SM section 6.5: one instruction of 64 or 128 threads in several cycles",
		})
	}
	return gates
}
