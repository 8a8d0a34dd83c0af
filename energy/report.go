// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"math"
	"strings"
)

// Leaf is what a component has used.
type Leaf struct {
	Path     string  `json:"component"`
	DynamicJ float64 `json:"dynamic_j"` // joules
	StaticJ  float64 `json:"static_j"`  // joules
	// GatedJ is the static energy that power gating has saved, in joules; StaticJ
	// does not contain it.
	GatedJ  float64 `json:"gated_j,omitempty"`
	AreaMM2 float64 `json:"area_mm2"` // square millimetres
	// Added marks what a mechanism brings, Hierarchy what of that is part of the
	// on-chip memory hierarchy.
	Added     bool `json:"added,omitempty"`
	Hierarchy bool `json:"memory_hierarchy,omitempty"`
}

// TotalJ is dynamic plus static energy in joules.
func (l Leaf) TotalJ() float64 { return l.DynamicJ + l.StaticJ }

// Report is the account of a run: its leaves hold every joule once.
type Report struct {
	Machine            string     `json:"machine"`
	Technology         Technology `json:"technology"`
	Calibration        string     `json:"calibration"`
	Seconds            float64    `json:"seconds"`
	ThreadInstructions uint64     `json:"thread_instructions"`
	Leaves             []Leaf     `json:"leaves"`
}

// Node sums the leaves at and below a path; Node("chip") is the total.
func (r *Report) Node(path string) Leaf {
	sum := Leaf{Path: path}
	for _, l := range r.Leaves {
		if under(l.Path, path) {
			sum.DynamicJ += l.DynamicJ
			sum.StaticJ += l.StaticJ
			sum.GatedJ += l.GatedJ
			sum.AreaMM2 += l.AreaMM2
		}
	}
	return sum
}

// under reports whether path is node or below it.
func under(path, node string) bool {
	return strings.HasPrefix(path, node) && (len(path) == len(node) || path[len(node)] == '/')
}

// Total is the whole chip with its DRAM.
func (r *Report) Total() Leaf { return r.Node("chip") }

// AverageW is the average power in watts, NaN for a run of no time.
func (r *Report) AverageW() float64 { return ratio(r.Total().TotalJ(), r.Seconds) }

// EnergyDelay is energy times time in joule seconds.
func (r *Report) EnergyDelay() float64 { return r.Total().TotalJ() * r.Seconds }

// EnergyDelaySquared is energy times time squared in joule seconds squared.
func (r *Report) EnergyDelaySquared() float64 { return r.EnergyDelay() * r.Seconds }

// PJPerInstruction is picojoules per thread instruction, NaN when there are none.
func (r *Report) PJPerInstruction() float64 {
	return ratio(r.Total().TotalJ()*1e12, float64(r.ThreadInstructions))
}

// InstructionsPerJoule is performance per watt: thread instructions a second over
// watts (near-data computing paper, Fig. 11).
func (r *Report) InstructionsPerJoule() float64 {
	return ratio(float64(r.ThreadInstructions), r.Total().TotalJ())
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
