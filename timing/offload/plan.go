// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/offload/chains"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/trace"
)

// plan is what the hardware knows of a kernel's chains.
type plan struct {
	chainOf []int32 // by instruction of the trace, -1 for none
	tags    []chains.Tag
	chains  []chain
}

// chain is what a ComputePacket says of a chain: opcodes and what to answer.
type chain struct {
	loads  int
	stores bool
	answer chains.Answer
	ops    int         // ALU instructions
	cycles clock.Cycle // that they take one after the other
	// adds is what the core takes to add a product that comes back; zero for other
	// results.
	adds clock.Cycle
}

func newPlan(m *arch.Machine, k *trace.Kernel, p *chains.Plan) *plan {
	out := &plan{chainOf: p.ChainOf, tags: p.Tags}
	for i := range p.Chains {
		out.chains = append(out.chains, newChain(m, k, &p.Chains[i]))
	}
	return out
}

func newChain(m *arch.Machine, k *trace.Kernel, c *chains.Chain) chain {
	l := &m.SM.Latencies
	out := chain{loads: len(c.Loads), stores: c.Store != chains.NoStore, answer: c.Pattern.Answer(), ops: len(c.Compute)}
	for _, i := range c.Compute {
		class := k.Instructions[i].Class
		if c.Split {
			var add trace.OpClass
			class, add = parts(class)
			out.adds = clock.Cycle(units.LatencyOf(l, add).Cycles)
		}
		out.cycles += clock.Cycle(units.LatencyOf(l, class).Cycles)
	}
	return out
}

// parts are the multiplication and the addition of a multiply-add.
func parts(class trace.OpClass) (multiply, add trace.OpClass) {
	if class == trace.ClassIntMad {
		return trace.ClassIntMul, trace.ClassIntAdd
	}
	return trace.ClassF32Mul, trace.ClassF32Add
}
