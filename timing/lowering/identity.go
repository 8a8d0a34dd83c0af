// SPDX-License-Identifier: Apache-2.0

package lowering

import (
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/trace"
)

// Identity is the lowering that keeps every recorded instruction as it is: replays of it
// are those of the kernel itself.
func Identity(k *trace.Kernel) *core.Lowering {
	same := *k
	l := &core.Lowering{
		Kernel: &same, Origin: make([]uint32, len(k.Instructions)), Guarded: make([]bool, len(k.Instructions)),
		Visits: make([]core.LoweredVisit, len(k.Blocks)),
	}
	for i := range k.Instructions {
		l.Origin[i], l.Guarded[i] = uint32(i), k.Instructions[i].Guarded()
	}
	for b := range k.Blocks {
		v := &l.Visits[b]
		v.Parts = []core.VisitPart{{Block: uint32(b)}}
		c := countsOf(k, uint32(b))
		for n := range c.guards {
			v.Guards = append(v.Guards, n+1)
		}
		for n := range c.accesses {
			v.Accesses = append(v.Accesses, n)
		}
	}
	return l
}
