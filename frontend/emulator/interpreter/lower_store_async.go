// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// asyncOperation is st.async (9.7.9.12) or red.async (9.7.13.7) to the shared memory of a
// thread block of the cluster. It is done at once, as it may be before any thread waits
// for it, and its bytes are taken off the mbarrier.
type asyncOperation struct {
	inner       operation // the store, or the reduction
	to, barrier accessOperation
	bytes       uint64
	// remote says that the memory must be another block's.
	remote bool
	traced bool
}

// memoryAsync lowers an asynchronous store or reduction. What releases writes to global
// memory, and has no mbarrier to tell.
func (l *lowering) memoryAsync(in *ptx.Instruction, traced bool) (operation, error) {
	synchronous, place := *in, in.Named("mbar")
	synchronous.Operands = in.Operands[:2]
	inner, err := l.memory(&synchronous, traced)
	if err != nil || place == nil {
		return inner, err
	}
	k := &asyncOperation{inner: inner, bytes: uint64(in.LaneBytes()), remote: in.Op == ptx.OpRed, traced: traced}
	to, err := l.access(in, &in.Operands[0], false)
	if err != nil {
		return operation{}, err
	}
	barrier, err := l.access(in, place, false)
	if err != nil {
		return operation{}, err
	}
	k.to, k.barrier = *to, *barrier
	k.to.verb = "asynchronous store"
	if k.remote {
		k.to.verb = "asynchronous reduction"
	}
	k.barrier.write, k.barrier.atomic, k.barrier.verb = true, true, "mbarrier operation"
	return operation{kind: kindRun, run: runAsync, always: inner.always, extra: k}, nil
}

func runAsync(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*asyncOperation)
	for m := mask; m != 0; m &= m - 1 {
		if err := c.checkAsync(k, lanes.FirstLane(m)); err != nil {
			return err
		}
	}
	if err := k.inner.run(c, &k.inner, mask); err != nil {
		return err
	}
	if k.traced {
		c.traceMbarriers(k, mask)
	}
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		if err := c.completeTx(&k.barrier, i, c.laneAddress(&k.barrier, i), k.bytes); err != nil {
			return err
		}
	}
	return nil
}

// traceMbarriers adds the place of each lane's mbarrier to the access.
func (c *warpContext) traceMbarriers(k *asyncOperation, mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		c.numbers[i] = uint32(c.laneAddress(&k.barrier, i) & (1<<trace.ClusterRankShift - 1))
	}
	c.traceNumbers(mask)
}

// checkAsync holds a lane's addresses against the conditions without which the ISA
// leaves the behaviour undefined.
func (c *warpContext) checkAsync(k *asyncOperation, i int) error {
	to, barrier, own := c.laneAddress(&k.to, i), c.laneAddress(&k.barrier, i), c.identity.Block
	detail := ""
	switch rank := own.RankOf(to); {
	case own.ClusterBlocks() < 2:
		detail = "it needs a cluster of two thread blocks or more (PTX ISA 9.7.9.12)"
	case k.to.space == ptx.SpaceGeneric && (!memory.InWindow(to, memory.SharedWindowBase) || !memory.InWindow(barrier, memory.SharedWindowBase)):
		detail = "the addresses of memory and mbarrier must be in shared memory (PTX ISA 9.7.9.12)"
	case rank != own.RankOf(barrier):
		detail = fmt.Sprintf("its memory is in thread block %d of the cluster, its mbarrier in thread block %d; both must be in one (PTX ISA 9.7.9.12)", rank, own.RankOf(barrier))
	case k.remote && rank == own.Rank:
		detail = "its memory is in the thread block's own shared memory; red.async writes to another block's (PTX ISA 9.7.13.7)"
	default:
		return nil
	}
	return &laneFault{lane: i, fault: coexecution.Fault{Kind: coexecution.FaultOutOfBounds, Access: k.to.verb, Address: to, Space: k.to.space, Detail: detail}}
}
