// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// clusterBarrier lowers barrier.cluster (9.7.13.3). Arriving makes no thread wait. A
// waiting thread goes on when all threads of the cluster wait, too. The barrier is one
// more of each block, and opens when it is complete in all of them. The ISA lets threads
// go on once all have arrived. So a block with warps that cross a bar.sync and a
// barrier.cluster.wait in different orders is reported as one that hangs.
func (l *lowering) clusterBarrier(in *ptx.Instruction) (operation, error) {
	if in.Mods.Has(ptx.ModArrive) {
		return operation{kind: kindRun, run: nothing}, nil
	}
	k := &barrierOperation{kind: coexecution.BarrierSync, aligned: in.Mods.Has(ptx.ModAligned), cluster: true, id: l.layout.constant(coexecution.ClusterBarrierID, false)}
	return operation{kind: kindRun, run: runBarrier, extra: k}, nil
}

// mapped is mapa or getctarank.
type mapped struct {
	d, a, b uint32
	wide    bool
	generic bool // a lies in the generic space
	rank    bool // getctarank, which gives the rank in place of an address
}

// clusterAddress lowers mapa (9.7.9.23) and getctarank (9.7.9.24).
func (l *lowering) clusterAddress(in *ptx.Instruction) (operation, error) {
	bits := in.Type().Bits()
	k := &mapped{wide: bits == 64, generic: in.Space == ptx.SpaceGeneric, rank: in.Op == ptx.OpGetctarank}
	var err error
	if k.a, err = l.source(&in.Operands[1], bits); err != nil {
		return operation{}, err
	}
	if k.rank {
		k.d, err = l.destination(&in.Operands[0], 32)
		return operation{kind: kindRun, run: runMapped, extra: k}, err
	}
	if k.b, err = l.source(&in.Operands[2], 32); err != nil {
		return operation{}, err
	}
	k.d, err = l.destination(&in.Operands[0], bits)
	return operation{kind: kindRun, run: runMapped, extra: k}, err
}

func runMapped(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*mapped)
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		address := c.lane(k.a, k.wide, i)
		if k.generic && !memory.InWindow(address, memory.SharedWindowBase) {
			return &laneFault{lane: i, fault: coexecution.Fault{Kind: coexecution.FaultOutOfBounds, Address: address, Space: ptx.SpaceGeneric,
				Detail: "it is no address in shared memory, which mapa and getctarank take (9.7.9.23)"}}
		}
		if k.rank {
			c.setLane(k.d, false, i, uint64(c.identity.Block.RankOf(address)))
			continue
		}
		rank, blocks := c.lane(k.b, false, i), c.identity.Block.ClusterBlocks()
		if rank >= uint64(blocks) {
			return &laneFault{lane: i, fault: coexecution.Fault{Kind: coexecution.FaultOutOfBounds, Address: address, Space: ptx.SpaceShared,
				Detail: fmt.Sprintf("mapa to thread block %d of a cluster of %d", rank, blocks)}}
		}
		if blocks > 1 {
			address = coexecution.ClusterAddress(address, int(rank))
		}
		c.setLane(k.d, k.wide, i, address)
	}
	return nil
}
