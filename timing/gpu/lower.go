// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"fmt"

	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/trace"
)

// lower makes the machine operations of the kernels that are launched, on a machine that
// executes them; refused gets the reason for each that cannot be lowered.
func (g *GPU) lower(kernels []trace.Kernel, launches []trace.Launch, refused []error) []*core.Lowering {
	list := make([]*core.Lowering, len(kernels))
	if g.lowered == nil {
		return list
	}
	lower := g.options.Lower
	if lower == nil {
		lower = lowering.For
	}
	threads := make([]int, len(kernels))
	for i := range launches {
		l := &launches[i]
		threads[l.Kernel] = max(threads[l.Kernel], g.divergence.HardwareWarps(l.Warps())*trace.WarpSize)
	}
	for k := range kernels {
		if threads[k] == 0 {
			continue // never launched
		}
		l, err := lower(g.machine, &kernels[k], threads[k], g.policy.KeepsInstructions)
		switch {
		case err != nil:
			refused[k] = fmt.Errorf("%s: gpu.lowering: %w", g.machine.Name, err)
		case l != nil:
			list[k] = l
			g.lowered.Add(&kernels[k], l)
		}
	}
	return list
}

// ledger holds what has been recorded, and issued, of the launches of a lowered kernel
// that have ended in a replay.
type ledger struct {
	lowering         *core.Lowering
	before           lowering.Passed // before the replay
	recorded, issued uint64
}

// openLedgers begins the account of a replay.
func (g *GPU) openLedgers(p *plan) {
	g.ledgers = map[int]*ledger{}
	for k, l := range p.lowerings {
		if l != nil {
			g.ledgers[k] = &ledger{lowering: l, before: g.lowered.Passed(l)}
		}
	}
}

// runs reports whether a launch of a kernel runs at present.
func (g *GPU) runs(kernel int) bool {
	for _, l := range g.launches.active {
		if l.kernel == kernel {
			return true
		}
	}
	return false
}
