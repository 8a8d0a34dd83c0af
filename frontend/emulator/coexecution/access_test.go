// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// checked is a kernel whose first instructions are a store, one that synchronises the warp, and two stores.
func checked(t *testing.T) (*RaceChecker, *WarpIdentity) {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(`.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
	.reg .u32 %r; .reg .u64 %a;
	.shared .align 4 .b8 s[64];
	st.shared.u32 [s], %r;
	shfl.sync.idx.b32 %r, %r, 0, 31, -1;
	st.shared.u32 [s], %r;
	st.shared.u32 [s+4], %r;
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	k, err := contaminator.Contaminate(m.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	r := NewRaceChecker(k, 64, true)
	r.BeginBlock()
	launch := &LaunchState{}
	launch.Block = trace.Dim3{X: 8, Y: 3, Z: 4}
	block := &BlockState{}
	block.Index = trace.Dim3{X: 5, Y: 6, Z: 7}
	return r, &WarpIdentity{Launch: launch, Block: block}
}

// Two lanes store to one place, by instructions of the kernel above. A synchronisation of the warp between them orders them, in
// the same visit of the segment and in the next.
func TestStoresAroundASynchronisationOfTheWarp(t *testing.T) {
	for _, c := range []struct {
		what          string
		first, second int
		visits        bool // the second one is in the next visit
		second0       uint64
		want          bool
	}{
		{"one behind the other", 2, 3, false, 0, true},
		{"one byte of them", 2, 3, false, 3, true},
		{"beside each other", 2, 3, false, 4, false},
		{"around the synchronisation", 0, 2, false, 0, false},
		{"in the next visit, behind the synchronisation of the first", 0, 0, true, 0, false},
		{"in the next visit, in front of its synchronisation", 2, 0, true, 0, true},
	} {
		r, w := checked(t)
		kind := func(i int) CheckedKind { return CheckedKind{Instruction: i, Verb: "store", Bytes: 4, Write: true} }
		for _, space := range []ptx.Space{ptx.SpaceShared, ptx.SpaceGlobal} {
			r.Found, r.seen = nil, map[[2]int]bool{}
			r.Access(w, kind(c.first), 1, space, 16)
			if c.visits {
				r.EndVisit(0, 0)
			}
			r.Access(w, kind(c.second), 9, space, 16+c.second0)
			if got := r.Err() != nil; got != c.want {
				t.Errorf("%s, %v: %v", c.what, space, r.Err())
			}
			r.epochs, r.visits = [MaxWarps]uint32{}, [MaxWarps]uint32{}
		}
	}
}

// A race is told once for two instructions, with both threads and both lines. Lane 9 of warp 1 is number 41, which is (1,2,1) in a
// block of 8x3x4.
func TestWhatIsSaidOfARace(t *testing.T) {
	r, w := checked(t)
	kind := func(i int) CheckedKind { return CheckedKind{Instruction: i, Verb: "store", Bytes: 4, Write: true} }
	w.Warp = 1
	for range 2 {
		r.Access(w, kind(2), 9, ptx.SpaceShared, 16)
		r.Access(w, kind(3), 2, ptx.SpaceShared, 16)
	}
	const want = "k.ptx:10: race: .shared store of 4 bytes at 0x10 by thread (2,1,1) of block (5,6,7) in kernel k: no barrier is between it and the store by thread (1,2,1) at k.ptx:9"
	if len(r.Found) != 1 || strings.ReplaceAll(r.Err().Error(), " shared ", " .shared ") != want {
		t.Errorf("%d races: %v, want %s", len(r.Found), r.Err(), want)
	}
	if r.Access(w, CheckedKind{Instruction: -1, Bytes: 4, Write: true}, 5, ptx.SpaceShared, 16); len(r.Found) != 1 {
		t.Error("what is no instruction of the kernel races")
	}
	r.Global = nil
	r.Access(w, kind(2), 1, ptx.SpaceGlobal, 16)
	if r.Access(w, kind(3), 2, ptx.SpaceGlobal, 16); len(r.Found) != 1 {
		t.Error("global memory is looked at without the wish")
	}
}

// Of stores by which lanes differ the first of each instruction is kept, with both threads and all elements, also
// of another checker.
func TestWhatIsSaidOfDifferingStores(t *testing.T) {
	r, w := checked(t)
	w.Warp = 1
	s := &StoredTwice{Kind: CheckedKind{Instruction: 2, Verb: "store", Bytes: 8}, Space: ptx.SpaceShared, Address: 32, Lanes: [2]int{2, 9}, Elements: [2][]uint64{{1, 2}, {255}}}
	if !r.Wants(2) || r.Wants(-1) {
		t.Error("a store is not wanted, or what is none")
	}
	r.Differ(w, s)
	const want = "k.ptx:9: differing stores: .shared store of 8 bytes at 0x20 by thread (2,1,1) of block (5,6,7) in kernel k: the same instruction stores {0x1, 0x2} by this thread and 0xff by thread (1,2,1); which one stays is undefined"
	if got := r.Warnings(); len(got) != 1 || strings.ReplaceAll(got[0].Error(), " shared ", " .shared ") != want || r.Wants(2) || !r.Wants(3) {
		t.Errorf("%v, want %s", got, want)
	}
	other, _ := checked(t)
	other.Differ(w, s)
	s.Kind.Instruction = 3
	other.Differ(w, s)
	r.Merge(other)
	if got := r.Warnings(); len(got) != 2 || r.Wants(3) {
		t.Errorf("%d warnings of two instructions", len(got))
	}
}

// Lines of a text from 1 on, without the space around; none beyond.
func TestLinesOfAText(t *testing.T) {
	for n, want := range []string{"", "first", "second", "third", ""} {
		if got := LineOf([]byte("first\n\tsecond \nthird"), n); got != want {
			t.Errorf("line %d is %q, want %q", n, got, want)
		}
	}
}

// Claimants of all blocks that may claim are different from each other and from what stands for none or several.
func TestClaimantsOfTheLastBlocks(t *testing.T) {
	for _, block := range []uint64{0, 1, MaxClaimBlock - 1, MaxClaimBlock} {
		if got := uint64(Claimant(block)); got != 4*(block+1) {
			t.Errorf("block %d has claimant %d", block, got)
		}
	}
}

// An address of shared memory in a cluster has a block's rank and the place there.
func TestAddressesInAClusterHaveARank(t *testing.T) {
	b := &BlockState{Cluster: make([]*BlockState, 16), Rank: 3}
	for rank := range 16 {
		at := ClusterAddress(ClusterAddress(1<<30|12345, 7), rank)
		if b.RankOf(at) != rank || at&ClusterPlaceMask != 12345 || at>>30 != 1 {
			t.Errorf("rank %d: %#x of rank %d", rank, at, b.RankOf(at))
		}
	}
	if b.RankOf(12345) != 3 || b.ClusterBlocks() != 16 || new(BlockState).ClusterBlocks() != 1 {
		t.Errorf("an own address is of rank %d, there are %d blocks and %d", b.RankOf(12345), b.ClusterBlocks(), new(BlockState).ClusterBlocks())
	}
}

// A watched thread is in one warp of one block, whose number counts x fastest.
func TestAWatchedThreadIsInOneWarp(t *testing.T) {
	launch, block := &LaunchState{}, &BlockState{}
	launch.Grid, block.Index = trace.Dim3{X: 5, Y: 7, Z: 3}, trace.Dim3{X: 2, Y: 3, Z: 1}
	watch := &Watch{Block: 2 + 5*(3+7*1), Thread: 70}
	for warp := range 4 {
		lane, ok := watch.Lane(&WarpIdentity{Launch: launch, Block: block, Warp: warp})
		if ok != (warp == 2) || lane != 6 {
			t.Errorf("warp %d: lane %d, %t", warp, lane, ok)
		}
	}
	block.Index.Y = 4
	if _, ok := watch.Lane(&WarpIdentity{Launch: launch, Block: block, Warp: 2}); ok {
		t.Error("another block has the thread")
	}
}
