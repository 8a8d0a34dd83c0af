// SPDX-License-Identifier: Apache-2.0

package coexecution

import "github.com/warptape/warptape/trace"

// Addresses of shared memory in another thread block of the cluster (.shared::cluster,
// 5.1.7): the place in that block, and above it one more than the block's rank. What
// has zeros there is the executing block's own.
const (
	clusterRankShift = trace.ClusterRankShift // maxSharedBytes
	ClusterRankMask  = trace.ClusterRankMask
	ClusterPlaceMask = 1<<clusterRankShift - 1
)

// ClusterAddress is what an address of shared memory is in the block of a rank.
func ClusterAddress(address uint64, rank int) uint64 {
	return address&^ClusterRankMask | uint64(rank+1)<<clusterRankShift
}

// ClusterBlocks is the number of thread blocks of the cluster.
func (b *BlockState) ClusterBlocks() int { return max(len(b.Cluster), 1) }

// RankOf is the rank of the block whose shared memory an address lies in.
func (b *BlockState) RankOf(address uint64) int { return trace.ClusterRank(address, b.Rank) }
