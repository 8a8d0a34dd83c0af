package trace

import (
	"slices"
	"testing"
)

func TestJoinsAreKeptAndOldKernelsHaveTheirPostDominators(t *testing.T) {
	k := smallKernel()
	k.Blocks[0].Joins, k.Blocks[1].PostDominator = []uint32{1, 0}, 0
	back := kernelFromProto(kernelToProto(k))
	for i, want := range [][]uint32{{1, 0}, {0}} {
		if got := back.Blocks[i].Reconvergence(nil); !slices.Equal(got, want) {
			t.Errorf("block %d reconverges at %v, want %v", i, got, want)
		}
	}
	if b := (&BasicBlock{PostDominator: NoBlock}); len(b.Reconvergence(nil)) != 0 {
		t.Error("lanes meet behind the kernel's exit")
	}
}
