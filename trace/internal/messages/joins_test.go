// SPDX-License-Identifier: Apache-2.0

package messages_test

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/messages"
	"github.com/warptape/warptape/trace/internal/testtraces"
)

func TestJoinsAreKeptAndOldKernelsHaveTheirPostDominators(t *testing.T) {
	k := testtraces.SmallKernel()
	k.Blocks[0].Joins, k.Blocks[1].PostDominator = []uint32{1, 0}, 0
	back := messages.ToKernel(messages.FromKernel(k))
	for i, want := range [][]uint32{{1, 0}, {0}} {
		if got := back.Blocks[i].Reconvergence(nil); !slices.Equal(got, want) {
			t.Errorf("block %d reconverges at %v, want %v", i, got, want)
		}
	}
	if b := (&trace.BasicBlock{PostDominator: trace.NoBlock}); len(b.Reconvergence(nil)) != 0 {
		t.Error("lanes meet behind the kernel's exit")
	}
}
