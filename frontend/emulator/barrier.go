// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// barrier is one of a thread block's barriers (9.7.13.1). What arrives as a whole warp
// counts as a whole warp of threads. From sm_70 on threads arrive by themselves at
// barriers without .aligned, and are counted.
type barrier struct {
	active bool
	// expected threads, zero for all live threads of the block.
	expected uint32
	reduced  bool // .red, not to be mixed with .sync and .arrive
	// arrived and waiting are sets of warps that came as a whole; apart are those with
	// lanes that came by themselves (scheduler.apartLanes).
	arrived, waiting, apart uint32
	// threads that have arrived, also repeatedly.
	threads uint32
	// values of the reductions so far
	popc    uint32
	and, or bool
}

// arrive notes lanes of a warp at the barrier, which count as so many threads. A
// complaint means that the request contradicts those of other warps.
func (b *barrier) arrive(r *coexecution.BarrierRequest, threads int) (complaint string) {
	reduced := r.Kind >= coexecution.BarrierRedPopc
	if !b.active {
		*b = barrier{active: true, expected: r.Threads, reduced: reduced, and: true}
	}
	switch {
	case b.expected != r.Threads:
		return fmt.Sprintf("barrier %d was opened for %s, this warp says %s", r.ID, threadCount(b.expected), threadCount(r.Threads))
	case b.reduced != reduced:
		return fmt.Sprintf("bar.red meets bar.sync or bar.arrive at the active barrier %d", r.ID)
	}
	b.threads += uint32(threads)
	b.popc += uint32(bits.OnesCount32(r.Predicate & r.Mask))
	b.and = b.and && r.Predicate&r.Mask == r.Mask
	b.or = b.or || r.Predicate&r.Mask != 0
	return ""
}

func threadCount(n uint32) string {
	if n == 0 {
		return "all threads of the block"
	}
	return fmt.Sprintf("%d threads", n)
}

// complete reports whether no warp is missing. Warps that ended are no longer expected
// where all threads are.
func (b *barrier) complete(live uint32) bool {
	if !b.active {
		return false
	}
	if b.expected != 0 {
		return b.threads >= b.expected
	}
	return live&^(b.arrived|b.apart) == 0
}

// value is the reduction's result.
func (b *barrier) value(kind coexecution.BarrierKind) uint32 {
	switch {
	case kind == coexecution.BarrierRedPopc:
		return b.popc
	case kind == coexecution.BarrierRedAnd && b.and, kind == coexecution.BarrierRedOr && b.or:
		return 1
	}
	return 0
}
