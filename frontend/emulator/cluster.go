package emulator

import "fmt"

// Addresses of shared memory in another thread block of the cluster (.shared::cluster,
// 5.1.7): the place in that block, and above it one more than the block's rank. What
// has zeros there is the executing block's own.
const (
	clusterRankShift = 18 // maxSharedBytes
	clusterRankMask  = 0x1f << clusterRankShift
	clusterPlaceMask = 1<<clusterRankShift - 1
)

// clusterAddress is what an address of shared memory is in the block of a rank.
func clusterAddress(address uint64, rank int) uint64 {
	return address&^clusterRankMask | uint64(rank+1)<<clusterRankShift
}

// clusterBlocks is the number of thread blocks of the cluster.
func (b *BlockState) clusterBlocks() int { return max(len(b.cluster), 1) }

// rankOf is the rank of the block whose shared memory an address lies in.
func (b *BlockState) rankOf(address uint64) int {
	if rank := address & clusterRankMask >> clusterRankShift; rank != 0 {
		return int(rank) - 1
	}
	return b.rank
}

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
