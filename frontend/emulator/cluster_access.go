package emulator

import "fmt"

// clusterBlock gives the block of the cluster that an address of shared memory names.
func (c *warpContext) clusterBlock(k *accessOperation, i int, start uint64) (*BlockState, error) {
	own := c.identity.Block
	rank := own.rankOf(start)
	switch {
	case rank >= own.clusterBlocks() || start >= 2*clusterRankMask:
		return nil, c.accessFault(k, FaultOutOfBounds, i, fmt.Sprintf("the address is in no shared memory of a cluster of %d thread blocks", own.clusterBlocks()))
	case own.cluster == nil:
		return own, nil
	case own.cluster[rank].ended:
		return nil, c.accessFault(k, FaultUseAfterFree, i, fmt.Sprintf("thread block %d of the cluster has ended; wait at barrier.cluster before", rank))
	}
	return own.cluster[rank], nil
}
