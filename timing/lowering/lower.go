// Package lowering makes the operations of a machine's generation of recorded kernels.
package lowering

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/trace"
)

// For lowers a recorded kernel for a machine.
func For(m *arch.Machine, k *trace.Kernel, threads int, together bool) (*core.Lowering, error) {
	return nil, fmt.Errorf("kernels cannot be lowered to %s yet; set gpu.lowering to none", m.GPU.Lowering)
}

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
