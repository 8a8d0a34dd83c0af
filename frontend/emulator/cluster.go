package emulator

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
