// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strings"
	"testing"
)

// A launch's thread blocks, counted by hand in loops over its clusters and the ranks within.
func TestThreadBlocksOfClusters(t *testing.T) {
	for _, l := range []Launch{
		{Grid: Dim3{6, 1, 1}, Cluster: Dim3{2, 1, 1}}, {Grid: Dim3{4, 6, 1}, Cluster: Dim3{2, 3, 1}}, {Grid: Dim3{2, 4, 6}, Cluster: Dim3{1, 2, 3}}, {Grid: Dim3{3, 3, 3}, Cluster: Dim3{3, 3, 3}},
	} {
		number := uint64(0)
		for z := uint32(0); z < l.Grid.Z; z += l.Cluster.Z {
			for y := uint32(0); y < l.Grid.Y; y += l.Cluster.Y {
				for x := uint32(0); x < l.Grid.X; x += l.Cluster.X {
					rank, end := 0, uint64(0)
					for dz := range l.Cluster.Z {
						for dy := range l.Cluster.Y {
							for dx := range l.Cluster.X {
								block := uint64(((z+dz)*l.Grid.Y+y+dy)*l.Grid.X + x + dx)
								if n, r := l.ClusterOf(block); n != number || r != rank {
									t.Errorf("%v: thread block %d is %d of cluster %d, want %d of %d", l, block, r, n, rank, number)
								}
								rank, end = rank+1, max(end, block)
							}
						}
					}
					if got := l.ClusterEnd(number); got != end {
						t.Errorf("%v: cluster %d ends with thread block %d, want %d", l, number, got, end)
					}
					number++
				}
			}
		}
	}
}

func TestClustersThatDoNotDivideTheGridAreRefused(t *testing.T) {
	l := Launch{Grid: Dim3{6, 4, 1}, Block: Dim3{32, 1, 1}}
	for _, c := range []struct {
		cluster Dim3
		want    string
	}{
		{Dim3{}, ""}, {Dim3{1, 1, 1}, ""}, {Dim3{3, 2, 1}, ""}, {Dim3{4, 1, 1}, "do not divide"}, {Dim3{1, 3, 1}, "do not divide"}, {Dim3{1, 1, 2}, "do not divide"},
		{Dim3{2, 0, 1}, "want 1 to 64"}, {Dim3{0, 0, 1}, "want 1 to 64"}, {Dim3{6, 4, 3}, "want 1 to 64"}, {Dim3{1 << 31, 1 << 31, 1 << 31}, "want 1 to 64"},
	} {
		l.Cluster = c.cluster
		err := l.Validate(1)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("cluster %v: %v, want %q", c.cluster, err, c.want)
		}
	}
}

// Each thread of a thread block is a lane of one of its warps, in order: all warps but the last are full.
func TestThreadsAreLanesOfWarps(t *testing.T) {
	for threads := uint32(1); threads <= 130; threads++ {
		l := Launch{Block: Dim3{threads, 1, 1}}
		warp, lane := 0, 0
		for range threads {
			if lane == WarpSize {
				warp, lane = warp+1, 0
			}
			if l.FullMask(warp)>>lane&1 == 0 {
				t.Errorf("%d threads: lane %d of warp %d has none", threads, lane, warp)
			}
			lane++
		}
		if l.Warps() != warp+1 || uint64(l.FullMask(warp))>>lane != 0 {
			t.Errorf("%d threads: %d warps, the last with lanes %#x", threads, l.Warps(), l.FullMask(warp))
		}
	}
}

// Clusters of one thread block are none.
func TestLaunchesInClusters(t *testing.T) {
	for c, want := range map[Dim3]bool{{}: false, {1, 1, 1}: false, {2, 1, 1}: true, {1, 2, 1}: true, {1, 1, 2}: true} {
		if l := (Launch{Grid: Dim3{4, 4, 4}, Cluster: c}); l.InClusters() != want {
			t.Errorf("cluster %v: in clusters is %v", c, !want)
		}
	}
}

// The place in an address is the executing thread block's unless it names a rank.
func TestRanksInAddresses(t *testing.T) {
	for _, c := range []struct {
		address uint64
		want    int
	}{{0x3fffc, 7}, {0x40000, 0}, {0x80004, 1}, {0x4000_0000, 7}, {0x4000_0000 | 16<<18 | 12, 15}} {
		if got := ClusterRank(c.address, 7); got != c.want {
			t.Errorf("address %#x is of rank %d, want %d", c.address, got, c.want)
		}
	}
}
