// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// The registers between the stages of a core's pipeline. GPUWattch prices them as McPAT
// does, by the core cycle and its duty, which is the part of the write-back slots that an
// instruction takes: so much for each warp instruction. Circuits of theirs are in none of
// this model's sources, so that only calibrations that were fitted to a card have them.
const (
	frontPipeline = "sm/front end/pipeline"
	backPipeline  = "sm/pipeline"
)

// pipeline adds them: the part that belongs to the front end, and the rest. They charge
// nothing until withPipeline does. Lanes that fetch by themselves have a pipeline each: an
// instruction of a lane takes a 32nd of what a warp's takes, as in their decoders.
func (b *builder) pipeline() {
	b.add(frontPipeline)
	b.add(backPipeline)
	b.pipelinePJ = b.energy("pipeline.instruction")
	if b.machine.FetchByLane() {
		b.pipelinePJ /= trace.WarpSize
	}
	b.pipelineFront = b.value("pipeline.front_end_share")
	b.pipelineCyclePJ = b.energy("pipeline.cycle")
}

// withPipeline charges them by the warp instruction, but for parts at or below keep.
func (m *Model) withPipeline(keep []string) {
	m.chargePipeline(m.pipelinePJ, counters.IssuedWarp, keep)
}

// withPipelineCycles charges them by the cycle in which an SM has a thread block (D215).
func (m *Model) withPipelineCycles() {
	m.chargePipeline(m.pipelineCyclePJ, counters.ActiveSMCycles, nil)
}

func (m *Model) chargePipeline(pj float64, id counters.ID, keep []string) {
	for i := range m.Components {
		c := &m.Components[i]
		share := 0.0
		switch c.Path {
		case "chip/" + frontPipeline:
			share = m.pipelineFront
		case "chip/" + backPipeline:
			share = 1 - m.pipelineFront
		}
		if share > 0 && !underAny(c.Path, keep) {
			c.charge(pj*share, id)
		}
	}
}

// underAny reports whether a path is at or below one of some nodes.
func underAny(path string, nodes []string) bool {
	for _, node := range nodes {
		if under(path, node) {
			return true
		}
	}
	return false
}
