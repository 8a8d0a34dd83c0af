// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// clusterBlock gives the block of the cluster that an address of shared memory names.
func (c *warpContext) clusterBlock(k *accessOperation, i int, start uint64) (*coexecution.BlockState, error) {
	own := c.identity.Block
	rank := own.RankOf(start)
	switch {
	case rank >= own.ClusterBlocks() || start >= 2*coexecution.ClusterRankMask:
		return nil, c.accessFault(k, coexecution.FaultOutOfBounds, i, fmt.Sprintf("the address is in no shared memory of a cluster of %d thread blocks", own.ClusterBlocks()))
	case own.Cluster == nil:
		return own, nil
	case own.Cluster[rank].Ended:
		return nil, c.accessFault(k, coexecution.FaultUseAfterFree, i, fmt.Sprintf("thread block %d of the cluster has ended; wait at barrier.cluster before", rank))
	}
	return own.Cluster[rank], nil
}
